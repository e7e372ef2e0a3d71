/** The recipe of docs/library/pacing.md: what it promises, under a virtual clock, and two processes of it on a real Redis. */
import { Service } from "@cloud-management/service"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import { ConformanceService, Fixtures } from "@cloud-management/testing"
import { Context, Duration, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import { Child, describe, expect, it, Program, TcpProxy } from "../../checks/fixtures/index.ts"
import * as SharedPacing from "./SharedPacing.ts"

/** As a client asks, for an attempt that takes no time. */
const client = Effect.gen(function* () {
  const { make } = yield* SharedPacing.make("key", 100)
  const withTurn = yield* make
  return (timeLeft: number) => withTurn(timeLeft, () => Effect.void)
})

const onMemory = it.effect.over(RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory)))

/** A client whose limiter asks in another way. */
const clientOver = Effect.fnUntraced(function* (consume: RateLimiter.RateLimiter["consume"]) {
  const limiter = yield* RateLimiter.RateLimiter
  return yield* Effect.provideService(client, RateLimiter.RateLimiter, { ...limiter, consume })
})

describe("a turn of a pacing that clients share", () => {
  onMemory("comes to one of them every 100 ms, in the order in which each of them asks", function* () {
    const { consume } = yield* RateLimiter.RateLimiter
    let questions = 0
    const counting: typeof consume = (options) =>
      Effect.suspend(() => {
        questions++
        return consume(options)
      })
    const clients = [yield* clientOver(counting), yield* clientOver(counting)]
    const turns: Array<{ readonly of: number; readonly n: number; readonly at: number }> = []
    const ask = (of: number, n: number) =>
      Effect.tap(clients[of]?.(10_000) ?? Effect.void, () =>
        Effect.clockWith((clock) => Effect.sync(() => turns.push({ of, n, at: clock.currentTimeMillisUnsafe() })))
      )
    const all = [0, 1, 2, 3, 4].flatMap((n) => [ask(0, n), ask(1, n)])
    const asked = yield* Effect.forkChild(Effect.all(all, { concurrency: "unbounded" }))
    yield* TestClock.adjust("899 millis")
    expect(turns).toHaveLength(9)
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(asked)
    expect(turns.map(({ at }) => at)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900])
    for (const client of [0, 1]) {
      expect(turns.filter(({ of }) => of === client).map(({ n }) => n)).toEqual([0, 1, 2, 3, 4])
    }
    // for each turn the first of each client, and who is the first next, but not all who wait
    expect(questions).toBeLessThanOrEqual(30)
  })

  onMemory("is refused at once when it would come too late, and is then not lost", function* () {
    const take = yield* client
    yield* take(1)
    expect(yield* Effect.flip(take(100))).toMatchObject({ _tag: "Throttled", retryAfter: Duration.millis(100) })
    const waiting = yield* Effect.forkChild(take(10_000))
    yield* Effect.yieldNow
    expect(yield* Effect.flip(take(100))).toMatchObject({ _tag: "Throttled" })
    yield* TestClock.adjust("100 millis")
    expect(Exit.isSuccess(yield* Fiber.await(waiting))).toBe(true)
  })

  onMemory("is refused at the deadline when another client was faster", function* () {
    const [take, other] = [yield* client, yield* client]
    yield* other(1)
    yield* Effect.forkChild(other(10_000))
    yield* Effect.yieldNow
    const late = yield* Effect.forkChild(Effect.flip(take(150)))
    yield* TestClock.adjust("149 millis")
    expect(late.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 millis")
    expect(yield* Fiber.join(late)).toMatchObject({ _tag: "Throttled" })
  })

  onMemory("is asked for once more when the store says that it is about to come", function* () {
    const retryAfter = Duration.zero
    const reason = new RateLimiter.RateLimitExceeded({ key: "key", limit: 1, remaining: 0, retryAfter })
    const responses = [Effect.fail(new RateLimiter.RateLimiterError({ reason })), Effect.never]
    const take = yield* clientOver(() => Effect.suspend(() => responses.shift() ?? Effect.never))
    yield* Effect.forkChild(take(10_000))
    yield* TestClock.adjust("1 millis")
    expect(responses).toHaveLength(0)
  })

  onMemory("is not lost when those before it leave", function* () {
    const take = yield* client
    yield* take(1)
    const left = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.forkChild(take(10_000)))
    yield* TestClock.adjust("50 millis")
    yield* Fiber.interruptAll(left)
    const last = yield* Effect.forkChild(take(10_000))
    yield* TestClock.adjust("50 millis")
    expect(Exit.isSuccess(yield* Fiber.await(last))).toBe(true)
  })

  onMemory("is not held back by one who was to leave before asking", function* () {
    const take = yield* client
    const leaving = yield* Effect.forkChild(
      Effect.uninterruptibleMask((restore) => Effect.andThen(Effect.sleep(1), restore(take(10_000))))
    )
    yield* Fiber.interrupt(leaving).pipe(Effect.forkChild)
    yield* TestClock.adjust("1 millis")
    expect(Exit.isSuccess(yield* Fiber.await(yield* Effect.forkChild(take(50))))).toBe(true)
  })
})

