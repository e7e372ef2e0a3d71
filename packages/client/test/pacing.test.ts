import { assert, describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Duration, Effect, Exit, Fiber, Random, Result, Schema, Struct } from "effect"
import { TestClock } from "effect/testing"
import { CallError, type Client, Deadline, Pacing, Retry } from "@cloud-management/client"
import { operations } from "@cloud-management/core/Operations"
import * as RateLimits from "./RateLimits.ts"
import * as Stub from "./Stub.ts"
import { VirtualTime } from "@cloud-management/testing"
import { ticking } from "./ticking.ts"

const { statements } = RateLimits
const seeded = (seed: string, runs: number) => ({ arbitrary: { seed, runs } })

interface Circumstances extends Partial<RateLimits.Conditions>, Partial<Client.Options> {
  readonly state?: (verdict: RateLimits.Verdict) => Record<string, string>
}

/** A client of a service that has nothing but a limit, the requests that this saw, and their timeline. */
const open = Effect.fnUntraced(function* (
  pacing: Pacing.Pacing,
  limiter: RateLimits.Limiter,
  { latency = 0, loss = 0, state = statements["in fractions of seconds"], ...options }: Circumstances = {}
) {
  const requests: Array<RateLimits.Request> = []
  const reply = RateLimits.reply(limiter, state, { latency, loss }, requests)
  const { client: cloud } = yield* Stub.over(operations, [reply], { deadline: { total: "1 day" }, pacing, ...options })
  return { cloud, requests, timeline: VirtualTime.make() }
})

const onDemand = (limit: number, window: number) => RateLimits.windowOnDemand({ limit, window })
const { "not at all": unstated, ...stating } = statements
const limiters: Readonly<Record<string, (limit: RateLimits.Limit) => RateLimits.Limiter>> = {
  "a fixed window": (limit) => RateLimits.fixedWindow(limit, 777),
  "a window on demand": RateLimits.windowOnDemand,
  "a window that every request prolongs": RateLimits.prolongedWindow,
  "a sliding window that states its next place": (limit) => RateLimits.slidingLog(limit, "next"),
  "a sliding window that states its end": (limit) => RateLimits.slidingLog(limit, "all"),
  "a token bucket that states its next token": (limit) => RateLimits.tokenBucket(limit, "next"),
  "a token bucket that states when it is full": (limit) => RateLimits.tokenBucket(limit, "all")
}

describe("adaptive: never a 429 once a response has stated the limit", () => {
  for (const [name, limiter] of Object.entries(limiters)) {
    it.effect.prop(
      `of ${name}, however responses overtake one another`,
      {
        limit: Stub.between(1, 12),
        window: Stub.between(400, 12_000),
        latency: Stub.between(0, 3000),
        loss: Schema.Literals([0, 0.2]),
        count: Stub.between(10, 60),
        spread: Stub.between(0, 20_000),
        statement: Schema.Literals(Struct.keys(stating)),
        seed: Schema.String
      },
      function* ({ count, latency, limit, loss, seed, spread, statement, window }) {
        const { cloud, requests, timeline } = yield* open(Pacing.adaptive, limiter({ limit, window }), {
          state: stating[statement],
          latency,
          loss,
          retry: { attempts: 20, maxHint: "1 hour", budget: { ...Retry.standard.budget, capacity: 1e6 } }
        })
        const call = Effect.flatMap(Random.nextBetween(0, spread), (at) => Effect.delay(cloud.organizations.list(), at))
        const calls = Array.from({ length: count }, () => call)
        const { exit } = yield* timeline.run(
          Effect.all(calls, { concurrency: "unbounded" }).pipe(Random.withSeed(seed))
        )
        assert.isTrue(Exit.isSuccess(exit))
        const first = Math.min(...requests.map(({ responded }) => responded))
        // the first request goes alone for a second: what is sent then, and before its response, cannot know the limit
        const refused = requests.filter(({ sent, status }) => status === 429 && (sent > first || first < 1000))
        // what a response says that is lost, or takes more than a second, is not known in time: each can cost a 429
        const late = requests.filter(({ responded, sent }) => responded - sent > 1000)
        assert.isAtMost(refused.length, late.length)
      },
      seeded(name, 60)
    )
  }
})

