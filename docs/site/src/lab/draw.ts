/** Pictures of runs as SVG: text, so that they are made in a worker, in a test and while the site is built. */
import type { Attempt, Call } from "./calls.ts"
import { nameOf, type Policy } from "./policy.ts"
import type { SideName } from "./scenario.ts"
import * as Words from "./words.ts"

/** What is drawn of one side of the comparison. */
export interface Side {
  readonly name: SideName
  readonly policy: Policy
  readonly calls: ReadonlyArray<Call>
}

/** Colours for light and dark: those of the page, or in a file those of the system. */
const colours = {
  success: "#1a7f4b,#4cc38a",
  failure: "#c4321c,#ff8a73",
  wait: "#6b6f76,#a5abb5",
  deadline: "#8a4fd0,#c7a3ff",
  on: "#fff,#14161a",
  a: "#1f5fbf,#8ab8ff",
  b: "#b35300,#ffb366",
  text: "#17181c,#f0f1f4",
  back: "#fff,#17181c"
}
const variables = Object.entries(colours).map(([name, both]) => `--lab-${name}:light-dark(${both})`)
/** The style of all that has the class `lab`. */
export const style = `svg:root{color-scheme:light dark}.lab{${variables.join(";")}}`

export const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

/** An element of SVG. */
const tag = (name: string, attributes: Readonly<Record<string, string | number>>, content = "") =>
  `<${name}${Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? Number(value.toFixed(2)) : escape(value)}"`)
    .join("")}>${content}</${name}>`
const text = (x: number, y: number, content: string, own: Readonly<Record<string, string>> = {}) =>
  tag("text", { x, y, fill: "currentColor", ...own }, escape(content))
const line = (x1: number, y1: number, x2: number, y2: number, own: Readonly<Record<string, string | number>>) =>
  tag("line", { x1, y1, x2, y2, ...own })

const picture = (width: number, height: number, own: Readonly<Record<string, string>>, content: string) =>
  tag("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-size": "12px", ...own }, content)

const colour = (name: string) => `var(--lab-${name.toLowerCase()})`
/** How the line of a wait is broken, by its cause. */
const dashes: Readonly<Record<string, string>> = { backoff: "2,3", hint: "8,4", pacing: "none", credentials: "1,6" }
const wait = (cause: string) => ({
  stroke: colour("wait"),
  "stroke-width": 3,
  "stroke-dasharray": dashes[cause] ?? "none"
})
const deadline = { stroke: colour("deadline"), "stroke-width": 2, "stroke-dasharray": "4,2" }

const across = (own: Readonly<Record<string, string | number>>) => line(0, 6, 28, 6, own)
/** What the lines of a timeline mean. */
export const legend: ReadonlyArray<readonly [text: string, sign: string]> = [
  ["✓ attempt that succeeded", across({ stroke: colour("success"), "stroke-width": 12 })],
  ["✗ attempt that failed", across({ stroke: colour("failure"), "stroke-width": 12 })],
  ["wait: backoff", across(wait("backoff"))],
  ["wait: the service asked for it", across(wait("hint"))],
  ["wait: pacing", across(wait("pacing"))],
  ["deadline of the call", line(14, 0, 14, 12, deadline)]
]

/** Round values from 0 to a most, about so many. */
const ticks = (from: number, to: number, count: number): ReadonlyArray<number> => {
  const least = (to - from) / count
  const power = 10 ** Math.floor(Math.log10(least))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10)
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(6))
  )
}

/** The axis of time below a picture: its grid, and its words. */
const time = (x: (millis: number) => number, from: number, to: number, top: number, bottom: number, label: string) =>
  ticks(from / 1000, to / 1000, x(to) < 500 ? 4 : 8)
    .map(
      (at) =>
        line(x(at * 1000), top, x(at * 1000), bottom, { stroke: "currentColor", opacity: 0.15 }) +
        text(x(at * 1000), bottom + 16, String(at), { "text-anchor": "middle" })
    )
    .join("") + text(x(to), bottom + 34, label, { "text-anchor": "end" })

const rowHeight = 46
/** The height of a timeline of so many calls. */
export const heightOf = (calls: number): number => rowHeight * calls + 42

/** When the last of some calls ended, or its last attempt began. */
export const endOf = (calls: ReadonlyArray<Call>): number =>
  calls.reduce((last, { attempts, end, start }) => Math.max(last, end ?? attempts.at(-1)?.start ?? start), 1)

/** Whether an attempt brought its call to a success, as a 404 can do that tells of a deletion. */
const succeeded = (call: Call, attempt: Attempt) => call.ending._tag === "Succeeded" && attempt === call.attempts.at(-1)

/** The timeline of some calls, one a row, between two moments. Its attempts are in the order of `attempts`. */
export const timeline = (
  { calls, name, policy }: Side,
  [from, until]: readonly [number, number],
  width: number
): string => {
  const x = (millis: number) => 8 + ((Math.min(millis, until) - from) / (until - from)) * (width - 16)
  const bottom = rowHeight * calls.length
  const rows = calls.map((call, index) => {
    const top = index * rowHeight
    const title = `${calls.length > 1 ? `${call.number}: ` : ""}${Words.ending(call, policy)}`
    // letters become smaller before words are cut
    const size = Math.min(12, Math.max(10, (12 * width) / 6.2 / title.length))
    const most = Math.floor((12 * width) / 6.2 / size)
    const over = call.start + policy.total
    return [
      text(8, top + 16, title.length > most ? `${title.slice(0, most - 1)}…` : title, {
        ...(size < 12 && { "font-size": `${size.toFixed(1)}px` })
      }),
      ...call.waits.map((one) => line(x(one.start), top + 33, x(one.start + one.millis), top + 33, wait(one.cause))),
      ...call.attempts.map((attempt) => {
        const left = x(attempt.start)
        // one that takes no time is still seen
        const long = Math.max(4, x(attempt.end ?? call.end ?? until) - left)
        const isGood = succeeded(call, attempt)
        const label = `Policy ${name}, call ${call.number}, attempt ${attempt.number}: ${Words.met(attempt)}`
        const bar = {
          x: left,
          y: top + 24,
          width: long,
          height: 18,
          rx: 2,
          fill: colour(isGood ? "success" : "failure")
        }
        const sign = { "text-anchor": "middle", fill: colour("on"), "pointer-events": "none" }
        return (
          tag("rect", { ...bar, role: "img", tabindex: -1, "aria-label": label }) +
          (long > 16 ? text(left + long / 2, top + 37, isGood ? "✓" : "✗", sign) : "")
        )
      }),
      over <= until ? line(x(over), top + 4, x(over), top + rowHeight, deadline) : ""
    ].join("")
  })
  const label = { role: "group", "aria-label": `Timeline of policy ${name}` }
  return picture(width, heightOf(calls.length), label, time(x, from, until, 0, bottom, "time in s →") + rows.join(""))
}

/** Attempts in each second of a run, and when the trouble was. */
export const load = (
  sides: ReadonlyArray<Side>,
  trouble: { readonly from: number; readonly until: number } | undefined,
  width: number
): string => {
  const [top, bottom, left, right] = [24, 180, 40, width - 16]
  const end = Math.max(...sides.map(({ calls }) => endOf(calls)))
  const span = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000].find((span) => end / span < 60) ?? 60_000
  const all = sides.map(({ calls, name }) => {
    const rates = Array.from({ length: Math.floor(end / span) + 1 }, () => 0)
    for (const { start } of calls.flatMap(({ attempts }) => attempts)) {
      const index = Math.floor(start / span)
      rates[index] = (rates[index] ?? 0) + 1000 / span
    }
    return { name, rates }
  })
  const most = Math.max(1, ...all.flatMap(({ rates }) => rates))
  const x = (millis: number) => left + (Math.min(millis, end) / end) * (right - left)
  const y = (rate: number) => bottom - (rate / most) * (bottom - top)
  const grid = ticks(0, most, 4).map(
    (at) =>
      line(left, y(at), right, y(at), { stroke: "currentColor", opacity: 0.15 }) +
      text(left - 6, y(at) + 4, String(at), { "text-anchor": "end" })
  )
  const steps = all.map(({ name, rates }) => {
    const d = rates.map(
      (rate, index) => `${index === 0 ? "M" : "H"}${x(index * span)} ${index === 0 ? "" : "V"}${y(rate)}`
    )
    const dashed = name === "B" && { "stroke-dasharray": "5,3" }
    return tag("path", {
      d: `${d.join("")}H${right}`,
      fill: "none",
      stroke: colour(name),
      "stroke-width": 2,
      ...dashed
    })
  })
  const troubled = { x: x(trouble?.from ?? 0), y: top, height: bottom - top, fill: colour("failure"), opacity: 0.15 }
  const content = [
    trouble === undefined ? "" : tag("rect", { ...troubled, width: x(trouble.until) - troubled.x }),
    text(4, 12, "↑ attempts per second"),
    ...grid,
    time(x, 0, end, top, bottom, "time in s →"),
    ...steps
  ]
  const label = { role: "img", "aria-label": "Load. The table of figures says the same." }
  const drawn = picture(width, 220, label, content.join(""))
  return `<figure><figcaption>Load: attempts per second. A is solid, B dashed; red is the trouble.</figcaption>${drawn}</figure>`
}

/** A file of timelines, with its title, what each shows, and the legend. */
export const file = (title: string, sides: ReadonlyArray<Side>, range: readonly [number, number]): string => {
  const width = 440
  let top = 28
  const parts = sides.flatMap((side) => {
    const heading = `${side.name}: ${nameOf(side.policy)}`
    const drawn = timeline(side, range, width).replace("<svg", `<svg y="${top + 10}"`)
    const part = text(8, top, heading, { "font-weight": "bold", fill: colour(side.name) }) + drawn
    top += heightOf(side.calls.length) + 24
    return [part]
  })
  const signs = legend.map(([words, sign], index) => {
    const place = `translate(${8 + (index % 2) * 210} ${top + Math.floor(index / 2) * 20 - 8})`
    return tag("g", { transform: place }, sign + text(36, 10, words))
  })
  const height = top + 56
  const own = {
    xmlns: "http://www.w3.org/2000/svg",
    class: "lab",
    role: "img",
    "aria-label": title,
    "font-family": "system-ui, sans-serif",
    style: "color:var(--lab-text)"
  }
  const all = [
    `<style>${style}</style>`,
    tag("rect", { width: "100%", height: "100%", fill: colour("back") }),
    text(8, 16, title, { "font-weight": "bold" }).replace("<text", '<text font-size="14"'),
    ...parts.map((part) => tag("g", { transform: "translate(0 14)" }, part)),
    ...signs.map((sign) => tag("g", { transform: "translate(0 14)" }, sign))
  ]
  return `${picture(width, height + 14, own, all.join("\n")).replaceAll(/ (?:tabindex|role)="(?:-1|group)"/g, "")}\n`
}
