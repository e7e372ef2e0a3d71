import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { ConfigProvider, Context, Duration, Effect, Layer, Logger, Redacted } from "effect"
import { HttpClient } from "effect/http"
import {
  Client,
  Credentials,
  Deadline,
  type Event,
  Log,
  Operation,
  Pacing,
  Pagination,
  RequestHeaders,
  Retry
} from "@cloud-management/client"
import { CloudManagement, Waiting } from "@cloud-management/core"
import * as Recorder from "./Recorder.ts"
import { connect, success, transport } from "./Stub.ts"

const secret = "s3cret-that-nobody-may-see"

/** A program without types passes it for a variable that is not set; not `undefined`, which would be a default. */
const missing: string = JSON.parse("null")

const wiped = Redacted.make(secret)
Redacted.wipeUnsafe(wiped)

const untyped = (options: object): Partial<Client.Options> => options

describe("an option that cannot be kept is rejected, before anything is sent", () => {
  const { budget } = Retry.standard
  const url = "an absolute http or https URL"
  const text = "non-empty text without"
  const duration = "a duration or number of at least 0"
  const whole = "a whole number of at least 1"
  const tokens = "a number of at least 0"
  const expiring = (end: Duration.Input | Date) => Credentials.expiring(Credentials.bearer("token"), end)
  const pace = "Pacing.adaptive or Pacing.fixed(…)"
  const notUrls = [
    "",
    "/v1",
    "api.example.com",
    "ftp://example.com",
    "javascript:1",
    "https://user@example.com",
    `https://u:${secret}@example.com`,
    `https://\\/u:${secret}@example.com`,
    `https://\t/u:${secret}@example.com`,
    `https://${secret}@example.com/`,
    `https://example.com?token=${secret}`,
    `https://example.com/cloud?token=${secret}`,
    `https://example.com#${secret}`
  ]
  const notIds = ["", "a:b", "key-id\n", "key\ud800"]
  const notInSecrets = ["\n", "\u0000", "\u007f", "\udc00"]
  const notInCookies = ["a b", "a;b", 'a"b', "a,b", "a\\b"]
  const notHeaders = ["", "a b", "a\n", "ü", "Host", "content-length"]
  const each = (
    option: string,
    what: string,
    rule: string,
    make: (value: string) => Partial<Client.Options>,
    ...values: ReadonlyArray<string>
  ) => values.map((value) => [option, `${what} ${JSON.stringify(value)}`, make(value), rule] as const)
  const invalid = (what: string, rule: string, make: (value: string) => Credentials.Credentials, ...values: string[]) =>
    each("credentials", what, rule, (value) => ({ credentials: make(value) }), ...values)
  const keyOf = (keyId: string, keySecret: string | Redacted.Redacted) => ({
    credentials: Credentials.make(keyId, keySecret)
  })
  it.effect.each<readonly [option: string, problem: string, options: Partial<Client.Options>, rule: string]>([
    ...each("baseUrl", "the text", url, (baseUrl) => ({ baseUrl }), ...notUrls),
    ...each("keyId", "the text", `${text} colons and control`, (id) => keyOf(id, secret), ...notIds, missing),
    ...each("keySecret", "with", `${text} control`, (end) => keyOf("key-id", secret + end), ...notInSecrets),
    ["keySecret", "empty", keyOf("key-id", ""), `${text} control characters`],
    ["keySecret", "missing", keyOf("key-id", Redacted.make(missing)), `${text} control`],
    ["keySecret", "wiped", keyOf("key-id", wiped), `${text} control`],
    ["deadline", "a number", untyped({ deadline: 5000 }), "an object"],
    ["deadline.attempt", "negative", { deadline: { attempt: -1 } }, duration],
    ["deadline.attempt", "in words", untyped({ deadline: { attempt: "ten seconds" } }), duration],
    ["deadline.attempt", "missing", untyped({ deadline: { attempt: undefined } }), duration],
    // Effect takes each of these for no time at all
    ...[{ seconds: undefined }, { seconds: NaN }, {}, { second: 5 }, new Date(0), [NaN, 1]].map(
      (total) => ["deadline.total", String(Object.entries(total)), untyped({ deadline: { total } }), duration] as const
    ),
    ["deadline.total", "null", untyped({ deadline: { total: null } }), duration],
    ["retry", "a number of attempts", untyped({ retry: 3 }), "an object"],
    ["retry.attempts", "zero", { retry: { attempts: 0 } }, whole],
    ["retry.base", "negative", { retry: { base: -1 } }, duration],
    ["retry.baseRateLimited", "in words", untyped({ retry: { baseRateLimited: "a while" } }), duration],
    ["retry.cap", "negative", { retry: { cap: "-1 millis" } }, duration],
    ["retry.maxHint", "no number", { retry: { maxHint: NaN } }, duration],
    ["retry.budget", "missing", untyped({ retry: { budget: undefined } }), "an object"],
    ["retry.budget.capacity", "negative", { retry: { budget: { ...budget, capacity: -1 } } }, tokens],
    ["retry.budget.capacity", "a duration", untyped({ retry: { budget: { ...budget, capacity: "1 hour" } } }), tokens],
    ["retry.budget.timeout", "negative", { retry: { budget: { ...budget, timeout: -5 } } }, tokens],
    ["retry.budget.success", "negative", { retry: { budget: { ...budget, success: -1 } } }, tokens],
    ["retry.budget.retry", "missing", untyped({ retry: { budget: { capacity: 1 } } }), tokens],
    ["deadline.attemt", "misspelt", untyped({ deadline: { attemt: "1 second" } }), "left out"],
    ["retry.times", "not an option", untyped({ retry: { times: 3 } }), "left out"],
    ["retry.budget.size", "not an option", untyped({ retry: { budget: { ...budget, size: 3 } } }), "left out"],
    ["pacing", "true", untyped({ pacing: true }), pace],
    ["pacing", "a function", untyped({ pacing: Pacing.fixed }), pace],
    ["log", "a logger", untyped({ log: Logger.make(() => {}) }), "a function"],
    ["metrics", "true", untyped({ metrics: true }), "a function"],
    ["maxResponseBytes", "zero", { maxResponseBytes: 0 }, whole],
    // against which no size would be too large
    ["maxResponseBytes", "no number", { maxResponseBytes: NaN }, whole],
    ["maxAttempts", "not an option", untyped({ maxAttempts: 3 }), "left out: unknown option"],
    ["timeout", "not an option", untyped({ timeout: 1000 }), "left out: unknown option"],
    ["baseURL", "misspelt", untyped({ baseURL: "a" }), "left out: unknown option, not baseUrl, credentials, deadline,"],
    ["constructor", "a name that every object has", untyped({ constructor: 1 }), "left out: unknown option"],
    ["retry.toString", "a name that every object has", untyped({ retry: { toString: 1 } }), "left out: unknown option"],
    ["credentials", "null", untyped({ credentials: null }), "an object"],
    ...invalid("the token", "made of non-empty", Credentials.bearer, "a b", "", "ü", "a\nb"),
    ...invalid("the key", "non-empty text", Credentials.basicKey, "", "a:b", "a\n"),
    ...invalid("Token with", "made of", (value) => Credentials.header("authorization", `Token ${value}`), "a\n"),
    ...invalid("the header", "made of non-empty", (value) => Credentials.header("x-key", value), "a "),
    ...invalid("the parameter", "non-empty text", (value) => Credentials.query("key", value), "a\n"),
    ...invalid("the cookie", "made of non", (value) => Credentials.cookie("a", value), ...notInCookies, ""),
    ...invalid("in the header", "given", (name) => Credentials.header(name, "a"), ...notHeaders),
    ...invalid("in the cookie", "given", (name) => Credentials.cookie(name, "a"), "", "a=b", "a;b", "a b"),
    ...invalid("in the query", "given", (name) => Credentials.query(name, "a"), "", "a\ud800"),
    ["credentials", "a wiped token", { credentials: Credentials.bearer(wiped) }, "made of non-empty"],
    ["credentials", "without an end", { credentials: expiring(JSON.parse("null")) }, "given an end that is a Date"],
    ["credentials", "ending on no day", { credentials: expiring(new Date(NaN)) }, "given an end that is a Date"],
    ["credentials", "ending before they begin", { credentials: expiring(-1) }, "given an end that is a Date"],
    ["credentials", "of no lifetime", { credentials: expiring(JSON.parse("{}")) }, "given an end that is a Date"],
    ["credentials", "of a lifetime of null", { credentials: expiring(JSON.parse('{"seconds":null}')) }, "given an end"],
    [
      "keySecret",
      "one of several that are invalid",
      { credentials: Credentials.all(Credentials.bearer("token"), Credentials.make("id", "a\n")) },
      "non-empty text"
    ],
    [
      "keyId",
      "one of those by name that are invalid",
      { credentials: Credentials.schemes({ token: Credentials.bearer("token"), basic: Credentials.make("a:b", "c") }) },
      "non-empty text without colons"
    ],
    ["credentials", "without credentials", untyped({ credentials: undefined }), "made by the module Credentials"],
    ["credentials", "not made", untyped({ credentials: { keyId: "id", keySecret: secret } }), "made by the module"]
  ])("%s is %s", function* ([option, , options, rule]) {
    const error = yield* Effect.flip(connect(() => Response.error(), options))
    expect(error).toBeInstanceOf(Client.InvalidOption)
    expect(error.option).toBe(option)
    expect(error.message).toContain(`${option} must be ${rule}`)
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(secret)
  })

  it.effect("but not for one that is nothing, or without end", function* () {
    const respond = () => Response.json(success["organizations.list"])
    const { cloud } = yield* connect(respond, {
      deadline: { attempt: "Infinity", total: Duration.infinity },
      retry: {
        attempts: Infinity,
        base: 0,
        baseRateLimited: { seconds: 0 },
        cap: [0, 0],
        maxHint: Infinity,
        budget: { capacity: Infinity, retry: 0, timeout: 0, success: 0 }
      },
      maxResponseBytes: Infinity
    })
    expect(yield* cloud.organizations.list()).toHaveLength(1)
  })
})

