import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { pathOf } from "../HttpRequest.ts"
import * as Router from "../internal/router.ts"
import { prometheusName } from "../Telemetry.ts"
import { standard, type Limits } from "./HttpHost.ts"
import * as Connections from "./internal/connections.ts"
import * as Listening from "./internal/listening.ts"
import * as Responses from "./internal/responses.ts"
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
  readonly limits?: Partial<Omit<Limits, "shutdown">> | undefined
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
  const answer = ({ fault, request: { method, url = "" } }: Connections.Exchange) => {
    if (fault !== undefined) {
      const headers = { connection: "close" }
      return HttpServerResponse.text(`${fault.message}\n`, { status: fault.status, headers })
    }
    if (Router.unescaped(pathOf({ url })) !== path) return HttpServerResponse.empty({ status: 404 })
    if (method !== "GET" && method !== "HEAD") {
      return HttpServerResponse.empty({ status: 405, headers: { allow: "GET, HEAD" } })
    }
    const text = PrometheusMetrics.formatUnsafe(context, { metricNameMapper: prometheusName })
    return HttpServerResponse.text(text, { contentType, headers: { "cache-control": "no-store" } })
  }
  const all = { ...standard, ...limits }
  const server = Server.make(all, undefined)
  // a few programs read the page; more connections may not use up the descriptors of the process
  server.maxConnections = 32
  const connections = Connections.serve(server, {
    ...all,
    silence: Server.millis(all.silence),
    isSecure: () => false,
    handle: (exchange) => {
      const fiber = Effect.runFork(Responses.send(exchange.response, answer(exchange), undefined))
      exchange.leave = () => fiber.interruptUnsafe()
    }
  })
  const address = yield* Effect.acquireRelease(Server.listen(server, host, port), () =>
    Effect.andThen(
      Effect.timeoutOption(Effect.interruptible(connections.close(Effect.void)), "1 second"),
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
    )
  )
  // without a listener, a connection that cannot be accepted would end the process
  server.on("error", () => {})
  return MetricsHost.of({ url: `http://${address}${path}` })
})

/**
 * Serves Effect's metrics as a page for Prometheus, in its text format 0.0.4, on a separate port.
 *
 * **Details**
 *
 * Throws a `RangeError` that names the option if one is invalid or does not exist.
 *
 * **Gotchas**
 *
 * Anyone who can reach the port can read the page. It contains no IDs, addresses or secrets.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<MetricsHost, Server.ListenFailed> => {
  Listening.check("metricsHost", options)
  return Layer.effect(MetricsHost, make(options))
}
