import { describe, type Call, type Journal } from "./journal.ts"
import type { Plan } from "./plan.ts"

/** Looks through a run and tells what breaks the rule. The trace shows how it came about. */
export type Rule = (plan: Plan, journal: Journal) => Iterable<string>

/** A rule that looks at one call at a time. */
export const each = (rule: (call: Call, plan: Plan) => Iterable<string>): Rule =>
  function* (plan, { calls }) {
    for (const call of calls) {
      for (const message of rule(call, plan)) yield `call ${call.number} (${describe(call.ask)}): ${message}`
    }
  }
