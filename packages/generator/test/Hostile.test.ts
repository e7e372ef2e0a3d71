import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { globSync } from "node:fs"
import { join } from "node:path"
import { empty, having, header, make, none, object, ok, query, ref, text as string } from "./document.ts"
import { Unusable } from "../src/read/Unusable.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"
import { shop } from "./shop.ts"

const folder = Folder.ofFile()

const document = (paths: Readonly<Record<string, object>>, schemas: object = {}) =>
  make({ operations: {}, paths, schemas })
const reading = (schema: object) => ({ "/x": { get: { operationId: "x", responses: ok(schema) } } })
const numbered = (count: number, make: (i: number) => object) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`A${i}`, make(i)]))

/** Texts that would be code where they are not escaped. */
const attacks = [
  "*/ globalThis.hacked = 1 /*",
  '"; globalThis.hacked = 1; "',
  "`${(globalThis.hacked = 1)}`",
  "'; globalThis.hacked = 1 //",
  "\\",
  '\\"',
  "\u2028globalThis.hacked = 1\u2029",
  "\r\nglobalThis.hacked = 1\n",
  "../../../outside",
  "/etc/passwd",
  "C:\\outside",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "then",
  "execute",
  "class",
  "default",
  "await",
  "operations",
  "omitted",
  "Schema",
  "Wire",
  "Operation",
  "A",
  "R",
  "con",
  "",
  " ",
  "\u0430dmin",
  "admin",
  "ADMIN",
  "\u202Enimda",
  "1st",
  "\uD800",
  "a".repeat(5_000),
  "<br/>@deprecated",
  "//",
  "/* x",
  '[A-Z"]',
  '\\"[A-Z]',
  "^[/**]$",
  "${x}"
]

const everywhere = (text: string) => ({
  openapi: "3.1.0",
  info: { title: text, version: text },
  paths: {
    [`/fixed/{${text.replace(/[{}/?#]/g, "")}}`]: {
      post: {
        operationId: text,
        tags: [text],
        summary: text,
        description: text,
        externalDocs: { url: text },
        parameters: [
          query(text, { type: "string", enum: [text, "b"], default: text }, { description: text }),
          header(text, { type: "string", pattern: text })
        ],
        requestBody: {
          content: { [text]: { schema: { type: "string" } }, "application/json": { schema: ref("Named") } }
        },
        responses: {
          "200": { ...having(ref("Named")), description: text },
          "404": { ...having({ title: text, type: "object" }), description: text },
          [text]: { description: text }
        },
        security: [{ [text]: [text] }]
      }
    }
  },
  components: {
    schemas: {
      Named: {
        title: text,
        description: text,
        type: "object",
        required: [text],
        properties: {
          [text]: { type: "string", description: text, example: text, enum: [text, "other"] },
          [`${text}!`]: { type: "string", pattern: text }
        }
      },
      [text]: { type: "object", properties: { self: { $ref: "#/components/schemas/Named" } }, deprecated: true }
    },
    securitySchemes: { [text]: { type: "http", scheme: text } }
  }
})

describe("texts of a document never become code", () => {
  it("each compiles, writes no file elsewhere, and runs nothing", async () => {
    for (const [i, text] of attacks.entries()) {
      const { files } = Generated.of(everywhere(text))
      for (const name of files.keys()) expect(name).toMatch(/^(?:operations\/)?[\w$]+\.(?:ts|json)$/)
      Generated.write(join(folder, "attacks", String(i)), Generated.of(everywhere(text)))
    }
    // all of them as names beside one another
    const together = Object.fromEntries(
      attacks.map((text, i) => [
        `/${i}`,
        { get: { operationId: text, tags: [attacks[i % 7]], responses: ok(ref(text)) } }
      ])
    )
    const schemas = Object.fromEntries(attacks.map((text) => [text, object({ [text]: ref("A") })]))
    const generated = Generated.of(document(together, { A: string, ...schemas }))
    Generated.write(join(folder, "attacks/all"), generated)
    expect(Generated.compile(folder)).toBe("")
    for (const index of globSync("attacks/*/index.ts", { cwd: folder })) {
      const { operations, omitted } = await Generated.load(join(folder, index, ".."))
      expect(Object.keys(operations).length + omitted.length).toBeGreaterThan(0)
    }
    expect("hacked" in globalThis).toBe(false)
  })

  it("invisible characters are escaped: what a reader sees is what runs", () => {
    const { files } = Generated.of(everywhere("a\u202Eb\u200Bc"))
    for (const content of files.values()) expect(content).not.toMatch(/[\u202E\u200B]/)
  })
})