it("a limit of an operation that is undefined is not there, so the client's holds", () => {
  // of a program without types
  const limits = (limits: object) => Operation.limits(limits as never)
  expect(Object.keys(limits({ maxResponseBytes: undefined, deadline: undefined }))).not.toContain("maxResponseBytes")
  expect(limits({ deadline: { total: undefined, attempt: 5 } }).deadline).toStrictEqual({ attempt: 5 })
  expect(limits({ retry: { attempts: undefined } }).retry).toStrictEqual({})
})

describe("a RangeError names the option of", () => {
  // of a program without types
  const given = (options: object): never => options as never
  const params: never = given({})
  const unknown = "left out: unknown option"
  const duration = "a duration or number of at least 0"
  const until = () => true
  const ours = "the name, once, of a header that the client does not set"
  const printable = "printable ASCII without a space at either end"
  const whole = "a whole number of at least 1"
  const fixed = (options: object) => () => Pacing.fixed({ limit: 1, window: "1 second", ...options })
  const poll = (options: object) => () => Waiting.poll(Effect.void, { until, ...options })
  it.each<readonly [option: string, rule: string, use: () => unknown]>([
    ["deadline.attempt", duration, () => Deadline.within({ attempt: -1 })],
    ["deadline.total", duration, () => Deadline.within(Effect.void, { total: NaN })],
    ["retry.attempts", whole, () => Retry.within({ attempts: 2.5 })],
    ["retry.base", duration, () => Retry.within(Effect.void, { base: "-1 seconds" })],
    ["limits.deadline.total", duration, () => Operation.limits({ deadline: { total: -1 } })],
    ["limits.deadline", "an object", () => Operation.limits(given({ deadline: 5 }))],
    ["limits.retry.attempts", whole, () => Operation.limits({ retry: { attempts: 2.5 } })],
    ["limits.retry.budget", unknown, () => Operation.limits(given({ retry: { budget: Retry.standard.budget } }))],
    ["limits.maxResponseBytes", whole, () => Operation.limits({ maxResponseBytes: NaN })],
    ["limits.timeout", unknown, () => Operation.limits(given({ timeout: 1 }))],
    ...[0, -1, 1.5, NaN, Infinity].map((limit) => ["pacing.limit", whole, fixed({ limit })] as const),
    ...[-1, NaN].map((window) => ["pacing.window", duration, fixed({ window })] as const),
    ["headers.a b", ours, () => RequestHeaders.within({ "a b": "c" })],
    ["headers.Authorization", ours, () => RequestHeaders.within(Effect.void, { Authorization: "Bearer other" })],
    ["headers.Expect", ours, () => RequestHeaders.within({ Expect: "100-continue" })],
    ["headers.__proto__", ours, () => RequestHeaders.within(given({ ["__proto__"]: "a" }))],
    ["headers.x-number", printable, () => RequestHeaders.within(given({ "x-number": 3 }))],
    ["headers.x-line", printable, () => RequestHeaders.within({ "x-line": "a\r\nb: c" })],
    ["headers.x-space", printable, () => RequestHeaders.within({ "x-space": " a" })],
    ["waiting.every", duration, () => Waiting.watch(params, { every: NaN })],
    ["waiting.deadline", duration, poll({ deadline: -1 })],
    ["waiting.until", "a function", poll({ until: "Ready" })],
    ["waiting.onChange", "a function", poll({ onChange: "Ready" })],
    ["deadline.attemt", unknown, () => Deadline.within(given({ attemt: 1 }))],
    ["retry.times", unknown, () => Retry.within(given({ times: 1 }))],
    ["pacing.burst", unknown, () => Pacing.fixed(given({ limit: 1, window: 1, burst: 1 }))],
    ["waiting.timeout", unknown, () => Waiting.poll(Effect.void, given({ until, timeout: 1 }))],
    ["waiting.interval", unknown, () => Waiting.watch(params, given({ interval: 1 }))],
    ["clients.idleTimeToLive", duration, () => CloudManagement.makeMap(given, { idleTimeToLive: -1 })],
    ["clients.ttl", unknown, () => CloudManagement.makeMap(given, given({ ttl: 1 }))],
    ["pages.from", "a string", () => Pagination.pages(params, params, params, given({ from: 3 }))],
    ["pages.limit", unknown, () => Pagination.items(params, params, params, given({ limit: 3 }))]
  ])("%s, which must be %s", (option, rule, use) => {
    const message = `${option} must be ${rule}`
    expect(use).toThrow(rule === unknown ? RegExp(`^${message}, not \\w+`) : new RangeError(message))
  })
})

