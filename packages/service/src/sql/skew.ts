import type * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"

/** Keys expire by the clock of each machine: one that is wrong accepts keys that others refuse. */
export class ClocksDiffer extends Data.TaggedError("ClocksDiffer")<{ readonly message: string }> {}

const iso = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** Fails if the database's clock, read at some time since the moment `before`, is far from this machine's. */
export const check = (clock: Clock.Clock, before: number, theirs: number): Effect.Effect<void, ClocksDiffer> => {
  const ours = Math.max(before, Math.min(theirs, clock.currentTimeMillisUnsafe()))
  const apart = Math.abs(theirs - ours)
  if (apart <= 30_000) return Effect.void
  const seconds = Math.round(apart / 1000)
  return new ClocksDiffer({
    message: `the clocks are ${seconds} s apart: ${iso(ours)} here, ${iso(theirs)} in the database`
  })
}
