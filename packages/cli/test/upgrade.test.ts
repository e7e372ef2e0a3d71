import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Migrations from "@cloud-management/service/Migrations"
import * as Database from "../../service/src/node/internal/sqlClient.ts"
import { keyId, organizationId, withKeys } from "../../../checks/fixtures/Tenants.ts"
import * as PostgresServer from "../../../checks/fixtures/PostgresServer.ts"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Http from "../../../checks/fixtures/Http.ts"

/** What a version to come does to the tables: it adds, with a default, what this version knows nothing of. */
const upgrade = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["organizations", "api_keys", "services", "reverse_private_endpoints"]) {
    yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN to_come text NOT NULL DEFAULT 'x'`
  }
  yield* sql`INSERT INTO effect_sql_migrations (migration_id, name) VALUES (1000, 'to come')`
})

const keys = Array.from({ length: 60 }, (_, n) => keyId("a", n))

/** Reads on behalf of every key and deletes half of them, many at once, so that every connection has its turn. */
const use = Effect.fnUntraced(function* (url: string, from: number) {
  const left = keys.slice(from)
  const reads = yield* Effect.forEach(left, (key) => Http.read(url, key), { concurrency: 20 })
  const deleted = left.slice(1, 21)
  const removals = yield* Effect.forEach(deleted, (key) => Http.remove(url, key, left[0] ?? key), { concurrency: 20 })
  return [...new Set([...reads, ...removals])]
})

const upgraded = Effect.fnUntraced(function* (database: string) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", keys.length)) })
  const { url } = yield* Child.serve("--database", database, "--seed", `${folder}/seed.json`)
  expect(yield* use(url, 0)).toEqual([200])
  yield* Effect.provide(upgrade, Database.layer(database))
  // as if nothing had happened
  expect(yield* use(url, 21)).toEqual([200])

  // a process that starts only now could break rules that it does not know
  const refusal = {
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(
      /--database \(CLOUD_MANAGEMENT_DATABASE\): the tables of the database have version 1000, but this program supports version \d+\n +Use the version of cloud-management that upgraded it or a later one, or restore a backup from before the upgrade\.\n$/
    )
  }
  for (const args of [
    ["serve", "--port", "0"],
    ["admin", "keys", "create", organizationId("a"), "made later"],
    ["admin", "keys", "list", organizationId("a")]
  ]) {
    expect(yield* Child.run(args, { CLOUD_MANAGEMENT_DATABASE: database })).toEqual(refusal)
  }
  expect(yield* use(url, 42)).toEqual([200])
})

describe("a node of this version goes on, and another does not start,", () => {
  it.live("over a SQLite file that a version to come has upgraded", () =>
    Effect.gen(function* () {
      yield* upgraded(`${yield* Child.folder()}/cloud.db`)
    })
  )

  PostgresServer.suite((version) => {
    it.live(`unless the tables of ${version} are read by a transaction, such as a dump, or have another owner`, () =>
      Effect.gen(function* () {
        const { database } = yield* PostgresServer.PostgresServer
        const url = yield* database
        const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", 1)) })
        expect(yield* Child.run(["admin", "seed", `${folder}/seed.json`, "--database", url])).toMatchObject({ code: 0 })
        const hour = Duration.hours(1)
        const limits = { lock: hour, statement: hour, silence: hour, idleTransaction: hour }
        const sql = Context.get(yield* Layer.build(Database.layer(url, limits)), SqlClient.SqlClient)
        yield* sql`DROP INDEX api_keys_organization`
        yield* sql`ALTER TABLE api_keys DROP COLUMN last_used_at`
        yield* sql`DELETE FROM effect_sql_migrations WHERE migration_id > 2`
        const create = (where: string) =>
          Child.run(["admin", "keys", "create", organizationId("a"), "new"], { CLOUD_MANAGEMENT_DATABASE: where })

        yield* sql`CREATE ROLE clerk LOGIN PASSWORD 'clerk'`
        yield* sql`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk`
        expect(yield* create(url.replace(/\/\/.+@/, "//clerk:clerk@"))).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(
            /must be owner of table api_keys\n +This version upgrades the tables: run .* once as/
          )
        })

        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`LOCK TABLE api_keys IN ACCESS SHARE MODE`
            expect(yield* create(url)).toMatchObject({
              code: 7,
              stdout: "",
              stderr: expect.stringMatching(
                /the tables cannot be changed while another transaction uses them: canceling statement due to lock timeout\n +Nothing was changed. A running pg_dump/
              )
            })
            // a pooler may have left out the limits of the session
            const failed = yield* Effect.flip(Effect.provide(Migrations.run, Database.layer(url, limits)))
            expect(failed).toMatchObject({ _tag: "MigrationFailed" })
          })
        )
        expect(yield* create(url)).toMatchObject({ code: 0 })
      }).pipe(Effect.scoped, Effect.provide(PostgresServer.layer))
    )

    it.live(`over ${version} that a version to come has upgraded`, () =>
      Effect.gen(function* () {
        const { database } = yield* PostgresServer.PostgresServer
        yield* upgraded(yield* database)
      }).pipe(Effect.provide(PostgresServer.layer))
    )
  })
})
