import * as Effect from "effect/Effect"

/** Most callers that are counted apart at once; all others are counted together. */
const capacity = 1000

/**
 * Counts rejected requests by their callers, and records the count once a minute from the first one on, so that a flood
 * of requests leaves no flood of records. What is counted when the service ends is recorded then.
 */
export const make = Effect.fnUntraced(function* (
  record: (caller: string | undefined, count: number) => Effect.Effect<void>
) {
  const scope = yield* Effect.scope
  const counts = new Map<string | undefined, number>()
  const report = (caller: string | undefined) =>
    Effect.suspend(() => {
      const count = counts.get(caller) ?? 0
      counts.delete(caller)
      return record(caller, count)
    })
  /** Counts a request, and returns whether it is the first of its minute. */
  return (caller: string): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const subject = counts.has(caller) || counts.size < capacity ? caller : undefined
      const count = counts.get(subject) ?? 0
      counts.set(subject, count + 1)
      if (count > 0) return Effect.succeed(false)
      const later = Effect.ensuring(Effect.sleep("1 minute"), report(subject))
      return Effect.as(Effect.forkIn(later, scope, { startImmediately: true }), true)
    })
})