/** Names of what generated code imports and uses, of the language, of each object, and of devices of Windows. */
const taken = (
  "Body Brand CallError DateTime Envelope Operation Refusal Schema Stream Style Wire A Q R operations omitted " +
  "array blob infinity InstanceType NaN readonlyArray record returnType uint8Array globalThis undefined any async await " +
  "boolean bigint class constructor declare default enum eval infer interface is keyof let module namespace never null " +
  "number object of out package readonly static string symbol type unique unknown using yield hasOwnProperty isPrototypeOf " +
  "propertyIsEnumerable prototype then toLocaleString toString valueOf __proto__ execute exchange con COM1 lpt9 aux nul prn"
).split(" ")

/** Operations whose code uses all that generated code can, in one group with an operation of each name; each names a group, too. */
const using = (): Readonly<Record<string, object>> => {
  const file = { type: "string", format: "binary" }
  const envelope = (result: object) =>
    ok(object({ status: { type: "integer" }, requestId: string, result }, ["status", "requestId"]))
  const sending = (type: string, schema: object) => ({ required: true, content: having(schema, type).content })
  const failures = { "404": having(object({ code: string })), default: empty }
  const operations = {
    "GET /": { parameters: [query("q", { type: "array", items: string }), header("h", string)] },
    "PUT /": {
      requestBody: sending("application/json", ref("Brand")),
      responses: ok(file, "application/octet-stream")
    },
    "POST /": { requestBody: sending("multipart/form-data", object({ file })), responses: { ...none, ...failures } }
  }
  const own = taken.map(
    (operationId, i) => [`GET /${i}`, { operationId, responses: envelope(ref(operationId)) }] as const
  )
  const inOne = Object.entries({ ...operations, ...Object.fromEntries(own) }).map(([key, operation]) => [
    key,
    { ...operation, tags: ["one"] }
  ])
  const inGroups = taken.map((name, i) => [`PUT /${i}`, { tags: [name], operationId: `${name}Put` }])
  return Object.fromEntries([...inOne, ...inGroups])
}

it("names of a document hide nothing that the code beside them uses, and are methods, and files on Windows", async () => {
  const written = join(folder, "names")
  const schema = (name: string) =>
    object({
      [name]: { type: "string", "x-brand": name },
      date: { type: "string", format: "date-time" },
      names: { type: "array", items: { type: "string", enum: ["a", "b"] } },
      long: { type: "integer", format: "int64" },
      self: ref(name)
    })
  const schemas = Object.fromEntries(taken.map((name) => [name, schema(name)]))
  const generated = Generated.of(make({ operations: using(), schemas }))
  expect(generated.omitted).toEqual([])
  for (const file of generated.files.keys()) expect(file).not.toMatch(/(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)\./i)
  Generated.write(written, generated)
  expect(Generated.compile(written)).toBe("")
  const { operations } = await Generated.load(written)
  expect(Object.keys(operations)).toHaveLength(taken.length + 1)
  expect(Object.keys(operations["one"] ?? {})).toHaveLength(taken.length + 3)
})

