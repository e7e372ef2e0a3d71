import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Schema } from "effect"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Envelope, Operation } from "@cloud-management/client"
import { deleteApiKey } from "@cloud-management/core/Operations"
import { Faults, Fixtures, VirtualTime } from "@cloud-management/testing"
import { connect, play, refusal, type Client } from "../../../checks/fixtures/Scripted.ts"

const { Fault } = Faults

const organizationId = Fixtures.acme
const missing = ApiKeyId.make("a0000000-0000-4000-8000-0000000000ff")

const removeMissing = (cloud: Client) => cloud.apiKeys.delete({ organizationId, keyId: missing })

/** The key is deleted, and the response does not get through. */
const lost = Fault.DropAfterSend()
/** The request does not reach the service, and the client cannot know it. */
const doubtful = Fault.Break({ code: "ECONNRESET", when: "before-send" })

// Which faults may have been applied is in response.test.ts, retries.test.ts and checks/faults/table.ts.

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
  [
    "a deletion, whose success has one",
    Operation.make({ ...deleteApiKey, success: Envelope.withResult(Schema.Struct({})) }),
    lost
  ]
] as const)("after one, a 404 for %s of one's own, is no deletion", function* ([, operation, ...faults]) {
  const call = (cloud: Client) =>
    cloud.execute<Operation.Any>(operation, { organizationId, keyId: Fixtures.backupKey.id })
  const { ending, error } = yield* play(faults, { call, retry: { attempts: 2 } })
  expect([ending, error?.attempts]).toEqual(["ApiKeyNotFound 404 unknown", 2])
})
