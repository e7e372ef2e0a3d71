/**
 * `npm run bench:scale`: what the capacity model of docs/service/scale.md is made of, and whether it holds with one, two and three
 * nodes over one PostgreSQL: CPU time of a read and of a deletion in a node and in PostgreSQL, memory of a connection, bytes
 * of a key and of an audit record, and WAL of a deletion.
 *
 * CPU time counts the work, whatever else runs on the machine. The model says that a request costs the same with more nodes;
 * it fails when one costs more than 1.3 times as much. The numbers of nodes take turns in short rounds, and a ratio is the
 * median of the ratios within the rounds. `-- --rounds N` and `-- --seconds N` change the load. On Linux,
 * with wrk.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { build } from "rolldown"
import { Agent, request } from "undici"
import * as Client from "../../packages/service/src/node/internal/sqlClient.ts"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Program from "../fixtures/Program.ts"
import { keyId, organizationId, withKeys } from "../fixtures/Tenants.ts"
import command from "../../packages/cli/rolldown.config.ts"
import * as Figures from "./figures.ts"
import * as Process from "./Process.ts"

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "4" } }
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const keys = 100_000
/** So many are counted, and as many before them are not. */
const deletions = 4000
const connections = 16
/** After so many requests the nodes have compiled what they will. */
const warm = 40_000
const most = 1.3

const folder = mkdtempSync(join(tmpdir(), "scale-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
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

/** Memory that a process shares with no other one, in MB. */
const privateMemory = (pid: number) => {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
  const kilobytes = [...rollup.matchAll(/^Private_\w+:\s+(\d+)/gm)].reduce((sum, [, size]) => sum + Number(size), 0)
  return (kilobytes * 1024) / 1e6
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
      Process.start(
        name,
        [resolve("packages/cli/dist/main.js"), ...`serve --port 0 --format json --database ${url}`.split(" "), ...args],
        // with a record of each deletion
        "ignore"
      )
    )
  const first = yield* serve("the first node", "--seed", seed)
  const nodes = [first, yield* serve("the second node"), yield* serve("the third node")]

  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const number = (statement: string) =>
      Effect.map(sql.unsafe<{ readonly n: unknown }>(`SELECT (${statement})::float8 AS n`), ([found]) =>
        Number(found?.n)
      )
    const postmaster = parentOf(yield* number("pg_backend_pid()")) ?? 0
    /** Bytes of WAL until now. */
    const written = number("pg_current_wal_lsn() - '0/0'")
    const bytesOfKey = (yield* number("pg_total_relation_size('api_keys')")) / keys

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
    const samples = [1, 2, 3].map((count) => ({ count, taken: new Array<Sample>() }))
    for (let answered = 0; answered < warm;) answered += (yield* read(nodes.length)).requests
    for (let round = 0; round < rounds; round++) {
      for (const { count, taken } of samples) taken.push(yield* read(count))
    }
    const backends = yield* sql<{ readonly pid: number }>`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    // before they are closed, idle
    const memory = Figures.median(backends.map(({ pid }) => privateMemory(pid)))

    const dispatcher = new Agent({ connections })
    const remove = async (n: number) => {
      const { body, statusCode } = await request(
        `${first.url}/v1/organizations/${organizationId("a")}/keys/${keyId("a", 1000 + n)}`,
        // by turns, since a deletion locks the key of its caller
        { method: "DELETE", headers: { authorization: authorizationOf(n % 100) }, dispatcher }
      )
      await body.dump()
      return statusCode
    }
    const removeFrom = (first: number) =>
      Effect.promise(() => Process.load(deletions, connections, (n) => remove(first + n)))
    yield* removeFrom(0)
    const before = { node: first.cpu(), server: cpuOfServer(postmaster), wal: yield* written }
    yield* removeFrom(deletions)
    yield* Effect.promise(() => dispatcher.close())
    const node = micros(first.cpu() - before.node, deletions)
    const server = micros(cpuOfServer(postmaster) - before.server, deletions)
    const wal = ((yield* written) - before.wal) / deletions
    const bytesOfRecord = (yield* number("pg_total_relation_size('audit_records')")) / (2 * deletions)

    const columns = ["requests a second", "µs CPU of a node", "µs CPU of PostgreSQL", "µs CPU with wrk", "× one node"]
    console.log(Figures.head("a read", ...columns))
    const all = samples.map(({ taken }) => taken.map(({ all }) => all))
    const ratios = all.map((costs) => Figures.ratio(costs, all[0] ?? []))
    for (const [n, { count, taken }] of samples.entries()) {
      const of = (key: keyof Sample) => Figures.median(taken.map((sample) => sample[key])).toFixed(0)
      const cells = [of("perSecond"), of("node"), of("server"), of("all"), ratios[n]?.toFixed(2)]
      console.log(Figures.row(`${count} of 3 nodes`, ...cells))
    }
    console.log(
      `a deletion: ${node.toFixed(0)} µs CPU of a node, ${server.toFixed(0)} of PostgreSQL, ${wal.toFixed(0)} bytes of WAL`
    )
    console.log(
      `a key: ${bytesOfKey.toFixed(0)} bytes with its index, of ${keys}; an audit record: ${bytesOfRecord.toFixed(0)} bytes with its indexes`
    )
    console.log(
      `a connection: ${memory.toFixed(1)} MB of PostgreSQL; ` +
        `${backends.length} for 3 nodes, ${connections} requests in flight each; a node: ${first.resident().toFixed(0)} MB`
    )
    console.log(`${PostgresServer.version}, Node.js ${process.versions.node}, ${rounds} rounds of ${seconds} s`)
    const worst = Math.max(...ratios)
    if (worst > most) console.error(`with more nodes, a request costs × ${worst.toFixed(2)}, more than × ${most}`)
    process.exitCode = worst > most ? 1 : 0
  }).pipe(Effect.provide(Client.layer(url)))
  Process.endAll()
}).pipe(Effect.provide(PostgresServer.layer))

if (Program.isThere("postgres")) await Effect.runPromise(run)
