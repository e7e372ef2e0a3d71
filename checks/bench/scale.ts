/**
 * `npm run bench:scale`: whether a read costs the same with one, two and three nodes over one PostgreSQL, as CPU time, which
 * counts the work, whatever else runs on the machine. It fails when one costs more than 1.3 times as much. `-- --rounds N`
 * and `-- --seconds N` change the load. On Linux, with wrk.
 */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { build } from "rolldown"
import * as Client from "../../packages/service/src/node/internal/sqlClient.ts"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Program from "../fixtures/Program.ts"
import { keyId, withKeys } from "../fixtures/Tenants.ts"
import command from "../../packages/cli/rolldown.config.ts"
import * as Figures from "./figures.ts"
import * as Process from "./Process.ts"

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "4" } }
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const keys = 100_000
const connections = 16
/** After so many requests the nodes have compiled what they will. */
const warm = 40_000
const most = 1.3

const folder = mkdtempSync(join(tmpdir(), "scale-"))
const seed = join(folder, "seed.json")
writeFileSync(seed, JSON.stringify(withKeys("a", keys)))
await build(command)

const authorizationOf = (n: number) => `Basic ${Buffer.from(`${keyId("a", n)}:secret`).toString("base64")}`
const micros = (cpuSeconds: number, count: number) => (cpuSeconds * 1e6) / count

/** The parent of a process, unless that has ended. */
const parentOf = (pid: number) => {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1])
  } catch {
    return undefined
  }
}

/** CPU time of PostgreSQL, all its processes, in seconds. */
const cpuOfServer = (postmaster: number) => {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger)
  return [postmaster, ...pids.filter((pid) => parentOf(pid) === postmaster)].reduce((sum, pid) => {
    try {
      return sum + Process.cpuOf(pid)
    } catch {
      return sum // it has ended, and the server counts it
    }
  }, 0)
}

/** What a request costs, in µs of CPU, and how many there were, in all and in a second. */
interface Sample {
  readonly requests: number
  readonly node: number
  readonly server: number
  /** With what sends the requests. */
  readonly all: number
  readonly perSecond: number
}

const run = Effect.gen(function* () {
  const { database } = yield* PostgresServer.PostgresServer
  const url = yield* database
  const serve = (name: string, ...args: ReadonlyArray<string>) =>
    Effect.promise(() =>
      Process.start(name, [
        resolve("packages/cli/dist/main.js"),
        ...`serve --port 0 --format json --database ${url}`.split(" "),
        ...args
      ])
    )
  const first = yield* serve("the first node", "--seed", seed)
  const nodes = [first, yield* serve("the second node"), yield* serve("the third node")]

  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [found] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
    const postmaster = parentOf(Number(found?.pid)) ?? 0

    const read = Effect.fnUntraced(function* (count: number) {
      const [before, ours, begun] = [cpuOfServer(postmaster), Process.cpuOf(process.pid), performance.now()]
      const results = yield* Effect.promise(() =>
        Promise.all(
          nodes
            .slice(0, count)
            .map((node, n) => Process.measure(node, "/v1/organizations", authorizationOf(n), { connections, seconds }))
        )
      )
      const requests = results.reduce((sum, { count }) => sum + count, 0)
      const node = micros(
        results.reduce((sum, { spent }) => sum + spent, 0),
        requests
      )
      const server = micros(cpuOfServer(postmaster) - before, requests)
      const sample: Sample = {
        requests,
        node,
        server,
        all: node + server + micros(Process.cpuOf(process.pid) - ours, requests),
        perSecond: (requests * 1000) / (performance.now() - begun)
      }
      return sample
    })
    for (let answered = 0; answered < warm;) answered += (yield* read(nodes.length)).requests
    const counts = nodes.map((_, n) => () => Effect.runPromise(read(n + 1)))
    const samples = yield* Effect.promise(() => Figures.turns(counts, rounds))
    const columns = ["requests a second", "µs CPU of a node", "µs CPU of PostgreSQL", "µs CPU with wrk", "× one node"]
    console.log(Figures.head("a read", ...columns))
    const all = samples.map((taken) => taken.map(({ all }) => all))
    const ratios = all.map((costs) => Figures.ratio(costs, all[0] ?? []))
    for (const [n, taken] of samples.entries()) {
      const of = (key: keyof Sample) => Figures.median(taken.map((sample) => sample[key])).toFixed(0)
      const cells = [of("perSecond"), of("node"), of("server"), of("all"), ratios[n]?.toFixed(2)]
      console.log(Figures.row(`${n + 1} of 3 nodes`, ...cells))
    }
    console.log(`${PostgresServer.version}, Node.js ${process.versions.node}, ${rounds} rounds of ${seconds} s`)
    Figures.hold("a read with more nodes, of one with one node", Math.max(...ratios), "at most", most)
  }).pipe(Effect.provide(Client.layer(url)))
  Process.endAll()
}).pipe(Effect.provide(PostgresServer.layer))

if (Program.isThere("postgres")) await Effect.runPromise(run)
