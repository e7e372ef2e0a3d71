import * as Effect from "effect/Effect"
import type * as Audit from "../Audit.ts"

/**
 * Counts rejected requests by their callers, and records the count once a minute from the first one on, so that a flood
 * of requests leaves no flood of records: that of all, or of those after a first one that has a record of its own. What is
 * counted when the service ends is recorded then.
 */
export const make = Effect.fnUntraced(function* (audit: Audit.Recorder, event: Audit.Event, recorded: 0 | 1) {
  const scope = yield* Effect.scope
  const counts = new Map<string | undefined, number>()
  const report = (subject: string | undefined, fields: Audit.Fields) =>
    Effect.suspend(() => {
      const count = (counts.get(subject) ?? 0) - recorded
      counts.delete(subject)
      return count > 0 ? audit(event, { ...fields, count }) : Effect.void
    })
  /** Counts a request, and returns whether it is the first of its minute. The fields name the caller in its record. */
  return (caller: string, fields: Audit.Fields): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      // the callers beyond these are counted together
      const isKnown = counts.has(caller) || counts.size < 1000
      const subject = isKnown ? caller : undefined
      const count = counts.get(subject) ?? 0
      counts.set(subject, count + 1)
      if (count > 0) return Effect.succeed(false)
      const later = Effect.ensuring(Effect.sleep("1 minute"), report(subject, isKnown ? fields : {}))
      return Effect.as(Effect.forkIn(later, scope, { startImmediately: true }), true)
    })
})
