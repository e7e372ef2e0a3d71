import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Context, type Duration, Effect, Layer, Random, References, Schema, Tracer } from "effect"
import { HttpClient, UrlParams } from "effect/http"
import { Body, Credentials, type Event, Log, Metrics, Operation, Pacing, Retry } from "@cloud-management/client"
import { CloudManagement } from "@cloud-management/core"
import { deleteApiKey, listOrganizations } from "@cloud-management/core/Operations"
import { NodeTransport } from "@cloud-management/node"
import { HttpHost } from "@cloud-management/service/node"
import { ConformanceService, Faults, Fixtures, VirtualTime } from "@cloud-management/testing"
import * as Recorder from "./Recorder.ts"
import { connect, keyIds } from "./Stub.ts"
import { calls, type AnyFailure, type Client, type Options } from "../../../checks/fixtures/Scripted.ts"
import { connect as connectFaulty, refusal } from "./Scripted.ts"
import { ticking } from "./ticking.ts"

const { Fault } = Faults
const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
const list = calls["organizations.list"]
const get = calls["reversePrivateEndpoints.get"]
const remove = calls["apiKeys.delete"]

/** Plays one call to its end in virtual time and hears what it reports. */
const play = Effect.fnUntraced(function* (
  call: (cloud: Client) => Effect.Effect<unknown, AnyFailure>,
  faults: ReadonlyArray<Faults.Fault>,
  options: Options = {}
) {
  const recorder = Recorder.make()
  const timeline = VirtualTime.make()
  const { cloud } = yield* connectFaulty(faults, options)
  yield* timeline.run(recorder.record(call(cloud))).pipe(Random.withSeed("telemetry"))
  return recorder
})

/** A span of an attempt, as it has to be but for what is given. */
const attempt = (
  { method, path: template }: Operation.Any,
  outcome: {
    readonly resends?: number
    readonly status?: number
    readonly identified?: boolean
    readonly errorType?: string
    readonly error?: string
    readonly millis?: number
  }
): Recorder.Branch => {
  const ids: Readonly<Record<string, string>> = { organizationId: Fixtures.acme, keyId: Fixtures.backupKey.id }
  const path = template.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? "")
  const { error, errorType, identified = true, millis = 0, resends, status } = outcome
  return {
    name: `${method} ${template}`,
    kind: "client",
    attributes: {
      "http.request.method": method,
      "server.address": "in-memory",
      "server.port": 443,
      "url.full": `https://in-memory${path}`,
      "url.template": template,
      ...(resends !== undefined && { "http.request.resend_count": resends }),
      ...(status !== undefined && { "http.response.status_code": status }),
      ...(status !== undefined && identified && { "http.response.header.x-request-id": expect.any(String) }),
      ...(errorType !== undefined && { "error.type": errorType })
    },
    events: [],
    error,
    millis,
    children: []
  }
}

const wait = (kind: string, seconds: unknown, errorType: string, budget: number) =>
  [
    "cloud_management.wait",
    {
      "cloud_management.wait": kind,
      "cloud_management.wait.duration": seconds,
      "error.type": errorType,
      "cloud_management.retry_budget.available": budget
    }
  ] as const

