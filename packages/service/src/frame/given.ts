import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** What an option has to be, and how it is recognised. Programs without types pass anything. */
export type Kind = readonly [rule: string, isValid: (value: unknown) => boolean]

const toMillis = (duration: Duration.Input) => Duration.toMillis(Duration.fromInputUnsafe(duration))
/** Milliseconds; not a number for what is not a duration. */
const millis = (value: unknown): number =>
  Number(Result.getOrUndefined(Result.try((): unknown => Reflect.apply(toMillis, undefined, [value]))))

export const text: Kind = ["a string that is not empty", (value) => Predicate.isString(value) && value !== ""]
export const boolean: Kind = ["true or false", Predicate.isBoolean]
export const callable: Kind = ["a function", Predicate.isFunction]
export const object: Kind = ["an object", Predicate.isObject]
export const count: Kind = [
  "a whole number of at least 1",
  (value) => Number.isSafeInteger(value) && Number(value) >= 1
]
export const duration: Kind = ["a duration of at least 0", (value) => millis(value) >= 0]
/** A timer of Node without a delay would never end. */
export const time: Kind = ["a duration above 0", (value) => millis(value) > 0]

/** Throws for the first option of a group that is not what it has to be, and for a name that is not an option. */
export const check = (group: string, options: unknown, kinds: Readonly<Record<string, Kind>>): void => {
  if (!Predicate.isObject(options)) throw new RangeError(`${group} must be an object`)
  for (const [name, value] of Object.entries(options)) {
    const [rule, isValid] = (Object.hasOwn(kinds, name) && kinds[name]) || ["left out: unknown option", () => false]
    if (!isValid(value)) throw new RangeError(`${group}.${name} must be ${rule}`)
  }
}

/** The options that are given. */
export const given = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
