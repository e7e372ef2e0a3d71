import * as Predicate from "effect/Predicate"

/** The message of a failure's root cause, on one line: the words of a database, without the statement or a stack. */
export const rootCause = (error: unknown): string => {
  if (error instanceof AggregateError) return rootCause(error.errors[0]) // of a name with several addresses
  if (Predicate.hasProperty(error, "cause") && error.cause !== undefined) return rootCause(error.cause)
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ")
}

/**
 * The code that a database gives a failure, wherever it is among the causes: SQLite's primary result code
 * (sqlite.org/rescode.html), or PostgreSQL's SQLSTATE (Appendix A of its documentation), which has a digit, unlike `EPIPE`.
 */
export const codeOf = (error: unknown): number | string | undefined => {
  // an extended result code has the primary one in its lowest byte
  if (Predicate.hasProperty(error, "errcode") && typeof error.errcode === "number") return error.errcode & 0xff
  const state = Predicate.hasProperty(error, "code") ? String(error.code) : ""
  if (/^[\dA-Z]{5}$/.test(state) && /\d/.test(state)) return state
  return Predicate.hasProperty(error, "cause") ? codeOf(error.cause) : undefined
}

/**
 * Whether a failure of a database says that its content is damaged, so that only a backup helps: `SQLITE_CORRUPT`,
 * `SQLITE_NOTADB`, `data_corrupted` or `index_corrupted`.
 */
export const isCorrupt = (error: unknown): boolean => [11, 26, "XX001", "XX002"].includes(codeOf(error) ?? "")
