import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Cli from "../src/Cli.ts"
import * as Folder from "./Folder.ts"
import { shop } from "./shop.ts"

const run = (...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    let out = ""
    let error = ""
    const code = await Cli.run(args, {
      out: (text) => (out += text),
      error: (text) => (error += text),
      isTerminal: false
    })
    return { code, out, error }
  })

/** The shop's document, generated, and a name for another folder beside it. */
const generated = Effect.gen(function* () {
  const folder = yield* Folder.scoped
  const document = join(folder, "shop.json")
  const out = join(folder, "out")
  writeFileSync(document, JSON.stringify(shop))
  expect(yield* run(document, "--out", out)).toMatchObject({ code: 0, error: "" })
  return { document, out, other: join(folder, "other") }
})

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: "string" }
const tagged = (tag: string) => ({ type: "object", required: ["kind"], properties: { kind: { enum: [tag] }, n: text } })
/** Schemas of other services, for which an example is not simply all that they have. */
const odd = {
  openapi: "3.0.3",
  info: { title: "Odd", version: "1" },
  paths: {
    "/odd": {
      put: {
        operationId: "put",
        parameters: [
          { in: "query", name: "s", style: "spaceDelimited", explode: false, schema: { type: "array", items: text } }
        ],
        requestBody: { required: true, content: { "application/json": { schema: ref("Odd") } } },
        responses: { "200": { description: "", content: { "application/json": { schema: ref("Odd") } } } }
      },
      head: {
        operationId: "peek",
        security: [{ undeclared: [] }],
        responses: {
          "200": { description: "" },
          "404": { description: "", content: { "application/json": { schema: ref("Odd") } } }
        }
      }
    }
  },
  components: {
    schemas: {
      Odd: {
        type: "object",
        minProperties: 1,
        not: { required: ["url", "id"] },
        properties: {
          url: text,
          id: text,
          colors: { type: "array", uniqueItems: true, items: { type: "string", enum: ["red"] } },
          sum: ref("Sum"),
          // its outer name is none of the values
          nested: { oneOf: [ref("Inner"), ref("C")], discriminator: { propertyName: "kind" } },
          maybe: { anyOf: [ref("C"), { nullable: true }] },
          both: { allOf: [ref("C"), { nullable: true }] }
        }
      },
      // each alternative but one contains another
      Sum: { oneOf: [{ type: "object", required: ["neg"], properties: { neg: ref("Sum") } }, text, ref("Product")] },
      Product: { type: "object", required: ["of"], properties: { of: ref("Sum") } },
      Inner: { oneOf: [ref("A"), ref("B")], discriminator: { propertyName: "kind" } },
      A: tagged("A"),
      B: tagged("B"),
      C: tagged("C")
    }
  }
}

type Damage = readonly [name: string, file: string, from: string, to: string, found: string]

