import type * as PlotModule from "@observablehq/plot"
import type { Attempt, Call } from "./calls.ts"
import * as Figures from "./figures.ts"
import type { Policy } from "./policy.ts"
import type { sideNames } from "./scenario.ts"
import { element } from "../element.ts"
import * as Words from "./words.ts"

type Plot = typeof PlotModule

/** Colours of the page, which follow its theme. */
export const colour = {
  success: "var(--lab-success)",
  failure: "var(--lab-failure)",
  wait: "var(--lab-wait)",
  deadline: "var(--lab-deadline)",
  A: "var(--lab-a)",
  B: "var(--lab-b)"
} as const

/** What is drawn of one side of the comparison. */
export interface Side {
  readonly name: (typeof sideNames)[number]
  readonly policy: Policy
  readonly calls: ReadonlyArray<Call>
}

const style = { background: "transparent", color: "currentColor", fontSize: "12px", overflow: "visible" }
const seconds = (millis: number) => millis / 1000

/** How the line of a wait is broken, by its cause. */
export const dashes = { backoff: "2,3", hint: "8,4", pacing: "none", credentials: "1,6" }

/** Whether an attempt brought its call to a success, as a 404 can do that tells of a deletion. */
const succeeded = ({ attempt, call }: { readonly attempt: Attempt; readonly call: Call }) =>
  call.ending._tag === "Succeeded" && attempt === call.attempts.at(-1)

/** When the last of some calls ended, or its last attempt began. */
export const endOf = (calls: ReadonlyArray<Call>): number =>
  calls.reduce((last, { attempts, end, start }) => Math.max(last, end ?? attempts.at(-1)?.start ?? start), 1)

