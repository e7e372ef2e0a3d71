/**
 * `npm run bench:requests`: how many requests a second one core of `serve` answers, on SQLite, in memory and on
 * PostgreSQL, beside `node:http`, Fastify, Hono, Express and Effect's `HttpApiBuilder` with the same work: the read of an
 * endpoint with Basic authentication, SHA-256 of the secret, the look-ups in one statement, the same headers and body.
 *
 * Each server is a process of its own. They take turns in short rounds under the same load of `wrk`, so that a machine
 * that slows down slows all of them, and a ratio is the median of the ratios within the rounds: of many short ones, since
 * the same code had × 0.77 and 0.90 in rounds of 3 seconds. Requests are counted by second of the server's CPU time, user
 * and system, which others on the machine do not change. On Linux, which tells it.
 *
 * `serve` with metrics takes turns with `serve` without, so that their ratio is the cost of metrics.
 *
 * `-- --check` fails when `serve` is slower than it has to be, or takes more memory. `-- --rounds N` and `-- --seconds N`
 * change the load. `-- --minutes N` then loads `serve` on SQLite for so long, and shows its memory after each minute.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Program from "../fixtures/Program.ts"
import { build } from "rolldown"
import command from "../../packages/cli/rolldown.config.ts"
import * as Figures from "./figures.ts"
import * as Process from "./Process.ts"

/** Least ratio of `serve` to Fastify with the same work. */
const least = { sqlite: 0.85, postgres: 0.85 }
/** Least ratio of `serve` with metrics to `serve` without, on SQLite. */
const leastWithMetrics = 0.95
/** Most memory of `serve` on SQLite, in MB, and how much more the second half of a long load may take than the first. */
const most = { memory: 150, growth: 1.05 }
/** After so many requests the engine has compiled what it will. A time would not do: a busy machine answers few in it. */
const warm = 50_000

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    rounds: { type: "string", default: "21" },
    seconds: { type: "string", default: "1" },
    minutes: { type: "string", default: "0" },
    only: { type: "string", default: "" }
  }
})
const rounds = Number(values.rounds)
const connections = 32

const { id, secret } = Fixtures.deployKey
const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
const path = `/v1/organizations/${Fixtures.acme}/services/${Fixtures.analytics}/pipesReversePrivateEndpoints/${Fixtures.readyEndpoint}`

