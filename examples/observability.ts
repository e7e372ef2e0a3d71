/** Spans, metrics and logs over OTLP. A function stands for the collector, and keeps the names of what it is sent. */
import { CloudManagement, Log, Metrics } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import { Console, Effect, Layer, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"

const names = new Set<string>()
const collector: typeof fetch = async (_, init) => {
  const body = await new Response(init?.body).text()
  for (const [, name = ""] of body.matchAll(/"name":"([^"]+)"/g)) names.add(name)
  return new Response("{}")
}

/** Sends every few seconds, and what is left when the layer ends. */
const exporter = Otlp.layer({
  baseUrl: "http://localhost:4318",
  resource: { serviceName: "reports", serviceVersion: "1.0.0" }
}).pipe(
  Layer.provide(OtlpSerialization.layerJson),
  Layer.provide(FetchHttpClient.layer),
  // your program leaves this out
  Layer.provide(Layer.succeed(FetchHttpClient.Fetch, collector))
)

const client = CloudManagement.layerConfig({ log: Log.effect, metrics: Metrics.effect }).pipe(
  Layer.provide(NodeTransport.layer)
)

const program = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const [organization] = yield* cloud.organizations.list()
  yield* Effect.logInfo(`this key belongs to ${organization.name}`)
}).pipe(
  Effect.withSpan("report"),
  Effect.provide(Layer.provideMerge(client, exporter)),
  Effect.provideService(References.MinimumLogLevel, "Debug")
)

await Effect.runPromise(program)
const ours = [...names].filter((name) => /organizations|^http\.client/.test(name))
await Effect.runPromise(Console.log(ours.toSorted().join("\n")))
