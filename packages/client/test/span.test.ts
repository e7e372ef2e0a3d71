import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { Context, Effect, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as Span from "../src/internal/span.ts"

type Change = <A>(effect: Effect.Effect<A>) => Effect.Effect<A>

const parent = Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "2".repeat(16) })
const unsampled = Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "3".repeat(16), sampled: false })
const hidden = Context.make(Tracer.DisablePropagation, true)
const below: Change = (effect) => Effect.provideService(effect, Tracer.ParentSpan, parent)

const regions: Readonly<Record<string, Change>> = {
  "without a span": (effect) => effect,
  "below a span": below,
  "below a span that is not sampled": Effect.provideService(Tracer.ParentSpan, unsampled),
  "below a span that no other may have as its parent": (effect) =>
    below(Effect.withSpan(effect, "hidden", { annotations: hidden })),
  "below an external span that no other may have as its parent": Effect.provideService(
    Tracer.ParentSpan,
    Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "4".repeat(16), annotations: hidden })
  ),
  "with annotations": Effect.annotateSpans({ tenant: "acme", "server.port": 1 }),
  "without timing": Effect.withTracerTiming(false),
  "with links": Effect.linkSpans(parent, { why: "batch" }),
  "where spans of this level are not recorded": Effect.provideService(Tracer.MinimumTraceLevel, "Error"),
  "where they have the level that is recorded": (effect) =>
    effect.pipe(
      Effect.provideService(Tracer.MinimumTraceLevel, "Error"),
      Effect.provideService(Tracer.CurrentTraceLevel, "Fatal")
    )
}

const attributes = { "server.port": 443, "url.template": "/v1/organizations" }

it.effect.each(Object.entries(regions))("a span %s is what Effect.makeSpan makes", function* ([, region]) {
  const made: Array<object> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      if (options.name === "GET") made.push({ ...options, attributes: span.attributes })
      return span
    }
  })
  const ours = Effect.withFiber((fiber) => {
    const tracer = Span.tracerOf(fiber)
    return Effect.succeed(tracer && Span.start(tracer, fiber, "GET", "client", attributes))
  })
  yield* TestClock.adjust("1 second")
  const effects = Effect.makeSpan("GET", { kind: "client", attributes })
  yield* region(Effect.andThen(ours, effects)).pipe(Effect.provideService(Tracer.Tracer, tracer))
  expect(made).toHaveLength(2)
  expect(made[0]).toEqual(made[1])
})
