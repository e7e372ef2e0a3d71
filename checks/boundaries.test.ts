import { expect, it } from "./fixtures/vitest.ts"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { boundaries } from "../oxlint.config.ts"
import * as Child from "./fixtures/Child.ts"

/** For each boundary of `oxlint.config.ts`: imports that a file there may have, and others that the linter has to report. */
const imports: ReadonlyArray<readonly [file: string, allowed: string, forbidden: string]> = [
  [
    "client/src/probe",
    "./Retry.ts effect/Effect effect/http/Headers",
    "effect effect/http undici node:fs @cloud-management/core/CallError"
  ],
  [
    "core/src/probe",
    "effect/Effect @cloud-management/client/Retry",
    "effect @cloud-management/client @cloud-management/node/NodeTransport"
  ],
  ["browser/src/probe", "@cloud-management/core/ApiKey", "effect node:fs @cloud-management/service/Service"],
  ["service/src/sql/probe", "../cloud/Store.ts @noble/hashes/sha2.js", "effect node:sqlite ../node/Database.ts"],
  [
    "service/src/frame/probe",
    "./wire/router.ts @noble/hashes/sha2.js",
    "effect ../cloud/Store.ts ../sql/tables.ts ../node/Database.ts"
  ],
  ["service/src/cloud/probe", "../frame/Service.ts", "effect ../sql/tables.ts ../node/Database.ts"],
  [
    "service/src/node/probe",
    "../sql/tables.ts node:fs @mongodb-js/saslprep @effect/sql-pg/PgClient",
    "effect pg @effect/platform-node"
  ],
  ["node/src/probe", "undici node:http", "effect express @cloud-management/browser/FetchTransport"],
  ["promise/src/probe", "@cloud-management/node/NodeTransport", "effect undici @cloud-management/service/Service"],
  ["testing/src/probe", "@cloud-management/service/Service", "effect node:fs @cloud-management/service/node/Database"],
  [
    "cli/src/probe",
    "effect @cloud-management/service/node/Database",
    "effect/sql/SqlClient @effect/sql-pg/PgClient @cloud-management/service/SqlStore @cloud-management/browser @cloud-management/testing/Faults"
  ],
  ["generator/src/read/probe", "./Json.ts effect", "../model/Keywords.ts ../Generate.ts"],
  ["generator/src/model/probe", "../read/Json.ts", "../write/Emit.ts ../compare/Manifest.ts ../verify/Cases.ts"],
  ["generator/src/compare/probe", "../read/Json.ts ../model/Keywords.ts", "../write/Emit.ts ../verify/Cases.ts"],
  ["generator/src/write/probe", "../compare/Manifest.ts ../model/Keywords.ts", "../verify/Cases.ts ../Generate.ts"],
  [
    "generator/src/verify/probe",
    "../read/Json.ts ../compare/Manifest.ts ./served/Api.ts",
    "../read/Bundle.ts ../model/Keywords.ts ../compare/Changes.ts"
  ],
  [
    "generator/src/verify/served/probe",
    "../../read/Json.ts",
    "../Cases.ts ../../read/Source.ts ../../model/Keywords.ts @cloud-management/client"
  ]
]

const split = (line: string) => line.split(" ")

it.live("the linter reports what a room must not import, and nothing else", function* () {
  const folder = yield* Child.folder()
  cpSync("oxlint.config.ts", `${folder}/oxlint.config.ts`)
  symlinkSync(resolve("node_modules"), `${folder}/node_modules`)
  for (const [file, ...lines] of imports) {
    const path = `${folder}/packages/${file}.ts`
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(
      path,
      lines
        .flatMap(split)
        .map((name) => `import "${name}"\n`)
        .join("")
    )
  }
  const options = { cwd: folder, encoding: "utf8" } as const
  const { stdout } = spawnSync(resolve("node_modules/.bin/oxlint"), ["--format=json", "packages"], options)
  const reports: ReadonlyArray<Readonly<Record<"filename" | "help" | "message", string>>> =
    JSON.parse(stdout).diagnostics
  expect(reports.map(({ filename, message }) => `${filename} ${message.split("'")[1]}`).toSorted()).toEqual(
    imports.flatMap(([file, , line]) => split(line).map((name) => `packages/${file}.ts ${name}`)).toSorted()
  )
  const messages = Object.values(boundaries).map(([message]) => message)
  expect([...new Set(reports.map(({ help }) => help))].toSorted()).toEqual(messages.toSorted())
})
