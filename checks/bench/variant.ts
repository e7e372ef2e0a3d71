/** One way to read an endpoint, in a process that measures it: `calls.ts` starts one for each, and sends it turns. */
import { once } from "node:events"
import { Context, Effect, Exit, Layer, Scope, Tracer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient } from "effect/http"
import { Agent, request } from "undici"
import { FetchTransport } from "@cloud-management/browser"
import { CloudManagement } from "@cloud-management/core"
import { Credentials, Metrics } from "@cloud-management/client"
import type { Listener } from "@cloud-management/client/Event"
import { NodeTransport } from "@cloud-management/node"
import { CloudService } from "@cloud-management/service"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"

export interface Turn {
  readonly calls: number
  readonly inFlight: number
}

type Run = (turn: Turn) => Promise<unknown>

const { id, secret } = Fixtures.deployKey
const params = {
  organizationId: Fixtures.acme,
  serviceId: Fixtures.analytics,
  reversePrivateEndpointId: Fixtures.readyEndpoint
}
const headers = {
  accept: "application/json",
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
}
const urlOf = (baseUrl: string) =>
  `${baseUrl}/v1/organizations/${params.organizationId}/services/${params.serviceId}/pipesReversePrivateEndpoints/${params.reversePrivateEndpointId}`

const promises =
  (call: () => Promise<unknown>): Run =>
  ({ calls, inFlight }) => {
    let left = calls
    const worker = async () => {
      while (left-- > 0) await call()
    }
    return Promise.all(Array.from({ length: inFlight }, worker))
  }

const fibers =
  <E>(call: Effect.Effect<unknown, E>): Run =>
  ({ calls, inFlight }) => {
    let left = calls
    const worker = Effect.whileLoop({ while: () => left-- > 0, body: () => call, step: () => {} })
    const workers = Array.from({ length: inFlight }, () => worker)
    return Effect.runPromise(Effect.all(workers, { concurrency: inFlight, discard: true }))
  }

const scope = Scope.makeUnsafe()
type Transport = Layer.Layer<HttpClient.HttpClient, unknown>

/** Not `InMemoryTransport.layer`, which keeps each request for its handle. */
const inMemory = InMemoryTransport.layerService.pipe(
  Layer.provide(CloudService.layer()),
  Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
  Layer.provide(SecureRandom.layerWebCrypto)
)

const bare = async (transport: Transport, baseUrl: string): Promise<Run> => {
  const context = await Effect.runPromise(Layer.buildWithScope(transport, scope))
  const client = Context.get(context, HttpClient.HttpClient)
  const call = Effect.map(
    Effect.flatMap(client.get(urlOf(baseUrl), { headers }), (response) => response.text),
    (text) => JSON.parse(text)
  )
  return fibers(call)
}

const client = async (
  transport: Transport,
  baseUrl: string,
  { metrics, tracer }: { readonly metrics?: Listener; readonly tracer?: Tracer.Tracer } = {}
): Promise<Run> => {
  const layer = CloudManagement.layer({
    baseUrl,
    credentials: Credentials.make(id, secret),
    ...(metrics !== undefined && { metrics })
  })
  const context = await Effect.runPromise(Layer.buildWithScope(Layer.provide(layer, transport), scope))
  const cloud = Context.get(context, CloudManagement.CloudManagement)
  const call = Effect.suspend(() => cloud.reversePrivateEndpoints.get(params))
  return fibers(tracer === undefined ? call : Effect.provideService(call, Tracer.Tracer, tracer))
}

/** Each way, by its name; the first is what the others are compared with. */
export const variants: Readonly<Record<string, (baseUrl: string) => Run | Promise<Run>>> = {
  undici: (baseUrl) => {
    const dispatcher = new Agent()
    return promises(async () => {
      const { body } = await request(urlOf(baseUrl), { headers, dispatcher })
      return JSON.parse(await body.text())
    })
  },
  "HttpClient over NodeTransport": (baseUrl) => bare(NodeTransport.layer, baseUrl),
  "the client over NodeTransport": (baseUrl) => client(NodeTransport.layer, baseUrl),
  "the client over NodeTransport, counted in metrics": (baseUrl) =>
    client(NodeTransport.layer, baseUrl, { metrics: Metrics.effect }),
  "the client over NodeTransport, reported to a tracer": (baseUrl) =>
    client(NodeTransport.layer, baseUrl, {
      tracer: Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
    }),
  fetch: (baseUrl) => promises(async () => JSON.parse(await (await fetch(urlOf(baseUrl), { headers })).text())),
  "fetch that can be aborted": (baseUrl) =>
    promises(async () => {
      const { signal } = new AbortController()
      return JSON.parse(await (await fetch(urlOf(baseUrl), { headers, signal })).text())
    }),
  "HttpClient over FetchTransport": (baseUrl) => bare(FetchTransport.layer, baseUrl),
  "the client over FetchTransport": (baseUrl) => client(FetchTransport.layer, baseUrl),
  "the client and the service, in memory": (baseUrl) => client(inMemory, baseUrl)
}

const measure = async (run: Run, turn: Turn): Promise<number> => {
  const start = process.cpuUsage()
  await run(turn)
  const { system, user } = process.cpuUsage(start)
  return (user + system) / turn.calls
}

if (import.meta.main) {
  const [name = "", baseUrl = ""] = process.argv.slice(2)
  const make = variants[name]
  if (make === undefined) throw new Error(`there is no variant named ${name}`)
  const run = await make(baseUrl)
  await run({ calls: 20_000, inFlight: 32 }) // until the engine has compiled what it will
  process.send?.("ready")
  for (;;) {
    const [turn]: Array<Turn | "end" | undefined> = await once(process, "message")
    if (turn === undefined || turn === "end") break
    process.send?.(await measure(run, turn))
  }
  await Effect.runPromise(Scope.close(scope, Exit.void))
  process.exit()
}
