import { describe, expect, it } from "vitest"
import * as Promises from "@cloud-management/promise"
import { connect, id, listed, refused, rejection, silence, type Answer } from "./Stub.ts"

const { CloudError, CloudManagementError, StatusError } = Promises

const remove = (answer: Answer) =>
  rejection(connect(answer, { maxRetries: 0, timeout: 5 }).cloud.apiKeys.delete({ organizationId: id, keyId: id }))

describe("an answer with status", () => {
  it.each([
    [400, "BadRequestError", "BadRequest", false],
    [401, "UnauthorizedError", "Unauthorized", false],
    [403, "ForbiddenError", "Forbidden", false],
    [404, "NotFoundError", "ApiKeyNotFound", false],
    [429, "RateLimitedError", "RateLimited", true],
    [500, "InternalServerError", "InternalError", true],
    [503, "ServiceUnavailableError", "ServiceUnavailable", true]
  ] as const)("%i is a %s", async (status, name, reason, isRetryable) => {
    const error = await remove(() => refused(status, { "retry-after": "7" }))
    expect(error).toBeInstanceOf(Promises[name])
    for (const Class of [StatusError, CloudError, CloudManagementError, Error]) expect(error).toBeInstanceOf(Class)
    expect(error).toMatchObject({
      name,
      reason,
      status,
      requestId: "req-2",
      attempts: 1,
      outcome: status < 500 ? "refused" : "unknown",
      isRetryable,
      operation: "apiKeys.delete",
      method: "DELETE",
      path: "/v1/organizations/:organizationId/keys/:keyId",
      message: `apiKeys.delete: ${reason} (HTTP ${status}): CODE: text (request req-2)`,
      ...([429, 503].includes(status) && { retryAfter: 7000 })
    })
  })

  it("502 of a gateway is an UnexpectedStatusError, and its 404 no NotFoundError", async () => {
    for (const status of [502, 404]) {
      const error = await remove(() => new Response("<html>", { status }))
      expect(error).toBeInstanceOf(Promises.UnexpectedStatusError)
      expect(error).not.toBeInstanceOf(StatusError)
      expect(error).toMatchObject({ name: "UnexpectedStatusError", reason: "UnexpectedStatus", status })
    }
  })
})

describe("a call without such an answer", () => {
  it.each<[name: keyof typeof Promises, answer: Answer, fields: object]>([
    ["InvalidResponseError", () => new Response("?"), { reason: "InvalidResponse", status: 200, outcome: "unknown" }],
    ["TimeoutError", silence, { reason: "Timeout", limit: 5, outcome: "unknown", isRetryable: true }],
    [
      "ConnectionError",
      () => Promise.reject(Object.assign(new TypeError("failed", { cause: { code: "ECONNREFUSED" } }))),
      { reason: "TransportFailed", code: "ECONNREFUSED", outcome: "not-sent", isRetryable: true }
    ]
  ])("rejects with a %s", async (name, answer, fields) => {
    const error = await remove(answer)
    expect(error).toBeInstanceOf(Promises[name])
    expect(error).toBeInstanceOf(CloudError)
    expect(error).not.toBeInstanceOf(StatusError)
    expect(error).toMatchObject({ name, attempts: 1, ...fields })
  })
})

describe("every cause is an Error", () => {
  it("also a defect", async () => {
    const { cloud } = connect(listed)
    const hostile = new Proxy(
      { organizationId: id, keyId: id },
      {
        get: (_, name) => {
          if (name === "keyId") throw "no error"
          return id
        }
      }
    )
    const error = await rejection(cloud.apiKeys.delete(hostile))
    expect(error).toBeInstanceOf(CloudManagementError)
    expect(error).toMatchObject({ message: "the call failed", cause: "no error" })
  })
})

describe("the types", () => {
  it("narrow by class and by reason, and are never any", async () => {
    const error = await remove(() => refused(429, { "retry-after": "7" }))
    if (!(error instanceof CloudError)) throw error
    const reason: Promises.Reason = error.reason
    const attempts: number = error.attempts
    // @ts-expect-error: the status may be absent
    const status: number = error.status
    // @ts-expect-error: the reason is text, not any
    const wrong: number = error.reason
    expect([reason, attempts, status, wrong]).toEqual(["RateLimited", 1, 429, "RateLimited"])
    if (!(error instanceof Promises.RateLimitedError)) throw error
    const exact: 429 = error.status
    expect(exact).toBe(429)
    // @ts-expect-error: that is the code of a ConnectionError
    expect(error.code).toBeUndefined()
  })
})
