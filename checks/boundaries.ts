/**
 * Proves that the tools still see what they are configured to see: each row below is a file that breaks (or keeps) one
 * rule in an empty copy of the house. A pattern that matches nothing is otherwise silent for ever.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

const imports = "eslint(no-restricted-imports)"
const globals = "eslint(no-restricted-globals)"
const properties = "eslint(no-restricted-properties)"
const cast = "typescript(consistent-type-assertions)"
const comment = "typescript(ban-ts-comment)"
const redos = "redos(no-vulnerable)"

/** Where (below `packages`, or in `checks`), what, and the rule that has to report it (none: nothing may). */
type Row = readonly [path: string, code: string, rule?: string]

const refused: ReadonlyArray<Row> = [
  // a namespace index
  ["client/src", `import "effect"`, imports],
  ["client/src", `export * from "effect/http"`, imports],
  ["node/src", `import type { HttpClient } from "effect/http"`, imports],
  ["browser/src", `import "effect/http-api"`, imports],
  ["service/src", `import "effect/sql"`, imports],
  ["service/src/node", `import "@effect/platform-node"`, imports],
  ["testing/src", `import "effect/persistence"`, imports],
  ["testing/src", `import "@cloud-management/core"`, imports],
  // the direction of dependencies
  ["client/src", `import "@cloud-management/service/Store"`, imports],
  ["client/src", `import "@cloud-management/core/Operations"`, imports],
  ["core/src", `import "@cloud-management/node/NodeTransport"`, imports],
  ["client/src", `export const lazy = () => import("node:fs")`, imports],
  ["client/src/internal", `import "undici"`, imports],
  ["node/src", `import "@cloud-management/service/Store"`, imports],
  ["browser/src", `import "@cloud-management/node/NodeTransport"`, imports],
  ["browser/src", `import "node:crypto"`, imports],
  ["service/src", `import "@effect/platform-node/NodeHttpServer"`, imports],
  ["service/src", `import "node:fs/promises"`, imports],
  ["service/src", `import "@cloud-management/testing/Faults"`, imports],
  ["service/src", `export * from "./node/Server.ts"`, imports],
  ["service/src/sql", `import "../node/Server.ts"`, imports],
  ["service/src/frame", `import "../cloud/Store.ts"`, imports],
  ["service/src/frame/wire", `import "../../sql/tables.ts"`, imports],
  ["service/src/cloud", `import "../sql/tables.ts"`, imports],
  ["service/src/cloud", `import "../node/Server.ts"`, imports],
  ["service/src/node", `import "@cloud-management/node/NodeTransport"`, imports],
  ["promise/src", `import "effect"`, imports],
  ["promise/src", `import "@cloud-management/service/Store"`, imports],
  ["promise/src", `import "@cloud-management/testing/Faults"`, imports],
  ["promise/src/internal", `import "node:process"`, imports],
  ["testing/src", `import "@cloud-management/promise"`, imports],
  ["testing/src", `import "@cloud-management/service/node/Server"`, imports],
  ["testing/src", `import "@cloud-management/node/NodeTransport"`, imports],
  ["testing/src", `import "node:fs"`, imports],
  ["cli/src", `import "@cloud-management/browser/FetchTransport"`, imports],
  // the rooms of the generator, and other eyes than its own
  ["generator/src/read", `import "../model/Shape.ts"`, imports],
  ["generator/src/model", `import "../write/Layout.ts"`, imports],
  ["generator/src/model", `import "../compare/Manifest.ts"`, imports],
  ["generator/src/compare", `import "../write/Layout.ts"`, imports],
  ["generator/src/write", `import "../Generate.ts"`, imports],
  ["generator/src/verify/served", `import "../../read/Document.ts"`, imports],
  ["generator/src/verify/served", `import "../Call.ts"`, imports],
  ["generator/src/verify/served", `import "@cloud-management/client/Operation"`, imports],
  ["generator/src/verify", `import "../read/Document.ts"`, imports],
  ["generator/src/verify", `import "../model/Media.ts"`, imports],
  ["cli/src", `import "@cloud-management/testing"`, imports],
  // time, chance and the environment
  ["client/src", `export const now = Date.now()`, globals],
  ["service/src/node", `export const now = new Date()`, globals],
  ["testing/src", `export const now = globalThis.Date.now()`, globals],
  ["node/src", `export const home = process.env`, globals],
  ["promise/src", `export const home = process.env`, globals],
  ["browser/src", `export const dice = Math.random()`, properties],
  ["service/src", `export const id = crypto.randomUUID()`, properties],
  ["checks/simulation/src", `export const now = Date.now()`, globals],
  ["checks/simulation/src", `export const dice = Math.random()`, properties],
  // types
  ["client/src", `export const a = (value: any) => value`, "typescript(no-explicit-any)"],
  ["client/test", `export const a = (value: any) => value`, "typescript(no-explicit-any)"],
  ["client/src", `export const a: number = JSON.parse("1")`, "typescript(no-unsafe-assignment)"],
  ["service/src", `export const a = (value: unknown) => value as string`, cast],
  ["cli/src", `export const a = (value: number) => value as unknown as string`, cast],
  ["client/src", `export const a = (value?: string) => value!`, "typescript(no-non-null-assertion)"],
  ["client/test", `// @ts-ignore\nexport const a: string = 1`, comment],
  ["client/src", `// @ts-expect-error\nexport const a: string = 1`, comment],
  ["client/test", `Promise.resolve(1)`, "typescript(no-floating-promises)"],
  ["client/src", `import { succeed } from "effect/Effect"\nsucceed(1)`, "floatingEffect"],
  // patterns that take more than linear time, and those that are put together at run time
  ["client/src", `export const a = /(?:a+)+b/`, redos],
  ["client/src", `export const a = /^(?:a|b|ab)*c$/`, redos],
  ["node/src", `export const a = / +$/`, redos],
  ["cli/src", `export const a = /(.+?): (.*)\\r\\n/g`, redos],
  ["cli/src", `export const a = (text: string) => new RegExp(text + "+$")`, globals],
  ["service/src", `export const a = (text: string) => new RegExp(text + "+$")`, globals],
  // a cycle, of types only
  ["client/src/A.ts", `import type { B } from "./internal/B.ts"\nexport type A = B`, "import(no-cycle)"],
  ["client/src/internal/B.ts", `import type { A } from "../A.ts"\nexport type B = A`, "import(no-cycle)"]
]

