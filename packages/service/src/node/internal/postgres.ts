import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Tracer from "effect/Tracer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { aWhile } from "../../sql/dialect.ts"
import { Prepared, type Read } from "../../sql/prepared.ts"
import * as Pool from "./pool.ts"
import * as Primary from "./primary.ts"

const connectionOf =
  ({ watch }: Pick<Primary.Sessions, "watch">) =>
  (session: PgConnection.PgConnection): Connection => {
    const executeWith =
      (prepare: boolean): Connection["execute"] =>
      (sql, params, transform) =>
        Effect.map(watch(session.query(sql, params, prepare)), ({ rows }) => transform?.(rows) ?? rows)
    return {
      execute: executeWith(true),
      executeUnprepared: executeWith(false),
      // a statement that a session has lost would fail the end of a transaction
      executeRaw: (sql, params) => watch(session.query(sql, params, false)),
      executeStream: (sql, params) => session.stream(sql, params),
      executeValues: (sql, params) => watch(session.queryValues(sql, params)),
      executeValuesUnprepared: (sql, params) => watch(session.queryValues(sql, params, false))
    }
  }

const rolledBack = new SqlError({
  reason: new UnknownError({ cause: new Error("the transaction was aborted"), operation: "commit" })
})

/** The result of a `COMMIT` of an aborted transaction is `ROLLBACK`. */
const commit = (connection: Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    typeof result === "object" && result !== null && "command" in result && result.command === "ROLLBACK"
      ? Effect.fail(rolledBack)
      : Effect.void
  )

/** A read that waits for its session, or for its result on it. */
interface Waiting {
  readonly begin: (session: PgConnection.PgConnection) => void
  /** There is no session, or no result in time. */
  readonly giveUp: (why: Exit.Exit<never, SqlError | Cause.TimeoutError>) => void
}

/** The reads of one turn of the event loop, which share a session. */
interface Batch {
  readonly reads: Set<Waiting>
  readonly ended: Deferred.Deferred<void>
}

/**
 * Runs the reads that come in one turn of the event loop together at its end, on one session: the driver then sends them in
 * one write. One limit holds for the wait for a session and for the results: the server gives them one after the other, and
 * each can wait for a lock.
 */
const makeBatches = ({ get, watch }: Primary.Sessions) => {
  let current: Batch | undefined
  const begin = (context: Context.Context<never>): Batch => {
    const batch: Batch = { reads: new Set(), ended: Deferred.makeUnsafe() }
    const lent = Effect.flatMap(get, (session) => {
      for (const read of batch.reads) read.begin(session)
      return Deferred.await(batch.ended)
    })
    const lend = Effect.catchCause(aWhile(Effect.scoped(lent)), (cause) =>
      Effect.sync(() => {
        for (const read of batch.reads) read.giveUp(Exit.failCause(cause))
      })
    )
    setImmediate(() => {
      if (current === batch) current = undefined
      Effect.runForkWith(context)(lend)
    })
    return batch
  }
  return <A>(
    context: Context.Context<never>,
    read: (session: PgConnection.PgConnection) => Effect.Effect<A, SqlError>
  ) =>
    Effect.callback<A, SqlError | Cause.TimeoutError>((resume) => {
      const batch = (current ??= begin(context))
      const { ended, reads } = batch
      let fiber: Fiber.Fiber<A, SqlError> | undefined
      const end = (exit: Exit.Exit<A, SqlError | Cause.TimeoutError>) => {
        if (!reads.delete(waiting)) return
        if (reads.size === 0) {
          if (current === batch) current = undefined
          Deferred.doneUnsafe(ended, Effect.void)
        }
        resume(exit)
      }
      const waiting: Waiting = {
        begin: (session) => {
          fiber = Effect.runForkWith(context)(watch(read(session)))
          fiber.addObserver(end)
        },
        giveUp: (why) => {
          end(why)
          fiber?.interruptUnsafe()
        }
      }
      reads.add(waiting)
      // others take a session of their own
      if (reads.size === 16) current = undefined
      return Effect.sync(() => waiting.giveUp(Exit.interrupt()))
    })
}

const make = Effect.fnUntraced(function* (config: PgPool.Config, mustWrite: boolean) {
  const observed = yield* Pool.make(config)
  const pool: Primary.Sessions = mustWrite ? Primary.make(observed) : { ...observed, watch: identity }
  const connect = connectionOf(pool)
  const together = makeBatches(pool)
  /** A session whose transaction did not end is closed: whoever got it next would be in that transaction. */
  const lend = (session: PgConnection.PgConnection) => {
    let isOpen = false
    const noticing: PgConnection.PgConnection["query"] = (sql, ...more) => {
      const [word = ""] = /^\w+/.exec(sql) ?? []
      if (word === "BEGIN") isOpen = true
      const result = session.query(sql, ...more)
      const isEnd = word === "COMMIT" || sql === "ROLLBACK"
      return isEnd ? Effect.tap(result, () => Effect.sync(() => void (isOpen = false))) : result
    }
    const closing = Effect.addFinalizer(() => (isOpen ? pool.invalidate(session) : Effect.void))
    return Effect.as(closing, connect({ ...session, query: noticing }))
  }
  const writers = Semaphore.makeUnsafe(Math.max(1, Math.floor((config.maxConnections ?? 10) / 2)))
  const client = yield* SqlClient.make({
    acquirer: Effect.map(pool.get, connect),
    borrower: (use) => pool.use((session) => use(connect(session))),
    // reads share connections, and need some that no transaction has: who writes waits outside the pool
    transactionAcquirer: Effect.andThen(observed.waiting(writers.takeScoped(1)), Effect.flatMap(pool.reserve, lend)),
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
          ? together(fiber.context, (session) => Effect.map(session.queryValues(statement, params), ([row]) => row))
          : Effect.map(aWhile(client.unsafe(statement, params).values), ([row]) => row)
      )
  yield* Effect.scoped(Pool.check(pool, config))
  return Context.make(SqlClient.SqlClient, client).pipe(Context.add(Prepared, read))
})

/** `mustWrite`: whether each session is asked whether it takes writes. */
export const layer = (config: PgPool.Config, mustWrite: boolean) =>
  Layer.effectContext(make(config, mustWrite)).pipe(Layer.provide(Reactivity.layer))
