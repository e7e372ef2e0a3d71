import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "../../service/src/node/internal/sqlClient.ts"
import * as PostgresServer from "../../service/test/PostgresServer.ts"
import * as Invocation from "./Invocation.ts"

PostgresServer.suite((version) => {
  layer(PostgresServer.layer, { excludeTestServices: true, timeout: "3 minutes" })(`a user of ${version}`, (it) => {
    it.effect("who may not write is told the statement that lets it", () =>
      Effect.gen(function* () {
        const { database } = yield* PostgresServer.PostgresServer
        const owner = yield* database
        const asOwner = (statement: string) =>
          SqlClient.SqlClient.use((sql) => sql.unsafe(statement)).pipe(Effect.provide(Database.layer(owner)))
        yield* asOwner(`CREATE USER "a stranger" PASSWORD 'secret-of-a-stranger'`)
        const url = new URL(owner)
        url.username = "a stranger"
        url.password = "secret-of-a-stranger"
        const create = Invocation.run(["admin", "organizations", "create", "Acme", "--database", url.href])

        const denied = yield* create
        expect(denied).toMatchObject({ code: 2, stdout: "" })
        const [, statement = ""] =
          /permission denied for schema public\n +As its owner, run in PostgreSQL: (GRANT .*;)\n$/.exec(
            denied.stderr
          ) ?? []
        expect(statement).toBe('GRANT USAGE, CREATE ON SCHEMA public TO "a stranger";')
        expect(denied.stderr).not.toContain("secret-of-a-stranger")

        yield* asOwner(statement)
        expect(yield* create).toMatchObject({ code: 0 })
      })
    )
  })
})
