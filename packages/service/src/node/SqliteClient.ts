import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { closeSync, existsSync, openSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Prepared } from "../sql/prepared.ts"
import * as DatabaseFile from "./internal/databaseFile.ts"

const attempt = <A>(operation: string, evaluate: () => A): Result.Result<A, SqlError> =>
  Result.try({
    try: evaluate,
    catch: (cause) => {
      // effect looks for SQLite's code under the name that other drivers give it
      if (Predicate.hasProperty(cause, "errcode")) Object.assign(cause, { errno: cause.errcode })
      return new SqlError({ reason: classifySqliteError(cause, { message: `SQLite cannot ${operation}`, operation }) })
    }
  })

const isLocked = ({ reason }: SqlError) => reason._tag === "LockTimeoutError"

const now = Effect.clockWith((clock) => Effect.sync(() => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)))

/** SQLite itself would wait for a lock without letting this process do anything else. */
const insist = Effect.fnUntraced(function* <A>(
  attempt: (now: number) => Result.Result<A, SqlError>,
  pause: (millis: number) => Effect.Effect<void>,
  met: SqlError
) {
  const until = (yield* now) + 5000
  for (let wait = 2, error = met; ; wait = Math.min(2 * wait, 64)) {
    const left = until - (yield* now)
    if (left <= 0) return yield* error
    yield* pause(Math.min(wait, left))
    const result = attempt(yield* now)
    if (Result.isSuccess(result)) return result.success
    error = result.failure
    if (!isLocked(error)) return yield* error
  }
})