describe("the spans of", () => {
  it.effect("a retry are one of each attempt, and the wait between is on the call's", function* () {
    const { trees } = yield* play(list, [refusal(503), Fault.DropBeforeSend()])
    const [call] = trees()
    expect(trees()).toEqual([
      {
        name: "cloud_management organizations.list",
        kind: "internal",
        attributes: { "cloud_management.operation": "organizations.list", "cloud_management.attempts": 3 },
        events: [
          wait("backoff", expect.any(Number), "ServiceUnavailable", 495),
          wait("backoff", expect.any(Number), "TransportFailed", 490)
        ],
        error: undefined,
        millis: call?.millis,
        children: [
          attempt(listOrganizations, { status: 503, errorType: "503", error: "ServiceUnavailable" }),
          attempt(listOrganizations, { resends: 1, errorType: "TransportFailed", error: "TransportFailed" }),
          attempt(listOrganizations, { resends: 2, status: 200 })
        ]
      }
    ])
    expect(call?.millis).toBeGreaterThan(0)
  })

  it.effect("an attempt carry the ID of its request, of the header or else of the envelope", function* () {
    const body = JSON.stringify({ status: 503, error: "UNAVAILABLE: later", requestId: "of-the-envelope" })
    const { spans } = yield* play(
      (cloud) => Effect.map(cloud.exchange(listOrganizations, {}), ({ requestId }) => expect(requestId).toBe("1")),
      [
        Fault.Status({ status: 503, body: "busy", headers: { "x-request-id": "of-the-header" } }),
        Fault.Status({ status: 503, body }),
        Fault.Status({ status: 200, body: JSON.stringify({ requestId: "1", result: [{ id: Fixtures.acme }] }) })
      ]
    )
    expect(
      spans.flatMap(({ attributes, kind }) =>
        kind === "client" ? attributes.get("http.response.header.x-request-id") : []
      )
    ).toEqual(["of-the-header", "of-the-envelope", "1"])
  })

  it.effect("a deletion that found its work done: the attempt failed, the call did not", function* () {
    const { lines, trees } = yield* play(remove, [Fault.DropAfterSend()])
    expect(trees()).toMatchObject([
      {
        attributes: { "cloud_management.attempts": 2, "cloud_management.assumed_deleted": true },
        error: undefined,
        children: [
          attempt(deleteApiKey, { errorType: "TransportFailed", error: "TransportFailed" }),
          attempt(deleteApiKey, { resends: 1, status: 404, errorType: "404", error: "ApiKeyNotFound" })
        ]
      }
    ])
    const told = { operation: "apiKeys.delete", attempts: 2, status: 404, requestId: expect.any(String) }
    expect(lines.map(({ annotations, level, message }) => [level, message, annotations])).toEqual([
      ["Debug", ["attempt"], expect.objectContaining({ attempts: 1, errorType: "TransportFailed" })],
      [
        "Debug",
        ["retrying"],
        { operation: "apiKeys.delete", attempts: 1, reason: "TransportFailed", wait: expect.stringMatching(/^\d+ms$/) }
      ],
      ["Debug", ["attempt"], expect.objectContaining({ ...told, errorType: "404" })],
      [
        "Warn",
        ["the resource was gone after an attempt that may have deleted it: assumed deleted"],
        { ...told, reason: "ApiKeyNotFound" }
      ]
    ])
  })

  it.effect.each<[what: string, fault: Faults.Fault, errorType: string, status: number | undefined, millis: number]>([
    ["no response", Fault.Hang(), "Timeout", undefined, 10_000],
    ["a response that stops half-way", Fault.Stall({ bytes: 9 }), "Timeout", 200, 10_000],
    ["a response that breaks off", Fault.Truncate({ bytes: 9 }), "TransportFailed", 200, 0],
    ["a response that does not decode", Fault.Status({ status: 200, body: "{}" }), "InvalidResponse", 200, 0]
  ])("%s are an error, in spite of a status, and last until it", function* ([, fault, errorType, status, millis]) {
    const { series, trees } = yield* play(list, [fault], { retry: Retry.none })
    const identified = errorType !== "InvalidResponse"
    const error = { errorType, error: errorType, millis, identified, ...(status !== undefined && { status }) }
    expect(trees()).toMatchObject([
      {
        attributes: { "error.type": errorType },
        error: "CallError",
        millis,
        children: [attempt(listOrganizations, error)]
      }
    ])
    // the metric says the same
    expect(series()).toContainEqual([
      "http.client.request.duration",
      expect.objectContaining({ "error.type": errorType }),
      { count: 1, sum: millis / 1000 }
    ])
  })

  it.effect("what the caller broke off is no error", function* () {
    const { series, trees } = yield* play((cloud) => Effect.timeoutOption(list(cloud), "3 seconds"), [Fault.Hang()])
    expect(trees()).toMatchObject([
      {
        attributes: { "cloud_management.cancelled": true },
        error: "interrupted",
        millis: 3000,
        children: [attempt(listOrganizations, { error: "interrupted", millis: 3000 })]
      }
    ])
    expect(trees()[0]?.attributes).not.toHaveProperty("error.type")
    expect(series()).toEqual([
      [
        "cloud_management.client.call.duration",
        { "cloud_management.operation": "organizations.list", "cloud_management.cancelled": "true", unit: "s" },
        { count: 1, sum: 3 }
      ],
      ["http.client.request.duration", labels({}), { count: 1, sum: 3 }]
    ])
  })

  it.effect.each<[baseUrl: string, address: string, port: number]>([
    ["http://[::1]", "::1", 80],
    ["http://127.0.0.1:8080/api", "127.0.0.1", 8080]
  ])("an attempt at %s name %s and %d", function* ([baseUrl, address, port]) {
    const { record, trees } = Recorder.make()
    const { cloud } = yield* connect(() => Response.json({ status: 200 }), { baseUrl })
    yield* record(cloud.apiKeys.delete(keyIds))
    const attributes = { "server.address": address, "server.port": port }
    expect(trees()).toMatchObject([{ children: [{ attributes }] }])
  })

  it.effect("a caller say nothing of a call in which tracing is off", function* () {
    const { record, trees } = Recorder.make()
    const responses = [new Response(null, { status: 503 }), Response.json({ status: 200 })]
    const { cloud } = yield* connect(() => responses.shift() ?? Response.error(), { retry: { attempts: 2, base: 0 } })
    const call = Effect.withTracerEnabled(cloud.apiKeys.delete(keyIds), false)
    yield* record(Effect.withSpan(call, "of the caller"))
    expect(trees()).toMatchObject([{ name: "of the caller", attributes: {}, events: [], children: [] }])
  })

  it.effect("parameters that break their type are a failure, of which no attempt comes", function* () {
    const wrong = (cloud: Client) =>
      cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId: "../.." as typeof Fixtures.backupKey.id })
    const { trees } = yield* play(wrong, [])
    expect(trees()).toMatchObject([{ attributes: { "error.type": "InvalidInput" }, children: [] }])
  })

  it.effect.each<Duration.Input>(["1 minute", "Infinity"])("a turn that is waited for, within %s", function* (total) {
    const twice = (cloud: Client) => Effect.all([list(cloud), list(cloud)])
    const pacing = Pacing.fixed({ limit: 1, window: "4 seconds" })
    const { series, trees } = yield* play(twice, [], { pacing, deadline: { total } })
    expect(trees()).toMatchObject([
      { millis: 0, events: [] },
      {
        millis: 4000,
        events: [["cloud_management.wait", { "cloud_management.wait": "pacing", "cloud_management.wait.duration": 4 }]],
        children: [attempt(listOrganizations, { status: 200 })]
      }
    ])
    expect(series()).toContainEqual([
      "cloud_management.client.wait.duration",
      { "cloud_management.operation": "organizations.list", "cloud_management.wait": "pacing", unit: "s" },
      { count: 1, sum: 4 }
    ])
    // the wait is no part of the attempt
    expect(series()).toContainEqual(["http.client.request.duration", labels({ status: 200 }), { count: 2, sum: 0 }])
  })
})

