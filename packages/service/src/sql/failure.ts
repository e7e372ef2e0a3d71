import * as Predicate from "effect/Predicate"
import { isSqlError } from "effect/sql/SqlError"
import { codeOf } from "../frame/failure.ts"

/** Outside a transaction, so that nothing was changed: not a lost connection (class 08), nor an unknown end (40003). */
export const isRefusedByServer = (error: unknown): boolean => {
  const code = codeOf(error)
  return isSqlError(error) && Predicate.isString(code) && !code.startsWith("08") && code !== "40003"
}

/** PostgreSQL refuses by these classes of SQLSTATE, SQLite by SQLITE_CONSTRAINT. */
export const remedyOf = (error: unknown): string | undefined => {
  if (!isSqlError(error) || !/^(?:19|(?:0A|09|23|27|44|P0)...)$/.test(String(codeOf(error)))) return undefined
  const { cause } = error.reason
  return Predicate.hasProperty(cause, "constraint") && cause.constraint === "audit_records_pkey"
    ? // a logical replication, for example, leaves the sequence behind
      "Run in PostgreSQL, as the owner: SELECT setval(pg_get_serial_sequence('audit_records', 'id'), max(id)) FROM audit_records;"
    : "A constraint, a trigger or a rule in the database refuses it: remove it."
}
