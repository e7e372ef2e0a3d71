import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Seed from "@cloud-management/service/Seed"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { Store } from "@cloud-management/service/Store"
import * as Failure from "../Failure.ts"
import * as Database from "./database.ts"

/** The seed in a file that an argument or a flag names. */
export const readSeed = Effect.fnUntraced(function* (name: string, path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(files.readFileString(path), ({ reason }) =>
    Failure.usage(`${name}: ${path} cannot be read (${reason._tag})`, "Pass the path of a JSON file.")
  )
  return yield* Effect.mapError(Seed.parse(text), ({ message }) => Failure.usage(`${name}: ${path}: ${message}`))
})

/** Fills a database that is empty; `false`, and nothing changed, when it is not. */
export const fill = Effect.fnUntraced(function* (database: string, seed: Seed.Seed) {
  const store = Context.get(yield* Database.build(database, SqlStore.layer), Store)
  return yield* Effect.mapError(store.seed(seed), Failure.fromAdministration)
}, Effect.scoped)
