import { Clock, Effect, Record } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Cases from "../src/verify/Cases.ts"
import * as Report from "../src/verify/Report.ts"
import * as Api from "../src/served/Api.ts"
import * as Judge from "../src/served/Judge.ts"
import * as Pattern from "../src/served/Pattern.ts"
import * as Schemas from "../src/served/Schemas.ts"
import * as Values from "../src/served/Values.ts"
import * as Verify from "../src/verify/Verify.ts"
import {
  binary,
  body,
  boolean,
  contents,
  get,
  having,
  header,
  list,
  make,
  number,
  none,
  object,
  ok,
  put,
  query,
  ref,
  send,
  text,
  type Parts
} from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"
import { shop } from "./shop.ts"

const generated = async () => {
  const folder = Folder.ofTest()
  const document = join(folder, "shop.json")
  const out = join(folder, "out")
  writeFileSync(document, JSON.stringify(shop))
  expect(await Generated.run(document, "--out", out)).toMatchObject({ code: 0, error: "" })
  return { document, out, other: join(folder, "other") }
}

type Damage = readonly [from: string, to: string, found: string, isFoundElsewhere?: false]

/** Edits of generated code, by file, each with the round that finds it, `false`: and no other one does. */
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
    ['Schema.Literals(["a", "b"])', 'Schema.optionalKey(Schema.Literals(["a", "b"]))', "listItems: incomplete"],
    ["Body.json(Q.NewItem)", "Body.optional(Body.json(Q.NewItem))", "createItem: incomplete"],
    ["Body.optional(Body.json(Q.Label", "(Body.json(Q.Label", "labelItem: minimal"],
    ["Body.status(201,", "Body.status(200,", "createItem: full"],
    ["ids: Style.form", "ids: Style.spaceDelimited", "listItems: full"],
    ["{ ids: Style.form, ", "{ ", "listItems: full"],
    ["filter: Style.deepObject", "filter: Style.form", "listItems: full"],
    ["tag: Schema.optionalKey(Schema.Array(Schema.String)),", "", "listItems: full"],
    ["tag: Schema.optionalKey(Schema.Array(", "tag: Schema.optionalKey(Schema.NonEmptyArray(", "listItems: minimal"],
    ['headers: Operation.headers(Schema.Struct({ "X-Reason": Schema.String })),', "", "createItem: full"],
    ['"X-Reason": Schema', '"X-Cause": Schema', "createItem: full"],
    ["Body.exact(Body.json(A.ListItemsResult))", "Body.jsonResponse(A.ListItemsResult)", "listItems: full"],
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
    ["isNew: Schema.optionalKey(Schema.Boolean)", "isNew: Schema.optionalKey(Schema.Literal(true))", "createItem: "],
    ["isNew: Schema.optionalKey(Schema.Boolean)", "isNew: Schema.optionalKey(Schema.Literal(false))", "createItem: "],
    ["Schema.Union([Schema.String, Schema.Null])", "Schema.String", "createItem: null"],
    ["Schema.Union([Card, Cash])", "Card", "createItem: alternatives"],
    ["[Card, Cash]", "[Card, Schema.Struct({ coins: Schema.Int })]", "createItem: alternatives"],
    ["Wire.anyOf([", "Schema.Union([", "pay: overlap", false],
    [
      "title: Schema.optionalKey(Schema.String)",
      "title: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(20)))",
      "putReport: full"
    ],
    ["price: Schema.Finite", "price: Schema.Finite.check(Schema.isLessThan(1_000))", "createItem: full", false],
    ["price: Schema.Finite", "price: Schema.Finite.check(Schema.isGreaterThan(-1))", "createItem: full", false]
  ],
  "responses.ts": [
    ["radius: Schema", "radios: Schema", "labelItem: full"],
    ["id: Schema.String,", "", "listItems: full"],
    ["owner: Wire.nullishKey(Owner)", "owner: Owner", "listItems: minimal"],
    ["isFull: Wire.nullishKey(Schema.Boolean)", "isFull: Wire.nullishKey(Schema.Literal(true))", "labelItem: "],
    ["isFull: Wire.nullishKey(Schema.Boolean)", "isFull: Wire.nullishKey(Schema.Literal(false))", "labelItem: "],
    ["Schema.Array(Item)", "Schema.NonEmptyArray(Item)", "listItems: minimal"],
    ["Schema.Array(Item)", "Schema.Array(Item).check(Schema.isMaxLength(3))", "listItems: full", false],
    ["serial: Wire.Int64", "serial: Schema.Finite", "listItems: full"],
    ['Wire.openEnum(["new", "used"])', 'Schema.Literals(["new", "used"])', "listItems: new value"],
    ["Wire.nullishKey(Wire.Timestamp)", "Schema.optionalKey(Wire.Timestamp)", "listItems: null"],
    ["[ShapeCircle, ShapeSquare]", "[ShapeCircle]", "labelItem: alternatives"],
    ["Wire.anyOf([", "Wire.oneOf([", "pay: overlap"],
    ["Wire.anyOf([", "Schema.Union([", "pay: overlap"],
    [
      'Wire.orUnknown(Wire.oneOf([ShapeCircle, ShapeSquare]), { kind: ["circle", "square"] })',
      "Wire.oneOf([ShapeCircle, ShapeSquare])",
      "labelItem: new variant",
      false
    ],
    [
      'Wire.orUnknown(Wire.oneOf([OfCircle, OfSquare]), { kind: ["Circle", "Square"] })',
      "Wire.oneOf([OfCircle, OfSquare])",
      "lines: new variant",
      false
    ],
    ['Wire.openEnum(["account"])), iban', 'Schema.Literal("account")), iban', "pay: new value", false],
    ["fee: Wire.nullishKey(Schema.Finite)", "fee: Schema.optionalKey(Schema.Finite)", "pay: null", false],
    ["hint: Wire.nullishKey(Schema.String)", "hint: Schema.optionalKey(Schema.String)", "listItems: null", false],
    [
      "title: Wire.nullishKey(Schema.String)",
      "title: Wire.nullishKey(Schema.String.check(Schema.isMaxLength(300)))",
      "lines: full",
      false
    ],
    ["by: Wire.nullishKey(Wire.Int64)", "by: Wire.nullishKey(Schema.Finite)", "createItem: errors"],
    [
      "next: Wire.nullishKey(Schema.String)",
      "next: Wire.nullishKey(Schema.String.check(Schema.isPattern(/^(?!http)/)))",
      "lines: pages"
    ]
  ],
  "operations/settings.ts": [
    ["theme: Schema.String,", "", "settings: full"],
    ["theme: Schema.String", "theme: Schema.optionalKey(Schema.String)", "settings: incomplete", false],
    ["cookie: Wire.cookies", '"x-cookie": Wire.cookies', "settings: full"],
    ['[["session", "csrf"]]', '[["session"]]', "settings: full"]
  ],
  "operations/payments.ts": [
    ["idempotencyKey()", 'idempotencyKey("idempotency-key", "hex")', "pay: minimal"],
    ["repeat: Operation.idempotencyKey(),", "", "pay: incomplete", false]
  ],
  "operations/reports.ts": [
    ['A.ReportsResult, "application/json;v=2"', "A.ReportsResult", "reports: full"],
    ["Body.jsonResponse(A.ReportsResult", "Body.jsonResponse(Schema.Json", "reports: foreign"],
    ['Body.json(Q.Report, "application/json;v=2")', "Body.json(Q.Report)", "putReport: full"],
    ['Q.Label, "application/json;v=1"', 'Q.Label, "application/json;v=2"', "putReport: alternatives", false],
    ['Body.bytes("application/octet-stream")', 'Body.text("application/octet-stream")', "putReport: full"],
    ['items: "reports", next: "next"', 'items: "reports"', "reports: pages", false],
    ["Operation.link({ items", 'Operation.cursor({ query: "next", items', "reports: pages", false],
    ["id: Schema.String", "id: Schema.String.check(Schema.isPattern(/^text/))", "putReport: examples", false]
  ],
  "operations/lines.ts": [['next: "next", items: "lines"', 'next: "later", items: "lines"', "lines: pages", false]],
  "operations/events.ts": [["Body.exact(Body.events(A.Item))", "Body.json(A.Item)", "events: full"]],
  "refusals.ts": [
    ['"Conflict", 409', '"Conflict", 410', "createItem: errors"],
    ["Refusal.exact(Refusal.jsonBody(A.Taken))", "Refusal.status", "createItem: errors"],
    ['"NotFound", 404, Refusal.jsonBody(A.Problem)', '"NotFound", 404, Refusal.text', "listItems: errors"]
  ],
  "index.ts": [[", photos", "", "uploadPhoto: generated"]]
}

