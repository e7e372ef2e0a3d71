import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"

const parent = join(import.meta.dirname, "../.tmp")

/** A folder inside the package, from which generated code finds what it imports. */
export const scoped = Effect.acquireRelease(
  Effect.sync(() => {
    mkdirSync(parent, { recursive: true })
    return mkdtempSync(join(parent, "generated-"))
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
