/**
 * A read with Basic authentication, by servers of the same work, which take turns in short rounds: the same code had × 0.77
 * and 0.90 in rounds of 3 seconds. Requests are counted by second of the server's CPU, which others on the machine do not
 * change. `-- --rounds N` and `-- --seconds N` change the load, `-- --only WORD` measures the tables with that word.
 */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs, promisify } from "node:util"
import { Effect } from "effect"
import { Fixtures } from "@cloud-management/testing"
import bundle from "../fixtures/bundle.ts"
import { Child, PostgresServer, Program } from "../fixtures/index.ts"
import * as Kernel from "../fixtures/Kernel.ts"
import * as Figures from "./figures.ts"

/** Least ratio of `serve` to Fastify with the same work; with metrics, to `serve` without, on SQLite. */
const least = { sqlite: 0.85, postgres: 0.85, withMetrics: 0.95 }
const most = { memory: 150 }
/** After so many requests the engine has compiled what it will. A time would not do: a busy machine handles few in it. */
const warm = 50_000

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    seconds: { type: "string", default: "1" },
    only: { type: "string", default: "" }
  }
})
const rounds = Number(values.rounds)
const connections = 32

const { id, secret } = Fixtures.deployKey
const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
const path = `/v1/organizations/${Fixtures.acme}/services/${Fixtures.analytics}/pipesReversePrivateEndpoints/${Fixtures.readyEndpoint}`

interface Server {
  readonly name: string
  readonly url: string
  readonly pid: number
}

const memoryOf = ({ pid }: Server) =>
  (Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024) / 1e6

const millis = (text = "") => Number.parseFloat(text) * (text.endsWith("us") ? 0.001 : text.endsWith("ms") ? 1 : 1000)

/** A load of `wrk`: requests by second of the server's CPU, and latencies in milliseconds. */
const measure = async ({ name, pid, url }: Server) => {
  const cpu = () => Kernel.stat(pid)?.cpu ?? NaN
  const before = cpu()
  const load = `-t1 -c${connections} -d${values.seconds}s --timeout 30s --latency`.split(" ")
  const header = ["-H", `authorization: ${authorization}`]
  const { stdout } = await promisify(execFile)(Program.find("wrk") ?? "wrk", [...load, ...header, `${url}${path}`])
  const spent = cpu() - before
  const count = Number(/(\d+) requests in/.exec(stdout)?.[1])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${name}: not every request succeeded\n${stdout}`)
  const latency = (share: string) => millis(new RegExp(`\\s${share}%\\s+(\\S+)`).exec(stdout)?.[1])
  return { count, perSecond: count / spent, p50: latency("50"), p99: latency("99") }
}

/** Measures the servers in turn, publishes their table, and gives the ratio of two, and the memory of the first. */
const compare = Effect.fnUntraced(function* (title: string, servers: ReadonlyArray<Server>, yardstick: string) {
  const taken = yield* Effect.promise(async () => {
    for (const server of servers) {
      for (let served = 0; served < warm;) served += (await measure(server)).count
    }
    return Figures.turns(
      servers.map((server) => () => measure(server)),
      rounds
    )
  })
  const perSecondOf = (name: string) =>
    taken[servers.findIndex((server) => server.name.startsWith(name))]?.map(({ perSecond }) => perSecond) ?? []
  const of = (name: string, to = yardstick) => Figures.ratio(perSecondOf(name), perSecondOf(to))
  const rows = servers.map((server, n) => {
    const middle = (key: "perSecond" | "p50" | "p99", digits: number) =>
      Figures.median((taken[n] ?? []).map((sample) => sample[key])).toFixed(digits)
    const ratio = of(server.name).toFixed(2)
    return [server.name, middle("perSecond", 0), ratio, middle("p50", 2), middle("p99", 2), memoryOf(server).toFixed(0)]
  })
  const head = [title, "requests per second of CPU", `× ${yardstick}`, "p50, ms", "p99, ms", "memory, MB"]
  Figures.publish("docs/performance.md", [head, ...rows])
  return { of, memory: Math.max(...servers.slice(0, 1).map(memoryOf)) }
})

await bundle()

const named = (name: string, child: Child.Child) =>
  Effect.map(Child.listening(child), ({ process, url }): Server => ({ name, url, pid: process.pid ?? 0 }))
const peer = (name: string, file: string, database: string, driver: string) =>
  Effect.flatMap(Child.script([resolve("checks/bench/peers", file), database, driver]), (child) => named(name, child))
const content = Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
const serve = (name: string, folder: string, database: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(Child.serve("--database", database, "--seed", `${folder}/seed.json`, ...args), (child) =>
    named(name, child)
  )

const onSqlite = Effect.gen(function* () {
  const folder = yield* content
  const file = `${folder}/cloud.db`
  const servers = [
    yield* serve("serve, SQLite", folder, file),
    yield* serve("serve, in memory", folder, ":memory:"),
    yield* peer("node:http", "node.js", file, "sqlite"),
    yield* peer("Fastify", "fastify.js", file, "sqlite")
  ]
  const { memory, of } = yield* compare("SQLite", servers, "Fastify")
  Figures.hold("requests: serve on SQLite, of Fastify", of("serve, SQLite"), "at least", least.sqlite)
  Figures.hold("the memory of serve on SQLite", memory, "at most", most.memory, " MB")
})

const withMetrics = Effect.gen(function* () {
  const folder = yield* content
  const [off, on] = ["serve, without metrics", "serve, with metrics"]
  const servers = [
    yield* serve(on, folder, `${folder}/on.db`, "--metrics-port", "0"),
    yield* serve(off, folder, `${folder}/off.db`)
  ]
  const { of } = yield* compare("metrics", servers, off)
  Figures.hold("requests: serve with metrics, of serve without", of(on), "at least", least.withMetrics)
})

const onPostgres = Effect.gen(function* () {
  const folder = yield* content
  const { database } = yield* PostgresServer.PostgresServer
  const url = yield* database
  const servers = [yield* serve("serve, PostgreSQL", folder, url)]
  for (const driver of ["pg", "sql-pg"]) {
    servers.push(yield* peer(`Fastify, ${driver}`, "fastify.js", url, driver))
  }
  const { memory, of } = yield* compare("PostgreSQL", servers, "Fastify")
  const ratio = Math.min(...servers.slice(1).map(({ name }) => of("serve, PostgreSQL", name)))
  Figures.hold("requests: serve on PostgreSQL, of Fastify", ratio, "at least", least.postgres)
  Figures.hold("the memory of serve on PostgreSQL", memory, "at most", most.memory, " MB")
}).pipe(Effect.provide(PostgresServer.layer))

const tables = {
  SQLite: onSqlite,
  metrics: withMetrics,
  ...(Program.isThere("postgres") && { PostgreSQL: onPostgres })
}
for (const [name, table] of Object.entries(tables)) {
  if (name.includes(values.only)) await Effect.runPromise(Effect.scoped(table))
}
console.log(
  `${rounds} rounds of ${values.seconds} s each, ${connections} connections; Node.js ${process.versions.node}`
)
