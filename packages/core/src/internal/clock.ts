import * as Effect from "effect/Effect"

/** Milliseconds of a clock that only goes forward: what deadlines and waits are measured by, whatever the time of day does. */
export const monotonicMillis: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.sync(() => Number(clock.monotonicTimeNanosUnsafe() / 1000n) / 1000)
)
