import type { PgConnection } from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { rootCause } from "../../frame/failure.ts"
import * as Tables from "../../sql/tables.ts"
import { Measures } from "../../frame/telemetry/measures.ts"
import { InvalidDatabase, pooler } from "./invalidDatabase.ts"
import { IsService } from "./isService.ts"
import { passwordOf } from "./scram.ts"

/** A pool, and what callers do who wait outside it for a connection of it. */
interface Pool extends PgPool.PgPool {
  readonly waiting: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const observed = (pool: PgPool.PgPool, { poolOpened }: Measures): Pool => {
  let waiting = 0
  /** How many statements and transactions use each connection: statements can share one. */
  const uses = new Map<PgConnection, number>()
  const take = (session: PgConnection) => void uses.set(session, (uses.get(session) ?? 0) + 1)
  const release = (session: PgConnection) => {
    const left = (uses.get(session) ?? 0) - 1
    if (left > 0) uses.set(session, left)
    else uses.delete(session)
  }
  const [used, queued] = [() => uses.size, () => waiting]
  poolOpened("postgresql", pool.config.maxConnections ?? 10, used, queued)

  const counted: Pool["waiting"] = (effect) =>
    Effect.suspend(() => {
      waiting++
      return Effect.onExitPrimitive(effect, () => void waiting--)
    })
  const checkedOut = (checkout: PgPool.PgPool["get"]): PgPool.PgPool["get"] =>
    Effect.uninterruptibleMask((restore) =>
      Effect.tap(
        Effect.acquireRelease(counted(restore(checkout)), (session) => Effect.sync(() => release(session))),
        (session) => Effect.sync(() => take(session))
      )
    )
  const get = checkedOut(pool.get)
  return {
    ...pool,
    waiting: counted,
    get,
    reserve: checkedOut(pool.reserve),
    use: (f) => Effect.scoped(Effect.flatMap(get, f))
  }
}

/** Whether the role can change or delete audit records: as the owner of the table, or of one that it has yet to make. */
const mayAlterRecords = `coalesce((
  SELECT pg_has_role(relowner, 'USAGE') OR has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE')
  FROM pg_class WHERE oid = to_regclass('audit_records')), true)`

/** Whether policies can hide rows from the role: their keys would be refused, and missing in an export. */
const hidesRows = `(
  SELECT bool_or(row_security_active(to_regclass(name)))
  FROM unnest('{${Tables.all.map(({ name }) => name).join()}}'::text[]) AS name)`

/** Asks at the start what would fail only under load, such as with a pooler, and what the role should not be able to do. */
export const check = Effect.fnUntraced(function* (
  pool: Pick<PgPool.PgPool, "get" | "reserve">,
  { maxConnections: most = 10, startupParameters = {} }: PgPool.Config
) {
  const session = yield* Effect.mapError(pool.get, (error) =>
    // the words of PgBouncer, which has no other language and no code for it
    rootCause(error).startsWith("unsupported startup parameter")
      ? new InvalidDatabase({
          message: `the pooler must have ignore_startup_parameters = ${Object.keys(startupParameters).join(", ")}`
        })
      : error
  )
  const [row] = yield* session.queryValues(
    `SELECT pg_backend_pid(),
      (SELECT rolconnlimit FROM pg_roles WHERE rolname = session_user AND NOT rolsuper), ${mayAlterRecords},
      current_setting('synchronous_commit') = 'off', ${hidesRows}`,
    [],
    false
  )
  const [pid, ofRole, mayAlter, isAsynchronous, isHiding] = row ?? []
  const limit = Number(ofRole ?? Infinity)
  const isService = yield* IsService
  const warnings = [
    limit >= 0 &&
      limit < most &&
      `the database's role may open only ${limit} connections, and each process up to ${most}: others fail; raise its CONNECTION LIMIT, or add pool_max_conns to the URL`,
    isService &&
      mayAlter === true &&
      "the database's role can change or delete audit records: let another role own the tables, and grant this one only SELECT and INSERT on audit_records",
    isService &&
      isAsynchronous === true &&
      "synchronous_commit is off: after a crash of the database server, keys that were deleted can work again; set it to on for this database",
    isHiding === true &&
      "row security is active for the database's role: what its policies hide does not exist for it, such as keys; disable it on the tables, or give the role BYPASSRLS"
  ]
  for (const warning of warnings) if (warning !== false) yield* Effect.logWarning(warning)
  if (pid === session.processId || most < 2) return
  const sessions = yield* Effect.replicateEffect(pool.reserve, 2)
  const [one, two] = yield* Effect.forEach(sessions, (held) => held.queryValues("SELECT pg_backend_pid()", [], false))
  if (one?.[0]?.[0] === two?.[0]?.[0]) return yield* new InvalidDatabase(pooler)
})

export const make = Effect.fnUntraced(function* (config: PgPool.Config) {
  const pool = yield* PgPool.make({ ...config, password: passwordOf(config) })
  const measures = yield* Measures
  return measures === undefined ? { ...pool, waiting: identity } : observed(pool, measures)
})
