import { Effect, Random } from "effect"
import { allCalls, connect } from "../fixtures/Scripted.ts"
import { VirtualTime } from "@cloud-management/testing"
import { isFaulty, judge, retryOf, type Trial, tryAll, watch } from "./verdict.ts"
import { expect, it } from "../fixtures/vitest.ts"
import { TestClock } from "effect/testing"
import { table } from "./table.ts"

export const run = Effect.fnUntraced(function* (trial: Trial) {
  const { operation, policy, row } = trial
  const { memory } = row
  const timeline = VirtualTime.make()
  function* script() {
    for (let attempt = 1; isFaulty(policy, attempt); attempt++) {
      if (attempt === 1) timeline.jump(row.jump ?? 0)
      yield typeof memory === "function" ? memory(timeline.wall()) : memory
    }
  }
  function* cuts() {
    for (let attempt = 1; row.cut !== undefined && isFaulty(policy, attempt); attempt++) yield row.cut
  }
  const { cloud, sent, served } = yield* connect(script(), { retry: retryOf(policy) }, cuts())
  let elapsed = 0
  const end = yield* timeline.run(allCalls[operation](cloud)).pipe(
    Effect.map((ended) => {
      elapsed = ended.elapsed
      return ended.exit
    }),
    Random.withSeed(`${row.fault} ${operation} ${policy}`),
    watch
  )
  const facts = row.except?.[operation] ?? row.expected
  return judge(trial, facts, {
    ...end,
    attempts: sent.length,
    served: served.length,
    elapsed,
    leftovers: timeline.sleeps() === 0 ? [] : [`${timeline.sleeps()} timers left`]
  })
})

it.live.each(table)("in memory: $fault", function* (row) {
  expect(yield* Effect.provide(tryAll(row, 1, run), TestClock.layer())).toEqual([])
})
