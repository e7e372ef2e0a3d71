import { afterEach, assert, describe, expect, it, vi } from "vitest"
import { Body, Credentials, Operation } from "@cloud-management/client"
import { operations } from "@cloud-management/core/Operations"
import {
  CallError,
  Client,
  CloudManagement,
  InvalidInputError,
  InvalidOptionError,
  type LogEvent
} from "@cloud-management/promise"
import { CloudManagement as OverFetch } from "../src/index.ts"
import { CloudManagement as OverUndici } from "../src/node.ts"
import { connect, id, list, listed, refused, rejection, settings, silence, stub, type Respond } from "./Stub.ts"

const thrown = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe("a call", () => {
  it("resolves to the result, with dates as Date", async () => {
    const { cloud, requests } = connect(listed)
    const [organization] = await cloud.organizations.list()
    expect(organization).toEqual({ id, name: "Acme", createdAt: new Date("2026-01-01T00:00:00Z") })
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET https://api.example.com/v1/organizations"
    ])
    expect(requests[0]?.headers.get("authorization")).toBe(`Basic ${btoa("key-id:key-secret")}`)
  })

  it("passes the URL to its fetch as a string", async () => {
    const urls: Array<unknown> = []
    const cloud = new CloudManagement({ ...settings, fetch: async (url) => (urls.push(url), listed()) })
    await cloud.organizations.list()
    expect(urls).toEqual(["https://api.example.com/v1/organizations"])
  })

  it("takes plain strings for IDs", async () => {
    const { cloud, requests } = connect(() => Response.json({ status: 200, requestId: "req-1" }))
    expect(await cloud.apiKeys.delete({ organizationId: id, keyId: id })).toBeUndefined()
    expect(requests[0]?.url).toBe(`https://api.example.com/v1/organizations/${id}/keys/${id}`)
  })

  it("rejects an invalid ID with an error that says what it has to be, and sends nothing", async () => {
    const { cloud, requests } = connect(listed)
    const error = await rejection(cloud.apiKeys.delete({ organizationId: id, keyId: ".." }))
    expect(error).toBeInstanceOf(InvalidInputError)
    expect(error).toMatchObject({ reason: "InvalidInput", field: "keyId", outcome: "not-sent", attempts: 0 })
    expect(String(error)).toMatch(/apiKeys\.delete: InvalidInput: Expected a UUID [^]*\["keyId"\]/)
    expect(requests).toEqual([])
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
      void cloud.organizations.list()
      await vi.waitFor(() => expect(unhandled).toEqual([expect.objectContaining({ status: 403 })]))
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
    expect(await rejection(cloud.organizations.list(own))).toMatchObject({ reason: "Timeout", limit: 5 })
  })
})

describe("a client or a call rejects an option that is not what it has to be, by its name", () => {
  it.each<[option: string, value: unknown]>([
    ["baseUrl", 3],
    ["baseUrl", "api.example.com"],
    ["keyId", 3],
    ["keyId", "a:b"],
    ["keySecret", {}],
    ["keySecret", "secret\n"],
    ["timeout", "1 second"],
    ["timeout", 0],
    ["deadline", null],
    ["deadline", Number.NaN],
    ["maxRetries", "2"],
    ["maxRetries", 1.5],
    ["maxResponseBytes", 0],
    ["fetch", "fetch"],
    ["log", console],
    ["requestIdHeader", 3]
  ])("of the client: %s is %j", (option, value) => {
    // of a program without types
    const options: object = { ...settings, [option]: value }
    const error = thrown(() => new CloudManagement(options))
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({ option, message: expect.stringMatching(new RegExp(`^${option} must be `)) })
    expect(String(error)).not.toContain("secret\n")
  })

  it.each<[option: string, value: unknown]>([
    ["credentials", "key"],
    ["operations", undefined],
    ["operations", "all"],
    ["operations", { keys: 3 }]
  ])("of a client of any API: %s is %j", (option, value) => {
    const options = { baseUrl: settings.baseUrl, operations: {}, [option]: value }
    expect(thrown(() => Reflect.construct(Client, [options]))).toMatchObject({
      name: "InvalidOptionError",
      option,
      message: expect.stringMatching(new RegExp(`^${option} must be `))
    })
  })

  it.each<[option: string, value: unknown]>([
    ["signal", {}],
    // it would throw once the call has ended
    ["signal", { aborted: false, addEventListener: () => {} }],
    ["timeout", "1 second"],
    ["timeout", 0],
    ["deadline", "1 second"],
    ["deadline", -1],
    ["maxRetries", "2"],
    ["maxRetries", 0.5],
    ["maxRetries", -1]
  ])("of a call: %s is %j", async (option, value) => {
    const { cloud, requests } = connect(listed)
    // of a program without types
    const options: object = { [option]: value }
    const error = await rejection(cloud.organizations.list(options))
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error).toMatchObject({ option, message: expect.stringContaining(option) })
    expect(requests).toEqual([])
  })
})

it("a signal of a framework is not sent again, and is what the call rejects with", async () => {
  const signal = Object.assign(new Error("Dynamic server usage"), { digest: "DYNAMIC_SERVER_USAGE" })
  const { stack } = signal
  const { cloud, requests } = connect(() => Promise.reject(signal))
  const error = await rejection(cloud.organizations.list())
  expect(error).toBe(signal)
  expect(signal.stack).toBe(stack)
  expect(requests).toHaveLength(1)
})

describe("a call with an option that it does not have", () => {
  it.each(["attempts", "from"])("rejects, and sends nothing: %s", async (option) => {
    const { cloud, requests } = connect(listed)
    // of a program without types
    const options: object = { [option]: "4" }
    const calls = [cloud.organizations.list(options), cloud.apiKeys.delete({ organizationId: id, keyId: id }, options)]
    for (const error of await Promise.all(calls.map(rejection))) {
      expect(error).toEqual(
        new InvalidOptionError(
          option,
          `${option} is not an option; the options are signal, headers, idempotencyKey, timeout, deadline, stall and maxRetries`
        )
      )
    }
    expect(requests).toEqual([])
  })
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
      new InvalidOptionError("idempotencyKey", "organizations.list has no idempotency key")
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
  ])(
    "without an input of its own takes none in front of its options, as a program without types passes it: %o",
    async (args, expected) => {
      const { cloud, requests } = connect(listed)
      expect(await rejection(Reflect.apply(cloud.organizations.list, cloud, args))).toMatchObject(expected)
      expect(requests).toEqual([])
    }
  )

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

  it("receives once that the base URL has no TLS, also where the credentials are read later", async () => {
    const tags: Array<string> = []
    const { fetch } = stub(listed)
    const { keyId, keySecret } = settings
    const log = ({ _tag }: LogEvent) => tags.push(_tag)
    const cloud = new CloudManagement({
      baseUrl: "http://api.example.com",
      credentials: () => ({ keyId, keySecret }),
      fetch,
      log
    })
    await cloud.organizations.list()
    expect(tags).toEqual(["InsecureBaseUrl", "AttemptEnded", "CallEnded"])
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

  it.each(["attempts", "toString", "signal"])("throws for the option %s, which it does not have", (option) => {
    // of a program without types
    const options: object = { ...settings, [option]: 3 }
    expect(thrown(() => new CloudManagement(options))).toEqual(
      new InvalidOptionError(
        option,
        `${option} is not an option; the options are baseUrl, keyId, keySecret, credentials, timeout, deadline, stall, maxRetries, maxResponseBytes, requestIdHeader, log and fetch`
      )
    )
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
