import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Windows from "../internal/windows.ts"

/** For how long nothing may have failed before an outage is over, in milliseconds: some may succeed during it. */
const calm = 1000

/** What the log says about an outage. */
interface Words {
  readonly begins: string
  readonly ends: string
  /** Of an outage that lasts until the service ends. */
  readonly lasted: string
  /** What failed: one, and several. */
  readonly failed: readonly [one: string, several: string]
  /** The annotation that has the number of failures. */
  readonly count: string
}

/** An outage of the store. */
export const ofStore: Words = {
  begins: "the database is unavailable",
  ends: "the database is available again",
  lasted: "the database was unavailable until the service stopped",
  failed: ["request failed", "requests failed"],
  count: "failedRequests"
}

/** A time in which a host accepts no more connections. */
export const ofConnections: Words = {
  begins: "connections are refused",
  ends: "connections are accepted again",
  lasted: "connections were refused until the service stopped",
  failed: ["connection was refused", "connections were refused"],
  count: "refusedConnections"
}

/**
 * Logs when an outage begins and when it ends, with the number of failures, so that an outage leaves no flood of entries.
 * An outage that lasts until the service ends is logged then.
 */
export const make = Effect.fnUntraced(function* (words: Words) {
  let failed = 0
  let began = 0
  let last = 0

  const summary = (clock: Clock.Clock, how: string) => {
    const seconds = Math.round(Windows.now(clock) - began) / 1000
    const line = Effect.logInfo(`${how}: ${failed} ${words.failed[failed === 1 ? 0 : 1]} in ${seconds} s`)
    const annotated = Effect.annotateLogs(line, { [words.count]: failed })
    failed = 0
    return annotated
  }

  yield* Effect.addFinalizer(() =>
    Effect.clockWith((clock) => (failed === 0 ? Effect.void : summary(clock, words.lasted)))
  )

  return {
    /** Something failed. */
    failed: (why: string): Effect.Effect<void> =>
      Effect.clockWith((clock) => {
        last = Windows.now(clock)
        if (failed++ > 0) return Effect.void
        began = last
        return Effect.logError(`${words.begins}: ${why}`)
      }),
    /** Something succeeded. `undefined` if there is nothing to log. */
    answered: (clock: Clock.Clock): Effect.Effect<void> | undefined =>
      failed === 0 || Windows.now(clock) - last < calm ? undefined : summary(clock, words.ends)
  }
})