const unlimited: RateLimits.Limiter = () => ({ allowed: true, limit: Infinity, remaining: Infinity, reset: 0 })
const times = (requests: ReadonlyArray<RateLimits.Request>) => requests.map(({ sent }) => Math.floor(sent / 1000))
const together = <A, E, R>(calls: Iterable<Effect.Effect<A, E, R>>) => Effect.all(calls, { concurrency: "unbounded" })
const manyOf = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, i) => make(i))

describe("adaptive", () => {
  it.effect.each([0, 40, 800])(
    "200 calls at once meet no 429, and finish within a tenth of the ideal time, with a latency of up to %d ms",
    function* (latency) {
      // the service's own limiter
      const { cloud, requests, timeline } = yield* open(Pacing.adaptive, onDemand(10, 10_000), { latency })
      const calls = together(manyOf(200, () => cloud.organizations.list()))
      const { elapsed, exit } = yield* timeline.run(calls).pipe(Random.withSeed("service"))
      expect(exit._tag).toBe("Success")
      expect(requests.map(({ status }) => status)).toEqual(manyOf(200, () => 200))
      // 10 at once, and 19 windows of 10 seconds for the other 190
      expect(elapsed).toBeGreaterThanOrEqual(190_000)
      expect(elapsed).toBeLessThanOrEqual(190_000 * 1.1)
    }
  )

  it.effect.each([900, 60_000])(
    "sends the first request alone, and all others once its response has stated no limit, or after a second: %d ms",
    function* (latency) {
      const { cloud, requests, timeline } = yield* open(Pacing.adaptive, unlimited, {
        state: unstated,
        latency,
        deadline: { attempt: "1 hour", total: "1 hour" }
      })
      yield* timeline.run(together(manyOf(50, () => cloud.organizations.list()))).pipe(Random.withSeed("first"))
      const [{ responded, sent } = { responded: NaN, sent: NaN }, ...others] = requests
      expect(sent).toBe(0)
      expect(others.map(({ sent }) => sent)).toEqual(manyOf(49, () => Math.min(responded, 1000)))
    }
  )

  it.effect("heeds what others use up", function* () {
    const limiter = onDemand(10, 60_000)
    const { cloud, requests, timeline } = yield* open(Pacing.adaptive, limiter)
    const list = cloud.organizations.list()
    const others = Effect.sync(() => manyOf(7, () => limiter(timeline.now())))
    const { exit } = yield* timeline.run(
      Effect.all([list, others, list, together(manyOf(5, () => list))], { discard: true })
    )
    expect(exit._tag).toBe("Success")
    // 3 of 10 are left for this client
    expect(requests.map(({ sent, status }) => [Math.floor(sent / 1000), status])).toEqual([
      ...manyOf(3, () => [0, 200]),
      ...manyOf(4, () => [60, 200])
    ])
  })

  it.effect("loses no turn by responses that overtake one another", function* () {
    const { cloud, requests, timeline } = yield* open(Pacing.adaptive, onDemand(10, 60_000), { latency: 100 })
    const list = cloud.organizations.list()
    yield* timeline
      .run(Effect.all([list, together([list, list]), together(manyOf(7, () => list))]))
      .pipe(Random.withSeed("overtaken"))
    expect(requests.map(({ status }) => status)).toEqual(manyOf(10, () => 200))
    expect(new Set(requests.slice(3).map(({ sent }) => sent)).size).toBe(1)
  })

  it.effect("goes on counting after a response that states nothing, such as that of a gateway", function* () {
    let responses = 0
    const { cloud, requests, timeline } = yield* open(Pacing.adaptive, onDemand(5, 60_000), {
      state: (verdict) => (++responses === 2 ? {} : statements["in fractions of seconds"](verdict)),
      latency: 100
    })
    const list = cloud.organizations.list()
    yield* timeline.run(Effect.all([list, list, together(manyOf(10, () => list))])).pipe(Random.withSeed("gateway"))
    expect(requests.map(({ sent, status }) => [Math.floor(sent / 60_000), status])).toEqual(
      manyOf(12, (i) => [Math.floor(i / 5), 200])
    )
  })

  it.effect("waits as a 429 asks, and then lets two more go with each response, without a limit", function* () {
    const limiter = RateLimits.fixedWindow({ limit: 20, window: 30_000 })
    const { cloud, requests, timeline } = yield* open(Pacing.adaptive, limiter, {
      state: ({ allowed, reset }) => (allowed ? {} : { "retry-after": String(Math.ceil(reset / 1000)) }),
      latency: 200,
      retry: { attempts: 9 }
    })
    // five of them ask while the others wait
    const calls = manyOf(60, (i) => Effect.delay(cloud.organizations.list(), i < 55 ? 0 : "5 seconds"))
    const { exit } = yield* timeline.run(together(calls)).pipe(Random.withSeed("unstated"))
    expect(exit._tag).toBe("Success")
    for (const start of [30_000, 60_000]) {
      const window = requests.filter(({ sent }) => sent >= start && sent < start + 30_000)
      const progress = window.map(({ sent }) => ({
        sent: window.filter((other) => other.sent <= sent).length,
        responded: window.filter(({ responded }) => responded <= sent).length
      }))
      for (const { responded, sent } of progress) expect(sent).toBeLessThanOrEqual(1 + 2 * responded)
      expect(Math.max(...progress.map(({ responded, sent }) => sent - responded))).toBeGreaterThan(5)
    }
    // nothing between the first second and the end of the wait
    expect(requests.filter(({ sent }) => sent > 1000 && sent < 30_000)).toEqual([])
  })

  it.effect("is not shut for good by one response", function* () {
    const state: { verdict: Partial<RateLimits.Verdict> } = { verdict: { allowed: false, remaining: 0, reset: 1e12 } }
    const { cloud, requests, timeline } = yield* open(
      Pacing.adaptive,
      () => ({ allowed: true, limit: 10, remaining: 9, reset: 1000, ...state.verdict }),
      { state: statements["in whole seconds, rounded up"], deadline: { total: "1 minute" } }
    )
    const list = Effect.result(cloud.organizations.list())
    const { exit } = yield* timeline.run(
      Effect.gen(function* () {
        const refused = yield* list
        state.verdict = {}
        const held = yield* list
        yield* Effect.sleep("1 hour")
        return [refused, held, yield* list].map((result) =>
          Result.isSuccess(result) ? "ok" : result.failure.reason._tag
        )
      })
    )
    expect(exit).toEqual(Exit.succeed(["RateLimited", "Throttled", "ok"]))
    expect(requests).toHaveLength(2)
  })
})

