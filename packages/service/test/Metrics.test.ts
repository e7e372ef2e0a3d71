import { describe, expect, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import * as Metrics from "@cloud-management/service/Metrics"
import * as DatabaseClient from "../src/node/internal/sqlClient.ts"
import * as PostgresServer from "./PostgresServer.ts"

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
