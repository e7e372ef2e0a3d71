import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "../../service/src/node/internal/sqlClient.ts"

/** The ids of all keys in a database, past the service. */
export const keyIds = (database: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return new Set((yield* sql<{ id: string }>`SELECT id FROM api_keys`).map(({ id }) => id))
  }).pipe(Effect.provide(Database.layer(database)))