/** Correct documents for which it is not easy to find a value, or to compare it. */
const correct: Readonly<Record<string, Parts["operations"]>> = {
  "texts that several patterns take": put(
    "p",
    object({ a: { ...text, allOf: [{ pattern: "^[a-z]" }, { pattern: "[0-9]$" }, { maxLength: 12 }] } }, ["a"])
  ),
  "two headers that differ in case": get("h", [header("X-Id", text), header("x-id", text), header("X-Other", text)]),
  "an offset that is a text": get(
    "o",
    [query("offset", text)],
    ok(object({ items: list(text), offset: text }, ["items"]))
  ),
  "examples of errors that a client cuts or withholds": get("e", [], {
    ...ok(text),
    "400": {
      description: "",
      content: body(object({ message: text }, ["message"]), "application/json", {
        examples: Record.map(
          { long: "a word ".repeat(60), escape: String.raw`at "\"`, key: "resource_type=tasks x9f8s7d6q5w4r3t2" },
          (message) => ({ value: { message } })
        )
      }).content
    }
  }),
  "alternatives of which two are the same": {
    ...put("a", { oneOf: [object({ a: text }, ["a"]), object({ a: text }, ["a"])] }),
    ...put("n", object({ n: { type: "null", anyOf: [text, number] } }))
  },
  "names with brackets, in brackets": get("b", [
    query("ids[]", { type: "object", additionalProperties: text }, { style: "deepObject" }),
    query("of[a]", object({ "b[]": list(text) }), { style: "deepObject" })
  ]),
  "lengths that are counted in characters": put("l", object({ a: { ...text, minLength: 65, maxLength: 65 } }, ["a"]))
}

