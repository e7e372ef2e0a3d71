import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import type * as Http from "node:http"
import { prometheusName } from "../Telemetry.ts"
import { standard, type Limits } from "./HttpHost.ts"
import * as Server from "./internal/server.ts"

/**
 * The options of the metrics page.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Address or name of the interface. Default: `127.0.0.1`, reachable from this machine only. */
  readonly host?: string | undefined
  /** Default: 0, which picks a free port. */
  readonly port?: number | undefined
  /** Default: those of `HttpHost.standard`. */
  readonly limits?: Partial<Pick<Limits, "headers" | "request" | "keepAlive" | "maxHeaderSize">> | undefined
}

/**
 * A listening metrics page.
 *
 * @category services
 * @since 0.1.0
 */
export class MetricsHost extends Context.Service<
  MetricsHost,
  {
    /** The address of the page. */
    readonly url: string
  }
>()("@cloud-management/service/node/MetricsHost") {}

const path = "/metrics"
const contentType = "text/plain; version=0.0.4; charset=utf-8"

const make = Effect.fnUntraced(function* ({ host = "127.0.0.1", limits, port = 0 }: Options) {
  const context = yield* Effect.context()
  const server = Server.make({ ...standard, ...limits }, undefined)
  server.on("request", ({ method, url }: Http.IncomingMessage, response: Http.ServerResponse) => {
    if (url !== path) response.writeHead(404).end()
    else if (method !== "GET" && method !== "HEAD") response.writeHead(405, { allow: "GET, HEAD" }).end()
    else
      response
        .writeHead(200, { "content-type": contentType, "cache-control": "no-store" })
        .end(PrometheusMetrics.formatUnsafe(context, { metricNameMapper: prometheusName }))
  })
  const address = yield* Effect.acquireRelease(Server.listen(server, host, port), () =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
  // without a listener, a connection that cannot be accepted would end the process
  server.on("error", () => {})
  return MetricsHost.of({ url: `http://${address}${path}` })
})

/**
 * Serves Effect's metrics as a page for Prometheus, in its text format 0.0.4, on a separate port.
 *
 * **Gotchas**
 *
 * Anyone who can reach the port can read the page. It contains no IDs, addresses or secrets.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<MetricsHost, Server.ListenFailed> =>
  Layer.effect(MetricsHost, make(options))
