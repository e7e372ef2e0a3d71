import { Effect, Layer, Option, Tracer } from "effect"

/** The samplers of OpenTelemetry's specification (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables). */
const kinds = ["always_on", "always_off", "traceidratio"] as const
export const names = [...kinds, ...kinds.map((kind) => `parentbased_${kind}` as const)]

/** The spans of a tracer that a sampler keeps: of a trace all or none, on every node with the same ratio. */
export const layer = (name: string, ratio: number) => {
  const kind = name.replace("parentbased_", "")
  const share = kind === "always_off" ? 0 : kind === "always_on" ? 1 : ratio
  return Layer.effect(
    Tracer.Tracer,
    Effect.map(Tracer.Tracer, (tracer) =>
      Tracer.make({
        ...(tracer.context !== undefined && { context: tracer.context }),
        span: (options) => {
          const span = tracer.span(options)
          if (name !== kind && Option.isSome(options.parent)) return span
          // by the last 52 bits, which a number holds exactly
          return Object.assign(span, { sampled: Number.parseInt(span.traceId.slice(-13), 16) < share * 2 ** 52 })
        }
      })
    )
  )
}
