import { describe, expect, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Base64 from "effect/encoding/Base64"
import * as Net from "node:net"
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as RedisRateLimitStore from "@cloud-management/service/node/RedisRateLimitStore"
import { memory, RateLimitStore, type Counter, type Tally } from "@cloud-management/service/RateLimitStore"
import * as HttpRequest from "@cloud-management/service/HttpRequest"
import * as Service from "@cloud-management/service/Service"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import { served } from "./Served.ts"
import * as KeyLimit from "../src/limits/keyLimit.ts"
import * as RedisServer from "../../../checks/fixtures/RedisServer.ts"
import * as TcpProxy from "../../../checks/fixtures/TcpProxy.ts"

const unbounded = { concurrency: "unbounded" } as const
const counts = (tallies: ReadonlyArray<Tally>) => tallies.map(({ count }) => count)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

const open = (url: string, patience?: Duration.Input) =>
  Effect.map(Layer.build(RedisRateLimitStore.layer(url, patience)), (context) => Context.get(context, RateLimitStore))
/** For tests in which Redis is never away, however busy this machine is. */
const openPatiently = (url: string) => open(url, "10 seconds")
/** The same, for tests that wait until it is tried again. */
const openBriefly = (url: string) => open(url, "2 seconds")

/** A service with the fixtures, and how to send it requests: with a key from an address or from nowhere, or without. */
const node = Effect.fnUntraced(function* (store: RateLimitStore, rateLimit?: Service.Options["rateLimit"]) {
  const context = yield* Layer.build(
    Layer.fresh(served({ rateLimit })).pipe(Layer.provide(Layer.succeed(RateLimitStore, store)))
  )
  const { handle } = Context.get(context, Service.Service)
  const send = (headers: Record<string, string>, address: string | undefined) =>
    handle(HttpRequest.fromWeb(new Request("http://service/v1/organizations", { headers }), address))
  return {
    read: (key: { readonly id: string; readonly secret: string }, address?: string) =>
      send({ authorization: `Basic ${Base64.encode(`${key.id}:${key.secret}`)}` }, address),
    fail: (address: string) => send({}, address)
  }
})

/** A count, between two looks at the clock. */
const timed = (count: Counter) =>
  Effect.gen(function* () {
    const before = performance.now()
    const tally = yield* count("x")
    return { ...tally, before, after: performance.now() }
  })

/** Counts until the window is over: what was counted in it, and the first of the next. */
const throughWindow = Effect.fnUntraced(function* (count: Counter) {
  const first = yield* timed(count)
  const others = []
  for (;;) {
    const next = yield* timed(count)
    if (next.count <= others.length + 1) return { first, others, next }
    others.push(next)
  }
})

const { backupKey, deployKey } = Fixtures

/** What every store has to do. */
const contract = <R, E>(
  name: string,
  over: Layer.Layer<R, E>,
  store: Effect.Effect<RateLimitStore, unknown, R | Scope.Scope>
) =>
  // time has to be real, since that of a server is
  layer(over, { excludeTestServices: true })(name, (it) => {
    it.effect("counts up from one until the window is over, which does not move, and then anew", () =>
      Effect.gen(function* () {
        const { first, next, others } = yield* throughWindow((yield* store).counter("a", "100 millis"))
        expect(counts([first, ...others])).toEqual(upTo(others.length + 1))
        expect(first.endsIn).toBe(100)
        for (const { before, endsIn } of others) {
          expect(endsIn).toBeGreaterThan(0)
          expect(endsIn).toBeLessThan(103 - (before - first.after)) // two clocks, in whole milliseconds
        }
        expect(next.count).toBe(1)
        expect(next.endsIn).toBe(100)
        expect(next.after - first.before).toBeGreaterThan(99)
      })
    )

    it.effect("counts apart what has another subject, counter or window", () =>
      Effect.gen(function* () {
        const { counter } = yield* store
        const [a, b, longer] = [counter("a", "1 hour"), counter("b", "1 hour"), counter("a", "2 hours")]
        const tallies = yield* Effect.all([a("x"), a("y"), a("x"), b("x"), longer("x"), longer("x")])
        expect(counts(tallies)).toEqual([1, 1, 2, 1, 1, 2])
        expect(tallies[5].endsIn).toBeGreaterThan(3_600_000)
      })
    )

    it.effect("gives each of many at once a number of its own", () =>
      Effect.gen(function* () {
        const count = (yield* store).counter("a", "1 hour")
        const tallies = yield* Effect.replicateEffect(count("x"), 500, unbounded)
        expect(counts(tallies).toSorted((a, b) => a - b)).toEqual(upTo(500))
      })
    )
  })

contract("memory", Layer.empty, Effect.succeed(memory))

const key = (n: number) => ({ id: ApiKeyId.make(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`) })

it.effect("memory forgets no window of a key for those of strangers, nor for those of other keys", () =>
  Effect.gen(function* () {
    const count = yield* KeyLimit.make({ limit: 1, window: "1 hour" })
    const strangers = memory.counter("address", "1 hour")
    yield* count(key(0))
    yield* Effect.forEach(upTo(100_001), (n) => strangers(String(n)), { discard: true })
    yield* Effect.forEach(upTo(100_001), (n) => count(key(n)), { discard: true })
    expect((yield* count(key(0))).refused).toBeDefined()
  })
)

/** The URL of a database that no other test uses. */
const database = Effect.map(RedisServer.RedisServer, ({ urls }) => `${urls.plain}/${++databases % 16}`)
let databases = 0

/** What the log says, in order, and how to wait for so many lines of a kind. */
const logged = Effect.sync(() => {
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  const logger = Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel} ${String(message)}`)
    waiting.forEach((look) => look())
  })
  const until = (pattern: RegExp, times = 1) =>
    Effect.callback<void>((resume) => {
      const look = () => {
        if (lines.filter((line) => pattern.test(line)).length < times) return
        waiting.delete(look)
        resume(Effect.void)
      }
      waiting.add(look)
      look()
    })
  return { lines, until, layer: Logger.layer([logger]) }
})

