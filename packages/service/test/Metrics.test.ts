import { describe, expect, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import * as Metrics from "@cloud-management/service/Metrics"
import * as MetricsHost from "@cloud-management/service/node/MetricsHost"
import * as DatabaseClient from "../src/node/internal/sqlClient.ts"
import * as Host from "../../../checks/fixtures/Host.ts"
import * as PostgresServer from "../../../checks/fixtures/PostgresServer.ts"

describe("the metrics of a service", () => {
  it.live("count a method that Node knows as any other unknown one, and guesses beyond their limit apart", () =>
    Effect.gen(function* () {
      const registry: Metric.MetricRegistry = new Map()
      const { url } = yield* Host.start().pipe(
        Effect.provide(Metrics.layer),
        Effect.provideService(Metric.MetricRegistry, registry)
      )
      const send = (line: string, ...headers: ReadonlyArray<string>) =>
        Host.exchange(url, Host.closing(line, ...headers))
      yield* send("PURGE /")
      yield* Effect.replicateEffect(send("GET /v1/organizations", Host.authorization("wrong")), 21)
      const snapshots = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
      const counted = snapshots.map(({ attributes = {}, id, state, type }) => {
        const value =
          type === "Counter" || type === "Histogram" ? state.count : type === "Gauge" ? state.value : undefined
        return [
          id,
          ...Object.entries(attributes).flatMap(([name, text]) => (name === "unit" ? [] : [text])),
          value
        ].join(" ")
      })
      expect(counted).toEqual(
        expect.arrayContaining([
          "http.server.request.duration _OTHER /* 404 1",
          "http.server.request.duration GET /v1/organizations 401 20",
          "cloud_management.server.failed_authentications wrong secret 20",
          "cloud_management.server.rate_limited address and key 1"
        ])
      )
    })
  )
})

describe("the page of the metrics", () => {
  const start = (limits?: MetricsHost.Options["limits"]) =>
    Effect.map(Layer.build(MetricsHost.layer({ limits })), (context) => Context.get(context, MetricsHost.MetricsHost))

  it.live("has the limits that it is given", () =>
    Effect.gen(function* () {
      const { url } = yield* start({ maxHeaderSize: 1024, silence: "1 hour" })
      const send = (length: number) => Host.exchange(url, Host.closing("GET /metrics", `x-long: ${"a".repeat(length)}`))
      expect(yield* send(500)).toMatch(/^HTTP\/1\.1 200 /)
      expect(yield* send(1500)).toMatch(/^HTTP\/1\.1 431 [^]*HEADERS_TOO_LARGE/)
    })
  )

  it.live("holds 32 connections", () =>
    Effect.gen(function* () {
      const { url } = yield* start()
      const peers = yield* Effect.replicateEffect(Host.connect(url), 33)
      yield* Effect.raceAll(peers.map(({ end }) => end))
    })
  )
})

PostgresServer.suite((version) =>
  describe("the pool of connections", () => {
    layer(PostgresServer.layer, { excludeTestServices: true })(`to ${version}`, (it) => {
      it.effect("reports how many are in use, and how many calls wait for one", () =>
        Effect.gen(function* () {
          const { database } = yield* PostgresServer.PostgresServer
          const url = new URL(yield* database)
          url.searchParams.set("pool_max_conns", "1")
          const registry: Metric.MetricRegistry = new Map()
          const context = yield* Layer.build(DatabaseClient.layer(url.href).pipe(Layer.provide(Metrics.layer))).pipe(
            Effect.provideService(Metric.MetricRegistry, registry)
          )
          const sql = Context.get(context, SqlClient.SqlClient)
          const connections = Effect.map(
            Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry),
            (snapshots) =>
              Object.fromEntries(
                snapshots.flatMap(({ id, state, type }) =>
                  type === "Gauge" && id.startsWith("db.client.connection.")
                    ? [[id.replace("db.client.connection.", ""), state.value]]
                    : []
                )
              )
          )
          const until = (count: number, pending_requests: number) =>
            connections.pipe(
              Effect.tap((now) => Effect.sync(() => expect(now).toEqual({ count, max: 1, pending_requests }))),
              Effect.sandbox,
              Effect.retry(Schedule.spaced("10 millis"))
            )
          yield* until(0, 0)

          const held = yield* Deferred.make<void>()
          const holder = yield* Effect.forkChild(
            sql.withTransaction(Effect.andThen(sql`SELECT 1`, Deferred.await(held)))
          )
          yield* until(1, 0)
          const waiting = yield* Effect.forkChild(sql`SELECT 1`)
          const leaving = yield* Effect.forkChild(sql.withTransaction(sql`SELECT 1`))
          yield* until(1, 2)
          yield* Fiber.interrupt(leaving)
          yield* until(1, 1)
          yield* Deferred.succeed(held, undefined)
          yield* Fiber.join(holder)
          yield* Fiber.join(waiting)
          yield* until(0, 0)
        })
      )
    })
  })
)
