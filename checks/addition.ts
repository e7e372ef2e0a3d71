/**
 * `node checks/main.ts addition`: adds two operations to a copy of the repository, in the steps of CONTRIBUTING.md. Then
 * it compiles, and its tests pass. Leaves out each piece in turn, and shows what names it: the compiler or one test. Catches
 * a list of operations that is kept by hand: the copy does not compile, or a test fails that no piece here mends.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { stripVTControlCharacters } from "node:util"
import * as Program from "./fixtures/Program.ts"

/** A text that follows another one in a file. What names it when it is missing: one test, or the compiler in a source. */
interface Piece {
  readonly file: string
  readonly after: string
  readonly text: string
  readonly namedBy: string
  readonly says: string
}

const service = (file: string) => `packages/service/src/${file}.ts`

const pieces: Readonly<Record<string, Piece>> = {
  "the values": {
    file: "packages/core/src/Operations.ts",
    after: '  scope: "key",\n  stability: "stable"\n})\n',
    text: `
import * as Body from "./Body.ts"
export const getOrganization = Operation.make({
  ...listOrganizations,
  name: "get",
  path: "/v1/organizations/:organizationId",
  summary: "Read an organization",
  params: Schema.Struct({ organizationId: OrganizationId }),
  success: Envelope.withResult(Organization),
  scope: "organization"
})
export const renameOrganization = Operation.make({
  ...getOrganization,
  name: "rename",
  method: "PATCH",
  summary: "Rename an organization",
  payload: Body.json(Schema.Struct({ name: Schema.String })),
  success: Envelope.withoutResult
})
`,
    namedBy: "packages/core/src/Operations.ts",
    says: "Cannot find name 'getOrganization'"
  },
  "the lines in the registry": {
    file: "packages/core/src/Operations.ts",
    after: "  organizations: {\n",
    text: "    get: getOrganization,\n    rename: renameOrganization,\n",
    namedBy: "packages/testing/src/Conformance.ts",
    says: "Property 'rename' does not exist"
  },
  "the handlers": {
    file: service("Handlers"),
    after: "    organizations: {\n",
    text: `      get: {
        read: (_, caller) =>
          Effect.map(store.organization(caller), ({ caller, found }) => ({
            caller,
            found: Option.match(found, { onNone: () => Effect.die("no organization"), onSome: Effect.succeed })
          }))
      },
      rename: Effect.fnUntraced(function* ({ organizationId, payload }, { authenticate, entry, key, record }) {
        const act = ["organization.renamed", { actor: \`key:\${key.id}\`, organizationId }] as const
        const isDone = yield* store.renameOrganization(organizationId, payload.name, key.id, entry(...act))
        if (isDone) return yield* record(...act)
        yield* authenticate
        return yield* Authentication.inactive
      }),
`,
    namedBy: service("Handlers"),
    says: "get, rename"
  },
  "the event": {
    file: service("Audit"),
    after: "export const events = {\n",
    text: '  organizationRenamed: "organization.renamed",\n',
    namedBy: service("Handlers"),
    says: "Argument of type '\"organization.renamed\"' is not assignable"
  },
  "the method of Store": {
    file: service("Store"),
    after: "  Store,\n  {\n",
    text: `    readonly renameOrganization: (id: OrganizationId, name: string, caller: ApiKeyId, entry: Audit.Entry) =>
      Effect.Effect<boolean, StoreUnavailable>
`,
    namedBy: service("Handlers"),
    says: "Property 'renameOrganization' does not exist"
  },
  "the method in memory": {
    file: service("MemoryStore"),
    after: "  const apiKey = (id: ApiKeyId) => Option.fromUndefinedOr(apiKeys.get(id))\n  return {\n",
    text: `    renameOrganization: (id, name, caller) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const [found, key] = [organizations.get(id), apiKeys.get(caller)]
          if (found === undefined || key?.organizationId !== id || !isActive(key, Expiry.now(clock))) return false
          organizations.set(id, { ...found, name })
          return true
        })
      ),
`,
    namedBy: service("MemoryStore"),
    says: "Property 'renameOrganization' is missing"
  },
  "the method in SQL": {
    file: service("SqlStore"),
    after: "  return Store.of({\n",
    text: `    renameOrganization: (id, name, caller, entry) =>
      transaction(Effect.gen(function* () {
        const [row] = yield* sql\`SELECT \${columnsOf(apiKeys)} FROM api_keys
          WHERE id = \${caller} AND organization_id = \${id} \${forUpdate}\`.values
        if (row === undefined || !isActive(apiKeys.row.read(row), Expiry.now(yield* Clock.Clock))) return false
        yield* sql\`UPDATE organizations SET name = \${name} WHERE id = \${id}\`
        yield* trail.append(entry)
        return true
      })),
`,
    namedBy: service("SqlStore"),
    says: "Property 'renameOrganization' is missing"
  },
  "the case of the stores": {
    file: "packages/service/test/StoreContract.ts",
    after: '    describe("content", () => {\n',
    text: `      testSeeded("an organization is renamed by an active key of its own, and no other", function* (store) {
        const rename = (name: string, { id }: typeof enabled) =>
          store.renameOrganization(organizationId("a"), name, id, { event: "organization.renamed" })
        expect(yield* rename("another", enabled)).toBe(true)
        for (const key of [disabled, foreign]) expect(yield* rename("refused", key)).toBe(false)
        const found = yield* Effect.all([enabled, foreign].map(({ id }) => store.organization(id)))
        expect(found.map(({ found }) => Option.getOrThrow(found).name)).toEqual(["another", bare.name])
      })

`,
    namedBy: "packages/service/test/Store.test.ts",
    says: "renameOrganization: use it in a case of packages/service/test/StoreContract.ts"
  },
  "the case of conformance": {
    file: "packages/testing/src/Conformance.ts",
    after: "  const apiCases: ReadonlyArray<Case> = [\n",
    text: `    row("semantics", "an organization has the name that it was given", function* () {
      const organizationId = Fixtures.globex
      const cloud = yield* connect({ key: Fixtures.globexKey })(Effect.succeed)
      yield* cloud.organizations.rename({ organizationId, payload: { name: "Another" } })
      yield* equal((yield* cloud.organizations.get({ organizationId })).name, "Another")
    }),
`,
    namedBy: "packages/testing/test/Conformance.test.ts",
    says: "organizations.rename: call it in a case of packages/testing/src/Conformance.ts"
  },
  "the rows of the specification": {
    file: "docs/specification.md",
    after: "| Case | Answer | Reason | Shown by |\n| --- | --- | --- | --- |\n",
    text: `| read an organization | GET \`/v1/organizations/{organizationId}\` | | [conformance](../packages/testing/src/Conformance.ts) “semantics: an organization has the name that it was given” |
| rename an organization | PATCH \`/v1/organizations/{organizationId}\` | | [conformance](../packages/testing/src/Conformance.ts) “semantics: an organization has the name that it was given” |
`,
    namedBy: "packages/core/test/Contract.test.ts",
    says: "PATCH /v1/organizations/{organizationId}: write a row for it in docs/specification.md"
  }
}