RedisServer.suite((version) => {
  contract(version, RedisServer.layer, Effect.flatMap(database, openPatiently))

  layer(RedisServer.layer, { excludeTestServices: true })(`services that count in one ${version}`, (it) => {
    it.effect("let no more through together than one alone would", () =>
      Effect.gen(function* () {
        const url = yield* database
        const limit = { limit: 10, window: "1 hour" } as const
        const nodes = yield* Effect.forEach([1, 2], () =>
          Effect.flatMap(openPatiently(url), (store) => node(store, limit))
        )
        const asked = upTo(50).flatMap(() => nodes.map(({ read }) => read(deployKey)))
        const answers = yield* Effect.all(asked, unbounded)
        const through = answers.filter(({ status }) => status === 200)
        const remaining = through.map(({ headers }) => Number(headers["x-ratelimit-remaining"]))
        expect(remaining.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
        expect(answers.filter(({ status }) => status === 429)).toHaveLength(90)
      })
    )

    it.effect("refuse together who guesses too often, each after one failure of its own at most", () =>
      Effect.gen(function* () {
        const url = yield* database
        const nodes = yield* Effect.forEach([1, 2], () => Effect.flatMap(openPatiently(url), (store) => node(store)))
        const [one, two] = nodes.map(
          ({ read }) =>
            (secret: string) =>
              Effect.map(read({ id: deployKey.id, secret }, "192.0.2.1"), ({ status }) => status)
        )
        if (one === undefined || two === undefined) return expect.unreachable()
        expect(yield* Effect.replicateEffect(one("wrong"), 21)).toEqual([...upTo(20).map(() => 401), 429])
        expect(yield* one(deployKey.secret)).toBe(429)
        expect(yield* two("wrong")).toBe(429)
        expect(yield* two(deployKey.secret)).toBe(429)
        const answers = yield* Effect.forEach(nodes, ({ read }) => read(backupKey, "192.0.2.1"))
        expect(answers.map(({ status }) => status)).toEqual([200, 200])
      })
    )

    it.effect("reach it with a password and the number of a database, over TCP or a Unix socket", () =>
      Effect.gen(function* () {
        const { urls } = yield* RedisServer.RedisServer
        const [tcp, unix] = yield* Effect.all([openPatiently(`${urls.plain}/2`), openPatiently(urls.unix)])
        const counters = [tcp, unix, tcp].map(({ counter }) => counter("forms", "1 hour"))
        expect(counts(yield* Effect.forEach(counters, (count) => count("x")))).toEqual([1, 2, 3])
      })
    )

    it.effect("go on when its scripts are forgotten", () =>
      Effect.gen(function* () {
        const url = yield* database
        const count = (yield* openPatiently(url)).counter("a", "1 hour")
        yield* count("x")
        const { use } = Context.get(yield* Layer.build(NodeRedis.layer({ url })), NodeRedis.NodeRedis)
        yield* use((client) => client.scriptFlush())
        expect((yield* count("x")).count).toBe(2)
      })
    )

    it.effect("count alone while it is down, together when it is back, and tell both once", () =>
      Effect.gen(function* () {
        const { kill, start } = yield* RedisServer.RedisServer
        const url = yield* database
        const { layer, lines, until } = yield* logged
        yield* Effect.gen(function* () {
          const limit = { limit: 3, window: "1 hour" } as const
          const nodes = yield* Effect.forEach([1, 2], () =>
            Effect.flatMap(openBriefly(url), (store) => node(store, limit))
          )
          const [one, two] = nodes.map(({ read }) => Effect.map(read(deployKey), ({ status }) => status))
          if (one === undefined || two === undefined) return expect.unreachable()
          expect(yield* Effect.all([one, two, one, two])).toEqual([200, 200, 200, 429])
          yield* kill
          expect(yield* Effect.replicateEffect(one, 5, unbounded)).toEqual([200, 200, 200, 429, 429])
          expect(yield* Effect.replicateEffect(two, 5)).toEqual([200, 200, 200, 429, 429])
          yield* start
          yield* until(/available again/, 2)
          // what it had counted is gone with it
          expect(yield* Effect.all([one, two, two, one])).toEqual([200, 200, 200, 429])
        }).pipe(Effect.provide(layer))
        expect(lines.map((line) => line.replace(/:.*/, ""))).toEqual([
          "Warn the rate limit store is unavailable, so each node counts alone",
          "Warn the rate limit store is unavailable, so each node counts alone",
          "Info the rate limit store is available again",
          "Info the rate limit store is available again"
        ])
      })
    )

    it.effect("start without it, and count there once it is up", () =>
      Effect.gen(function* () {
        const { kill, start } = yield* RedisServer.RedisServer
        const url = yield* database
        const { layer, lines, until } = yield* logged
        yield* kill
        yield* Effect.gen(function* () {
          const [one, two] = yield* Effect.all([openBriefly(url), openBriefly(url)])
          const stores = [one, two].map(({ counter }) => counter("a", "1 hour")("x"))
          expect(counts(yield* Effect.all(stores))).toEqual([1, 1])
          expect(lines[0]).toMatch(/^Warn .*: connect ECONNREFUSED 127\.0\.0\.1:\d+$/)
          yield* start
          yield* until(/available again/, 2)
          expect(counts(yield* Effect.all(stores))).toEqual([1, 2])
        }).pipe(Effect.provide(layer))
      })
    )

    it.effect("wait for one that hangs once and not for long, and count there again when it goes on", () =>
      Effect.gen(function* () {
        const { port } = yield* RedisServer.RedisServer
        const proxy = yield* TcpProxy.open(port)
        const url = (yield* database).replace(`:${port}/`, `:${proxy.port}/`)
        const { layer, lines, until } = yield* logged
        yield* Effect.gen(function* () {
          const count = (yield* openBriefly(url)).counter("a", "1 hour")
          yield* count("x")
          yield* proxy.block
          expect(counts(yield* Effect.replicateEffect(count("x"), 20, unbounded))).toEqual(upTo(20))
          // they would take minutes if each waited
          expect(counts(yield* Effect.replicateEffect(count("x"), 1000))).toEqual(upTo(1020).slice(20))
          yield* until(/unavailable/)
          yield* proxy.unblock
          yield* until(/available again/)
          // it has counted what came to it meanwhile, of those that did not wait for the answer
          expect((yield* count("x")).count).toBeLessThan(30)
        }).pipe(Effect.provide(layer))
        expect(lines).toEqual([
          "Warn the rate limit store is unavailable, so each node counts alone: no response within 2s",
          "Info the rate limit store is available again"
        ])
      })
    )

    it.effect("notice without a request that it hangs, within twice their patience", () =>
      Effect.gen(function* () {
        const { port } = yield* RedisServer.RedisServer
        const proxy = yield* TcpProxy.open(port)
        const url = (yield* database).replace(`:${port}/`, `:${proxy.port}/`)
        const { layer, until } = yield* logged
        yield* Effect.gen(function* () {
          yield* open(url, "2 seconds")
          yield* proxy.block
          // in ticks, each of which a busy machine holds up as it does the pings and the silence of the driver
          const twice = Effect.andThen(Effect.replicateEffect(Effect.sleep("500 millis"), 8), Effect.die("too late"))
          yield* Effect.raceFirst(until(/unavailable/), twice)
        }).pipe(Effect.provide(layer))
      })
    )

    it.effect("end while it hangs", () =>
      Effect.gen(function* () {
        const { port } = yield* RedisServer.RedisServer
        const proxy = yield* TcpProxy.open(port)
        const url = (yield* database).replace(`:${port}/`, `:${proxy.port}/`)
        const scope = yield* Scope.make()
        const count = (yield* Scope.provide(open(url), scope)).counter("a", "1 hour")
        yield* proxy.block
        const asked = yield* Effect.forkChild(count("x"), { startImmediately: true })
        yield* Scope.close(scope, Exit.void)
        expect((yield* Fiber.join(asked)).count).toBe(1)
      })
    )

    it.effect("start, and end, while it hangs", () =>
      Effect.gen(function* () {
        const { urls } = yield* RedisServer.RedisServer
        const { layer, lines } = yield* logged
        for (const text of [urls.plain, urls.tls]) {
          const url = new URL(text)
          const proxy = yield* TcpProxy.open(Number(url.port))
          url.port = String(proxy.port)
          yield* proxy.block
          const [duration, store] = yield* Effect.timed(Effect.provide(open(url.href), layer))
          // 500 ms by its own limits; the rest is for a busy machine
          expect(Duration.toMillis(duration)).toBeLessThan(20_000)
          expect((yield* store.counter("a", "1 hour")("x")).count).toBe(1)
        }
        expect(lines).toHaveLength(2)
      })
    )

    it.effect("keep the connection when there is nothing to count", () =>
      Effect.gen(function* () {
        const url = yield* database
        const { layer, lines } = yield* logged
        yield* Effect.provide(openBriefly(url), layer)
        const { use } = Context.get(yield* Layer.build(NodeRedis.layer({ url })), NodeRedis.NodeRedis)
        // an answer that takes longer than the silence after which a connection is taken for lost
        expect(yield* use((client) => client.blPop("nothing", 4))).toBeNull()
        expect(lines).toEqual([])
      })
    )

    it.effect("need few rights, and count alone without them", () =>
      Effect.gen(function* () {
        const url = new URL(yield* database)
        const { use } = Context.get(yield* Layer.build(NodeRedis.layer({ url: url.href })), NodeRedis.NodeRedis)
        const { layer, lines } = yield* logged
        const rights = ["+@connection", "+script|load", "+evalsha", "+incr", "+pttl", "+pexpire"]
        const openAs = Effect.fnUntraced(function* (user: string, keys: string) {
          yield* use((client) => client.aclSetUser(user, ["on", ">p4ss", ...rights, keys]))
          url.username = user
          url.password = "p4ss"
          return yield* Effect.provide(openPatiently(url.href), layer)
        })
        const stores = [yield* openAs("few", "~cloud-management:*"), yield* openAs("none", "~other:*")]
        expect(lines).toEqual([expect.stringMatching(/^Warn .* counts alone: .*NOPERM /)])
        const counters = [...stores, ...stores].map(({ counter }) => counter("a", "1 hour"))
        expect(counts(yield* Effect.forEach(counters, (count) => count("x")))).toEqual([1, 1, 2, 1])
      })
    )

    it.effect("count alone when they are not let in, and do not tell the password", () =>
      Effect.gen(function* () {
        const { port } = yield* RedisServer.RedisServer
        const { layer, lines } = yield* logged
        yield* Effect.gen(function* () {
          const count = (yield* openPatiently(`redis://:p4ss@127.0.0.1:${port}`)).counter("a", "1 hour")
          expect((yield* count("x")).count).toBe(1)
        }).pipe(Effect.provide(layer))
        expect(lines).toEqual([
          "Warn the rate limit store is unavailable, so each node counts alone: WRONGPASS invalid username-password pair or user is disabled."
        ])
      })
    )
  })
})

it.live("a service tells once that what it should count in is away, however often it tries", () =>
  Effect.gen(function* () {
    const { layer, lines } = yield* logged
    const refusing = Net.createServer((socket) => socket.destroy())
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        refusing.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () => Effect.sync(() => refusing.close())
    )
    const tries = yield* Queue.unbounded<void>()
    refusing.on("connection", () => Queue.offerUnsafe(tries, undefined))
    const address = refusing.address()
    const port = typeof address === "object" ? address?.port : undefined
    yield* Effect.provide(open(`redis://127.0.0.1:${port}`), layer)
    yield* Queue.takeN(tries, 4)
    expect(lines).toHaveLength(1)
  })
)

describe("a store of rate limits is not named by", () => {
  it.effect.each([
    "memory",
    "localhost:6379",
    "http://u:p4ss@localhost:6379",
    "redis://u:p4ss@:6379",
    "redis://u:p4ss@localhost:99999",
    "redis://u:p4ss@localhost/zero",
    "redis://u:p4ss%zz@localhost",
    "unix://u:p4ss@"
  ])("%s", (url) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(open(url))
      expect(error).toMatchObject({
        _tag: "InvalidRateLimitStore",
        message: "not a redis://, rediss:// or unix:// URL"
      })
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain("p4ss")
    })
  )
})
