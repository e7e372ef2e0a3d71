import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import { Throttled } from "./CloudError.ts"
import { monotonicMillis } from "./internal/clock.ts"
import * as Hint from "./internal/hint.ts"

/** The head of a response, and when it came, in milliseconds of a clock that only goes forward. */
export interface Observation {
  readonly status: number
  readonly headers: Headers.Headers
  readonly at: number
}

/** To be called when an admitted request has its response's head, or ends without one; further calls do nothing. */
export type Settle = (observation: Observation | undefined) => void

/**
 * A way to hold requests back. The client makes one and asks it before every attempt, so the calls of one client share
 * its state. Pass {@link adaptive} or {@link fixed} as the client's option `pacing`; a program that does neither does
 * not have this module in its bundle.
 */
export interface Pacing {
  /**
   * What is made waits for a turn, in the order of asking, and fails as soon as it is known that the turn would come
   * later than `timeLeft` milliseconds. To be run uninterruptibly, so that no turn is lost: only its waits yield.
   */
  readonly make: Effect.Effect<(timeLeft: number) => Effect.Effect<Settle, Throttled>>
}

/** A turn, or how long to wait for one in milliseconds: `Infinity` until some request under way settles. */
type Turn = { readonly settle: Settle } | { readonly wait: number }

interface Rule {
  readonly take: (now: number) => Turn
  /** The least time in milliseconds that somebody with so many before them waits. */
  readonly estimate: (now: number, ahead: number) => number
}

const throttled = (wait: number) =>
  new Throttled({
    message: `the client's pacing has no turn for this call before its deadline`,
    retryAfter: Duration.millis(wait)
  })

/** Hands out turns in the order of asking: only the first in the line looks for one, the others wait to become it. */
const makeLine = (rule: (wakeFirst: () => void) => Rule): Pacing["make"] =>
  Effect.sync(() => {
    const line: Array<{ wake: Deferred.Deferred<void> }> = []
    const wakeFirst = () => {
      if (line[0] !== undefined) Deferred.doneUnsafe(line[0].wake, Effect.void)
    }
    const { estimate, take } = rule(wakeFirst)
    return Effect.fnUntraced(function* (timeLeft) {
      const asked = yield* monotonicMillis
      const hopeless = estimate(asked, line.length)
      if (hopeless > timeLeft) return yield* throttled(hopeless)
      const self = { wake: Deferred.makeUnsafe<void>() }
      line.push(self)
      const leave = Effect.sync(() => {
        line.splice(line.indexOf(self), 1)
        wakeFirst()
      })
      const wait = Effect.fnUntraced(function* () {
        for (;;) {
          const now = yield* monotonicMillis
          const turn = line[0] === self ? take(now) : { wait: Infinity }
          if ("settle" in turn) return turn.settle
          const left = asked + timeLeft - now
          if (left <= 0 || (turn.wait !== Infinity && turn.wait > left)) {
            return yield* throttled(turn.wait === Infinity ? left : turn.wait)
          }
          self.wake = Deferred.makeUnsafe<void>()
          yield* Effect.interruptible(
            Effect.raceFirst(Deferred.await(self.wake), Effect.sleep(Duration.millis(Math.min(turn.wait, left))))
          )
        }
      })
      return yield* Effect.ensuring(wait(), leave)
    })
  })

/**
 * Keeps to the limit that the service states in its answers (`X-RateLimit-*`, `RateLimit`, `Retry-After`), so that
 * after the first answer a program that asks for more than the limit gets no 429. It never assumes a limit that the
 * service did not state: until an answer has stated one, and when none does, nothing is held back.
 *
 * Once a window is used up the next one is opened when its reset has passed and every request under way is answered,
 * and then for as many requests as the limit allows, not for all that wait.
 *
 * @example
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Pacing from "@cloud-management/core/Pacing"
 *
 * const cloud = CloudManagement.layerConfig({ pacing: Pacing.adaptive })
 */
export const adaptive: Pacing = {
  make: makeLine((wakeFirst) => {
    let limit: number | undefined
    /** Requests that may still be sent in this window; `Infinity` while no limit is known. */
    let remaining = Infinity
    let resetAt = 0
    /** Longest reset that was stated: what a whole window takes, at least. */
    let window = 0
    let underWay = 0

    const observe = ({ at, headers, status }: Observation) => {
      const stated = Hint.rateLimit(headers)
      const wait = status === 429 ? Hint.retryAfter(status, headers, at) : undefined
      const reset = stated.reset ?? (wait === undefined ? undefined : Duration.toMillis(wait))
      limit = stated.limit ?? limit
      if (reset !== undefined && (status === 429 || stated.remaining !== undefined)) {
        resetAt = Math.max(resetAt, at + reset)
        window = Math.max(window, reset)
        // those under way may be counted in the number or not: only what is left without them is sure
        remaining = status === 429 ? 0 : Math.max(0, (stated.remaining ?? 0) - underWay)
      } else if (limit === undefined) {
        remaining = Infinity
      }
    }
    return {
      take: (now) => {
        if (remaining < 1) {
          if (underWay > 0) return { wait: Infinity }
          if (now < resetAt) return { wait: resetAt - now }
          // where no limit was stated one request is sent to learn more
          remaining = limit ?? 1
        }
        remaining--
        underWay++
        let open = true
        return {
          settle: (observation) => {
            if (!open) return
            open = false
            underWay--
            if (observation !== undefined) observe(observation)
            wakeFirst()
          }
        }
      },
      estimate: (now, ahead) =>
        ahead < remaining
          ? 0
          : Math.max(0, resetAt - now) + (limit === undefined ? 0 : Math.floor(ahead / limit) * window)
    }
  })
}

/**
 * Keeps to a limit that is known: at most so many requests in any span of the window's length, first come, first
 * served. For several processes on one limit see the recipe with a shared rate limiter in the documentation.
 *
 * @example
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Pacing from "@cloud-management/core/Pacing"
 *
 * const cloud = CloudManagement.layerConfig({ pacing: Pacing.fixed({ limit: 10, window: "10 seconds" }) })
 */
export const fixed = (options: { readonly limit: number; readonly window: Duration.Input }): Pacing => ({
  make: makeLine(() => {
    const window = Duration.toMillis(Duration.fromInputUnsafe(options.window))
    /** When the last turns were given, oldest first; at most `limit` of them. */
    const turns: Array<number> = []
    const free = (now: number, ahead: number) => {
      const oldest = turns[turns.length - options.limit + (ahead % options.limit)]
      return oldest === undefined ? 0 : Math.max(0, oldest + window - now)
    }
    return {
      take: (now) => {
        const wait = free(now, 0)
        if (wait > 0) return { wait }
        turns.push(now)
        if (turns.length > options.limit) turns.shift()
        return { settle: () => {} }
      },
      estimate: (now, ahead) => free(now, ahead) + Math.floor(ahead / options.limit) * window
    }
  })
})
