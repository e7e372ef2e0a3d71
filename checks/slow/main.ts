/**
 * `npm run test:slow`: 100 sockets that send their headers a byte at a time, 100 of each of several kinds that do so with
 * a body, and 20 that never read, against `serve` as it is. The slow ones have to be closed within 15 seconds, those that
 * never read within 45, and the other requests have to keep their latency.
 *
 * Then a minute of guesses at a secret, while nobody reads the log: the heap and the log have to stay bounded, the right
 * secret has to be refused after too many wrong ones, and neither another key nor another address.
 *
 * Last, deletions on SQLite while another process holds its lock for 20 seconds: each has to be answered within its own
 * 5 seconds, and reads and `/health` have to keep their latency: `/health` within 100 milliseconds, or, on a machine that
 * is too busy for that, within twice the most that it took without the lock.
 */
import * as Effect from "effect/Effect"
import * as ForeignLock from "./foreignLock.ts"
import * as Guesses from "./guesses.ts"
import * as Slow from "./slow.ts"
import { percentile } from "../bench/percentile.ts"

const show = (values: ReadonlyArray<number>) =>
  `median ${percentile(values, 0.5).toFixed(2)} ms, 99th percentile ${percentile(values, 0.99).toFixed(2)} ms, ` +
  `${values.length} requests`

const { before, during, givenUp, slow } = await Effect.runPromise(Slow.run)
console.log(`alone:     ${show(before)}`)
console.log(`meanwhile: ${show(during)}`)
for (const [kind, seconds] of slow) console.log(`${Slow.sockets} slow ${kind} closed within ${seconds.toFixed(1)} s`)
console.log(`${givenUp} of ${Slow.readers.sockets} that never read were given up within ${Slow.readers.seconds} s`)
const slower = percentile(during, 0.5) / percentile(before, 0.5)

const { heap, latencies, log, same, statuses, strangers } = await Effect.runPromise(Guesses.run)
const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1)
const list = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ")
console.log(`one hop:    ${show(latencies.short)}`)
console.log(`${Guesses.hops} hops:  ${show(latencies.long)}`)
console.log(`${Guesses.seconds / 2} s of guesses from ever new addresses: ${list(strangers)}`)
console.log(`${Guesses.seconds / 2} s of guesses from one address:       ${list(same)}`)
console.log(`then the right secret ${statuses[0]}, another key ${statuses[1]}, another address ${statuses[2]}`)
console.log(
  `log, read by nobody meanwhile: ${log.records} records and ${mib(log.bytes)} MiB written, ${log.dropped} dropped, ` +
    `${log.rejected} rejected requests in one record`
)
console.log(`heap: ${mib(heap.before)} MiB before, ${mib(heap.between)} MiB half-way, ${mib(heap.after)} MiB after`)

const lock = await Effect.runPromise(ForeignLock.run)
const most = (values: ReadonlyArray<number>) => percentile(values, 1)
const waits = lock.answers.map(({ took }) => took)
console.log(`SQLite without a foreign lock:        reads ${show(lock.before.reads)}`)
console.log(`while another process has it for ${ForeignLock.seconds} s: reads ${show(lock.during.reads)}`)
console.log(`/health without it: at most ${most(lock.before.health).toFixed(1)} ms, ${show(lock.before.health)}`)
console.log(`/health meanwhile:  at most ${most(lock.during.health).toFixed(1)} ms, ${show(lock.during.health)}`)
console.log(
  `${ForeignLock.deletions} deletions meanwhile: answered after ${(percentile(waits, 0) / 1000).toFixed(2)} to ` +
    `${(most(waits) / 1000).toFixed(2)} s with ${[...new Set(lock.answers.map(({ status }) => status))].join()}, ` +
    `then with ${[...new Set(lock.again.map(({ status }) => status))].join()}`
)

const problems = [
  slow.every(([, seconds]) => seconds < 15) ? [] : "slow sockets lived too long",
  givenUp === Slow.readers.sockets ? [] : "sockets that never read lived too long",
  slower < 2 ? [] : `the median beside slow sockets is ${slower.toFixed(1)} times that before`,
  percentile(latencies.long, 0.5) < 2 * percentile(latencies.short, 0.5) ? [] : "many hops cost much",
  statuses.join() === "429,200,200" && (same["401"] ?? 0) <= 20 ? [] : "the limit of guesses does not hold",
  // each guess that was looked at has a record or is counted as dropped, and each other one is counted
  log.records + log.dropped === (strangers["401"] ?? 0) + (same["401"] ?? 0) ? [] : "records are missing",
  log.rejected === (same["429"] ?? 0) + 1 ? [] : "rejected requests are missing",
  log.bytes < 4 * 2 ** 20 ? [] : "the log that waits is not bounded",
  heap.after - heap.before < 64 * 2 ** 20 ? [] : "the heap is not bounded",
  percentile(lock.during.reads, 0.5) < 2 * percentile(lock.before.reads, 0.5) ? [] : "reads wait for a foreign lock",
  most(lock.during.health) < Math.max(100, 2 * most(lock.before.health)) ? [] : "/health waits for a foreign lock",
  most(waits) < 6000 && lock.answers.every(({ status }) => status === 503) ? [] : "deletions wait for one another",
  lock.again.every(({ status }) => status === 200) ? [] : "deletions do not go on once the lock is free"
].flat()
for (const problem of problems) console.log(`NOT as it has to be: ${problem}`)
if (problems.length === 0) console.log("ok")
process.exitCode = problems.length === 0 ? 0 : 1
