/**
 * `npm run bench`: what a call costs the process that makes it, for our client and for what it stands on: µs of CPU, bytes
 * allocated on V8's heap, and the latency.
 *
 * Every variant reads the same endpoint, with the same number of calls in flight, from the same server. The server and
 * each variant have processes of their own: a program has one client, and what the engine learns of one variant must not
 * be held against another. They take turns in short rounds, so that a machine that slows down slows all of them, and a
 * ratio is the median of the ratios within the rounds.
 *
 * `-- --check` fails when the client costs more than it must; `-- --rounds N` changes the number of rounds. `node --cpu-prof checks/bench/calls.ts NodeTransport` runs
 * the variants with this name alone, and writes a profile of each.
 */
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { parseArgs } from "node:util"
import * as Figures from "./figures.ts"
import { variants, type Sample, type Turn } from "./variant.ts"

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: "boolean", default: false },
    rounds: { type: "string", default: "9" }
  }
})
const rounds = Number(options.rounds)
const callsPerRound = 5000
const inFlight = 32

const server = fork(new URL("server.ts", import.meta.url))
const [port] = await once(server, "message")

const [wanted = ""] = positionals
const chosen = Object.keys(variants).filter((name) => name.includes(wanted))
const processes = new Map<string, ChildProcess>()
for (const name of chosen) {
  const variant = fork(new URL("variant.ts", import.meta.url), [name, `http://127.0.0.1:${port}`])
  await once(variant, "message")
  processes.set(name, variant)
}

const measure = async (variant: ChildProcess, turn: Turn): Promise<Sample> => {
  variant.send(turn)
  const [sample]: Array<Sample | undefined> = await once(variant, "message")
  if (sample === undefined) throw new Error("a variant ended too early")
  return sample
}

const complaints: Array<string> = []
const samples = new Map(chosen.map((name) => [name, new Array<Sample>()]))
for (let round = 0; round < rounds; round++) {
  for (const [name, variant] of processes) {
    samples.get(name)?.push(await measure(variant, { calls: callsPerRound, inFlight }))
  }
}
const cpuOf = (name: string) => (samples.get(name) ?? []).map(({ cpu }) => cpu)
const ratio = (name: string, to: string) => Figures.ratio(cpuOf(name), cpuOf(to))

const [yardstick = ""] = chosen
const first = `one call, ${inFlight} in flight`
console.log(Figures.head(first, "µs CPU", `to ${yardstick}`, "kB allocated", "p50 ms", "p99 ms"))
for (const [name, rounds] of samples) {
  const latencies = rounds.flatMap(({ latencies }) => latencies)
  const cells = [
    Figures.median(cpuOf(name)).toFixed(0),
    `× ${ratio(name, yardstick).toFixed(2)}`,
    (Figures.median(rounds.map(({ bytes }) => bytes)) / 1000).toFixed(1),
    ...[0.5, 0.99].map((share) => Figures.percentile(latencies, share).toFixed(2))
  ]
  console.log(Figures.row(name, ...cells))
}
console.log()

const limits: ReadonlyArray<readonly [name: string, to: string, limit: number]> = [
  ["the client over NodeTransport", "undici", 1.5],
  ["the client over NodeTransport", "fetch", 0.5],
  ["the client over FetchTransport", "fetch that can be aborted", 1.35],
  ["the client and the service, in memory", "undici", 1.25]
]
for (const [name, to, limit] of limits) {
  const actual = ratio(name, to)
  if (Number.isNaN(actual)) continue
  console.log(`${name}: × ${actual.toFixed(2)} of ${to}, at most ${limit}`)
  if (actual > limit) complaints.push(`${name} costs × ${actual.toFixed(2)} to ${to}, more than × ${limit}`)
}
console.log(`${rounds} rounds of ${callsPerRound} calls each; Node.js ${process.versions.node}`)
if (options.check) {
  for (const complaint of complaints) console.error(complaint)
  process.exitCode = complaints.length === 0 ? 0 : 1
}

for (const variant of processes.values()) variant.send("end")
server.disconnect()
