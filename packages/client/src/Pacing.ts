import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Throttled } from "./CallError.ts"
import { monotonicMillis } from "./internal/clock.ts"
import { type Head, rateLimit, type Release } from "./internal/head.ts"
import * as OptionRules from "./OptionRules.ts"

/**
 * Delays requests, for the client's option `pacing`: {@link adaptive} or {@link fixed}.
 *
 * **Details**
 *
 * The client creates one state and uses it before every attempt, so the calls of one client share it. If a program uses
 * neither, its bundle does not contain this module.
 *
 * **Gotchas**
 *
 * Do not use it in workerd: a call passes its turn to the next one, but there one request cannot wake
 * another, and a request that is cancelled in the line would block it.
 */
export interface Pacing {
  /** Creates the queue in which the calls of one client wait. */
  readonly make: Effect.Effect<WithTurn>
}

/**
 * Waits for a turn, first come, first served, and then runs `use`; if `use` ends without calling `release`, the pacing
 * calls it.
 *
 * **Details**
 *
 * It fails as soon as it is known that the turn would come later than in `timeLeft` milliseconds. An interruption loses
 * no turn.
 */
export type WithTurn = <A, E>(
  timeLeft: number,
  use: (release: Release) => Effect.Effect<A, E>
) => Effect.Effect<A, E | Throttled>

/**
 * A turn, or none yet: the minimum time to wait for one, and the maximum time until the next look, in milliseconds from
 * now. A waiting call is also woken when a request in flight ends.
 */
type Turn = { readonly release: Release } | { readonly least: number; readonly again: number }

interface Rule {
  readonly take: (now: number) => Turn
  /** The minimum time in milliseconds that a call with `ahead` calls before it waits. */
  readonly estimate: (now: number, ahead: number) => number
}

/** A call in the line. */
interface Waiter {
  readonly deadline: number
  /** When its turn would come at the earliest, as of when that was last asked. */
  turnAt: number
  wake: Deferred.Deferred<void>
}

const throttled = (wait: number) =>
  new Throttled({
    message: `the client's pacing allows this call only after its deadline`,
    retryAfter: Duration.millis(Math.ceil(wait))
  })

/**
 * Gives turns first come, first served. Only the first in the line looks for one; the others sleep until they are
 * first, or until the pacing learns that their turn would come too late. Thousands can wait, and end at once: no call
 * looks for its place among the others.
 */
const makeLine = (rule: (learned: (now: number | undefined) => void) => Rule): Pacing["make"] =>
  Effect.sync(() => {
    /** By numbers, of which `oldest` is the first that can still be there, and `next` is not given yet. */
    const line = new Map<number, Waiter>()
    let [oldest, next] = [0, 0]
    /** No call that waits has an earlier deadline. */
    let earliest = Infinity
    const wake = ({ wake }: Waiter) => Deferred.doneUnsafe(wake, Effect.void)
    const first = () => {
      while (oldest < next && !line.has(oldest)) oldest++
      return oldest
    }
    const wakeFirst = () => {
      const waiter = line.get(first())
      if (waiter !== undefined) wake(waiter)
    }
    const { estimate, take } = rule((now) => {
      wakeFirst()
      // nobody waits longer than the last
      if (now === undefined || now + estimate(now, line.size - 1) < earliest) return
      earliest = Infinity
      let ahead = 0
      for (const waiter of line.values()) {
        waiter.turnAt = now + estimate(now, ahead++)
        if (waiter.turnAt >= waiter.deadline) wake(waiter)
        else earliest = Math.min(earliest, waiter.deadline)
      }
    })
    const turn = Effect.fnUntraced(function* (
      timeLeft: number,
      restore: <A>(wait: Effect.Effect<A>) => Effect.Effect<A>
    ) {
      const began = yield* monotonicMillis
      const deadline = began + timeLeft
      const self: Waiter = { deadline, turnAt: began + estimate(began, line.size), wake: Deferred.makeUnsafe<void>() }
      const number = next++
      line.set(number, self)
      earliest = Math.min(earliest, deadline)
      const leave = Effect.sync(() => {
        line.delete(number)
        wakeFirst()
      })
      const wait = Effect.fnUntraced(function* () {
        for (;;) {
          const now = yield* monotonicMillis
          // a turn that comes with the deadline is of no use, and would be lost
          const mayTake = first() === number && now < deadline
          const turn = mayTake ? take(now) : { least: Math.max(0, self.turnAt - now), again: Infinity }
          if ("release" in turn) return turn.release
          if (now + turn.least >= deadline) return yield* throttled(turn.least)
          self.wake = Deferred.makeUnsafe<void>()
          // whole milliseconds: timers are no finer, and a wait that is rounded down would never end
          const pause = Math.ceil(Math.min(turn.again, deadline - now))
          yield* restore(Effect.timeoutOption(Deferred.await(self.wake), Duration.millis(pause)))
          // who leaves the line wakes the next one on its own stack, which must not grow with the line
          yield* Effect.yieldNow
        }
      })
      return yield* Effect.ensuring(wait(), leave)
    })
    return (timeLeft, use) =>
      // only the wait for a turn and what it is for can be interrupted
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(turn(timeLeft, restore), (release) =>
          Effect.onExit(restore(use(release)), () => Effect.sync(() => release(undefined)))
        )
      )
  })

/**
 * How long others wait for the first request, and for one that tries a window, if no window was stated, in
 * milliseconds.
 */
const patience = 1000

/**
 * If a reset is further away, the client tries after an hour, so that no response can block it for good. In
 * milliseconds.
 */
const longest = 3_600_000

