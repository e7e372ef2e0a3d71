import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"

const attempt = <A>(operation: string, evaluate: () => A) =>
  Effect.try({
    try: evaluate,
    catch: (cause) => {
      // effect looks for SQLite's code under the name that other drivers give it
      if (Predicate.hasProperty(cause, "errcode")) Object.assign(cause, { errno: cause.errcode })
      return new SqlError({ reason: classifySqliteError(cause, { message: `SQLite cannot ${operation}`, operation }) })
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

/** How many statements stay prepared. */
const capacity = 100

const make = Effect.fnUntraced(function* (filename: string) {
  const db = yield* Effect.acquireRelease(
    attempt("open", () => new DatabaseSync(filename, { timeout: 5000, enableForeignKeyConstraints: true })),
    (db) => Effect.sync(() => db.close())
  )
  // while another process opens the same new file, SQLite waits to BEGIN, but gives up at once to switch to WAL
  // a file that it may not write opens all the same, even with BEGIN IMMEDIATE; only a write shows it
  const configuration =
    "BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"
  yield* Effect.retry(
    attempt("open", () => db.exec(configuration)),
    { times: 10, while: ({ isRetryable }) => isRetryable }
  )

  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size === capacity) prepared.clear()
    const statement = db.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  const run = <A>(sql: string, params: ReadonlyArray<unknown>, read: Read<A>) =>
    Effect.withFiber<A, SqlError>((fiber) =>
      attempt("execute", () => {
        const statement = prepare(sql)
        statement.setReadBigInts(fiber.getRef(SqlClient.SafeIntegers))
        return read(statement, params.map(toInput))
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
  return yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connection),
      semaphore: yield* Semaphore.make(1),
      isTransaction: () => db.isOpen && db.isTransaction
    }),
    driver: "sqlite-node",
    compiler: Statement.makeCompilerSqlite(),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})

/**
 * SQLite over `node:sqlite`, for `effect/sql`: a file, or `:memory:`. What a transaction acknowledged survives a crash
 * of the process and of the machine. While another process writes, a statement waits up to 5 seconds, and this process
 * with it. A stream reads all its rows at once.
 *
 * It goes when a published adapter loads on effect 4.1.
 */
export const layer = ({ filename }: { readonly filename: string }): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(filename)).pipe(Layer.provide(Reactivity.layer))
