/** `npm run bench:limits`: the CPU time of counting a request. */
import * as Effect from "effect/Effect"
import { memory } from "@cloud-management/service/RateLimitStore"
import { median } from "./figures.ts"

const rounds = 9
const times = 2000

const count = memory.counter("bench", "1 hour")
const subjects = Array.from({ length: times }, (_, n) => String(n % 100))
const cpu: Array<number> = []
for (let round = -2; round < rounds; round++) {
  const before = process.cpuUsage()
  await Effect.runPromise(Effect.forEach(subjects, count, { discard: true }))
  const { system, user } = process.cpuUsage(before)
  if (round >= 0) cpu.push((user + system) / times) // the first ones warm up
}
console.log(`known subject ${median(cpu).toFixed(1)} µs CPU`)