describe("a document that is expensive by design", () => {
  it.each([
    ["a chain of references", { A: ref("A0"), ...numbered(100_000, (i) => ref(`A${i + 1}`)), A100000: string }],
    [
      "a chain of objects",
      { A: ref("A0"), ...numbered(5_000, (i) => object({ next: ref(`A${i + 1}`) })), A5000: string }
    ],
    [
      "allOf that doubles at each level",
      {
        A: ref("A0"),
        ...numbered(100, (i) => ({ allOf: [ref(`A${i + 1}`), ref(`A${i + 1}`)] })),
        A100: { type: "object" }
      }
    ],
    ["allOf that contains itself", { A: { allOf: [ref("B")] }, B: { allOf: [ref("A")], properties: { x: ref("A") } } }],
    [
      "parts that meet without end",
      {
        A: { allOf: [ref("B"), ref("C")] },
        B: object({ child: ref("B"), other: ref("C") }),
        C: object({ child: ref("C"), other: ref("B") })
      }
    ]
  ])("is generated: %s", (_, schemas) => {
    expect(Generated.of(document(reading(ref("A")), schemas)).omitted).toEqual([])
  })

  it("has a manifest that grows with the document: alternatives without names in one another", () => {
    const nested = (depth: number): object =>
      depth === 0 ? string : { oneOf: [object({ a: nested(depth - 1) }), string] }
    const size = (depth: number) => JSON.stringify(Generated.of(document(reading(nested(depth)))).manifest).length
    expect(size(18)).toBeLessThan(100_000)
  })

  it.each<[object, boolean]>([
    [string, false],
    [{ type: "integer", format: "int64" }, true]
  ])("is generated: a chain of thousands of maps beside fields, the last of %o", (last, isExact) => {
    const count = 5_000
    const map = (i: number) => (i < count - 1 ? ref(`A${i + 1}`) : last)
    const chain = numbered(count, (i) => ({ ...object({ a: string }), additionalProperties: map(i) }))
    const { files, omitted } = Generated.of(document(reading(ref("A0")), chain))
    expect(omitted).toEqual([])
    expect(files.get("operations/x.ts")?.includes("Body.exact(")).toBe(isExact)
  })

  it("is generated: a form of alternatives that share theirs at each level", () => {
    const level = (i: number) => Array.from({ length: 10 }, (_, j) => ref(`A${10 * (Math.floor(i / 10) + 1) + j}`))
    const schemas = {
      ...numbered(80, (i) => ({ oneOf: level(i) })),
      ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`A${80 + i}`, object({ [`p${i}`]: string })]))
    }
    const requestBody = { content: having(ref("A0"), "multipart/form-data").content }
    const paths = { "/x": { put: { operationId: "x", requestBody, responses: ok({}) } } }
    expect(Generated.of(document(paths, schemas)).omitted).toEqual([])
  })

  it.each([
    ["references in a circle", { A: ref("B"), B: ref("A") }, "reference"],
    ["a reference to nothing", { A: object({ x: ref("None") }) }, "reference"],
    ["a reference to the network", { A: { $ref: "https://example.com/a.json" } }, "external-ref"],
    ["a reference out of the folder", { A: { $ref: "../../etc/passwd" } }, "external-ref"],
    ["a type of itself", { A: { oneOf: [ref("B"), string] }, B: { oneOf: [ref("A"), { type: "null" }] } }, "schema"],
    [
      "alternatives of alternatives",
      {
        A: ref("A0"),
        ...numbered(40, (i) => ({
          properties: { [`p${i}`]: {} },
          oneOf: [ref(`A${i + 1}`), { ...ref(`A${i + 1}`), title: "x" }]
        })),
        A40: { type: "object" }
      },
      "schema"
    ]
  ])("is omitted by name, and the rest is generated: %s", (_, schemas, code) => {
    const paths = { ...reading(ref("A")), "/y": { get: { operationId: "y", responses: ok(string) } } }
    const { manifest, omitted } = Generated.of(document(paths, schemas))
    expect(omitted).toMatchObject([{ id: "x", code }])
    expect(Object.keys(manifest.operations)).toEqual(["GET /y"])
  })

  it("is omitted by name: half a surrogate pair in a path", () => {
    const { get } = reading({})["/x"]
    expect(Generated.of(document({ "/a\uD800": { get } })).omitted).toMatchObject([
      { id: "x", code: "path", pointer: "#/paths/~1a\uD800/get" }
    ])
  })

  it("is omitted by name: a path that is longer than a URL can be; a shorter one has one warning", () => {
    const { get } = reading(string)["/x"]
    const path = (count: number) => Array.from({ length: count }, (_, i) => `/{v${i}}`).join("")
    const { omitted, warnings } = Generated.of(document({ [path(500)]: { get }, [path(3)]: { get } }))
    expect(omitted).toMatchObject([
      {
        code: "path",
        message: "a path has at most 2000 characters; a patch can move the operation to a path that has this form"
      }
    ])
    expect(warnings).toMatchObject([
      { code: "operation-id" },
      { code: "path-variable", message: "the path's v0, v1, v2 are declared nowhere: texts" }
    ])
  })

  it.each([
    [
      "too deep",
      "levels",
      () => JSON.stringify(document(reading({ a: JSON.parse("[".repeat(2_000) + "]".repeat(2_000)) })))
    ],
    [
      "aliases that multiply",
      "alias",
      () =>
        `a: &a [x,x]\n${"bcdefghijklmnopq"
          .split("")
          .map((name, i, all) => `${name}: &${name} [*${all[i - 1] ?? "a"},*${all[i - 1] ?? "a"}]`)
          .join("\n")}\nopenapi: 3.1.0\n`
    ]
  ])("is not read: %s", (_, problem, make) => {
    expect(() => Generated.of(make())).toThrow(problem)
  })

  it("is read with many aliases that do not multiply", () => {
    const aliases = Array.from({ length: 500 }, (_, i) => `x-${i}: *a\n`).join("")
    expect(Generated.of(`openapi: 3.1.0\npaths: {}\nx-a: &a { type: string }\n${aliases}`).omitted).toEqual([])
  })
})

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null
const placesOf = (holder: Record<string, unknown>): ReadonlyArray<readonly [holder: typeof holder, name: string]> =>
  Object.entries(holder).flatMap(([name, value]) => [[holder, name], ...(isHolder(value) ? placesOf(value) : [])])
