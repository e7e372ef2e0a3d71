import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Random, Schema } from "effect"
import { Envelope, Operation, Retry } from "@cloud-management/client"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { deleteApiKey } from "@cloud-management/core/Operations"
import * as Refusals from "@cloud-management/core/Refusals"
import { Faults, Fixtures, VirtualTime } from "@cloud-management/testing"
import { type Client } from "../../../checks/fixtures/Scripted.ts"
import { always, connect, play, refusal } from "./Scripted.ts"

// policy.test.ts has the step after a failure, and checks/faults/table.ts how each fault ends a call.

const { Fault } = Faults

const tagOf = (status: number) =>
  Refusals.commonRefusals.find((refusal) => refusal.status === status)?.name ?? "UnexpectedStatus"

it.effect("the status tells the reason, whether a request is sent again, and its outcome", function* () {
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
      tagOf(status),
      [408, 429, 500, 502, 503, 504].includes(status),
      status > 303 && status < 500 && status !== 408 ? "refused" : "unknown"
    ])
  )
})

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

const organizationId = Fixtures.acme
const missing = ApiKeyId.make("a0000000-0000-4000-8000-0000000000ff")

const removeMissing = (cloud: Client) => cloud.apiKeys.delete({ organizationId, keyId: missing })

/** The key is deleted, and the response does not get through. */
const lost = Fault.DropAfterSend()
/** The request does not reach the service, and the client cannot know it. */
const doubtful = Fault.Break({ code: "ECONNRESET", when: "before-send" })

describe("a 404 for the key after an attempt that may have been applied is a deletion", () => {
  it.effect("also for a key that never existed: the client cannot tell (RFC 9110 §9.2.2)", function* () {
    const { ending, sent } = yield* play([doubtful], { call: removeMissing })
    expect([ending, sent.length]).toEqual(["ok", 2])
  })

  it.effect("whose envelope has the request ID of the 404", function* () {
    const timeline = VirtualTime.make()
    const { cloud } = yield* connect([lost])
    const params = { organizationId, keyId: Fixtures.backupKey.id }
    let envelope: Envelope.Success = {}
    yield* timeline.run(Effect.map(cloud.execute(deleteApiKey, params), (success) => (envelope = success)))
    expect(envelope).toEqual({ requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })
})

it.effect.each([
  ["a read, whose success has no result", Operation.make({ ...deleteApiKey, method: "GET" }), doubtful, refusal(404)],
  ["a deletion with one", Operation.make({ ...deleteApiKey, success: Envelope.withResult(Schema.Struct({})) }), lost]
] as const)("after one, a 404 for %s of one's own, is no deletion", function* ([, operation, ...faults]) {
  const call = (cloud: Client) =>
    cloud.execute<Operation.Any>(operation, { organizationId, keyId: Fixtures.backupKey.id })
  const { ending, error } = yield* play(faults, { call, retry: { attempts: 2 } })
  expect([ending, error?.attempts]).toEqual(["ApiKeyNotFound 404 unknown", 2])
})
