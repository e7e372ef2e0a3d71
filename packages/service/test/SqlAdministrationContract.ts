import { expect } from "@effect/vitest"
import { Array, DateTime, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Administration } from "@cloud-management/service/Administration"
import { type Audit, Seed } from "@cloud-management/service"
import { Store } from "@cloud-management/service/Store"
import { StoreUnavailable } from "@cloud-management/service/KeyStore"
import { Fixtures } from "@cloud-management/testing"
import * as SqlStore from "../src/sql/SqlStore.ts"
import type { Case } from "./AdministrationContract.ts"
import { contract } from "./StoreContract.ts"

const { acme, analytics, backupKey, globex } = Fixtures

/** The rules of the tables of an administration over any database. The layer gives an empty one each time. */
export const sqlAdministrationContract = <R, E, E2>(
  database: string,
  client: Layer.Layer<SqlClient.SqlClient, E, R>,
  over: Layer.Layer<R, E2>
) => {
  const store = SqlStore.layer.pipe(Layer.provideMerge(client), Layer.orDie)
  contract(`an operator of ${database}`, store, over, (define) => {
    const test = (name: string, body: Case<SqlClient.SqlClient>) =>
      define(name, function* () {
        const store = yield* Store
        yield* store.seed(yield* Seed.fromDocument(Fixtures.seed))
        yield* body(yield* Administration, store)
      })

    test("goes on when a version to come adds columns", function* (admin, store) {
      const sql = yield* SqlClient.SqlClient
      const work = Effect.gen(function* () {
        yield* admin.export
        yield* admin.apiKeys.list({ organizationId: acme })
        yield* admin.apiKeys.update({ organizationId: acme, id: backupKey.id }, (current) => current, {
          event: "key.changed"
        })
        const { id: caller } = Fixtures.deployKey
        const requests = [
          // by the real time, as the database has it
          TestClock.withLive(store.ping),
          store.organization(caller),
          store.reversePrivateEndpoint(caller, acme, analytics, Fixtures.readyEndpoint),
          store.deleteApiKey(acme, Fixtures.expiredKey.id, caller, { event: "key.deleted" })
        ]
        // so many that every connection has its turn
        yield* Effect.replicateEffect(Effect.all(requests), 50, { concurrency: "unbounded" })
      })
      yield* work
      for (const table of ["organizations", "api_keys", "services", "reverse_private_endpoints"]) {
        yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN to_come text NOT NULL DEFAULT 'x'`
      }
      yield* work
    })

    test("changes nothing that cannot be recorded", function* (admin, store) {
      const sql = yield* SqlClient.SqlClient
      const before = yield* admin.export
      const entry: Audit.Entry = { event: "key.changed" }
      const [key] = yield* admin.apiKeys.list({ organizationId: acme })
      if (key === undefined) return expect.unreachable()
      const endpoint = { organizationId: acme, serviceId: analytics, id: Fixtures.readyEndpoint }
      yield* sql`ALTER TABLE audit_records RENAME TO elsewhere`
      const acts: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        admin.apiKeys.create({ ...key, id: ApiKeyId.make("c0000000-0000-4000-8000-000000000001") }, entry),
        admin.apiKeys.update(key, (current) => ({ ...current, state: "disabled" }), entry),
        admin.apiKeys.delete(key, entry),
        admin.reversePrivateEndpoints.delete(endpoint, entry),
        store.deleteApiKey(acme, backupKey.id, Fixtures.deployKey.id, entry)
      ]
      for (const act of acts) expect(yield* Effect.flip(act)).toBeInstanceOf(StoreUnavailable)
      expect(yield* admin.export).toEqual(before)
    })

    test("leaves old records where the deletion of them cannot be recorded", function* (admin) {
      const sql = yield* SqlClient.SqlClient
      yield* admin.audit.append({ event: "key.changed" })
      yield* sql`CREATE UNIQUE INDEX one_of_each ON audit_records (event)`
      const now = DateTime.makeUnsafe("2100-01-01")
      const pruned = admin.audit.prune(now, { event: "key.changed" })
      expect(yield* Effect.flip(pruned)).toBeInstanceOf(StoreUnavailable)
      expect(yield* Stream.runCollect(admin.audit.all)).toHaveLength(1)
    })

    test("finds however many records there are, each once and in their order, and deletes as many", function* (admin) {
      const count = 2001
      for (let n = 0; n < count; n++) yield* admin.audit.append({ event: "key.changed", count: n })
      const records = yield* Stream.runCollect(admin.audit.all)
      expect(records.map(({ count }) => count)).toEqual(Array.makeBy(count, (n) => n))
      const ids = records.map(({ id = 0 }) => id)
      expect(ids.filter((id, n) => id > (ids[n - 1] ?? 0))).toHaveLength(count)
      yield* TestClock.adjust("2 millis")
      expect(yield* admin.audit.prune(yield* DateTime.now, { event: "audit.pruned" })).toBe(count)
      expect(yield* Stream.runCollect(admin.audit.all)).toMatchObject([{ audit: "audit.pruned" }])
    })

    test("lists the newest records that a key is in, in whatever way, the newest first", function* (admin) {
      const [key, other] = [backupKey.id, Fixtures.deployKey.id]
      const ways = [{ actor: `key:${key}` }, { keyId: key }, { keyId: other }, { keyId: other, successorId: key }]
      for (const [count, fields] of ways.entries())
        yield* admin.audit.append({ event: "key.changed", count, ...fields })
      for (const [most, ...counts] of [
        [9, 3, 1, 0],
        [2, 3, 1]
      ] as const) {
        const records = yield* admin.audit.list({ involved: key }, most)
        expect(records.map(({ count }) => count)).toEqual(counts)
      }
    })

    test("exports and lists more than a page, also of IDs that two owners have", function* (admin) {
      const sql = yield* SqlClient.SqlClient
      const ids = (first: number) =>
        Array.map(Array.range(first, 1009), (n) => `d0000000-0000-4000-8000-${String(n).padStart(12, "0")}`)
      const rows = (organization_id: string, first: number) =>
        sql.insert(Array.map(ids(first), (id) => ({ organization_id, id, name: "" })))
      yield* sql`INSERT INTO services ${rows(acme, 0)}`
      // one less, so that a page ends between two of one ID
      yield* sql`INSERT INTO services ${rows(globex, 1)}`
      const { organizations } = yield* admin.export
      const exported = organizations.map(({ id, services }) => [id, services.length])
      expect(Object.fromEntries(exported)).toMatchObject({ [acme]: 1011, [globex]: 1010 })
      const listed = (yield* admin.services.list({ organizationId: acme })).map(({ id }) => id)
      expect(listed).toEqual([analytics, ...ids(0)])
    })

    test("ends the deletion of old records between two portions when it is interrupted, with the act recorded", function* (admin) {
      const sql = yield* SqlClient.SqlClient
      const row = { time: -1, event: "key.changed", fields: "{}" }
      for (let n = 0; n < 3000; n++) yield* sql`INSERT INTO audit_records ${sql.insert(row)}`
      const pruned = yield* Deferred.make<number>()
      const prune = admin.audit.prune(yield* DateTime.now, { event: "audit.pruned" })
      const fiber = yield* Effect.forkChild(
        Effect.uninterruptible(Effect.tap(prune, (count) => Deferred.succeed(pruned, count))),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(fiber)
      expect(yield* Deferred.await(pruned)).toBe(1000)
      const left = (yield* Stream.runCollect(admin.audit.all)).map(({ audit }) => audit)
      expect([left.length, left.at(-1)]).toEqual([2001, "audit.pruned"])
    })

    test("is ready only if each table can be read that a request reads", function* (_, store) {
      const sql = yield* SqlClient.SqlClient
      const ping = TestClock.withLive(store.ping)
      yield* ping
      for (const table of ["api_keys", "organizations", "reverse_private_endpoints", "audit_records"]) {
        yield* sql`ALTER TABLE ${sql(table)} RENAME TO elsewhere`
        expect(yield* Effect.flip(ping)).toBeInstanceOf(StoreUnavailable)
        yield* sql`ALTER TABLE elsewhere RENAME TO ${sql(table)}`
        yield* ping
      }
    })
  })
}
