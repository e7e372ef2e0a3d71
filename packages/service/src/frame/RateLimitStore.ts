import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Time from "./time.ts"
import * as Windows from "./admission/windows.ts"

/** The number of requests that a key may make in a window. */
export interface RateLimit {
  readonly limit: number
  readonly window: Duration.Input
}

/**
 * Increments the count of a subject, such as a key or an address; if the subject has no open window, a new one begins.
 */
export type Counter = (subject: string) => Effect.Effect<{
  /** Of the subject in its window, including this time. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly endsIn: number
}>

/** The store of the counters behind rate limits. */
export interface RateLimitStore {
  /**
   * In a shared store, counters with the same name and window are one counter.
   *
   * `capacity` limits the windows that a counter keeps in the memory of the process; beyond it, the oldest are dropped.
   * Default: 100,000, which limits the memory that a caller with many addresses can take. Windows of one counter never
   * displace those of another.
   */
  readonly counter: (name: string, window: Duration.Input, capacity?: number) => Counter
}

/** Counts in the memory of this process, with separate counters. */
export const memory: RateLimitStore = {
  counter: (_, window, capacity = 100_000) => {
    const millis = Duration.toMillis(Duration.fromInputUnsafe(window))
    const windows = Windows.make(capacity)
    return (subject) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const now = Time.monotonic(clock)
          const window = windows.get(subject, now) ?? windows.begin(subject, now, now + millis)
          return { count: ++window.count, endsIn: window.endsAt - now }
        })
      )
  }
}

/** The store in which a service counts; by default {@link memory}. */
export const RateLimitStore = Context.Reference<RateLimitStore>("@cloud-management/service/RateLimitStore", {
  defaultValue: () => memory
})
