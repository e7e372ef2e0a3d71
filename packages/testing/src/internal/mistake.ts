/** A mistake of a test itself, and not of the service that it plays. */
import type * as Operation from "@cloud-management/client/Operation"
import * as Predicate from "effect/Predicate"
import { isError } from "./foreign.ts"

/**
 * An error that a client passes on as it is when `fetch` throws it: neither a lost response nor tried again. It knows
 * those of frameworks by their `digest`.
 */
export const of = (error: unknown): Error => {
  const own = isError(error) && Object.isExtensible(error) ? error : new Error(String(error), { cause: error })
  return Predicate.hasProperty(own, "digest")
    ? own
    : Object.defineProperty(own, "digest", { value: "a mistake of the test" })
}

/** An operation; a program in JavaScript can name one that is not there. */
export const given = <O extends Operation.Any>(operation: O): O => {
  if (Predicate.hasProperty(operation, "group")) return operation
  throw new TypeError("no operation was given: index.ts has the names of those that were generated")
}