/** What the registry determines, and a test writes if it is run with -u. */
const generated = "packages/service/test/OpenApiDocument.test.ts"

const root = resolve(import.meta.dirname, "..")
const copy = mkdtempSync(join(tmpdir(), "addition-"))

const run = (command: string, args: ReadonlyArray<string>) => {
  const path = join(root, "node_modules/.bin", command)
  const { status, stderr, stdout } = spawnSync(path, args, { cwd: copy, encoding: "utf8", maxBuffer: 2 ** 28 })
  return { ok: status === 0, output: stripVTControlCharacters(stdout + stderr) }
}
const compile = () => run("tsc", ["-b"])
const test = (...args: ReadonlyArray<string>) => run("vitest", ["run", "--reporter=dot", ...args])

/** The files of the repository as they are now, with the packages that are installed here. */
const { stdout: files } = spawnSync(Program.find("git") ?? "", ["ls-files"], { cwd: root, encoding: "utf8" })
for (const file of files.trim().split("\n")) cpSync(join(root, file), join(copy, file))
const shared = join(root, "node_modules/.pnpm")
for (const folder of globSync(["node_modules", "{checks,examples,packages/*}/node_modules"], { cwd: root })) {
  const filter = (path: string) => path !== shared && !/node_modules\/\.(?:cache|vite)/.test(path)
  cpSync(join(root, folder), join(copy, folder), { recursive: true, verbatimSymlinks: true, filter })
}
symlinkSync(shared, join(copy, "node_modules/.pnpm"))

const edit = (file: string, from: string, to: string) => {
  const text = readFileSync(join(copy, file), "utf8")
  if (!text.includes(from)) throw new Error(`${file} lacks what a piece of this check follows: ${from}`)
  writeFileSync(join(copy, file), text.replace(from, to.replaceAll("$", "$$$$")))
}
const add = ({ after, file, text }: Piece) => edit(file, after, after + text)

const show = (name: string, isExpected: boolean, output: string) => {
  console.log(`${isExpected ? "as expected" : "NOT AS EXPECTED"}: ${name}\n  ${output}`)
  if (!isExpected) process.exitCode = 1
}
const failsOnce = (output: string) => /Tests +1 failed/.test(output)

for (const piece of Object.values(pieces)) add(piece)
const compiled = compile()
show("with all pieces it compiles", compiled.ok, compiled.output)
show(`it is documented by ${generated} -u`, failsOnce(test(generated).output) && test(generated, "-u").ok, "")
const all = test(...["core", "generator", "promise", "service", "testing"].map((name) => `--project=${name}`))
show("with all pieces the tests pass", all.ok, all.ok ? "" : all.output)

const tests = Object.values(pieces).flatMap(({ namedBy }) => (namedBy.endsWith(".test.ts") ? [namedBy] : []))
for (const [name, piece] of Object.entries(pieces)) {
  edit(piece.file, piece.text, "")
  const isTested = tests.includes(piece.namedBy)
  const { ok, output } = isTested ? test(...tests) : compile()
  const lines = output.split("\n").filter((line) => isTested || line.startsWith(piece.namedBy))
  const line = lines.find((line) => line.includes(piece.says))
  const says = line?.slice(line.indexOf(piece.says)) ?? output
  show(`without ${name}, by ${piece.namedBy}`, line !== undefined && !ok && (!isTested || failsOnce(output)), says)
  add(piece)
}
