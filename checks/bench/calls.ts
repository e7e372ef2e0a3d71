/**
 * `npm run bench`: what a call costs the process that makes it, for our client and for what it stands on: µs of CPU, bytes
 * allocated on V8's heap, and the latency.
 *
 * Every variant reads the same endpoint, with the same number of calls in flight, from the same server, which runs in
 * a process of its own. They take turns in short rounds, so that a machine that slows down slows all of them, and a
 * ratio is the median of the ratios within the rounds.
 *
 * `-- --peers` adds other libraries, which it installs first, and also measures with 1 and 256 calls in flight.
 * `-- --check` fails when the client costs more than it must. `node --cpu-prof checks/main.ts bench NodeTransport` runs
 * one alone, for a profile.
 */
import { execSync, fork } from "node:child_process"
import { once } from "node:events"
import { parseArgs } from "node:util"
import { GCProfiler, getHeapStatistics } from "node:v8"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import { Agent, request } from "undici"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Contract from "@cloud-management/core/Contract"
import * as Credentials from "@cloud-management/core/Credentials"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import { median, percentile } from "./percentile.ts"

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { peers: { type: "boolean", default: false }, check: { type: "boolean", default: false } }
})
const rounds = 9
/** Other libraries take long, and there are three numbers of calls in flight. */
const callsPerRound = options.peers ? 500 : 2000

const server = fork(new URL("server.ts", import.meta.url))
const [port] = await once(server, "message")
const baseUrl = `http://127.0.0.1:${port}`

const { id, secret } = Fixtures.deployKey
const params = {
  organizationId: Fixtures.acme,
  serviceId: Fixtures.analytics,
  reversePrivateEndpointId: Fixtures.readyEndpoint
}
const url = `${baseUrl}/v1/organizations/${params.organizationId}/services/${params.serviceId}/pipesReversePrivateEndpoints/${params.reversePrivateEndpointId}`
const headers = {
  accept: "application/json",
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
}

/** Makes so many calls, so many of them at a time, and notes the latency of each, in ms. */
type Run = (calls: number, inFlight: number, latencies: Array<number>) => Promise<unknown>

const promises =
  (call: () => Promise<unknown>): Run =>
  (calls, inFlight, latencies) => {
    let left = calls
    const worker = async () => {
      while (left-- > 0) {
        const start = performance.now()
        await call()
        latencies.push(performance.now() - start)
      }
    }
    return Promise.all(Array.from({ length: inFlight }, worker))
  }

/** The same as an effect: fibers instead of promises. */
const fibers =
  <E>(call: Effect.Effect<unknown, E>): Run =>
  (calls, inFlight, latencies) => {
    let left = calls
    const workers = Array.from({ length: inFlight }, () => {
      let start = 0
      return Effect.whileLoop({
        while: () => left-- > 0,
        body: () => {
          start = performance.now()
          return call
        },
        step: () => latencies.push(performance.now() - start)
      })
    })
    return Effect.runPromise(Effect.all(workers, { concurrency: inFlight, discard: true }))
  }

const scope = Scope.makeUnsafe()
type Transport = Layer.Layer<HttpClient.HttpClient, unknown>

/** Effect's `HttpClient` by itself. */
const bare = async (transport: Transport): Promise<Run> => {
  const context = await Effect.runPromise(Layer.buildWithScope(transport, scope))
  const client = Context.get(context, HttpClient.HttpClient)
  const call = Effect.map(
    Effect.flatMap(client.get(url, { headers }), (response) => response.text),
    (text) => JSON.parse(text)
  )
  return fibers(call)
}

const client = async (transport: Transport): Promise<Run> => {
  const layer = CloudManagement.layer({ baseUrl, credentials: Credentials.make(id, secret) })
  const context = await Effect.runPromise(Layer.buildWithScope(Layer.provide(layer, transport), scope))
  const cloud = Context.get(context, CloudManagement.CloudManagement)
  const call = Effect.suspend(() => cloud.reversePrivateEndpoints.get(params))
  return fibers(call)
}

/** Effect's own client of the same operations, over the same transport. */
const httpApiClient = async (transport: Transport): Promise<Run> => {
  const context = await Effect.runPromise(
    Layer.buildWithScope(Layer.merge(transport, Contract.layerAuthorization(Credentials.make(id, secret))), scope)
  )
  const client = await Effect.runPromise(Effect.provideContext(HttpApiClient.make(Contract.Api, { baseUrl }), context))
  return fibers(client.reversePrivateEndpoints.get({ params }))
}

