// decision 26: what Effect does on the same inputs as ours. A test fails on the day on which Effect's own would do.
import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as HttpClient from "effect/http/HttpClient"
import * as TestClock from "effect/testing/TestClock"
import * as Body from "@cloud-management/core/Body"
import * as Client from "@cloud-management/core/Client"
import * as Operation from "@cloud-management/core/Operation"
import * as Retry from "@cloud-management/core/Retry"
import { Timestamp } from "@cloud-management/core/Wire"
import { Uuid } from "../src/internal/uuid.ts"
import * as TimeLimit from "../src/internal/timeLimit.ts"
import { decide } from "../src/internal/policy.ts"
import * as Stub from "./Stub.ts"

const done = (seconds: number) => Effect.as(Effect.sleep(Duration.seconds(seconds)), "done")

it.effect.each<[what: string, effect: Effect.Effect<string>]>([
  ["is done at once", Effect.succeed("done")],
  ["is done in time", done(9)],
  ["is late", done(11)],
  ["never ends", Effect.never],
  ["dies", Effect.andThen(done(1), Effect.die("defect"))],
  ["interrupts itself", Effect.andThen(done(1), Effect.interrupt)],
  ["ends a little after it is interrupted", Effect.onInterrupt(done(11), () => done(0.5))]
])("a limit of time ends as Effect.timeoutOrElse does: what %s", ([, effect]) =>
  Effect.gen(function* () {
    const end = (limited: Effect.Effect<string>) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.zip(Effect.exit(limited), Clock.currentTimeMillis))
        const start = yield* Clock.currentTimeMillis
        yield* TestClock.adjust("1 minute")
        const [exit, at] = yield* Fiber.join(fiber)
        return [Exit.isSuccess(exit) ? exit.value : String(exit.cause).replace(/\d+/, ""), at - start]
      })
    const late = () => "late"
    const theirs = Effect.timeoutOrElse(effect, { duration: "10 seconds", orElse: () => Effect.sync(late) })
    expect(yield* end(TimeLimit.within(effect, 10_000, late))).toEqual(yield* end(theirs))
  })
)

const outcome = <A>(schema: Schema.Codec<A, string>, text: string) => {
  const value = Schema.decodeOption(schema)(text)
  return value._tag === "None" ? "invalid" : String(value.value)
}

it.each<[text: string, ours?: string]>([
  ["2026-01-02T03:04:05Z"],
  ["2026-01-02T03:04:05.678901+01:30"],
  ["2026-01-02T03:04:05"],
  ["2026-01-02"],
  ["-000001-01-02T03:04:05Z"],
  ["2026-02-30T00:00:00Z"],
  ["2026-13-01T00:00:00Z"],
  ["yesterday"],
  [""],
  ["part 35", "invalid"]
])("the timestamp %j is read as Effect reads it, if it begins with a date", (text, ours) => {
  const theirs = outcome(Schema.DateTimeUtcFromString, text)
  expect(outcome(Timestamp, text)).toBe(ours ?? theirs)
  expect(outcome(Timestamp, text) === theirs).toBe(ours === undefined)
})

it.each([
  "12345678-1234-1234-1234-123456789012",
  "ABCDEFab-1234-f234-0234-123456789012",
  "12345678-1234-1234-1234-12345678901",
  "12345678-1234-1234-1234-123456789012\n",
  "{12345678-1234-1234-1234-123456789012}",
  "123456781234-1234-1234-123456789012"
])("%j is a UUID as it is a GUID of Effect", (text) => {
  expect(Schema.is(Uuid)(text)).toBe(Schema.is(Schema.String.check(Schema.isGUID()))(text))
})

it.effect("Effect waits from 80 to 120 % of the backoff, which leaves clients together; ours from 0 to 100 %", () =>
  Effect.gen(function* () {
    const step = yield* Schedule.toStep(Schedule.jittered(Schedule.spaced("1 second")))
    const delays = yield* Effect.replicateEffect(
      Effect.map(step(0, undefined), ([, delay]) => Duration.toMillis(delay)),
      200
    )
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(800)
    expect(Math.max(...delays)).toBeLessThanOrEqual(1200)
    const state = { attempts: 1, isRetryable: true, isRepeatable: true, outcome: "unknown", status: 503 } as const
    const rest = { isTimeout: false, hint: 0, tokens: 500, timeLeft: 60_000 }
    const ours = [0, 1].map((random) => decide({ ...Retry.standard, base: "1 second" }, { ...state, ...rest }, random))
    expect(ours).toMatchObject([{ wait: 0 }, { wait: 1000 }])
  }).pipe(Random.withSeed("jitter"))
)

it.effect("Effect's retryTransient sends more requests than it is told, repeats a POST, and reads no failed body", () =>
  Effect.gen(function* () {
    const shared = { group: "tasks", path: "/v1/tasks", success: Body.empty, errors: [] } as const
    const read = Operation.make({ ...shared, name: "read", method: "GET" })
    const add = Operation.make({ ...shared, name: "add", method: "POST" })
    const counted = (call: Effect.Effect<unknown, unknown, HttpClient.HttpClient>) =>
      Effect.gen(function* () {
        let bodies = 0
        const pull = (body: ReadableStreamDefaultController) => {
          bodies++
          body.close()
        }
        const { http, requests } = Stub.transport([
          () =>
            requests.length % 2 === 0
              ? Effect.fail("reset")
              : Effect.sync(() => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status: 503 }))
        ])
        const fiber = yield* Effect.forkChild(Effect.exit(Effect.provideService(call, HttpClient.HttpClient, http)))
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(fiber)
        return { requests: requests.length, bodies }
      })
    const ours = (name: "read" | "add") =>
      Effect.flatMap(
        Client.make({ tasks: { read, add } }, { baseUrl: "https://api.example.com", credentials: Stub.credentials }),
        ({ tasks }) => Effect.provideService(tasks[name](), Retry.Current, { attempts: 3 })
      )
    const theirs = (method: "get" | "post") =>
      Effect.flatMap(HttpClient.HttpClient, (client) =>
        HttpClient.retryTransient(client, { times: 2, schedule: Schedule.spaced("1 second") })[method](
          "https://api.example.com"
        )
      )
    expect(yield* counted(ours("read"))).toEqual({ requests: 3, bodies: 2 })
    expect(yield* counted(ours("add"))).toEqual({ requests: 1, bodies: 1 })
    expect(yield* counted(theirs("get"))).toEqual({ requests: 6, bodies: 0 })
    expect(yield* counted(theirs("post"))).toEqual({ requests: 6, bodies: 0 })
  })
)
