import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { Listener } from "../../Event.ts"
import { Prepared, type Read } from "../../internal/prepared.ts"
import * as Pool from "./pool.ts"

const connectionOf = (session: PgConnection.PgConnection): Connection => {
  const executeWith =
    (prepare: boolean): Connection["execute"] =>
    (sql, params, transform) =>
      Effect.map(session.query(sql, params, prepare), ({ rows }) => transform?.(rows) ?? rows)
  return {
    execute: executeWith(true),
    executeUnprepared: executeWith(false),
    executeRaw: (sql, params) => session.query(sql, params),
    executeStream: (sql, params) => session.stream(sql, params),
    executeValues: (sql, params) => session.queryValues(sql, params),
    executeValuesUnprepared: (sql, params) => session.queryValues(sql, params, false)
  }
}

const rolledBack = new SqlError({
  reason: new UnknownError({ cause: new Error("the transaction was aborted"), operation: "commit" })
})

/** The server answers the `COMMIT` of an aborted transaction with `ROLLBACK`. */
const commit = (connection: Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    typeof result === "object" && result !== null && "command" in result && result.command === "ROLLBACK"
      ? Effect.fail(rolledBack)
      : Effect.void
  )

const make = Effect.fnUntraced(function* (config: PgClient.PgPoolConfig) {
  const pool = Pool.observed(yield* PgPool.make(config), yield* Listener)
  const client = yield* SqlClient.make({
    acquirer: Effect.map(pool.get, connectionOf),
    borrower: (use) => pool.use((session) => use(connectionOf(session))),
    transactionAcquirer: Effect.map(pool.reserve, connectionOf),
    prepareTransactionControls: true,
    commit,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: [
      ["db.system.name", "postgresql"],
      ["db.namespace", config.database ?? "postgres"],
      ["server.address", config.host ?? "localhost"],
      ["server.port", config.port ?? 5432]
    ]
  })
  const read =
    (statement: string): Read =>
    (params) =>
      Effect.withFiber((fiber) =>
        // nothing receives the spans of the native tracer
        fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer
          ? pool.use((session) => session.queryValues(statement, params))
          : client.unsafe(statement, params).values
      )
  return Context.make(SqlClient.SqlClient, client).pipe(Context.add(Prepared, read))
})

/** What `PgClient.layer` makes, with a shorter way for statements that never change. */
export const layer = (config: PgClient.PgPoolConfig): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effectContext(make(config)).pipe(Layer.provide(Reactivity.layer))
