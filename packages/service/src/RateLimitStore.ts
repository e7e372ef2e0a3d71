import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Windows from "./internal/windows.ts"

/**
 * How often a subject came up in its window, this time included, and in how many milliseconds the window ends.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tally {
  readonly count: number
  readonly endsIn: number
}

/**
 * Counts a subject, such as a key or an address, once more; its window begins when it comes up outside of one.
 *
 * @category models
 * @since 0.1.0
 */
export type Counter = (subject: string) => Effect.Effect<Tally>

/**
 * Where is counted what has a limit.
 *
 * @category models
 * @since 0.1.0
 */
export interface RateLimitStore {
  /**
   * In a store that services share, counters of one name and window are one counter.
   *
   * `capacity` bounds the windows that a counter remembers in the memory of the process; beyond it the oldest are
   * forgotten. Default: 100,000, which bounds the memory that a caller with many addresses can take. Windows of one
   * counter never make room for those of another.
   */
  readonly counter: (name: string, window: Duration.Input, capacity?: number) => Counter
}

/**
 * Counts in the memory of this process, each counter for itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const memory: RateLimitStore = {
  counter: (_, window, capacity = 100_000) => {
    const millis = Duration.toMillis(Duration.fromInputUnsafe(window))
    const windows = Windows.make(capacity)
    return (subject) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const now = Windows.now(clock)
          const window = windows.get(subject, now) ?? windows.begin(subject, now, now + millis)
          return { count: ++window.count, endsIn: window.endsAt - now }
        })
      )
  }
}

/**
 * The store that a service counts in; {@link memory} unless its layer is given another.
 *
 * @category references
 * @since 0.1.0
 */
export const RateLimitStore = Context.Reference<RateLimitStore>("@cloud-management/service/RateLimitStore", {
  defaultValue: () => memory
})
