import { describe, expect, Host, it } from "../../../checks/fixtures/index.ts"
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { MetricsHost } from "@cloud-management/service/node"
import type { KeyStore } from "@cloud-management/service/KeyStore"
import { metrics } from "@cloud-management/service/Telemetry"
import { Fixtures } from "@cloud-management/testing"
import { make } from "../src/frame/telemetry/measures.ts"
import * as Observed from "../src/frame/telemetry/observed.ts"

const test = it.effect.over(Layer.sync(Metric.MetricRegistry, () => new Map()))

describe("the page of the metrics", () => {
  const start = (limits?: MetricsHost.Options["limits"]) =>
    Effect.map(Layer.build(MetricsHost.layer({ limits })), (context) => Context.get(context, MetricsHost.MetricsHost))

  it.live("has the limits that it is given", function* () {
    const { url } = yield* start({ maxHeaderSize: 1024, silence: "1 hour" })
    const send = (length: number) => Host.exchange(url, Host.closing("GET /metrics", `x-long: ${"a".repeat(length)}`))
    expect(yield* send(500)).toMatch(/^HTTP\/1\.1 200 /)
    expect(yield* send(1500)).toMatch(/^HTTP\/1\.1 431 [^]*HEADERS_TOO_LARGE/)
  })

  it.live("holds 32 connections", function* () {
    const { url } = yield* start()
    const peers = yield* Effect.replicateEffect(Host.connect(url), 33)
    yield* Effect.raceAll(peers.map(({ end }) => end))
  })
})

test("the histograms of a service have the state that Effect's have", function* () {
  const registry: Metric.MetricRegistry = new Map()
  const measures = make(Context.make(Metric.MetricRegistry, registry))
  const peer = metrics.storeCallDuration.of()
  // on a boundary, between two, below the first and above the last
  for (const seconds of [0.005, 0.0051, 0.2, 0, 10, 11, 0.001]) {
    measures.storeCallEnded("ping")(undefined)(seconds)
    yield* Metric.update(peer, seconds)
  }
  const snapshots = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
  const state = snapshots.find(({ id }) => id === peer.id)?.state
  expect(state).toEqual(yield* Metric.value(peer))
})

test("the time that a store takes while its method is called, as SQLite does, is measured", function* () {
  let now = 0n
  const clock = Object.assign(Object.create(yield* Clock.Clock), { monotonicTimeNanosUnsafe: () => now })
  const store: KeyStore["Service"] = {
    apiKey: () => {
      now += 2_000_000_000n
      return Effect.succeedNone
    },
    recordUse: () => Effect.void,
    ping: Effect.void
  }
  const observed = Observed.store(store, make(yield* Effect.context<never>()))
  yield* Effect.provideService(observed.apiKey(Fixtures.deployKey.id), Clock.Clock, clock)
  const snapshots = yield* Metric.snapshot
  expect(snapshots.find(({ id }) => id === metrics.storeCallDuration.name)?.state).toMatchObject({ count: 1, sum: 2 })
})
