import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { PgPool } from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import type { Listener } from "../../Event.ts"

/** A pool that says how many of its connections are in use, and how many callers wait for one, if anyone listens. */
export const observed = (pool: PgPool, listener: Listener | undefined): PgPool => {
  if (listener === undefined) return pool
  let waiting = 0
  /** How many statements and transactions use each connection: statements can share one. */
  const uses = new Map<PgConnection, number>()
  const take = (session: PgConnection) => void uses.set(session, (uses.get(session) ?? 0) + 1)
  const release = (session: PgConnection) => {
    const left = (uses.get(session) ?? 0) - 1
    if (left > 0) uses.set(session, left)
    else uses.delete(session)
  }
  listener({
    _tag: "PoolOpened",
    pool: "postgresql",
    max: pool.config.maxConnections ?? 10,
    used: () => uses.size,
    waiting: () => waiting
  })

  const checkedOut = (checkout: PgPool["get"]): PgPool["get"] =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        Effect.suspend(() => {
          waiting++
          return Effect.onExitPrimitive(restore(checkout), () => void waiting--)
        }),
        (session) => {
          take(session)
          return Effect.as(
            Effect.addFinalizer(() => Effect.sync(() => release(session))),
            session
          )
        }
      )
    )
  return {
    ...pool,
    get: checkedOut(pool.get),
    reserve: checkedOut(pool.reserve),
    use: (f) =>
      Effect.suspend(() => {
        let taken: PgConnection | undefined
        waiting++
        const used = pool.use((session) => {
          waiting--
          take((taken = session))
          return f(session)
        })
        return Effect.onExitPrimitive(used, () => {
          if (taken === undefined) waiting--
          else release(taken)
          return undefined
        })
      })
  }
}
