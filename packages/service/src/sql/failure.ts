import * as Predicate from "effect/Predicate"
import { isSqlError } from "effect/sql/SqlError"

/** The SQLSTATE of an error of PostgreSQL (Appendix A of its documentation), wherever it is among the causes. */
export const sqlState = (error: unknown): string | undefined => {
  if (Predicate.hasProperty(error, "code") && /^[\dA-Z]{5}$/.test(String(error.code))) return String(error.code)
  return Predicate.hasProperty(error, "cause") ? sqlState(error.cause) : undefined
}

/** Outside a transaction, so that nothing was changed: not a lost connection (class 08), nor an unknown end (40003). */
export const isRefusedByServer = (error: unknown): boolean => {
  if (!isSqlError(error)) return false
  const state = sqlState(error.reason.cause)
  return state !== undefined && !state.startsWith("08") && state !== "40003"
}

/** PostgreSQL refuses by these classes of SQLSTATE, SQLite by SQLITE_CONSTRAINT (sqlite.org/rescode.html). */
export const remedyOf = (error: unknown): string | undefined => {
  if (!isSqlError(error)) return undefined
  const { cause } = error.reason
  const isConstraint = Predicate.hasProperty(cause, "errcode") && (Number(cause.errcode) & 0xff) === 19
  if (!isConstraint && !/^(?:0A|09|23|27|44|P0)/.test(sqlState(cause) ?? "")) return undefined
  return Predicate.hasProperty(cause, "constraint") && cause.constraint === "audit_records_pkey"
    ? // a logical replication, for example, leaves the sequence behind
      "Run in PostgreSQL, as the owner: SELECT setval(pg_get_serial_sequence('audit_records', 'id'), max(id)) FROM audit_records;"
    : "A constraint, a trigger or a rule in the database refuses it: remove it."
}