it.effect("a turn that is there at once is no wait, though to read the clock takes time", function* () {
  const recorder = Recorder.make()
  const pacing = Pacing.fixed({ limit: 100, window: "1 second" })
  const { cloud } = yield* connect(() => Response.json({ status: 200 }), { pacing, metrics: Metrics.effect })
  yield* cloud.apiKeys.delete(keyIds).pipe(ticking(100_000n), recorder.record)
  expect(recorder.series().map(([name]) => name)).toEqual([
    "cloud_management.client.call.duration",
    "http.client.request.duration"
  ])
})

const labels = (of: { readonly status?: number; readonly errorType?: string }) => ({
  "http.request.method": "GET",
  "server.address": "in-memory",
  "server.port": "443",
  "url.template": "/v1/organizations",
  unit: "s",
  ...(of.status !== undefined && { "http.response.status_code": String(of.status) }),
  ...(of.errorType !== undefined && { "error.type": of.errorType })
})

const lists = (cloud: Client) => Effect.all([list(cloud), list(cloud), Effect.exit(list(cloud))])
const eventful = (cloud: Client) => Effect.all([lists(cloud), get(cloud), remove(cloud)])
const events = [
  // the first call
  Fault.Delay({ duration: "30 millis" }),
  // the second
  refusal(429, { "retry-after": "2" }),
  Fault.Hang(),
  Fault.Delay({ duration: "1 second" }),
  // the third
  refusal(503, { "retry-after": "61" }),
  // the fourth
  Fault.Truncate({ bytes: 20 }),
  Fault.None(),
  // the fifth
  Fault.DropAfterSend()
]

