import * as Predicate from "effect/Predicate"

/** The message of a failure's root cause, on one line: the words of a database, without the statement or a stack. */
export const rootCause = (error: unknown): string => {
  if (error instanceof AggregateError) return rootCause(error.errors[0]) // of a name with several addresses
  if (Predicate.hasProperty(error, "cause") && error.cause !== undefined) return rootCause(error.cause)
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ")
}

/**
 * Whether a failure of a database says that its content is damaged: SQLite by its result codes `SQLITE_CORRUPT` and
 * `SQLITE_NOTADB` (sqlite.org/rescode.html), PostgreSQL by `data_corrupted` and `index_corrupted` (Appendix A of its
 * documentation). Only a backup helps then.
 */
export const isCorrupt = (error: unknown): boolean => {
  // an extended result code has the primary one in its lowest byte
  if (Predicate.hasProperty(error, "errcode") && typeof error.errcode === "number") {
    return [11, 26].includes(error.errcode & 0xff)
  }
  if (Predicate.hasProperty(error, "code") && (error.code === "XX001" || error.code === "XX002")) return true
  return Predicate.hasProperty(error, "cause") && isCorrupt(error.cause)
}
