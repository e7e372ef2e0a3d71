import { count, duration, type Kind, type Kinds } from "../OptionRules.ts"

export const countOrInfinity: Kind = [count[0], (value) => value === Infinity || count[1](value)]

export const deadline: Kinds = { attempt: duration, total: duration, stall: duration }

export const retry: Kinds = {
  attempts: countOrInfinity,
  base: duration,
  baseRateLimited: duration,
  cap: duration,
  maxHint: duration
}
