import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")

/** What `.oxlintrc.json` makes of sources of a published package, by their names. */
const lint = (sources: Readonly<Record<string, string>>): Readonly<Record<string, ReadonlyArray<string>>> => {
  const folder = mkdtempSync(join(tmpdir(), "lint-"))
  try {
    mkdirSync(join(folder, "packages/planted/src"), { recursive: true })
    cpSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    for (const [name, source] of Object.entries(sources)) {
      writeFileSync(join(folder, `packages/planted/src/${name}.ts`), source)
    }
    const { stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), ["--format=json", "packages"], {
      cwd: folder,
      encoding: "utf8"
    })
    const {
      diagnostics
    }: { readonly diagnostics: ReadonlyArray<{ readonly filename: string; readonly message: string }> } =
      JSON.parse(stdout)
    return Object.fromEntries(
      Object.keys(sources).map((name) => [
        name,
        diagnostics.filter(({ filename }) => filename.endsWith(`/${name}.ts`)).map(({ message }) => message)
      ])
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}
const used = (pattern: string) => `export const read = (text: string): string => text.replace(${pattern}, "")\n`

describe("in a published package the linter", () => {
  it("refuses patterns that take more than linear time, and those that are put together at run time", () => {
    const vulnerable = (complexity: string) => [`Found a ReDoS vulnerable RegExp (${complexity}).`]
    expect(
      lint({
        nested: used("/(?:a+)+b/"),
        ambiguous: used("/^(?:a|b|ab)*c$/"),
        anew: used("/ +$/"),
        lazy: used("/(.+?): (.*)\\r\\n/g"),
        dynamic: used('new RegExp(text + "+$")'),
        linear: used("/[\\da-f]{16,}/gi")
      })
    ).toEqual({
      nested: vulnerable("exponential"),
      ambiguous: vulnerable("exponential"),
      anew: vulnerable("2nd degree polynomial"),
      lazy: vulnerable("3rd degree polynomial"),
      dynamic: ["Unexpected use of 'RegExp'."],
      linear: []
    })
  })
})
