/** What the page shows of runs, as markup and texts: made in the worker, in tests, and while the site is built. */
import * as Code from "./code.ts"
import * as Draw from "./draw.ts"
import type { Call } from "./calls.ts"
import { hour, time } from "./field.ts"
import type { Run } from "./run.ts"
import { sideNames, type SideName } from "./scenario.ts"
import type * as State from "./state.ts"
import * as Words from "./words.ts"

/** Calls whose timelines are shown at once. */
export const page = 12

/** Both runs of a state. */
export interface Shown {
  readonly state: ReturnType<typeof State.decode>
  readonly sides: ReadonlyArray<Draw.Side & Run>
}

export interface Results {
  readonly verdicts: Readonly<Record<SideName, string>>
  readonly notes: string
  readonly pictures: Readonly<Record<SideName, string>>
  /** What the client knew at each attempt of the pictures: a title, and sentences. */
  readonly known: ReadonlyArray<ReadonlyArray<string>>
  /** The first failed attempt of the first call that failed. */
  readonly open: number
  readonly pages: { readonly first: number; readonly total: number }
  readonly figures: string
  /** Empty for a single call. */
  readonly chart: string
  /** What a visitor can take along, by its name. */
  readonly given: Readonly<Record<string, string>>
}

/** The number of the first call that a side did not bring to a success. */
const firstEnded = (sides: Shown["sides"]) => {
  const numbers = sides.flatMap(({ calls }) => calls.find(({ ending }) => ending._tag !== "Succeeded")?.number ?? [])
  return numbers.length === 0 ? undefined : Math.min(...numbers)
}

/** The same, or else the number of the first call that needed a second attempt. */
const firstFailed = (sides: Shown["sides"]): number =>
  firstEnded(sides) ??
  Math.min(...sides.flatMap(({ calls }) => calls.find(({ attempts }) => attempts.length > 1)?.number ?? []))

/** The index of the first call to show: the first that failed, with one before it. */
export const opening = ({ sides }: Shown): number => {
  const failed = firstFailed(sides)
  const total = sides[0]?.calls.length ?? 0
  return Number.isFinite(failed) ? Math.max(0, Math.min(failed - 2, total - page)) : 0
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
  `<table><caption>Policy A and policy B in figures</caption><thead><tr><th scope="col">figure</th><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody>${rows
    .map(
      ([first = "", ...cells]) =>
        `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`
    )
    .join("")}</tbody></table>`

/** When the trouble of a scenario is, where it has an end. */
const troubleOf = ({ faults }: Shown["state"]) => {
  const trouble = faults._tag === "Outage" ? faults.node : faults._tag === "Queue" ? faults.service : undefined
  return trouble !== undefined && trouble.until > 0 && trouble.until < hour ? trouble : undefined
}

const figuresOf = ({ sides, state }: Shown) => {
  const until = troubleOf(state)?.until
  const row = (title: string, of: (calls: ReadonlyArray<Call>) => string) => [
    title,
    ...sides.map(({ calls }) => of(calls))
  ]
  const latencies = sides.map(({ calls }) =>
    calls
      .flatMap(({ end, ending, start }) => (ending._tag === "Succeeded" && end !== undefined ? [end - start] : []))
      .sort((a, b) => a - b)
  )
  const total = state.calls
  return table([
    row(
      "calls that succeeded",
      (calls) => `${calls.filter(({ ending }) => ending._tag === "Succeeded").length} of ${total}`
    ),
    row("attempts per call", (calls) =>
      (calls.reduce((sum, { attempts }) => sum + attempts.length, 0) / total).toFixed(2)
    ),
    row("from the end of the trouble to the last failure", (calls) => {
      const failed = calls.flatMap(({ attempts }) => attempts.flatMap(({ end = 0, reason }) => (reason ? [end] : [])))
      return until === undefined ? "–" : time(failed.reduce((last, end) => Math.max(last, end - until), 0))
    }),
    ...[0.5, 0.9, 0.99].map((share) => [
      `${100 * share} % succeeded within`,
      ...latencies.map((sorted) => {
        const millis = sorted[Math.ceil(share * total) - 1]
        return millis === undefined ? "–" : time(millis)
      })
    ])
  ])
}

const record = <A>(of: (name: SideName, index: number) => A): Readonly<Record<SideName, A>> => ({
  A: of("A", 0),
  B: of("B", 1)
})

/** What is shown, with the timelines of the calls from `first` on, in pictures of some widths. */
export const of = (
  shown: Shown,
  first: number,
  width: { readonly timeline: number; readonly chart: number }
): Results => {
  const { sides, state } = shown
  const total = sides[0]?.calls.length ?? 0
  const visible = sides.map((side) => ({ ...side, calls: side.calls.slice(first, first + page) }))
  const range = [
    Math.min(...visible.flatMap(({ calls }) => calls.map(({ start }) => start))),
    Math.max(...visible.map(({ calls }) => Draw.endOf(calls)))
  ] as const
  const attempts = visible.flatMap(({ calls, name, policy }) =>
    calls.flatMap((call) => call.attempts.map((attempt) => ({ name, policy, call, attempt })))
  )
  const failed = firstFailed(sides)
  const open = attempts.findIndex(
    ({ attempt, call }) =>
      call.number === failed &&
      (call.ending._tag !== "Succeeded" || (firstEnded(sides) === undefined && attempt.reason !== undefined))
  )
  const notes = sides.flatMap(({ name, notes }) =>
    notes
      // the verdict says the one, and a scenario knows the other
      .filter((note) => !note.includes("under way") && (state.name === "script" || !note.includes("did not happen")))
      .map((note) => `Policy ${name}: ${note.replace(/(?<!\.)$/, ".")}`)
  )
  return {
    verdicts: record((_, index) => Words.verdict(sides[index]?.calls ?? [], state[sideNames[index] ?? "A"])),
    notes: notes.join(" "),
    pictures: record((_, index) => {
      const side = visible[index]
      return side === undefined ? "" : Draw.timeline(side, range, width.timeline)
    }),
    known: attempts.map(({ attempt, call, name, policy }) => [
      `What the client knew: policy ${name}, call ${call.number}, attempt ${attempt.number}`,
      ...Words.knowledge(call, attempt, policy)
    ]),
    open: Math.max(0, open),
    pages: { first, total },
    figures: figuresOf(shown),
    chart: total > 1 ? Draw.load(sides, troubleOf(state), width.chart) : "",
    given: {
      ...Object.fromEntries(sideNames.map((name) => [`Code of policy ${name}`, Code.policy(state[name])])),
      ...Object.fromEntries(
        sides.map(({ calls, name }) => [`Test of policy ${name}`, Code.test(state, state[name], state.seed, calls)])
      ),
      Picture: Draw.file(state.title, visible, range)
    }
  }
}
