import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { CallEvent, Listener } from "./Event.ts"
import * as Telemetry from "./Telemetry.ts"

/** Bucket boundaries that the conventions advise for durations, in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** The same for what can take as long as a deadline. */
const long = /* @__PURE__ */ boundaries.concat(30, 60)

type Labels = Readonly<Record<string, string>>

/** The metrics of an API's client, by their labels. */
const metricsOf = ({ prefix }: Telemetry.Telemetry) => {
  return {
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
      Metric.histogram(`${prefix}.client.call.duration`, { attributes: { ...labels, unit: "s" }, boundaries: long }),

    /** Attempts after the first. Labels: `operation`, and `errorType` of the previous attempt. */
    retries: (labels: Labels) =>
      Metric.counter(`${prefix}.client.retries`, { attributes: { ...labels, unit: "{retry}" }, incremental: true }),

    /** Time that calls waited before an attempt, in seconds. Labels: `operation`, `wait`. */
    waitDuration: (labels: Labels) =>
      Metric.histogram(`${prefix}.client.wait.duration`, { attributes: { ...labels, unit: "s" }, boundaries: long }),

    /** Waits that the service asked for after a failure that would be retried. Labels: `operation`, `honored`. */
    hints: (labels: Labels) =>
      Metric.counter(`${prefix}.client.hints`, { attributes: { ...labels, unit: "{hint}" }, incremental: true }),

    /** Streams that failed after the head of their response. Labels: `operation`, `errorType`. */
    streamFailures: (labels: Labels) =>
      Metric.counter(`${prefix}.client.stream.failures`, {
        attributes: { ...labels, unit: "{stream}" },
        incremental: true
      }),

    /** Tokens left in the retry budget, reported after its first change. Labels: `address`, `port`. */
    budgetAvailable: (labels: Labels) =>
      Metric.gauge(`${prefix}.client.retry_budget.available`, { attributes: { ...labels, unit: "{token}" } })
  }
}

/**
 * Receives the client's measurements. A label that is `undefined` does not apply to the value.
 */
type Measure = (
  name: keyof ReturnType<typeof metricsOf>,
  value: number,
  labels: Readonly<Record<string, string | undefined>>
) => Effect.Effect<void>

const onEvent = (
  { attributes }: Telemetry.Telemetry,
  event: CallEvent,
  measure: (...args: Parameters<Measure>) => void
): void => {
  const operation = { [attributes.operation]: event.operation }
  const server = { [attributes.address]: event.address, [attributes.port]: String(event.port) }
  switch (event._tag) {
    case "AttemptEnded":
      return measure("requestDuration", event.seconds, {
        ...server,
        [attributes.method]: event.method,
        [attributes.template]: event.path,
        [attributes.status]: event.status?.toString(),
        [attributes.errorType]: event.errorType
      })
    case "CallEnded":
      return measure("callDuration", event.seconds, {
        ...operation,
        [attributes.errorType]: event.errorType,
        [attributes.cancelled]: event.cancelled ? "true" : undefined
      })
    case "Paced":
      return measure("waitDuration", Duration.toSeconds(event.wait), { ...operation, [attributes.wait]: "pacing" })
    case "Retrying":
      if (event.hinted) measure("hints", 1, { ...operation, [attributes.honored]: "true" })
      measure("budgetAvailable", event.tokens, server)
      measure("retries", 1, { ...operation, [attributes.errorType]: event.reason })
      return measure("waitDuration", Duration.toSeconds(event.wait), { ...operation, [attributes.wait]: event.cause })
    case "HintDeclined":
      return measure("hints", 1, { ...operation, [attributes.honored]: "false" })
    case "StreamFailed":
      return measure("streamFailures", 1, { ...operation, [attributes.errorType]: event.reason })
    case "BudgetRefilled":
      return measure("budgetAvailable", event.tokens, server)
  }
}

/**
 * Measures events with your own function, for the client's option `metrics`.
 *
 * **When to use**
 *
 * For another metrics library; {@link effect} is for Effect's metrics.
 *
 * **Example** (Printing every measurement)
 *
 * ```ts
 * import * as Console from "effect/Console"
 * import type * as Client from "@cloud-management/client/Client"
 * import * as Metrics from "@cloud-management/client/Metrics"
 *
 * const options: Partial<Client.Options> = {
 *   metrics: Metrics.make((name, value, labels) => Console.log(name, value, labels))
 * }
 * ```
 */
export const make = (measure: Measure): Listener => listen(() => measure)

/** Listens to the events of any API; the names of each are made once. */
const listen = (measureOf: (telemetry: Telemetry.Telemetry) => Measure): Listener => {
  const apis = new Map<string, readonly [Telemetry.Telemetry, Measure]>()
  return (event) => {
    if (!("operation" in event)) return Effect.void
    let api = apis.get(event.api)
    if (api === undefined) {
      const telemetry = Telemetry.make(event.api)
      apis.set(event.api, (api = [telemetry, measureOf(telemetry)]))
    }
    const [telemetry, measure] = api
    const measured: Array<Effect.Effect<void>> = []
    onEvent(telemetry, event, (...values) => measured.push(measure(...values)))
    return Effect.all(measured, { discard: true })
  }
}

/**
 * Counts in Effect's metrics, which the exporters of `effect/observability` read.
 *
 * **Details**
 *
 * It is an option because Effect cannot tell whether anyone reads its metrics. Without it, a program has neither their
 * code in its bundle nor their cost in its calls.
 *
 * **Example** (Measuring calls)
 *
 * ```ts
 * import type * as Client from "@cloud-management/client/Client"
 * import * as Metrics from "@cloud-management/client/Metrics"
 *
 * const options: Partial<Client.Options> = { metrics: Metrics.effect }
 * ```
 */
export const effect: Listener = /* @__PURE__ */ listen((telemetry) => {
  const metrics = metricsOf(telemetry)
  // each series is made once: an update then costs one look-up here and one in the registry
  const series = new Map<string, Metric.Metric<number, unknown>>()
  return (name, value, labels) =>
    Effect.withFiber((fiber) => {
      const key = [name, ...Object.values(labels)].join(" ")
      let one = series.get(key)
      if (one === undefined) {
        const defined: Record<string, string> = {}
        for (const [label, text] of Object.entries(labels)) {
          if (text !== undefined) defined[label] = text
        }
        one = metrics[name](defined)
        series.set(key, one)
      }
      one.updateUnsafe(value, fiber.context)
      return Effect.void
    })
})
