import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import { property } from "./property.ts"

/** The milliseconds of a duration. */
export const millis = (duration: Duration.Input): number =>
  typeof duration === "number" ? duration : Duration.toMillis(Duration.fromInputUnsafe(duration))

/** What an option has to be, and how it is recognised. */
type Kind = readonly [rule: string, isValid: (value: unknown) => boolean]

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 1
export const count: Kind = ["a whole number of at least 1", isCount]
const countOrInfinity: Kind = [count[0], (value) => value === Infinity || isCount(value)]
const tokens: Kind = ["a number of at least 0", (value) => Predicate.isNumber(value) && value >= 0]
const object: Kind = ["an object", Predicate.isObject]
export const text: Kind = ["a string", Predicate.isString]
export const callable: Kind = ["a function", Predicate.isFunction]
export const duration: Kind = [
  "a duration or number of at least 0",
  // not a number for anything else
  (value) => Number(Result.getOrUndefined(Result.try((): unknown => Reflect.apply(millis, undefined, [value])))) >= 0
]

/** Every option of a client; a module that a page may not use has its own. */
const kinds: Readonly<Record<string, Kind>> = {
  // what a URL and a key are, the client itself knows
  baseUrl: text,
  credentials: object,
  deadline: object,
  "deadline.attempt": duration,
  "deadline.total": duration,
  "deadline.stall": duration,
  retry: object,
  "retry.attempts": countOrInfinity,
  "retry.base": duration,
  "retry.baseRateLimited": duration,
  "retry.cap": duration,
  "retry.maxHint": duration,
  "retry.budget": object,
  "retry.budget.capacity": tokens,
  "retry.budget.retry": tokens,
  "retry.budget.timeout": tokens,
  "retry.budget.success": tokens,
  pacing: ["Pacing.adaptive or Pacing.fixed({ limit, window })", (value) => Effect.isEffect(property(value, "make"))],
  log: callable,
  metrics: callable,
  maxResponseBytes: countOrInfinity
}
const unknown: Kind = ["left out: unknown option", () => false]

const broken = ([rule, isValid]: Kind = unknown, value: unknown) => (isValid(value) ? undefined : rule)

/** What an option has to be, if it is not. Programs without types pass anything. */
export const ruleOf = (option: string, value: unknown): string | undefined => broken(kinds[option], value)

/** The options that are given. */
export const given = (options: object): Record<string, unknown> =>
  Record.filter({ ...options }, Predicate.isNotUndefined)

/** Throws for the first option of a group that is not what it has to be; `own` has the kinds of a module's options. */
export const check = (group: string, options: object, own?: Readonly<Record<string, Kind>>): void => {
  for (const [name, value] of Object.entries(options)) {
    const option = `${group}.${name}`
    const rule = broken(own === undefined ? kinds[option] : own[name], value)
    if (rule !== undefined) throw new RangeError(`${option} must be ${rule}`)
  }
}
