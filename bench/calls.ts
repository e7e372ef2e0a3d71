/**
 * `npm run bench`: what a call costs the process that makes it, in µs of CPU, for our client and for what it stands on.
 *
 * Every variant reads the same endpoint, with the same number of calls in flight, from the same server, which runs in
 * a process of its own. They take turns in short rounds, so that a machine that slows down slows all of them, and a
 * ratio is the median of the ratios within the rounds. `node --cpu-prof bench/calls.ts NodeTransport` runs one alone,
 * for a profile.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as HttpClient from "effect/http/HttpClient"
import { Agent, request } from "undici"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import { median } from "./percentile.ts"

const inFlight = 32
const rounds = 9
const callsPerRound = 2000

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

/** Makes so many calls. */
type Run = (calls: number) => Promise<unknown>

const promises =
  (call: () => Promise<unknown>): Run =>
  (calls) => {
    let left = calls
    const worker = async () => {
      while (left-- > 0) await call()
    }
    return Promise.all(Array.from({ length: inFlight }, worker))
  }

/** The same as an effect: fibers instead of promises. */
const fibers = <E>(call: Effect.Effect<unknown, E>, calls: number) => {
  let left = calls
  const worker = Effect.whileLoop({ while: () => left-- > 0, body: () => call, step: () => {} })
  const workers = Array.from({ length: inFlight }, () => worker)
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
  return (calls) => fibers(call, calls)
}

const client = async (transport: Transport): Promise<Run> => {
  const layer = CloudManagement.layer({ baseUrl, credentials: Credentials.make(id, secret) })
  const context = await Effect.runPromise(Layer.buildWithScope(Layer.provide(layer, transport), scope))
  const cloud = Context.get(context, CloudManagement.CloudManagement)
  const call = Effect.suspend(() => cloud.reversePrivateEndpoints.get(params))
  return (calls) => fibers(call, calls)
}

const dispatcher = new Agent()
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
  "the client and the service, in memory": await client(InMemoryTransport.layer(Fixtures.seed))
}

const measure = async (run: Run) => {
  const start = process.cpuUsage()
  await run(callsPerRound)
  const { system, user } = process.cpuUsage(start)
  return (user + system) / callsPerRound
}

const wanted = process.argv[2] ?? ""
const chosen = Object.entries(variants)
  .filter(([name]) => name.includes(wanted))
  .map(([name, run]) => ({ name, run, costs: [] as Array<number> }))
for (const { run } of chosen) await run(2 * callsPerRound) // until the engine has compiled what it will
for (let round = 0; round < rounds; round++) {
  for (const { costs, run } of chosen) costs.push(await measure(run))
}

const [{ costs: yardstick } = { costs: [] }] = chosen
const rows = chosen.map(({ costs, name }) => {
  const ratio = median(costs.map((cost, round) => cost / (yardstick[round] ?? Number.NaN)))
  const [low, high] = [Math.min(...costs), Math.max(...costs)].map((cost) => cost.toFixed(0))
  return [name, median(costs).toFixed(0), `${low}–${high}`, `× ${ratio.toFixed(2)}`]
})
const table = [
  ["one call, 32 in flight", "µs CPU", "in all rounds", `to ${chosen[0]?.name}`],
  ["---", "--:", "--:", "--:"],
  ...rows
]
for (const row of table) console.log(`| ${row.join(" | ")} |`)
console.log(`\n${rounds} rounds of ${callsPerRound} calls each; Node.js ${process.versions.node}`)

await Effect.runPromise(Scope.close(scope, Exit.void))
await dispatcher.close()
server.disconnect()
