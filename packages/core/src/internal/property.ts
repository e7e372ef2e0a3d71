import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** A property of anything, whose getters can throw; `undefined` where there is none. */
export const property = (value: unknown, key: string): unknown =>
  Result.getOrUndefined(Result.try(() => (Predicate.hasProperty(value, key) ? value[key] : undefined)))
