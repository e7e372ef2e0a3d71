import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Metric from "effect/Metric"
import type { CallEvent, Listener } from "./Event.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * Receives the client's measurements, under the names that `Telemetry.metricsOf` has. A label that is `undefined` does not
 * apply to the value.
 */
export type Measure = (
  name: keyof Telemetry.Metrics,
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
const listen = (measureOf: (api: string) => Measure): Listener => {
  const apis = new Map<string, readonly [Telemetry.Telemetry, Measure]>()
  return (event) => {
    if (!("operation" in event)) return Effect.void
    let api = apis.get(event.api)
    if (api === undefined) {
      apis.set(event.api, (api = [Telemetry.make(event.api), measureOf(event.api)]))
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
export const effect: Listener = /* @__PURE__ */ listen((api) => {
  const metrics = Telemetry.metricsOf(api)
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
