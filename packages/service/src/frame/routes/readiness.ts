import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { KeyStore } from "../KeyStore.ts"
import * as Time from "../time.ts"

/** Asks once a second at most, and goes on when its caller leaves, lest each that comes make it begin anew. */
export const make = Effect.fnUntraced(function* ({ ping }: KeyStore["Service"]) {
  const scope = yield* Effect.scope
  // A time to live would go by the wall clock, which may be set back.
  let staleAt = Infinity
  const restart = Effect.clockWith((clock) => Effect.sync(() => (staleAt = Time.monotonic(clock) + 1000)))
  const [asked, forget] = yield* Effect.cachedInvalidateWithTTL(Effect.ensuring(ping, restart), "Infinity")
  const checked = Effect.clockWith((clock) => {
    if (Time.monotonic(clock) < staleAt) return asked
    staleAt = Infinity
    return Effect.andThen(forget, asked)
  })
  return Effect.flatMap(Effect.forkIn(checked, scope, { startImmediately: true }), Fiber.join)
})
