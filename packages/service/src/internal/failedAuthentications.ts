import * as Effect from "effect/Effect"

const limit = 100
const windowMillis = 60_000
/** Bounds the memory that a caller with many addresses can take; the oldest addresses are forgotten first. */
const capacity = 10_000

/**
 * Counts failed authentications per address: 100 a minute, always on. The answer is the time in milliseconds until the
 * address may fail again, 0 while it may. Requests with a valid key are never counted and never held up, so a
 * neighbour behind the same address cannot lock anyone out.
 */
export const make = () => {
  const windows = new Map<string, { count: number; readonly endsAt: number }>()
  return (address: string): Effect.Effect<number> =>
    Effect.clockWith((clock) =>
      Effect.sync(() => {
        const now = clock.currentTimeMillisUnsafe()
        let window = windows.get(address)
        if (window === undefined || window.endsAt <= now) {
          windows.delete(address)
          window = { count: 0, endsAt: now + windowMillis }
          windows.set(address, window)
          for (const [oldest] of windows) {
            if (windows.size <= capacity) break
            windows.delete(oldest)
          }
        }
        window.count++
        return window.count <= limit ? 0 : window.endsAt - now
      })
    )
}
