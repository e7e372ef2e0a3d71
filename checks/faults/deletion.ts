import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { attributes } from "@cloud-management/core/Telemetry"
import { tracing } from "../fixtures/Spans.ts"

/** Sees whether a call took a 404 as a deletion, which only its span says. */
export const witness = () => {
  const { spans, tracer } = tracing()
  return {
    watch: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.provideService(call, Tracer.Tracer, tracer),
    assumed: () => spans.some((span) => span.attributes.get(attributes.assumedDeleted) === true)
  }
}
