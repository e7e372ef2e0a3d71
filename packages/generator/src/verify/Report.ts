import * as Count from "../Count.ts"
import * as Terminal from "../Terminal.ts"
import type * as Call from "./Call.ts"
import * as Round from "./Round.ts"

/** A call that failed, and what was sent and received. */
export interface Failure extends Partial<Call.Exchange> {
  readonly id: string
  readonly round: Round.Round | "generated"
  readonly note: string
  readonly reason: string
}

/** The outcome of one operation: the calls of each round, and those that failed. */
export interface Outcome {
  readonly id: string
  readonly rounds: Readonly<
    Partial<Record<Round.Round, { readonly calls: number; readonly failures: ReadonlyArray<Failure> }>>
  >
}

export interface Report {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly failures: ReadonlyArray<Failure>
  /** Calls for which no value was made, and why. */
  readonly unjudged: ReadonlyArray<Failure>
  readonly omitted: number
  /** Operations of the folder that the options leave out. */
  readonly excluded: number
}

/** How many operations pass each round, of those that have it. */
export const counts = ({ outcomes }: Report) =>
  Round.all.map((round) => {
    const all = outcomes.flatMap(({ rounds }) => rounds[round] ?? [])
    return {
      round,
      meaning: Round.meanings[round],
      operations: all.length,
      passing: all.filter(({ failures }) => failures.length === 0).length,
      calls: all.reduce((sum, { calls }) => sum + calls, 0)
    }
  })

const titleOf = ({ note, round }: Failure) => (note === "" ? round : `${round}, ${note}`)

const exchangeOf = ({ received, sent }: Failure): ReadonlyArray<string> =>
  sent === undefined || received === undefined ? [] : [`sent: ${sent}`, `received: ${received}`]

/** Calls of a round with the same reason as one: the first of their operations, and the first place. */
const together = (all: ReadonlyArray<Failure>): ReadonlyArray<Failure> =>
  [...Map.groupBy(all, ({ reason, round }) => `${round}: ${reason}`).values()].flatMap((same) => {
    const ids = [...new Set(same.map(({ id }) => id))]
    const id = [...ids.slice(0, 5), ...(ids.length > 5 ? [`${ids.length - 5} more`] : [])].join(", ")
    return same
      .slice(0, 1)
      .map((one) =>
        same.length === 1 ? one : { ...one, id, note: `${one.note} and ${same.length - 1} more`.trimStart() }
      )
  })

/** A table for people: rounds by operations, then each failure in a line. */
export const text = (report: Report): string => {
  const { excluded, failures, outcomes, omitted, unjudged } = report
  const width = Math.max(...outcomes.map(({ id }) => id.length), 9)
  const head = [`${"operation".padEnd(width)}  ${Round.all.join("  ")}\n`]
  const rows = outcomes.map(({ id, rounds }) => {
    const cells = Round.all.map((round) => {
      const found = rounds[round]
      const cell = found === undefined ? "-" : found.failures.length > 0 ? "FAILS" : "ok"
      return cell.padEnd(round.length)
    })
    return Terminal.line(`${id.padEnd(width)}  ${cells.join("  ").trimEnd()}`)
  })
  const sums = counts(report).map(
    ({ passing, calls, meaning, operations, round }) =>
      `${round.padEnd(12)} ${String(passing).padStart(5)} of ${Count.of(operations, "operation").padStart(16)}, ${Count.of(calls, "call")}: ${meaning}\n`
  )
  const lineOf = (failure: Failure, before = "") =>
    Terminal.line(`${before}${failure.id}: ${titleOf(failure)}: ${failure.reason}`)
  const lines = [
    ...together(unjudged).map((one) => lineOf(one, "not judged: ")),
    ...failures.flatMap((one) => [lineOf(one), ...exchangeOf(one).map((line) => Terminal.line(`  ${line}`))])
  ]
  const left = excluded === 0 ? "" : `, ${excluded} excluded`
  const doubtful = new Set(unjudged.map(({ id }) => id)).size
  const told = doubtful === 0 ? "" : ` in ${Count.of(doubtful, "operation")}`
  const end = `${Count.of(outcomes.length, "operation")} called, ${omitted} omitted, ${Count.of(failures.length, "failure")}, ${unjudged.length} not judged${told}${left}\n`
  return [...head, ...rows, "\n", ...sums, ...(lines.length > 0 ? ["\n", ...lines] : []), end].join("")
}

export const json = (report: Report): string => Terminal.json({ ...report, rounds: counts(report) })

const escape = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // what XML does not have
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g, "?")

const testcase = (id: string, name: string, inner: string) =>
  `    <testcase classname="${escape(id)}" name="${escape(name)}">${inner}</testcase>\n`

const skipped = ({ reason }: Failure) => `<skipped message="${escape(reason)}"/>`

const suite = (name: string, failures: number, cases: ReadonlyArray<string>) =>
  `  <testsuite name="${escape(name)}" tests="${cases.length}" failures="${failures}">\n${cases.join("")}  </testsuite>\n`

/** A suite for each operation with a case for each round, as CI reads it. */
export const junit = ({ failures, outcomes, unjudged }: Report): string => {
  const suites = outcomes.map(({ id, rounds }) => {
    const cases = Object.entries(rounds).map(([round, { failures }]) => {
      const inner = failures.map((one) => {
        const message = escape(`${titleOf(one)}: ${one.reason}`)
        return `<failure message="${message}">${escape(exchangeOf(one).join("\n"))}</failure>`
      })
      return testcase(id, round, inner.join(""))
    })
    const others = unjudged.flatMap((one) => (one.id === id ? [testcase(id, titleOf(one), skipped(one))] : []))
    const failed = Object.values(rounds).filter(({ failures }) => failures.length > 0)
    return suite(id, failed.length, [...cases, ...others])
  })
  const ids = new Set(outcomes.map(({ id }) => id))
  const missing = failures.filter(({ round }) => round === "generated")
  const others = [
    ...missing.map(({ id, reason }) => testcase(id, "generated", `<failure message="${escape(reason)}"/>`)),
    ...unjudged.flatMap((one) => (ids.has(one.id) ? [] : [testcase(one.id, "generated", skipped(one))]))
  ]
  const more = others.length === 0 ? "" : suite("generated", missing.length, others)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("")}${more}</testsuites>\n`
}
