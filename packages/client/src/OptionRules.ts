import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { orUndefined } from "./internal/property.ts"

// Checks of options, for what is built on the client, such as a transport or an API.

/** The milliseconds of a duration. */
export const millis = (duration: Duration.Input): number =>
  typeof duration === "number" ? duration : Duration.toMillis(duration)

/** The rule of an option, and its test. */
export type Kind = readonly [rule: string, isValid: (value: unknown) => boolean]

export const count: Kind = ["a whole number of at least 1", (value) => Number.isInteger(value) && Number(value) > 0]
export const object: Kind = ["an object", Predicate.isObject]
export const text: Kind = ["a string", Predicate.isString]
export const name: Kind = ["a string that is not empty", (value) => Predicate.isString(value) && value !== ""]
export const boolean: Kind = ["true or false", Predicate.isBoolean]
export const callable: Kind = ["a function", Predicate.isFunction]
/** At least 0 for a duration only. Effect takes objects without a number that it knows for no time at all. */
const length = (value: unknown) =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- programs without types pass anything
  Number(orUndefined(() => millis(value as Duration.Input) || (/":0|^\W?0/.test(JSON.stringify(value)) ? 0 : -1)))
export const duration: Kind = ["a duration or number of at least 0", (value) => length(value) >= 0]
export const finite: Kind = [
  "a finite duration of at least 0",
  (value) => length(value) >= 0 && length(value) < Infinity
]
/** A timer of Node without a delay would never end. */
export const time: Kind = ["a duration above 0", (value) => length(value) > 0]

export type Kinds = Readonly<Record<string, Kind>>

/** The rule that an option breaks, if it does. Programs without types pass anything. */
export const ruleOf = (kinds: Kinds, name: string, value: unknown): string | undefined => {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (kind === undefined) return `left out: unknown option, not ${Object.keys(kinds).join(", ")}`
  return kind[1](value) ? undefined : kind[0]
}

/** The options that are given. */
export function options<A extends object>(options: A): A
export function options(options: object): object {
  return Record.filter({ ...options }, Predicate.isNotUndefined)
}

/** Throws for the first option of a group that is not what it has to be. */
export const check = (group: string, options: object, kinds: Kinds): void => {
  for (const [name, value] of Object.entries(options)) {
    const rule = ruleOf(kinds, name, value)
    if (rule !== undefined) throw new RangeError(`${group}.${name} must be ${rule}`)
  }
}
