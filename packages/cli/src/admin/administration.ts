import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { Administration } from "@cloud-management/service/Administration"
import { Store } from "@cloud-management/service/Store"
import * as Failure from "../output/Failure.ts"
import * as Database from "../database/database.ts"

/** A missing file would be created as an empty database, which would hide a mistyped path. */
const mustExist = Effect.fnUntraced(function* (database: string) {
  if (Database.isUrl(database)) return
  const files = yield* FileSystem.FileSystem
  if (yield* Effect.orElseSucceed(files.exists(database), () => true)) return
  return yield* Failure.usage(
    `${Database.setting}: ${Database.shown(database)} does not exist`,
    "Check the path. `cloud-management admin seed` and `cloud-management admin organizations create` create a new database."
  )
})

const ports = <E, R>(
  layer: Layer.Layer<Store | Administration, E, R>,
  failure: (error: Failure.OfAdministration) => Failure.Failure
) =>
  Effect.map(Layer.build(layer), (context) => ({
    administration: Context.get(context, Administration),
    store: Context.get(context, Store),
    /** What an act on it fails with. */
    failure
  }))

/** Opens a database for changes: its tables are created or upgraded. */
export const open = Effect.fnUntraced(function* (database: string, mayBeNew: boolean) {
  if (!mayBeNew) yield* mustExist(database)
  return yield* ports(Database.layer(database), Database.failureOf(database))
})

/** Opens a database for reading: its tables are not changed. */
export const existing = Effect.fnUntraced(function* (database: string) {
  yield* mustExist(database)
  return yield* ports(Database.layerExisting(database), Database.failureOfReading(database))
})
