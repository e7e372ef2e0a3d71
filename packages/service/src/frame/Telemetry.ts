/**
 * All names and units of the attributes and metrics that a service reports. Names for HTTP, database connections and
 * processes follow OpenTelemetry's semantic conventions (read in v1.44); the service's own names start with
 * `cloud_management`.
 *
 * No attribute has a value from a caller: methods, routes and reasons are from fixed sets.
 */
import * as Metric from "effect/Metric"

/** Attribute keys of spans and metrics. */
export const attributes = {
  /** A method of RFC 9110 or RFC 5789, otherwise `_OTHER`. */
  method: "http.request.method",
  /** Template of the route. For a request without a route: `/*` on metrics, absent on spans. */
  route: "http.route",
  /** Absent if the caller disconnected before there was a response. */
  status: "http.response.status_code",
  /** Kind of the error, absent on success: for a request its status from 500 on. */
  errorType: "error.type",
  /** The ID in the header `x-request-id` of the response; on spans only. */
  requestId: "http.response.header.x-request-id",
  /** Why a request was rejected, or an authentication failed. */
  reason: "cloud_management.reason",
  /** Which limit refused a request. */
  limit: "cloud_management.limit",
  /** How a deletion ended. */
  outcome: "cloud_management.outcome",
  /** The name of the method of `Store`. */
  operation: "cloud_management.store.operation",
  pool: "db.client.connection.pool.name",
  /** `used`. */
  connectionState: "db.client.connection.state",
  heapSpace: "v8js.heap.space.name",
  version: "service.version",
  /** Version of Node.js. */
  runtime: "process.runtime.version"
} as const

/** An attribute of a metric. */
type Attribute = (typeof attributes)[keyof typeof attributes]

/** The attributes that distinguish the series of a metric. */
type Labels = Readonly<Partial<Record<Attribute, string>>>

/** A metric; `of` makes one of its series. The exporters of effect/observability look for the unit among the attributes. */
const metric =
  <const Type extends string, Series>(
    type: Type,
    make: (
      name: string,
      options: { readonly description: string; readonly attributes: Labels & { unit: string } }
    ) => Series
  ) =>
  (name: string, unit: string, description: string, labels: ReadonlyArray<Attribute>) => ({
    name,
    unit,
    description,
    labels,
    type,
    of: (labels: Labels = {}) => make(name, { description, attributes: { ...labels, unit } })
  })
const counter = metric("counter", (name, options) => Metric.counter(name, { ...options, incremental: true }))
const gauge = metric("gauge", (name, options) => Metric.gauge(name, options))
const histogram = (boundaries: ReadonlyArray<number>) => {
  const define = metric("histogram", (name, options) => Metric.histogram(name, { ...options, boundaries }))
  return (...definition: Parameters<typeof define>) => ({ ...define(...definition), boundaries })
}

const { connectionState, errorType, heapSpace, limit, method, operation, outcome, pool, reason, route, status } =
  attributes

/**
 * The metrics, each with the attributes of its series.
 *
 * **Details**
 *
 * `of` creates one series.
 */
export const metrics = {
  // the boundaries that the conventions advise
  requestDuration: histogram([0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])(
    "http.server.request.duration",
    "s",
    "Duration of requests, from their head to their response",
    [method, route, status, errorType]
  ),
  activeRequests: gauge("http.server.active_requests", "{request}", "Requests in progress", [method, route]),
  rejections: counter(
    "cloud_management.server.rejections",
    "{request}",
    "Requests rejected before their operation began",
    [reason]
  ),
  failedAuthentications: counter(
    "cloud_management.server.failed_authentications",
    "{request}",
    "Requests without valid credentials, rejected with 401",
    [reason]
  ),
  rateLimited: counter(
    "cloud_management.server.rate_limited",
    "{request}",
    "Requests beyond a limit, rejected with 429",
    [limit]
  ),
  deletions: counter("cloud_management.server.deletions", "{deletion}", "Deletions of keys", [outcome]),
  // those that they advise for databases
  storeCallDuration: histogram([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10])(
    "cloud_management.store.call.duration",
    "s",
    "Duration of calls to the store",
    [operation, errorType]
  ),
  connections: gauge("db.client.connection.count", "{connection}", "Connections to PostgreSQL in use", [
    pool,
    connectionState
  ]),
  connectionsMax: gauge("db.client.connection.max", "{connection}", "Maximum number of connections to PostgreSQL", [
    pool
  ]),
  pendingRequests: gauge(
    "db.client.connection.pending_requests",
    "{request}",
    "Calls waiting for a connection to PostgreSQL",
    [pool]
  ),
  droppedLogEntries: counter(
    "cloud_management.log.dropped",
    "{entry}",
    "Log entries dropped because the reader was too slow, or because they could not be written",
    []
  ),
  eventLoopDelay: histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5])(
    "cloud_management.event_loop.delay",
    "s",
    "How late a timer of 100 ms fired",
    []
  ),
  memory: gauge("process.memory.usage", "By", "Physical memory of the process", []),
  heap: gauge("v8js.memory.heap.used", "By", "Used size of the heap, by space", [heapSpace]),
  certificate: gauge(
    "cloud_management.certificate.remaining",
    "s",
    "Time until the certificate in use expires, negative once it has expired",
    []
  ),
  certificateLifetime: gauge(
    "cloud_management.certificate.lifetime",
    "s",
    "For how long the certificate in use is valid in all",
    []
  ),
  build: gauge(
    "cloud_management.build.info",
    "1",
    "Always 1; its attributes are the versions of the service and of Node.js",
    [attributes.version, attributes.runtime]
  )
}

/** Suffixes of the units (opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics). */
const suffixes: { readonly [unit: string]: string } = { s: "_seconds", By: "_bytes" }

/**
 * The name of a metric in Prometheus.
 *
 * **Details**
 *
 * Dots become underscores, and the unit and `_total` of a counter are appended.
 */
export const prometheusName = (name: string): string => {
  const metric = Object.values(metrics).find((metric) => metric.name === name)
  if (metric === undefined) return name
  // only histograms and summaries may end in _count
  const plain = name.replace(/\.count$/, "s").replaceAll(".", "_")
  return plain + (suffixes[metric.unit] ?? "") + (metric.type === "counter" ? "_total" : "")
}
