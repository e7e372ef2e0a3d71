/** The recipe of docs/library/pacing.md: what it promises, under a virtual clock, and two processes of it on a real Redis. */
import { Service } from "@cloud-management/service"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import { ConformanceService, Fixtures } from "@cloud-management/testing"
import { describe, expect, it, layer } from "@effect/vitest"
import { Context, Duration, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import * as Child from "../../checks/fixtures/Child.ts"
import * as Program from "../../checks/fixtures/Program.ts"
import * as TcpProxy from "../../checks/fixtures/TcpProxy.ts"
import * as SharedPacing from "./SharedPacing.ts"

/** As a client asks, for an attempt that takes no time. */
const client = Effect.gen(function* () {
  const { make } = yield* SharedPacing.make("key", 100)
  const withTurn = yield* make
  return (timeLeft: number) => withTurn(timeLeft, () => Effect.void)
})

/** The port of a server of this test's own, which keeps nothing. */
class RedisServer extends Context.Service<RedisServer, { readonly port: number }>()("test/RedisServer") {
  static readonly launch = (port: number) => {
    const settings = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "no"]
    // the kernel ends it with the process that started it
    const command = ["--pdeathsig=KILL", Program.find("redis-server") ?? "", ...settings]
    return Effect.tap(Child.program("setpriv", command), ({ until }) => until("stdout", /Ready to accept connections/))
  }
  static readonly layer = Layer.effect(
    RedisServer,
    Effect.map(Child.restarting(RedisServer.launch), ({ port }) => RedisServer.of({ port }))
  )
}

const memory = RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory))