describe("the metrics", () => {
  it.effect("are for the client's listener, and nobody is one unless the client was given it", function* () {
    const heard: Array<string> = []
    const { series } = yield* play(list, [], {
      metrics: Metrics.make((name) => Effect.sync(() => void heard.push(name)))
    })
    expect([heard, series()]).toEqual([["requestDuration", "callDuration"], []])

    const recorder = Recorder.make()
    const { cloud } = yield* connect(() => Response.json({ status: 200 }))
    yield* recorder.record(cloud.apiKeys.delete(keyIds))
    expect(recorder.series()).toEqual([])
  })

  it.effect("count calls and attempts apart, retries, waits, hints and the budget", function* () {
    const { series } = yield* play(lists, events.slice(0, 5))
    const [duration, some] = [{ unit: "s" }, expect.any(Number)]
    const of = (name: string, labels: object, value: Recorder.Series[2]): Recorder.Series => [
      `cloud_management.client.${name}`,
      { "cloud_management.operation": "organizations.list", ...labels },
      value
    ]
    const expected: ReadonlyArray<Recorder.Series> = [
      of("call.duration", duration, { count: 2, sum: some }),
      of("call.duration", { ...duration, "error.type": "ServiceUnavailable" }, { count: 1, sum: 0 }),
      of("hints", { "cloud_management.hint.honored": "false", unit: "{hint}" }, { count: 1 }),
      of("hints", { "cloud_management.hint.honored": "true", unit: "{hint}" }, { count: 1 }),
      of("retries", { "error.type": "RateLimited", unit: "{retry}" }, { count: 1 }),
      of("retries", { "error.type": "Timeout", unit: "{retry}" }, { count: 1 }),
      [
        "cloud_management.client.retry_budget.available",
        { "server.address": "in-memory", "server.port": "443", unit: "{token}" },
        // of 500: 5 for the retry after the 429, which failed; 10 for the one after the timeout, given back
        { value: 495 }
      ],
      of("wait.duration", { ...duration, "cloud_management.wait": "backoff" }, { count: 1, sum: some }),
      of("wait.duration", { ...duration, "cloud_management.wait": "hint" }, { count: 1, sum: 2 }),
      ["http.client.request.duration", labels({ status: 200 }), { count: 2, sum: 1.03 }],
      ["http.client.request.duration", labels({ status: 429, errorType: "429" }), { count: 1, sum: 0 }],
      ["http.client.request.duration", labels({ status: 503, errorType: "503" }), { count: 1, sum: 0 }],
      ["http.client.request.duration", labels({ errorType: "Timeout" }), { count: 1, sum: 10 }]
    ]
    const found = series()
    expect(found).toHaveLength(expected.length)
    for (const one of expected) expect(found).toContainEqual(one)
  })
})

/** Of programs without types too. */
const faulty: Readonly<Record<string, (event: Event.Event) => unknown>> = {
  dies: () => Effect.die("a listener with a fault"),
  throws: () => {
    throw new Error("a listener with a fault")
  },
  "returns no Effect": async () => {}
}

