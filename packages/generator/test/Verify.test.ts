import { describe, expect, it } from "vitest"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ExampleText from "../src/verify/ExampleText.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"
import { shop } from "./shop.ts"

/** The shop's document, generated, and a name for another folder beside it. */
const generated = async () => {
  const folder = Folder.ofTest()
  const document = join(folder, "shop.json")
  const out = join(folder, "out")
  writeFileSync(document, JSON.stringify(shop))
  expect(await Generated.run(document, "--out", out)).toMatchObject({ code: 0, error: "" })
  return { document, out, other: join(folder, "other") }
}

type Damage = readonly [from: string, to: string, found: string]

/** Edits of generated code, by file, each with the round that finds it. */
const damages: Readonly<Record<string, ReadonlyArray<Damage>>> = {
  "operations/orders.ts": [
    ['path: "/orders"', 'path: "/order"', "order: full"],
    ["Body.form(", "Body.json(", "order: full"],
    ['Body.text("text/plain")', 'Body.bytes("text/plain")', "order: full"],
    ['Body.text("text/plain")', "Body.empty", "order: full"],
    ['items: "orders"', 'items: "things"', "listOrders: pages"],
    ['id: "order"', 'id: "orders"', "order: generated"]
  ],
  "operations/items.ts": [
    ['method: "PUT"', 'method: "PATCH"', "labelItem: full"],
    ["/:shopId/items/:item:", "/:item/items/:shopId:", "labelItem: full"],
    ['names: { params: { "shop-id": "shopId" } },', "", "listItems: full"],
    [
      'kind: Schema.Literals(["a", "b"])',
      'kind: Schema.optionalKey(Schema.Literals(["a", "b"]))',
      "listItems: incomplete"
    ],
    ["Body.json(Q.NewItem)", "Body.optional(Body.json(Q.NewItem))", "createItem: incomplete"],
    [
      'Body.optional(Body.json(Q.Label, "application/merge-patch+json"))',
      'Body.json(Q.Label, "application/merge-patch+json")',
      "labelItem: minimal"
    ],
    ["Body.status(201,", "Body.status(200,", "createItem: full"],
    ["ids: Style.form", "ids: Style.spaceDelimited", "listItems: full"],
    ["{ ids: Style.form, ", "{ ", "listItems: full"],
    ["filter: Style.deepObject", "filter: Style.form", "listItems: full"],
    ["tag: Schema.optionalKey(Schema.Array(Schema.String)),", "", "listItems: full"],
    ['headers: Operation.headers(Schema.Struct({ "X-Reason": Schema.String })),', "", "createItem: full"],
    ['"X-Reason": Schema', '"X-Cause": Schema', "createItem: full"],
    ["Body.exact(Body.json(A.ListItemsResult))", "Body.json(A.ListItemsResult)", "listItems: full"],
    ['"application/merge-patch+json"', '"application/json"', "labelItem: full"],
    ['security: [["token"]]', "security: []", "createItem: full"],
    ['security: [["token"]]', 'security: [["key"]]', "createItem: full"],
    ['security: [["token"]]', "", "createItem: full"],
    ["security: []", 'security: [["key"]]', "unlabelItem: full"],
    ["errors: [R.NotFound, R.OtherRefusal]", "errors: [R.OtherRefusal]", "listItems: errors"],
    ['next: "next_cursor"', 'next: "cursor"', "listItems: pages"],
    ['items: "items"', 'items: "things"', "listItems: pages"]
  ],
  "operations/photos.ts": [
    ['place: "application/json"', 'place: "text/plain"', "uploadPhoto: full"],
    ["photo: Body.File", "photo: Schema.String", "uploadPhoto: full"]
  ],
  "requests.ts": [
    ["name: Schema.String,", "", "createItem: full"],
    ["price: Schema.Finite", "cost: Schema.Finite", "createItem: full"],
    ["name: Schema.String", "name: Schema.optionalKey(Schema.String)", "createItem: incomplete"],
    ['Schema.Literals(["red", "blue"])', 'Schema.Literals(["red"])', "labelItem: "],
    ["Schema.Union([Schema.String, Schema.Null])", "Schema.String", "createItem: null"],
    ["Schema.Union([Card, Cash])", "Card", "createItem: alternatives"],
    [
      "Schema.Union([Card, Cash])",
      "Schema.Union([Card, Schema.Struct({ coins: Schema.Int })])",
      "createItem: alternatives"
    ]
  ],
  "answers.ts": [
    ["radius: Schema", "radios: Schema", "labelItem: full"],
    ["id: Schema.String,", "", "listItems: full"],
    ["owner: Wire.nullishKey(Owner)", "owner: Owner", "listItems: minimal"],
    ["serial: Wire.Int64", "serial: Schema.Finite", "listItems: full"],
    ['Wire.openEnum(["new", "used"])', 'Schema.Literals(["new", "used"])', "listItems: new value"],
    ["Wire.nullishKey(Wire.Timestamp)", "Schema.optionalKey(Wire.Timestamp)", "listItems: null"],
    ["[ShapeCircle, ShapeSquare]", "[ShapeCircle]", "labelItem: alternatives"]
  ],
  "operations/events.ts": [["Body.exact(Body.events(A.Item))", "Body.json(A.Item)", "events: full"]],
  "refusals.ts": [
    ['"Conflict", 409', '"Conflict", 410', "createItem: errors"],
    ['"Conflict", 409, Refusal.exact(Refusal.body(A.Taken))', '"Conflict", 409, Refusal.status', "createItem: errors"],
    ['"NotFound", 404, Refusal.body(A.Problem)', '"NotFound", 404, Refusal.text', "listItems: errors"]
  ],
  "index.ts": [["uploadPhoto: photos.uploadPhoto", "", "uploadPhoto: generated"]]
}

