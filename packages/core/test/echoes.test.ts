import { assert, describe, it } from "@effect/vitest"
import { inspect } from "node:util"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
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
import { calls } from "./Scripted.ts"
import * as Timeline from "./Timeline.ts"

const { Fault } = Faults
const keyId = Fixtures.deployKey.id
const base64 = (text: string) => Buffer.from(text).toString("base64")
const authorization = (secret: string) => `Basic ${base64(`${keyId}:${secret}`)}`

/** Secrets of 8 characters and more: regular expressions, quotes, escapes, percent signs, spaces, any script. */
const secrets = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(
      Schema.Union([
        Schema.Literals(Array.from("abcXYZ0189\"'`\\/%&<>+=.*?^$()[]{}|~#:;,!@ -_")),
        Schema.Literals(["é", "ß", "€", "✓", "字", "🔑", "e\u0301", "\u00a0"])
      ])
    ),
    { minLength: 8, maxLength: 40 }
  ),
  (characters) => characters.join("").trim().padEnd(8, "k")
)
const seeded = (seed: string, runs: number) => ({ arbitrary: { seed, runs }, timeout: 60_000 })

/** The spellings of a secret that a service, a gateway or a page of an error can give back. */
const spellings: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "in base64": base64,
  "in base64 for URLs": (secret) => Buffer.from(secret).toString("base64url"),
  "as the Authorization header": authorization,
  "as credentials": (secret) => encodeURIComponent(authorization(secret)),
  "percent-encoded": encodeURIComponent,
  "percent-encoded throughout, in lower case": (secret) => Buffer.from(secret).toString("hex").replace(/../g, "%$&"),
  "as a form": (secret) => new URLSearchParams([["a", secret]]).toString().slice(2),
  "in a JSON string": (secret) => JSON.stringify(secret).slice(1, -1),
  "in a JSON string inside a JSON string": (secret) => JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
  "in a JSON string of ASCII": (secret) =>
    JSON.stringify(secret)
      .slice(1, -1)
      .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "in HTML": (secret) =>
    secret.replace(
      /[&<>"']/g,
      (character) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot" }[character] ?? "#39"};`
    ),
  "in HTML, by number": (secret) =>
    Array.from(secret, (character) => `&#x${character.codePointAt(0)?.toString(16)};`).join(""),
  "with other white space": (secret) => secret.replace(/ /g, "\r\n\t")
}

/** Spellings of a whole: those of a part of it look different. */
const encodings = new Set(["in base64", "in base64 for URLs", "as the Authorization header", "as credentials"])

/** What may be seen of a secret, in any spelling: no more than 7 characters in a row. The key's ID is no secret. */
const needles = (secret: string): ReadonlySet<string> => {
  const windows = <A>(all: ReadonlyArray<A>) =>
    Array.from({ length: Math.max(1, all.length - 7) }, (_, i) => all.slice(i, i + 8))
  const header = authorization(secret).slice(authorization("").replace(/=+$/, "").length)
  return new Set([
    ...[base64(secret), Buffer.from(secret).toString("base64url"), header]
      .map((form) => form.replace(/=+$/, ""))
      .flatMap((form) => windows(Array.from(form)).map((part) => part.join(""))),
    ...windows(Array.from(secret.replace(/ +/g, " "))).flatMap((part) =>
      Object.entries(spellings).flatMap(([name, spell]) => (encodings.has(name) ? [] : [spell(part.join(""))]))
    )
  ])
}

/** What a response, or an error of the transport, can do with a text. */
const echoes: Readonly<Record<string, (text: string) => Faults.Fault | Error>> = {
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
      body: JSON.stringify({ status: 200, result: [{ id: text, name: { text } }], [text]: text })
    }),
  "the ID of a success": (text) =>
    Fault.Status({ status: 200, body: JSON.stringify({ status: 200, requestId: text, result: [] }) }),
  headers: (text) => {
    // a value has no control characters, and is bytes
    const value = Buffer.from(text.replace(/\s+/g, " ")).toString("latin1")
    const headers = { "x-request-id": value, "retry-after": value, location: value, server: value, via: value }
    return Fault.Status({ status: 429, headers })
  },
  "an error of the transport": (text) => new Error(`cannot send ${text}`),
  "the request that an error holds": (text) =>
    Object.assign(new Error("lost"), {
      request: { headers: { authorization: text } },
      cause: Object.assign(new Error(`cause: ${text}`), { code: text, request: { headers: [text] } })
    })
}

