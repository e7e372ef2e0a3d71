import { describe, expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

interface Config {
  readonly customManagers: ReadonlyArray<{
    readonly managerFilePatterns: ReadonlyArray<string>
    readonly matchStrings: ReadonlyArray<string>
  }>
}
const root = `${import.meta.dirname}/..`
const read = (path: string) => readFileSync(`${root}/${path}`, "utf8")
const { customManagers }: Config = JSON.parse(read(".github/renovate.json"))
const { packageManager }: { readonly packageManager: string } = JSON.parse(read("package.json"))

describe(".github/renovate.json", () => {
  it("finds each pnpm that npx runs, and all are the workspace's", () => {
    const files = globSync(["package.json", "{checks,examples,packages/*/src}/**/*.{ts,json}", ".ci/*"], {
      cwd: root,
      exclude: ["**/node_modules"]
    }).filter((file) => !file.endsWith(".test.ts"))
    const expected = files.flatMap((file) => {
      const versions = [
        ...read(file)
          .replace(`"packageManager": "${packageManager}"`, "")
          .matchAll(/pnpm@(\d[\d.]*)/g)
      ]
      return versions.map(([, version = ""]) => `${file} pnpm@${version}`)
    })
    const found = files.flatMap((file) =>
      customManagers.flatMap(({ managerFilePatterns, matchStrings }) =>
        managerFilePatterns.some((pattern) => new RegExp(pattern.slice(1, -1)).test(file))
          ? matchStrings.flatMap((pattern) =>
              [...read(file).matchAll(new RegExp(pattern, "g"))].map(
                ({ groups }) => `${file} pnpm@${groups?.["currentValue"]}`
              )
            )
          : []
      )
    )
    expect(found).toEqual(expected)
    expect(new Set(found.map((line) => line.replace(/^.* /, "")))).toEqual(new Set([packageManager]))
  })
})
