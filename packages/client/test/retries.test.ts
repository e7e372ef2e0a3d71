import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Random } from "effect"
import { Retry } from "@cloud-management/client"
import { Faults, VirtualTime } from "@cloud-management/testing"
import { always, connect, play, refusal } from "../../../checks/fixtures/Scripted.ts"

// policy.test.ts has the step after a failure, and checks/faults/table.ts how each fault ends a call.

const { Fault } = Faults

const tags: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  429: "RateLimited",
  500: "InternalError",
  503: "ServiceUnavailable"
}

it.effect(
  "the status tells the reason, whether a response is sent again, and whether the request can have been applied",
  function* () {
    const statuses = Array.from({ length: 300 }, (_, i) => 300 + i)
    const timeline = VirtualTime.make()
    const { cloud } = yield* connect(
      statuses.map((status) => refusal(status)),
      { retry: Retry.none }
    )
    const { exit } = yield* timeline.run(Effect.forEach(statuses, () => Effect.flip(cloud.organizations.list())))
    const reported = (yield* exit).map(({ isRetryable, outcome, reason, status }) => [
      status,
      reason._tag,
      isRetryable,
      outcome
    ])
    expect(reported).toEqual(
      statuses.map((status) => [
        status,
        tags[status] ?? "UnexpectedStatus",
        [408, 429, 500, 502, 503, 504].includes(status),
        status > 303 && status < 500 && status !== 408 ? "refused" : "unknown"
      ])
    )
  }
)

it.effect("the wait is drawn anew each time: the same for the same seed, and other for another", function* () {
  const seeded = (seed: string) =>
    Effect.map(play(always(refusal(503))).pipe(Random.withSeed(seed)), ({ gaps }) => gaps)
  const [first = 0, second = 0] = yield* seeded("one")
  // to a tenth of a millisecond: the clock goes on between the calls
  expect(yield* seeded("one")).toEqual([expect.closeTo(first, 1), expect.closeTo(second, 1)])
  expect(yield* seeded("other")).not.toEqual([expect.closeTo(first, 1), expect.closeTo(second, 1)])
  expect(second).not.toBeCloseTo(2 * first, 1)
})

it.effect("the wait that the head of a success asks for is kept when its body breaks off", function* () {
  const success = Fault.Status({ status: 200, headers: { "retry-after": "7" }, body: "{}" })
  const { ending, gaps } = yield* play([success], { cuts: [Fault.Truncate({ bytes: 1 })] })
  expect([ending, gaps]).toEqual(["ok", [7000]])
})