const each = <A>(count: number, make: (i: number) => A) => Array.from({ length: count }, (_, i) => make(i))
const fields = (count: number, prefix: string, make: (i: number) => object = () => text) =>
  Object.fromEntries(each(count, (i) => [`${prefix}${i}`, make(i)]))
const value = (one: unknown) => ({ const: one })
const required = (fields: object) => object(fields, Object.keys(fields))
const oneOf = (...all: ReadonlyArray<object>) => ({ oneOf: all.map(required) })

/** Alternatives of a response, of which only some can have others beside them. */
const alternatives: Readonly<Record<string, object>> = {
  "a boolean for each alternative": oneOf(
    { active: { ...boolean, ...value(true) }, token: text },
    { active: { ...boolean, ...value(false) }, error: { enum: ["expired", "revoked"] } }
  ),
  "a boolean for each, in alternatives of an alternative": {
    oneOf: [
      oneOf({ active: value(true), token: text }, { active: value(true), key: text }),
      oneOf({ active: value(false), error: text }, { active: value(false), reason: text })
    ]
  },
  "a boolean, and a text that can have other values": oneOf(
    { ok: value(true), kind: value("a"), token: text },
    { ok: value(false), kind: value("b"), error: text }
  ),
  "a boolean for several, and a text that can have other values": oneOf(
    { ok: value(true), kind: value("a"), token: text },
    { ok: value(false), kind: value("b"), error: text },
    { ok: value(false), kind: value("b"), reason: text }
  ),
  "texts in alternatives of an alternative": {
    oneOf: [
      oneOf({ kind: value("a"), a: text }, { kind: value("b"), b: text }),
      oneOf({ kind: value("c"), c: text }, { kind: value("d"), d: text })
    ]
  },
  "a known text where others have any": {
    oneOf: [
      ...["a", "b"].map((code) => required({ code: value(code), message: text })),
      required({ message: value("Sign in again") }),
      oneOf({ error: value("c"), description: text }, { error: value("d"), description: text })
    ]
  }
}

const twelve = fields(12, "Kind", (i) => ({ allOf: [ref("Base"), object({ [`ofKind${i}`]: text })] }))
const mapping = Record.map(twelve, (_, name) => ref(name).$ref)
const base = { ...object({ type: text }, ["type"]), discriminator: { propertyName: "type", mapping } }
const example = { schema: ref("Base"), example: { type: "Kind3", ofKind3: "a" } }
/** Twelve schemas that extend one, each of which has the others as alternatives. */
const heirs: Readonly<Record<string, Parts>> = {
  "an example of what twelve schemas extend": {
    operations: get("a", [], { "200": { description: "", content: { "application/json": example } } }),
    schemas: { Base: base, ...twelve }
  }
}

