import * as NodeServices from "@effect/platform-node/NodeServices"
import { Child, describe, exits, expect, it, Listener, selfSigned } from "../../../checks/fixtures/index.ts"
import { Cause, ConfigProvider, Deferred, Duration, Effect, Exit, Fiber, Layer, Logger, Tracer } from "effect"
import { Base64 } from "effect/encoding"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as Http from "node:http"
import * as Https from "node:https"
import { text } from "node:stream/consumers"
import { NodeTransport } from "@cloud-management/node"
import { Fixtures } from "@cloud-management/testing"
import { writeFileSync } from "node:fs"
import * as Collector from "../src/serve/collector.ts"
import * as Telemetry from "../src/serve/telemetry.ts"
import * as Server from "./Server.ts"

const { deployKey } = Fixtures

/** A collector that replies as it is told to, and remembers what it got, and how many requests it had at once. */
const collect = Effect.fnUntraced(function* (
  reply: (to: Http.ServerResponse) => void = (response) => response.end("{}"),
  tls?: Https.ServerOptions
) {
  const received: Array<Listener.Received> = []
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  let look = () => {}
  const listener: Http.RequestListener = async ({ headers, method = "", url: target = "" }, response) => {
    const count = (by: number) => {
      open.set(target, (open.get(target) ?? 0) + by)
      most.set(target, Math.max(most.get(target) ?? 0, open.get(target) ?? 0))
      look()
    }
    received.push({ method, target, headers, body: await text(response.req) })
    response.once("close", () => count(-1))
    reply(response)
    count(1)
  }
  const server = tls === undefined ? Http.createServer(listener) : Https.createServer(tls, listener)
  const host = `127.0.0.1:${yield* Listener.port(server)}`
  /** Waits until so many requests to the path have no reply, nor an end. */
  const until = (path: string, count: number) =>
    Effect.callback<void>((resume) => {
      look = () => {
        if (open.get(path) === count) resume(Effect.void)
      }
      look()
    })
  return { host, received, most, until }
})

const serve = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const child = yield* Server.seeded(env)
  const read = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    Effect.promise(async () => {
      const response = await fetch(`${child.url}/v1/organizations${query}`, { headers })
      await response.text()
      return response.status
    })
  return { ...child, read }
})

/** A service has these when its environment says so. */
const telemetry = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Telemetry.make, [ConfigProvider.layer(ConfigProvider.fromEnv({ env })), NodeServices.layer])

/** The requests in which a service with these variables sends an act to a collector. */
const exported = Effect.fnUntraced(function* (
  act: Effect.Effect<unknown>,
  env: (url: string) => Readonly<Record<string, string>>
) {
  const { host, received } = yield* collect()
  const { layer } = yield* telemetry({ OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", ...env(`http://${host}`) })
  yield* Effect.provide(act, layer)
  return received.map(({ body }) => body)
})

/** The client of an exporter of spans, in this process, what it logs, and `head`, which waits for a first response. */
const exporting = Effect.fnUntraced(function* (host: string, timeout = Duration.minutes(1)) {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    lines.push(`${logLevel} ${String(message)}`)
  })
  const responded = yield* Deferred.make<void>()
  const transport = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.tap(() => Deferred.succeed(responded, undefined))
    )
  )
  const context = yield* Layer.build(
    Collector.client({ signal: "traces", timeout }).pipe(
      Layer.provide(transport),
      Layer.provide(NodeTransport.layer),
      Layer.merge(Logger.layer([logger]))
    )
  )
  return {
    lines,
    head: Deferred.await(responded),
    send: Effect.exit(Effect.provide(HttpClient.post(`http://${host}/v1/traces`), context))
  }
})