/** Edits of generated code, each with the round that finds it. */
const damages: ReadonlyArray<Damage> = [
  ["a wrong path", "operations/orders.ts", 'path: "/orders"', 'path: "/order"', "order: full"],
  ["a wrong method", "operations/items.ts", 'method: "PUT"', 'method: "PATCH"', "labelItem: full"],
  ["swapped variables", "operations/items.ts", "/:shopId/items/:item:", "/:item/items/:shopId:", "labelItem: full"],
  ["a lost name", "operations/items.ts", 'names: { params: { "shop-id": "shopId" } },', "", "listItems: full"],
  [
    "another type of a part",
    "operations/photos.ts",
    'place: "application/json"',
    'place: "text/plain"',
    "uploadPhoto: full"
  ],
  ["a dropped field of a request", "requests.ts", "name: Schema.String,", "", "createItem: full"],
  ["a renamed field of a request", "requests.ts", "price: Schema.Finite", "cost: Schema.Finite", "createItem: full"],
  ["a renamed field of a response", "answers.ts", "radius: Schema", "radios: Schema", "labelItem: full"],
  ["a dropped field of a response", "answers.ts", "id: Schema.String,", "", "listItems: full"],
  [
    "a required field that may be left out",
    "requests.ts",
    "name: Schema.String",
    "name: Schema.optionalKey(Schema.String)",
    "createItem: incomplete"
  ],
  [
    "an optional field that is required",
    "answers.ts",
    "owner: Wire.nullishKey(Owner)",
    "owner: Owner",
    "listItems: minimal"
  ],
  [
    "a required parameter that may be left out",
    "operations/items.ts",
    'kind: Schema.Literals(["a", "b"])',
    'kind: Schema.optionalKey(Schema.Literals(["a", "b"]))',
    "listItems: incomplete"
  ],
  [
    "a required body that may be left out",
    "operations/items.ts",
    "Body.json(Q.NewItem)",
    "Body.optional(Body.json(Q.NewItem))",
    "createItem: incomplete"
  ],
  [
    "an optional body that is required",
    "operations/items.ts",
    'Body.optional(Body.json(Q.Label, "application/merge-patch+json"))',
    'Body.json(Q.Label, "application/merge-patch+json")',
    "labelItem: minimal"
  ],
  ["a wrong status", "operations/items.ts", "Body.status(201,", "Body.status(200,", "createItem: full"],
  ["a wrong style", "operations/items.ts", "ids: Style.form", "ids: Style.spaceDelimited", "listItems: full"],
  ["no style", "operations/items.ts", "{ ids: Style.form, ", "{ ", "listItems: full"],
  [
    "an object in another style",
    "operations/items.ts",
    "filter: Style.deepObject",
    "filter: Style.form",
    "listItems: full"
  ],
  [
    "a dropped parameter",
    "operations/items.ts",
    "tag: Schema.optionalKey(Schema.Array(Schema.String)),",
    "",
    "listItems: full"
  ],
  [
    "a dropped header",
    "operations/items.ts",
    'headers: Operation.headers(Schema.Struct({ "X-Reason": Schema.String })),',
    "",
    "createItem: full"
  ],
  ["a renamed header", "operations/items.ts", '"X-Reason": Schema', '"X-Cause": Schema', "createItem: full"],
  ["int64 as number", "answers.ts", "serial: Wire.Int64", "serial: Schema.Finite", "listItems: full"],
  [
    "JSON without all digits",
    "operations/items.ts",
    "Body.exact(Body.json(A.ListItemsResult))",
    "Body.json(A.ListItemsResult)",
    "listItems: full"
  ],
  [
    "a closed enum",
    "answers.ts",
    'Wire.openEnum(["new", "used"])',
    'Schema.Literals(["new", "used"])',
    "listItems: new value"
  ],
  [
    "a known value that cannot be sent",
    "requests.ts",
    'Schema.Literals(["red", "blue"])',
    'Schema.Literals(["red"])',
    "labelItem: "
  ],
  [
    "null that cannot be read",
    "answers.ts",
    "Wire.nullishKey(Wire.Timestamp)",
    "Schema.optionalKey(Wire.Timestamp)",
    "listItems: null"
  ],
  [
    "null that cannot be sent",
    "requests.ts",
    "Schema.Union([Schema.String, Schema.Null])",
    "Schema.String",
    "createItem: null"
  ],
  [
    "a wrong content type",
    "operations/items.ts",
    '"application/merge-patch+json"',
    '"application/json"',
    "labelItem: full"
  ],
  ["a form as JSON", "operations/orders.ts", "Body.form(", "Body.json(", "order: full"],
  ["a file as text", "operations/photos.ts", "photo: Body.File", "photo: Schema.String", "uploadPhoto: full"],
  ["text as bytes", "operations/orders.ts", 'Body.text("text/plain")', 'Body.bytes("text/plain")', "order: full"],
  ["a dropped result", "operations/orders.ts", 'Body.text("text/plain")', "Body.empty", "order: full"],
  ["events as JSON", "operations/events.ts", "Body.exact(Body.events(A.Item))", "Body.json(A.Item)", "events: full"],
  ["missing credentials", "operations/items.ts", 'security: [["token"]]', "security: []", "createItem: full"],
  ["other credentials", "operations/items.ts", 'security: [["token"]]', 'security: [["key"]]', "createItem: full"],
  ["credentials of the client", "operations/items.ts", 'security: [["token"]]', "", "createItem: full"],
  [
    "credentials that are not asked for",
    "operations/items.ts",
    "security: []",
    'security: [["key"]]',
    "unlabelItem: full"
  ],
  [
    "a dropped refusal",
    "operations/items.ts",
    "errors: [R.NotFound, R.OtherRefusal]",
    "errors: [R.OtherRefusal]",
    "listItems: errors"
  ],
  ["a refusal of another status", "refusals.ts", '"Conflict", 409', '"Conflict", 410', "createItem: errors"],
  [
    "a refusal without its body",
    "refusals.ts",
    '"Conflict", 409, Refusal.exact(Refusal.body(A.Taken))',
    '"Conflict", 409, Refusal.status',
    "createItem: errors"
  ],
  [
    "a refusal by its envelope",
    "refusals.ts",
    '"NotFound", 404, Refusal.body(A.Problem)',
    '"NotFound", 404, Refusal.text',
    "listItems: errors"
  ],
  [
    "a dropped alternative of a request",
    "requests.ts",
    "Schema.Union([Card, Cash])",
    "Card",
    "createItem: alternatives"
  ],
  [
    "a wrong alternative of a request",
    "requests.ts",
    "Schema.Union([Card, Cash])",
    "Schema.Union([Card, Schema.Struct({ coins: Schema.Int })])",
    "createItem: alternatives"
  ],
  [
    "a dropped alternative of a response",
    "answers.ts",
    "[ShapeCircle, ShapeSquare]",
    "[ShapeCircle]",
    "labelItem: alternatives"
  ],
  ["a cursor at another place", "operations/items.ts", 'next: "next_cursor"', 'next: "cursor"', "listItems: pages"],
  ["items at another place", "operations/items.ts", 'items: "items"', 'items: "things"', "listItems: pages"],
  [
    "items of linked pages at another place",
    "operations/orders.ts",
    'items: "orders"',
    'items: "things"',
    "listOrders: pages"
  ],
  ["an operation of another ID", "operations/orders.ts", 'id: "order"', 'id: "orders"', "order: generated"],
  ["a dropped operation", "index.ts", "uploadPhoto: photos.uploadPhoto", "", "uploadPhoto: generated"]
]