/**
 * Stays within the limit that the service states in its responses (`X-RateLimit-*`, `RateLimit`, `Retry-After`), so
 * that a program that exceeds the limit gets no 429.
 *
 * **When to use**
 *
 * For a limit that the service states. For a limit that only you know, use {@link fixed}.
 *
 * **Details**
 *
 * It never assumes a limit that the service did not state.
 *
 * The first request is sent alone, and the others wait for its response for at most a second, because it may state a
 * limit. If it states none, nothing is delayed. When no requests remain, one is sent after the reset, once those in
 * flight have their responses; the others follow as its own allows. After a 429 without a limit, each response lets
 * two more requests go.
 *
 * **Gotchas**
 *
 * It knows only this client's requests: other processes with the same key can still cause a 429.
 *
 * **Example** (Keeping to the service's limit)
 *
 * ```ts
 * import type * as Client from "@cloud-management/client/Client"
 * import * as Pacing from "@cloud-management/client/Pacing"
 *
 * const options: Partial<Client.Options> = { pacing: Pacing.adaptive }
 * ```
 */
export const adaptive: Pacing = {
  make: makeLine((learned) => {
    let limit: number | undefined
    /** Requests that may certainly be sent before the reset; `Infinity` if nothing is delayed. */
    let remaining = 0
    let resetAt = 0
    /** When the request was sent whose response states how many are left. */
    let openedAt = 0
    /** Longest reset that was stated since then: the minimum length of a whole window. */
    let window = 0
    let heard = false
    /** Whether any response was a 429; whether any stated how many are left. */
    let refused = false
    let counted = false
    let underWay = 0
    let sent = 0

    /** `overlapping` other requests were in flight at some time between a request and its response. */
    const observe = (head: Head, overlapping: number) => {
      const { at, retryAfter = 0, status } = head
      heard = true
      const stated = rateLimit(head)
      const wait = status === 429 ? retryAfter : 0
      // 0 lets nothing pass, ever: no service means it, and no wait could be estimated from it
      limit = stated.limit || limit
      window = Math.max(window, Math.min(stated.reset ?? 0, longest))
      if (status === 429 || stated.remaining !== undefined) {
        const reset = Math.max(stated.reset ?? 0, wait)
        // the reset was counted from an earlier moment, and that of a later request can be further away
        resetAt = Math.max(resetAt, at + Math.min(reset, longest))
      }
      if (status === 429) {
        refused = true
        remaining = 0
      } else if (stated.remaining !== undefined) {
        counted = true
        // each of the others may or may not be counted in the number
        const certain = Math.max(0, stated.remaining - overlapping)
        remaining = remaining === Infinity ? certain : Math.min(Math.max(remaining, certain), stated.remaining)
      } else if (!counted) {
        remaining = refused ? remaining + 2 : Infinity
      }
    }
    return {
      take: (now) => {
        if (remaining < 1) {
          if (now < resetAt) return { least: resetAt - now, again: resetAt - now }
          if (underWay > 0) {
            const late = Math.max(resetAt, openedAt) + Math.max(window, patience)
            if (now < late) return { least: 0, again: late - now }
            // each of those under way may take a place in the window that is tried
            if (heard && underWay >= (limit ?? 1)) return { least: 0, again: Infinity }
          }
          if (underWay > 0 && !heard) remaining = Infinity
          else {
            remaining = 1
            openedAt = now
            window = 0
          }
        }
        const before = underWay - sent
        remaining--
        underWay++
        sent++
        let open = true
        return {
          release: (head) => {
            if (!open) return
            open = false
            underWay--
            if (head !== undefined) observe(head, before + sent - 1)
            learned(head?.at)
          }
        }
      },
      estimate: (now, ahead) =>
        ahead < remaining
          ? 0
          : Math.max(0, resetAt - now) + (limit === undefined ? 0 : Math.floor((ahead - remaining) / limit) * window)
    }
  })
}

/**
 * Stays within a known limit: at most `limit` requests in any period as long as `window`, first come, first served.
 *
 * **Details**
 *
 * Throws a `RangeError` if `limit` is not a whole number of at least 1, or `window` not a duration of at least 0.
 *
 * **Gotchas**
 *
 * It counts the requests of one client. If several processes share a limit, see the recipe with a shared rate limiter
 * in the documentation.
 *
 * **Example** (Sending 10 requests in 10 seconds)
 *
 * ```ts
 * import type * as Client from "@cloud-management/client/Client"
 * import * as Pacing from "@cloud-management/client/Pacing"
 *
 * const options: Partial<Client.Options> = { pacing: Pacing.fixed({ limit: 10, window: "10 seconds" }) }
 * ```
 */
export const fixed = (options: { readonly limit: number; readonly window: Duration.Input }): Pacing => {
  const { limit, window: length } = options
  OptionRules.check(
    "pacing",
    { ...options, limit, window: length },
    { limit: OptionRules.count, window: OptionRules.duration }
  )
  const window = OptionRules.millis(length)
  return {
    make: makeLine(() => {
      /** When the last turns were given, oldest first; at most `limit` of them. */
      const turns: Array<number> = []
      const free = (now: number, ahead: number) => {
        const oldest = turns[turns.length - limit + (ahead % limit)]
        return oldest === undefined ? 0 : Math.max(0, oldest + window - now)
      }
      return {
        take: (now) => {
          const wait = free(now, 0)
          if (wait > 0) return { least: wait, again: wait }
          turns.push(now)
          if (turns.length > limit) turns.shift()
          return { release: () => {} }
        },
        estimate: (now, ahead) => free(now, ahead) + Math.floor(ahead / limit) * window
      }
    })
  }
}
