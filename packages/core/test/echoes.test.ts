import { assert, describe, it } from "@effect/vitest"
import { inspect } from "node:util"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Otlp from "effect/observability/Otlp"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as TestConsole from "effect/testing/TestConsole"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as Log from "@cloud-management/core/Log"
import * as Metrics from "@cloud-management/core/Metrics"
import * as Faults from "@cloud-management/testing/Faults"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Hostile from "./hostile.ts"
import { leaks } from "./leak.ts"
import { tracing } from "../../../checks/fixtures/Spans.ts"
import { calls } from "../../../checks/fixtures/Scripted.ts"
import * as Timeline from "../../../checks/fixtures/Timeline.ts"

const { Fault } = Faults
const keyId = Fixtures.deployKey.id
const token = "cmk_qWvRtYx3ZkLm9PdQsHgJbNaUe8WcTfXo2Ii"

const seeded = (seed: string, runs: number) => ({ arbitrary: { seed, runs }, timeout: 60_000 })

/** A value of a header has no control characters, and is bytes. */
const inHeader = (text: string) => Buffer.from(text.replace(/\s+/g, " ")).toString("latin1")

/** What comes back instead of the response of the service. */
type Echo = Faults.Fault | Error | (() => Response)

/** What a response, or an error of the transport, can do with a text. */
const echoes: Readonly<Record<string, (text: string) => Echo>> = {
  "an envelope": (text) =>
    Fault.Status({ status: 400, body: JSON.stringify({ status: 400, error: `BAD: ${text}`, requestId: text }) }),
  "an error in plain text": (text) => Fault.Status({ status: 503, body: `cannot read ${text}, sorry` }),
  "an error in HTML": (text) => Fault.Status({ status: 404, body: `<h1>Not here</h1><pre>${text}</pre>` }),
  "an error of its own shape": (text) => Fault.Status({ status: 500, body: `{"headers":{"x":["${text}"]}}` }),
  "the place where a text is cut": (text) =>
    Fault.Status({ status: 502, body: text.padStart(200 + text.length / 2, "·") }),
  "a success that is no JSON": (text) => Fault.Status({ status: 200, body: `welcome ${text}` }),
  "a success of another shape": (text) =>
    Fault.Status({
      status: 200,
      body: JSON.stringify({ result: [{ id: text, name: { text } }], [text]: text })
    }),
  "the ID of a success": (text) =>
    Fault.Status({ status: 200, body: JSON.stringify({ status: 200, requestId: text, result: [] }) }),
  headers: (text) => {
    const value = inHeader(text)
    const headers = { "x-request-id": value, "retry-after": value, location: value, server: value, via: value }
    return Fault.Status({ status: 429, headers })
  },
  "an error of the transport": (text) => new Error(`cannot send ${text}`),
  "the head and the error of a body that breaks off": (text) => () =>
    new Response(new ReadableStream({ pull: (controller) => controller.error(new Error(`lost ${text}`)) }), {
      headers: { "x-request-id": inHeader(text) }
    }),
  "the request that an error holds": (text) =>
    Object.assign(new Error("lost"), {
      request: { headers: { authorization: text } },
      cause: Object.assign(new Error(`cause: ${text}`), { code: text, request: { headers: [text] } })
    })
}

/** Faults that give nothing back. */
const silent = [
  Fault.None(),
  Fault.Status({ status: 503 }),
  Fault.DropAfterSend(),
  Fault.HangAfterSend(),
  Fault.Truncate({ bytes: 20 }),
  Fault.Stall({ bytes: 20 })
]

const always = function* (fault: Faults.Fault) {
  for (;;) yield fault
}

/** A transport whose every request meets one fault, or fails as Effect's transports do: with the request in the error. */
const transport = (fault: Echo) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (inner) =>
      HttpClient.make((request) =>
        fault instanceof Error
          ? Effect.fail(
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.TransportError({ request, cause: fault })
              })
            )
          : typeof fault === "function"
            ? Effect.succeed(HttpClientResponse.fromWeb(request, fault()))
            : inner.execute(request)
      )
    )
  ).pipe(
    Layer.provide(Faults.inject("_tag" in fault ? always(fault) : [])(InMemoryTransport.layer(Fixtures.seed))),
    Layer.orDie
  )

const connect = (secret: string, fault: Echo) =>
  Effect.map(
    Layer.build(
      CloudManagement.layer({
        baseUrl: "https://api.example.com",
        credentials: Credentials.make(keyId, secret),
        log: Log.effect,
        metrics: Metrics.effect
      }).pipe(Layer.orDie, Layer.provide(transport(fault)))
    ),
    Context.get(CloudManagement.CloudManagement)
  )

/** Loggers that print, and what becomes of a line when it is printed. */
const printed = (lines: Array<string>) => [
  Logger.consolePretty({ colors: false }),
  Logger.consoleJson,
  Logger.consoleLogFmt,
  Logger.consoleStructured,
  ...[Logger.formatSimple, Logger.formatJson].map((format) => Logger.map(format, (line) => void lines.push(line))),
  Logger.tracerLogger
]

/** A value as people look at it, its hidden fields too. */
const looks = (value: unknown) => [
  String(value),
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part)) ?? "",
  inspect(value, { depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null })
]

