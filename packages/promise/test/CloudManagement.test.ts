import { once } from "node:events"
import { afterEach, assert, describe, expect, it, vi } from "vitest"
import { Body, Credentials, Operation } from "@cloud-management/client"
import { operations } from "@cloud-management/core/Operations"
import {
  CallError,
  Client,
  CloudManagement,
  InvalidOptionError,
  type LogEvent,
  TimeoutError
} from "@cloud-management/promise"
import { CloudManagement as OverFetch } from "../src/index.ts"
import { CloudManagement as OverUndici } from "../src/node.ts"
import { connect, list, listed, refused, rejection, settings, silence, stub, type Respond } from "./Stub.ts"

const thrown = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe("a call", () => {
  it("passes the URL to its fetch as a string", async () => {
    const urls: Array<unknown> = []
    const cloud = new CloudManagement({ ...settings, fetch: async (url) => (urls.push(url), listed()) })
    await cloud.organizations.list()
    expect(urls).toEqual(["https://api.example.com/v1/organizations"])
  })

  it("gives the response's status, headers and request ID, and the number of attempts", async () => {
    const { cloud } = connect((_, attempt) => (attempt === 1 ? refused(503) : listed()))
    const { data, headers, ...rest } = await cloud.organizations.list().withResponse()
    expect(data[0].name).toBe("Acme")
    expect(rest).toEqual({ status: 200, requestId: "req-1", attempts: 2 })
    expect(headers).toBeInstanceOf(Headers)
    expect(headers.get("X-Request-Id")).toBe("req-1")
  })

  it("that succeeds stays a success if Headers rejects a header of its response", async () => {
    const { cloud } = connect(() => {
      const response = listed()
      // as a fetch without the class Headers can return them
      const headers = { ...Object.fromEntries(response.headers), "x-name": "\u0100", "no name": "a", "x-next": "b" }
      return Object.defineProperty(response, "headers", { value: new Map(Object.entries(headers)) })
    })
    const { data, headers } = await cloud.organizations.list().withResponse()
    expect(data[0].name).toBe("Acme")
    expect([...headers.keys()].sort()).toEqual(["content-type", "x-next", "x-request-id"])
  })

  it("that fails is reported once, by the promise that is waited for", async () => {
    const unhandled: Array<unknown> = []
    const listen = (error: unknown) => unhandled.push(error)
    process.on("unhandledRejection", listen)
    try {
      const { cloud } = connect(() => refused(403))
      const both = cloud.organizations.list()
      expect(await rejection(both.withResponse())).toBe(await rejection(both))
      expect(await rejection(cloud.organizations.list().withResponse())).toMatchObject({ status: 403 })
      await new Promise((done) => setImmediate(done))
      expect(unhandled).toEqual([])
      const next = once(process, "unhandledRejection")
      void cloud.organizations.list()
      await next
      expect(unhandled).toEqual([expect.objectContaining({ status: 403 })])
    } finally {
      process.off("unhandledRejection", listen)
    }
  })

  it("has limits of its own", async () => {
    const { cloud, requests } = connect(() => refused(503), { maxRetries: 5 })
    await rejection(cloud.organizations.list({ maxRetries: 0 }))
    expect(requests).toHaveLength(1)
    await rejection(cloud.organizations.list({ maxRetries: 1 }))
    expect(requests).toHaveLength(3)
  })

  it.each([
    ["of the client's attempts", { timeout: 5, maxRetries: 0 }, {}],
    ["of the client's calls", { deadline: 5 }, {}],
    ["of its own attempts", { maxRetries: 0 }, { timeout: 5 }],
    ["of its own", {}, { deadline: 5 }]
  ])("ends at the limit %s", async (_, options, own) => {
    const { cloud } = connect(silence, options)
    const error = await rejection(cloud.organizations.list(own))
    // an attempt has what is left of a call's limit
    expect(error instanceof TimeoutError && error.limit).toBeLessThanOrEqual(5)
  })
})