it.effect.each(Object.entries(faulty))(
  "a listener that %s fails no call, and keeps nothing from the other one",
  function* ([, metrics]) {
    const logged: Array<string> = []
    const listeners: object = { metrics, log: ({ _tag }: Event.Event) => Effect.sync(() => logged.push(_tag)) }
    const { cloud } = yield* connect(() => Response.json({ status: 200 }), listeners)
    yield* cloud.apiKeys.delete(keyIds)
    expect(logged).toEqual(["AttemptEnded", "CallEnded"])
  }
)

const fault = (): never => {
  throw new Error("a tracer with a fault")
}

const faultySpans: Readonly<Record<string, () => object>> = {
  "makes no span": fault,
  "takes no attribute": () => ({ attribute: fault }),
  "takes no event": () => ({ event: fault }),
  "ends no span": () => ({ end: fault }),
  "has no ID of a trace": () => ({ traceId: undefined })
}

it.effect.each(Object.entries(faultySpans))("a tracer that %s fails no call", function* ([, faultyOf]) {
  const replies = [new Response(null, { status: 503 }), Response.json({ status: 200 })]
  const { cloud, requests } = yield* connect(() => replies.shift() ?? fault(), { retry: { base: 0 } })
  const tracer = Tracer.make({ span: (options) => Object.assign(new Tracer.NativeSpan(options), faultyOf()) })
  yield* Effect.provideService(cloud.apiKeys.delete(keyIds), Tracer.Tracer, tracer)
  expect(requests).toHaveLength(2)
})

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-/i

it.effect("no id is in a name of a span, a key of an attribute, or a label of a metric", function* () {
  const { lines, series, spans } = yield* play(eventful, events)
  expect(spans.length).toBeGreaterThan(10)
  /** A line's request ID is there to be found by, and in no name or label. */
  const unnamed = (of: Readonly<Record<string, unknown>>) => ({ ...of, requestId: undefined })
  const withoutIds = [
    series(),
    spans.map(({ attributes, name }) => [
      name,
      [...attributes].filter(([key]) => !["url.full", "url.path", "http.response.header.x-request-id"].includes(key))
    ]),
    spans.map(({ events }) => events.map(([name, , attributes]) => [name, unnamed(attributes)])),
    lines.map(({ annotations, message }) => [message, unnamed(annotations)])
  ]
  for (const reported of withoutIds) expect(JSON.stringify(reported)).not.toMatch(uuid)
})

it.effect("the URL of an attempt hides parameters with the name of a secret; a call has its ID", function* () {
  const download = Operation.make({
    group: "files",
    name: "read",
    id: "readFile",
    method: "GET",
    path: "/v1/file",
    query: Operation.query(Schema.Struct({ Signature: Schema.String, token: Schema.String, size: Schema.String })),
    success: Body.empty,
    errors: []
  })
  const input = { query: { Signature: "abc", token: "def", size: "1" } }
  const { spans } = yield* play(
    (cloud) =>
      cloud
        .execute(download, input)
        .pipe(Effect.provideService(UrlParams.CurrentRedactedNames, ["token", "Signature"])),
    [Fault.Status({ status: 200 })]
  )
  const urls = spans.flatMap(({ attributes }) => attributes.get("url.full") ?? [])
  expect(urls).toEqual(["https://in-memory/v1/file?Signature=REDACTED&token=REDACTED&size=1"])
  expect(spans.flatMap(({ attributes }) => attributes.get("api.operation.id") ?? [])).toEqual(["readFile"])
})

