import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Windows from "./windows.ts"

/** For how long no request may have failed before an outage is over, in milliseconds: some may succeed during it. */
const calm = 1000

/**
 * Logs when an outage of the store begins and when it ends, with the number of the requests that failed, so that an
 * outage leaves no flood of entries. An outage that lasts until the service ends is logged then.
 */
export const make = Effect.gen(function* () {
  let failed = 0
  let began = 0
  let last = 0

  const summary = (clock: Clock.Clock, how: string) => {
    const seconds = Math.round(Windows.now(clock) - began) / 1000
    const line = Effect.logInfo(`${how}: ${failed} ${failed === 1 ? "request" : "requests"} failed in ${seconds} s`)
    const annotated = Effect.annotateLogs(line, { failedRequests: failed })
    failed = 0
    return annotated
  }

  yield* Effect.addFinalizer(() =>
    Effect.clockWith((clock) =>
      failed === 0 ? Effect.void : summary(clock, "the database was unavailable until the service stopped")
    )
  )

  return {
    /** A request failed because the store did. */
    failed: (why: string): Effect.Effect<void> =>
      Effect.clockWith((clock) => {
        last = Windows.now(clock)
        if (failed++ > 0) return Effect.void
        began = last
        return Effect.logError(`the database is unavailable: ${why}`)
      }),
    /** The store answered a request. `undefined` if there is nothing to log. */
    answered: (clock: Clock.Clock): Effect.Effect<void> | undefined =>
      failed === 0 || Windows.now(clock) - last < calm ? undefined : summary(clock, "the database is available again")
  }
})
