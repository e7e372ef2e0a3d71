import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** The result; `undefined` where it throws. */
export const orUndefined = <A>(evaluate: () => A): A | undefined => Result.getOrUndefined(Result.try(evaluate))

/** A property of anything, whose getters can throw; `undefined` where there is none. */
export const property = (value: unknown, key: string): unknown =>
  orUndefined(() => (Predicate.hasProperty(value, key) ? value[key] : undefined))
