import { describe, expect, it } from "vitest"
import { Duration, Schema } from "effect"
import { Body, CallError, CallErrorSchema, Operation, Refusal, Wire } from "@cloud-management/client"
import { deleteApiKey } from "@cloud-management/core/Operations"
import { MissingSettings } from "@cloud-management/core/Settings"

const refused = { message: "CODE: text", requestId: "req-1", retryAfter: Duration.seconds(2) }
const reasons = [
  ...deleteApiKey.errors.map((Refusal) => new Refusal(refused)),
  new CallError.UnexpectedStatus(refused),
  new CallError.InvalidResponse({ message: "the body is cut short", requestId: "req-2" }),
  new CallError.TransportFailed({ message: "refused", transient: true, code: "ECONNREFUSED", proxy: "http://proxy" }),
  new CallError.TransportFailed({ message: "no certificate", transient: false }),
  new CallError.Timeout({ message: "no response", limit: Duration.millis(1500) }),
  new CallError.Throttled({ message: "too late", retryAfter: Duration.seconds(3) })
]
const errorOf = <Reason extends CallError.ClientReason | CallError.Refused>(reason: Reason) =>
  new CallError.CallError({
    operation: "apiKeys.delete",
    method: "DELETE",
    path: "/v1/organizations/:organizationId/keys/:keyId",
    baseUrl: "https://api.example.com",
    status: "status" in reason ? reason.status : undefined,
    attempts: 2,
    outcome: "unknown",
    reason
  })

describe("an error that leaves its thread", () => {
  it.each([...reasons.map(errorOf), ...reasons, new MissingSettings({ names: ["A", "B"] })])(
    "keeps its message: $_tag",
    (error) => {
      expect(error.message).not.toBe("")
      expect(structuredClone(error).message).toBe(error.message)
    }
  )

  const schema = Schema.toCodecJson(CallErrorSchema.make(deleteApiKey))
  it.each(reasons)("is the same after its schema: $_tag", (reason) => {
    const error = errorOf(reason)
    const text = JSON.stringify(Schema.encodeUnknownSync(schema)(error))
    const decoded = Schema.decodeUnknownSync(schema)(JSON.parse(text))
    expect(decoded).toBeInstanceOf(CallError.CallError)
    expect(decoded.reason).toBeInstanceOf(reason.constructor)
    expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(error)))
    expect([decoded.message, decoded.isRetryable]).toEqual([error.message, error.isRetryable])
  })

  const Details = Schema.Struct({ at: Schema.Date, id: Schema.optionalKey(Wire.Int64) })
  class Expired extends CallError.refusal("Expired", 410, Refusal.exact(Refusal.body(Details))) {}
  const read = Operation.make({
    group: "pets",
    name: "read",
    method: "GET",
    path: "/pets",
    success: Body.empty,
    errors: [Expired]
  })
  it.each([{ at: new Date(0) }, { at: new Date(1), id: 7 }, { at: new Date(2), id: 9_007_199_254_740_993n }])(
    "keeps the body of a refusal, whatever JSON makes of its parts: %o",
    (body) => {
      const schema = Schema.toCodecJson(CallErrorSchema.make(read))
      const error = errorOf(new Expired({ message: "gone", body }))
      const text = JSON.stringify(Schema.encodeUnknownSync(schema)(error))
      const { reason } = Schema.decodeUnknownSync(schema)(JSON.parse(text))
      expect(reason).toBeInstanceOf(Expired)
      expect(reason).toHaveProperty("body", body)
    }
  )

  it("takes undefined and null for what is absent", () => {
    const reason = new CallError.UnexpectedStatus({ message: "text" })
    Object.assign(reason, { requestId: undefined })
    const text = JSON.stringify(Schema.encodeUnknownSync(schema)(errorOf(reason)))
    const decoded = Schema.decodeUnknownSync(schema)(
      JSON.parse(text.replace('"message"', '"retryAfter":null,"message"'))
    )
    expect(decoded.reason).toStrictEqual(new CallError.UnexpectedStatus({ message: "text" }))
  })

  it("does not decode with a reason that the operation does not declare", () => {
    const encoded = JSON.stringify(Schema.encodeUnknownSync(schema)(errorOf(new CallError.UnexpectedStatus(refused))))
    const other: unknown = JSON.parse(encoded.replace("UnexpectedStatus", "ServiceNotFound"))
    expect(() => Schema.decodeUnknownSync(schema)(other)).toThrow("a reason of the operation")
  })
})
