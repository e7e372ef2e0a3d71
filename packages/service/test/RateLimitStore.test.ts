import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { memory } from "@cloud-management/service/RateLimitStore"
import * as KeyLimit from "../src/frame/admission/keyLimit.ts"

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

it.effect("counts up from one until the window is over, which does not move, and then anew", function* () {
  const count = memory.counter("a", "100 millis")
  const tallies = yield* Effect.replicateEffect(Effect.tap(count("x"), TestClock.adjust("30 millis")), 5)
  expect(tallies.map(({ count }) => count)).toEqual([1, 2, 3, 4, 1])
  expect(tallies.map(({ endsIn }) => endsIn)).toEqual([100, 70, 40, 10, 100])
})

it.effect("counts apart what has another subject, counter or window", function* () {
  const { counter } = memory
  const [a, b, longer] = [counter("a", "1 hour"), counter("b", "1 hour"), counter("a", "2 hours")]
  const tallies = yield* Effect.all([a("x"), a("y"), a("x"), b("x"), longer("x"), longer("x")])
  expect(tallies.map(({ count }) => count)).toEqual([1, 1, 2, 1, 1, 2])
})

const key = (n: number) => ({ id: ApiKeyId.make(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`) })

it.effect("memory forgets no window of a key for those of strangers, nor for those of other keys", function* () {
  const count = yield* KeyLimit.make({ limit: 1, window: "1 hour" })
  const strangers = memory.counter("address", "1 hour")
  yield* count(key(0))
  yield* Effect.forEach(upTo(100_001), (n) => strangers(String(n)), { discard: true })
  yield* Effect.forEach(upTo(100_001), (n) => count(key(n)), { discard: true })
  expect((yield* count(key(0))).refused).toBeDefined()
})
