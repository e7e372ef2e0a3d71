import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Schema } from "effect"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Envelope, Operation, Retry } from "@cloud-management/client"
import { deleteApiKey } from "@cloud-management/core/Operations"
import { ReversePrivateEndpointId } from "@cloud-management/core/ReversePrivateEndpoint"
import { Faults, Fixtures, VirtualTime } from "@cloud-management/testing"
import { calls, connect, ending, play, refusal, type Client } from "../../../checks/fixtures/Scripted.ts"

const { Fault } = Faults

const organizationId = Fixtures.acme
const missing = ApiKeyId.make("a0000000-0000-4000-8000-0000000000ff")

const removePresent = calls["apiKeys.delete"]
const removeMissing = (cloud: Client) => cloud.apiKeys.delete({ organizationId, keyId: missing })

/** The key is deleted, and the response does not get through. */
const lost = Fault.DropAfterSend()
/** The request does not reach the service, and the client knows it. */
const unsent = Fault.DropBeforeSend()
/** The request does not reach the service, and the client cannot know it. */
const doubtful = Fault.Break({ code: "ECONNRESET", when: "before-send" })
const html404 = Fault.Status({ status: 404, headers: { "content-type": "text/html" }, body: "<h1>Not here</h1>" })

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

describe("a 404 without such an attempt is none", () => {
  const faults: ReadonlyArray<readonly [name: string, ...faults: ReadonlyArray<Faults.Fault>]> = [
    ["the first attempt"],
    ["a 429, and one that was not sent", refusal(429), unsent]
  ]
  it.effect.each(faults)("%s", function* ([, ...faults]) {
    const { ending, error } = yield* play(faults, { call: removeMissing })
    expect([ending, error?.attempts]).toEqual(["ApiKeyNotFound 404 refused", faults.length + 1])
  })

  it.effect("even when the call before it lost its response", function* () {
    const timeline = VirtualTime.make()
    const { cloud } = yield* connect([lost], { retry: Retry.none })
    const first = yield* timeline.run(removePresent(cloud))
    expect(ending(first.exit)).toBe("TransportFailed unknown")
    const second = yield* timeline.run(removePresent(cloud))
    expect(ending(second.exit)).toBe("ApiKeyNotFound 404 refused")
  })
})

describe("after an attempt that may have been applied, nothing else is a deletion", () => {
  type Call = (cloud: Client) => ReturnType<typeof removePresent>
  const params = { organizationId, keyId: missing }
  const reversePrivateEndpointId = ReversePrivateEndpointId.make(missing)
  const reading: Call = (cloud) =>
    cloud.reversePrivateEndpoints.get({ organizationId, serviceId: Fixtures.analytics, reversePrivateEndpointId })
  const own = Operation.make({ ...deleteApiKey, method: "GET" })
  const withResult = Operation.make({ ...deleteApiKey, success: Envelope.withResult(Schema.Struct({})) })
  const login = Fault.Status({ status: 200, body: '{"login":"please"}' })

  it.effect.each<readonly [name: string, faults: ReadonlyArray<Faults.Fault>, ending: string, call?: Call]>([
    ["a 404 in HTML", [lost, html404], "UnexpectedStatus 404 unknown"],
    // whose 404 it is, only its body tells
    ["a 404 that breaks off", [lost, Fault.Truncate({ bytes: 9 })], "UnexpectedStatus 404 unknown"],
    ["a 400", [lost, refusal(400)], "BadRequest 400 unknown"],
    ["a success in JSON that is none", [lost, login], "InvalidResponse 200 unknown"],
    ["a 404 of a read", [lost], "ReversePrivateEndpointNotFound 404 unknown", reading],
    [
      "a 404 of a read of one's own whose success has no result",
      [doubtful, refusal(404)],
      "ApiKeyNotFound 404 unknown",
      (cloud) => cloud.execute(own, params)
    ],
    [
      "a 404 of a deletion of one's own whose success has a result",
      [lost],
      "ApiKeyNotFound 404 unknown",
      (cloud) => cloud.execute(withResult, params)
    ]
  ])("%s", function* ([, faults, expected, call = removePresent]) {
    const { ending, error } = yield* play(faults, { call, retry: { attempts: 2 } })
    expect([ending, error?.attempts]).toEqual([expected, 2])
  })
})

const rows: ReadonlyArray<readonly [name: string, faults: ReadonlyArray<Faults.Fault>, ending: string]> = [
  ["unknown, when the first may have been applied", [lost, unsent, unsent], "TransportFailed unknown"],
  ["unknown, when the last may have been", [unsent, unsent, lost], "TransportFailed unknown"],
  ["unknown, when one before a refusal may have been", [lost, refusal(429), refusal(429)], "RateLimited 429 unknown"],
  ["refused, when the last was and no other was sent", [unsent, unsent, refusal(429)], "RateLimited 429 refused"],
  ["refused, when the first was and no other was sent", [refusal(429), unsent, unsent], "TransportFailed refused"],
  ["not-sent, when none was", [unsent, unsent, unsent], "TransportFailed not-sent"]
]
it.effect.each(rows)("when attempts run out, the error tells %s", function* ([, faults, expected]) {
  const { ending, error } = yield* play(faults, { call: removePresent })
  expect([ending, error?.attempts]).toEqual([expected, 3])
})
