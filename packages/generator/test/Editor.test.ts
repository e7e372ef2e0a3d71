import { expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
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

/** What an editor shows of a name: at it, and in the brackets behind it, if there are some. */
interface Shown {
  readonly hover: string
  readonly help: string
}

/** What the compiler's language server says of each text in a program, which is a name, or a name and a bracket. */
const shown = async (folder: string, program: string, texts: ReadonlyArray<string>): Promise<ReadonlyArray<Shown>> => {
  StrictProject.write(folder)
  const file = join(folder, "program.ts")
  writeFileSync(file, program)
  const tsc = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc")
  const server = spawn(process.execPath, [tsc, "--lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] })
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const uri = pathToFileURL(file).href
  send({ id: "start", method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } })
  send({ method: "initialized", params: {} })
  send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri, languageId: "typescript", version: 1, text: program } }
  })
  const ask = (id: string, method: string, before: string) => {
    const lines = before.split("\n")
    const position = { line: lines.length - 1, character: (lines.at(-1) ?? "").length }
    send({ id, method: `textDocument/${method}`, params: { textDocument: { uri }, position } })
  }
  for (const text of texts) {
    const before = program.slice(0, program.indexOf(text) + text.length)
    ask(`hover ${text}`, "hover", before.slice(0, text.endsWith("(") ? -2 : -1))
    ask(`help ${text}`, "signatureHelp", before)
  }
  const found = new Map<string, string>()
  let received = Buffer.alloc(0)
  for await (const chunk of server.stdout) {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n\r\n/.exec(received.toString("latin1"))
      const [start = "", length = "0"] = head ?? []
      if (head === null || received.length < start.length + Number(length)) break
      const { id, method, result } = JSON.parse(
        received.subarray(start.length, start.length + Number(length)).toString()
      )
      received = received.subarray(start.length + Number(length))
      // what it asks must be answered
      if (id !== undefined && method !== undefined) send({ id, result: null })
      else if (id !== undefined) found.set(id, result?.contents?.value ?? JSON.stringify(result?.signatures) ?? "")
    }
    if (found.size > 2 * texts.length) break
  }
  server.kill()
  return texts.map((text) => ({ hover: found.get(`hover ${text}`) ?? "", help: found.get(`help ${text}`) ?? "" }))
}

it("an editor shows the whole documentation of an operation, in its module, the registry and both clients, at the name and in the call", async () => {
  const folder = Folder.ofTest()
  const summary = "List things"
  const description = "All that there are."
  const externalDocs = { url: "https://example.com/docs" }
  const operation = { operationId: "find", tags: ["t"], summary, description, externalDocs }
  const item = object({ items: list(text), next_cursor: text }, ["items"])
  const paged = { ...operation, operationId: "page", parameters: [query("cursor", text)], responses: ok(item) }
  Generated.write(folder, Generated.of(make({ operations: { "GET /x": operation, "GET /y": paged } })))
  const promises = JSON.stringify(join(import.meta.dirname, "../../promise/src/Client.ts"))
  const program = `import type * as Client from "@cloud-management/client/Client"
import type * as Promises from ${promises}
import * as t from "./operations/t.ts"
import { operations } from "./index.ts"
declare const client: Client.Client<typeof operations>
declare const promises: Promises.Client<typeof operations>
export const all: ReadonlyArray<unknown> = [operations.t.find, t.find]
export const calls: ReadonlyArray<unknown> = [client.t.find(), client.t.page(), promises.t.find(), promises.t.page(), promises.t.page.items({})]
`
  const calls = ["client.t.find(", "client.t.page(", "promises.t.find(", "promises.t.page("]
  const names = ["[operations.t.find", ", t.find"]
  const seen = await shown(folder, program, [...names, ...calls])
  for (const { hover } of seen)
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