const act = (names: object) => ({ allOf: [ref("Act"), object(names)] })
/** Alternatives that share the enum of their base: by its discriminator, a value is one of them. */
const acts: Readonly<Record<string, Parts>> = {
  "alternatives of a base, of which a discriminator names one": {
    puts: {
      act: {
        anyOf: [ref("Act"), ref("Resize"), ref("Rename")],
        discriminator: {
          propertyName: "type",
          mapping: { on: ref("Act").$ref, resize: ref("Resize").$ref, rename: ref("Rename").$ref }
        }
      }
    },
    schemas: {
      Act: object({ type: { ...text, enum: ["on", "resize", "rename"] } }, ["type"]),
      Resize: act({ size: text }),
      Rename: act({ name: text })
    }
  }
}

const levels = fields(24, "L", (i) =>
  i === 23 ? object({ a: text }) : object({ a: ref(`L${i + 1}`), b: ref(`L${i + 1}`) }, ["a", "b"])
)
const kinds = each(100, (i) => `K${i}`)
const told = (count: number, more: (i: number) => object = () => ({}), prefix = "k") => ({
  oneOf: each(count, (i) => object({ kind: { const: `${prefix}${i}` }, ...more(i) }, ["kind"]))
})

/** Documents with values that would be too large, or with too many, and what is said of them. */
const endless: Readonly<Record<string, readonly [Parts, RegExp]>> = {
  "a list of a billion items": [
    { operations: put("x", object({ a: { ...list(text), minItems: 1e9 } }, ["a"])) },
    /^x: full: a list has at least 1000000000 items$/
  ],
  "a schema that requires itself twice": [
    { puts: { x: ref("Node") }, schemas: { Node: object({ a: ref("Node"), b: ref("Node") }, ["a", "b"]) } },
    /^x: full: each of its values contains another one$/
  ],
  "two required references a level over 24 levels": [
    { puts: { x: ref("L0") }, schemas: levels },
    /^x: full: an example has more than/
  ],
  "a hundred alternatives that require the union": [
    {
      puts: { x: ref("Union") },
      schemas: {
        Union: { oneOf: kinds.map(ref) },
        ...Object.fromEntries(kinds.map((kind) => [kind, object({ [kind]: ref("Union") }, [kind])]))
      }
    },
    /^x: full: each of its values contains another one$/
  ],
  "more than two hundred alternatives": [
    { operations: get("x", [], ok(told(203))) },
    /^x: alternatives: more than 200 alternatives: 2 of them are left out$/
  ],
  "more than a thousand known values": [
    { operations: get("x", [query("q", { enum: each(1_004, (i) => `v${i}`) })]) },
    /^x: alternatives: more than 1000 known values: 4 of them are left out$/
  ],
  "more than fifty examples": [
    { operations: get("x", [], ok({ ...text, examples: each(53, (i) => `v${i}`) })) },
    /^x: examples: more than 50 examples: 3 of them are left out$/
  ],
  "requests without each of eight hundred fields": [
    { operations: put("x", required(fields(800, "f"))) },
    /^x: incomplete: its calls have more than 500000 values: this call and those after it are left out$/
  ]
}

const both = (schema: object, schemas = {}) => ({ puts: { x: schema }, schemas })

const growing: Readonly<Record<string, (count: number) => Parts>> = {
  "fields that are null": (count) => both(object(fields(count, "f", () => ({ type: ["string", "null"] })))),
  alternatives: (count) => both(told(count)),
  "alternatives that are references": (count) =>
    both(
      { oneOf: each(count, (i) => ref(`K${i}`)) },
      fields(count, "K", (i) => object({ [`p${i}`]: text }, [`p${i}`]))
    ),
  "alternatives beside fields": (count) => both(object({ u: told(count), ...fields(count * 10, "f") })),
  "fields with alternatives": (count) =>
    both(object(fields(count, "f", (i) => told(2, (j) => ({ [`p${j}`]: text }), `k${i}-`)))),
  "errors with alternatives": (count) => ({
    operations: get("x", [], {
      ...none,
      ...Object.fromEntries(each(count, (i) => [400 + i, having(told(2, () => fields(2, "f"), `k${i}-`))]))
    })
  }),
  "heirs of a discriminator": (count) =>
    both(ref("Base"), {
      Base: { ...object({ kind: text }, ["kind"]), discriminator: { propertyName: "kind" } },
      ...fields(count, "H", (i) => ({ allOf: [ref("Base"), object({ [`p${i}`]: text })] }))
    }),
  "operations that share alternatives": (count) => ({
    operations: Object.assign({}, ...each(count, (i) => put(`x${i}`, ref("U")))),
    schemas: { U: told(count) }
  })
}

