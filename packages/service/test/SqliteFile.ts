import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as SqliteClient from "@cloud-management/service/node/SqliteClient"

/** A directory that lives as long as the scope. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sqlite-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** The name of a file that is yet to be made, in a directory of its own. */
export const name = Effect.map(directory, (path) => join(path, "test.db"))

/** A new database in a file. */
export const layer = Layer.unwrap(Effect.map(name, (filename) => SqliteClient.layer({ filename })))

/** Holds the write lock of a file as another process does, until the scope ends or the effect that it gives is run. */
export const lock = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const other = new DatabaseSync(filename, { timeout: 0 })
      other.exec("BEGIN IMMEDIATE")
      return other
    }),
    (other) => Effect.sync(() => other.close())
  ).pipe(Effect.map((other) => Effect.sync(() => other.exec("ROLLBACK"))))
