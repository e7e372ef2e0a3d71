import { Context, DateTime, Duration, Effect, Layer, Metric, Option } from "effect"
import { Metrics } from "@cloud-management/service"
import { attributes, metrics } from "@cloud-management/service/Telemetry"
import process from "node:process"
import { getHeapSpaceStatistics } from "node:v8"
import * as Failure from "../output/Failure.ts"
import * as Logging from "../output/Logging.ts"
import * as Setting from "../input/setting.ts"
import { version } from "../version.ts"
import type { Options } from "./flags.ts"
import * as Listening from "./listening.ts"
import type { Pair } from "./tls.ts"

export const Page = Context.Reference<string | undefined>("cloud-management/Metrics/Page", {
  defaultValue: () => undefined
})

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

const describeProcess = Effect.contextWith((context: Context.Context<never>) =>
  Effect.sync(() => {
    const hooks = { update: () => {}, modify: () => {} }
    const gauge = (metric: Metric.Gauge<number>, read: () => number) =>
      Metric.registerUnsafe(metric, context, { ...hooks, get: () => ({ value: read() }) })
    gauge(metrics.build.of({ [attributes.version]: version, [attributes.runtime]: process.versions.node }), () => 1)
    gauge(metrics.memory.of(), () => process.memoryUsage.rss())
    for (const { space_name: space } of getHeapSpaceStatistics()) {
      gauge(
        metrics.heap.of({ [attributes.heapSpace]: space }),
        () => getHeapSpaceStatistics().find(({ space_name: name }) => name === space)?.space_used_size ?? 0
      )
    }
    Metric.registerUnsafe(metrics.droppedLogEntries.of(), context, {
      ...hooks,
      get: () => ({ count: Logging.droppedEntries(), incremental: true })
    })
  })
)

export const watchCertificate = (inUse: Effect.Effect<Pair>) =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.sync(() => {
      const left = Effect.zipWith(DateTime.now, inUse, (now, { expiry }) => DateTime.distance(now, expiry))
      const all = Effect.map(inUse, ({ lifetime }) => lifetime)
      const gauge = (metric: Metric.Gauge<number>, duration: Effect.Effect<Duration.Duration>) => {
        const get = () => ({ value: Math.floor(Duration.toSeconds(Effect.runSyncWith(context)(duration))) })
        Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} })
      }
      gauge(metrics.certificate.of(), left)
      gauge(metrics.certificateLifetime.of(), all)
    })
  )

const measuring = Layer.merge(Metrics.layer, Layer.effectDiscard(Effect.andThen(describeProcess, watchEventLoop)))

const page = Effect.fnUntraced(function* (host: string, port: number, limits: Options["limits"]) {
  const MetricsHost = yield* Effect.promise(() => import("@cloud-management/service/node/MetricsHost"))
  return Layer.effect(
    Page,
    Effect.map(MetricsHost.MetricsHost, ({ url }) => url)
  ).pipe(
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
  return Layer.merge(measuring, yield* page(host.startsWith("/") ? "127.0.0.1" : host, metricsPort.value, limits))
})
