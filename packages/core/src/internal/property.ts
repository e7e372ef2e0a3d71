import * as Predicate from "effect/Predicate"

/** A property of what may be no object; `undefined` where there is none. */
export const property = (value: unknown, key: string): unknown =>
  Predicate.hasProperty(value, key) ? value[key] : undefined
