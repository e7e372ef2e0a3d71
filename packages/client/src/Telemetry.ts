/**
 * The catalogue of the client's telemetry: names and units of spans, attributes and metrics. HTTP names follow
 * OpenTelemetry's semantic conventions for HTTP (stable since v1.23; read in v1.44); the client's own names start with
 * `cloud_management`.
 *
 * Names and metric attributes never contain IDs of resources, because paths are templates. These IDs appear only in
 * `url.full` of an attempt's span, which the conventions require.
 */
import * as Metric from "effect/Metric"

/**
 * Attribute keys of spans, events and metrics.
 *
 * @category constants
 * @since 0.1.0
 */
export const attributes = {
  /** `group.name` of the operation, such as `apiKeys.delete`. */
  operation: "cloud_management.operation",
  /** The operation's `id`, such as its `operationId` in a document; absent if it has none. Only on spans. */
  id: "cloud_management.operation.id",
  /** Attempts of the call so far. */
  attempts: "cloud_management.attempts",
  /** `true` on a deletion that found no key after an earlier attempt of the same call that may have been applied. */
  assumedDeleted: "cloud_management.assumed_deleted",
  /** `true` on a call that was interrupted. The conventions do not count that as an error. */
  cancelled: "cloud_management.cancelled",
  /**
   * The cause of a wait: `backoff`, `hint` (the service asked for it), `pacing`, or `credentials` (read again after a
   * 401).
   */
  wait: "cloud_management.wait",
  /** How long it waited, in seconds. */
  waitSeconds: "cloud_management.wait.duration",
  /** Whether the client kept a wait that the service asked for: `true`, or `false` if it was too long for the call. */
  honored: "cloud_management.hint.honored",
  /** Tokens left in the retry budget. */
  budget: "cloud_management.retry_budget.available",
  /**
   * Class of the error, absent on a success. For an attempt: the HTTP status if it is at least 400, otherwise the tag
   * of the reason. For a call: the tag of the reason. For a defect: `_OTHER`.
   */
  errorType: "error.type",
  method: "http.request.method",
  /** How many times the request was sent before; absent on the first attempt. */
  resendCount: "http.request.resend_count",
  status: "http.response.status_code",
  /** The request's ID, as in the service's logs: from the envelope, otherwise from the header. Only on spans. */
  requestId: "http.response.header.x-request-id",
  address: "server.address",
  /** An integer on spans. A string on metrics, because attributes of `effect/Metric` have no other type. */
  port: "server.port",
  /** The whole URL, without the values of redacted parameters; only on spans, because it contains IDs. */
  url: "url.full",
  /** Path template of the operation, without the path of the base URL. */
  template: "url.template"
} as const

/**
 * Names of spans, and of the event on them.
 *
 * @category tracing
 * @since 0.1.0
 */
export const spans = {
  /** Around a whole call, attempts and waits; kind `internal`. */
  call: (operation: string) => `cloud_management ${operation}`,
  /** Around one request until its response is read and decoded; kind `client`. The service can continue its trace. */
  attempt: (method: string, template: string) => `${method} ${template}`,
  /** On the span of a call: it waits before its next attempt. */
  wait: "cloud_management.wait"
} as const

/**
 * The attributes that distinguish the series of a metric.
 *
 * @category models
 * @since 0.1.0
 */
export type Labels = Readonly<Record<string, string>>

/** Bucket boundaries that the conventions advise for durations, in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** The same for what can take as long as a deadline. */
const long = /* @__PURE__ */ boundaries.concat(30, 60)

/**
 * The metrics with their labels.
 *
 * @category metrics
 * @since 0.1.0
 */
export const metrics = {
  /**
   * Duration of one attempt, until its response is read and decoded, in seconds. Labels: `method`, `template`,
   * `address`, `port`, `status`, `errorType`.
   */
  requestDuration: (labels: Labels) =>
    Metric.histogram("http.client.request.duration", {
      // where the exporters of effect/observability look for it
      attributes: { ...labels, unit: "s" },
      boundaries
    }),

  /** Duration of one call with its attempts and waits, in seconds. Labels: `operation`, `errorType`, `cancelled`. */
  callDuration: (labels: Labels) =>
    Metric.histogram("cloud_management.client.call.duration", {
      attributes: { ...labels, unit: "s" },
      boundaries: long
    }),

  /** Attempts after the first. Labels: `operation`, and `errorType` of the previous attempt. */
  retries: (labels: Labels) =>
    Metric.counter("cloud_management.client.retries", {
      attributes: { ...labels, unit: "{retry}" },
      incremental: true
    }),

  /** Time that calls waited before an attempt, in seconds. Labels: `operation`, `wait`. */
  waitDuration: (labels: Labels) =>
    Metric.histogram("cloud_management.client.wait.duration", {
      attributes: { ...labels, unit: "s" },
      boundaries: long
    }),

  /** Waits that the service asked for after a failure that would be retried. Labels: `operation`, `honored`. */
  hints: (labels: Labels) =>
    Metric.counter("cloud_management.client.hints", {
      attributes: { ...labels, unit: "{hint}" },
      incremental: true
    }),

  /** Tokens left in the retry budget, reported after its first change. Labels: `address`, `port`. */
  budgetAvailable: (labels: Labels) =>
    Metric.gauge("cloud_management.client.retry_budget.available", {
      attributes: { ...labels, unit: "{token}" }
    })
} as const
