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

/** The outcome of all operations. */
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

/** The same for programs. */
export const json = (report: Report): string => Terminal.json({ ...report, rounds: counts(report) })

const escape = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // what XML does not have
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g, "?")

/** A suite for each operation with a case for each round, as CI reads it. */
export const junit = ({ failures, outcomes, unjudged }: Report): string => {
  const suites = outcomes.map(({ id, rounds }) => {
    const cases = Object.entries(rounds).map(([round, { failures }]) => {
      const inner = failures.map(
        (failure) =>
          `<failure message="${escape(`${titleOf(failure)}: ${failure.reason}`)}">${escape(exchangeOf(failure).join("\n"))}</failure>`
      )
      return `    <testcase classname="${escape(id)}" name="${escape(round)}">${inner.join("")}</testcase>\n`
    })
    for (const one of unjudged)
      if (one.id === id)
        cases.push(
          `    <testcase classname="${escape(id)}" name="${escape(titleOf(one))}"><skipped message="${escape(one.reason)}"/></testcase>\n`
        )
    const failed = Object.values(rounds).filter(({ failures }) => failures.length > 0).length
    return `  <testsuite name="${escape(id)}" tests="${cases.length}" failures="${failed}">\n${cases.join("")}  </testsuite>\n`
  })
  const ids = new Set(outcomes.map(({ id }) => id))
  const missing = failures.filter(({ round }) => round === "generated")
  const others = [
    ...missing.map(({ id, reason }) => [id, `<failure message="${escape(reason)}"/>`] as const),
    ...unjudged.flatMap(({ id, reason }) =>
      ids.has(id) ? [] : [[id, `<skipped message="${escape(reason)}"/>`] as const]
    )
  ].map(([id, inner]) => `    <testcase classname="${escape(id)}" name="generated">${inner}</testcase>\n`)
  const more =
    others.length === 0
      ? ""
      : `  <testsuite name="generated" tests="${others.length}" failures="${missing.length}">\n${others.join("")}  </testsuite>\n`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("")}${more}</testsuites>\n`
}