const allowed: ReadonlyArray<Row> = [
  ["client/src", `import "effect/Effect"\nimport "effect/http/HttpClient"`],
  ["client/src/internal", `import "../CallError.ts"\nimport "./uuid.ts"`],
  ["client/src", `// @ts-expect-error: a number is no text\nexport const a: string = 1`],
  ["client/src", `export const a = ["x"] as const`],
  ["client/test", `export const a = (value: unknown) => value as string`],
  ["client/src", `export const a = /[\\da-f]{16,}/gi`],
  ["node/src", `import "@effect/platform-node/NodeHttpClient"\nimport "@cloud-management/client/CallError"`],
  ["browser/src", `import "@cloud-management/core/Operations"`],
  [
    "promise/src",
    `import "@cloud-management/client/Client"\nimport "@cloud-management/node/NodeTransport"\nimport "@cloud-management/browser/FetchTransport"`
  ],
  ["service/src/node", `import "node:sqlite"\nimport "@effect/sql-pg/PgClient"\nimport "../sql/SqlStore.ts"`],
  ["service/src/sql", `import "../cloud/Store.ts"\nimport "../frame/KeyStore.ts"\nimport "./tables.ts"`],
  ["service/src/cloud", `import "../frame/admission/gate.ts"\nimport "effect/Effect"\nimport "@noble/hashes/sha2.js"`],
  ["testing/src", `import "@cloud-management/service/Store"\nimport "effect/testing/TestClock"`],
  ["generator/src/model", `import "../read/Json.ts"`],
  ["generator/src/write", `import "../model/Shape.ts"\nimport "../compare/Manifest.ts"`],
  ["generator/src/verify/served", `import "../../read/Json.ts"\nimport "./Api.ts"\nimport "ajv/dist/2020.js"`],
  [
    "generator/src/verify",
    `import "./served/Api.ts"\nimport "../read/Source.ts"\nimport "@cloud-management/client/Client"`
  ],
  ["cli/src", `import "@cloud-management/service/node/Server"\nimport "node:process"\nimport "effect/Effect"`]
]

const rows = [...refused, ...allowed].map(([path, code, rule], i) => ({
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
  readonly diagnostics: ReadonlyArray<{ readonly filename: string; readonly code: string }>
}
interface EffectReport {
  readonly diagnostics: ReadonlyArray<{ readonly file: string; readonly name: string }>
}
const json = (command: string, ...args: ReadonlyArray<string>) =>
  JSON.parse(spawnSync(resolve("node_modules/.bin", command), args, { cwd: house, encoding: "utf8" }).stdout)
const lint: Report = json("oxlint", "--disable-nested-config", "--format", "json", "packages", "checks")
const effect: EffectReport = json("effect-tsgo", "diagnostics", "--project", "tsconfig.json", "--format", "json")

const reported = new Set([
  ...lint.diagnostics.map(({ code, filename }) => `${filename} ${code}`),
  ...effect.diagnostics.map(({ file, name }) => `${file.slice(house.length + 1)} ${name}`)
])
const wrong = rows.filter(({ file, rule }) =>
  rule === undefined ? [...reported].some((line) => line.startsWith(file)) : !reported.has(`${file} ${rule}`)
)
for (const { code, file, rule } of wrong) {
  console.error(`${file.replace(/\w+\.ts$/, "")}: ${rule ?? "some rule"} ${rule ? "misses" : "refuses"}:\n${code}\n`)
}
console.log(`${rows.length - wrong.length} of ${rows.length} rows hold`)
process.exitCode = wrong.length === 0 ? 0 : 1
