import * as Record from "effect/Record"
import { problemOf, type Field } from "./field.ts"
import * as Policy from "./policy.ts"
import { asks, kinds, scenarios, type Kind, type Scenario, type SideName } from "./scenario.ts"

/** The requests that a script says something about. */
export const rows = [1, 2, 3, 4, 5, 6, 7, 8]

const isIn = <Name extends string>(name: string, table: Readonly<Record<Name, unknown>>): name is Name =>
  Object.hasOwn(table, name)
export const kindOf = (name = ""): Kind => (isIn(name, kinds) ? name : "None")

const whole = { unit: "", min: 0, max: 3_600_000, whole: true }
const request = { options: Record.map(kinds, ([name]) => name) }

/** All that a visitor can choose, by the names that links have. */
export const fields: Readonly<Record<string, Field>> = {
  scenario: { label: "Scenario", options: Record.map(scenarios, ({ title }) => title) },
  calls: { ...whole, label: "Number of calls", min: 1, max: 1000 },
  seed: { ...whole, label: "Random seed", max: 999_999 },
  ask: { label: "Each call asks to", options: Record.fromIterableWith(asks, (ask) => [ask, ask]) },
  ...Record.fromIterableWith(rows, (row) => [`request${row}`, { ...request, label: `Request ${row}` }]),
  ...Record.fromIterableWith(rows, (row) => [`value${row}`, { ...whole, label: `Value ${row}` }]),
  ...Record.mapKeys(Policy.fields, (name) => `A.${name}`),
  ...Record.mapKeys(Policy.fields, (name) => `B.${name}`)
}

/** Texts of the controls, which may be invalid. */
export type Entries = Readonly<Record<string, string>>

const first = "lost-response"
const scenarioOf = (name: string): Scenario => scenarios[isIn(name, scenarios) ? name : first]

export const policyEntries = (side: string, policy: Policy.Policy): Entries =>
  Object.fromEntries(Object.entries(policy).map(([field, value]) => [`${side}.${field}`, String(value)]))

export const entriesOf = (name: string): Entries => {
  const { A, B, ask, calls, faults } = scenarioOf(name)
  const script = faults._tag === "Script" ? faults.faults : []
  return {
    scenario: name,
    calls: String(calls),
    seed: "1",
    ask,
    ...Record.fromIterableWith(rows, (row) => [`request${row}`, script[row - 1]?.[0] ?? "None"]),
    ...Record.fromIterableWith(rows, (row) => [`value${row}`, String(script[row - 1]?.[1] ?? 0)]),
    ...policyEntries("A", A),
    ...policyEntries("B", B)
  }
}

export const initial = entriesOf(first)

export const problemsOf = (entries: Entries): ReadonlyMap<string, string> => {
  const problems = new Map<string, string>()
  for (const [name, field] of Object.entries(fields)) {
    // a value has the bounds of its fault, and each deletion needs a key
    const [, own] = kinds[kindOf(name.startsWith("value") ? entries[name.replace("value", "request")] : "None")]
    const bounds = name === "calls" && entries["ask"] === "delete a key" ? { max: 5 } : own
    const problem = problemOf({ ...field, ...bounds }, entries[name] ?? "")
    if (problem !== undefined) problems.set(name, problem)
  }
  return problems
}

/** A policy of entries without problems. */
export const policyOf = (entries: Entries, side: SideName): Policy.Policy =>
  // the fields are those of a policy, and have been checked
  Record.map(Policy.fields, (field, name) => {
    const text = entries[`${side}.${name}`] ?? ""
    return "options" in field ? text : Number(text)
  }) as Policy.Policy

export type State = Scenario & { readonly name: string; readonly seed: number }

/** Of entries without problems. */
export const decode = (entries: Entries): State => {
  const { scenario: name = first } = entries
  const scenario = scenarioOf(name)
  const faults = rows.map((row) => [kindOf(entries[`request${row}`]), Number(entries[`value${row}`])] as const)
  const last = faults.findLastIndex(([kind]) => kind !== "None")
  return {
    ...scenario,
    name,
    calls: Number(entries["calls"]),
    seed: Number(entries["seed"]),
    ask: asks.find((ask) => ask === entries["ask"]) ?? scenario.ask,
    faults: name === "script" ? { _tag: "Script", faults: faults.slice(0, last + 1) } : scenario.faults,
    A: policyOf(entries, "A"),
    B: policyOf(entries, "B")
  }
}

/** Entries as the fragment of a URL: what differs from the scenario. */
export const toFragment = (entries: Entries): string => {
  const known: Entries = { ...entriesOf(entries["scenario"] ?? first), scenario: first }
  const changed = Object.entries(entries).filter(([name, text]) => text !== known[name])
  return changed.length === 0 ? "" : `#${new URLSearchParams(changed)}`
}

export const ofFragment = (fragment: string): { readonly entries: Entries; readonly problem?: string } => {
  const given = Object.fromEntries(new URLSearchParams(fragment.slice(1)))
  const entries = { ...entriesOf(given["scenario"] ?? first), ...given }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name))
  const [wrong] = problemsOf(entries)
  const problem = unknown !== undefined ? `it has no ${unknown}` : wrong && `${wrong[0]} must be ${wrong[1]}`
  return problem === undefined
    ? { entries }
    : { entries: initial, problem: `This link does not describe a state of the lab (${problem}).` }
}
