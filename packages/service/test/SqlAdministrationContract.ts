import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { Administration } from "@cloud-management/service/Administration"
import * as Seed from "@cloud-management/service/Seed"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { Store, StoreUnavailable } from "@cloud-management/service/Store"
import * as Fixtures from "@cloud-management/testing/Fixtures"

const { acme, analytics, backupKey } = Fixtures

/** What holds of the tables of an administration over any database. The layer gives an empty one each time. */
export const sqlAdministrationContract = <R, E, E2>(
  database: string,
  client: Layer.Layer<SqlClient.SqlClient, E, R>,
  over: Layer.Layer<R, E2>
) =>
  layer(over, { excludeTestServices: true, timeout: "3 minutes" })(`an operator of ${database}`, (it) => {
    const test = <A, E3>(
      name: string,
      body: (admin: Administration["Service"]) => Effect.Effect<A, E3, SqlClient.SqlClient>
    ) =>
      it.effect(
        name,
        Effect.fnUntraced(
          function* () {
            yield* (yield* Store).seed(yield* Seed.fromDocument(Fixtures.seed))
            return yield* body(yield* Administration)
          },
          Effect.provide(Layer.fresh(SqlStore.layer.pipe(Layer.provideMerge(client), Layer.orDie)))
        ),
        90_000
      )

    test("goes on when a version to come adds columns", (admin) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const work = Effect.gen(function* () {
          yield* admin.export
          yield* admin.apiKeys.list({ organizationId: acme })
          yield* admin.apiKeys.update({ organizationId: acme, id: backupKey.id }, (current) => current)
        })
        yield* work
        for (const table of ["organizations", "api_keys", "services", "reverse_private_endpoints"]) {
          yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN to_come text NOT NULL DEFAULT 'x'`
        }
        yield* work
      }))

    test("is told that the database is away", (admin) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DROP TABLE reverse_private_endpoints`
        expect(yield* Effect.flip(admin.export)).toBeInstanceOf(StoreUnavailable)
        const list = admin.reversePrivateEndpoints.list({ organizationId: acme, serviceId: analytics })
        expect(yield* Effect.flip(list)).toBeInstanceOf(StoreUnavailable)
      }))
  })