describe("the log of an attempt", () => {
  const attempts = (lines: Recorder.Recorder["lines"]) =>
    lines
      .filter(({ message }) => String(message) === "attempt")
      .map(({ annotations, level }) => ({ level, annotations }))

  it.effect("has its milliseconds, and the headers of its response that the list names", function* () {
    const headers = {
      "content-type": "application/json",
      "retry-after": "1",
      server: "gateway/1.0",
      "set-cookie": "session=1",
      "x-api-version": "7",
      "x-ratelimit-remaining": "0",
      "x-request-id": "req-1"
    }
    const delayed = yield* play(list, [Fault.Delay({ duration: "250 millis" })])
    expect(attempts(delayed.lines)).toMatchObject([{ annotations: { millis: 250, status: 200 } }])
    const { lines } = yield* play(list, [Fault.Status({ status: 418, body: "no", headers })])
    expect(attempts(lines)).toEqual([
      {
        level: "Debug",
        annotations: {
          operation: "organizations.list",
          attempts: 1,
          method: "GET",
          path: "/v1/organizations",
          millis: 0,
          status: 418,
          requestId: "req-1",
          errorType: "418",
          headers: {
            "content-type": "application/json",
            "retry-after": "1",
            server: "gateway/1.0",
            "x-ratelimit-remaining": "0"
          }
        }
      }
    ])
  })

  it.effect("makes no headers while nobody reads the log: looking for credentials in each takes long", function* () {
    const asked: Array<string> = []
    const source = {
      api: "api",
      operation: "pets.list",
      method: "GET",
      path: "/pets",
      address: "host",
      port: 443
    } as const
    const ended = { attempts: 1, url: "", seconds: 0, status: 200, requestId: undefined, errorType: undefined }
    const event = { ...source, ...ended, _tag: "AttemptEnded", headers: () => void asked.push("headers") } as const
    const log = (level: "Info" | "Debug") => Effect.provideService(Log.effect(event), References.MinimumLogLevel, level)
    yield* log("Info")
    expect(asked).toEqual([])
    yield* log("Debug")
    expect(asked).toEqual(["headers"])
  })
})

describe("the trace goes on in the service", () => {
  const socket = HttpHost.layer().pipe(Layer.provide(ConformanceService.layer))
  type Change = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Of a call that a tracer hears: the headers of the trace that reached the service, and how many spans there were. */
  const received = (change: Change = (effect) => effect) =>
    Effect.gen(function* () {
      const { url } = yield* HttpHost.HttpHost
      const { record, spans } = Recorder.make()
      const layer = CloudManagement.layer({ baseUrl: `${url}/odd/headers`, credentials })
      const list = Effect.flatMap(CloudManagement.CloudManagement, (cloud) => cloud.organizations.list())
      const [{ name = "" }] = yield* record(change(Effect.provide(list, layer)))
      const names = name.split(" ")
      expect(names).toContain("authorization")
      return { headers: names.filter((name) => ["b3", "traceparent"].includes(name)).sort(), spans: spans.length }
    })
  const untraced: Change = Effect.updateContext(Context.omit(Tracer.Tracer))
  const disabled: Change = Effect.withTracerEnabled(false)
  const hidden: Change = Effect.provideService(Tracer.DisablePropagation, true)
  const unpropagated: Change = Effect.provideService(HttpClient.TracerPropagationEnabled, false)

  it.effect("over undici, where the program wants it", () =>
    Effect.gen(function* () {
      expect(yield* received()).toEqual({ headers: ["b3", "traceparent"], spans: 2 })
      expect(yield* received(untraced)).toEqual({ headers: [], spans: 0 })
      expect(yield* received(disabled)).toEqual({ headers: [], spans: 0 })
      expect(yield* received(unpropagated)).toEqual({ headers: [], spans: 2 })
      expect(yield* received(hidden)).toEqual({ headers: [], spans: 2 })
    }).pipe(Effect.provide(Layer.merge(NodeTransport.layer, socket)))
  )

  it.effect("in memory, as a child of the attempt's", function* () {
    const { spans } = yield* play(list, [])
    const client = spans.find(({ kind }) => kind === "client")
    const [server, ...more] = spans.filter(({ kind }) => kind === "server")
    expect(more).toEqual([])
    expect(server?.parent).toMatchObject({ value: { spanId: client?.spanId, traceId: client?.traceId } })
  })
})
