/** Markup and texts for the page: made in the worker, in tests, and while the site is built. */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Code from "./code.ts"
import * as Draw from "./draw.ts"
import type { Call } from "./calls.ts"
import { hour, page, time } from "./field.ts"
import * as Run from "./run.ts"
import { sideNames } from "./scenario.ts"
import type { State } from "./state.ts"
import * as Words from "./words.ts"

export const run = (state: State) =>
  Effect.all({ state: Effect.succeed(state), sides: Effect.forEach(sideNames, (name) => Run.run(state, name)) })
export type Shown = Effect.Success<ReturnType<typeof run>>

/** The first call that did not succeed, or else the first that needed a second attempt. */
const firstFailed = ({ sides }: Shown): Call | undefined => {
  const calls = sides.flatMap(({ calls }) => calls).toSorted((a, b) => a.number - b.number)
  return calls.find(({ ending }) => ending._tag !== "Succeeded") ?? calls.find(({ attempts }) => attempts.length > 1)
}

/** When the trouble of a scenario is, where it has an end. */
const troubleOf = ({ faults }: State): Draw.Span | undefined =>
  "trouble" in faults && faults.trouble.until > 0 && faults.trouble.until < hour ? faults.trouble : undefined

const figuresOf = ({ sides, state }: Shown) => {
  const until = troubleOf(state)?.until
  const cell = (millis: number | undefined) => (millis === undefined ? "–" : time(millis))
  const within = (share: number, calls: ReadonlyArray<Call>) =>
    calls
      .flatMap(({ end, ending, start }) => (ending._tag === "Succeeded" && end !== undefined ? [end - start] : []))
      .toSorted((a, b) => a - b)
      .at(Math.ceil(share * calls.length) - 1)
  const rows: Record.ReadonlyRecord<string, (calls: ReadonlyArray<Call>) => string> = {
    "calls that succeeded": (calls) =>
      `${calls.filter(({ ending }) => ending._tag === "Succeeded").length} of ${calls.length}`,
    "attempts per call": Words.perCall,
    "from the end of the trouble to the last failure": (calls) => {
      const failed = calls.flatMap(({ attempts }) => attempts.filter(({ error }) => error !== undefined))
      return cell(until && Math.max(0, ...failed.map(({ end = 0 }) => end - until)))
    },
    "50 % succeeded within": (calls) => cell(within(0.5, calls)),
    "90 % succeeded within": (calls) => cell(within(0.9, calls)),
    "99 % succeeded within": (calls) => cell(within(0.99, calls))
  }
  const body = Object.entries(rows).map(
    ([title, of]) =>
      `<tr><th scope="row">${title}</th>${sides.map(({ calls }) => `<td>${of(calls)}</td>`).join("")}</tr>`
  )
  return `<table><caption>Policy A and policy B in figures</caption><thead><tr><th scope="col">figure</th><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody>${body.join("")}</tbody></table>`
}

/** The timelines are those of the calls from an index on, or else of the first failure. */
export const of = (shown: Shown, width: number, from?: number) => {
  const { sides, state } = shown
  const failed = firstFailed(shown)
  const total = Math.max(...sides.map(({ calls }) => calls.length))
  const first = Math.max(0, Math.min(from ?? (failed?.number ?? 0) - 2, total - page))
  const visible = sides.map((side) => ({ ...side, calls: side.calls.slice(first, first + page) }))
  const pages = `calls ${first + 1} to ${Math.min(first + page, total)} of ${total}`
  const range = {
    from: Math.min(...visible.flatMap(({ calls }) => calls.map(({ start }) => start))),
    until: Math.max(...visible.map(({ calls }) => Draw.endOf(calls)))
  }
  const attempts = visible.flatMap(({ calls, name, policy }) =>
    calls.flatMap((call) => call.attempts.map((attempt) => ({ name, policy, call, attempt })))
  )
  const notes = sides.flatMap(({ name, notes }) =>
    notes
      // a scenario knows which of its faults one attempt does not meet
      .filter((note) => state.name === "script" || !note.includes("did not happen"))
      .map((note) => `Policy ${name}: ${note}`)
  )
  const given: Record.ReadonlyRecord<string, string> = {
    ...Record.fromIterableWith(sides, ({ name, policy }) => [`Code of policy ${name}`, Code.policy(policy)]),
    ...Record.fromIterableWith(sides, (side) => [`Test of policy ${side.name}`, Code.test(state, side)]),
    Picture: Draw.file(state.title, visible, range, total > 1 ? ` Shown: ${pages}.` : "")
  }
  const open = attempts.findIndex(({ call }) => call === failed)
  return {
    sides: visible.map((run) => ({ name: run.name, verdict: run.verdict, picture: Draw.timeline(run, range, width) })),
    notes: notes.join(" "),
    /** For each attempt of the pictures: a title, and sentences. */
    known: attempts.map(({ attempt, call, name, policy }) => [
      `What the client knew: policy ${name}, call ${call.number}, attempt ${attempt.number}`,
      ...Words.knowledge(call, attempt, policy)
    ]),
    /** The first attempt of the first call that failed. */
    open: Math.max(0, open),
    first,
    pages,
    figures: figuresOf(shown),
    /** Empty for a single call. */
    chart: total > 1 ? Draw.load(sides, troubleOf(state), width) : "",
    given
  }
}
export type Results = ReturnType<typeof of>
