/**
 * `npm run bench:limits`: what counting a request costs, in the memory of a node and in a Redis server on this machine:
 * the time of one at a time, and with 32 in flight the CPU time of the node, user and system. In memory also the time of a
 * new subject, as long as there is room, when the oldest has to be forgotten, and after the windows of all others are over.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RedisRateLimitStore from "@cloud-management/service/node/RedisRateLimitStore"
import { memory, RateLimitStore, type Counter } from "@cloud-management/service/RateLimitStore"
import * as RedisServer from "../fixtures/RedisServer.ts"
import * as Program from "../fixtures/Program.ts"
import { median } from "./percentile.ts"

const rounds = 9
const times = 2000

const measure = Effect.fnUntraced(function* (name: string, store: RateLimitStore) {
  const count = store.counter("bench", "1 hour")
  const run = (concurrency: number) =>
    Effect.forEach(
      Array.from({ length: times }, (_, n) => String(n % 100)),
      count,
      { concurrency, discard: true }
    )
  const single: Array<number> = []
  const cpu: Array<number> = []
  for (let round = -2; round < rounds; round++) {
    const start = performance.now()
    yield* run(1)
    const elapsed = performance.now() - start
    const before = process.cpuUsage()
    yield* run(32)
    const { system, user } = process.cpuUsage(before)
    if (round < 0) continue // the first ones warm up
    single.push((elapsed * 1000) / times)
    cpu.push((user + system) / times)
  }
  console.log(
    `${name.padEnd(13)} ${median(single).toFixed(1)} µs alone, ${median(cpu).toFixed(1)} µs CPU of 32 in flight`
  )
})

const redis = Effect.gen(function* () {
  const { urls } = yield* RedisServer.RedisServer
  for (const [name, url] of [
    ["TCP", urls.plain],
    ["Unix socket", urls.unix]
  ] as const) {
    const context = yield* Layer.build(RedisRateLimitStore.layer(url))
    yield* measure(name, Context.get(context, RateLimitStore))
  }
}).pipe(Effect.scoped, Effect.provide(RedisServer.layer))

const capacity = 100_000

/** The time of a subject that was not there before, in microseconds. */
const measureNew = Effect.fnUntraced(function* (count: Counter, from: number) {
  const start = performance.now()
  for (let n = 0; n < capacity; n++) yield* count(`2001:db8:${from + n}::/64`)
  return ((performance.now() - start) * 1000) / capacity
})

const strangers = Effect.gen(function* () {
  const [first, full, over]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
  for (let round = -1; round < 5; round++) {
    const long = memory.counter("bench", "1 hour")
    const short = memory.counter("bench", "1 milli")
    const times = [yield* measureNew(long, 0), yield* measureNew(long, capacity)]
    yield* measureNew(short, 0)
    yield* Effect.sleep("2 millis")
    times.push(yield* measureNew(short, capacity))
    if (round < 0) continue
    for (const [i, list] of [first, full, over].entries()) list.push(times[i] ?? 0)
  }
  console.log(
    `memory, new   ${median(first).toFixed(1)} µs to 100,000 subjects, ${median(full).toFixed(1)} µs beyond, ` +
      `${median(over).toFixed(1)} µs after 100,000 that are over`
  )
})

await Effect.runPromise(measure("memory", memory))
await Effect.runPromise(strangers)
if (Program.isThere("redis-server")) await Effect.runPromise(redis)
