/** Pictures of runs as SVG: text, so that they are made in a worker, in a test and while the site is built. */
import type { Call } from "./calls.ts"
import { nameOf } from "./policy.ts"
import type { Run } from "./run.ts"
import * as Words from "./words.ts"

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
export const style = `svg:root{color-scheme:light dark}.lab{${variables.join(";")}}`

type Attributes = Readonly<Record<string, string | number>>
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
const tag = (name: string, attributes: Attributes, content = "") =>
  `<${name}${Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? Number(value.toFixed(2)) : escape(value)}"`)
    .join("")}>${content}</${name}>`
const text = (x: number, y: number, content: string, own: Attributes = {}) =>
  tag("text", { x, y, fill: "currentColor", ...own }, escape(content))
const line = (x1: number, y1: number, x2: number, y2: number, own: Attributes) =>
  tag("line", { x1, y1, x2, y2, stroke: "currentColor", ...own })
const picture = (width: number, height: number, own: Attributes, content: string) =>
  tag("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-size": "12px", ...own }, content)

const colour = (name: string) => `var(--lab-${name.toLowerCase()})`
const dashes = { backoff: "2,3", hint: "8,4", pacing: "none", credentials: "1,6" }
const wait = (cause: keyof typeof dashes) => ({
  stroke: colour("wait"),
  "stroke-width": 3,
  "stroke-dasharray": dashes[cause]
})
const deadline = { stroke: colour("deadline"), "stroke-width": 2, "stroke-dasharray": "4,2" }
const grid = { opacity: 0.15 }
/** Keeps the lines of the grid off the letters. */
const halo = { stroke: colour("back"), "stroke-width": 4, "paint-order": "stroke" }

const waits = ["backoff", "hint", "pacing"] as const
const across = (own: Attributes) => line(0, 6, 28, 6, own)
export const legend: ReadonlyArray<readonly [text: string, sign: string]> = [
  ["✓ attempt that succeeded", across({ stroke: colour("success"), "stroke-width": 12 })],
  ["✗ attempt that failed", across({ stroke: colour("failure"), "stroke-width": 12 })],
  ...waits.map((cause) => [`wait: ${Words.causes[cause]}`, across(wait(cause))] as const),
  ["deadline of the call", line(14, 0, 14, 12, deadline)]
]

/** The next round number. */
const round = (least: number): number => {
  const power = 10 ** Math.floor(Math.log10(least))
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10)
}

/** Round values between two, at most so many. */
const ticks = (from: number, to: number, count: number): ReadonlyArray<number> => {
  const step = round((to - from) / count)
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(6))
  )
}

const time = (x: (millis: number) => number, from: number, to: number, top: number, bottom: number) =>
  ticks(from / 1000, to / 1000, x(to) < 500 ? 4 : 8)
    .map((at) => {
      const place = x(at * 1000)
      return line(place, top, place, bottom, grid) + text(place, bottom + 16, `${at}`, { "text-anchor": "middle" })
    })
    .join("") + text(x(to), bottom + 34, "time in s →", { "text-anchor": "end" })

/** When the last of some calls ended, or its last attempt began. */
export const endOf = (calls: ReadonlyArray<Call>): number =>
  calls.reduce((last, { attempts, end, start }) => Math.max(last, end ?? attempts.at(-1)?.start ?? start), 1)

const rowHeight = 46
const heightOf = (calls: ReadonlyArray<Call>): number => rowHeight * calls.length + 42

export interface Span {
  readonly from: number
  readonly until: number
}

/** Its attempts are in the order of `attempts`. */
export const timeline = ({ calls, name, policy }: Run, { from, until }: Span, width: number): string => {
  const x = (millis: number) => 8 + ((Math.min(millis, until) - from) / (until - from)) * (width - 16)
  const rows = calls.map((call, index) => {
    const top = index * rowHeight
    const title = `${calls.length > 1 ? `${call.number}: ` : ""}${Words.ending(call, policy)}`
    // letters become smaller before words are cut
    const size = Math.min(12, Math.max(10, (12 * width) / 6.2 / title.length))
    const most = Math.floor((12 * width) / 6.2 / size)
    const words = title.length > most ? `${title.slice(0, most - 1)}…` : title
    const over = call.start + policy.total
    return [
      text(8, top + 16, words, { "font-size": size, ...halo }),
      ...call.waits.map((one) => line(x(one.start), top + 33, x(one.start + one.millis), top + 33, wait(one.cause))),
      ...call.attempts.map((attempt) => {
        const left = x(attempt.start)
        // one that takes no time is still seen
        const width = Math.max(4, x(attempt.end ?? call.end ?? until) - left)
        // a 404 that shows a deletion is an error too
        const isGood = call.ending._tag === "Succeeded" && attempt === call.attempts.at(-1)
        const label = `Policy ${name}, call ${call.number}, attempt ${attempt.number}: ${Words.met(attempt)}`
        const fill = colour(isGood ? "success" : "failure")
        const sign = { "text-anchor": "middle", fill: colour("on"), "pointer-events": "none" }
        return (
          tag("rect", { x: left, y: top + 24, width, height: 18, rx: 2, fill, role: "img", "aria-label": label }) +
          (width > 16 ? text(left + width / 2, top + 37, isGood ? "✓" : "✗", sign) : "")
        )
      }),
      over <= until ? line(x(over), top + 4, x(over), top + rowHeight, deadline) : ""
    ].join("")
  })
  const label = { role: "group", "aria-label": `Timeline of policy ${name}` }
  const axis = time(x, from, until, 0, rowHeight * calls.length)
  return picture(width, heightOf(calls), label, axis + rows.join(""))
}

export const load = (sides: ReadonlyArray<Run>, trouble: Span | undefined, width: number): string => {
  const [top, bottom, left, right] = [24, 180, 40, width - 16]
  const end = Math.max(...sides.map(({ calls }) => endOf(calls)))
  const span = round(end / 60)
  const rates = sides.map(({ calls }) => {
    const attempts = calls.flatMap(({ attempts }) => attempts)
    const begun = Map.groupBy(attempts, ({ start }) => Math.floor(start / span))
    return Array.from({ length: end / span + 1 }, (_, index) => ((begun.get(index)?.length ?? 0) * 1000) / span)
  })
  const most = Math.max(1, ...rates.flat())
  const x = (millis: number) => left + (Math.min(millis, end) / end) * (right - left)
  const y = (rate: number) => bottom - (rate / most) * (bottom - top)
  const lines = sides.map(({ name }, side) => {
    const steps = rates[side]?.map((rate, index) => `H${x(index * span)}V${y(rate)}`) ?? []
    const d = `M${left} ${bottom}${steps.join("")}H${right}`
    const dash = name === "B" ? "5,3" : "none"
    return tag("path", { d, fill: "none", stroke: colour(name), "stroke-width": 2, "stroke-dasharray": dash })
  })
  const [from, until] = [x(trouble?.from ?? 0), x(trouble?.until ?? 0)]
  const content = [
    tag("rect", { x: from, y: top, width: until - from, height: bottom - top, fill: colour("failure"), ...grid }),
    text(4, 12, "↑ attempts per second"),
    ...ticks(0, most, 4).map(
      (at) => line(left, y(at), right, y(at), grid) + text(left - 6, y(at) + 4, `${at}`, { "text-anchor": "end" })
    ),
    time(x, 0, end, top, bottom),
    ...lines
  ]
  const label = { role: "img", "aria-label": "Load. The table of figures says the same." }
  const drawn = picture(width, 220, label, content.join(""))
  return `<figure><figcaption>Load: attempts per second. A is solid, B dashed; red is the trouble.</figcaption>${drawn}</figure>`
}

export const file = (title: string, sides: ReadonlyArray<Run>, range: Span, shown: string): string => {
  const width = 440
  const verdicts = sides.map(({ verdict }) => `${verdict}${shown}`.match(/.{1,66}(?: |$)/g) ?? [])
  const head = 16 * Math.max(...verdicts.map(({ length }) => length))
  const part = 24 + head + Math.max(...sides.map(({ calls }) => heightOf(calls)))
  const foot = 34 + sides.length * part
  const at = (x: number, y: number, content: string) => tag("g", { transform: `translate(${x} ${y})` }, content)
  const bold = { "font-weight": "bold" }
  const own = {
    xmlns: "http://www.w3.org/2000/svg",
    class: "lab",
    role: "img",
    "aria-label": title,
    "font-family": "system-ui, sans-serif",
    style: "color:var(--lab-text)"
  }
  const content = [
    `<style>${style}</style>`,
    tag("rect", { width: "100%", height: "100%", fill: colour("back") }),
    text(8, 16, title, { ...bold, "font-size": 14 }),
    ...sides.map((side, index) => {
      const heading = text(8, -10, `${side.name}: ${nameOf(side.policy)}`, { ...bold, fill: colour(side.name) })
      const words = verdicts[index]?.map((words, row) => text(8, 6 + 16 * row, words)).join("") ?? ""
      return at(0, 52 + index * part, heading + words + at(0, head, timeline(side, range, width)))
    }),
    ...legend.map(([words, sign], index) =>
      at(8 + (index % 2) * 210, foot + Math.floor(index / 2) * 20, sign + text(36, 10, words))
    )
  ]
  return `${picture(width, foot + 64, own, content.join("\n"))}\n`
}
