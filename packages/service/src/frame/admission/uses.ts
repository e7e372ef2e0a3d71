import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { KeyStore, ApiKey } from "../KeyStore.ts"

const hourMillis = Duration.toMillis("1 hour")

/**
 * Records in the store when keys were last used, to the hour. A key's row says which hour is recorded, so there is
 * nothing to do for all requests of an hour but the first, whichever node it comes to. The first is
 * recorded at once, and those that follow together, in a fiber of their own: no request waits.
 */
export const make = Effect.fnUntraced(function* (store: KeyStore["Service"]) {
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(Context.omit(Tracer.ParentSpan)(yield* Effect.context()))
  /** The hour of each use that is not recorded yet. */
  let waiting = new Map<ApiKeyId, number>()
  let isAway = false
  let isScheduled = false

  const recorded = Effect.suspend(() => {
    const uses = waiting
    waiting = new Map()
    const recordHour = (hour: number) => {
      const ids = Array.from(uses, ([id, at]) => (at === hour ? [id] : []))
      return store.recordUse(ids.flat(), DateTime.makeUnsafe(hour))
    }
    return Effect.forEach(new Set(uses.values()), recordHour, { discard: true }).pipe(
      Effect.onError(() => Effect.sync(() => (waiting = new Map([...uses, ...waiting]))))
    )
  })
  const attempted = Effect.matchCauseEffect(recorded, {
    onSuccess: () => {
      isAway = false
      return Effect.sleep("1 second")
    },
    onFailure: (cause) => {
      const problem = "the last use of keys cannot be recorded at the moment"
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      const warned = error ? Effect.logWarning(`${problem}: ${error.message}`) : Effect.logError(problem, cause)
      const retry = Effect.andThen(isAway ? Effect.void : warned, Effect.sleep("1 minute"))
      isAway = true
      return retry
    }
  })
  const all = Effect.repeat(attempted, { while: () => (isScheduled = waiting.size > 0) })
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeoutOption(Effect.interruptible(recorded), "1 second")))

  return {
    /** A request has authenticated with a key. */
    note: ({ id, lastUsedAt }: ApiKey, clock: Clock.Clock): void => {
      const now = clock.currentTimeMillisUnsafe()
      const hour = now - (now % hourMillis)
      if (lastUsedAt !== undefined && lastUsedAt.epochMilliseconds >= hour) return
      // it is left to a later request: its hour is not recorded yet
      if (waiting.size >= 10_000 && !waiting.has(id)) return
      waiting.set(id, hour)
      if (isScheduled) return
      isScheduled = true
      Fiber.runIn(fork(all), scope)
    }
  }
})
