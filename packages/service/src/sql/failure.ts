import * as Predicate from "effect/Predicate"
import { isSqlError } from "effect/sql/SqlError"

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
