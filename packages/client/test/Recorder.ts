import { Cause, Effect, Logger, Metric, Option, References, Tracer } from "effect"
import { tracing } from "../../../checks/fixtures/Spans.ts"

export interface Line {
  readonly level: string
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

export interface Branch {
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly attributes: Readonly<Record<string, unknown>>
  /** Names and attributes. Lines of the log, which Effect adds to the span they were written in, are left out. */
  readonly events: ReadonlyArray<readonly [name: string, attributes: unknown]>
  /** The tag of the error that the span ended with, `interrupted`, or nothing. */
  readonly error: string | undefined
  readonly millis: number
  readonly children: ReadonlyArray<Branch>
}

export type Series = readonly [
  name: string,
  attributes: Readonly<Record<string, string>>,
  value: { readonly count?: number | bigint; readonly sum?: number; readonly value?: number | bigint }
]

const errorOf = (status: Tracer.SpanStatus): string | undefined => {
  if (status._tag === "Started") return "not ended"
  if (status.exit._tag === "Success") return undefined
  const error = Option.getOrUndefined(Cause.findErrorOption(status.exit.cause))
  return error !== undefined && typeof error === "object" && error !== null && "_tag" in error
    ? String(error._tag)
    : Cause.hasInterruptsOnly(status.exit.cause)
      ? "interrupted"
      : "defect"
}

export const make = () => {
  const { spans, tracer } = tracing()
  const lines: Array<Line> = []
  const registry: Metric.MetricRegistry = new Map()
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    lines.push({ level: logLevel, message, annotations: fiber.getRef(References.CurrentLogAnnotations) })
  })
  const branch = (span: Tracer.NativeSpan): Branch => ({
    name: span.name,
    kind: span.kind,
    attributes: Object.fromEntries(span.attributes),
    events: span.events
      .filter(([, , attributes]) => !("effect.logLevel" in attributes))
      .map(([name, , attributes]) => [name, attributes] as const),
    error: errorOf(span.status),
    millis: span.status._tag === "Ended" ? Number(span.status.endTime - span.status.startTime) / 1e6 : NaN,
    children: below(span.spanId)
  })
  const below = (spanId: string | undefined): ReadonlyArray<Branch> =>
    spans
      .filter(({ kind, parent }) => kind !== "server" && Option.getOrUndefined(parent)?.spanId === spanId)
      .map(branch)
  return {
    record: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(
        Effect.provideService(Tracer.Tracer, tracer),
        Effect.provideService(Metric.MetricRegistry, registry),
        Effect.provideService(References.MinimumLogLevel, "All"),
        Effect.provide(Logger.layer([logger, Logger.tracerLogger]))
      ),
    spans,
    lines,
    /** The spans of a client, as trees: not those of a service that runs in the same program. */
    trees: () => below(undefined),
    series: () =>
      Effect.runSync(Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry))
        .map((metric): Series => {
          const { attributes = {}, id } = metric
          switch (metric.type) {
            case "Counter":
              return [id, attributes, { count: metric.state.count }]
            case "Gauge":
              return [id, attributes, { value: metric.state.value }]
            case "Histogram":
              return [id, attributes, { count: metric.state.count, sum: Math.round(metric.state.sum * 1000) / 1000 }]
            default:
              return [id, attributes, {}]
          }
        })
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
}

export type Recorder = ReturnType<typeof make>
