import type * as Draw from "./draw.ts"
import { element } from "../element.ts"
import * as Figures from "./figures.ts"
import * as Words from "./words.ts"

/** A table that scrolls by keyboard where it is wider than the page. */
const table = (caption: string, head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  element(
    "div",
    { className: "lab-scroll", tabIndex: 0, role: "region", ariaLabel: caption },
    element(
      "table",
      {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
      element(
        "tbody",
        {},
        ...rows.map(([first = "", ...cells]) =>
          element("tr", {}, element("th", { scope: "row" }, first), ...cells.map((text) => element("td", {}, text)))
        )
      )
    )
  )

/** What the timelines show, call by call, in the order of time: the call, from when to when, and what. */
export const rows = (sides: ReadonlyArray<Draw.Side>): ReadonlyArray<readonly [string, string, string, string]> =>
  sides.flatMap(({ calls, name, policy }) =>
    calls.flatMap((call) => {
      const { end = NaN } = call
      const attempts = call.attempts.map((attempt) => ({
        start: attempt.start,
        end: attempt.end ?? NaN,
        what: `attempt ${attempt.number}: ${Words.met(attempt)}`
      }))
      const waits = call.waits.map((wait) => ({
        start: wait.start,
        end: wait.start + wait.millis,
        what: `wait: ${Words.cause(wait)}${wait.budget === undefined ? "" : `, ${wait.budget} tokens left`}`
      }))
      const moment = (millis: number) => (Number.isNaN(millis) ? "–" : Words.time(millis))
      return [...attempts, ...waits, { start: end, end, what: `end: ${Words.ending(call, policy)}` }]
        .toSorted((a, b) => a.start - b.start)
        .map(({ end, start, what }) => [`${name}, call ${call.number}`, moment(start), moment(end), what] as const)
    })
  )

/** The same as a table. */
export const events = (sides: ReadonlyArray<Draw.Side>): HTMLElement =>
  table("Attempts, waits and ends of the calls above", ["policy and call", "from", "to", "what"], rows(sides))

/** The figures of both policies; latencies are those of some seeds. */
export const figures = (
  sides: ReadonlyArray<Draw.Side>,
  seeds: { readonly count: number; readonly sides: ReadonlyArray<Draw.Side> },
  until: number | undefined
): HTMLElement => {
  const all = sides.map(({ calls }) => Figures.of(calls, until))
  const row = (title: string, show: (figures: Figures.Figures) => string) => [title, ...all.map(show)]
  const sorted = seeds.sides.map(({ calls }) => ({ total: calls.length, latencies: Figures.latencies(calls) }))
  return table(
    "Policy A and policy B in figures",
    ["figure", "A", "B"],
    [
      row("calls that succeeded", ({ calls, succeeded }) => `${succeeded} of ${calls}`),
      row("attempts per call", ({ amplification }) => amplification.toFixed(2)),
      ...(until === undefined
        ? []
        : [
            row("recovery: from the end of the trouble to the last failure", ({ recovery = 0 }) => Words.time(recovery))
          ]),
      ...Figures.shares(Math.min(...sorted.map(({ total }) => total))).map((share) => [
        `${100 * share} % of the calls (p${100 * share}) succeeded within, ${seeds.count} seed${seeds.count === 1 ? "" : "s"}`,
        ...sorted.map(({ latencies, total }) => {
          const millis = Figures.percentile(latencies, share, total)
          return millis === undefined ? "not reached" : Words.time(millis)
        })
      ])
    ]
  )
}
