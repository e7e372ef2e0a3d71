/**
 * The whole catalogue of what the client reports: names and units of spans, attributes and metrics. Names of HTTP are
 * those of OpenTelemetry's semantic conventions for HTTP (stable since v1.23; read in v1.44); the client's own start
 * with `cloud_management`.
 *
 * No name, and no value of a metric's attribute, holds an id: paths are templates. The one place of ids is `url.full` of
 * the span of an attempt, which the conventions require.
 */
import * as Metric from "effect/Metric"

/**
 * Keys of attributes, of spans, events and metrics.
 *
 * @category constants
 * @since 0.1.0
 */
export const attributes = {
  /** `group.name` of the operation, as in `apiKeys.delete`. */
  operation: "cloud_management.operation",
  /** Attempts of the call so far. */
  attempts: "cloud_management.attempts",
  /** `true` on a deletion that found nothing after an attempt of its own that may have been applied. */
  assumedDeleted: "cloud_management.assumed_deleted",
  /** `true` on a call that was interrupted. The conventions do not count that as an error. */
  cancelled: "cloud_management.cancelled",
  /** Why a call waited: `backoff`, `hint` (the service asked for it), `pacing`, or `credentials` (read again after a 401). */
  wait: "cloud_management.wait",
  /** How long it waited, in seconds. */
  waitSeconds: "cloud_management.wait.duration",
  /** Whether a wait that the service asked for was kept, `true`, or was too long for the call, `false`. */
  honored: "cloud_management.hint.honored",
  /** Tokens left in the retry budget. */
  budget: "cloud_management.retry_budget.available",
  /**
   * Class of the error, absent on a success. Of an attempt: the HTTP status from 400 on, else the tag of the reason. Of a
   * call: the tag of the reason. `_OTHER` for a defect.
   */
  errorType: "error.type",
  method: "http.request.method",
  /** How many times the request was sent before; absent on the first attempt. */
  resendCount: "http.request.resend_count",
  status: "http.response.status_code",
  /** The request's ID, by which the service's logs name it: of the envelope, or else the header. On spans only. */
  requestId: "http.response.header.x-request-id",
  address: "server.address",
  /** An integer on spans. On metrics text, the only type that attributes of `effect/Metric` have. */
  port: "server.port",
  /** The whole URL; on spans only, since it holds ids. */
  url: "url.full",
  /** Path template of the operation, without a path of the base URL. */
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
  /** Around one request until its answer is read and decoded; kind `client`. The service can go on with its trace. */
  attempt: (method: string, template: string) => `${method} ${template}`,
  /** On the span of a call: it waits before its next attempt. */
  wait: "cloud_management.wait"
} as const

/**
 * The attributes that tell one series of a metric from another.
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
 * The metrics, each with the labels that it takes.
 *
 * @category metrics
 * @since 0.1.0
 */
export const metrics = {
  /**
   * Duration of one attempt, until its answer is read and decoded, in seconds. Labels: `method`, `template`, `address`,
   * `port`, `status`, `errorType`.
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

  /** Attempts after the first. Labels: `operation`, and `errorType` of the attempt before. */
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

  /** Tokens left in the retry budget, from its first change on. Labels: `address`, `port`. */
  budgetAvailable: (labels: Labels) =>
    Metric.gauge("cloud_management.client.retry_budget.available", {
      attributes: { ...labels, unit: "{token}" }
    })
} as const
