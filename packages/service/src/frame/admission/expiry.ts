import type * as Clock from "effect/Clock"

const latest = new WeakMap<Clock.Clock, number>()

/**
 * The time by which keys expire, in milliseconds: the latest that this process has seen. When someone sets the clock back,
 * keys that have expired stay so.
 */
export const now = (clock: Clock.Clock): number => {
  const [seen, millis] = [latest.get(clock) ?? -Infinity, clock.currentTimeMillisUnsafe()]
  if (millis <= seen) return seen
  latest.set(clock, millis)
  return millis
}