/** How many values `verify` makes and sends for a document, and what its calls are. */
const work = async (parts: Parts) => {
  const folder = Folder.ofTest()
  const document = make(parts)
  Generated.write(folder, Generated.of(document))
  const module = await Generated.load(folder)
  const { operations, schemas } = Api.read(JSON.parse(JSON.stringify(document)))
  const whole = Values.maker(schemas)
  let made = 0
  const maker: Values.Maker = {
    ...whole,
    values: (schema, variation) => {
      const one = whole.values(schema, variation)
      made += one.size
      return one
    }
  }
  const tried = new Map<string, number>()
  const all = operations.flatMap(({ id, read }) =>
    Array.from(Cases.make(maker, read(), Generated.find(module, id), tried), (one) => ({ id, ...one }))
  )
  const sizes = all.map((one) => (one._tag === "Case" ? one.input.size + (one.reply?.made?.size ?? 0) : 0))
  const notes = all.map(({ id, note, round }) => `${id}: ${round}: ${note}`)
  return { made, sent: sizes.reduce((sum, size) => sum + size, 0), notes }
}

const quiet: Readonly<Record<string, Parts>> = {
  ...Record.map(correct, (operations) => ({ operations })),
  ...Record.mapEntries(alternatives, (schema, told) => [
    `alternatives told by ${told}`,
    { operations: get("a", [], { ...ok(schema), "400": having(schema) }) }
  ]),
  ...heirs,
  ...acts
}

interface Told {
  readonly id: string
  readonly round: string
  readonly reason: string
}

const write = (document: string, parts: Parts) => writeFileSync(document, JSON.stringify(make(parts)))

const written = async (parts: Parts) => {
  const folder = Folder.ofTest()
  const [document, code] = [join(folder, "document.json"), join(folder, "out")]
  write(document, parts)
  expect(await Generated.run(document, "--out", code)).toMatchObject({ code: 0 })
  return { folder, document, code }
}

const verified = async (parts: Parts) => {
  const files = await written(parts)
  const { code, error, out } = await Generated.run("verify", files.document, files.code, "--format", "json")
  expect(error).toBe("")
  const { failures, unjudged }: Readonly<Record<string, ReadonlyArray<Told>>> = JSON.parse(out)
  const lines = (all: ReadonlyArray<Told> = []) => all.map(({ id, reason, round }) => `${id}: ${round}: ${reason}`)
  return { code, failures: lines(failures), unjudged: lines(unjudged) }
}

