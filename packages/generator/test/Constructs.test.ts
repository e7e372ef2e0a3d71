import * as Contract from "@cloud-management/client/Contract"
import { fromHttpApi } from "@cloud-management/client/HttpApi"
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Predicate, Record } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Call, constructs } from "./constructs.ts"
import * as Document from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"
import * as Wire from "./Wire.ts"

const folder = Folder.ofFile()
const folderOf = (name: string) => join(folder, name.replace(/\W+/g, "-"))

const client = `import * as Client from "@cloud-management/client/Client"
import * as Credentials from "@cloud-management/client/Credentials"
import type * as Effect from "effect/Effect"
import { operations, type Operations } from "./index.ts"

const credentials = Credentials.bearer("secret")
export const make = (baseUrl: string): Effect.Effect<Client.Client<Operations>, unknown, unknown> =>
  Client.make(operations, { baseUrl, credentials })
`

beforeAll(() => {
  for (const [name, construct] of Object.entries(constructs)) {
    const document = Document.make(construct)
    const generated = Generated.of(document)
    const codes = Object.fromEntries(generated.omitted.map(({ code, id }) => [id, code]))
    expect({ name, codes }).toEqual({ name, codes: construct.omitted ?? {} })
    Generated.write(folderOf(name), generated)
    writeFileSync(join(folderOf(name), "client.ts"), client)
    writeFileSync(join(folderOf(name), "document.json"), JSON.stringify(document))
  }
})

interface Told {
  readonly id: string
  readonly round: string
}

/** The rounds of operations whose schemas contradict themselves, so that `verify` finds no value for them. */
const unjudged: Readonly<Record<string, ReadonlyArray<string>>> = {
  "queries with objects spread in them, lists of objects in forms, and pages whose next is always a text": [
    "events: full"
  ],
  "alternatives that only require what is described nowhere, and formats that patterns or lengths contradict": [
    "send: extra field",
    "send: new value",
    "send: full"
  ],
  "enums, dates and types that contradict themselves": ["odd: full"],
  "forms that are lists: they have no names": [
    ...["form", "parts"].flatMap((id) =>
      ["full", "minimal", "alternatives", "examples", "null", "incomplete"].map((round) => `${id}: ${round}`)
    ),
    "either: alternatives"
  ]
}

const kept = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(kept)
  if (!Predicate.isObject(value)) return value
  return Record.map(Record.remove({ ...value }, "gone"), kept)
}

const check = Effect.fnUntraced(function* (module: Generated.Module, call: Call) {
  const { reply = { status: call.reads === undefined ? 204 : 200, body: call.reads }, body, items, parts = [] } = call
  const value = call.value ?? kept(call.reads)
  const { request, result } = yield* Wire.call(Generated.find(module, call.id), call, reply)
  if (call.invalid !== undefined) {
    expect(result).toMatchObject({ failure: { reason: { _tag: "InvalidInput", path: call.invalid } } })
    expect(request).toBeUndefined()
    return
  }
  for (const part of parts) expect(request?.body).toContain(part)
  const sent = call.sent ?? (call.text === undefined && parts.length === 0 ? body : undefined)
  if (sent !== undefined) expect(JSON.parse(request?.body ?? "")).toEqual(sent)
  const { method = request?.method, sentHeaders = {}, target = request?.target, text = request?.body } = call
  expect(request).toEqual({ method, target, body: text, headers: { ...request?.headers, ...sentHeaders } })
  if (call.refusal !== undefined) expect(result).toMatchObject({ failure: { reason: call.refusal } })
  else expect(result).toMatchObject(items === undefined ? { _tag: "Success" } : { success: items })
  if (value !== undefined && result._tag === "Success") expect(result.success).toEqual(value)
})

describe("a document's construct", () => {
  it("compiles, all of them in one program", () => {
    expect(Generated.compile(folder)).toBe("")
  })

  describe.each(Object.entries(constructs))("%s", (name, { calls }) => {
    it.each(calls)("is sent and read: %#", async (call) => {
      expect.hasAssertions()
      await Effect.runPromise(check(await Generated.load(folderOf(name)), call))
    })

    it("is the same by way of an HttpApi", async () => {
      const { operations } = await Generated.load(folderOf(name))
      const again = fromHttpApi(Contract.make(operations)).operations
      const differs = Object.entries(operations).flatMap(([group, named]) =>
        Object.entries(named).flatMap(([key, operation]) => (again[group]?.[key] === operation ? [] : [operation.id]))
      )
      expect(differs).toEqual([])
    })

    it("fits the document in every round", async () => {
      const file = join(folderOf(name), "document.json")
      const { error, out } = await Generated.run("verify", file, folderOf(name), "--format", "json")
      expect(error).toBe("")
      const report: { readonly failures: ReadonlyArray<Told>; readonly unjudged: ReadonlyArray<Told> } = JSON.parse(out)
      expect(report.failures).toEqual([])
      const told = new Set(report.unjudged.map(({ id, round }) => `${id}: ${round}`))
      expect([...told]).toEqual(unjudged[name] ?? [])
    })
  })
})
