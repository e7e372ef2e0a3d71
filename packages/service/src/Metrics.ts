import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { deletions, limits, Listener, rejections, unauthenticated, type Event } from "./Event.ts"
import { attributes, metrics, type Attribute, type Labels } from "./Telemetry.ts"

/** Makes a value for each key once: an update of a metric then costs a look-up, and builds no attributes. */
const each = <K, V>(make: (key: K) => V): ((key: K) => V) => {
  const known = new Map<K, V>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = make(key)))
    return value
  }
}

const make = (context: Context.Context<never>): Listener => {
  /** Begins each series at 0: Prometheus sees no increase in one that begins at 1. */
  const counter = <const Value extends string>(
    definition: typeof metrics.rejections,
    label: Attribute,
    values: ReadonlyArray<Value>
  ) => {
    const series = each((value: Value) => definition.of({ [label]: value }))
    for (const value of values) series(value).updateUnsafe(0, context)
    return (value: Value) => series(value).updateUnsafe(1, context)
  }
  const observed = (gauge: Metric.Gauge<number>, read: () => number) =>
    Metric.registerUnsafe(gauge, context, { get: () => ({ value: read() }), update: () => {}, modify: () => {} })

  const histogram = (definition: typeof metrics.requestDuration, labels: Labels) => {
    const series = definition.of(labels)
    return (value: number) => series.updateUnsafe(value, context)
  }

  const requests = each((route: string) =>
    each((method: string) => {
      const target = { [attributes.method]: method, [attributes.route]: route }
      const series = {
        active: 0,
        duration: each((status: number | undefined) =>
          histogram(metrics.requestDuration, {
            ...target,
            ...(status !== undefined && { [attributes.status]: String(status) }),
            ...(status !== undefined && status >= 500 && { [attributes.errorType]: String(status) })
          })
        )
      }
      observed(metrics.activeRequests.of(target), () => series.active)
      return series
    })
  )
  const storeCalls = each((operation: string) =>
    histogram(metrics.storeCallDuration, { [attributes.operation]: operation })
  )
  const failedStoreCalls = each((operation: string) =>
    each((errorType: string) =>
      histogram(metrics.storeCallDuration, { [attributes.operation]: operation, [attributes.errorType]: errorType })
    )
  )
  const rejected = counter(metrics.rejections, attributes.reason, rejections)
  const failedAuthentication = counter(metrics.failedAuthentications, attributes.reason, unauthenticated)
  const rateLimited = counter(metrics.rateLimited, attributes.limit, limits)
  const deleted = counter(metrics.deletions, attributes.outcome, deletions)

  return (event: Event) => {
    switch (event._tag) {
      case "RequestStarted":
        requests(event.target.route)(event.target.method).active++
        return
      case "RequestEnded": {
        const series = requests(event.target.route)(event.target.method)
        series.active--
        return series.duration(event.status)(event.seconds)
      }
      case "RequestRejected":
        return rejected(event.reason)
      case "AuthenticationFailed":
        return failedAuthentication(event.reason)
      case "RateLimited":
        return rateLimited(event.limit)
      case "StoreCallEnded": {
        const { errorType, operation, seconds } = event
        const observe = errorType === undefined ? storeCalls(operation) : failedStoreCalls(operation)(errorType)
        return observe(seconds)
      }
      case "DeletionEnded":
        return deleted(event.outcome)
      case "PoolOpened": {
        const pool = { [attributes.pool]: event.pool }
        observed(metrics.connections.of({ ...pool, [attributes.connectionState]: "used" }), event.used)
        observed(metrics.connectionsMax.of(pool), () => event.max)
        observed(metrics.pendingRequests.of(pool), event.waiting)
      }
    }
  }
}

/**
 * Counts the events of a service in Effect's metrics, which the exporters of `effect/observability` read.
 *
 * **Details**
 *
 * Provide it to the layers of the service, the store and the rate limits, which look for a `Listener` when they are
 * built. Without it, nothing is measured.
 *
 * **Example** (A service with metrics)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as SecureRandom from "effect/crypto/SecureRandom"
 * import * as MemoryStore from "@cloud-management/service/MemoryStore"
 * import * as Metrics from "@cloud-management/service/Metrics"
 * import * as Service from "@cloud-management/service/Service"
 *
 * const service = Service.layer().pipe(
 *   Layer.provide(MemoryStore.layer),
 *   Layer.provide(SecureRandom.layerWebCrypto),
 *   Layer.provide(Metrics.layer)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never> = Layer.effect(Listener, Effect.map(Effect.context<never>(), make))