describe("verify", () => {
  // of one with some thousand characters, finding it would take minutes
  it.each([
    ["^[a-f]{64}$", 0, expect.stringMatching(/^[a-f]{64}$/)],
    ["^[a-f]{1,100000}$", 0, expect.stringMatching(/^[a-f]+$/)],
    ["^[a-f]{1000}$", 0, undefined],
    ["^[a-f]+$", 1000, expect.stringMatching(/^[a-f]{1000}$/)],
    ["^(?=.*[A-Z])(?=.*[0-9]).{8,}$", 0, expect.stringMatching(/[A-Z].*[0-9]|[0-9].*[A-Z]/)]
  ])("looks for a text of %s with at least %i characters, unless it is long", (pattern, least, found) => {
    expect(Pattern.examples([pattern], least)[0]).toEqual(found)
  })

  it("stops a pattern that takes too long", () => {
    const pattern = "^(a|aa)+b$"
    expect([Pattern.isMatch(pattern, "aab"), Pattern.isMatch(pattern, "ba"), Pattern.isSlow(pattern)]).toEqual([
      true,
      false,
      false
    ])
    expect([Pattern.isMatch(pattern, "a".repeat(60)), Pattern.isSlow(pattern)]).toEqual([true, true])
  })

  it("calls every operation in every round, and reports for people, programs and CI", async () => {
    const { document, out, other } = await generated()
    const { code, error, out: text } = await Generated.run("verify", document, out)
    expect(text).toMatch(/, 0 failures, 0 not judged\n$/)
    expect([code, error]).toEqual([0, ""])
    const json = await Generated.run("verify", document, out, "--format", "json", "--junit", other)
    expect(JSON.parse(json.out)).toMatchObject({ failures: [], omitted: 0 })
    for (const { operations, passing } of JSON.parse(json.out).rounds) expect(passing).toBe(operations)
    expect(readFileSync(other, "utf8")).toContain('<testcase classname="listItems" name="pages"></testcase>')
  })

  describe("finds damage, in the round that shows it:", () => {
    const folder = Folder.ofFile()
    const out = join(folder, "out")
    const ids = Object.values(shop.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId = "" }) => operationId)
    beforeAll(() => Generated.write(out, Generated.of(shop)))

    it.each(Object.entries(damages).flatMap(([file, rows]) => rows.map((row, i) => ({ damage: row, file, i }))))(
      "$file: $damage.0 as $damage.1",
      async ({ damage: [from, to, found, isFoundElsewhere], file, i }) => {
        const damaged = join(folder, `${file.replaceAll(/\W/g, "-")}-${i}`)
        cpSync(out, damaged, { recursive: true })
        const code = readFileSync(join(damaged, file), "utf8")
        expect(code).toContain(from)
        writeFileSync(join(damaged, file), code.replaceAll(from, to))
        const [id = ""] = found.split(":")
        const { operations: groups } = await Generated.load(damaged)
        // only what is damaged, to save time
        const isCalled = (operation?: string) => found.endsWith("generated") || operation === id
        const operations = Record.map(
          groups,
          Record.filter(({ id }) => isCalled(id))
        )
        const omitted = new Set(ids.filter((id) => !isCalled(id)))
        const { failures } = await Effect.runPromise(
          Verify.run(shop, { operations, omitted }, { isIncluded: () => true })
        )
        const rounds = [...new Set(failures.map(({ id, round }) => `${id}: ${round}`))]
        const others = rounds.filter((round) => !round.startsWith(found))
        expect(others.length < rounds.length).toBe(true)
        expect(isFoundElsewhere === false ? others : []).toEqual([])
      }
    )
  })

  it.each([
    ["requests.ts", "request"],
    ["responses.ts", "response"]
  ])("finds a missing value of a discriminator in %s", async (file, side) => {
    const plan = (...types: ReadonlyArray<string>) => object({ type: { ...text, enum: types } }, ["type"])
    const union = { oneOf: [ref("Once"), ref("Often")], discriminator: { propertyName: "type" } }
    const schemas = { Once: plan("once"), Often: plan("daily", "weekly") }
    const { code, document } = await written({ operations: put("plan", object({ plan: union })), schemas })
    writeFileSync(join(code, file), readFileSync(join(code, file), "utf8").replaceAll(', "weekly"]', "]"))
    const { out: shown } = await Generated.run("verify", document, code)
    expect(shown).toMatch(new RegExp(`\nplan: alternatives, ${side} .* values after 1: `))
  })

  it.each(Object.entries(quiet))("raises no alarm for %s", async (_, parts) => {
    expect(await verified(parts)).toEqual({ code: 0, failures: [], unjudged: [] })
  })

  it("calls an operation that declares no success", async () => {
    const { notes } = await work({ operations: get("a", [], { "404": having(text) }) })
    expect(notes).toEqual(
      [
        "full: ",
        "full: the greatest values",
        "full: the least values",
        "minimal: ",
        "errors: status 404",
        "free text: status 404"
      ].map((note) => `a: ${note}`)
    )
  })

  it("says after each hundred operations that it goes on, where there is no terminal", async () => {
    const { code, document } = await written({ operations: Object.assign({}, ...each(101, (i) => get(`a${i}`))) })
    expect(await Generated.run("verify", document, code)).toMatchObject({
      code: 0,
      error: "100 of 101 operations begun\n"
    })
  })

  it.each(Object.entries(growing))("makes and sends twice as much for twice the %s", async (_, partsOf) => {
    const [one, four] = [await work(partsOf(10)), await work(partsOf(40))]
    // what is made is sent, not only looked at
    for (const { made, sent } of [one, four]) expect(made).toBeLessThanOrEqual(sent)
    expect(Math.sqrt(four.sent / one.sent)).toBeLessThan(2.1)
  })

  it("judges an object of three thousand fields", () => {
    const schemas = Schemas.make({ ...make({ schemas: { A: object(fields(3_000, "f")) } }) })
    const judge = Judge.make(schemas, "response")
    const judged = (last: unknown) => judge(schemas.at("#/components/schemas/A"), { f0: "", f2999: last })
    expect([judged(""), judged(1)]).toEqual([undefined, expect.objectContaining({ instancePath: "/f2999" })])
  })

  it("looks for nulls at each depth in three operations that share a schema", async () => {
    const schemas = fields(6, "A", (i) => object({ next: i === 5 ? text : ref(`A${i + 1}`) }))
    const operations = Object.assign({}, ...each(5, (i) => get(`x${i}`, [], ok(ref("A0")))))
    const { notes } = await work({ operations, schemas })
    const nulls = notes.filter((note) => note.includes("null"))
    expect(nulls.map((note) => note.slice(0, 2)).join(" ")).toBe(
      [...Array(3)].map((_, i) => Array(6).fill(`x${i}`).join(" ")).join(" ") + " x3 x4"
    )
  })

  it("calls no further operation after half an hour, and says so", async () => {
    const folder = Folder.ofTest()
    const document = make({ operations: { ...get("a"), ...get("b"), ...get("c"), ...get("d") } })
    Generated.write(folder, Generated.of(document))
    const { operations } = await Generated.load(folder)
    const begun: Array<string> = []
    const late = (clock: Clock.Clock): Clock.Clock =>
      Object.assign(Object.create(clock), {
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + begun.length * 16 * 60_000)
      })
    const onOperation = (id: string, total: number) => begun.push(`${id} of ${total}`)
    const run = Verify.run(document, { operations, omitted: new Set() }, { isIncluded: () => true, onOperation })
    const report = await Effect.runPromise(
      Effect.flatMap(Clock.Clock, (clock) => Effect.provideService(run, Clock.Clock, late(clock)))
    )
    expect(begun).toEqual(["a of 4", "b of 4"])
    expect(Report.text(report)).toContain(
      "\nnot judged: c, d: generated, and 1 more: all together take more than 30 minutes: choose it with --include\n" +
        "2 operations called, 0 omitted, 0 failures, 2 not judged in 2 operations\n"
    )
    expect(Report.junit(report)).toContain('<testcase classname="d" name="generated"><skipped message="all together')
  })

  it.each(Object.entries(endless))("does not judge %s, and says so", async (_, [parts, reason]) => {
    const { code, failures, unjudged } = await verified(parts)
    expect({ code, failures }).toEqual({ code: 0, failures: [] })
    expect(unjudged).toContainEqual(expect.stringMatching(reason))
  })

  it("says once why calls of several operations are not judged, and names the parameter", async () => {
    const trace = { ...header("X-Trace", text), example: { id: 1 } }
    const operations = Object.assign({}, ...each(7, (i) => get(`o${i}`, [trace], ok(text))))
    const { code, document } = await written({ operations })
    const { out } = await Generated.run("verify", document, code)
    expect(out).toContain(
      "\nnot judged: o0, o1, o2, o3, o4, 2 more: examples, request 1 and 6 more: the document's example does not fit the schema: " +
        "X-Trace: the value must be string\n7 operations called, 0 omitted, 0 failures, 7 not judged in 7 operations\n"
    )
  })

  it("says once that examples whose value is a reference are not judged", async () => {
    const examples = { a: { $ref: "#/components/examples/A" }, b: { value: { $ref: "b.json" } } }
    const operations = send("PUT", "p", body(object({ id: text }, ["id"]), "application/json", { examples }))
    const components = { examples: { A: { value: { $ref: "a.json" } } } }
    expect(await verified({ operations, components })).toMatchObject({
      code: 0,
      unjudged: Array.from({ length: 2 }, () => expect.stringMatching(/^p: examples: .* its value is a \$ref/))
    })
  })

  it("shows texts of a document on one line, without control of the terminal or of a runner of CI", async () => {
    const name = "forged\n1 operation called, 0 omitted, 0 failures\u202e\n::error::b ##[error]"
    const { code, document } = await written({ operations: { "GET /a": { operationId: name } } })
    const { out: passing } = await Generated.run("verify", document, code)
    write(document, {})
    const { out } = await Generated.run("verify", document, code)
    const { out: json } = await Generated.run("verify", document, code, "--format", "json")
    const linesOf = (text: string) => text.split("\n").filter((line) => /^(?:forged|1 operation called)/.test(line))
    expect(linesOf(passing)).toHaveLength(2)
    expect(linesOf(out)).toEqual([expect.stringMatching(/generated: the document has no such operation$/)])
    expect(JSON.parse(json).failures[0].id).toBe(name)
    expect(passing + out + json).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]|^\s*::|##\w*\[/mu)
  })

  it("calls only the operations that are chosen, and counts the others", async () => {
    const { document, out } = await generated()
    const counted = (called: string, excluded: number) =>
      expect.stringMatching(
        new RegExp(`\n${called} called, 0 omitted, 0 failures, 0 not judged, ${excluded} excluded\n$`)
      )
    expect(await Generated.run("verify", document, out, "--include", "order")).toEqual({
      code: 0,
      error: "",
      out: counted("1 operation", 13)
    })
    const { out: text } = await Generated.run("verify", document, out, "--exclude", "order")
    expect(text).toEqual(counted("13 operations", 1))
    expect(await Generated.run("verify", document, out, "--include", "other")).toMatchObject({
      code: 2,
      error: "error: --include and --exclude leave no operation of the folder\n"
    })
  })

  it("shows what was sent and received by a call that fails, and what a folder has beside the document", async () => {
    const partsOf = (items: object) => ({
      components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "secret" } } },
      operations: {
        "POST /a": {
          operationId: "a",
          security: [{ key: [] }],
          parameters: [query("q", text)],
          requestBody: body(object({ n: text })),
          responses: ok(object({ id: text, items }, ["id", "items"]))
        }
      }
    })
    const { code: out, document, folder } = await written(partsOf(list(number)))
    const report = join(folder, "report.xml")
    write(document, partsOf(list(text)))
    const { out: shown } = await Generated.run("verify", document, out, "--include", "a", "--junit", report)
    expect(shown).toMatch(/\na: full: .+\n {2}sent: POST \/a\?q=\S+ \{"n":"text .+"\}\n {2}received: 200 \{"id":".+",/)
    const { out: json } = await Generated.run("verify", document, out, "--format", "json")
    const [{ received, sent }] = JSON.parse(json).failures
    expect([sent, received]).toEqual([expect.stringMatching(/^POST \/a\?q=/), expect.stringMatching(/^200 \{"id":/)])
    expect(readFileSync(report, "utf8")).toContain(">sent: POST /a")
    expect(shown + json).not.toMatch(/secret|fake/)
    write(document, {})
    const { code, out: gone } = await Generated.run("verify", document, out)
    expect(code).toBe(1)
    expect(gone).toContain("\na: generated: the document has no such operation\n")
  })

  it.each(["application/json", "application/x-www-form-urlencoded"])(
    "finds files that go out as text in %s, where the document offers parts",
    async (given) => {
      const partsOf = (...types: ReadonlyArray<string>) => ({
        operations: send("POST", "photo", contents(Record.fromIterableWith(types, (type) => [type, ref("Photo")]))),
        schemas: { Photo: object({ files: ref("Files") }), Files: list(binary) }
      })
      const { code: out, document } = await written(partsOf(given))
      expect(await Generated.run("verify", document, out)).toMatchObject({ code: 0 })
      write(document, partsOf(given, "multipart/form-data"))
      const { code, out: shown } = await Generated.run("verify", document, out)
      expect(code).toBe(1)
      expect(shown).toContain(`photo: full: the file files is text in ${given}, not a part of multipart/form-data\n`)
    }
  )

  it("names both copies where the code imports another effect than the client", async () => {
    const { document, out } = await generated()
    const copy = join(out, "node_modules", "effect")
    mkdirSync(copy, { recursive: true })
    writeFileSync(join(copy, "index.js"), "")
    const { code, error } = await Generated.run("verify", document, out)
    expect(code).toBe(2)
    expect(error).toContain(`effect is installed twice, and a client needs one: ${copy} and `)
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
