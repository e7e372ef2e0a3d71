/**
 * `npm run check bench:requests`: how many requests a second one core of `serve` answers, on SQLite, in memory and on
 * PostgreSQL, beside `node:http`, Fastify, Hono, Express and Effect's `HttpApiBuilder` with the same work: the read of an
 * endpoint with Basic authentication, SHA-256 of the secret, the look-ups in one statement, the same headers and body.
 *
 * Each server is a process of its own. They take turns under the same load of `wrk`, in many short rounds, since the same
 * code had × 0.77 and 0.90 in rounds of 3 seconds. Requests are counted by second of the server's CPU time, user and
 * system, which others on the machine do not change. On Linux, which tells it.
 *
 * `serve` with metrics takes turns with `serve` without, so that their ratio is the cost of metrics.
 *
 * `-- --rounds N` and `-- --seconds N` change the load, `-- --only WORD` measures the tables with that word.
 */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { Fixtures } from "@cloud-management/testing"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Program from "../fixtures/Program.ts"
import { build } from "rolldown"
import command from "../../packages/cli/rolldown.config.ts"
import * as Figures from "./figures.ts"
import * as Process from "./Process.ts"

/** Least ratio of `serve` to Fastify with the same work; with metrics, to `serve` without, on SQLite. */
const least = { sqlite: 0.85, postgres: 0.85, withMetrics: 0.95 }
/** Of `serve`, in MB. */
const most = { memory: 150 }
/** After so many requests the engine has compiled what it will. A time would not do: a busy machine answers few in it. */
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

const folder = mkdtempSync(join(tmpdir(), "requests-"))

const measure = (server: Process.Process, seconds: number) =>
  Process.measure(server, path, authorization, { connections, seconds })

const compare = async (title: string, servers: ReadonlyArray<Process.Process>, yardstick: string) => {
  const once = (server: Process.Process) => measure(server, Number(values.seconds))
  for (const server of servers) {
    for (let answered = 0; answered < warm;) answered += (await once(server)).count
  }
  const taken = await Figures.turns(
    servers.map((server) => () => once(server)),
    rounds
  )
  const perSecondOf = (name: string) =>
    taken[servers.findIndex((server) => server.name.startsWith(name))]?.map(({ perSecond }) => perSecond) ?? []
  const of = (name: string, to = yardstick) => Figures.ratio(perSecondOf(name), perSecondOf(to))
  const columns = ["requests per second of CPU", `× ${yardstick}`, "p50, ms", "p99, ms", "memory, MB"]
  console.log(`\n${Figures.head(title, ...columns)}`)
  for (const [n, { memory, name }] of servers.entries()) {
    const middle = (key: "perSecond" | "p50" | "p99") => Figures.median((taken[n] ?? []).map((sample) => sample[key]))
    const cells = [middle("perSecond").toFixed(0), of(name).toFixed(2)]
    const latencies = [middle("p50").toFixed(2), middle("p99").toFixed(2)]
    console.log(Figures.row(name, ...cells, ...latencies, memory().toFixed(0)))
  }
  const memory = servers[0]?.memory() ?? NaN
  Process.endAll()
  return { of, memory }
}

const seed = join(folder, "seed.json")
writeFileSync(seed, JSON.stringify(Fixtures.seed))
Process.install("checks/bench/servers")
await build(command)
const serve = (name: string, database: string, ...args: ReadonlyArray<string>) =>
  Process.start(name, [
    resolve("packages/cli/dist/main.js"),
    ...`serve --port 0 --format json --database ${database} --seed ${seed}`.split(" "),
    ...args
  ])
const peer = (name: string, file: string, database: string, driver: string) =>
  Process.start(name, [resolve("checks/bench/servers", file), database, driver])

const wanted = (name: string) => values.only === "" || values.only.split(",").some((part) => name.includes(part))
const peers = [
  ["node:http", "node.js"],
  ["Fastify", "fastify.js"],
  ["Hono", "hono.js"],
  ["Express", "express.js"],
  ["HttpApiBuilder", "httpApi.js"]
] as const

if (wanted("SQLite")) {
  const file = join(folder, "cloud.db")
  const servers = [await serve("serve, SQLite", file), await serve("serve, in memory", ":memory:")]
  for (const [name, script] of peers) servers.push(await peer(name, script, file, "sqlite"))
  const { memory, of } = await compare("SQLite", servers, "Fastify")
  Figures.hold("requests: serve on SQLite, of Fastify", of("serve, SQLite"), "at least", least.sqlite)
  Figures.hold("the memory of serve on SQLite", memory, "at most", most.memory, " MB")
}

if (wanted("metrics")) {
  const [off, on] = ["serve, without metrics", "serve, with metrics"]
  const servers = [
    await serve(on, join(folder, "on.db"), "--metrics-port", "0"),
    await serve(off, join(folder, "off.db"))
  ]
  const { of } = await compare("SQLite", servers, off)
  Figures.hold("requests: serve with metrics, of serve without", of(on), "at least", least.withMetrics)
}

const postgres = Effect.gen(function* () {
  const { database } = yield* PostgresServer.PostgresServer
  const url = yield* database
  yield* Effect.promise(async () => {
    const servers = [await serve("serve, PostgreSQL", url)]
    for (const driver of ["pg", "postgres", "sql-pg", "sql-pg-multiplex"]) {
      servers.push(await peer(`Fastify, ${driver}`, "fastify.js", url, driver))
    }
    const { memory, of } = await compare("PostgreSQL", servers, "Fastify")
    const ratio = Math.min(...servers.slice(1).map(({ name }) => of("serve, PostgreSQL", name)))
    Figures.hold("requests: serve on PostgreSQL, of Fastify", ratio, "at least", least.postgres)
    Figures.hold("the memory of serve on PostgreSQL", memory, "at most", most.memory, " MB")
  })
}).pipe(Effect.provide(PostgresServer.layer))
if (wanted("PostgreSQL") && Program.isThere("postgres")) await Effect.runPromise(postgres)

console.log(
  `\n${rounds} rounds of ${values.seconds} s each, ${connections} connections; Node.js ${process.versions.node}`
)
