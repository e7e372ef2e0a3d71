import { assert, describe, it } from "../../../checks/fixtures/vitest.ts"
import { inspect } from "node:util"
import { Cause, Effect, Exit, Logger, Metric, Option, Record, References, Schema, Stream, Tracer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestConsole } from "effect/testing"
import { Body, CallError, Credentials, Log, Metrics, Operation, Refusal } from "@cloud-management/client"
import { operations } from "@cloud-management/core/Operations"
import { Fixtures, VirtualTime } from "@cloud-management/testing"
import * as Hostile from "./hostile.ts"
import { leaks } from "./leak.ts"
import * as Stub from "./Stub.ts"
import { tracing } from "../../../checks/fixtures/Spans.ts"
import { calls } from "../../../checks/fixtures/Scripted.ts"

const keyId = Fixtures.deployKey.id
const token = "cmk_qWvRtYx3ZkLm9PdQsHgJbNaUe8WcTfXo2Ii"

const seeded = (seed: string, runs: number) => ({ arbitrary: { seed, runs } })

/** A value of a header has no control characters, and is bytes. */
const inHeader = (text: string) => Buffer.from(text.replace(/\s+/g, " ")).toString("latin1")

const respond =
  (body: string | ReadableStream, status = 200, headers: Readonly<Record<string, string>> = {}): Stub.Reply =>
  () =>
    Effect.sync(() => new Response(body, { status, headers }))
const failing =
  (cause: unknown): Stub.Reply =>
  () =>
    Effect.fail(cause)
const breakingOff = (why: string) => new ReadableStream({ pull: (controller) => controller.error(new Error(why)) })

/** Ways of a response, or of an error of the transport, to repeat a text. */
const echoes: Readonly<Record<string, (text: string) => Stub.Reply>> = {
  "an envelope": (text) => respond(JSON.stringify({ status: 400, error: `BAD: ${text}`, requestId: text }), 400),
  "an error in plain text": (text) => respond(`cannot read ${text}, sorry`, 503),
  "an error in HTML": (text) => respond(`<h1>Not here</h1><pre>${text}</pre>`, 404),
  "an error of its own shape": (text) => respond(`{"headers":{"x":["${text}"]}}`, 500),
  "the place where a text is cut": (text) => respond(text.padStart(200 + text.length / 2, "·"), 502),
  "a success that is no JSON": (text) => respond(`welcome ${text}`),
  "a success of another shape": (text) =>
    respond(JSON.stringify({ result: [{ id: text, name: { text } }], [text]: text })),
  "the ID of a success": (text) => respond(JSON.stringify({ status: 200, requestId: text, result: [] })),
  headers: (text) => {
    const value = inHeader(text)
    return respond("", 429, { "x-request-id": value, "retry-after": value, location: value, server: value, via: value })
  },
  "an error of the transport": (text) => failing(new Error(`cannot send ${text}`)),
  "the head and the error of a body that breaks off": (text) => (request, url) =>
    respond(breakingOff(`lost ${text}`), 200, { "x-request-id": inHeader(text) })(request, url),
  "the request that an error holds": (text) =>
    failing(
      Object.assign(new Error("lost"), {
        request: { headers: { authorization: text } },
        cause: Object.assign(new Error(`cause: ${text}`), { code: text, request: { headers: [text] } })
      })
    )
}

const Labels = Schema.Struct({ labels: Schema.Record(Schema.String, Schema.Finite) })

class Rejected extends CallError.refusal(
  "Rejected",
  "4XX",
  Refusal.body(
    Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      details: Schema.optionalKey(Schema.Unknown),
      labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite))
    })
  )
) {}

const list = { group: "things", name: "list", method: "GET", path: "/things", errors: [Rejected] } as const
const labels = Operation.make({ ...list, success: Body.json(Labels) })
const parsed = Operation.make({ ...list, success: Body.json(Schema.fromJsonString(Labels)) })
const lines = Operation.make({ ...list, success: Body.jsonLines(Labels) })
const events = Operation.make({ ...list, success: Body.events(Labels) })

type Program = (typeof calls)["apiKeys.delete"]
const call: Program = (cloud) => cloud.execute(labels, {})
const mismatch = (text: string) => JSON.stringify({ labels: { ok: 1, [text]: text } })

