/**
 * All names and units of the attributes and metrics that a service reports. Names for HTTP, database connections and
 * processes follow OpenTelemetry's semantic conventions (read in v1.44); the service's own names start with
 * `cloud_management`.
 *
 * No attribute has a value from a caller: methods, routes and reasons are from fixed sets.
 */
import * as Metric from "effect/Metric"

/**
 * Attribute keys of spans and metrics.
 *
 * @category constants
 * @since 0.1.0
 */
export const attributes = {
  method: "http.request.method",
  /** Template of the route. For a request without a route: `/*` on metrics, absent on spans. */
  route: "http.route",
  /** Absent if the caller disconnected before there was a response. */
  status: "http.response.status_code",
  /**
   * Kind of the error, absent on success: for a request its status from 500 on; for a call of the store, see `Event`.
   */
  errorType: "error.type",
  /** The ID in the header `x-request-id` of the response; on spans only. */
  requestId: "http.response.header.x-request-id",
  /** Why a request was rejected, or an authentication failed. */
  reason: "cloud_management.reason",
  /** What was limited: `key`, `address`, `address and key`. */
  limit: "cloud_management.limit",
  /** How a deletion ended: `deleted`, `not-found`, `caller-inactive`, `unconfirmed`. */
  outcome: "cloud_management.outcome",
  /** The statement: the name of the method of `Store`. */
  operation: "cloud_management.store.operation",
  pool: "db.client.connection.pool.name",
  /** `used`. */
  connectionState: "db.client.connection.state",
  heapSpace: "v8js.heap.space.name",
  version: "service.version",
  /** Version of Node.js. */
  runtime: "process.runtime.version"
} as const

/**
 * An attribute of a metric.
 *
 * @category models
 * @since 0.1.0
 */
export type Attribute = (typeof attributes)[keyof typeof attributes]

/**
 * The attributes that distinguish the series of a metric.
 *
 * @category models
 * @since 0.1.0
 */
export type Labels = Readonly<Partial<Record<Attribute, string>>>

/** What is known of a metric. */
interface Definition {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly labels: ReadonlyArray<Attribute>
}

// the exporters of effect/observability look for the unit among the attributes
const options = ({ description, unit }: Definition, labels: Labels) => ({
  description,
  attributes: { ...labels, unit }
})

const counter = (definition: Definition) => ({
  ...definition,
  type: "counter" as const,
  of: (labels: Labels = {}) => Metric.counter(definition.name, { ...options(definition, labels), incremental: true })
})
const gauge = (definition: Definition) => ({
  ...definition,
  type: "gauge" as const,
  of: (labels: Labels = {}) => Metric.gauge(definition.name, options(definition, labels))
})
const histogram = (definition: Definition, boundaries: ReadonlyArray<number>) => ({
  ...definition,
  type: "histogram" as const,
  boundaries,
  of: (labels: Labels = {}) => Metric.histogram(definition.name, { ...options(definition, labels), boundaries })
})

const { connectionState, errorType, heapSpace, limit, method, operation, outcome, pool, reason, route, status } =
  attributes

/**
 * The metrics, each with the attributes of its series.
 *
 * **Details**
 *
 * `of` creates one series.
 *
 * @category metrics
 * @since 0.1.0
 */
export const metrics = {
  requestDuration: histogram(
    {
      name: "http.server.request.duration",
      unit: "s",
      description: "Duration of requests, from their head to their response",
      labels: [method, route, status, errorType]
    },
    // those that the conventions advise
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
  ),
  activeRequests: gauge({
    name: "http.server.active_requests",
    unit: "{request}",
    description: "Requests in progress",
    labels: [method, route]
  }),
  rejections: counter({
    name: "cloud_management.server.rejections",
    unit: "{request}",
    description: "Requests rejected before their operation began",
    labels: [reason]
  }),
  failedAuthentications: counter({
    name: "cloud_management.server.failed_authentications",
    unit: "{request}",
    description: "Requests without valid credentials, answered with 401",
    labels: [reason]
  }),
  rateLimited: counter({
    name: "cloud_management.server.rate_limited",
    unit: "{request}",
    description: "Requests beyond a limit, answered with 429",
    labels: [limit]
  }),
  deletions: counter({
    name: "cloud_management.server.deletions",
    unit: "{deletion}",
    description: "Deletions of keys",
    labels: [outcome]
  }),
  storeCallDuration: histogram(
    {
      name: "cloud_management.store.call.duration",
      unit: "s",
      description: "Duration of calls to the store",
      labels: [operation, errorType]
    },
    // those that the conventions advise for databases
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
  ),
  rateLimitStoreErrors: counter({
    name: "cloud_management.rate_limit_store.errors",
    unit: "{error}",
    description: "Connections to Redis that were lost or could not be made",
    labels: []
  }),
  connections: gauge({
    name: "db.client.connection.count",
    unit: "{connection}",
    description: "Connections to PostgreSQL in use",
    labels: [pool, connectionState]
  }),
  connectionsMax: gauge({
    name: "db.client.connection.max",
    unit: "{connection}",
    description: "Maximum number of connections to PostgreSQL",
    labels: [pool]
  }),
  pendingRequests: gauge({
    name: "db.client.connection.pending_requests",
    unit: "{request}",
    description: "Calls waiting for a connection to PostgreSQL",
    labels: [pool]
  }),
  droppedLogEntries: counter({
    name: "cloud_management.log.dropped",
    unit: "{entry}",
    description: "Log entries dropped because the reader was too slow, or because they could not be written",
    labels: []
  }),
  eventLoopDelay: histogram(
    {
      name: "cloud_management.event_loop.delay",
      unit: "s",
      description: "How late a timer of 100 ms fired",
      labels: []
    },
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
  ),
  memory: gauge({
    name: "process.memory.usage",
    unit: "By",
    description: "Physical memory of the process",
    labels: []
  }),
  heap: gauge({
    name: "v8js.memory.heap.used",
    unit: "By",
    description: "Used size of the heap, by space",
    labels: [heapSpace]
  }),
  certificate: gauge({
    name: "cloud_management.certificate.remaining",
    unit: "d",
    description: "Whole days until the certificate in use expires, negative once it has expired",
    labels: []
  }),
  build: gauge({
    name: "cloud_management.build.info",
    unit: "1",
    description: "Always 1; its attributes are the versions of the service and of Node.js",
    labels: [attributes.version, attributes.runtime]
  })
}

/** Suffixes of the units (opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics). */
const suffixes = new Map([
  ["s", "_seconds"],
  ["d", "_days"],
  ["By", "_bytes"]
])

const prometheusNames = new Map(
  Object.values(metrics).map(({ name, type, unit }) => [
    name,
    // only histograms and summaries may end in _count
    name.replace(/\.count$/, "s").replaceAll(".", "_") +
      (suffixes.get(unit) ?? "") +
      (type === "counter" ? "_total" : "")
  ])
)

/**
 * The name of a metric in Prometheus.
 *
 * **Details**
 *
 * Dots become underscores, and the unit and `_total` of a counter are appended.
 *
 * @category metrics
 * @since 0.1.0
 */
export const prometheusName = (name: string): string => prometheusNames.get(name) ?? name