describe("a call that would wait past its deadline", () => {
  const pacings = { adaptive: Pacing.adaptive, fixed: Pacing.fixed({ limit: 5, window: "10 seconds" }) }
  it.effect.each<keyof typeof pacings>(["adaptive", "fixed"])(
    "fails at once, and nothing is sent: %s",
    function* (name) {
      const { cloud, requests, timeline } = yield* open(pacings[name], onDemand(5, 10_000), {
        deadline: { total: "25 seconds" }
      })
      const call = Effect.result(cloud.organizations.list())
      const failed: Array<number> = []
      const calls = manyOf(20, () =>
        Effect.tap(call, ({ _tag }) =>
          Effect.sync(() => {
            if (_tag === "Failure") failed.push(timeline.now())
          })
        )
      )
      const { exit } = yield* timeline.run(together(calls))
      const results = Exit.isSuccess(exit) ? exit.value : []
      // 5 now, 5 in 10 seconds, 5 in 20; the last 5 would have to wait 30
      expect(results.map(({ _tag }) => _tag)).toEqual([...manyOf(15, () => "Success"), ...manyOf(5, () => "Failure")])
      expect(failed).toEqual(manyOf(5, () => 0))
      expect(requests).toHaveLength(15)
      for (const result of results.slice(15)) {
        const error = Result.getOrThrow(Result.flip(result))
        expect(error).toMatchObject({ status: undefined, attempts: 0, outcome: "not-sent", isRetryable: true })
        assert.instanceOf(error.reason, CallError.Throttled)
        expect(Duration.toSeconds(error.reason.retryAfter)).toBeGreaterThanOrEqual(30)
      }
    }
  )

  it.effect("fails then also if the service states a limit of 0, and holds up no later call", function* () {
    const { cloud, timeline } = yield* open(
      Pacing.adaptive,
      () => ({ allowed: true, limit: 0, remaining: 0, reset: 0 }),
      { state: statements["in whole seconds, rounded up"], latency: 8000 }
    )
    const list = cloud.organizations.list()
    const { exit } = yield* timeline.run(
      Effect.gen(function* () {
        yield* list
        const alone = yield* Effect.forkChild(list, { startImmediately: true })
        const brief = Effect.flip(Deadline.within(list, { total: "400 millis" }))
        const errors = yield* Effect.all([brief, brief], { concurrency: 2 })
        yield* Fiber.join(alone)
        yield* list
        return errors.map(({ reason }) => reason._tag)
      }).pipe(Random.withSeed("slow"))
    )
    expect(exit).toEqual(Exit.succeed(["Throttled", "Throttled"]))
  })

  it.effect("is told in whole milliseconds how long that would be", function* () {
    const pacing = Pacing.fixed({ limit: 1, window: "1 minute" })
    const { cloud } = yield* open(pacing, unlimited, { deadline: { total: "10 seconds" } })
    yield* Effect.forkChild(cloud.organizations.list(), { startImmediately: true })
    const { reason } = yield* ticking(12_345n)(Effect.flip(cloud.organizations.list()))
    expect(reason).toMatchObject({ _tag: "Throttled", retryAfter: Duration.minutes(1) })
  })

  it.effect.each<[what: string, to: RateLimits.Limit, served: number]>([
    ["all hope", { limit: 1, window: 3_600_000 }, 1],
    // at 10, 25 and 40 seconds; who would be next has until 55
    ["the hope of those at the end of the line", { limit: 1, window: 15_000 }, 3]
  ])("fails as soon as a response takes away %s", function* ([, to, served]) {
    const state = { limiter: onDemand(5, 10_000) }
    const { cloud, requests, timeline } = yield* open(Pacing.adaptive, (now) => state.limiter(now), {
      deadline: { total: "55 seconds" }
    })
    const failed: Array<number> = []
    const call = Effect.tapError(cloud.organizations.list(), () =>
      Effect.sync(() => failed.push(Math.floor(timeline.now() / 1000)))
    )
    const calls = together(manyOf(20, () => Effect.exit(call)))
    const change = Effect.delay(
      Effect.sync(() => {
        state.limiter = RateLimits.windowOnDemand(to)
      }),
      "9 seconds"
    )
    const { exit } = yield* timeline.run(Effect.all([calls, change], { concurrency: 2 }))
    const endings = Exit.isSuccess(exit) ? exit.value[0].map(({ _tag }) => _tag) : []
    expect(endings).toEqual([...manyOf(5 + served, () => "Success"), ...manyOf(15 - served, () => "Failure")])
    expect(failed).toEqual(manyOf(15 - served, () => 10))
    expect(requests).toHaveLength(5 + served)
  })
})

