import { expect, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Editor from "./Editor.ts"
import * as StrictProject from "../../../checks/fixtures/StrictProject.ts"
import { having, list, make, none, object, ok, query, text } from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

it("an editor shows the refusals of a call by their names", () => {
  const folder = Folder.ofTest()
  const failures = ["404", "409", "4XX", "default"].map((status) => [status, having(object({ status: text }))])
  const responses = { ...none, ...Object.fromEntries(failures) }
  Generated.write(
    folder,
    Generated.of(make({ operations: { "GET /x": { operationId: "x", tags: ["t"], responses } } }))
  )
  const program = `import type * as Operation from "@cloud-management/client/Operation"
import type { operations } from "./index.ts"
export const shown = (reason: Operation.Refusals<typeof operations.t.x>): never => reason
`
  writeFileSync(join(folder, "program.ts"), program)
  expect(Generated.compile(folder)).toContain(
    "Type 'ClientRefusal | Conflict | NotFound | OtherRefusal' is not assignable to type 'never'"
  )
})

it("an editor shows the whole documentation of an operation, in its module, the registry and both clients, at the name and in the call", async () => {
  const folder = Folder.ofTest()
  const summary = "List things"
  const description = "All that there are."
  const externalDocs = { url: "https://example.com/docs" }
  const operation = { operationId: "find", tags: ["t"], summary, description, externalDocs }
  const item = object({ items: list(text), next_cursor: text }, ["items"])
  const paged = { ...operation, operationId: "page", parameters: [query("cursor", text)], responses: ok(item) }
  const alone = { ...operation, operationId: "alone", tags: ["one"] }
  Generated.write(folder, Generated.of(make({ operations: { "GET /x": operation, "GET /y": paged, "GET /z": alone } })))
  const promises = JSON.stringify(join(import.meta.dirname, "../../promise/src/Client.ts"))
  const program = `import type * as Client from "@cloud-management/client/Client"
import type * as Promises from ${promises}
import * as one from "./operations/one.ts"
import * as t from "./operations/t.ts"
import { operations } from "./index.ts"
declare const client: Client.Client<typeof operations>
declare const promises: Promises.Client<typeof operations>
const small = { one: { alone: one.alone }, t: { find: t.find } }
declare const page: Client.Client<typeof small>
declare const pages: Promises.Client<typeof small>
export const some: ReadonlyArray<unknown> = [page.one.alone(), pages.one.alone(), page.t.find(), pages.t.find()]
export const all: ReadonlyArray<unknown> = [operations.t.find, t.find]
export const calls: ReadonlyArray<unknown> = [client.t.find(), client.t.page(), promises.t.find(), promises.t.page(), promises.t.page.items({})]
`
  const calls = [
    "client.t.find(",
    "client.t.page(",
    "promises.t.find(",
    "promises.t.page(",
    "page.one.alone(",
    "pages.one.alone(",
    // of some operations of a group: in the call alone
    "page.t.find(",
    "pages.t.find("
  ]
  const names = ["[operations.t.find", ", t.find"]
  StrictProject.write(folder)
  const file = join(folder, "program.ts")
  writeFileSync(file, program)
  const seen = await Editor.shown(file, [...names, ...calls])
  for (const { hover } of seen.slice(0, -2))
    for (const part of [summary, description, externalDocs.url]) expect(hover).toContain(part)
  for (const { help } of seen.slice(names.length))
    for (const part of [summary, description]) expect(help).toContain(part)
  expect(Generated.compile(folder)).toBe("")
})

it("a client has the types of an operation that a program has put in the place of a generated one, or beside it", () => {
  const folder = Folder.ofTest()
  const operations = { "GET /x": { operationId: "find", tags: ["t"] }, "GET /y": { operationId: "read", tags: ["t"] } }
  Generated.write(folder, Generated.of(make({ operations })))
  const program = `import * as Body from "@cloud-management/client/Body"
import type * as Client from "@cloud-management/client/Client"
import * as Operation from "@cloud-management/client/Operation"
import type * as Effect from "effect/Effect"
import { operations } from "./index.ts"
const { find, ...rest } = operations.t
const replaced = { t: { ...rest, find: Operation.make({ ...find, success: Body.text() }) } }
const added = { t: { ...operations.t, other: Operation.make({ ...find, name: "other", success: Body.text() }) } }
declare const one: Client.Client<typeof replaced>
declare const other: Client.Client<typeof added>
export const texts: ReadonlyArray<Effect.Effect<string, unknown>> = [one.t.find(), other.t.other()]
export const nothing: ReadonlyArray<Effect.Effect<void, unknown>> = [one.t.read(), other.t.find()]
`
  writeFileSync(join(folder, "program.ts"), program)
  expect(Generated.compile(folder)).toBe("")
})
