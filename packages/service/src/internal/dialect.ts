import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

type Within = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Cause.TimeoutError, R>

/** Longer than a connection waits for an answer: only what waits for a connection is left to be given up by then. */
const aWhile: Within = Effect.timeout("7 seconds")
/** A SQLite client gives up by itself. */
const asLongAsItTakes: Within = (effect) => effect

/** Where the databases differ. */
export const dialect = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      // whatever the server's default is: after a wait for a lock, a statement has to see what was committed meanwhile
      begin: "BEGIN ISOLATION LEVEL READ COMMITTED",
      forUpdate: sql.literal("FOR UPDATE"),
      within: aWhile
    }),
    orElse: () => ({
      // SQLite: no other transaction writes from here on
      begin: "BEGIN IMMEDIATE",
      forUpdate: sql.literal(""),
      within: asLongAsItTakes
    })
  })