describe("a turn of a pacing that clients share", () => {
  it.effect("comes to one of them every 100 ms, in the order in which each of them asks", () =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter
      let questions = 0
      const counting: typeof limiter = {
        ...limiter,
        consume: (options) =>
          Effect.andThen(
            Effect.sync(() => questions++),
            limiter.consume(options)
          )
      }
      const clients = yield* Effect.all([client, client]).pipe(Effect.provideService(RateLimiter.RateLimiter, counting))
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
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused at once when it would come too late, and is then not lost", () =>
    Effect.gen(function* () {
      const take = yield* client
      yield* take(1)
      expect(yield* Effect.flip(take(100))).toMatchObject({ _tag: "Throttled", retryAfter: Duration.millis(100) })
      const waiting = yield* Effect.forkChild(take(10_000))
      yield* Effect.yieldNow
      expect(yield* Effect.flip(take(100))).toMatchObject({ _tag: "Throttled" })
      yield* TestClock.adjust("100 millis")
      expect(Exit.isSuccess(yield* Fiber.await(waiting))).toBe(true)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused at the deadline when another client was faster", () =>
    Effect.gen(function* () {
      const [take, other] = [yield* client, yield* client]
      yield* other(1)
      yield* Effect.forkChild(other(10_000))
      yield* Effect.yieldNow
      const late = yield* Effect.forkChild(Effect.flip(take(150)))
      yield* TestClock.adjust("149 millis")
      expect(late.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(late)).toMatchObject({ _tag: "Throttled" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is asked for once more when the store says that it is about to come", () =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter
      const retryAfter = Duration.zero
      const reason = new RateLimiter.RateLimitExceeded({ key: "key", limit: 1, remaining: 0, retryAfter })
      const responses = [Effect.fail(new RateLimiter.RateLimiterError({ reason })), Effect.never]
      const consume = () => Effect.suspend(() => responses.shift() ?? Effect.never)
      const take = yield* Effect.provideService(client, RateLimiter.RateLimiter, { ...limiter, consume })
      yield* Effect.forkChild(take(10_000))
      yield* TestClock.adjust("1 millis")
      expect(responses).toHaveLength(0)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is not lost when those before it leave", () =>
    Effect.gen(function* () {
      const take = yield* client
      yield* take(1)
      const left = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.forkChild(take(10_000)))
      yield* TestClock.adjust("50 millis")
      yield* Fiber.interruptAll(left)
      const last = yield* Effect.forkChild(take(10_000))
      yield* TestClock.adjust("50 millis")
      expect(Exit.isSuccess(yield* Fiber.await(last))).toBe(true)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is not held back by one who was to leave before asking", () =>
    Effect.gen(function* () {
      const take = yield* client
      const leaving = yield* Effect.forkChild(
        Effect.uninterruptibleMask((restore) => Effect.andThen(Effect.sleep(1), restore(take(10_000))))
      )
      yield* Fiber.interrupt(leaving).pipe(Effect.forkChild)
      yield* TestClock.adjust("1 millis")
      expect(Exit.isSuccess(yield* Fiber.await(yield* Effect.forkChild(take(50))))).toBe(true)
    }).pipe(Effect.provide(memory))
  )
})

describe("without the store calls go unpaced", () => {
  const reason = new RateLimiter.RateLimitStoreError({ message: "away" })
  it.effect.each([
    ["fails", Effect.fail(new RateLimiter.RateLimiterError({ reason })), 0],
    ["hangs", Effect.never, 1000]
  ] as const)("that %s", ([, consume, wait]) =>
    Effect.gen(function* () {
      const limiter = yield* Effect.provide(RateLimiter.RateLimiter, memory)
      const take = yield* Effect.provideService(client, RateLimiter.RateLimiter, { ...limiter, consume: () => consume })
      const turns = yield* Effect.forkChild(Effect.replicateEffect(take(10_000), 3))
      yield* TestClock.adjust(3 * wait)
      expect(Exit.isSuccess(yield* Fiber.await(turns))).toBe(true)
    }).pipe(Effect.provide(Logger.layer([])))
  )
})

Program.suite(["redis-server"], () => {
  /** When the service had responded to which request, in milliseconds, and how. */
  const responses: Array<{ readonly at: number; readonly status: number }> = []
  const service = Layer.effect(
    Service.Service,
    Effect.map(Service.Service, (service): Service.Service["Service"] => ({
      ...service,
      handle: (request) =>
        Effect.tap(service.handle(request), ({ status }) =>
          Effect.sync(() => responses.push({ at: performance.now(), status }))
        )
    }))
  ).pipe(Layer.provide(ConformanceService.layer))

  layer(Layer.merge(HttpHost.layer().pipe(Layer.provide(service)), RedisServer.layer), { excludeTestServices: true })(
    "two processes on Redis",
    (it) => {
      it.effect("take turns 250 ms apart, sixteen together", () =>
        Effect.gen(function* () {
          const { url } = yield* HttpHost.HttpHost
          const { port } = yield* RedisServer
          const proxy = yield* TcpProxy.open(port)
          yield* proxy.block
          const env = {
            ...process.env,
            CLOUD_MANAGEMENT_BASE_URL: url,
            CLOUD_MANAGEMENT_KEY_ID: Fixtures.deployKey.id,
            CLOUD_MANAGEMENT_KEY_SECRET: Fixtures.deployKey.secret,
            REDIS_URL: `redis://127.0.0.1:${proxy.port}`
          }
          const run = () => promisify(execFile)(process.execPath, ["main.ts"], { cwd: import.meta.dirname, env })
          const both = yield* Effect.forkChild(Effect.promise(() => Promise.all([run(), run()])))
          yield* proxy.connected(2)
          const start = performance.now()
          yield* proxy.unblock
          expect(yield* Fiber.join(both)).toEqual([
            { stdout: "8 calls\n", stderr: "" },
            { stdout: "8 calls\n", stderr: "" }
          ])
          expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200))
          // a busy machine only adds to it; each with a pacing of its own, they would need half of it
          const turns = 15 * 249 // in whole milliseconds of Redis
          expect((responses.at(-1)?.at ?? 0) - start).toBeGreaterThan(turns)
        })
      )
    }
  )
})
