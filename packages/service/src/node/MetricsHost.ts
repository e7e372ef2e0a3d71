import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { pathOf, type HttpRequest } from "../frame/HttpRequest.ts"
import * as Responses from "../frame/wire/responses.ts"
import * as Router from "../frame/wire/router.ts"
import * as WellFormed from "../frame/wire/wellFormed.ts"
import { Service } from "../frame/Service.ts"
import { prometheusName } from "../frame/Telemetry.ts"
import * as HttpHost from "./HttpHost.ts"
import * as Descriptors from "./internal/descriptors.ts"
import * as HostOptions from "./internal/hostOptions.ts"

/** The options of the metrics page. */
export interface Options extends Pick<HttpHost.Options, "host" | "port"> {
  /** Default: those of `HttpHost.standard`. */
  readonly limits?: Partial<Omit<HttpHost.Limits, "shutdown">> | undefined
}

/** A listening metrics page. */
export class MetricsHost extends Context.Service<
  MetricsHost,
  {
    /** The address of the page. */
    readonly url: string
  }
>()("@cloud-management/service/node/MetricsHost") {}

const page = Effect.map(Effect.context<never>(), (context) => {
  const show = () => {
    const text = PrometheusMetrics.formatUnsafe(context, { metricNameMapper: prometheusName })
    const contentType = "text/plain; version=0.0.4; charset=utf-8"
    return HttpServerResponse.text(text, { contentType, headers: { "cache-control": "no-store" } })
  }
  const match = Router.make([{ method: "GET", path: "/metrics" }])
  const respond = (request: HttpRequest) => {
    const matched = WellFormed.head(request) ?? match(request.method, pathOf(request))
    if (matched._tag === "Found") return show()
    if (matched._tag === "NotFound") return HttpServerResponse.empty({ status: 404 })
    return matched._tag === "Fault"
      ? HttpServerResponse.text(`${matched.message}\n`, { status: matched.status, headers: Responses.close })
      : HttpServerResponse.empty({ status: 405, headers: { allow: matched.allow } })
  }
  return Service.of({
    handle: (request) => Effect.sync(() => respond(request)),
    withdraw: Effect.void,
    drain: Effect.void
  })
})

const make = ({ host, limits, port }: Options) => {
  const shown = HttpHost.layer({ host, port, limits: { ...limits, shutdown: "1 second" } })
  return Layer.build(shown.pipe(Layer.provide(Layer.effect(Service, page)))).pipe(
    // a few programs read the page; more connections may not use up the descriptors of the process
    Effect.provideService(Descriptors.MaxConnections, { most: 32, reason: "the metrics page takes no more" }),
    Effect.catchTag("InvalidTls", Effect.die),
    Effect.map((context) => MetricsHost.of({ url: `${Context.get(context, HttpHost.HttpHost).url}/metrics` }))
  )
}

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
 */
export const layer = (options: Options = {}): Layer.Layer<MetricsHost, HttpHost.ListenFailed> => {
  HostOptions.check("metricsHost", options)
  return Layer.effect(MetricsHost, make(options))
}
