import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Migrations from "@cloud-management/service/Migrations"
import * as Database from "../../service/src/node/internal/sqlClient.ts"
import { organizationId, withKeys } from "../../../checks/fixtures/Tenants.ts"
import * as PostgresServer from "../../../checks/fixtures/PostgresServer.ts"
import * as Child from "../../../checks/fixtures/Child.ts"

describe("the tables are upgraded", () => {
  PostgresServer.suite((version) => {
    it.live(`unless those of ${version} are read by a transaction, such as a dump, or have another owner`, () =>
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
  })
})
