/**
 * Spans, metrics and logs over OTLP. The collector is one of our own, which tells what it was sent; in your program it is
 * wherever `OTEL_EXPORTER_OTLP_ENDPOINT` points to.
 */
import { CloudManagement, Log, Metrics } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import { Console, Effect, Layer, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const program = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const [organization] = yield* cloud.organizations.list()
  yield* Effect.logInfo(`this key belongs to ${organization.name}`)
}).pipe(Effect.withSpan("report"))

/** Sends every few seconds, and what is left when the layer ends. */
const exporter = (baseUrl: string) =>
  Otlp.layer({ baseUrl, resource: { serviceName: "reports", serviceVersion: "1.0.0" } }).pipe(
    Layer.provide(OtlpSerialization.layerJson),
    Layer.provide(FetchHttpClient.layer)
  )

/** A collector that keeps the names of what it was sent. */
const collector = Effect.acquireRelease(
  Effect.promise(async () => {
    const names = new Set<string>()
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk) => (body += chunk))
      request.on("end", () => {
        for (const [, name = ""] of body.matchAll(/"name":"([^"]+)"/g)) names.add(name)
        response.end("{}")
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    return { names, server, url: `http://127.0.0.1:${port}` }
  }),
  ({ server }) => Effect.sync(() => server.close())
)

const main = Effect.gen(function* () {
  const { names, url } = yield* collector
  const client = CloudManagement.layerConfig({ log: Log.effect, metrics: Metrics.effect }).pipe(
    Layer.provide(NodeTransport.layer)
  )
  const endpoint = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? url
  yield* program.pipe(
    Effect.provide(
      Layer.mergeAll(Layer.provideMerge(client, exporter(endpoint)), Layer.succeed(References.MinimumLogLevel, "Debug"))
    )
  )
  const ours = [...names].filter((name) => /organizations|^http\.client/.test(name))
  yield* Console.log(ours.toSorted().join("\n"))
})

await Effect.runPromise(Effect.scoped(main))
