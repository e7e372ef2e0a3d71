import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

/** Where the databases differ. */
export const dialect = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      // whatever the server's default is: after a wait for a lock, a statement has to see what was committed meanwhile
      begin: "BEGIN ISOLATION LEVEL READ COMMITTED",
      forUpdate: sql.literal("FOR UPDATE"),
      lock: (table: string) => Effect.asVoid(sql`LOCK TABLE ${sql(table)} IN EXCLUSIVE MODE`)
    }),
    // SQLite: no other transaction writes from here on
    orElse: () => ({ begin: "BEGIN IMMEDIATE", forUpdate: sql.literal(""), lock: () => Effect.void })
  })