/** Every fault, none of which gives anything back. */
const silent: Readonly<Record<string, Faults.Fault>> = {
  None: Fault.None(),
  Status: Fault.Status({ status: 503 }),
  StatusAfterSend: Fault.StatusAfterSend({ status: 502 }),
  Delay: Fault.Delay({ duration: "1 second" }),
  DropBeforeSend: Fault.DropBeforeSend(),
  DropAfterSend: Fault.DropAfterSend(),
  Break: Fault.Break({ code: "EPIPE", when: "after-send" }),
  Hang: Fault.Hang(),
  HangAfterSend: Fault.HangAfterSend(),
  Truncate: Fault.Truncate({ bytes: 20 }),
  Stall: Fault.Stall({ bytes: 20 })
} satisfies Record<Faults.Fault["_tag"], Faults.Fault>

const always = function* (fault: Faults.Fault) {
  for (;;) yield fault
}

/** A transport whose every request meets one fault, or fails as Effect's transports do: with the request in the error. */
const transport = (fault: Faults.Fault | Error) =>
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
          : inner.execute(request)
      )
    )
  ).pipe(
    Layer.provide(Faults.inject(fault instanceof Error ? [] : always(fault))(InMemoryTransport.layer(Fixtures.seed))),
    Layer.orDie
  )

const connect = (secret: string, fault: Faults.Fault | Error) =>
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
const seen = Effect.fnUntraced(function* (secret: string, fault: Faults.Fault | Error) {
  const shown: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const show = (...values: ReadonlyArray<unknown>) => {
    for (const value of values) shown.push(...(typeof value === "string" ? [value] : looks(value)))
  }
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
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
  const all = shown.join("\n")
  const found = [...needles(secret)].find((needle) => all.includes(needle))
  if (found !== undefined) assert.notInclude(shown.find((text) => text.includes(found)) ?? all, found)
}

describe("a secret shows in no error, log, span or metric", () => {
  for (const [name, fault] of Object.entries(silent)) {
    it.effect.prop(
      `under ${name}`,
      [secrets],
      ([secret]) => Effect.flatMap(seen(secret, fault), (shown) => Effect.sync(() => isSilent(secret, shown))),
      seeded(name, 3)
    )
  }

  for (const [where, echo] of Object.entries(echoes)) {
    it.effect.prop(
      `when it comes back in ${where}, however it is spelled`,
      { secret: secrets, spelling: Schema.Literals(Object.keys(spellings)) },
      ({ secret, spelling }) =>
        Effect.flatMap(seen(secret, echo(spellings[spelling]?.(secret) ?? "")), (shown) =>
          Effect.sync(() => isSilent(secret, shown))
        ),
      seeded(where, 25)
    )
  }

  for (const [kind, arbitrary] of Object.entries(Hostile.secrets)) {
    it.effect.prop(
      `when it is made of ${kind}, in any two encodings, in any letter case, cut anywhere`,
      [
        Arbitrary.flatMap(arbitrary, (secret) => Arbitrary.map(Hostile.texts(secret), (text) => ({ secret, text }))),
        Schema.Literals(Object.keys(echoes))
      ],
      ([{ secret, text }, where]) =>
        Effect.gen(function* () {
          const shown = yield* seen(secret, echoes[where]?.(text) ?? Fault.None())
          // what is shown in several ways is searched once
          const words = new Set(shown.flatMap((text) => text.split(/\n|(?<=[,{}]) ?/)))
          assert.deepStrictEqual([...words].flatMap(leaks(secret)), [])
        }),
      seeded(kind, 10)
    )
  }

  it.effect("on a span, when the transport dies of it", () =>
    Effect.gen(function* () {
      const secret = "correct horse battery staple"
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      for (const defect of [
        `cannot send ${secret}`,
        new Error(secret, { cause: { authorization: authorization(secret) } })
      ]) {
        const dying = Layer.succeed(
          HttpClient.HttpClient,
          HttpClient.make(() => Effect.die(defect))
        )
        const options = { baseUrl: "https://api.example.com", credentials: Credentials.make(keyId, secret) }
        const context = yield* Layer.build(Layer.provide(Layer.orDie(CloudManagement.layer(options)), dying))
        const call = Context.get(context, CloudManagement.CloudManagement).organizations.list()
        assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.provideService(call, Tracer.Tracer, tracer))))
      }
      assert.lengthOf(spans, 4)
      isSilent(
        secret,
        spans.flatMap(({ attributes, events, status }) => looks({ attributes, events, status }))
      )
      for (const { status } of spans) assert.include(inspect(status, { depth: 9 }), "_OTHER")
    })
  )

  it.effect("when it comes back in any of them and everything is exported", () =>
    Effect.gen(function* () {
      const secret = `it's "100%" <safe>/+\\ ✓ é🔑 & sound`
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
          for (const spell of Object.values(spellings)) {
            const cloud = yield* connect(secret, echo(spell(secret)))
            const { exit } = yield* timeline.run(calls["apiKeys.delete"](cloud))
            yield* Effect.logError("it failed", Exit.isFailure(exit) ? exit.cause : exit)
          }
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
      isSilent(secret, exported)
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