const installPeers = async (): Promise<Record<string, Run>> => {
  const install =
    "npx --yes --loglevel=error pnpm@12.21.0 install --ignore-workspace --ignore-scripts --frozen-lockfile"
  execSync(`${install} --prefer-offline --loglevel=error`, { cwd: "checks/bench/peers", stdio: "inherit" })
  const file = new URL("peers/calls.js", import.meta.url)
  const { calls }: { calls: (options: object) => Record<string, () => Promise<unknown>> } = await import(file.href)
  const peers = calls({ baseUrl, params, authorization: headers.authorization })
  return {
    HttpApiClient: await httpApiClient(NodeTransport.layer),
    ...Object.fromEntries(Object.entries(peers).map(([name, call]) => [name, promises(call)]))
  }
}

const dispatcher = new Agent()
const peers = options.peers ? await installPeers() : {}
const variants: Record<string, Run> = {
  undici: promises(async () => {
    const { body } = await request(url, { headers, dispatcher })
    return JSON.parse(await body.text())
  }),
  "HttpClient over NodeTransport": await bare(NodeTransport.layer),
  "the client over NodeTransport": await client(NodeTransport.layer),
  fetch: promises(async () => JSON.parse(await (await fetch(url, { headers })).text())),
  "HttpClient over FetchTransport": await bare(FetchTransport.layer),
  "the client over FetchTransport": await client(FetchTransport.layer),
  "the client and the service, in memory": await client(InMemoryTransport.layer(Fixtures.seed)),
  ...peers
}

/** What a round of one variant took, a call. */
interface Sample {
  /** In µs. */
  readonly cpu: number
  readonly bytes: number
  /** In ms. */
  readonly latencies: ReadonlyArray<number>
}

const measure = async (run: Run, inFlight: number): Promise<Sample> => {
  const latencies: Array<number> = []
  const collector = new GCProfiler()
  collector.start()
  let used = getHeapStatistics().used_heap_size
  const start = process.cpuUsage()
  await run(callsPerRound, inFlight, latencies)
  const { system, user } = process.cpuUsage(start)
  const end = getHeapStatistics().used_heap_size
  let allocated = 0
  for (const { afterGC, beforeGC } of collector.stop()?.statistics ?? []) {
    allocated += beforeGC.heapStatistics.usedHeapSize - used
    used = afterGC.heapStatistics.usedHeapSize
  }
  return { cpu: (user + system) / callsPerRound, bytes: (allocated + end - used) / callsPerRound, latencies }
}

const [wanted = ""] = positionals
const chosen = Object.entries(variants).filter(([name]) => name.includes(wanted))
for (const [, run] of chosen) await run(4000, 32, []) // until the engine has compiled what it will

const complaints: Array<string> = []
for (const inFlight of options.peers ? [1, 32, 256] : [32]) {
  const samples = new Map(chosen.map(([name]) => [name, new Array<Sample>()]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of chosen) samples.get(name)?.push(await measure(run, inFlight))
  }
  const of = (name: string) => samples.get(name) ?? []
  const ratio = (name: string, to: string) =>
    median(of(name).map(({ cpu }, round) => cpu / (of(to)[round]?.cpu ?? Number.NaN)))

  const yardstick = chosen[0]?.[0] ?? ""
  const table = [
    [`one call, ${inFlight} in flight`, "µs CPU", `to ${yardstick}`, "kB allocated", "p50 ms", "p99 ms"],
    ["---", "--:", "--:", "--:", "--:", "--:"],
    ...[...samples].map(([name, rounds]) => {
      const latencies = rounds.flatMap(({ latencies }) => latencies)
      return [
        name,
        median(rounds.map(({ cpu }) => cpu)).toFixed(0),
        `× ${ratio(name, yardstick).toFixed(2)}`,
        (median(rounds.map(({ bytes }) => bytes)) / 1000).toFixed(1),
        percentile(latencies, 0.5).toFixed(2),
        percentile(latencies, 0.99).toFixed(2)
      ]
    })
  ]
  for (const row of table) console.log(`| ${row.join(" | ")} |`)
  console.log()

  if (inFlight !== 32) continue
  const limits: ReadonlyArray<readonly [name: string, to: string, limit: number]> = [
    ["the client over NodeTransport", "undici", 1.5],
    ["the client over NodeTransport", "fetch", 0.5],
    ["the client over FetchTransport", "fetch", 1.4],
    ["the client and the service, in memory", "undici", 2],
    ...Object.keys(peers).map((peer) => ["the client over NodeTransport", peer, 1] as const)
  ]
  for (const [name, to, limit] of limits) {
    const actual = ratio(name, to)
    if (actual > limit) complaints.push(`${name} costs × ${actual.toFixed(2)} to ${to}, more than × ${limit}`)
  }
}
console.log(`${rounds} rounds of ${callsPerRound} calls each; Node.js ${process.versions.node}`)
if (options.check) {
  for (const complaint of complaints) console.error(complaint)
  process.exitCode = complaints.length === 0 ? 0 : 1
}

await Effect.runPromise(Scope.close(scope, Exit.void))
await dispatcher.close()
server.disconnect()
