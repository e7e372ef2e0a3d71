/**
 * `npm run bench:limits`: the CPU time of counting a request, and the time of a new subject, as long as there is room, when
 * the oldest has to be forgotten, and after the windows of all others are over.
 */
import * as Effect from "effect/Effect"
import { memory, type Counter } from "@cloud-management/service/RateLimitStore"
import { median } from "./figures.ts"

const rounds = 9
const times = 2000

const known = Effect.gen(function* () {
  const count = memory.counter("bench", "1 hour")
  const subjects = Array.from({ length: times }, (_, n) => String(n % 100))
  const cpu: Array<number> = []
  for (let round = -2; round < rounds; round++) {
    const before = process.cpuUsage()
    yield* Effect.forEach(subjects, count, { discard: true })
    const { system, user } = process.cpuUsage(before)
    if (round >= 0) cpu.push((user + system) / times) // the first ones warm up
  }
  console.log(`known subject ${median(cpu).toFixed(1)} µs CPU`)
})

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
    `new subject   ${median(first).toFixed(1)} µs to 100,000 subjects, ${median(full).toFixed(1)} µs beyond, ` +
      `${median(over).toFixed(1)} µs after 100,000 that are over`
  )
})

await Effect.runPromise(Effect.andThen(known, strangers))
