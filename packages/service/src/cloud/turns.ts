import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Semaphore from "effect/Semaphore"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { ServiceUnavailable } from "@cloud-management/core/Refusals"

const full = Effect.fail(
  new ServiceUnavailable({
    message: "SERVICE_UNAVAILABLE: Too many requests of this key are under way",
    retryAfter: Duration.seconds(1)
  })
)

/**
 * In a database, acts of one caller would only wait for one another, each on a connection that others need: 64 at most.
 * One whose turn has come goes on when its caller leaves, and ends before the scope does: it has to be recorded.
 */
export const make = Effect.map(Effect.scope, (scope) => {
  const lines = new Map<ApiKeyId, { readonly semaphore: Semaphore.Semaphore; count: number }>()
  return <A, E, R>(caller: ApiKeyId, act: Effect.Effect<A, E, R>): Effect.Effect<A, E | ServiceUnavailable, R> =>
    Effect.suspend(() => {
      const line = lines.get(caller) ?? { semaphore: Semaphore.makeUnsafe(1), count: 0 }
      if (line.count === 64) return full
      line.count++
      lines.set(caller, line)
      // not for all of the time that an act may take, since its own follows
      const turn = Effect.timeoutOrElse(line.semaphore.takeScoped(1), { duration: 500, orElse: () => full })
      const done = Effect.ensuring(
        Effect.uninterruptibleMask((restore) => Effect.scoped(Effect.andThen(restore(turn), act))),
        Effect.sync(() => --line.count > 0 || lines.delete(caller))
      )
      return Effect.flatMap(Effect.forkIn(done, scope, { startImmediately: true }), (fiber) =>
        Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe()))
      )
    })
})
