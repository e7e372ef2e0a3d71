/**
 * `npm run bench:serve`: `serve` from the built package, as a stranger installs it, on a SQLite file, as it is and with
 * the young generation that V8 would choose, and on PostgreSQL: how soon it is ready, how much memory it takes under
 * load and a flood of guesses, what one process answers, and how soon it ends. It fails when it is ready after more than
 * 0.5 s, or takes more than 150 MB. On Linux, which tells the memory.
 *
 * Ready is the first 200 of `/ready`, counted from the start of the command; the first time nothing is kept compiled
 * from an earlier start. The load comes over keep-alive connections from this process, on the same machine.
 */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { Agent, request } from "undici"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Program from "../fixtures/Program.ts"
import { keyId, organizationId, withKeys } from "../fixtures/Tenants.ts"
import * as Stranger from "../release/stranger.ts"
import * as Figures from "./figures.ts"
import * as Process from "./Process.ts"

const maxReady = 500
const maxMemory = 150

const keys = 20_000
const starts = 11
const inFlight = 64
const reads = 50_000
const deletions = 2000
const guesses = 130_000

const folder = mkdtempSync(join(tmpdir(), "serve-"))
const seed = join(folder, "seed.json")
writeFileSync(seed, JSON.stringify(withKeys("a", keys)))
const project = await Stranger.install()
const command = join(project, "node_modules/@cloud-management/cli/dist/main.js")

/** Starts `serve`, and gives how long it took until it was ready. `compiled` is where Node keeps modules compiled. */
const start = async (compiled: string, database: string, nodeOptions: string, ...args: ReadonlyArray<string>) => {
  const begin = performance.now()
  const env = { NODE_COMPILE_CACHE: compiled, NODE_OPTIONS: nodeOptions, CLOUD_MANAGEMENT_DATABASE: database }
  const line = [command, ..."serve --port 0 --format json".split(" "), ...args]
  const server = await Process.start("serve", line, env)
  while ((await fetch(`${server.url}/ready`)).status !== 200) await setTimeout(1)
  return { ...server, ready: performance.now() - begin }
}

/** How many milliseconds something takes. */
const timed = async (run: () => Promise<unknown>) => {
  const begin = performance.now()
  await run()
  return performance.now() - begin
}

/** Sends so many requests, each of which has to get this status, and says how long they took. */
const load = async (what: string, count: number, send: (n: number) => Promise<number>, expected = 200) => {
  const latencies: Array<number> = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const begin = performance.now()
      const status = await send(next++)
      if (status !== expected) throw new Error(`HTTP ${status}`)
      latencies.push(performance.now() - begin)
    }
  }
  const seconds = (await timed(() => Promise.all(Array.from({ length: inFlight }, worker)))) / 1000
  const [p50, p99] = [0.5, 0.99].map((p) => Figures.percentile(latencies, p).toFixed(1))
  return `${count} ${what}, ${inFlight} in flight: ${(count / seconds).toFixed(0)} a second, p50 ${p50} ms, p99 ${p99} ms`
}

const measure = async (engine: string, database: string, nodeOptions = "") => {
  const compiled = join(folder, "compiled")
  const filled = await start(compiled, database, nodeOptions, "--seed", seed)
  const atSeed = filled.memory()
  await filled.stop()
  const first: Array<number> = []
  const again: Array<number> = []
  const ends: Array<number> = []
  for (let n = 0; n < starts; n++) {
    for (const [times, cache] of [
      [first, join(folder, engine, nodeOptions, String(n))] as const,
      [again, compiled] as const
    ]) {
      const { ready, stop } = await start(cache, database, nodeOptions)
      times.push(ready)
      ends.push(await timed(stop))
    }
  }

  const dispatcher = new Agent({ connections: inFlight })
  const { memory, stop, url } = await start(compiled, database, nodeOptions, "--trusted-proxy", "127.0.0.1")
  const atRest = memory()
  const send = async (method: "GET" | "DELETE", path: string, key: number, secret = "secret", address = "") => {
    const authorization = `Basic ${Buffer.from(`${keyId("a", key)}:${secret}`).toString("base64")}`
    const headers = { authorization, "x-forwarded-for": address }
    const { body, statusCode } = await request(`${url}${path}`, { method, headers, dispatcher })
    await body.dump()
    return statusCode
  }
  const list = (n: number) => send("GET", "/v1/organizations", n % keys)
  const remove = (n: number) => send("DELETE", `/v1/organizations/${organizationId("a")}/keys/${keyId("a", n + 1)}`, 0)
  const guess = (n: number) =>
    send("GET", "/v1/organizations", 0, "wrong", `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
  await load("reads", reads / 10, list) // until the engine has compiled what it will
  const loads = [
    await load("reads", reads, list),
    await load("deletions", deletions, remove),
    await load("guesses from as many addresses", guesses, guess, 401)
  ]
  const peak = memory()
  const end = await timed(stop)
  await dispatcher.close()

  const [ready, slowest] = [Figures.median(again), Figures.median(first)]
  console.log(`${engine}, ${keys} keys${nodeOptions && `, NODE_OPTIONS=${nodeOptions}`}`)
  console.log(
    `  ready in ${ready.toFixed(0)} ms, the first time in ${slowest.toFixed(0)} ms (medians of ${starts} starts)`
  )
  for (const line of loads) console.log(`  ${line}`)
  console.log(
    `  memory: ${atRest.toFixed(0)} MB when ready, at most ${peak.toFixed(0)} MB; ` +
      `${atSeed.toFixed(0)} MB when ready after --seed of all keys`
  )
  console.log(`  ended in ${Figures.median(ends).toFixed(0)} ms, after the load in ${end.toFixed(0)} ms`)
  return { ready: Math.max(ready, slowest), peak }
}
const hold = async (engine: string, database: string) => {
  const { peak, ready } = await measure(engine, database)
  Figures.hold(`serve on ${engine}, ready`, ready, "at most", maxReady, " ms")
  Figures.hold(`the memory of serve on ${engine}`, peak, "at most", maxMemory, " MB")
}

await hold("SQLite", join(folder, "cloud.db"))
await measure("SQLite", join(folder, "large.db"), "--max-semi-space-size=0")
const postgres = Effect.gen(function* () {
  const { database } = yield* PostgresServer.PostgresServer
  const url = yield* database
  yield* Effect.promise(() => hold(PostgresServer.version ?? "", url))
}).pipe(Effect.provide(PostgresServer.layer))
if (Program.isThere("postgres")) await Effect.runPromise(postgres)
