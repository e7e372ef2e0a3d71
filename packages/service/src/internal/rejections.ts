import * as Effect from "effect/Effect"
import * as Audit from "../Audit.ts"

/** Most addresses that are counted apart at once; all others are counted together. */
const capacity = 1000

/**
 * Counts rejected requests by address, and records the count once a minute from the first one on, so that a flood of
 * requests leaves no flood of records. What is counted when the service ends is recorded then.
 */
export const make = Effect.fnUntraced(function* (audit: Audit.Recorder) {
  const scope = yield* Effect.scope
  const counts = new Map<string | undefined, number>()
  const report = (address: string | undefined) =>
    Effect.suspend(() => {
      const count = counts.get(address)
      counts.delete(address)
      return audit(Audit.events.authenticationRejected, { address, count })
    })
  return (address: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const subject = counts.has(address) || counts.size < capacity ? address : undefined
      const count = counts.get(subject) ?? 0
      counts.set(subject, count + 1)
      if (count > 0) return Effect.void
      const later = Effect.ensuring(Effect.sleep("1 minute"), report(subject))
      return Effect.asVoid(Effect.forkIn(later, scope, { startImmediately: true }))
    })
})