describe("the key goes to another machine in plain text", () => {
  it.effect.each<[baseUrl: string, isReported: boolean]>([
    ["http://api.example.com", true],
    ["HTTP://api.example.com/cloud", true],
    ["http://localhost.example.com", true],
    ["http://notlocalhost", true],
    ["http://127.0.0.1.example.com", true],
    ["http://128.0.0.1", true],
    ["http://[::2]:8080", true],
    ["https://api.example.com", false],
    ["http://localhost", false],
    ["http://service.localhost", false],
    ["http://127.255.255.254:8080", false],
    // the same in other spellings
    ["http://127.1", false],
    ["http://0x7f.0.0.1", false],
    ["http://[::1]:8080", false],
    ["http://[0:0:0:0:0:0:0:1]", false]
  ])("with the base URL %s, which the log is told once: %s", function* ([baseUrl, isReported]) {
    const events: Array<Event.Event> = []
    yield* connect(() => Response.error(), { baseUrl, log: (event) => Effect.sync(() => void events.push(event)) })
    const { href } = new URL(baseUrl)
    const report = { _tag: "InsecureBaseUrl", baseUrl: href.replace(/\/$/, "") }
    expect(events).toEqual(isReported ? [report] : [])
  })

  it.effect("which Log.effect writes as a warning", function* () {
    const { lines, record } = Recorder.make()
    yield* record(connect(() => Response.error(), { baseUrl: "http://api.example.com", log: Log.effect }))
    const message = "the base URL has no TLS, so others on the network can read the API key: use https"
    expect(lines).toEqual([{ level: "Warn", message: [message], annotations: { baseUrl: "http://api.example.com" } }])
  })
})

