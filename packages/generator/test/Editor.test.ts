import { expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as StrictProject from "../../../checks/fixtures/StrictProject.ts"
import { having, make, none, object, text } from "./document.ts"
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

/** What the compiler's language server says of each text in a program. */
const hover = async (folder: string, program: string, texts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
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
  send({ id: 0, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } })
  send({ method: "initialized", params: {} })
  send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri, languageId: "typescript", version: 1, text: program } }
  })
  const before = (text: string) => program.slice(0, program.indexOf(text) + text.length).split("\n")
  for (const [i, text] of texts.entries()) {
    const lines = before(text)
    const position = { line: lines.length - 1, character: (lines.at(-1) ?? "").length - 1 }
    send({ id: i + 1, method: "textDocument/hover", params: { textDocument: { uri }, position } })
  }
  const found: Array<string> = []
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
      else if (typeof id === "number" && id > 0) found[id - 1] = result?.contents?.value ?? ""
    }
    if (Object.keys(found).length === texts.length) break
  }
  server.kill()
  return found
}

it("an editor shows the whole documentation of an operation, also in the registry, whose properties are a client's methods", async () => {
  const folder = Folder.ofTest()
  const summary = "List things"
  const description = "All that there are."
  const externalDocs = { url: "https://example.com/docs" }
  const operation = { operationId: "x", tags: ["t"], summary, description, externalDocs }
  Generated.write(folder, Generated.of(make({ operations: { "GET /x": operation } })))
  const program = `import * as t from "./operations/t.ts"
import { operations } from "./index.ts"
export const all: ReadonlyArray<unknown> = [operations.t.x, t.x]
`
  for (const shown of await hover(folder, program, ["[operations.t.x", ", t.x"]))
    for (const part of [summary, description, externalDocs.url]) expect(shown).toContain(part)
})