/** Everything that anyone can see of a call and of its client. */
const seen = Effect.fnUntraced(function* (secret: string, fault: Echo) {
  const shown: Array<string> = []
  const show = (...values: ReadonlyArray<unknown>) => {
    for (const value of values) shown.push(...(typeof value === "string" ? [value] : looks(value)))
  }
  const { spans, tracer } = tracing()
  const timeline = yield* Timeline.make
  const cloud = yield* connect(secret, fault)
  yield* Effect.gen(function* () {
    for (const call of Object.values(calls)) {
      const { exit } = yield* timeline.run(Effect.withSpan(call(cloud), "of the program"))
      show(exit)
      if (Exit.isSuccess(exit)) continue
      const error = Option.getOrThrow(Exit.findErrorOption(exit))
      const { reason } = error
      show(error, reason, error.message, reason.message, String(error.stack), Cause.pretty(exit.cause))
      for (const level of ["Fatal", "Error", "Warn", "Info", "Debug", "Trace"] as const) {
        yield* Effect.logWithLevel(level)("it failed", exit.cause, error, { error, reason })
      }
    }
    show(yield* Metric.snapshot, yield* Metric.dump, yield* PrometheusMetrics.format())
  }).pipe(
    Effect.provideService(Tracer.Tracer, tracer),
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provideService(References.MinimumLogLevel, "All"),
    Effect.provide(Logger.layer(printed(shown)))
  )
  show(cloud, ...spans.map(({ attributes, events, name, status }) => ({ attributes, events, name, status })))
  show(...(yield* TestConsole.logLines), ...(yield* TestConsole.errorLines))
  return shown
})

const isSilent = (secret: string, shown: ReadonlyArray<string>) => {
  assert.isNotEmpty(shown)
  // what is shown in several ways is searched once
  const words = new Set(shown.flatMap((text) => text.split(/\n|(?<=[,{}]) ?/)))
  assert.deepStrictEqual([...words].flatMap(leaks(secret)), [])
}

describe("a secret shows in no error, log, span or metric", () => {
  it.effect.each(silent)("under $_tag", (fault) =>
    Effect.gen(function* () {
      isSilent(token, yield* seen(token, fault))
    })
  )

  for (const [where, echo] of Object.entries(echoes)) {
    it.effect.prop(
      `when it comes back in ${where}, in any two encodings, in any letter case, cut anywhere`,
      [Hostile.echoes],
      ([{ secret, text }]) =>
        Effect.gen(function* () {
          isSilent(secret, yield* seen(secret, echo(text)))
        }),
      seeded(where, 4)
    )
  }

  it.effect("when a client with another key has failed with the same error before", () =>
    Effect.gen(function* () {
      const secret = "open sesame please"
      const error = new Error(`cannot send ${secret}`)
      const timeline = yield* Timeline.make
      yield* timeline.run(calls["apiKeys.delete"](yield* connect(token, error)))
      isSilent(secret, yield* seen(secret, error))
    })
  )

  it.effect("when everything is exported", () =>
    Effect.gen(function* () {
      const exported: Array<string> = []
      const collector = HttpClient.make((request) =>
        Effect.sync(() => {
          if (request.body._tag === "Uint8Array") exported.push(new TextDecoder().decode(request.body.body))
          return HttpClientResponse.fromWeb(request, new Response("{}"))
        })
      )
      const exporter = Otlp.layer({ baseUrl: "http://collector", resource: { serviceName: "tests" } }).pipe(
        Layer.provide(OtlpSerialization.layerJson),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, collector))
      )
      const timeline = yield* Timeline.make
      yield* Effect.gen(function* () {
        for (const echo of Object.values(echoes)) {
          const { exit } = yield* timeline.run(calls["apiKeys.delete"](yield* connect(token, echo(token))))
          yield* Effect.logError("it failed", Exit.isFailure(exit) ? exit.cause : exit)
        }
        const { flush } = yield* OtlpExporter.Flusher
        yield* flush
      }).pipe(
        Effect.provideService(References.MinimumLogLevel, "All"),
        Effect.provideService(Metric.MetricRegistry, new Map()),
        Effect.provide(exporter)
      )
      assert.sameMembers(
        [...new Set(exported.map((body) => Object.keys(JSON.parse(body))[0]))],
        ["resourceSpans", "resourceMetrics", "resourceLogs"]
      )
      isSilent(token, exported)
    })
  )

  it.effect("on a span, when the transport dies of it", () =>
    Effect.gen(function* () {
      const { spans, tracer } = tracing()
      for (const defect of [`cannot send ${token}`, new Error(token, { cause: { authorization: token } })]) {
        const dying = Layer.succeed(
          HttpClient.HttpClient,
          HttpClient.make(() => Effect.die(defect))
        )
        const options = { baseUrl: "https://api.example.com", credentials: Credentials.make(keyId, token) }
        const context = yield* Layer.build(Layer.provide(Layer.orDie(CloudManagement.layer(options)), dying))
        const call = Context.get(context, CloudManagement.CloudManagement).organizations.list()
        assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.provideService(call, Tracer.Tracer, tracer))))
      }
      assert.lengthOf(spans, 4)
      isSilent(
        token,
        spans.flatMap(({ attributes, events, status }) => looks({ attributes, events, status }))
      )
      for (const { status } of spans) assert.include(inspect(status, { depth: 9 }), "_OTHER")
    })
  )
})

it.effect("a text that was made to be slow to search is searched in linear time", () =>
  Effect.gen(function* () {
    const parts = ["\\", "%25", "&amp;", "&#0", "&#x0", " ", "+", "%20", "\\\\u005c", "s", "c2VjcmV0", "-_", "%2b"]
    for (const part of parts) {
      const fault = Fault.Status({ status: 400, body: part.repeat(1_000_000 / part.length) })
      const cloud = yield* connect("\\%&#+ s ssssssss", fault)
      const { message } = yield* Effect.flip(cloud.organizations.list())
      assert.isBelow(message.length, 400)
    }
  })
)
