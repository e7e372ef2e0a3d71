import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/** The sessions of a server. */
export interface Sessions extends Pick<PgPool.PgPool, "get" | "reserve" | "use" | "invalidate"> {
  /** Notices what fails on a session. */
  readonly watch: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const readOnly = new SqlError({
  reason: new ConnectionError({ cause: new Error("the server accepts no writes: it is a standby, or read-only") })
})

/** Whether a failure can mean that another server takes the writes now. A read-only one is unknown to the driver. */
const isSuspect = (error: unknown): boolean =>
  error instanceof SqlError && (error.reason._tag === "ConnectionError" || error.reason._tag === "UnknownError")

/** Whether a failure came before anything was asked of a session, so that another server can be asked instead. */
const isHarmless = (error: unknown): boolean =>
  error === readOnly || (error instanceof SqlError && error.reason.operation === "connect")

/**
 * The sessions of whichever server takes writes. All are asked at once, at the first use and after each failure that can
 * mean a change; uses meanwhile wait for the result. Each new session is asked again: a primary that was restarted as a
 * standby must not be read from.
 */
export const make = Effect.fnUntraced(function* (
  pools: ReadonlyArray<PgPool.PgPool>
): Effect.fn.Return<Sessions, never, Scope.Scope> {
  const scope = yield* Effect.scope
  let writable = new WeakSet<PgConnection.PgConnection>()
  let current: PgPool.PgPool | undefined
  let election: Fiber.Fiber<PgPool.PgPool, SqlError> | undefined

  const mustWrite = (session: PgConnection.PgConnection): Effect.Effect<void, SqlError> =>
    writable.has(session)
      ? Effect.void
      : Effect.flatMap(session.queryValues("SHOW transaction_read_only", [], false), ([row]) => {
          if (row?.[0] !== "off") return Effect.fail(readOnly)
          writable.add(session)
          return Effect.void
        })

  const elect = Effect.gen(function* () {
    const found = yield* Deferred.make<PgPool.PgPool, SqlError>()
    let left = pools.length
    let telling: Cause.Cause<SqlError> | undefined
    for (const pool of pools) {
      // not interrupted once another is found: a server that says nothing would hold that up
      yield* pool.use(mustWrite).pipe(
        Effect.matchCauseEffect({
          onSuccess: () => Deferred.succeed(found, pool),
          onFailure: (cause) => {
            // a server that is away says less than one that refuses
            const error = Option.getOrUndefined(Cause.findErrorOption(cause))
            if (error?.reason._tag !== "ConnectionError" || error === readOnly) telling ??= cause
            return --left === 0 ? Deferred.failCause(found, telling ?? cause) : Effect.void
          }
        }),
        Effect.forkIn(scope)
      )
    }
    return (current = yield* Deferred.await(found))
  }).pipe(Effect.ensuring(Effect.sync(() => (election = undefined))))

  const elected = Effect.suspend(() => {
    if (current !== undefined) return Effect.succeed(current)
    if (election !== undefined) return Fiber.join(election)
    return Effect.flatMap(Effect.forkIn(elect, scope), (fiber) => {
      if (fiber.pollUnsafe() === undefined) election = fiber
      return Fiber.join(fiber)
    })
  })
  const watch: Sessions["watch"] = Effect.tapError((error) =>
    Effect.sync(() => {
      if (!isSuspect(error)) return
      current = undefined
      writable = new WeakSet()
    })
  )
  /** With the server that takes writes; with another one if that is found out before anything is asked of it. */
  const within = <A, E, R>(use: (pool: PgPool.PgPool) => Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> => {
    const attempt = Effect.flatMap(elected, (pool) => watch(use(pool)))
    return Effect.catchIf(attempt, isHarmless, () => attempt)
  }
  const get = within(({ get }) => Effect.tap(get, mustWrite))
  return {
    watch,
    get,
    invalidate: (session) => Effect.forEach(pools, (pool) => pool.invalidate(session), { discard: true }),
    reserve: Effect.flatMap(get, ({ pin }) => pin),
    use: (f) => within((pool) => pool.use((session) => Effect.andThen(mustWrite(session), f(session))))
  }
})
