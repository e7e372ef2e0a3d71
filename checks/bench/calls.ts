/**
 * The part of `npm run bench` about calls: what a call costs the process that makes it, for our client and for what it
 * stands on: µs of CPU, bytes allocated on V8's heap, and the latency.
 *
 * Every variant reads the same endpoint, with the same number of calls in flight, from the same server. The server and
 * each variant have processes of their own: a program has one client, and what the engine learns of one variant must not
 * be held against another.
 *
 * `-- --rounds N` changes the number of rounds, and `-- NAME` runs the variants with this name alone. `node --cpu-prof checks/main.ts bench NodeTransport` writes a profile of each.
 */
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { parseArgs } from "node:util"
import * as Figures from "./figures.ts"
import { variants, type Sample, type Turn } from "./variant.ts"

const {
  positionals: [wanted = ""],
  values
} = parseArgs({ allowPositionals: true, options: { rounds: { type: "string", default: "9" } } })
/** Whether only some variants were asked for. */
export const isPart = wanted !== ""
const turn: Turn = { calls: 5000, inFlight: 32 }

const server = fork(new URL("server.ts", import.meta.url))
const [port] = await once(server, "message")

const chosen = Object.keys(variants).filter((name) => name.includes(wanted))
const processes: Array<ChildProcess> = []
for (const name of chosen) {
  const variant = fork(new URL("variant.ts", import.meta.url), [name, `http://127.0.0.1:${port}`])
  await once(variant, "message")
  processes.push(variant)
}

const taken = await Figures.turns(
  processes.map((variant) => async (): Promise<Sample> => {
    variant.send(turn)
    const [sample]: Array<Sample | undefined> = await once(variant, "message")
    if (sample === undefined) throw new Error("a variant ended too early")
    return sample
  }),
  Number(values.rounds)
)
const cpuOf = (name: string) => (taken[chosen.indexOf(name)] ?? []).map(({ cpu }) => cpu)
const ratio = (name: string, to: string) => Figures.ratio(cpuOf(name), cpuOf(to))

const [yardstick = ""] = chosen
console.log(
  Figures.head(`one call, ${turn.inFlight} in flight`, "µs CPU", `to ${yardstick}`, "kB allocated", "p50 ms", "p99 ms")
)
for (const [n, name] of chosen.entries()) {
  const samples = taken[n] ?? []
  const cpu = Figures.median(cpuOf(name))
  const latencies = samples.flatMap(({ latencies }) => latencies)
  const cells = [
    cpu.toFixed(cpu < 10 ? 1 : 0),
    `× ${ratio(name, yardstick).toFixed(2)}`,
    (Figures.median(samples.map(({ bytes }) => bytes)) / 1000).toFixed(1),
    ...[0.5, 0.99].map((share) => Figures.percentile(latencies, share).toFixed(2))
  ]
  console.log(Figures.row(name, ...cells))
}
console.log(`${values.rounds} rounds of ${turn.calls} calls each; Node.js ${process.versions.node}`)

const limits: ReadonlyArray<readonly [name: string, to: string, limit: number]> = [
  ["the client over NodeTransport", "undici", 1.5],
  ["the client over NodeTransport", "fetch", 0.5],
  ["the client over FetchTransport", "fetch that can be aborted", 1.35],
  ["the client and the service, in memory", "undici", 1.25]
]
for (const [name, to, limit] of limits) {
  if ([name, to].every((one) => chosen.includes(one)))
    Figures.hold(`a call: ${name}, of ${to}`, ratio(name, to), "at most", limit)
}

for (const variant of processes) variant.send("end")
server.disconnect()
