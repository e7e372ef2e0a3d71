import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { execFile } from "node:child_process"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { keyId, withKeys } from "../../../checks/fixtures/Tenants.ts"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Http from "../../../checks/fixtures/Http.ts"

/** A statement in a process of its own, as the shell of SQLite runs it. */
const execute = (database: string, statement: string) =>
  Effect.promise(() =>
    promisify(execFile)(process.execPath, [
      "-e",
      `new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])`,
      database,
      statement
    ])
  )

it.live("a SQLite file is copied while it is served and written, and the copy is its content at one moment", () =>
  Effect.gen(function* () {
    const count = 3000
    const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", count)) })
    const [database, copy] = [`${folder}/cloud.db`, `${folder}/copy.db`]
    const { url } = yield* Child.serve("--database", database, "--seed", `${folder}/seed.json`)
    const caller = keyId("a", 0)
    let acknowledged = 0
    const deletions = yield* Effect.forkChild(
      Effect.gen(function* () {
        for (let n = 1; n < count; n++) {
          expect(yield* Http.remove(url, keyId("a", n), caller)).toBe(200)
          acknowledged = n
        }
      })
    )
    while (acknowledged < 50) yield* Effect.sleep("5 millis")

    const before = acknowledged
    yield* execute(database, `VACUUM INTO '${copy}'`)
    const after = acknowledged
    expect(after).toBeGreaterThan(before)
    yield* Fiber.interrupt(deletions)

    const db = new DatabaseSync(copy)
    expect(db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }])
    const ids = new Set(
      db
        .prepare("SELECT id FROM api_keys")
        .all()
        .map(({ id }) => id)
    )
    db.close()
    // one after the other they were deleted: of the copy, those up to some moment while it was made
    const deleted = count - ids.size
    expect(Array.from({ length: count }, (_, n) => keyId("a", n)).filter((id) => !ids.has(id))).toEqual(
      Array.from({ length: deleted }, (_, n) => keyId("a", n + 1))
    )
    expect(deleted).toBeGreaterThanOrEqual(before)
    expect(deleted).toBeLessThanOrEqual(after + 1)

    // what was deleted since is back: the log tells what to delete again
    const restored = yield* Child.serve("--database", copy)
    expect(yield* Http.read(restored.url, keyId("a", deleted))).toBe(401)
    expect(yield* Http.read(restored.url, keyId("a", deleted + 1))).toBe(200)
    expect(yield* Http.remove(restored.url, keyId("a", deleted + 1), caller)).toBe(200)
  })
)