/** Gives a picture the role in which its name is read; its groups cannot have names without one. */
const named = (drawn: Element, role: string) => {
  for (const group of drawn.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label")
  drawn.setAttribute("role", role)
}

/**
 * The timeline of some calls, one a row, up to `until` milliseconds. `onShow` gets the attempt that is under the pointer or has
 * the focus; arrow keys go from one to the next.
 */
export const timeline = (
  plot: Plot,
  { calls, name, policy }: Side,
  [from, until]: readonly [number, number],
  width: number,
  onShow: (call: Call, attempt: Attempt) => void
): Element => {
  const attempts = calls.flatMap((call) => call.attempts.map((attempt) => ({ call, attempt })))
  const waits = calls.flatMap((call) => call.waits.map((wait) => ({ call, wait })))
  const row = ({ call }: { readonly call: Call }) => call.number
  const endOfAttempt = ({ call, attempt }: (typeof attempts)[number]) => attempt.end ?? call.end ?? until
  // a bar that takes no time is still seen
  const least = (until - from) * 0.006
  const drawn = plot.plot({
    ariaLabel: `Timeline of policy ${name}. The table below has the same information.`,
    width,
    height: 46 * calls.length + 50,
    marginLeft: 16,
    marginRight: 16,
    marginBottom: 40,
    marginTop: 4,
    style,
    x: {
      label: "time in s →",
      labelOffset: 38,
      domain: [seconds(from), seconds(until)],
      grid: true,
      ticks: width < 500 ? 4 : 8
    },
    y: { axis: null, domain: calls.map(({ number }) => number), padding: 0 },
    marks: [
      ...Object.entries(dashes).map(([cause, strokeDasharray]) =>
        plot.link(
          waits.filter(({ wait }) => wait.cause === cause),
          {
            x1: ({ wait }) => seconds(wait.start),
            x2: ({ wait }) => seconds(wait.start + wait.millis),
            y1: row,
            y2: row,
            dy: 10,
            stroke: colour.wait,
            strokeWidth: 3,
            strokeDasharray
          }
        )
      ),
      plot.barX(attempts, {
        className: "lab-attempts",
        x1: ({ attempt }) => seconds(attempt.start),
        x2: (one) => seconds(Math.max(endOfAttempt(one), one.attempt.start + least)),
        y: row,
        fill: (one) => (succeeded(one) ? colour.success : colour.failure),
        insetTop: 24,
        insetBottom: 4,
        rx: 2
      }),
      plot.text(
        attempts.filter((one) => ((endOfAttempt(one) - one.attempt.start) / (until - from)) * width > 16),
        {
          x: (one) => seconds((one.attempt.start + endOfAttempt(one)) / 2),
          y: row,
          dy: 10,
          text: (one) => (succeeded(one) ? "✓" : "✗"),
          fill: "var(--lab-on)",
          pointerEvents: "none"
        }
      ),
      plot.ruleX(
        calls.filter(({ start }) => start + policy.deadline.total <= until),
        {
          x: ({ start }) => seconds(start + policy.deadline.total),
          y: ({ number }) => number,
          stroke: colour.deadline,
          strokeWidth: 2,
          strokeDasharray: "4,2"
        }
      ),
      plot.text(calls, {
        frameAnchor: "left",
        y: ({ number }) => number,
        dy: -10,
        text: (call) => `${calls.length > 1 ? `${call.number}: ` : ""}${Words.ending(call, policy)}`,
        fill: "currentColor",
        lineWidth: width / 12,
        textOverflow: "ellipsis"
      })
    ]
  })
  named(drawn, "group")
  const bars = [...drawn.querySelectorAll<SVGRectElement>(".lab-attempts rect")]
  for (const [index, bar] of bars.entries()) {
    const one = attempts[index]
    if (one === undefined) continue
    const show = () => onShow(one.call, one.attempt)
    bar.setAttribute("role", "img")
    bar.setAttribute("aria-label", `Call ${one.call.number}, attempt ${one.attempt.number}: ${Words.met(one.attempt)}`)
    bar.setAttribute("tabindex", index === 0 ? "0" : "-1")
    bar.addEventListener("focus", show)
    bar.addEventListener("pointerenter", show)
    bar.addEventListener("keydown", ({ key }) => {
      const next = bars[index + (key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0)]
      if (next === undefined || next === bar) return
      bar.setAttribute("tabindex", "-1")
      next.setAttribute("tabindex", "0")
      next.focus()
    })
  }
  return drawn
}

/** A chart, in the frame of all charts. */
const chart = (plot: Plot, caption: string, { x, y, ...own }: PlotModule.PlotOptions): Element => {
  const drawn = plot.plot({
    ariaLabel: `${caption} The table of figures says the same.`,
    height: 220,
    marginLeft: 44,
    marginRight: 32,
    marginBottom: 40,
    style,
    x: { labelOffset: 38, ...x },
    y: { grid: true, ...y },
    ...own
  })
  named(drawn, "img")
  return element("figure", {}, element("figcaption", {}, caption), drawn)
}

/** The steps of a side: A is solid, B dashed. */
const steps = (plot: Plot, name: Side["name"], points: ReadonlyArray<{ readonly x: number; readonly y: number }>) =>
  plot.lineY(points, {
    x: "x",
    y: "y",
    curve: "step-after",
    stroke: colour[name],
    strokeWidth: 2,
    ...(name === "B" && { strokeDasharray: "5,3" })
  })

/** Calls begun and attempts sent in each second, and when the trouble was. */
export const load = (
  plot: Plot,
  sides: ReadonlyArray<Side>,
  trouble: { readonly from: number; readonly until: number } | undefined,
  width: number
): Element => {
  const end = Math.max(...sides.map(({ calls }) => endOf(calls)))
  const span = [100, 200, 500, 1000, 2000, 5000, 10_000].find((span) => end / span < 60) ?? 30_000
  const rate = (moments: ReadonlyArray<{ readonly start: number }>) =>
    Array.from({ length: Math.floor(end / span) + 1 }, (_, index) => ({
      x: seconds(index * span),
      y: moments.filter(({ start }) => Math.floor(start / span) === index).length / seconds(span)
    }))
  return chart(plot, "Load: attempts per second. A is solid, B dashed; the area is calls that begin.", {
    width,
    x: { label: "time in s →", domain: [0, seconds(end)] },
    y: { label: "↑ attempts per second", zero: true },
    marks: [
      plot.rectX(trouble === undefined ? [] : [trouble], {
        x1: ({ from }) => seconds(from),
        x2: ({ until }) => seconds(until),
        fill: colour.failure,
        fillOpacity: 0.15
      }),
      plot.areaY(rate(sides[0]?.calls ?? []), {
        x: "x",
        y: "y",
        curve: "step-after",
        fill: "currentColor",
        fillOpacity: 0.15
      }),
      ...sides.map(({ calls, name }) => steps(plot, name, rate(calls.flatMap(({ attempts }) => attempts))))
    ]
  })
}

/** The share of calls that had succeeded after some time, over the calls of so many seeds, with some percentiles. */
export const success = (
  plot: Plot,
  { count, sides }: { readonly count: number; readonly sides: ReadonlyArray<Side> },
  width: number
): Element => {
  const curves = sides.map(({ calls, name }) => {
    const sorted = Figures.latencies(calls)
    const step = Math.max(1, Math.floor(sorted.length / 200))
    const points = sorted.flatMap((millis, index) =>
      index % step === 0 || index === sorted.length - 1
        ? [{ x: seconds(millis), y: (100 * (index + 1)) / calls.length }]
        : []
    )
    const marked = Figures.shares(calls.length).flatMap((share) => {
      const millis = Figures.percentile(sorted, share, calls.length)
      return millis === undefined ? [] : [{ x: seconds(millis), y: 100 * share, text: `p${100 * share}` }]
    })
    return { name, points, marked }
  })
  const last = Math.max(0.001, ...curves.flatMap(({ points }) => points.map(({ x }) => x)))
  return chart(plot, `Success over time, ${count} seed${count === 1 ? "" : "s"}. A is solid, B dashed.`, {
    width,
    x: { label: "time since the call began, in s →", domain: [0, last] },
    y: { label: "↑ % of calls that succeeded", domain: [0, 100] },
    marks: curves.flatMap(({ marked, name, points }) => [
      steps(plot, name, [{ x: 0, y: 0 }, ...points, { x: last, y: points.at(-1)?.y ?? 0 }]),
      plot.dot(marked, { x: "x", y: "y", fill: colour[name], r: 4 }),
      plot.text(marked, {
        x: "x",
        y: "y",
        text: "text",
        dx: 6,
        dy: name === "A" ? -8 : 10,
        textAnchor: "start",
        fill: colour[name]
      })
    ])
  })
}

/** Pictures, one below the other, as a file of its own: with their colours in it, whatever page it is shown in. */
export const toSvg = (drawn: ReadonlyArray<Element>): string => {
  const style = getComputedStyle(drawn[0] ?? document.body)
  let top = 0
  const parts = drawn.map((svg) => {
    const part = `<g transform="translate(0 ${top})">${new XMLSerializer().serializeToString(svg)}</g>`
    top += svg.clientHeight
    return part
  })
  const size = `width="${Math.max(...drawn.map((svg) => svg.clientWidth))}" height="${top}"`
  const { backgroundColor } = getComputedStyle(document.body)
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} color="${style.color}"><rect width="100%" height="100%" fill="${backgroundColor}"/>${parts.join("")}</svg>\n`
    .replaceAll(/<style>[^]*?<\/style>| tabindex="[^"]*"/g, "")
    .replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name))
}
