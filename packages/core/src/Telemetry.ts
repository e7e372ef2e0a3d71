/**
 * The whole catalogue of what the client reports: spans, attributes, metrics, logs. Names of HTTP are those of
 * OpenTelemetry's semantic conventions for HTTP (v1.23, stable); the client's own start with `cloud_management`.
 *
 * No name, and no value of a metric's attribute, holds an id: paths are templates.
 */
import * as Metric from "effect/Metric"

/** Keys of attributes, of spans and metrics. */
export const attributes = {
  /** `group.name` of the operation, as in `apiKeys.delete`. */
  operation: "cloud_management.operation",
  /** Attempts of the call so far. */
  attempts: "cloud_management.attempts",
  /** `true` on a deletion that found nothing after an attempt of its own that may have been applied. */
  assumedDeleted: "cloud_management.assumed_deleted",
  /** Why a call waited: `backoff`, `hint` or `pacing`. */
  wait: "cloud_management.wait",
  /** The tag of the reason, or the HTTP status. */
  errorType: "error.type",
  method: "http.request.method",
  /** How many times the request was sent before; absent on the first attempt. */
  resendCount: "http.request.resend_count",
  status: "http.response.status_code",
  address: "server.address",
  port: "server.port",
  template: "url.template"
} as const

/** Names of spans. The span of an attempt is named `METHOD template`, as the conventions ask. */
export const spans = {
  /** Around a whole call: attempts and waits. */
  call: (operation: string) => `cloud_management ${operation}`,
  /** Around one request until the head of its response. */
  attempt: (method: string, template: string) => `${method} ${template}`
} as const

/** Bucket boundaries that the conventions advise for durations, in seconds. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Duration of one attempt, its body included, in seconds. */
export const requestDuration = Metric.histogram("http.client.request.duration", {
  description: "Duration of HTTP client requests in seconds",
  boundaries: seconds
})

/** Duration of one call with all its attempts and waits, in seconds. */
export const callDuration = Metric.histogram("cloud_management.client.call.duration", {
  description: "Duration of calls in seconds, retries and waits included",
  boundaries: [...seconds, 30, 60]
})

/** Attempts after the first. */
export const retries = Metric.counter("cloud_management.client.retries", {
  description: "Attempts after the first",
  incremental: true
})

/** Time that calls waited before an attempt, in seconds. */
export const waitDuration = Metric.histogram("cloud_management.client.wait.duration", {
  description: "Time that calls waited before an attempt in seconds",
  boundaries: [...seconds, 30, 60]
})

/** Tokens left in the retry budget. */
export const budgetAvailable = Metric.gauge("cloud_management.client.retry_budget.available", {
  description: "Tokens left in the retry budget"
})
