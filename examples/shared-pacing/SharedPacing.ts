import { CallError, type Pacing } from "@cloud-management/core"
import { Duration, Effect, Semaphore } from "effect"
import { RateLimiter } from "effect/persistence"

const throttled = (wait: number) =>
  new CallError.Throttled({ message: "no turn before the deadline", retryAfter: Duration.millis(wait) })

/** At most one request every `spacing` milliseconds, by all clients of all processes that use the same key. */
export const make = Effect.fnUntraced(function* (key: string, spacing: number) {
  const limiter = yield* RateLimiter.RateLimiter
  // 0 if the turn is ours, otherwise how long to wait before asking again
  const ask = limiter.consume({ key, limit: 1, window: spacing }).pipe(
    Effect.as(0),
    Effect.catchReason("RateLimiterError", "RateLimitExceeded", (exceeded) =>
      Effect.succeed(Math.max(1, Duration.toMillis(exceeded.retryAfter)))
    ),
    // without the store, calls are not delayed; the service's own limit still applies
    Effect.timeout("1 second"),
    Effect.catch((error) => Effect.as(Effect.logWarning("not paced", error), 0))
  )
  const turn = Effect.fnUntraced(function* (timeLeft: number) {
    for (let wait = yield* ask; wait > 0; wait = yield* ask) {
      if (wait >= timeLeft) return yield* throttled(wait)
      yield* Effect.sleep(wait)
    }
  })
  const make = Effect.map(Semaphore.make(1), (line) => {
    let waiting = 0
    // only the first in line asks and takes a turn when it is due, so a call that leaves the line costs no turn
    const wait = (timeLeft: number) =>
      Effect.suspend(() =>
        waiting++ * spacing < timeLeft ? line.withPermit(turn(timeLeft)) : throttled(waiting * spacing)
      ).pipe(
        Effect.timeoutOrElse({ duration: timeLeft, orElse: () => throttled(spacing) }),
        Effect.ensuring(Effect.sync(() => waiting--))
      )
    const withTurn: Pacing.WithTurn = (timeLeft, use) =>
      // nothing is learned from the response, so there is nothing to do at its release
      Effect.andThen(
        wait(timeLeft),
        use(() => {})
      )
    return withTurn
  })
  return { make } satisfies Pacing.Pacing
})