const environment = {
  CLOUD_MANAGEMENT_BASE_URL: "https://api.example.com/cloud",
  CLOUD_MANAGEMENT_KEY_ID: "key-id",
  CLOUD_MANAGEMENT_KEY_SECRET: secret
}

const { http } = transport([
  ({ headers }, { href }) =>
    Effect.sync(() =>
      href === "https://api.example.com/cloud/v1/organizations" &&
      headers["authorization"] === `Basic ${btoa(`key-id:${secret}`)}`
        ? Response.json(success["organizations.list"])
        : Response.json({ error: "UNAUTHORIZED: no" }, { status: 401 })
    )
])

const fromEnvironment = (variables: Readonly<Record<string, string>>) =>
  Layer.build(
    CloudManagement.layerConfig().pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, http)),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables })))
    )
  )

describe("a client from the environment", () => {
  it.effect("5: takes the base URL, the key ID and the secret from three variables", function* () {
    const cloud = Context.get(yield* fromEnvironment(environment), CloudManagement.CloudManagement)
    expect(yield* cloud.organizations.list()).toHaveLength(1)
  })

  it.effect("reads the key again after a 401, from the provider that its layer was built with", function* () {
    const variables = { ...environment, CLOUD_MANAGEMENT_KEY_SECRET: "before" }
    const cloud = Context.get(yield* fromEnvironment(variables), CloudManagement.CloudManagement)
    variables.CLOUD_MANAGEMENT_KEY_SECRET = secret
    expect(yield* cloud.organizations.list()).toHaveLength(1)
  })

  it.effect.each(Object.keys(environment))("names the variable %s when it is missing or empty", function* (name) {
    const { [name]: _, ...rest } = { ...environment } as Readonly<Record<string, string>>
    for (const variables of [rest, { ...rest, [name]: "" }]) {
      const error = yield* Effect.flip(fromEnvironment(variables))
      expect(error).toMatchObject({ _tag: "MissingSettings", names: [name] })
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(secret)
    }
  })

  it.effect("names all variables that are missing, and what to do, in one message", function* () {
    const error = yield* Effect.flip(fromEnvironment({}))
    expect(error.message).toBe(
      "missing settings: CLOUD_MANAGEMENT_BASE_URL, CLOUD_MANAGEMENT_KEY_ID, CLOUD_MANAGEMENT_KEY_SECRET. " +
        "Set them in the environment, or provide a ConfigProvider that has them"
    )
  })
})