describe("verify", () => {
  it.effect("calls every operation in every round, and reports for people, programs and CI", () =>
    Effect.gen(function* () {
      const { document, out, other } = yield* generated
      const { code, error, out: text } = yield* run("verify", document, out)
      expect(text).toMatch(/^0 failures$|, 0 failures\n$/)
      expect([code, error]).toEqual([0, ""])
      const json = yield* run("verify", document, out, "--format", "json", "--junit", other)
      expect(JSON.parse(json.out)).toMatchObject({ failures: [], refused: 0 })
      for (const { answering, operations } of JSON.parse(json.out).rounds) expect(answering).toBe(operations)
      expect(readFileSync(other, "utf8")).toContain('<testcase classname="listItems" name="pages"></testcase>')
    })
  )

  it.effect("makes values that odd schemas take", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      const [document, out] = [join(folder, "odd.json"), join(folder, "out")]
      writeFileSync(document, JSON.stringify(odd))
      expect(yield* run(document, "--out", out)).toMatchObject({ code: 0 })
      const { code, out: text } = yield* run("verify", document, out)
      expect(text).toContain("2 operations called, 0 refused, 0 failures")
      expect(code).toBe(0)
    })
  )

  it.effect("finds each kind of damage, in the round that shows it", () =>
    Effect.gen(function* () {
      const { document, other, out } = yield* generated
      const missed: Array<string> = []
      for (const [i, [name, file, from, to, found]] of damages.entries()) {
        const folder = `${other}-${i}`
        cpSync(out, folder, { recursive: true })
        const code = readFileSync(join(folder, file), "utf8")
        if (!code.includes(from)) missed.push(`${name}: the code has no ${from}`)
        writeFileSync(join(folder, file), code.replaceAll(from, to))
        const result = yield* run("verify", document, folder)
        if (result.code !== 1 || !result.out.includes(`\n${found}`))
          missed.push(`${name}: ${result.out}${result.error}`)
      }
      expect(missed).toEqual([])
    })
  )

  it.effect("says which operations are left out, and what a folder has beside the document", () =>
    Effect.gen(function* () {
      const { document, out } = yield* generated
      expect(yield* run("verify", document, out, "--include", "order")).toMatchObject({ code: 1 })
      const { out: text } = yield* run("verify", document, out, "--exclude", "order")
      expect(text).toContain("order: generated: the document has no such operation")
    })
  )

  it.each([
    [[], "name one DOCUMENT and one FOLDER"],
    [["nothing.json", "."], "nothing.json"],
    [["a", "b", "--format", "xml"], "--format is text or json"]
  ])("exits with 2 on %s", (args, problem) =>
    Effect.gen(function* () {
      const { code, error } = yield* run("verify", ...args)
      expect(code).toBe(2)
      expect(error).toContain(problem)
    }).pipe(Effect.runPromise)
  )
})
