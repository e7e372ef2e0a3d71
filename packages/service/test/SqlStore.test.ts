import { describe, expect, it, keyId, organizationId, withKeys } from "../../../checks/fixtures/index.ts"
import { Context, DateTime, Effect, Fiber, Layer, Option } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { statSync } from "node:fs"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import { Administration } from "@cloud-management/service/Administration"
import { Seed } from "@cloud-management/service"
import { Store } from "@cloud-management/service/Store"
import { Database } from "@cloud-management/service/node"
import * as SqliteClient from "../src/node/SqliteClient.ts"
import * as Migrations from "../src/sql/Migrations.ts"
import { Prepared } from "../src/sql/prepared.ts"
import * as SqlStore from "../src/sql/SqlStore.ts"
import * as SqliteFile from "./SqliteFile.ts"
import { deletion } from "./StoreContract.ts"

const memory = SqliteClient.layer({ filename: ":memory:" })
const open = (filename: string) => SqlStore.layer.pipe(Layer.provideMerge(SqliteClient.layer({ filename })))

const seed = (tenant: string, keys: number) =>
  Effect.flatMap(Store, (store) => Effect.flatMap(Seed.fromDocument(withKeys(tenant, keys)), store.seed))
const [a, b] = [keyId("a", 0), keyId("a", 1)]
const deleteB = Effect.flatMap(Store, (store) => store.deleteApiKey(organizationId("a"), b, a, deletion))

describe("a SQL store", () => {
  it.effect("finds what it is asked for through an index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [store, { apiKeys, audit }] = [yield* Store, yield* Administration]
      yield* seed("a", 1)
      const plans: Array<string> = []
      const explain: Statement.Transformer = (statement) =>
        Effect.gen(function* () {
          const [text, params] = statement.compile()
          const steps = yield* sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params)
          plans.push(...steps.map(({ detail }) => detail))
          return statement
        }).pipe(Effect.orDie, Effect.provideService(Statement.CurrentTransformer, undefined))
      const since = DateTime.makeUnsafe(0)
      yield* Effect.all([
        store.apiKey(a),
        store.organization(a),
        store.reversePrivateEndpoint(a, organizationId("a"), ServiceId.make(a), ReversePrivateEndpointId.make(a)),
        apiKeys.list({ organizationId: organizationId("a") }),
        ...[{ since }, { keyId: a }, { keyId: a, since }].map((filter) => audit.list(filter, 10))
      ]).pipe(Effect.provideService(Statement.CurrentTransformer, explain))
      expect(plans.filter((step) => step.startsWith("SEARCH ")).length).toBeGreaterThan(9)
      const slow = /^SCAN (?!one$|latest$|CONSTANT ROW$)|^SEARCH (k|found) (?!.*\bid=\?\))/
      expect(plans.filter((step) => slow.test(step))).toEqual([])
    }).pipe(Effect.provide(SqlStore.layer), Effect.provideService(Prepared, undefined), Effect.provide(memory))
  )

  it.live("lists records while another process writes", function* () {
    const filename = yield* SqliteFile.name
    const list = Effect.gen(function* () {
      yield* seed("a", 2)
      const { apiKeys } = yield* Administration
      yield* SqliteFile.lock(filename)
      return yield* apiKeys.list({ organizationId: organizationId("a") })
    })
    expect(yield* Effect.provide(list, open(filename))).toHaveLength(2)
  })

  it.effect.over(memory)("builds its tables as a whole or not at all, and once", function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = Effect.map(sql`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`.values, (rows) =>
      rows.flat().filter((name) => name !== "sqlite_sequence")
    )
    yield* sql`CREATE TABLE effect_sql_migrations (migration_id integer)`
    yield* sql`INSERT INTO effect_sql_migrations VALUES (9)`
    yield* sql`CREATE TABLE reverse_private_endpoints (in_the_way text)`
    expect(yield* Effect.flip(Migrations.run)).toMatchObject({
      _tag: "ForeignTables",
      message: "this database holds another program's tables: table reverse_private_endpoints already exists"
    })
    expect(yield* tables).toStrictEqual(["effect_sql_migrations", "reverse_private_endpoints"])
    yield* sql`DROP TABLE reverse_private_endpoints`
    yield* sql`DROP TABLE effect_sql_migrations`
    yield* Migrations.run
    yield* Migrations.run
    expect(yield* tables).toStrictEqual(Database.tables.toSorted())
  })

  it.effect.over(memory)("leaves tables of another version alone, and says which they are", function* () {
    const sql = yield* SqlClient.SqlClient
    const refusal = (version: number) => ({ _tag: "UnsupportedSchema", version, supported: expect.any(Number) })
    expect(yield* Effect.flip(Migrations.check)).toMatchObject(refusal(0))
    expect(yield* sql`SELECT name FROM sqlite_schema`).toEqual([])
    yield* Migrations.run
    yield* Migrations.check
    yield* sql`INSERT INTO cloud_management_migrations (version) VALUES (1000)`
    expect(yield* Effect.flip(Migrations.run)).toMatchObject(refusal(1000))
    expect(yield* Effect.flip(Migrations.check)).toMatchObject(refusal(1000))
  })

  it.effect.over(open(":memory:"))("keeps nothing of a seed that fails halfway", function* () {
    const { seed } = yield* Store
    const { organizations } = yield* Seed.fromDocument(withKeys("a", 1))
    const [key] = organizations.flatMap(({ apiKeys }) => apiKeys)
    if (key === undefined) return expect.unreachable()
    const twice = organizations.map((organization) => ({ ...organization, apiKeys: [key, key] }))
    expect(yield* Effect.flip(seed({ organizations: twice }))).toMatchObject({
      _tag: "StoreUnavailable",
      cause: { reason: { _tag: expect.stringMatching(/UniqueViolation|ConstraintError/) } }
    })
    expect(yield* seed({ organizations })).toBe(true)
  })
})

