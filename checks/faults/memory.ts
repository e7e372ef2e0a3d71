import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import { allCalls, connect } from "../fixtures/Scripted.ts"
import * as Timeline from "../fixtures/Timeline.ts"
import { witness } from "./deletion.ts"
import { isFaulty, judge, read, retryOf, type Trial, type Verdict } from "./verdict.ts"

/** Tries one cell of the table over the in-memory transport, in virtual time. Needs a test clock. */
export const run = Effect.fnUntraced(function* (
  trial: Trial
): Effect.fn.Return<Verdict | undefined, never, Scope.Scope> {
  const { operation, policy, row } = trial
  if (row.memory === undefined) return undefined
  const { memory } = row
  const timeline = yield* Timeline.make
  function* script() {
    for (let attempt = 1; isFaulty(policy, attempt); attempt++) {
      if (attempt === 1) timeline.jump(row.jump ?? 0)
      yield typeof memory === "function" ? memory(timeline.millis()) : memory
    }
  }
  function* cuts() {
    for (let attempt = 1; row.cut !== undefined && isFaulty(policy, attempt); attempt++) yield row.cut
  }
  const { cloud, sent, served } = yield* connect(script(), { retry: retryOf(policy) }, cuts())
  const deletion = witness()
  const { elapsed, exit } = yield* timeline
    .run(deletion.watch(allCalls[operation](cloud)))
    .pipe(Random.withSeed(`${row.fault} ${operation} ${policy}`))
  const facts = row.except?.[operation] ?? row.expected
  return judge(trial, facts, {
    ...read(exit, deletion.assumed()),
    attempts: sent.length,
    served: served.length,
    elapsed,
    leftovers: timeline.waits() === 0 ? [] : [`${timeline.waits()} timers left`]
  })
})
