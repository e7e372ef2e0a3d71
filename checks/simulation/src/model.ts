import * as ClientRules from "./clientRules.ts"
import type { Journal } from "./journal.ts"
import type { Plan } from "./plan.ts"
import * as ServiceRules from "./serviceRules.ts"

/** A rule that a run broke. */
export interface Violation {
  readonly rule: string
  readonly message: string
}

const rules = Object.entries({ ...ServiceRules.rules, ...ClientRules.rules })

/** What a run broke. */
export const check = (plan: Plan, journal: Journal): ReadonlyArray<Violation> =>
  rules.flatMap(([rule, look]) => Array.from(look(plan, journal), (message) => ({ rule, message })))

/** The names of the rules. */
export const names: ReadonlyArray<string> = rules.map(([name]) => name)