describe("the line", () => {
  const pacings = { adaptive: Pacing.adaptive, fixed: Pacing.fixed({ limit: 3, window: "10 seconds" }) }
  const names: ReadonlyArray<keyof typeof pacings> = ["adaptive", "fixed"]
  const limiter = () => onDemand(3, 10_000)

  it.effect.each(names)("is served in the order of asking: %s", function* (name) {
    const { cloud, timeline } = yield* open(pacings[name], name === "adaptive" ? limiter() : unlimited, {
      latency: 500
    })
    const order: Array<number> = []
    const calls = manyOf(12, (i) =>
      Effect.delay(cloud.organizations.list(), i * 100).pipe(Effect.tap(() => Effect.sync(() => order.push(i))))
    )
    yield* timeline.run(together(calls)).pipe(Random.withSeed("order"))
    // responses of one window may overtake one another
    const windows = [0, 3, 6, 9].map((start) => order.slice(start, start + 3).toSorted((a, b) => a - b))
    expect(windows.flat()).toEqual(manyOf(12, (i) => i))
  })

  it.effect.each(names)("loses no turn to those who leave it: %s", function* (name) {
    const { cloud, requests, timeline } = yield* open(pacings[name], limiter())
    const { exit } = yield* timeline.run(
      Effect.gen(function* () {
        const fibers = yield* Effect.forEach(
          manyOf(12, () => cloud.organizations.list()),
          (call) => Effect.forkChild(call)
        )
        yield* Effect.sleep("5 seconds")
        // the first in the line, one in its midst, and the last
        yield* Fiber.interruptAll(fibers.filter((_, i) => [3, 6, 11].includes(i)))
        return yield* Effect.forEach(fibers, Fiber.await)
      })
    )
    const endings = Exit.isSuccess(exit) ? exit.value.map((ended) => (Exit.isSuccess(ended) ? "ok" : "left")) : []
    expect(endings).toEqual(manyOf(12, (i) => ([3, 6, 11].includes(i) ? "left" : "ok")))
    expect(times(requests)).toEqual([0, 0, 0, 10, 10, 10, 20, 20, 20])
  })

  it.effect("does not try a window while as many are under way as it has room for", function* () {
    const { cloud, requests, timeline } = yield* open(Pacing.adaptive, onDemand(1, 2000), {
      latency: 6000,
      retry: { attempts: 20 }
    })
    // the first goes before the others, which find out the limit
    yield* timeline
      .run(Effect.andThen(cloud.organizations.list(), together(manyOf(60, () => cloud.organizations.list()))))
      .pipe(Random.withSeed("slow service"))
    expect(requests.filter(({ status }) => status === 429)).toEqual([])
  })

  it.effect("does not interrupt what a caller shields from interruption", function* () {
    const { cloud, requests } = yield* open(Pacing.fixed({ limit: 1, window: "10 seconds" }), unlimited)
    yield* cloud.organizations.list()
    const job = yield* Effect.forkChild(Effect.ensuring(Effect.never, Effect.orDie(cloud.organizations.list())), {
      startImmediately: true
    })
    yield* Effect.forkChild(Fiber.interrupt(job), { startImmediately: true })
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.await(job)
    expect(times(requests)).toEqual([0, 10])
  })

  it.effect("goes on after a call that died when its turn had come", function* () {
    const timeline = VirtualTime.make()
    const headers = statements["in whole seconds, rounded up"]({ allowed: true, limit: 1, remaining: 0, reset: 1e4 })
    const ok = Effect.sync(() => Response.json({ status: 200 }, { headers }))
    const sent: Array<number> = []
    const responses = [ok, Effect.die("a transport with a fault"), ok].map((respond) => () => {
      sent.push(timeline.now())
      return respond
    })
    const { client } = yield* Stub.over(operations, responses, { pacing: Pacing.adaptive })
    yield* timeline.run(Effect.replicateEffect(Effect.exit(client.apiKeys.delete(Stub.keyIds)), 3))
    expect(sent).toEqual([0, 10_000, 10_000])
  })
})