const toInput = (value: unknown): SQLInputValue => {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint")
    return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite cannot hold a value of type ${typeof value}`)
}

type Read<A> = (statement: StatementSync, params: ReadonlyArray<SQLInputValue>) => A

const rows: Read<ReadonlyArray<object>> = (statement, params) => {
  statement.setReturnArrays(false)
  return statement.all(...params)
}
const values: Read<ReadonlyArray<ReadonlyArray<unknown>>> = (statement, params) => {
  statement.setReturnArrays(true)
  // each row is an array then, which its type does not tell
  return statement.all(...params).map((row) => Object.values(row))
}

/** Statements that change something, or begin a transaction that does. */
const writes = /^\s*(?:BEGIN IMMEDIATE|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\b/i

/** SQLite would let others read a file that it makes. What stands in the way is left to SQLite, which names it. */
const create = (filename: string) =>
  Effect.ignore(
    Effect.try(() => {
      // in a process that has the file open already, closing it here would end the locks on it
      if (filename.startsWith("file:") || filename === ":memory:" || existsSync(filename)) return
      closeSync(openSync(filename, "a", 0o600))
    })
  )

const open = (filename: string) =>
  Effect.suspend(() =>
    Effect.fromResult(
      attempt("open", () => new DatabaseSync(filename, { timeout: 0, enableForeignKeyConstraints: true }))
    )
  )

const make = Effect.fnUntraced(function* (filename: string) {
  yield* create(filename)
  const db = yield* Effect.acquireRelease(open(filename), (db) => Effect.sync(() => db.close()))
  // a file that it may not write opens all the same, even with BEGIN IMMEDIATE; only a write shows it
  const configuration =
    "BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY"
  // WAL stays in the file: that of another program, which will be refused, is left as it is
  const isOurs = "SELECT count(*) = 0 OR sum(name = 'cloud_management_migrations') > 0 AS it FROM sqlite_schema"
  const configure = () =>
    attempt("open", () => {
      db.exec(configuration)
      if (db.prepare(isOurs).get()?.["it"] === 1) db.exec("PRAGMA journal_mode = WAL")
    })
  yield* Effect.catchIf(Effect.fromResult(configure()), isLocked, (error) => insist(configure, Effect.sleep, error))
  const checkFile = DatabaseFile.watch(db, filename)

  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size === 100) prepared.clear()
    const statement = db.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }

  const semaphore = yield* Semaphore.make(1)
  const isTransaction = () => db.isOpen && db.isTransaction
  /** Leaves the connection to others during the wait for a lock: in WAL mode they can read. */
  const stepAside = (millis: number) =>
    Effect.acquireUseRelease(
      semaphore.release(1),
      () => Effect.interruptible(Effect.sleep(millis)),
      () => semaphore.take(1)
    )
  let locked: { readonly at: number; readonly error: SqlError } | undefined
  /** However many wait for a lock, few ask for it: what one of them has just learned holds for all. */
  const together =
    <A>(statement: () => Result.Result<A, SqlError>) =>
    (at: number): Result.Result<A, SqlError> => {
      if (locked !== undefined && at - locked.at < 2) return Result.fail(locked.error)
      const result = statement()
      locked = Result.isFailure(result) && isLocked(result.failure) ? { at, error: result.failure } : undefined
      return result
    }
  /** Takes a step now. What meets a lock waits for it, unless a transaction is open. */
  const step = <A>(evaluate: () => A): Effect.Effect<A, SqlError> => {
    const execute = () => attempt("execute", evaluate)
    const result = execute()
    if (Result.isSuccess(result)) return Effect.succeed(result.success)
    const { failure } = result
    return isLocked(failure) && !isTransaction() ? insist(together(execute), stepAside, failure) : Effect.fail(failure)
  }
  let isWriting = false
  const run = <A>(sql: string, params: ReadonlyArray<unknown>, read: Read<A>) =>
    Effect.withFiber<A, SqlError>((fiber) =>
      step(() => {
        if (!isTransaction()) {
          isWriting = writes.test(sql)
          if (isWriting) checkFile()
        }
        const statement = prepare(sql)
        statement.setReadBigInts(fiber.getRef(SqlClient.SafeIntegers))
        const result = read(statement, params.map(toInput))
        // the file may have gone meanwhile, and a log that was emptied shows only once it is written to
        if (isWriting && !isTransaction()) checkFile()
        return result
      })
    )
  const execute: Connection["execute"] = (sql, params, transform) =>
    Effect.map(run(sql, params, rows), (rows) => transform?.(rows) ?? rows)
  const executeValues: Connection["executeValues"] = (sql, params) => run(sql, params, values)
  const connection: Connection = {
    execute,
    executeRaw: (sql, params) => run(sql, params, rows),
    executeStream: (sql, params, transform) => Stream.fromIterableEffect(execute(sql, params, transform)),
    executeUnprepared: execute,
    executeValues,
    executeValuesUnprepared: executeValues
  }
  const acquirers = SqlClient.makeSqliteAcquirers({ connection: Effect.succeed(connection), semaphore, isTransaction })
  const readPrepared = (sql: string) => {
    let statement: StatementSync | undefined
    return (params: ReadonlyArray<string>) => {
      const read = () => {
        if (statement === undefined) {
          statement = db.prepare(sql)
          statement.setReturnArrays(true)
        }
        return statement.get(...params)
      }
      // a statement takes its one step at once, so it has to wait its turn only while a transaction is open, or for a lock
      const result = isTransaction() ? undefined : attempt("execute", read)
      return result === undefined || (Result.isFailure(result) && isLocked(result.failure))
        ? acquirers.borrower(() => step(read))
        : Effect.fromResult(result)
    }
  }
  const client = yield* SqlClient.make({
    ...acquirers,
    driver: "sqlite-node",
    compiler: Statement.makeCompilerSqlite(),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  return Context.make(SqlClient.SqlClient, client).pipe(Context.add(Prepared, readPrepared))
})

/**
 * SQLite over `node:sqlite`, for `effect/sql`: a file, or `:memory:`.
 *
 * **Details**
 *
 * Acknowledged transactions survive a crash of the process or the machine. A new file has the mode 0600. While another
 * process writes, reads continue, and statements that write wait up to 5 seconds; so does opening the file.
 *
 * This module will be removed when a published adapter loads on effect 4.1.
 *
 * **Gotchas**
 *
 * Statements within a transaction do not wait: a transaction that writes must begin with `BEGIN IMMEDIATE`, which does.
 * A stream reads all its rows at once.
 */
export const layer = ({ filename }: { readonly filename: string }): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effectContext(make(filename)).pipe(Layer.provide(Reactivity.layer))
