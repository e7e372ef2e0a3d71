import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

type Within = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Cause.TimeoutError, R>

/** Longer than a connection waits for an answer: only what waits for a connection is left to be given up by then. */
const aWhile: Within = Effect.timeout("7 seconds")
/** A SQLite client gives up by itself. */
const asLongAsItTakes: Within = (effect) => effect

/** SQLite: no other transaction writes from here on. */
const immediate = "BEGIN IMMEDIATE"

/**
 * Writes to the disk, and changes nothing. While another process writes it is taken for granted that the disk can be
 * written.
 */
const touch = (sql: SqlClient.SqlClient) =>
  sql<{ readonly user_version: number }>`PRAGMA user_version`.pipe(
    Effect.flatMap(([row]) => sql`PRAGMA user_version = ${sql.literal(String(row?.user_version))}`),
    sql.withTransaction,
    Effect.provideService(SqlClient.BeginTransaction, immediate),
    Effect.timeoutOption("100 millis")
  )

/** Where the databases differ. `isMissingTable`: an error that a table which is not there gives, and maybe others. */
export const dialect = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      // whatever the server's default is: after a wait for a lock, a statement has to see what was committed meanwhile
      begin: "BEGIN ISOLATION LEVEL READ COMMITTED",
      forUpdate: sql.literal("FOR UPDATE"),
      isMissingTable: ({ reason }: SqlError) => reason._tag === "SqlSyntaxError",
      // a standby refuses it; a server whose disk is full fails by itself
      tryWriting: Effect.asVoid(sql`DELETE FROM api_keys WHERE false`),
      within: aWhile
    }),
    orElse: () => ({
      begin: immediate,
      forUpdate: sql.literal(""),
      isMissingTable: ({ reason }: SqlError) => reason._tag === "UnknownError",
      tryWriting: Effect.asVoid(touch(sql)),
      within: asLongAsItTakes
    })
  })
