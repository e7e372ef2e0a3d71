import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { Administration } from "@cloud-management/service/Administration"
import * as Failure from "../Failure.ts"
import * as Database from "../database.ts"

/** A new file would be an empty database, and a mistyped path look like one. */
const mustExist = Effect.fnUntraced(function* (database: string) {
  if (Database.isUrl(database)) return
  const files = yield* FileSystem.FileSystem
  if (yield* Effect.orElseSucceed(files.exists(database), () => true)) return
  return yield* Failure.usage(
    `${Database.setting}: ${database} does not exist`,
    "Check the path. `cloud-management admin seed` and `cloud-management admin organizations create` create a new database."
  )
})

/** The content of a database. */
export const open = Effect.fnUntraced(function* (database: string, mayBeNew: boolean) {
  if (!mayBeNew) yield* mustExist(database)
  return Context.get(yield* Layer.build(Database.layer(database)), Administration)
})
