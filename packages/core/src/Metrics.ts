import * as Effect from "effect/Effect"
import type * as Metric from "effect/Metric"
import * as Telemetry from "./Telemetry.ts"

/**
 * A listener to what the client measures, by the names of {@link Telemetry.metrics}. Pass one as its option `metrics`. A
 * label that is `undefined` does not apply to the value.
 */
export type Metrics = (
  name: keyof typeof Telemetry.metrics,
  value: number,
  labels: Readonly<Record<string, string | undefined>>
) => Effect.Effect<void>

/** Each series, made once: an update then costs one look-up here and one in the registry. */
const series = new Map<string, Metric.Metric<number, unknown>>()

/**
 * Counts in Effect's metrics, which the exporters of `effect/observability` read.
 *
 * It is an option because Effect has no way to tell whether somebody reads its metrics: a program without an exporter
 * has neither their code in its bundle nor their time in its calls.
 *
 * @example
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Metrics from "@cloud-management/core/Metrics"
 *
 * const cloud = CloudManagement.layerConfig({ metrics: Metrics.effect })
 */
export const effect: Metrics = (name, value, labels) =>
  Effect.withFiber((fiber) => {
    const key = [name, ...Object.values(labels)].join(" ")
    let one = series.get(key)
    if (one === undefined) {
      const defined: Record<string, string> = {}
      for (const [label, text] of Object.entries(labels)) {
        if (text !== undefined) defined[label] = text
      }
      one = Telemetry.metrics[name](defined)
      series.set(key, one)
    }
    one.updateUnsafe(value, fiber.context)
    return Effect.void
  })
