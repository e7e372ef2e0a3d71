import * as Predicate from "effect/Predicate"
import { isSqlError } from "effect/sql/SqlError"

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

/** The SQLSTATE of an error of PostgreSQL (Appendix A of its documentation), wherever it is among the causes. */
export const sqlState = (error: unknown): string | undefined => {
  if (Predicate.hasProperty(error, "code") && /^[\dA-Z]{5}$/.test(String(error.code))) return String(error.code)
  return Predicate.hasProperty(error, "cause") ? sqlState(error.cause) : undefined
}

/**
 * Whether the server refused a statement that was no part of a transaction, so that it changed nothing: neither a lost
 * connection (class 08), nor an end that the server does not know (40003).
 */
export const isRefusedByServer = (error: unknown): boolean => {
  if (!isSqlError(error)) return false
  const state = sqlState(error.reason.cause)
  return state !== undefined && !state.startsWith("08") && state !== "40003"
}