// of programs without types
const uses = {
  client: async (options: object) => thrown(() => new CloudManagement({ ...settings, ...options })),
  "client of any API": async (options: object) =>
    thrown(() => Reflect.construct(Client, [{ baseUrl: settings.baseUrl, operations: {}, ...options }])),
  call: async (options: object) => {
    const { cloud, requests } = connect(listed)
    const error = await rejection(cloud.organizations.list(options))
    expect(requests).toEqual([])
    return error
  }
}
it.each<[use: keyof typeof uses, option: string, value: unknown]>([
  ["client", "baseUrl", 3],
  ["client", "baseUrl", "api.example.com"],
  ["client", "keyId", 3],
  ["client", "keySecret", {}],
  ["client", "keySecret", "secret\n"],
  ["client", "deadline", null],
  ["client", "maxRetries", 1.5],
  ["client", "fetch", "fetch"],
  ["client", "log", console],
  ["client", "requestIdHeader", 3],
  ["client", "toString", 3],
  ["client of any API", "baseUrl", undefined],
  ["client of any API", "keyId", "own-id"],
  ["client of any API", "credentials", "key"],
  ["client of any API", "operations", undefined],
  ["client of any API", "operations", { keys: 3 }],
  ["call", "signal", {}],
  // it would throw once the call has ended
  ["call", "signal", { aborted: false, addEventListener: () => {} }],
  ["call", "timeout", 0],
  ["call", "deadline", -1],
  ["call", "maxRetries", -1],
  ["call", "attempts", "4"],
  ["call", "from", "4"]
])("an option that cannot be kept is rejected by its name of a %s: %s is %j", async (use, option, value) => {
  const error = await uses[use]({ [option]: value })
  expect(error).toBeInstanceOf(InvalidOptionError)
  const message = expect.stringMatching(new RegExp(`^${option} (must be |is not an option)`))
  expect(error).toMatchObject({ name: "InvalidOptionError", option, message })
  expect(String(error)).not.toContain("secret\n")
})

describe("a call", () => {
  const pay = Operation.make({
    group: "payments",
    name: "pay",
    method: "POST",
    path: "/v1/payments",
    query: list.query,
    success: Body.empty,
    errors: list.errors,
    repeat: Operation.idempotencyKey()
  })
  const own = (respond: Respond) => {
    const { fetch, requests } = stub(respond)
    return {
      cloud: new Client({
        baseUrl: settings.baseUrl,
        credentials: Credentials.make(settings.keyId, settings.keySecret),
        fetch,
        operations: { ...operations, payments: { pay } }
      }),
      requests
    }
  }

  it.each([{ "X-Tenant": "acme" }, new Headers({ "x-tenant": "acme" })])(
    "has headers of its own: %o",
    async (headers) => {
      const { cloud, requests } = connect(listed)
      await cloud.organizations.list({ headers })
      await cloud.organizations.list()
      expect(requests.map(({ headers }) => headers.get("x-tenant"))).toEqual(["acme", null])
    }
  )

  it.each([{ idempotencyKey: "mine" }, { headers: { "Idempotency-Key": "mine" } }])(
    "has an idempotency key of its own, the same for each attempt: %o",
    async (options) => {
      const { cloud, requests } = own((_, attempt) =>
        attempt === 1 ? refused(503) : new Response(null, { status: 204 })
      )
      await cloud.payments.pay({}, options)
      expect(requests.map(({ headers }) => headers.get("idempotency-key"))).toEqual(["mine", "mine"])
    }
  )

  it.each<[option: string, options: object]>([
    ["headers.authorization", { headers: { authorization: "Bearer other" } }],
    ["headers.x-a", { headers: { "x-a": 3 } }],
    ["headers.x-a", { headers: { "x-a": "b\r\nc: d" } }],
    ["headers.X-A", { headers: { "x-a": "a", "X-A": "b" } }],
    ["idempotencyKey", { idempotencyKey: "" }],
    ["idempotencyKey", { idempotencyKey: 3 }],
    ["idempotencyKey", { idempotencyKey: "a\nb" }],
    ["idempotencyKey", { idempotencyKey: "a", headers: { "Idempotency-Key": "b" } }]
  ])("rejects %s that cannot be sent: %o", async (option, options) => {
    const { cloud, requests } = own(listed)
    const error = await rejection(cloud.payments.pay({}, options))
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({ option, message: expect.stringContaining(`${option} must be `) })
    expect(requests).toEqual([])
  })

  it("rejects an idempotency key that its operation has no place for", async () => {
    const { cloud, requests } = connect(listed)
    expect(await rejection(cloud.organizations.list({ idempotencyKey: "mine" }))).toEqual(
      new InvalidOptionError("idempotencyKey", "organizations.list lacks repeat: Operation.idempotencyKey()")
    )
    expect(requests).toEqual([])
  })

  it.each<[args: ReadonlyArray<unknown>, expected: object]>([
    [[{}, { signal: AbortSignal.abort(new Error("enough")) }], { message: "enough" }],
    [[undefined, { signal: AbortSignal.abort(new Error("enough")) }], { message: "enough" }],
    [[{ signal: AbortSignal.abort(new Error("enough")) }, undefined], { message: "enough" }],
    [[null, { signal: AbortSignal.abort(new Error("enough")) }], { message: "enough" }],
    [[{ id: "1" }, null], { reason: "InvalidInput" }],
    [[{}, { timout: 5 }], { option: "timout" }],
    [[{ id: "1" }, {}], { reason: "InvalidInput" }]
  ])("without an input takes one in front of its options all the same: %o", async (args, expected) => {
    const { cloud, requests } = connect(listed)
    expect(await rejection(Reflect.apply(cloud.organizations.list, cloud, args))).toMatchObject(expected)
    expect(requests).toEqual([])
  })

  it("that fails has the headers of the response, and one that succeeds has each cookie", async () => {
    const cookies = ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2, 3", "c=4"]
    const { cloud } = connect((_, attempt) => {
      const response = attempt === 1 ? refused(403, { "x-error-code": "E_QUOTA" }) : listed()
      for (const cookie of cookies) response.headers.append("set-cookie", cookie)
      return response
    })
    const error = await rejection(cloud.organizations.list())
    assert(error instanceof CallError)
    expect([error.headers?.get("x-error-code"), error.headers?.get("set-cookie")]).toEqual(["E_QUOTA", "<redacted>"])
    const { headers } = await cloud.organizations.list().withResponse()
    expect(headers.getSetCookie()).toEqual(cookies)
  })
})

