import type * as Clock from "effect/Clock"

/** Milliseconds of no calendar, by which waits and windows end: nobody sets them back. */
export const monotonic = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1000n) / 1000

const latest = new WeakMap<Clock.Clock, number>()

/** The latest time that this process has seen, in milliseconds: when someone sets the clock back, expired keys stay so. */
export const now = (clock: Clock.Clock): number => {
  const [seen, millis] = [latest.get(clock) ?? -Infinity, clock.currentTimeMillisUnsafe()]
  if (millis <= seen) return seen
  latest.set(clock, millis)
  return millis
}