describe("without the store calls go unpaced", () => {
  const reason = new RateLimiter.RateLimitStoreError({ message: "away" })
  onMemory.each([
    ["fails", Effect.fail(new RateLimiter.RateLimiterError({ reason })), 0],
    ["hangs", Effect.never, 1000]
  ] as const)("that %s", function* ([, response, wait]) {
    const take = yield* clientOver(() => response)
    const calls = Effect.provide(Effect.replicateEffect(take(10_000), 3), Logger.layer([]))
    const turns = yield* Effect.forkChild(calls)
    yield* TestClock.adjust(3 * wait)
    expect(Exit.isSuccess(yield* Fiber.await(turns))).toBe(true)
  })
})

/** A server of this test's own, which keeps nothing. */
const redis = Child.restarting((port) => {
  const settings = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "no"]
  // the kernel ends it with the process that started it
  const command = ["--pdeathsig=KILL", Program.find("redis-server") ?? "", ...settings]
  return Effect.tap(Child.program("setpriv", command), ({ until }) => until("stdout", /Ready to accept connections/))
})

Program.suite(["redis-server"], () => {
  it.live("two processes on Redis take turns 250 ms apart, sixteen together", function* () {
    /** When the service had responded to which request, in milliseconds, and how. */
    const responses: Array<{ readonly at: number; readonly status: number }> = []
    const host = HttpHost.layer().pipe(
      Layer.updateService(Service.Service, ({ handle, ...service }) => ({
        ...service,
        handle: (request) =>
          Effect.tap(handle(request), ({ status }) =>
            Effect.sync(() => responses.push({ at: performance.now(), status }))
          )
      })),
      Layer.provide(ConformanceService.layer)
    )
    const { url } = Context.get(yield* Layer.build(host), HttpHost.HttpHost)
    const { port } = yield* redis
    const proxy = yield* TcpProxy.open(port)
    yield* proxy.block
    const run = Child.script(["examples/shared-pacing/main.ts"], {
      CLOUD_MANAGEMENT_BASE_URL: url,
      CLOUD_MANAGEMENT_KEY_ID: Fixtures.deployKey.id,
      CLOUD_MANAGEMENT_KEY_SECRET: Fixtures.deployKey.secret,
      REDIS_URL: `redis://127.0.0.1:${proxy.port}`
    })
    const both = [yield* run, yield* run]
    yield* proxy.connected(2)
    const start = performance.now()
    yield* proxy.unblock
    const done = { code: 0, stdout: "8 calls\n", stderr: "" }
    expect(yield* Effect.all(both.map(({ end }) => end))).toEqual([done, done])
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200))
    // a busy machine only adds to it; each with a pacing of its own, they would need half of it
    const turns = 15 * 249 // in whole milliseconds of Redis
    expect((responses.at(-1)?.at ?? 0) - start).toBeGreaterThan(turns)
  })
})