const folder = mkdtempSync(join(tmpdir(), "requests-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const measure = (server: Process.Process, seconds: number) =>
  Process.measure(server, path, authorization, { connections, seconds })

/** Measures servers in turns, and gives the ratio of each to the last. */
const compare = async (title: string, servers: ReadonlyArray<Process.Process>, yardstick: string) => {
  const rows = servers.map((server) => ({ server, results: [] as Array<Awaited<ReturnType<typeof measure>>> }))
  for (const { server } of rows) {
    for (let answered = 0; answered < warm;) answered += (await measure(server, Number(values.seconds))).count
  }
  for (let round = 0; round < rounds; round++) {
    // each begins a round in its turn: what follows a server that is still collecting garbage is slower
    const first = round % rows.length
    for (const { results, server } of [...rows.slice(first), ...rows.slice(0, first)]) {
      results.push(await measure(server, Number(values.seconds)))
    }
  }
  const perSecondOf = (name: string) =>
    rows.find(({ server }) => server.name.startsWith(name))?.results.map(({ perSecond }) => perSecond) ?? []
  const of = (name: string, to = yardstick) => Figures.ratio(perSecondOf(name), perSecondOf(to))
  const columns = ["requests per second of CPU", `× ${yardstick}`, "p50, ms", "p99, ms", "memory, MB"]
  console.log(`\n${Figures.head(title, ...columns)}`)
  for (const { results, server } of rows) {
    const [perSecond, p50, p99] = (["perSecond", "p50", "p99"] as const).map((key) =>
      Figures.median(results.map((r) => r[key]))
    )
    const cells = [perSecond?.toFixed(0), of(server.name).toFixed(2), p50?.toFixed(2), p99?.toFixed(2)]
    console.log(Figures.row(server.name, ...cells, server.memory().toFixed(0)))
  }
  const memory = servers[0]?.memory() ?? 0
  Process.endAll()
  return { of, memory }
}

const seed = join(folder, "seed.json")
writeFileSync(seed, JSON.stringify(Fixtures.seed))
Process.install("servers")
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

const complaints: Array<string> = []
const need = (what: string, ratio: number, atLeast: number) => {
  console.log(`${what}: × ${ratio.toFixed(2)} of Fastify, at least ${atLeast}`)
  if (!(ratio >= atLeast)) complaints.push(`${what}: × ${ratio.toFixed(2)} to Fastify, has to be ${atLeast} at least`)
}

if (wanted("SQLite")) {
  const file = join(folder, "cloud.db")
  const servers = [await serve("serve, SQLite", file), await serve("serve, in memory", ":memory:")]
  for (const [name, script] of peers) servers.push(await peer(name, script, file, "sqlite"))
  const { memory, of } = await compare("SQLite", servers, "Fastify")
  need("serve on SQLite", of("serve, SQLite"), least.sqlite)
  if (!(memory <= most.memory)) complaints.push(`serve on SQLite: ${memory.toFixed(0)} MB, may take ${most.memory}`)
}

if (wanted("metrics")) {
  const [off, on] = ["serve, without metrics", "serve, with metrics"]
  const servers = [
    await serve(on, join(folder, "on.db"), "--metrics-port", "0"),
    await serve(off, join(folder, "off.db"))
  ]
  const { of } = await compare("SQLite", servers, off)
  const ratio = of(on)
  console.log(`with metrics: × ${ratio.toFixed(3)}`)
  if (!(ratio >= leastWithMetrics)) {
    complaints.push(`metrics: × ${ratio.toFixed(3)} to serve without, has to be ${leastWithMetrics} at least`)
  }
}

const minutes = Number(values.minutes)
if (minutes > 0) {
  const server = await serve("serve, SQLite", join(folder, "long.db"))
  const resident: Array<number> = []
  for (let minute = 1; minute <= minutes; minute++) {
    const { count } = await measure(server, 60)
    resident.push(server.resident())
    console.log(`minute ${minute}: ${count} requests, ${resident.at(-1)?.toFixed(0)} MB`)
  }
  const [before, after] = [resident.slice(0, minutes / 2), resident.slice(minutes / 2)].map((part) => Math.max(...part))
  console.log(`after ${minutes} minutes of load: at most ${server.memory().toFixed(0)} MB`)
  if (!(server.memory() <= most.memory)) complaints.push(`serve under load: more than ${most.memory} MB`)
  if (!((after ?? 0) <= (before ?? 0) * most.growth)) complaints.push("serve under load: the memory grows")
  Process.endAll()
}

const postgres = Effect.gen(function* () {
  const { database } = yield* PostgresServer.PostgresServer
  const url = yield* database
  yield* Effect.promise(async () => {
    const servers = [await serve("serve, PostgreSQL", url)]
    for (const driver of ["pg", "postgres", "sql-pg", "sql-pg-multiplex"]) {
      servers.push(await peer(`Fastify, ${driver}`, "fastify.js", url, driver))
    }
    const { of } = await compare("PostgreSQL", servers, "Fastify")
    const ratios = servers.slice(1).map(({ name }) => of("serve, PostgreSQL", name))
    need("serve on PostgreSQL", Math.min(...ratios), least.postgres)
  })
}).pipe(Effect.provide(PostgresServer.layer))
if (wanted("PostgreSQL") && Program.isThere("postgres")) await Effect.runPromise(postgres)

console.log(
  `\n${rounds} rounds of ${values.seconds} s each, ${connections} connections; Node.js ${process.versions.node}`
)
for (const complaint of complaints) console.error(complaint)
if (values.check && complaints.length > 0) process.exitCode = 1
