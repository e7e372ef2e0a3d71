import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MigrationError } from "effect/sql/Migrator"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Database from "@cloud-management/service/node/Database"
import * as SqliteClient from "@cloud-management/service/node/SqliteClient"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { Store } from "@cloud-management/service/Store"
import * as Failure from "../Failure.ts"

const setting = "--database (CLOUD_MANAGEMENT_DATABASE)"

/** A store in SQLite: a file, or `:memory:`. */
export const sqlite = (filename: string) => SqlStore.layer.pipe(Layer.provide(SqliteClient.layer({ filename })))

const why = (error: MigrationError | SqlError): string => {
  const cause = error._tag === "SqlError" ? error.reason.cause : error.cause
  if (isSqlError(cause)) return why(cause)
  return (cause instanceof Error && cause.message) || error.message
}

/** A server may be away for now; a file that does not open stays so. */
const failure = (database: string) => (error: MigrationError | SqlError | Database.InvalidDatabase) => {
  if (error._tag === "InvalidDatabase") {
    return Failure.usage(
      `${setting}: ${error.message}`,
      "Pass the path of a SQLite file, :memory:, or the postgres:// URL of a server."
    )
  }
  // a URL is not quoted, since it can hold a password
  return /^postgres/i.test(database)
    ? new Failure.Failure({
        tag: "DatabaseUnavailable",
        message: `${setting}: ${why(error)}`,
        advice: "Check that the server runs, and the host, port, user, password and database in the URL.",
        retryable: true,
        exit: "transient"
      })
    : Failure.usage(
        `${setting}: ${database}: ${why(error)}`,
        "Pass the path of a SQLite file in a folder that exists, or :memory:."
      )
}

const open = Effect.fnUntraced(function* (database: string) {
  const store = SqlStore.layer.pipe(Layer.provide(Database.layer(database)))
  return Context.get(yield* Effect.mapError(Layer.build(store), failure(database)), Store)
})

/** The store that a value of `--database` names. */
export const layer = (database: string): Layer.Layer<Store, Failure.Failure> => Layer.effect(Store, open(database))
