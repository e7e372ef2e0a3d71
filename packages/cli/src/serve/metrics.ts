import { Context, Duration, Effect, Layer, Metric, Option } from "effect"
import { Metrics } from "@cloud-management/service"
import { attributes, metrics } from "@cloud-management/service/Telemetry"
import process from "node:process"
import { getHeapSpaceStatistics } from "node:v8"
import * as Failure from "../output/Failure.ts"
import * as Logging from "../output/Logging.ts"
import * as Setting from "../input/setting.ts"
import { version } from "../version.ts"
import type { Options } from "./command.ts"
import * as Listening from "./listening.ts"
import type { Pair } from "./tls.ts"

export const Page = Context.Reference<string | undefined>("cloud-management/Metrics/Page", {
  defaultValue: () => undefined
})

const observe = <Input, State>(metric: Metric.Metric<Input, State>, get: () => State) =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.sync(() => Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} }))
  )

const pause = 100

/** Observes how late a timer fires: whatever holds up the event loop for longer than the pause is always seen. */
const watchEventLoop = Effect.gen(function* () {
  const context = yield* Effect.context()
  const delay = metrics.eventLoopDelay.of()
  const observe = Effect.map(Effect.timed(Effect.sleep(pause)), ([elapsed]) =>
    delay.updateUnsafe(Math.max(0, Duration.toMillis(elapsed) - pause) / 1000, context)
  )
  yield* Effect.forkScoped(Effect.forever(observe))
})

const describeProcess = Effect.all(
  [
    observe(metrics.build.of({ [attributes.version]: version, [attributes.runtime]: process.versions.node }), () => ({
      value: 1
    })),
    observe(metrics.memory.of(), () => ({ value: process.memoryUsage.rss() })),
    ...getHeapSpaceStatistics().map(({ space_name: space }) =>
      observe(metrics.heap.of({ [attributes.heapSpace]: space }), () => ({
        value: getHeapSpaceStatistics().find(({ space_name: name }) => name === space)?.space_used_size ?? 0
      }))
    ),
    observe(metrics.droppedLogEntries.of(), () => ({ count: Logging.droppedEntries(), incremental: true }))
  ],
  { discard: true }
)

export const watchCertificate = (inUse: () => Pair) =>
  Effect.clockWith((clock) => {
    const seconds = (millis: number) => ({ value: Math.floor(millis / 1000) })
    const left = () => seconds(inUse().expiry.epochMilliseconds - clock.currentTimeMillisUnsafe())
    const all = () => seconds(Duration.toMillis(inUse().lifetime))
    return Effect.andThen(observe(metrics.certificate.of(), left), observe(metrics.certificateLifetime.of(), all))
  })

const measuring = Layer.merge(Metrics.layer, Layer.effectDiscard(Effect.andThen(describeProcess, watchEventLoop)))

const page = Effect.fnUntraced(function* (host: string, port: number, limits: Options["limits"]) {
  const MetricsHost = yield* Effect.promise(() => import("@cloud-management/service/node/MetricsHost"))
  const url = Effect.map(MetricsHost.MetricsHost, ({ url }) => url)
  return Layer.effect(Page, url).pipe(
    Layer.provide(MetricsHost.layer({ host, port, limits })),
    Layer.catch((error) => Layer.effectDiscard(Effect.fail(Listening.failure("metrics-port", error))))
  )
})

export const make = Effect.fnUntraced(function* ({ host, limits, metricsPort, port }: Options, isExported: boolean) {
  if (Option.isNone(metricsPort)) return isExported ? measuring : Layer.empty
  if (metricsPort.value === port && port !== 0) {
    return yield* Failure.usage(
      `${Setting.named("metrics-port")}: ${port} is the port of the API`,
      "Pass another port: callers of the API must not read the metrics."
    )
  }
  return Layer.merge(measuring, yield* page(host.includes("/") ? "127.0.0.1" : host, metricsPort.value, limits))
})
