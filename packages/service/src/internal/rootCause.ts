import * as Predicate from "effect/Predicate"

/** The message of a failure's root cause, on one line: the words of a database, without the statement or a stack. */
export const rootCause = (error: unknown): string => {
  if (error instanceof AggregateError) return rootCause(error.errors[0]) // of a name with several addresses
  if (Predicate.hasProperty(error, "cause") && error.cause !== undefined) return rootCause(error.cause)
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ")
}
