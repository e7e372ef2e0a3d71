import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Cli from "../src/Cli.ts"
import { constructs, type Call } from "./constructs.ts"
import * as Generated from "./Generated.ts"
import * as Wire from "./Wire.ts"

const parent = join(import.meta.dirname, "../.tmp")
mkdirSync(parent, { recursive: true })
const folder = mkdtempSync(join(parent, "constructs-"))
const folderOf = (name: string) => join(folder, name.replace(/\W+/g, "-"))

/** What a user does with the registry. */
const client = `import * as Client from "@cloud-management/core/Client"
import * as Credentials from "@cloud-management/core/Credentials"
import type * as Effect from "effect/Effect"
import { operations, type Operations } from "./index.ts"

const credentials = Credentials.bearer("secret")
export const make = (baseUrl: string): Effect.Effect<Client.Client<Operations>, unknown, unknown> =>
  Client.make(operations, { baseUrl, credentials })
`

beforeAll(() => {
  for (const { document, name, refused = {} } of constructs) {
    const generated = Generated.of(document)
    const codes = Object.fromEntries(generated.refused.map(({ code, id }) => [id, code]))
    expect({ name, codes }).toEqual({ name, codes: refused })
    Generated.write(folderOf(name), generated)
    writeFileSync(join(folderOf(name), "client.ts"), client)
    writeFileSync(join(folderOf(name), "document.json"), JSON.stringify(document))
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const check = (
  name: string,
  { answer = { status: 204 }, id, input = {}, invalid, parts, refusal, send = {}, value }: Call
) =>
  Effect.gen(function* () {
    const module = yield* Effect.promise(() => Generated.load(folderOf(name)))
    const { request, result } = yield* Wire.call(Generated.find(module, id), input, answer)
    if (invalid !== undefined) {
      expect(result).toMatchObject({ failure: { reason: { _tag: "InvalidInput", path: invalid } } })
      expect(request).toBeUndefined()
      return
    }
    if (send.target !== undefined) expect(request?.target).toBe(send.target)
    if (send.method !== undefined) expect(request?.method).toBe(send.method)
    if (send.text !== undefined) expect(request?.body).toBe(send.text)
    for (const part of send.parts ?? []) expect(request?.body).toContain(part)
    if (send.body !== undefined) expect(JSON.parse(request?.body ?? "")).toEqual(send.body)
    for (const [header, text] of Object.entries(send.headers ?? {})) expect(request?.headers[header]).toBe(text)
    if (parts !== undefined) {
      expect(result).toMatchObject({ success: parts })
      return
    }
    if (refusal === undefined) {
      expect(result).toMatchObject({ _tag: "Success" })
      if (value !== undefined) expect(result).toMatchObject({ success: value })
      if (value !== undefined && result._tag === "Success") expect(result.success).toEqual(value)
    } else {
      expect(result).toMatchObject({ failure: { reason: refusal } })
      if (result._tag === "Failure") expect(result.failure.reason.message).toBe(refusal.message)
    }
  })

describe("a document's construct", () => {
  it("compiles, all of them in one program", () => {
    expect(Generated.compile(folder)).toBe("")
  })

  it.each(constructs.flatMap(({ calls, name }) => calls.map((call, i) => ({ call, name, title: `${name} ${i}` }))))(
    "$title",
    ({ call, name }) => {
      expect.hasAssertions()
      return Effect.runPromise(check(name, call))
    }
  )

  it.each(constructs)("$name: answers in every round", async ({ name }) => {
    let told = ""
    const streams = {
      out: (text: string) => (told += text),
      error: (text: string) => (told += text),
      isTerminal: false
    }
    const code = await Cli.run(["verify", join(folderOf(name), "document.json"), folderOf(name)], streams)
    expect({ code, told: code === 0 ? "" : told }).toEqual({ code: 0, told: "" })
  })
})