it.effect.each<[name: string, pacing: Pacing.Pacing]>([
  ["adaptive", Pacing.adaptive],
  ["fixed", Pacing.fixed({ limit: 10_000, window: "1 second" })]
])("%s gives thousands of calls their turns, on a stack that does not grow with the line", function* ([, pacing]) {
  const { cloud, requests } = yield* Stub.connect(() => Response.json({ status: 200 }), { pacing })
  yield* together(manyOf(5000, () => cloud.apiKeys.delete(Stub.keyIds)))
  expect(requests).toHaveLength(5000)
})

it.effect.prop(
  "fixed never sends more than the limit in any span of the window's length",
  {
    limit: Stub.between(1, 10),
    window: Stub.between(1, 10_000),
    count: Stub.between(1, 60),
    spread: Stub.between(0, 30_000),
    latency: Stub.between(0, 2000),
    seed: Schema.String
  },
  function* ({ count, latency, limit, seed, spread, window }) {
    const { cloud, requests, timeline } = yield* open(Pacing.fixed({ limit, window }), unlimited, {
      state: unstated,
      latency
    })
    const call = Effect.flatMap(Random.nextBetween(0, spread), (at) => Effect.delay(cloud.organizations.list(), at))
    const { exit } = yield* timeline.run(together(manyOf(count, () => call))).pipe(Random.withSeed(seed))
    expect(exit._tag).toBe("Success")
    const sent = requests.map(({ sent }) => sent)
    for (const [i, at] of sent.entries()) {
      const next = sent[i + limit]
      // to the microsecond, which is what the client measures by
      if (next !== undefined) assert.isAtLeast(next - at, window - 0.001)
    }
  },
  seeded("fixed", 100)
)