/** A store whose database is lost after so many more statements; from then on not even a rollback succeeds. */
const losable = Effect.gen(function* () {
  const sql = Context.get(yield* Layer.build(memory), SqlClient.SqlClient)
  const outage: { after: number; cause: unknown } = { after: Infinity, cause: "lost" }
  const connection = yield* sql.reserve
  const lose = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | SqlError> =>
      outage.after-- > 0 ? effect : Effect.fail(new SqlError({ reason: new ConnectionError({ cause: outage.cause }) }))
    )
  const unsteady: Connection = {
    ...connection,
    execute: (...args) => lose(connection.execute(...args)),
    executeValues: (...args) => lose(connection.executeValues(...args)),
    executeUnprepared: (...args) => lose(connection.executeUnprepared(...args))
  }
  const client = SqlClient.make({
    acquirer: Effect.succeed(unsteady),
    compiler: Statement.makeCompilerSqlite(),
    driver: "losable",
    spanAttributes: []
  }).pipe(Effect.provide(Reactivity.layer))
  const built = yield* Layer.build(SqlStore.layer.pipe(Layer.provide(Layer.effect(SqlClient.SqlClient, client))))
  return { outage, store: Context.get(built, Store) }
})

describe("a store whose database fails is unavailable", () => {
  const unavailable = { _tag: "StoreUnavailable", cause: { _tag: "SqlError" } }

  it.effect.each<[what: string, after: number, isUndone: boolean, cause?: object]>([
    ["BEGIN", 0, true],
    ["SELECT", 1, true],
    ["DELETE", 2, true],
    ["INSERT", 3, true],
    // until then, it is certain that nothing was deleted
    ["COMMIT", 4, false],
    ["COMMIT, which finds the disk full", 4, true, { errcode: 13, message: "database or disk is full" }]
  ])("to a deletion that fails at its %s", function* ([, after, isUndone, cause = { message: "lost" }]) {
    const { outage, store } = yield* losable
    yield* Effect.provideService(seed("a", 2), Store, store)
    Object.assign(outage, { after, cause })
    expect(yield* Effect.flip(Effect.provideService(deleteB, Store, store))).toMatchObject({ ...unavailable, isUndone })
  })

  it.effect("to a deletion while another process keeps the lock, but not to a read", function* () {
    const file = yield* SqliteFile.name
    yield* Effect.gen(function* () {
      yield* seed("a", 2)
      const { release } = yield* SqliteFile.lock(file)
      const deletion = yield* Effect.forkChild(Effect.flip(deleteB), { startImmediately: true })
      expect(Option.isSome(yield* (yield* Store).apiKey(b))).toBe(true)
      yield* TestClock.adjust(4999)
      expect(deletion.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      const cause = { reason: { _tag: "LockTimeoutError" } }
      expect(yield* Fiber.join(deletion)).toMatchObject({ ...unavailable, isCorrupt: false, cause })
      yield* release
      expect(yield* deleteB).toBe("deleted")
    }).pipe(Effect.provide(open(file)))
  })

  it.effect("for good while its content is damaged, which it says", function* () {
    const file = yield* SqliteFile.name
    yield* Effect.provide(seed("a", 2), open(file))
    yield* SqliteFile.corrupt(file, "api_keys")
    yield* Effect.gen(function* () {
      const store = yield* Store
      const methods: ReadonlyArray<Effect.Effect<unknown, unknown, Store>> = [store.apiKey(a), deleteB]
      for (const method of methods) {
        expect(yield* Effect.flip(method)).toMatchObject({ ...unavailable, isCorrupt: true })
      }
      expect((yield* Effect.flip(store.organization(a))).isCorrupt).toBe(true)
    }).pipe(Effect.provide(open(file)))
  })
})

describe("a store in SQLite is ready", () => {
  const ping = Effect.flatMap(Store, (store) => store.ping)
  const unavailable = { _tag: "StoreUnavailable", isCorrupt: false }

  it.effect.each(["api_keys", "organizations", "sqlite_autoindex_api_keys_1"])("only if %s is whole", function* (part) {
    const file = yield* SqliteFile.name
    yield* Effect.provide(Effect.andThen(seed("a", 1), ping), open(file))
    yield* SqliteFile.corrupt(file, part)
    expect(yield* Effect.flip(Effect.provide(ping, open(file)))).toMatchObject({ isCorrupt: true })
  })

  it.effect("only if it can write to the disk, which changes nothing", function* () {
    const file = yield* SqliteFile.name
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`PRAGMA user_version = 7`
      const before = statSync(`${file}-wal`).size
      yield* ping
      expect(statSync(`${file}-wal`).size).toBeGreaterThan(before)
      expect(yield* sql`PRAGMA user_version`.values).toStrictEqual([[7]])
      yield* sql`PRAGMA query_only = true`
      expect(yield* Effect.flip(ping)).toMatchObject(unavailable)
      yield* sql`PRAGMA query_only = false`
      yield* ping
    }).pipe(Effect.provide(open(file)))
  })

  it.effect("while another process holds the lock, after a moment", function* () {
    const file = yield* SqliteFile.name
    yield* Effect.gen(function* () {
      yield* SqliteFile.lock(file)
      const ready = yield* Effect.forkChild(ping, { startImmediately: true })
      yield* TestClock.adjust("100 millis")
      expect(ready.pollUnsafe()?._tag).toBe("Success")
    }).pipe(Effect.provide(open(file)))
  })
})
