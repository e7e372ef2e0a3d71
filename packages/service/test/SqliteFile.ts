import { Effect, Layer } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as SqliteClient from "../src/node/SqliteClient.ts"
import * as Child from "../../../checks/fixtures/Child.ts"

export const name = Effect.map(Child.folder(), (path) => join(path, "test.db"))

export const layer = Layer.unwrap(Effect.map(name, (filename) => SqliteClient.layer({ filename })))

/** Holds the write lock of a file as another process does, until it is released or the scope ends. */
export const lock = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const other = new DatabaseSync(filename, { timeout: 0 })
      other.exec("BEGIN IMMEDIATE")
      return other
    }),
    (other) => Effect.sync(() => other.close())
  ).pipe(Effect.map((other) => ({ release: Effect.sync(() => other.exec("ROLLBACK")) })))

export const corrupt = (filename: string, table: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(filename)
    const { page_size: size } = { ...db.prepare("PRAGMA page_size").get() }
    const { rootpage: page = 1 } = { ...db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table) }
    db.close()
    const bytes = readFileSync(filename)
    const end = Number(page) * Number(size)
    // the header of the file, 100 bytes long, says that it is a database
    bytes.fill(0xab, Math.max(100, end - Number(size)), end)
    writeFileSync(filename, bytes)
  })
