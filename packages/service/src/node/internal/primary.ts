import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

export interface Sessions extends Pick<PgPool.PgPool, "get" | "reserve" | "use" | "invalidate"> {
  /** Notices what fails on a session. */
  readonly watch: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const readOnly = new SqlError({
  reason: new ConnectionError({ cause: new Error("the server accepts no writes: it is a standby, or read-only") })
})

/** Whether a failure can mean that a server takes no writes any more. A read-only one is unknown to the driver. */
const isSuspect = (error: unknown): boolean =>
  error instanceof SqlError && (error.reason._tag === "ConnectionError" || error.reason._tag === "UnknownError")

/** Whether a failure came before anything was asked of a session, so that another session can be asked instead. */
const isHarmless = (error: unknown): boolean =>
  error === readOnly || (error instanceof SqlError && error.reason.operation === "connect")

/**
 * The sessions of an address that leads to the primary. Each new session is asked whether it takes writes, and all of
 * them are asked again after a failure that can mean a change: a primary that was restarted as a standby must not be
 * read from.
 */
export const make = (pool: PgPool.PgPool): Sessions => {
  let writable = new WeakSet<PgConnection.PgConnection>()

  const mustWrite = (session: PgConnection.PgConnection): Effect.Effect<void, SqlError> =>
    writable.has(session)
      ? Effect.void
      : Effect.flatMap(session.queryValues("SHOW transaction_read_only", [], false), ([row]) => {
          if (row?.[0] !== "off") return Effect.fail(readOnly)
          writable.add(session)
          return Effect.void
        })
  const watch: Sessions["watch"] = Effect.tapError((error) =>
    Effect.sync(() => {
      if (isSuspect(error)) writable = new WeakSet()
    })
  )
  /** Once more if nothing was asked of a session. */
  const within = <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const attempt = watch(use)
    return Effect.catchIf(attempt, isHarmless, () => attempt)
  }
  const get = within(Effect.tap(pool.get, mustWrite))
  return {
    watch,
    get,
    invalidate: pool.invalidate,
    reserve: Effect.flatMap(get, ({ pin }) => pin),
    use: (f) => within(pool.use((session) => Effect.andThen(mustWrite(session), f(session))))
  }
}
