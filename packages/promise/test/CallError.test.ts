import { describe, expect, it, onTestFinished, vi } from "vitest"
import * as Promises from "@cloud-management/promise"
import { connect, id, list, listed, refused, rejection, settings, silence, stub, type Respond } from "./Stub.ts"

const { CallError, ClientError, StatusError } = Promises

const remove = (respond: Respond) =>
  rejection(connect(respond, { maxRetries: 0, timeout: 5 }).cloud.apiKeys.delete({ organizationId: id, keyId: id }))

it.each([
  [400, "BadRequestError", "BadRequest", false],
  [401, "UnauthorizedError", "Unauthorized", false],
  [403, "ForbiddenError", "Forbidden", false],
  [404, "NotFoundError", "ApiKeyNotFound", false],
  [429, "RateLimitedError", "RateLimited", true],
  [500, "InternalServerError", "InternalError", true],
  [503, "ServiceUnavailableError", "ServiceUnavailable", true]
] as const)("a response with status %i is a %s", async (status, name, reason, isRetryable) => {
  const error = await remove(() => refused(status, { "retry-after": "7" }))
  expect(error).toBeInstanceOf(Promises[name])
  for (const Class of [StatusError, CallError, ClientError, Error]) expect(error).toBeInstanceOf(Class)
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

it.each<[name: keyof typeof Promises, respond: Respond, fields: object]>([
  ["UnexpectedStatusError", () => new Response("<html>", { status: 404 }), { reason: "UnexpectedStatus", status: 404 }],
  ["InvalidResponseError", () => new Response("?"), { reason: "InvalidResponse", status: 200, outcome: "unknown" }],
  ["TimeoutError", silence, { reason: "Timeout", limit: 5, outcome: "unknown", isRetryable: true }],
  [
    "ConnectionError",
    () => Promise.reject(Object.assign(new TypeError("failed", { cause: { code: "ECONNREFUSED" } }))),
    { reason: "TransportFailed", code: "ECONNREFUSED", outcome: "not-sent", isRetryable: true }
  ],
  [
    "ConnectionError",
    () => Promise.reject(Object.assign(new TypeError("refused"), { proxyOrigin: "http://proxy.example:3128" })),
    { reason: "TransportFailed", outcome: "not-sent", proxy: "http://proxy.example:3128" }
  ]
])("a call without a response of the service rejects with a %s", async (name, respond, fields) => {
  const error = await remove(respond)
  expect(error).toBeInstanceOf(Promises[name])
  expect(error).toBeInstanceOf(CallError)
  expect(error).not.toBeInstanceOf(StatusError)
  expect(error).toMatchObject({ name, attempts: 1, ...fields })
})

it("every cause is an Error also a defect", async () => {
  const { cloud } = connect(listed)
  const hostile = {
    organizationId: id,
    get keyId(): string {
      throw "no error"
    }
  }
  const error = await rejection(cloud.apiKeys.delete(hostile))
  expect(error).toBeInstanceOf(ClientError)
  expect(error).toMatchObject({ message: "the call failed", cause: "no error" })
})

describe("the stack of an error", () => {
  const program = (call: () => Promise<unknown>) => rejection(call())
  const input = { organizationId: id, keyId: id }
  const withKey = (credentials: () => never) =>
    new Promises.CloudManagement({ baseUrl: settings.baseUrl, fetch: async () => listed(), credentials })
  const { cloud: refusing } = connect(() => refused(403))
  const lists = () => {
    const { fetch } = stub((_, attempt) => (attempt === 1 ? Response.json({ keys: [], next: "2" }) : refused(403)))
    return new Promises.Client({ baseUrl: settings.baseUrl, fetch, operations: { keys: { list } } }).keys.list
  }
  it.each<[what: string, program: () => Promise<unknown>]>([
    ["a refusal", () => refusing.organizations.list()],
    ["its details", () => refusing.organizations.list().withResponse()],
    ["an invalid input", () => connect(listed).cloud.apiKeys.delete({ ...input, keyId: ".." })],
    ["an invalid option", () => connect(listed).cloud.apiKeys.delete(input, { timeout: 0 })],
    ["an invalid key", () => withKey(() => ({}) as never).organizations.list()],
    ["an abort", () => connect(silence).cloud.organizations.list({ signal: AbortSignal.abort("enough") })],
    [
      "a page",
      async () => {
        const pages = lists().pages()
        await pages.next()
        await pages.next()
      }
    ],
    ["an item", () => lists().items().next()],
    [
      "closing",
      () => {
        const { cloud } = connect(silence)
        const call = cloud.organizations.list()
        void cloud.close()
        return call
      }
    ]
  ])("of %s begins where the program made the call", async (_, call) => {
    const error = await program(call)
    if (!(error instanceof Error)) throw error
    const header = `${error.name}: ${error.message}\n`
    const stack = error.stack ?? ""
    expect(stack.slice(0, header.length)).toBe(header)
    expect(stack.slice(header.length).split("\n")[0]).toContain("CallError.test.ts")
  })

  it("is the program's own if the program made the error", async () => {
    const error = new TypeError("mine")
    const { stack } = error
    const failing = withKey(() => {
      throw error
    })
    expect(await program(() => failing.organizations.list())).toBe(error)
    const aborted = connect(silence).cloud.organizations.list({ signal: AbortSignal.abort(error) })
    expect(await rejection(aborted)).toBe(error)
    expect(error.stack).toBe(stack)
  })

  it("of an error that cannot be changed stays as it is", async () => {
    const error = Object.freeze(
      Object.defineProperty(new Promises.AbortError("mine"), "stack", { value: "", writable: false })
    )
    const { cloud } = connect(silence)
    expect(await rejection(cloud.organizations.list({ signal: AbortSignal.abort(error) }))).toBe(error)
  })

  it("that the program cannot make is left out, and the call fails all the same", async () => {
    const prepare = vi.fn<() => void>(() => {
      throw new Error("no stack")
    })
    const before: unknown = Reflect.get(Error, "prepareStackTrace")
    Object.assign(Error, { prepareStackTrace: prepare })
    onTestFinished(() => void Object.assign(Error, { prepareStackTrace: before }))
    const error = await rejection(connect(() => refused(403)).cloud.organizations.list())
    expect(error).toBeInstanceOf(Promises.ForbiddenError)
    expect(prepare).toHaveBeenCalled()
  })
})

it("the types narrow by class and by reason, and are never any", async () => {
  const error = await remove(() => refused(429, { "retry-after": "7" }))
  if (!(error instanceof CallError)) throw error
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