describe.concurrent("telemetry", () => {
  it.live("is sent where OpenTelemetry's variables point, and no secret with it", function* () {
    const { host, received } = yield* collect()
    const { read, stop } = yield* serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${host}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=acme, authorization=Basic%20Zm9vOmJhcg==,",
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: "x-tenant=globex",
      OTEL_RESOURCE_ATTRIBUTES: "team=site%20reliability, ",
      // which is not true
      OTEL_SDK_DISABLED: "1"
    })
    const credentials = Base64.encode(`${deployKey.id}:${deployKey.secret}`)
    expect(yield* read("", { authorization: `Basic ${credentials}` })).toBe(200)
    expect(yield* read("?token=hidden")).toBe(401)
    expect(yield* stop).toMatchObject({ code: 0 })
    const to = (path: string) => received.filter(({ target }) => target === path)
    const bodies = (path: string) =>
      to(path)
        .map(({ body }) => body)
        .join("\n")
    expect(bodies("/v1/traces")).toContain(`"name":"GET /v1/organizations"`)
    expect(bodies("/v1/traces")).toContain("?token=REDACTED")
    expect(bodies("/v1/traces")).toContain("site reliability")
    expect(bodies("/v1/logs")).toContain("authentication.failed")
    expect(bodies("/v1/metrics")).toContain("cloud-management")
    const instance = /"service\.instance\.id","value":{"stringValue":"([^"]*)"/g
    const named = received.flatMap(({ body }) => Array.from(body.matchAll(instance), ([, id]) => id))
    expect(named.length).toBe(received.length)
    expect([...new Set(named)]).toEqual([expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)])
    const all = received.map(({ body }) => body).join("\n")
    for (const secret of [deployKey.secret, credentials, "hidden"]) expect(all).not.toContain(secret)
    expect(to("/v1/traces")[0]?.headers).toMatchObject({ "x-tenant": "acme", authorization: "Basic Zm9vOmJhcg==" })
    expect(to("/v1/logs")[0]?.headers).toMatchObject({ "x-tenant": "globex" })
  })

  it.live.each<[sampler: string, ratio: string, parent: string, spans: number]>([
    ["always_off", "", "", 0],
    ["always_on", "", "00", 4],
    ["traceidratio", "0", "01", 0],
    ["traceidratio", "1", "00", 4],
    ["parentbased_always_off", "", "01", 4],
    ["parentbased_always_off", "", "", 0],
    ["parentbased_traceidratio", "0.0000001", "01", 4],
    ["PARENTBASED_TRACEIDRATIO", "0.0000001", "", 0],
    ["", "", "00", 0]
  ])("has the spans that %s keeps, with %j and a parent of flags %j", function* ([sampler, ratio, flags, spans]) {
    const parent = { traceId: "0af765".padEnd(32, "f"), spanId: "b7ad6b7169203331", sampled: flags === "01" }
    const span = Effect.withSpan(Effect.void, "GET /v1/organizations")
    const below = flags === "" ? span : Effect.withParentSpan(span, Tracer.externalSpan(parent))
    const bodies = yield* exported(Effect.replicateEffect(below, 4), (url) => ({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
      OTEL_RESOURCE_ATTRIBUTES: "service.instance.id=a",
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: ratio
    }))
    const sent = bodies.join("\n")
    expect(sent.match(/"name":"GET \/v1\/organizations"/g) ?? []).toHaveLength(spans)
    if (spans > 0) expect(sent).toContain('"service.instance.id","value":{"stringValue":"a"}')
  })

  it.live.each<[name: string, env: Readonly<Record<string, string>>]>([
    ["cloud-management", {}],
    ["mine", { OTEL_RESOURCE_ATTRIBUTES: "service.name=mine" }],
    ["mine", { OTEL_RESOURCE_ATTRIBUTES: "service.name=mine", OTEL_SERVICE_NAME: "" }],
    ["other", { OTEL_RESOURCE_ATTRIBUTES: "service.name=mine", OTEL_SERVICE_NAME: "other" }]
  ])("is that of the service %s with %j", function* ([name, env]) {
    const act = Effect.andThen(Effect.withSpan(Effect.void, "a"), Effect.logInfo("b"))
    const bodies = yield* exported(act, (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env }))
    expect(bodies.length).toBeGreaterThan(1)
    const names = bodies.map((body) => body.match(/(?<="service\.name","value":{"stringValue":")[^"]*/g))
    expect(names).toEqual(bodies.map(() => [name]))
  })

  it.live("is sent to a collector over TLS with the authority and the certificate that are named", function* () {
    const [own, node] = [selfSigned(), selfSigned("rsa")]
    const tls = { ...own, ca: node.cert, requestCert: true }
    const { host, received } = yield* collect(undefined, tls)
    const folder = yield* Child.folder()
    const file = (name: string, text: string) => {
      writeFileSync(`${folder}/${name}`, text)
      return `${folder}/${name}`
    }
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `https://${host.replace("127.0.0.1", "localhost")}`,
      OTEL_EXPORTER_OTLP_CERTIFICATE: file("ca", own.cert),
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: file("cert", node.cert),
      OTEL_EXPORTER_OTLP_CLIENT_KEY: file("key", node.key)
    }
    const { read, stop } = yield* serve(env)
    expect(yield* read("")).toBe(401)
    yield* stop
    expect(new Set(received.map(({ target }) => target))).toEqual(new Set(["/v1/traces", "/v1/metrics", "/v1/logs"]))
  })

  it.live("is dropped when the collector hangs, which holds up the end no longer than its limit", function* () {
    const { host, most, until } = yield* collect(() => {})
    const child = yield* serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${host}`,
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1",
      OTEL_EXPORTER_OTLP_TIMEOUT: "3600000",
      CLOUD_MANAGEMENT_SHUTDOWN_TIMEOUT: "500ms"
    })
    for (let count = 0; count < 20; count++) expect(yield* child.read("")).toBe(401)
    yield* child.until("stderr", /"WARN","message":"the collector does not accept traces, .*: 8 exports/)
    yield* until("/v1/traces", 8)
    // the last export alone may take three seconds
    const stopped = '"WARN","message":"stopped after 500ms without waiting for the rest"'
    expect(yield* child.stop).toMatchObject(exits(0, stopped))
    expect(most.get("/v1/traces")).toBe(8)
  })

  it.live("says once that exports fail, and once that they work again", function* () {
    const statuses = [200, 401, 401, 503, 200, 200, 401]
    const { host, received } = yield* collect((response) =>
      response.writeHead(statuses[received.length - 1] ?? 500).end()
    )
    const { lines, send } = yield* exporting(host)
    const lost = "Warn the collector does not accept traces, so they are dropped: HTTP 401"
    const told = [[], [lost], [], ["Info the collector accepts traces again"], [], [lost]]
    for (const expected of told) {
      yield* send
      expect(lines.splice(0)).toEqual(expected)
    }
    expect(received).toHaveLength(statuses.length)
  })

  const [json, protobuf] = [{ "content-type": "application/json" }, { "content-type": "application/x-protobuf" }]
  const partial = '{"partialSuccess":{"rejectedSpans":"5","errorMessage":"too\\nold"}}'
  it.live.each<
    [what: string, status: number, headers: Record<string, string>, body: string | Uint8Array, told: string]
  >([
    ["a limit", 429, { "retry-after": "30" }, "", "HTTP 429, Retry-After: 30"],
    ["a part", 200, json, partial, "in part: 5 were rejected: too\ufffdold"],
    // 5 in field 1, "old" in field 2, both in field 1
    [
      "a part, in protobuf",
      200,
      protobuf,
      Uint8Array.of(10, 7, 8, 5, 18, 3, 111, 108, 100),
      "in part: 5 were rejected: old"
    ],
    ["all", 200, protobuf, "", ""]
  ])("says once that the collector takes %s", function* ([, status, headers, body, told]) {
    const { host, received } = yield* collect((response) => void response.writeHead(status, headers).end(body))
    const { lines, send } = yield* exporting(host)
    yield* send
    yield* send
    expect(received).toHaveLength(2)
    const words = status === 429 ? `does not accept traces, so they are dropped: ${told}` : `accepts traces ${told}`
    expect(lines).toEqual(told === "" ? [] : [`Warn the collector ${words}`])
  })

  it.live("takes no export that began before the first failure for the end of it", function* () {
    const waiting: Array<Http.ServerResponse> = []
    const { host, until } = yield* collect((response) => waiting.push(response))
    const { lines, send } = yield* exporting(host)
    const reply = (status: number) => Effect.sync(() => waiting.pop()?.writeHead(status).end())
    const first = yield* Effect.forkChild(send)
    yield* until("/v1/traces", 1)
    const second = yield* Effect.forkChild(send)
    yield* until("/v1/traces", 2)
    for (const [fiber, status] of [
      [second, 401],
      [first, 200]
    ] as const) {
      yield* reply(status)
      yield* Fiber.join(fiber)
    }
    expect(lines).toEqual(["Warn the collector does not accept traces, so they are dropped: HTTP 401"])
  })

  it.live("says why no connection is made, without the endpoint", function* () {
    const { lines, send } = yield* exporting("someone:collector-password@127.0.0.1:1")
    yield* send
    expect(lines).toEqual(["Warn the collector does not accept traces, so they are dropped: ECONNREFUSED"])
  })

  it.effect.each([
    { name: "head", reply: () => {} },
    { name: "end", reply: (response: Http.ServerResponse) => response.write("half") }
  ])("gives up an export whose reply has no $name", function* ({ reply, name }) {
    const { host, until } = yield* collect(reply)
    const { head, lines, send } = yield* exporting(host, Duration.seconds(10))
    const sending = yield* Effect.forkChild(send)
    yield* until("/v1/traces", 1)
    if (name === "end") yield* head
    yield* TestClock.adjust("10 seconds")
    const exit = yield* Fiber.join(sending)
    // what the exporter does not try again
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    expect(lines).toEqual(["Warn the collector does not accept traces, so they are dropped: no response within 10s"])
    yield* until("/v1/traces", 0)
  })

  it.effect("is not sent when OTEL_SDK_DISABLED says so", function* () {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "True" }
    const { hasMetrics, layer } = yield* telemetry(env)
    expect([hasMetrics, layer]).toEqual([false, Layer.empty])
  })

  it.live("takes enums in any letter case, and ignores others with a warning", function* () {
    const { host, received } = yield* collect()
    const { read, stop } = yield* serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${host}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "HTTP/JSON",
      OTEL_EXPORTER_OTLP_COMPRESSION: "brotli",
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "Delta",
      OTEL_EXPORTER_OTLP_TIMEOUT: "0",
      OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "10s",
      OTEL_BSP_SCHEDULE_DELAY: "-1",
      OTEL_METRIC_EXPORT_INTERVAL: "often",
      OTEL_RESOURCE_ATTRIBUTES: "a=%zz",
      OTEL_TRACES_EXPORTER: "OTLP",
      OTEL_LOGS_EXPORTER: "None"
    })
    yield* read("")
    const { code, stderr } = yield* stop
    expect(code).toBe(0)
    expect(stderr.match(/OTEL_\w+ is ignored: expected [\w/ ]+/g)).toEqual([
      "OTEL_EXPORTER_OTLP_PROTOCOL is ignored: expected http/protobuf or http/json",
      "OTEL_EXPORTER_OTLP_COMPRESSION is ignored: expected none or gzip",
      "OTEL_EXPORTER_OTLP_TIMEOUT is ignored: expected a whole number above 0",
      "OTEL_EXPORTER_OTLP_LOGS_TIMEOUT is ignored: expected a whole number above 0",
      "OTEL_BSP_SCHEDULE_DELAY is ignored: expected a whole number above 0",
      "OTEL_METRIC_EXPORT_INTERVAL is ignored: expected a whole number above 0",
      "OTEL_RESOURCE_ATTRIBUTES is ignored: expected NAME"
    ])
    const types = received.map(({ headers, target }) => `${target} ${headers["content-type"]}`)
    expect(new Set(types)).toEqual(new Set(["/v1/traces application/json", "/v1/metrics application/x-protobuf"]))
  })
})
