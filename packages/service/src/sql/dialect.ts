import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { codeOf, rootCause } from "../frame/failure.ts"
import { isRefusedByServer, remedyOf } from "./failure.ts"
import { StoreUnavailable } from "../frame/KeyStore.ts"
import { ClocksDiffer } from "./skew.ts"

type Failure = SqlError | Cause.TimeoutError | ClocksDiffer

const isFailure = (error: unknown): error is Failure =>
  isSqlError(error) || Cause.isTimeoutError(error) || error instanceof ClocksDiffer

/** A rollback that failed too makes a defect of the failure. A row that does not decode stays a defect. */
export const orUnavailable = <A, E>(
  effect: Effect.Effect<A, E | Failure>,
  isUndone: (cause: Failure) => boolean = isRefusedByServer
) =>
  effect.pipe(
    Effect.catchDefect((defect) => (isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect))),
    Effect.catchIf(isFailure, (cause) =>
      Effect.fail(new StoreUnavailable({ cause, isUndone: isUndone(cause), remedy: remedyOf(cause) }))
    )
  )

type Within = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Cause.TimeoutError, R>

/** Longer than a connection waits for a result: only what waits for others is left to be given up by then. */
const patience = Duration.seconds(7)

/** PostgreSQL: gives up what waits for a connection, or on one for what was sent before. */
export const aWhile: Within = Effect.timeoutOrElse({
  duration: patience,
  orElse: () =>
    Effect.fail(new Cause.TimeoutError(`no free connection, or no result, within ${Duration.format(patience)}`))
})

/** A SQLite client gives up by itself. */
const asLongAsItTakes: Within = identity

/** SQLite: no other transaction writes from here on. */
const immediate = "BEGIN IMMEDIATE"

/** Writes to the disk, and changes nothing. While another process writes, the disk is taken to be writable. */
const touch = (sql: SqlClient.SqlClient) =>
  sql<{ readonly user_version: number }>`PRAGMA user_version`.pipe(
    Effect.flatMap(([row]) => sql`PRAGMA user_version = ${sql.literal(String(row?.user_version))}`),
    sql.withTransaction,
    Effect.provideService(SqlClient.BeginTransaction, immediate),
    Effect.timeoutOption("100 millis")
  )

/** For PostgreSQL: records an act, and takes it back. What refuses rows is met only with one. */
const tryRecord = (sql: SqlClient.SqlClient) =>
  sql`INSERT INTO audit_records (time, event, fields) VALUES (0, '', '{}')`.pipe(
    Effect.andThen(Effect.fail("taken back" as const)),
    sql.withTransaction,
    // a rollback that fails, which makes a defect of it, takes it back too
    Effect.catchDefect((defect) => (defect === "taken back" ? Effect.void : Effect.die(defect))),
    Effect.catchIf(
      (error) => error === "taken back",
      () => Effect.void
    )
  )

/** For PostgreSQL: the beginning of a statement that changes nothing, and needs every right that acts need. */
const nothing = `
  WITH deleted AS (DELETE FROM api_keys WHERE false), updated AS (UPDATE api_keys SET last_used_at = 0 WHERE false),
  inserted AS (INSERT INTO audit_records (time, event, fields) SELECT 0, '', '' WHERE false)`

/** `isMissingTable`: true of some other errors too. `writing`: fails a read where nothing can be written. */
export const dialect = (sql: SqlClient.SqlClient) => {
  const differences = sql.onDialectOrElse({
    pg: () => ({
      // whatever the server's default is: after a wait for a lock, a statement has to see what was committed meanwhile
      begin: "BEGIN ISOLATION LEVEL READ COMMITTED",
      beginReading: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
      forUpdate: sql.literal("FOR UPDATE"),
      // also behind a pooler, which sets no limits of a session; requests would queue behind the wait for a table
      limitLocks: Effect.asVoid(sql`SET LOCAL lock_timeout = '3s'`),
      /** Locks rows, and leaves out those that others have locked: who takes them waits for nobody. */
      forUpdateOfFree: sql.literal("FOR UPDATE SKIP LOCKED"),
      generatedId: sql.literal("bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
      isMissingTable: ({ reason }: SqlError) => reason._tag === "SqlSyntaxError",
      // a standby refuses it, and a server that a right is missing on; one whose disk is full fails by itself
      writing: sql.literal(nothing),
      tryWriting: Effect.void,
      tryRecording: tryRecord(sql),
      /** The database's clock, in milliseconds. That of SQLite is this machine's. */
      now: sql.literal("1000 * extract(epoch FROM clock_timestamp())::float8"),
      within: aWhile
    }),
    orElse: () => ({
      begin: immediate,
      beginReading: "BEGIN",
      forUpdate: sql.literal(""),
      forUpdateOfFree: sql.literal(""),
      limitLocks: Effect.void,
      // no ID is given twice, also when the newest record is deleted
      generatedId: sql.literal("integer PRIMARY KEY AUTOINCREMENT"),
      isMissingTable: (error: SqlError) =>
        error.reason._tag === "UnknownError" && rootCause(error).startsWith("no such table"),
      writing: sql.literal(""),
      tryWriting: Effect.asVoid(touch(sql)),
      tryRecording: Effect.void,
      now: sql.literal("NULL"),
      within: asLongAsItTakes
    })
  })
  /**
   * Runs an act as a whole or not at all. Until it asks for its COMMIT, it is certain that a failure changed nothing; and
   * also when SQLite then finds the disk full, since the last page of a transaction is what commits it.
   */
  const transaction = <A, E>(act: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      let isUndone = true
      const ended = Effect.sync(() => void (isUndone = false))
      const effect = Effect.provideService(
        sql.withTransaction(Effect.tap(act, () => ended)),
        SqlClient.BeginTransaction,
        differences.begin
      )
      // SQLITE_FULL
      return orUnavailable(effect, (cause) => isUndone || codeOf(cause) === 13)
    })
  return { ...differences, transaction }
}
