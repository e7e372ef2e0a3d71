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
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as HttpClient from "effect/http/HttpClient"
import { Agent, request } from "undici"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"

const inFlight = 32
const rounds = 9
const callsPerRound = 2500

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

const runtimes: Array<ManagedRuntime.ManagedRuntime<CloudManagement.CloudManagement, unknown>> = []
const client = <E>(transport: Layer.Layer<HttpClient.HttpClient, E>): Run => {
  const credentials = Credentials.make(id, secret)
  const runtime = ManagedRuntime.make(CloudManagement.layer({ baseUrl, credentials }).pipe(Layer.provide(transport)))
  runtimes.push(runtime)
  return (calls) => {
    let left = calls
    return runtime.runPromise(
      Effect.gen(function* () {
        const cloud = yield* CloudManagement.CloudManagement
        const worker = Effect.whileLoop({
          while: () => left-- > 0,
          body: () => cloud.reversePrivateEndpoints.get(params),
          step: () => {}
        })
        yield* Effect.all(
          Array.from({ length: inFlight }, () => worker),
          { concurrency: inFlight, discard: true }
        )
      })
    )
  }
}

const dispatcher = new Agent()
const variants: Record<string, Run> = {
  "undici, JSON.parse": promises(async () => {
    const { body } = await request(url, { headers, dispatcher })
    return JSON.parse(await body.text())
  }),
  "the client over NodeTransport (undici)": client(NodeTransport.layer),
  "fetch, JSON.parse": promises(async () => JSON.parse(await (await fetch(url, { headers })).text())),
  "the client over FetchTransport": client(FetchTransport.layer),
  "the client and the service, in memory": client(InMemoryTransport.layer(Fixtures.seed))
}

const measure = async (run: Run) => {
  const start = process.cpuUsage()
  await run(callsPerRound)
  const { system, user } = process.cpuUsage(start)
  return (user + system) / callsPerRound
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

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
  ["one call, 32 in flight", "µs CPU", "in all rounds", `to ${chosen[0]?.name ?? ""}`],
  ["---", "--:", "--:", "--:"],
  ...rows
]
for (const row of table) console.log(`| ${row.join(" | ")} |`)
console.log(`\n${rounds} rounds of ${callsPerRound} calls each; Node.js ${process.versions.node}`)

await Promise.all(runtimes.map((runtime) => runtime.dispose()))
await dispatcher.close()
server.disconnect()