const ownEchoes: Readonly<Record<string, readonly [program: Program, echo: (text: string) => Stub.Reply]>> = {
  "the body of a typed refusal": [
    call,
    (text) =>
      respond(JSON.stringify({ code: text, message: text, details: [{ [text]: text }], labels: { [text]: 1 } }), 401)
  ],
  "a name of a map of a refusal": [
    call,
    (text) => respond(JSON.stringify({ code: "no", message: "no", labels: { [text]: text } }), 401)
  ],
  "a name of a map": [call, (text) => respond(mismatch(text))],
  "a text that its own schema reads": [
    (cloud) => cloud.execute(parsed, {}),
    (text) => respond(JSON.stringify(text.slice(0, 10)))
  ],
  "a name of a map in a line": [
    (cloud) => Stream.runDrain(Stream.unwrap(cloud.execute(lines, {}))),
    (text) => respond(`{"labels":{}}\n${mismatch(text)}\n`)
  ],
  "a name of a map in an event": [
    (cloud) => Stream.runDrain(Stream.unwrap(cloud.execute(events, {}))),
    (text) =>
      respond(`data: {"labels":{}}\n\ndata: ${mismatch(text)}\n\n`, 200, { "content-type": "text/event-stream" })
  ]
}

const silent: Readonly<Record<string, Stub.Reply>> = {
  "a success": respond(JSON.stringify(Stub.success["organizations.list"])),
  "a refusal": respond("", 503),
  "no connection": failing(new Error("reset")),
  "no response": () => Effect.never,
  "a body that breaks off": (request, url) => respond(breakingOff("lost"))(request, url),
  "a body that stalls": (request, url) => respond(new ReadableStream())(request, url)
}

const connect = (secret: string, reply: Stub.Reply) =>
  Effect.map(
    Stub.over(operations, [reply], {
      credentials: Credentials.make(keyId, secret),
      log: Log.effect,
      metrics: Metrics.effect
    }),
    ({ client }) => client
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

const seen = Effect.fnUntraced(function* (
  secret: string,
  reply: Stub.Reply,
  programs: ReadonlyArray<Program> = Object.values(calls)
) {
  const shown: Array<string> = []
  const show = (...values: ReadonlyArray<unknown>) => {
    for (const value of values) shown.push(...(typeof value === "string" ? [value] : looks(value)))
  }
  const { spans, tracer } = tracing()
  const timeline = VirtualTime.make()
  const cloud = yield* connect(secret, reply)
  yield* Effect.gen(function* () {
    for (const call of programs) {
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
  it.effect.each(Object.entries(silent))("with %s", function* ([, reply]) {
    isSilent(token, yield* seen(token, reply))
  })

  const everywhere = {
    ...Record.map(echoes, (echo) => [undefined, echo] as const),
    ...Record.map(ownEchoes, ([program, echo]) => [[program], echo] as const)
  }
  for (const [where, [programs, echo]] of Object.entries(everywhere)) {
    it.effect.prop(
      `when it comes back in ${where}, in any two encodings, in any letter case, cut anywhere`,
      [Hostile.echoes],
      function* ([{ secret, text }]) {
        isSilent(secret, yield* seen(secret, echo(text), programs))
      },
      seeded(where, 4)
    )
  }

  it.effect("when a client with another key has failed with the same error before", function* () {
    const secret = "open sesame please"
    const reply = failing(new Error(`cannot send ${secret}`))
    const timeline = VirtualTime.make()
    yield* timeline.run(calls["apiKeys.delete"](yield* connect(token, reply)))
    isSilent(secret, yield* seen(secret, reply))
  })

  it.effect("on a span, when the transport dies of it", function* () {
    const { spans, tracer } = tracing()
    for (const defect of [`cannot send ${token}`, new Error(token, { cause: { authorization: token } })]) {
      const cloud = yield* connect(token, () => Effect.die(defect))
      const call = Effect.provideService(cloud.organizations.list(), Tracer.Tracer, tracer)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(call)))
    }
    assert.lengthOf(spans, 4)
    isSilent(
      token,
      spans.flatMap(({ attributes, events, status }) => looks({ attributes, events, status }))
    )
    for (const { status } of spans) assert.include(inspect(status, { depth: 9 }), "_OTHER")
  })
})

it.effect("a text that was made to be slow to search is searched in linear time", function* () {
  const parts = ["\\", "%25", "&amp;", "&#0", "&#x0", " ", "+", "%20", "\\\\u005c", "s", "c2VjcmV0", "-_", "%2b"]
  for (const part of parts) {
    const cloud = yield* connect("\\%&#+ s ssssssss", respond(part.repeat(1_000_000 / part.length), 400))
    const { message } = yield* Effect.flip(cloud.organizations.list())
    assert.isBelow(message.length, 400)
  }
})