const strange = [
  ...attacks,
  null,
  true,
  -1,
  1e308,
  [],
  {},
  ["string", "null"],
  ref("None"),
  { $ref: "#" },
  { oneOf: [] }
]
const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e6 }))
const Damage = Schema.Struct({ how: Schema.Literals(["gone", "moved", "renamed", "strange"]), at: Index, from: Index })

it.prop(
  "a document with values that are gone, strange or elsewhere is generated, or unusable",
  { damages: Schema.Array(Damage).check(Schema.isMinLength(1), Schema.isMaxLength(12)) },
  ({ damages }) => {
    const damaged: Record<string, unknown> = structuredClone(shop)
    for (const { at, from, how } of damages) {
      const places = placesOf(damaged)
      const [[holder, name] = [{}, ""], [other, key] = [{}, ""]] = [at, from].map((i) => places[i % places.length])
      if (how === "gone") delete holder[name]
      else if (how === "moved") holder[name] = structuredClone(other[key])
      else if (how === "renamed") holder[attacks[from % attacks.length] ?? ""] = holder[name]
      else holder[name] = strange[from % strange.length]
    }
    try {
      Generated.of(damaged)
    } catch (error) {
      expect(error).toBeInstanceOf(Unusable)
    }
  },
  { arbitrary: { seed: 1, runs: 80 } }
)

it("a name once given stays when another operation takes its ID", () => {
  const operation = (operationId: string) => ({ get: { operationId, tags: ["T"], responses: none } })
  const first = Generated.of(document({ "/b": operation("list") }))
  const second = Generated.of(document({ "/a": operation("list"), "/b": operation("listAll") }), {
    locked: first.manifest
  })
  expect(second.manifest.operations).toMatchObject({
    "GET /b": { id: "listAll", name: "list" },
    "GET /a": { id: "list", name: "list2" }
  })
})

it("a refusal keeps its name when its body changes", () => {
  const failing = (properties: object) => {
    const body = { type: "object", properties, required: ["message"] }
    const responses = { ...ok({}), "404": having(body) }
    return document({ "/x": { get: { operationId: "x", responses } } })
  }
  const first = Generated.of(failing({ message: string }))
  const more = failing({ message: string, code: string })
  const second = Generated.of(more, { locked: first.manifest })
  expect(Object.values(first.manifest.refusals)).toEqual(["NotFound"])
  expect(Object.values(second.manifest.refusals)).toEqual(["NotFound"])
})
