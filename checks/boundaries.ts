/**
 * Proves that the linter still sees what it is configured to see: each line below is a file that breaks one rule in an
 * empty copy of the house. A pattern that matches nothing is otherwise silent for ever. What is allowed, the sources
 * themselves show.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

/** Modules that a folder must not import. */
const imports: Readonly<Record<string, ReadonlyArray<string>>> = {
  "client/src": ["effect", "effect/http", "node:fs", "@cloud-management/core/Operations"],
  "client/src/internal": ["undici"],
  "core/src": ["@cloud-management/node/NodeTransport"],
  "node/src": ["effect/http", "@cloud-management/service/Store"],
  "browser/src": ["effect/http-api", "node:crypto", "@cloud-management/node/NodeTransport"],
  "service/src": ["effect/sql", "node:fs/promises", "@cloud-management/testing/Faults", "./node/Server.ts"],
  "service/src/frame": ["../cloud/Store.ts"],
  "service/src/frame/wire": ["../../sql/tables.ts"],
  "service/src/cloud": ["../sql/tables.ts", "../node/Server.ts"],
  "service/src/sql": ["../node/Server.ts"],
  "service/src/node": ["@effect/platform-node", "@cloud-management/node/NodeTransport"],
  "promise/src": ["effect", "@cloud-management/service/Store"],
  "promise/src/internal": ["node:process"],
  "testing/src": ["effect/persistence", "node:fs", "@cloud-management/core", "@cloud-management/service/node/Server"],
  "cli/src": ["@cloud-management/browser/FetchTransport", "@cloud-management/testing"],
  "generator/src/read": ["../model/Shape.ts"],
  "generator/src/model": ["../write/Layout.ts", "../compare/Manifest.ts"],
  "generator/src/compare": ["../write/Layout.ts"],
  "generator/src/write": ["../Generate.ts"],
  "generator/src/verify": ["../read/Document.ts", "../model/Media.ts"],
  "generator/src/verify/served": ["../../read/Document.ts", "../Call.ts", "@cloud-management/client/Operation"]
}

const globals = "eslint(no-restricted-globals)"
const properties = "eslint(no-restricted-properties)"
/** Other code that a folder must not have, and the rule that reports it. */
const others: ReadonlyArray<readonly [path: string, code: string, rule: string]> = [
  ["client/src", `export const now = globalThis.Date.now()`, globals],
  ["promise/src", `export const home = process.env`, globals],
  ["cli/src", `export const a = (text: string) => new RegExp(text + "+$")`, globals],
  ["checks/simulation/src", `export const dice = Math.random()`, properties],
  ["service/src", `export const id = crypto.randomUUID()`, properties],
  ["client/test", `export const a = (value: any) => value`, "typescript(no-explicit-any)"],
  ["client/src", `export const a: number = JSON.parse("1")`, "typescript(no-unsafe-assignment)"],
  ["cli/src", `export const a = (value: unknown) => value as string`, "typescript(consistent-type-assertions)"],
  ["client/src", `export const a = (value?: string) => value!`, "typescript(no-non-null-assertion)"],
  ["client/test", `// @ts-ignore\nexport const a: string = 1`, "typescript(ban-ts-comment)"],
  ["client/test", `Promise.resolve(1)`, "typescript(no-floating-promises)"],
  ["client/src", `import { succeed } from "effect/Effect"\nsucceed(1)`, "floatingEffect"],
  ["node/src", `export const a = /^(?:a|b|ab)*c$/`, "redos(no-vulnerable)"],
  ["client/src/A.ts", `import type { B } from "./internal/B.ts"\nexport type A = B`, "import(no-cycle)"],
  ["client/src/internal/B.ts", `import type { A } from "../A.ts"\nexport type B = A`, "import(no-cycle)"]
]

const forbidden = Object.entries(imports).flatMap(([path, modules]) =>
  modules.map((module) => [path, `import "${module}"`, "eslint(no-restricted-imports)"] as const)
)
const rows = [...forbidden, ...others].map(([path, code, rule], i) => ({
  file: `${path.startsWith("checks/") ? "" : "packages/"}${path.endsWith(".ts") ? path : `${path}/Row${i}.ts`}`,
  code,
  rule
}))

const house = mkdtempSync(join(tmpdir(), "boundaries-"))
symlinkSync(resolve("node_modules"), join(house, "node_modules"))
cpSync(".oxlintrc.json", join(house, ".oxlintrc.json"))
cpSync("tsconfig.json", join(house, "tsconfig.base.json"))
writeFileSync(join(house, "tsconfig.json"), `{ "extends": "./tsconfig.base.json", "include": ["packages", "checks"] }`)
for (const { code, file } of rows) {
  mkdirSync(dirname(join(house, file)), { recursive: true })
  writeFileSync(join(house, file), `${code}\n`)
}

interface Report {
  readonly diagnostics: ReadonlyArray<{
    readonly filename?: string
    readonly code?: string
    readonly file?: string
    readonly name?: string
  }>
}
const run = (command: string, ...args: ReadonlyArray<string>) => {
  const { stdout } = spawnSync(resolve("node_modules/.bin", command), args, { cwd: house, encoding: "utf8" })
  const { diagnostics }: Report = JSON.parse(stdout)
  return diagnostics.map(({ code, file = "", filename, name }) =>
    filename === undefined ? `${file.slice(house.length + 1)} ${name}` : `${filename} ${code}`
  )
}
const reported = new Set([
  ...run("oxlint", "--disable-nested-config", "--format", "json", "packages", "checks"),
  ...run("effect-tsgo", "diagnostics", "--project", "tsconfig.json", "--format", "json")
])
const missed = rows.filter(({ file, rule }) => !reported.has(`${file} ${rule}`))
for (const { code, file, rule } of missed) console.error(`${dirname(file)}: ${rule} misses:\n${code}\n`)
console.log(`${rows.length - missed.length} of ${rows.length} rows hold`)
process.exitCode = missed.length === 0 ? 0 : 1
