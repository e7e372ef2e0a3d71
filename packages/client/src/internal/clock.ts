import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds of a clock that only goes forward: what deadlines and waits are measured by, whatever the time of day does. */
export const monotonicMillisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** The same, of the fiber's clock. */
export const monotonicMillis: Effect.Effect<number> = /* @__PURE__ */ Effect.clockWith((clock) =>
  Effect.succeed(monotonicMillisOf(clock))
)
