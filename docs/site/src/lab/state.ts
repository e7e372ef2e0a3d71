import * as Record from "effect/Record"
import { choice, problemOf, whole, type Field } from "./field.ts"
import * as Policy from "./policy.ts"
import { asks, kinds, scenarios, sideNames, type Kind, type Scenario, type ScenarioName } from "./scenario.ts"

/** The requests that a script says something about. */
export const rows = [1, 2, 3, 4, 5, 6, 7, 8]

const kind = choice(
  "Request",
  Record.map(kinds, ([name]) => name)
)
const scenario = choice(
  "Scenario",
  Record.map(scenarios, ({ title }) => title)
)

const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name)
/** What happens to a request, by its name; nothing for another name. */
export const kindOf = (name = ""): Kind => (isKind(name) ? name : "None")

/** All that a visitor can choose, by the names that links have. */
export const fields: Readonly<Record<string, Field>> = {
  scenario,
  calls: whole("Number of calls", 1, 1000),
  seed: whole("Random seed", 0, 999_999),
  ask: asks,
  ...Object.fromEntries(
    rows.flatMap((row) => [
      [`request${row}`, { ...kind, label: `Request ${row}` }],
      [`value${row}`, whole(`Value ${row}`, 0, 3_600_000)]
    ])
  ),
  ...Object.fromEntries(
    sideNames.flatMap((side) => Object.entries(Policy.fields).map(([name, field]) => [`${side}.${name}`, field]))
  )
}

/** What the controls say, as texts, which may be invalid. */
export type Entries = Readonly<Record<string, string>>

const isScenario = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name)

/** What the controls of a side say for a policy. */
export const policyEntries = (side: string, policy: Policy.Policy): Entries =>
  Object.fromEntries(Object.entries(policy).map(([field, value]) => [`${side}.${field}`, String(value)]))

/** What a scenario begins with. */
export const entriesOf = (name: string): Entries => {
  const { A, B, ask, calls, faults } = scenarios[isScenario(name) ? name : "lost-response"]
  const script = faults._tag === "Script" ? faults.faults : []
  return {
    scenario: name,
    calls: String(calls),
    seed: "1",
    ask,
    ...Object.fromEntries(
      rows.flatMap((row) => {
        const [kind, value] = script[row - 1] ?? ["None", 0]
        return [
          [`request${row}`, kind],
          [`value${row}`, String(value)]
        ]
      })
    ),
    ...policyEntries("A", A),
    ...policyEntries("B", B)
  }
}

export const initial = entriesOf("lost-response")

/** What is wrong with some entries, by field, in words. */
export const problemsOf = (entries: Entries): ReadonlyMap<string, string> => {
  const problems = new Map<string, string>()
  for (const [name, field] of Object.entries(fields)) {
    const problem = problemOf(field, entries[name] ?? "")
    if (problem !== undefined) problems.set(name, `Enter ${problem}.`)
  }
  for (const row of rows) {
    const [, unit, most] = kinds[kindOf(entries[`request${row}`])]
    const [least, value] = [unit === "status" ? 200 : 0, Number(entries[`value${row}`])]
    if (unit !== "" && (value < least || value > most))
      problems.set(`value${row}`, `Enter a whole number from ${least} to ${most}.`)
  }
  return problems
}

/** A policy of entries without problems. */
export const policyOf = (entries: Entries, side: string): Policy.Policy =>
  // the fields are those of a policy, and have been checked
  Record.map(Policy.fields, (field, name) => {
    const text = entries[`${side}.${name}`] ?? ""
    return "options" in field ? text : Number(text)
  }) as Policy.Policy

/** What entries without problems say. */
export const decode = (entries: Entries): Scenario & { readonly name: string; readonly seed: number } => {
  const name = entries["scenario"] ?? ""
  const scenario = scenarios[isScenario(name) ? name : "lost-response"]
  const faults = rows.map((row) => [kindOf(entries[`request${row}`]), Number(entries[`value${row}`])] as const)
  const last = faults.findLastIndex(([kind]) => kind !== "None")
  const ask = entries["ask"]
  return {
    ...scenario,
    name,
    calls: Number(entries["calls"]),
    seed: Number(entries["seed"]),
    ask: ask === "delete a key" || ask === "read an endpoint" ? ask : "list organizations",
    faults: name === "script" ? { _tag: "Script", faults: faults.slice(0, last + 1) } : scenario.faults,
    A: policyOf(entries, "A"),
    B: policyOf(entries, "B")
  }
}

/** Entries as the fragment of a URL: what differs from the scenario. */
export const toFragment = (entries: Entries): string => {
  const known = entriesOf(entries["scenario"] ?? "")
  const changed = Object.entries(entries).filter(
    ([name, text]) => text !== (name === "scenario" ? initial["scenario"] : known[name])
  )
  return changed.length === 0 ? "" : `#${new URLSearchParams(changed)}`
}

/** The entries of a fragment, or why it has none. An anchor of the page is none. */
export const ofFragment = (fragment: string): { readonly entries: Entries; readonly problem?: string } => {
  if (!/[=%]/.test(fragment)) return { entries: initial }
  const given = Object.fromEntries(new URLSearchParams(fragment.slice(1)))
  const entries = { ...entriesOf(given["scenario"] ?? "lost-response"), ...given }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name))
  const [wrong] = problemsOf(entries)
  const problem = unknown !== undefined ? `it has no ${unknown}` : wrong && `${wrong[0]}: ${wrong[1]}`
  return problem === undefined
    ? { entries }
    : { entries: initial, problem: `This link does not describe a state of the lab (${problem.replace(/\.$/, "")}).` }
}
