import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Time from "../time.ts"

/** The words of the log about an outage of the store; `lasted` if it lasts until the service ends, `count` is an annotation. */
export const ofStore = {
  begins: "the database is unavailable",
  ends: "the database is available again",
  lasted: "the database was unavailable until the service stopped",
  one: "request failed",
  several: "requests failed",
  count: "failedRequests"
}

/** The same of a time in which a host accepts no more connections. */
export const ofConnections: typeof ofStore = {
  begins: "connections are refused",
  ends: "connections are accepted again",
  lasted: "connections were refused until the service stopped",
  one: "connection was refused",
  several: "connections were refused",
  count: "refusedConnections"
}

/** One entry when an outage begins and one when it, or the service, ends: no flood of entries. */
export const make = Effect.fnUntraced(function* (words: typeof ofStore) {
  let failed = 0
  let began = 0
  let last = 0

  const summary = (clock: Clock.Clock, how: string) => {
    const seconds = Math.round(Time.monotonic(clock) - began) / 1000
    const [count, what] = [failed, failed === 1 ? words.one : words.several]
    failed = 0
    return Effect.annotateLogs(Effect.logInfo(`${how}: ${count} ${what} in ${seconds} s`), { [words.count]: count })
  }
  // some may succeed during an outage
  const mayEnd = (clock: Clock.Clock) => failed > 0 && Time.monotonic(clock) - last >= 1000
  yield* Effect.addFinalizer(() =>
    Effect.clockWith((clock) => (failed === 0 ? Effect.void : summary(clock, words.lasted)))
  )

  return {
    failed: (why: string): Effect.Effect<void> =>
      Effect.clockWith((clock) => {
        last = Time.monotonic(clock)
        if (failed++ > 0) return Effect.void
        began = last
        return Effect.logError(`${words.begins}: ${why}`)
      }),
    mayEnd,
    /** It is over if nothing has failed for a while: all that could fail succeeds. */
    recovered: Effect.clockWith((clock) => (mayEnd(clock) ? summary(clock, words.ends) : Effect.void))
  }
})
