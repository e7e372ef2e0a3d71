import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import * as SqliteClient from "@cloud-management/service/node/SqliteClient"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { Store } from "@cloud-management/service/Store"
import * as Failure from "../Failure.ts"

const setting = "--database (CLOUD_MANAGEMENT_DATABASE)"

/** A store in SQLite: a file, or `:memory:`. */
export const sqlite = (filename: string) => SqlStore.layer.pipe(Layer.provide(SqliteClient.layer({ filename })))

const why = (error: MigrationError | SqlError): string =>
  error._tag === "SqlError" && error.reason.cause instanceof Error ? error.reason.cause.message : error.message

const open = Effect.fnUntraced(function* (database: string) {
  if (/^[a-z+]+:\/\//i.test(database)) {
    // not quoted, since a URL can hold a password
    return yield* Failure.usage(`${setting}: only SQLite is built in`, "Pass the path of a SQLite file, or :memory:.")
  }
  const context = yield* Effect.mapError(Layer.build(sqlite(database)), (error) =>
    Failure.usage(
      `${setting}: ${database}: ${why(error)}`,
      "Pass the path of a SQLite file in a folder that exists, or :memory:."
    )
  )
  return Context.get(context, Store)
})

/** The store that a value of `--database` names. */
export const layer = (database: string): Layer.Layer<Store, Failure.Failure> => Layer.effect(Store, open(database))
