/** Folders inside the package, from which generated code finds what it imports. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, onTestFinished } from "vitest"

const until = (end: (remove: () => void) => void): string => {
  const parent = join(import.meta.dirname, "../.tmp")
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, "generated-"))
  end(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const ofTest = (): string => until(onTestFinished)

export const ofFile = (): string => until(afterAll)
