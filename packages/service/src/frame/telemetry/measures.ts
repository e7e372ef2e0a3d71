import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { attributes, metrics } from "../Telemetry.ts"

/** The values of {@link attributes} that name a reason, a limit or an outcome. */
const values = {
  /**
   * Why a request was rejected before its operation began; failed authentications and rate limits are counted apart.
   *
   * - `malformed`: its head or its framing is wrong (400, 417)
   * - `too slow`: it did not arrive in time (408)
   * - `too large`: its target, head or body is (413, 414, 431)
   * - `unknown method` (501), `unknown route` (404), `method not allowed` (405)
   * - `invalid input`: an ID, a parameter or the body does not fit the operation (400)
   * - `foreign organization`: the key belongs to another one (403)
   * - `draining`: the service is about to end (503)
   */
  rejections: [
    "malformed",
    "too slow",
    "too large",
    "unknown method",
    "unknown route",
    "method not allowed",
    "invalid input",
    "foreign organization",
    "draining"
  ],
  /** Why a request has no valid credentials: for the audit record and metrics, never for the caller. */
  unauthenticated: [
    "no credentials",
    "malformed credentials",
    "unknown key",
    "wrong secret",
    "disabled key",
    "expired key"
  ],
  /** A limit on the requests of a key, or on the failed authentications of an address, alone or with one key ID. */
  limits: ["key", "address", "address and key"],
  /**
   * How a deletion of a key ended. `unconfirmed`: the store failed before it confirmed whether the key was deleted. A
   * deletion that was certainly undone is not among them.
   */
  deletions: ["deleted", "not-found", "caller-inactive", "unconfirmed"]
} as const

/** One of {@link values}. */
export type Value<Name extends keyof typeof values> = (typeof values)[Name][number]

/** Makes a value for each key once: an update of a metric then costs a look-up, and builds no attributes. */
const each = <K, V>(make: (key: K) => V): ((key: K) => V) => {
  const known = new Map<K, V>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = make(key)))
    return value
  }
}

export const make = (context: Context.Context<never>) => {
  /** Begins each series at 0: Prometheus sees no increase in one that begins at 1. */
  const counter = <const Value extends string>(
    definition: typeof metrics.rejections,
    label: (typeof attributes)[keyof typeof attributes],
    values: ReadonlyArray<Value>
  ) => {
    const series = each((value: Value) => definition.of({ [label]: value }))
    for (const value of values) series(value).updateUnsafe(0, context)
    return (value: Value) => series(value).updateUnsafe(1, context)
  }
  const observed = (gauge: Metric.Gauge<number>, read: () => number) =>
    Metric.registerUnsafe(gauge, context, { get: () => ({ value: read() }), update: () => {}, modify: () => {} })
  /** Counts by itself: Effect's histogram looks for its series at each update, and each request makes two. */
  const histogram = (definition: typeof metrics.requestDuration, labels: Parameters<(typeof definition)["of"]>[0]) => {
    const { boundaries } = definition
    const counts = boundaries.map(() => 0)
    let [count, sum, min, max] = [0, 0, Number.MAX_VALUE, -Number.MAX_VALUE]
    const get = () => {
      let below = 0
      const buckets = boundaries.map((most, i): [number, number] => [most, (below += counts[i] ?? 0)])
      return { buckets, count, min, max, sum }
    }
    Metric.registerUnsafe(definition.of(labels), context, { get, update: () => {}, modify: () => {} })
    return (value: number) => {
      let bucket = 0
      while (value > (boundaries[bucket] ?? value)) bucket++
      if (bucket < counts.length) counts[bucket] = (counts[bucket] ?? 0) + 1
      count++
      sum += value
      min = Math.min(min, value)
      max = Math.max(max, value)
    }
  }

  const targets = each((route: string) =>
    each((method: string) => {
      const target = { [attributes.method]: method, [attributes.route]: route }
      const requests = {
        active: 0,
        duration: each((status: number | undefined) =>
          histogram(metrics.requestDuration, {
            ...target,
            ...(status !== undefined && { [attributes.status]: String(status) }),
            ...(status !== undefined && status >= 500 && { [attributes.errorType]: String(status) })
          })
        )
      }
      observed(metrics.activeRequests.of(target), () => requests.active)
      return requests
    })
  )
  const storeCalls = each((operation: string) =>
    each((errorType: string | undefined) =>
      histogram(metrics.storeCallDuration, {
        [attributes.operation]: operation,
        ...(errorType !== undefined && { [attributes.errorType]: errorType })
      })
    )
  )
  return {
    /** The requests of a route and a method, both from fixed sets: a caller cannot add a series. */
    requests: targets,
    rejected: counter(metrics.rejections, attributes.reason, values.rejections),
    unauthenticated: counter(metrics.failedAuthentications, attributes.reason, values.unauthenticated),
    rateLimited: counter(metrics.rateLimited, attributes.limit, values.limits),
    deletionEnded: counter(metrics.deletions, attributes.outcome, values.deletions),
    storeCallEnded: storeCalls,
    poolOpened: (name: string, max: number, used: () => number, waiting: () => number) => {
      const pool = { [attributes.pool]: name }
      observed(metrics.connections.of({ ...pool, [attributes.connectionState]: "used" }), used)
      observed(metrics.connectionsMax.of(pool), () => max)
      observed(metrics.pendingRequests.of(pool), waiting)
    }
  }
}

/** The metrics of what is built where they are provided. */
export type Measures = ReturnType<typeof make>
export const Measures = Context.Reference<Measures | undefined>("@cloud-management/service/Measures", {
  defaultValue: () => undefined
})
