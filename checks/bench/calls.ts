/**
 * µs of CPU of a call. The server and each variant have processes of their own: a program has one client, and what the
 * engine learns of one variant must not be held against another. `node --cpu-prof checks/main.ts bench NAME` profiles each.
 */
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { parseArgs } from "node:util"
import * as Figures from "./figures.ts"
import { variants, type Turn } from "./variant.ts"

const {
  positionals: [wanted = ""],
  values
} = parseArgs({ allowPositionals: true, options: { rounds: { type: "string", default: "9" } } })
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
  processes.map((variant) => async (): Promise<number> => {
    variant.send(turn)
    const [cpu]: Array<number | undefined> = await once(variant, "message")
    if (cpu === undefined) throw new Error("a variant ended too early")
    return cpu
  }),
  Number(values.rounds)
)
const cpuOf = (name: string) => taken[chosen.indexOf(name)] ?? []
const ratio = (name: string, to: string) => Figures.ratio(cpuOf(name), cpuOf(to))

const [yardstick = ""] = chosen
const rows = chosen.map((name) => [name, Figures.median(cpuOf(name)).toFixed(0), ratio(name, yardstick).toFixed(2)])
const head = [`one call, ${turn.inFlight} in flight`, "µs CPU", `× ${yardstick}`]
if (isPart) console.log(Figures.table([head, ...rows]))
else Figures.publish("docs/performance.md", [head, ...rows])
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