describe("verify", () => {
  // of one with some thousand characters, finding it would take minutes
  it.each([
    ["^[a-f]{64}$", 0, expect.stringMatching(/^[a-f]{64}$/)],
    ["^[a-f]{1,100000}$", 0, expect.stringMatching(/^[a-f]+$/)],
    ["^[a-f]{1000}$", 0, undefined],
    ["^[a-f]+$", 1000, undefined]
  ])("looks for a text of %s with at least %i characters, unless it is long", (pattern, least, found) => {
    expect(ExampleText.ofPattern(pattern, least)).toEqual(found)
  })

  it("calls every operation in every round, and reports for people, programs and CI", async () => {
    const { document, out, other } = await generated()
    const { code, error, out: text } = await Generated.run("verify", document, out)
    expect(text).toMatch(/^0 failures$|, 0 failures\n$/)
    expect([code, error]).toEqual([0, ""])
    const json = await Generated.run("verify", document, out, "--format", "json", "--junit", other)
    expect(JSON.parse(json.out)).toMatchObject({ failures: [], refused: 0 })
    for (const { answering, operations } of JSON.parse(json.out).rounds) expect(answering).toBe(operations)
    expect(readFileSync(other, "utf8")).toContain('<testcase classname="listItems" name="pages"></testcase>')
  })

  it("finds each kind of damage, in the round that shows it", async () => {
    const { document, other, out } = await generated()
    const missed: Array<string> = []
    const all = Object.entries(damages).flatMap(([file, rows]) => rows.map((row) => [file, ...row] as const))
    for (const [i, [file, from, to, found]] of all.entries()) {
      const folder = `${other}-${i}`
      cpSync(out, folder, { recursive: true })
      const code = readFileSync(join(folder, file), "utf8")
      writeFileSync(join(folder, file), code.replaceAll(from, to))
      const result = await Generated.run("verify", document, folder)
      if (!code.includes(from) || result.code !== 1 || !result.out.includes(`\n${found}`))
        missed.push(`${file}: ${from} as ${to}: ${result.out}${result.error}`)
    }
    expect(missed).toEqual([])
  })

  it("says which operations are left out, and what a folder has beside the document", async () => {
    const { document, out } = await generated()
    expect(await Generated.run("verify", document, out, "--include", "order")).toMatchObject({ code: 1 })
    const { out: text } = await Generated.run("verify", document, out, "--exclude", "order")
    expect(text).toContain("order: generated: the document has no such operation")
  })

  it.each([
    [[], "name one DOCUMENT and one FOLDER"],
    [["nothing.json", "."], "nothing.json"],
    [["a", "b", "--format", "xml"], "--format is text or json"]
  ])("exits with 2 on %s", async (args, problem) => {
    const { code, error } = await Generated.run("verify", ...args)
    expect(code).toBe(2)
    expect(error).toContain(problem)
  })
})
