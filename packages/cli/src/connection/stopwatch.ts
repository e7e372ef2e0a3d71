import * as Effect from "effect/Effect"

/** Starts a stopwatch, which reads the milliseconds since then. Nobody sets its clock, as they do the time of day. */
export const start: Effect.Effect<Effect.Effect<number>> = Effect.clockWith((clock) =>
  Effect.sync(() => {
    const began = clock.monotonicTimeNanosUnsafe()
    return Effect.sync(() => Math.round(Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6))
  })
)