describe("the option log", () => {
  it("receives each request with its URL, status, time and attempt, and each wait in milliseconds", async () => {
    const events: Array<LogEvent> = []
    const { cloud } = connect((_, attempt) => (attempt === 1 ? refused(503) : listed()), {
      log: (event) => events.push(event)
    })
    await cloud.organizations.list()
    const url = "https://api.example.com/v1/organizations"
    expect(events.filter(({ _tag }) => _tag !== "BudgetRefilled")).toMatchObject([
      { _tag: "AttemptEnded", method: "GET", url, status: 503, attempts: 1, seconds: expect.any(Number) },
      { _tag: "Retrying", wait: expect.any(Number) },
      { _tag: "AttemptEnded", method: "GET", url, status: 200, attempts: 2 },
      { _tag: "CallEnded", operation: "organizations.list" }
    ])
  })

  it.each([
    () => Promise.reject(new Error("full")),
    () => {
      throw new Error("full")
    }
  ])("fails no call: %o", async (log) => {
    const { cloud } = connect(listed, { log })
    expect(await cloud.organizations.list()).toHaveLength(1)
  })
})

describe("a client", () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it("takes from the environment what its options lack", async () => {
    vi.stubEnv("CLOUD_MANAGEMENT_BASE_URL", "https://elsewhere.example.com")
    vi.stubEnv("CLOUD_MANAGEMENT_KEY_ID", "other")
    vi.stubEnv("CLOUD_MANAGEMENT_KEY_SECRET", "hidden")
    const { cloud, requests } = connect(listed, { baseUrl: undefined, keyId: undefined, keySecret: undefined })
    await cloud.organizations.list()
    const mixed = connect(listed, { keySecret: undefined })
    await mixed.cloud.organizations.list()
    expect([...requests, ...mixed.requests].map(({ headers, url }) => [url, headers.get("authorization")])).toEqual([
      ["https://elsewhere.example.com/v1/organizations", `Basic ${btoa("other:hidden")}`],
      ["https://api.example.com/v1/organizations", `Basic ${btoa("key-id:hidden")}`]
    ])
  })

  it("names all settings that are missing when it is called, and how to set them", async () => {
    vi.stubEnv("CLOUD_MANAGEMENT_BASE_URL", "")
    vi.stubEnv("CLOUD_MANAGEMENT_KEY_ID", undefined)
    vi.stubEnv("CLOUD_MANAGEMENT_KEY_SECRET", undefined)
    const { fetch, requests } = stub(listed)
    const error = await rejection(new CloudManagement({ fetch }).organizations.list())
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({
      option: "baseUrl",
      message:
        "missing options: baseUrl, keyId and keySecret. Pass them to new CloudManagement({ … }), or set CLOUD_MANAGEMENT_BASE_URL, CLOUD_MANAGEMENT_KEY_ID and CLOUD_MANAGEMENT_KEY_SECRET"
    })
    const partly = new CloudManagement({ baseUrl: "https://a", keyId: "x", fetch })
    expect(await rejection(partly.organizations.list())).toMatchObject({
      option: "keySecret",
      message: expect.stringMatching(/^missing options: keySecret\. .* or set CLOUD_MANAGEMENT_KEY_SECRET$/)
    })
    expect(requests).toEqual([])
  })

  it.each([
    ["baseURL", "baseUrl"],
    ["base_url", "baseUrl"],
    ["keyID", "keyId"],
    ["maxRetry", "maxRetries"],
    ["retries", "maxRetries"],
    ["timeOut", "timeout"]
  ])("names the option that is nearest to %s", (option, near) => {
    // of a program without types
    const options: object = { ...settings, [option]: 3 }
    expect(thrown(() => new CloudManagement(options))).toEqual(
      new InvalidOptionError(option, `${option} is not an option: did you mean ${near}?`)
    )
  })

  it("shows no secret", async () => {
    const { inspect } = await import("node:util")
    const { cloud } = connect(listed)
    for (const text of [JSON.stringify(cloud), inspect(cloud, { depth: 10, showHidden: true })]) {
      expect(text).not.toContain("key-secret")
    }
  })

  it("is over undici on Node.js, unless it has a fetch", () => {
    expect(CloudManagement).toBe(OverUndici)
    expect(CloudManagement).not.toBe(OverFetch)
  })
})
