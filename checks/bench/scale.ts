/**
 * `npm run bench:scale`: whether a read costs the same with one, two and three nodes over one PostgreSQL, as CPU time, which
 * counts the work, whatever else runs on the machine. It fails when one costs more than 1.3 times as much. `-- --rounds N`
 * and `-- --seconds N` change the load. On Linux, with wrk.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import { build } from "rolldown"
import * as Kernel from "../fixtures/Kernel.ts"
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

/** CPU time of a process and its children, in seconds. */
const cpuOf = (pid: number) =>
  [pid, ...Kernel.childrenOf(pid)].reduce((sum, each) => sum + (Kernel.stat(each)?.cpu ?? 0), 0)

/** What a request costs, in µs of CPU. */
interface Sample {
  readonly node: number
  readonly server: number
  /** With what sends the requests. */
  readonly all: number
}

const run = Effect.gen(function* () {
  const { database, folder } = yield* PostgresServer.PostgresServer
  const url = yield* database
  const postmaster = Number.parseInt(readFileSync(`${folder}/data/postmaster.pid`, "utf8"))
  yield* Effect.promise(async () => {
    const serve = (name: string, ...args: ReadonlyArray<string>) =>
      Process.start(name, [
        resolve("packages/cli/dist/main.js"),
        ...`serve --port 0 --format json --database ${url}`.split(" "),
        ...args
      ])
    const nodes = [
      await serve("the first node", "--seed", seed),
      await serve("the second node"),
      await serve("the third")
    ]

    let answered = 0
    const read = async (count: number): Promise<Sample> => {
      const ofWrk = () => Kernel.stat(process.pid)?.cpu ?? NaN
      const [server, wrk] = [cpuOf(postmaster), ofWrk()]
      const results = await Promise.all(
        nodes
          .slice(0, count)
          .map((node, n) => Process.measure(node, "/v1/organizations", authorizationOf(n), { connections, seconds }))
      )
      const sum = (key: "count" | "spent") => results.reduce((sum, result) => sum + result[key], 0)
      answered += sum("count")
      const micros = (cpuSeconds: number) => (cpuSeconds * 1e6) / sum("count")
      const [ofNodes, ofServer] = [sum("spent"), cpuOf(postmaster) - server]
      return {
        node: micros(ofNodes),
        server: micros(ofServer),
        all: micros(ofNodes + ofServer + ofWrk() - wrk)
      }
    }
    while (answered < warm) await read(nodes.length)
    const samples = await Figures.turns(
      nodes.map((_, n) => () => read(n + 1)),
      rounds
    )
    console.log(Figures.head("a read", "µs CPU of a node", "µs CPU of PostgreSQL", "µs CPU with wrk", "× one node"))
    const all = samples.map((taken) => taken.map(({ all }) => all))
    const ratios = all.map((costs) => Figures.ratio(costs, all[0] ?? []))
    for (const [n, taken] of samples.entries()) {
      const of = (key: keyof Sample) => Figures.median(taken.map((sample) => sample[key])).toFixed(0)
      console.log(Figures.row(`${n + 1} of 3 nodes`, of("node"), of("server"), of("all"), ratios[n]?.toFixed(2)))
    }
    console.log(`${PostgresServer.version}, Node.js ${process.versions.node}, ${rounds} rounds of ${seconds} s`)
    Figures.hold("a read with more nodes, of one with one node", Math.max(...ratios), "at most", most)
  })
  Process.endAll()
}).pipe(Effect.provide(PostgresServer.layer))

if (Program.isThere("postgres")) await Effect.runPromise(run)
