import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** How often a subject came up in its window, this time included, and in how many milliseconds the window ends. */
export interface Tally {
  readonly count: number
  readonly endsIn: number
}

/** Counts a subject, such as a key or an address, once more. Its window begins when it comes up outside of one. */
export type Counter = (subject: string) => Effect.Effect<Tally>

/** Where is counted what has a limit. */
export interface RateLimitStore {
  /** In a store that services share, counters of one name and window are one counter. */
  readonly counter: (name: string, window: Duration.Input) => Counter
}

/** Bounds the memory that a caller with many addresses can take: beyond it the oldest windows are forgotten. */
const capacity = 100_000

/** Counts in the memory of this process, each counter for itself. */
export const memory: RateLimitStore = {
  counter: (_, window) => {
    const millis = Duration.toMillis(Duration.fromInputUnsafe(window))
    /** Oldest first. */
    const windows = new Map<string, { count: number; readonly endsAt: number }>()
    return (subject) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const now = Number(clock.monotonicTimeNanosUnsafe() / 1000n) / 1000
          let window = windows.get(subject)
          if (window === undefined || window.endsAt <= now) {
            windows.delete(subject)
            window = { count: 0, endsAt: now + millis }
            windows.set(subject, window)
            for (const [oldest] of windows) {
              if (windows.size <= capacity) break
              windows.delete(oldest)
            }
          }
          return { count: ++window.count, endsIn: window.endsAt - now }
        })
      )
  }
}

/** The store that a service counts in; {@link memory} unless its layer is given another. */
export const RateLimitStore = Context.Reference<RateLimitStore>("@cloud-management/service/RateLimitStore", {
  defaultValue: () => memory
})
