import { describe, expect, it } from "@effect/vitest"
import { build } from "esbuild"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import * as Names from "../src/model/Names.ts"
import {
  body,
  boolean,
  cookie,
  empty,
  get,
  having,
  header,
  integer,
  list,
  make,
  none,
  number,
  object,
  ok,
  query,
  ref,
  text
} from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

const code = (operation: object, rest: object = {}, method = "get") => {
  const paths = { "/things": { [method]: { operationId: "things", ...operation } } }
  const { files, omitted, warnings } = Generated.of({ openapi: "3.1.0", info: {}, paths, ...rest })
  return { text: files.get("operations/things.ts") ?? "", omitted, warnings: warnings.map(({ code }) => code) }
}

const page = (properties: object, required: ReadonlyArray<string>, headers = {}) => ({
  "200": { ...having(object(properties, required)), headers }
})
const items = list(text)
const orNull = (schema: object) => ({ oneOf: [schema, { type: "null" }] })
const asking = (name: string, schema: object = text) => ({ parameters: [query(name, schema)] })
const uri = { type: ["string", "null"], format: "uri" }
const paged = (name: string, schema: object, rest: object) => ({
  ...asking(name, schema),
  responses: page({ items, ...rest }, ["items"])
})

const afterItem = (name: string, id: object = text, rest: object = {}, more: object = {}) => ({
  parameters: [query(name, id, rest)],
  responses: page({ data: list(object({ id }, ["id"])), has_more: boolean, ...more }, ["data", "has_more"])
})

const paging = (kind: string, fields: object) => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return `Operation.${kind}({ ${given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")} })`
}
const cursor = (query: string, next: string, items = "items", more?: string) =>
  paging("cursor", { query, next, items, more })
const link = (items: string, next?: string) => paging("link", { items, next })
const pages = (query: string, items: string, more?: string, first?: number) =>
  paging("pageNumber", { query, items, first, more })
const offset = (query: string, items: string, more?: string) => paging("offset", { query, items, more })

describe("what an operation says of itself", () => {
  it.each([
    ["the document's", {}, { security: [{ a: [] }] }, `security: [["a"]]`],
    ["its own, some of them two", { security: [{ a: [], b: [] }, { c: [] }] }, {}, `security: [["a", "b"], ["c"]]`],
    ["no certificate, which is the connection's", { security: [{ a: [], d: [] }] }, {}, `security: [["a"]]`],
    ["a URI, as 3.2 allows", { security: [{ "#/components/securitySchemes/a": [] }] }, {}, `security: [["a"]]`],
    [
      "a URI of the document itself",
      { security: [{ "https://a.example#/components/securitySchemes/b": [] }] },
      { $self: "https://a.example" },
      `security: [["b"]]`
    ],
    ["optional ones come last", { security: [{}, { a: [] }] }, {}, `security: [["a"], []]`],
    ["none", { security: [] }, { security: [{ a: [] }] }, "security: []"]
  ])("credentials: %s", (_, operation, rest, expected) => {
    const schemes = { a: { type: "http" }, b: { type: "apiKey" }, c: { type: "oauth2" }, d: { type: "mutualTLS" } }
    const { text, warnings } = code(
      { responses: none, ...operation },
      { components: { securitySchemes: schemes }, ...rest }
    )
    expect(text).toContain(expected)
    expect(warnings).toEqual([])
  })

  it.each([
    ["a cursor", paged("cursor", text, { next_cursor: { type: ["string", "null"] } }), cursor("cursor", "next_cursor")],
    [
      "a cursor one level below",
      paged("pageToken", text, { page: object({ nextPageToken: text }) }),
      cursor("pageToken", "page.nextPageToken")
    ],
    [
      "a cursor two levels below",
      paged("after", text, { a: object({ b: object({ next_cursor: text }) }) }),
      cursor("after", "a.b.next_cursor")
    ],
    ["an offset that is a token", paged("offset", text, { next_offset: text }), cursor("offset", "next_offset")],
    [
      "a next page",
      paged("page", integer, { pagination: object({ next_page: { type: ["integer", "null"] } }) }),
      cursor("page", "pagination.next_page")
    ],
    ["a URL beside a cursor", paged("cursor", text, { next: uri }), link("items", "next")],
    [
      "a URL by its example",
      paged("cursor", text, { next: { ...text, example: "https://api.example.com/items?cursor=a" } }),
      link("items", "next")
    ],
    ["a link among links", paged("page", integer, { links: object({ next: text }) }), link("items", "links.next")],
    [
      "a path that says so",
      paged("order", text, { next: { ...text, description: "Path to subsequent page of results." } }),
      link("items", "next")
    ],
    [
      "a link in an object, as HAL has it",
      paged("page", integer, { _links: object({ self: object({ href: text }), next: object({ href: text }) }) }),
      link("items", "_links.next.href")
    ],
    [
      "a number after which it goes on",
      paged("after", integer, { pagination: object({ next: { type: ["integer", "null"] } }) }),
      cursor("after", "pagination.next")
    ],
    [
      "a page and its URL",
      paged("page", integer, { next_page: integer, next_page_url: text }),
      cursor("page", "next_page")
    ],
    [
      "a nested after",
      paged("after", text, { paging: object({ next: object({ after: text }, ["after"]) }) }),
      cursor("after", "paging.next.after")
    ],
    [
      "a cursor that the last page has too, and more beside it",
      paged("nextPageToken", text, { nextPageToken: text, hasMore: boolean, other: object({ more: boolean }) }),
      cursor("nextPageToken", "nextPageToken", "items", "hasMore")
    ],
    ["the last ID", afterItem("starting_after"), cursor("starting_after", "data.-1.id", "data", "has_more")],
    [
      "the number of the last item, of a parameter that says it",
      afterItem("after", { ...integer, format: "int64" }, { description: "The ID of the last item that you have." }),
      cursor("after", "data.-1.id", "data", "has_more")
    ],
    [
      "the last ID beside the items",
      afterItem("after", text, {}, { last_id: { type: ["string", "null"] } }),
      cursor("after", "last_id", "data", "has_more")
    ],
    [
      "the cursor of the last item",
      paged("after", text, { info: object({ endCursor: orNull(text), hasNextPage: boolean }) }),
      cursor("after", "info.endCursor", "items", "info.hasNextPage")
    ],
    ["page numbers", paged("page", integer, {}), pages("page", "items")],
    [
      "pages from 0",
      paged("page", { ...integer, default: 0, minimum: 0 }, { total_pages: integer }),
      pages("page", "items", "total_pages", 0)
    ],
    [
      "pages with more",
      paged("page[number]", integer, { meta: object({ has_more: boolean }) }),
      pages("page[number]", "items", "meta.has_more")
    ],
    ["pages of a list alone", { ...asking("page", integer), responses: { "200": having(items) } }, pages("page", "")],
    ["an offset", paged("offset", integer, { has_more: boolean }), offset("offset", "items", "has_more")],
    [
      "an offset of what may be null",
      { ...asking("offset", integer), responses: page({ items: orNull(items) }, []) },
      offset("offset", "items")
    ],
    [
      "an offset of what is always there",
      { ...asking("offset", integer), responses: page({ warnings: items, items }, ["items"]) },
      offset("offset", "items")
    ],
    [
      "a list one level below",
      { ...asking("skip", number), responses: page({ data: object({ rows: items }, ["rows"]) }, ["data"]) },
      offset("skip", "data.rows")
    ],
    [
      "x-pagination",
      {
        ...paged("n", integer, { of: integer }),
        "x-pagination": { _tag: "PageNumber", query: "n", items: "items", first: 2, more: "of" }
      },
      pages("n", "items", "of", 2)
    ],
    [
      "the last item of x-pagination",
      {
        ...afterItem("created[gt]"),
        "x-pagination": { _tag: "Cursor", query: "created[gt]", items: "data", next: "data.-1.id", more: "has_more" }
      },
      cursor("created[gt]", "data.-1.id", "data", "has_more")
    ],
    [
      "a link of x-pagination",
      { ...paged("page", integer, { after: uri }), "x-pagination": { _tag: "Link", items: "items", next: "after" } },
      link("items", "after")
    ],
    ["a link", { responses: page({ items }, ["items"], { Link: {} }) }, link("items")],
    [
      "a link of OData, whose name has a dot",
      { responses: page({ value: items, "@odata.nextLink": text }, ["value"]) },
      link("value", "@odata.nextLink")
    ]
  ])("pages by %s, also of a query that is a reference", (_, operation, expected) => {
    expect(code(operation).text).toContain(expected)
    const queries = "parameters" in operation ? operation.parameters : []
    const schemas = Object.fromEntries(queries.map(({ name, schema }) => [name, schema]))
    const parameters = queries.map((one) => ({ ...one, schema: ref(one.name) }))
    expect(code({ ...operation, parameters }, { components: { schemas } }).text).toContain(expected)
  })

  it.each([
    ["after", "list_metadata", { before: orNull(text), after: orNull(text) }, ["before", "after"]],
    ["cursor", "meta", { cursor: text }, []],
    ["page_token", "pagination", { page_token: text }, []],
    ["starting_after", "pages", { starting_after: orNull(text) }, ["starting_after"]]
  ])("pages by %s, which is also in %s", (name, place, fields, required) => {
    const responses = page({ items, [place]: object(fields, required), has_more: boolean }, ["items", place])
    expect(code({ ...asking(name), responses }).text).toContain(cursor(name, `${place}.${name}`))
  })
  it.each([
    ["two lists", { ...asking("offset", integer), responses: page({ items, others: items }, ["items", "others"]) }],
    [
      "a link to the next page of another list",
      { responses: page({ items, zones: object({ meta: object({ next: uri }), rows: items }) }, []) }
    ],
    ["two lists that may be missing", { ...asking("offset", integer), responses: page({ items, others: items }, []) }],
    ["an offset that is text, without a next one", paged("offset", text, {})],
    ["a page that is text", paged("page", text, {})],
    ["an after that can be anything", afterItem("after")],
    [
      "an after that is always there",
      { ...asking("after"), responses: page({ items, meta: object({ after: text }, ["after"]) }, ["items", "meta"]) }
    ],
    ["an after beside the list", paged("after", text, { after: text })],
    ["an after of what was asked for", paged("after", text, { request: object({ after: text }) })],
    ["an after that is a number", paged("after", integer, { meta: object({ after: text }) })],
    ["an after whose next is a number", paged("after", text, { meta: object({ after: integer }) })],
    ["an item whose ID is of another kind", { ...afterItem("starting_after", integer), ...asking("starting_after") }],
    ["items of which not each has an ID", paged("starting_after", text, { has_more: boolean })],
    ["pages that may begin with 0 or with 1", paged("page", { ...integer, minimum: 0 }, {})],
    ["x-pagination that is false", { ...paged("page", integer, {}), "x-pagination": false }],
    ["a cursor that is a number", { ...asking("cursor"), responses: page({ items, next: number }, ["items"]) }]
  ])("no pages are read by %s", (_, operation) => {
    expect(code(operation).text).not.toContain("pagination")
  })

  it("pages by every kind of field that is read compile", () => {
    const int64 = { ...integer, format: "int64" }
    const operations = {
      "all pages in 64 bits": paged("page", integer, { totalPages: int64 }),
      "all pages, or null": paged("page", int64, { totalPages: orNull(int64) }),
      "the next page in 64 bits": paged("page", integer, { next_page: int64 }),
      "the next offset": paged("offset", integer, { next_offset: orNull(number) }),
      "a cursor of known values": paged("cursor", text, { next: { enum: ["a", "b", null] } }),
      "a cursor of a part": paged(
        "cursor",
        { allOf: [text] },
        { meta: { allOf: [object({ next: { allOf: [text] } })] } }
      ),
      "more in what may be null": paged("offset", integer, { meta: orNull(object({ has_more: orNull(boolean) })) }),
      "a list in what may be null": {
        ...asking("offset", integer),
        responses: { "200": having(orNull(object({ items, has_more: boolean }, ["items"]))) }
      },
      "a list with a field that begins with it": paged("page[number]", integer, {
        "page[total]": integer,
        total_pages: integer
      }),
      "the last item": afterItem("starting_after", { ...integer, format: "int64" }),
      "the last item of a list alone, with the name that it has": {
        ...asking("from"),
        responses: { "200": having(list(object({ name: text }))) },
        "x-pagination": { _tag: "Cursor", query: "from", items: "", next: "-1.name" }
      },
      "a link in what may be null": paged("page", integer, { links: orNull(object({ next: uri })) }),
      "a list alone": { ...asking("page", integer), responses: { "200": having(items) } },
      "a list in an envelope": {
        ...paged("page", integer, {}),
        "x-envelope": true,
        responses: page({ requestId: text, result: items }, ["requestId", "result"])
      },
      "x-pagination with a next of several kinds": {
        ...paged("page", integer, { token: { type: ["string", "integer"] } }),
        "x-pagination": { _tag: "Cursor", query: "page", items: "items", next: "token" }
      },
      "x-pagination with names that have dots": {
        ...paged("page", text, { meta: object({ "next.page": text, "has.more": boolean }) }),
        "x-pagination": { _tag: "Cursor", query: "page", items: "items", next: "meta.next.page", more: "meta.has.more" }
      },
      "x-pagination with a link of known values": {
        ...paged("page", integer, { token: { enum: ["/a"] } }),
        "x-pagination": { _tag: "Link", items: "items", next: "token" }
      }
    }
    const document = make({
      operations: Object.fromEntries(
        Object.entries(operations).map(([id, operation], i) => [
          `GET /${i}`,
          { operationId: id, tags: ["T"], ...operation }
        ])
      )
    })
    const generated = Generated.of(document)
    expect(generated.omitted).toEqual([])
    const paginations = [...generated.files.values()].join().match(/pagination: Operation/g)
    expect(paginations).toHaveLength(Object.keys(operations).length)
    const folder = Folder.ofTest()
    Generated.write(folder, generated)
    // only a program that changes an operation has its pagination checked
    const changed = Array.from(
      (generated.files.get("operations/t.ts") ?? "").matchAll(/^export const (\w+)/gm),
      ([, name]) => `Operation.make({ ...all.${name}, summary: "" })`
    )
    const imports = [
      'import * as Operation from "@cloud-management/client/Operation"',
      'import * as all from "./operations/t.ts"'
    ]
    writeFileSync(join(folder, "changed.ts"), [...imports, ...changed].join("\n"))
    expect(Generated.compile(folder)).toBe("")
  })

  it("what is inferred of pages is said where it is generated, before the tags", () => {
    const { text } = code({
      ...paged("page", integer, { pages: object({ next_page: integer }) }),
      summary: "Lists.",
      deprecated: true
    })
    expect(text).toContain(` * Lists.
 *
 * \`items\` is a list in pages. For the next page, \`page\` takes what is at \`pages.next_page\`.
 * Inferred from names and types: \`x-pagination\` in the document corrects it.
 *
 * @deprecated
 */
export const things: Things = `)
  })

  it.each<[problem: string, pagination: unknown]>([
    ["is false, or an object whose _tag is Cursor, Offset, PageNumber, Link", true],
    ["is false, or an object whose _tag is Cursor, Offset, PageNumber, Link", { _tag: "Token", items: "items" }],
    ["is false, or an object whose _tag is Cursor, Offset, PageNumber, Link", { query: "page", items: "items" }],
    ["lacks next", { _tag: "Cursor", query: "page", items: "items" }],
    [
      "has next, which Offset lacks: it has query, items, more",
      { _tag: "Offset", query: "page", items: "items", next: "next" }
    ],
    ["has first, which is not a number", { _tag: "PageNumber", query: "page", items: "items", first: "0" }],
    ["has items, which is not a text", { _tag: "Link", items: null }],
    ["names a query that is not declared: p", { _tag: "Offset", query: "p", items: "items" }],
    ["finds no array at item", { _tag: "Offset", query: "page", items: "item" }],
    ["finds nothing at meta.next", { _tag: "Link", items: "items", next: "meta.next" }],
    ["finds no text at rest, where next is", { _tag: "Link", items: "items", next: "rest" }],
    [
      "finds no text or number at items, where next is",
      { _tag: "Cursor", query: "page", items: "items", next: "items" }
    ],
    [
      "finds no boolean at rest, where more is",
      { _tag: "Cursor", query: "page", items: "items", next: "next", more: "rest" }
    ],
    ["finds nothing at items.-1.id", { _tag: "Cursor", query: "page", items: "items", next: "items.-1.id" }],
    [
      "finds no boolean or number at next, where more is",
      { _tag: "Offset", query: "page", items: "items", more: "next" }
    ]
  ])("an x-pagination that is not understood is an error: it %s", (problem, pagination) => {
    const { omitted } = code({ ...paged("page", integer, { next: text, rest: integer }), "x-pagination": pagination })
    expect(omitted).toEqual([
      {
        id: "things",
        code: "pagination",
        pointer: "#/paths/~1things/get/x-pagination",
        message: `x-pagination ${problem}`
      }
    ])
  })

  it("an x-pagination of the document is that of each list which has its names", () => {
    const rule = { _tag: "Cursor", query: "after", next: "to", items: "items" }
    const list = (query: string, rest: object = {}) => ({ tags: ["t"], ...paged(query, text, { to: text }), ...rest })
    const all = (pagination: unknown) => {
      const operations = {
        "GET /a": list("after"),
        "GET /b": list("after", { "x-pagination": false }),
        "GET /c": list("other"),
        "GET /d": { ...list("cursor"), responses: page({ items, next: text }, ["items"]) }
      }
      const { files, omitted, warnings } = Generated.of({ ...make({ operations }), "x-pagination": pagination })
      const code = files.get("operations/t.ts") ?? ""
      return {
        pages: Array.from(code.matchAll(/Operation\.cursor.*next: "(.*?)"/g), ([, next]) => next),
        guesses: code.match(/Inferred.*\n \*\/\nexport const/g)?.length,
        warnings: warnings.flatMap(({ code, message }) => (code === "pagination" ? [message] : [])),
        omitted
      }
    }
    expect(all(rule)).toEqual({ pages: ["to", "next"], guesses: 1, warnings: [], omitted: [] })
    expect(all({ ...rule, next: "from" }).warnings).toEqual(["x-pagination fits no list"])
    expect(all({ ...rule, more: 1 }).warnings).toEqual(["x-pagination has more, which is not a text"])
    expect(all(false)).toEqual({ pages: [], guesses: undefined, warnings: [], omitted: [] })
  })

  it("what is deprecated is struck through in an editor, and can be seen at run time", () => {
    const found = code({
      deprecated: true,
      description: "Old.",
      externalDocs: { url: "https://example.com" },
      parameters: [query("a", text, { description: "One.", example: "a*/b" })],
      responses: none
    })
    expect(found.text).toContain("/**\n * Old.\n *\n * @see https://example.com\n * @deprecated\n */")
    expect(found.text).toContain("deprecated: true")
    expect(found.text).toContain('@example "a*\\/b"')
  })
})

it("another name for a base is not one of its heirs, of which fields would be lost", () => {
  const mapping = { D: "#/components/schemas/Dog" }
  const schemas = {
    Pet: { ...object({ kind: text }, ["kind"]), discriminator: { propertyName: "kind", mapping } },
    Dog: { allOf: [ref("Pet"), object({ bark: text })] },
    Animal: { description: "A pet", allOf: [ref("Pet")] }
  }
  const { files } = Generated.of(make({ operations: get("animal", [], ok(ref("Animal"))), schemas }))
  expect(files.get("responses.ts")).toContain("export type Animal = Pet\n")
})

describe("is omitted, with a pointer to why", () => {
  it.each([
    ["content of a GET", { responses: none, requestBody: body({}) }, "payload-method", "/requestBody"],
    [
      "a cookie whose name is none",
      { responses: none, parameters: [cookie("a b", text, { required: true })] },
      "parameter-cookie",
      "/parameters/0"
    ],
    [
      "the whole query as one parameter",
      {
        responses: none,
        parameters: [{ in: "querystring", name: "all", required: true, ...having(object({ a: text })) }]
      },
      "parameter-place",
      "/parameters/0"
    ]
  ])("%s", (_, operation, code_, pointer) => {
    const { omitted } = code(operation)
    const message: unknown = expect.stringMatching(/patch/)
    expect(omitted).toMatchObject([{ id: "things", code: code_, pointer: `#/paths/~1things/get${pointer}`, message }])
  })
})

/** An operation with a form of which one part is an object, or something else. */
const form = (encoding: object, about: object = object({ a: text })) => ({
  responses: none,
  requestBody: body(object({ about }), "multipart/form-data", { encoding: { about: encoding } })
})

it.each(["application/json, application/xml", "application/xml,text/json", "application/JSON; charset=utf-8"])(
  "a part of the type %s is JSON without a warning",
  (contentType) => {
    expect(code(form({ contentType }), {}, "put").warnings).toEqual([])
  }
)

it.each<[sent: string | undefined, contentType: string, about: object]>([
  ["text/plain; charset=utf-8", "text/plain; charset=utf-8", text],
  [undefined, 'text/plain; title="a"', text],
  [undefined, "text/plain; title=ä", text],
  ["application/json", "text/plain", object({ a: text })],
  ["application/json", "application/vnd.x+json, text/plain", object({ a: text })],
  ["application/vnd.x+JSON", "application/vnd.x+JSON", object({ a: text })]
])("a part is sent as %s, of the type %s", (sent, contentType, about) => {
  const [, type] =
    /Body.partTypes\(\{ about: (".*") \}\)/.exec(code(form({ contentType }, about), {}, "put").text) ?? []
  expect(type && JSON.parse(type)).toBe(sent)
})

it("says that files are why JSON is left out, and only then", () => {
  const file = { ...text, format: "binary" }
  const told = (schema: object) => {
    const requestBody = { content: { "application/json": { schema }, "multipart/form-data": { schema } } }
    return Generated.of(make({ operations: { "PUT /a": { requestBody } } })).warnings.map(({ message }) => message)
  }
  expect(told(object({ file }))).toContain(
    "multipart/form-data is sent, not application/json: no file fits in application/json"
  )
  expect(told(object({ file: text }))).toContain("application/json is sent, not multipart/form-data")
})

it("says in the README what to do about each warning", () => {
  const sources = globSync("{model,write,.}/*.ts", { cwd: join(import.meta.dirname, "../src") })
  const codes = sources.flatMap((file) => {
    const code = readFileSync(join(import.meta.dirname, "../src", file), "utf8")
    return Array.from(code.matchAll(/\bwarn\(\s*"([a-z-]+)"/g), ([, code = ""]) => code)
  })
  const lines = readFileSync(join(import.meta.dirname, "../README.md"), "utf8").matchAll(/^\| (`[a-z`, -]+`) \|/gm)
  const told = new Set(Array.from(lines, ([, names = ""]) => names.split(/[`, ]+/)).flat())
  expect(codes.length).toBeGreaterThan(20)
  expect(codes.filter((code) => !told.has(code))).toEqual([])
})

describe("is generated otherwise, with a warning", () => {
  it.each<[string, object, string, string?]>([
    [
      "a cookie of another style",
      { responses: none, parameters: [cookie("c", list(text), { style: "deepObject" })] },
      "parameter-style"
    ],
    [
      "a cookie beside all cookies",
      { responses: none, parameters: [cookie("c", text), header("Cookie", text)] },
      "parameter-cookie"
    ],
    [
      "a style of another place",
      { responses: none, parameters: [header("h", list(text), { style: "form" })] },
      "parameter-style"
    ],
    ["a server of its own", { responses: none, servers: [{ url: "https://other.example.com" }] }, "server"],
    [
      "several media types",
      { responses: { "200": { description: "", content: { ...having({}).content, "text/plain": {} } } } },
      "success-types"
    ],
    ["a result with no schema", { responses: { "200": { ...empty, content: { "application/json": {} } } } }, "schema"],
    [
      "a key in the header and in the query",
      {
        responses: none,
        parameters: [
          { in: "header", name: "Idempotency-Key", schema: text },
          { in: "query", name: "idempotency_key", schema: text }
        ]
      },
      "idempotency-key",
      "post"
    ],
    ["a part that is no JSON", form({ contentType: "application/xml" }), "part-type", "put"],
    ["a part with headers", form({ headers: { "X-Language": {} } }), "part-headers", "put"],
    ["a redirect", { responses: { ...none, "302": empty } }, "status"],
    ["a deletion that cannot be told from one that was lost", { responses: none }, "deletion", "delete"],
    ["the same with a 404 without a body", { responses: { ...none, "404": empty } }, "deletion", "delete"],
    ["a scheme that is declared nowhere", { responses: none, security: [{ none: [] }] }, "security"]
  ])("%s", (_, operation, warning, method = "get") => {
    expect(code(operation, {}, method)).toMatchObject({ omitted: [], warnings: [warning] })
  })

  it.each([
    [{ responses: { ...none, "404": having(text) } }],
    [{ responses: { ...none, default: having(text) } }],
    [{ responses: { "200": having(text) } }]
  ])("no deletion that has a 404 with a body, or a result", (operation) => {
    expect(code(operation, {}, "delete").warnings).toEqual([])
  })
})

describe("an operation is called", () => {
  it.each([
    ["by its verb, without the group before it", "pets", ["pets_list"], ["list"]],
    ["or behind it, in the singular too", "Pets", ["list_pets", "getPet"], ["list", "get"]],
    ["without the whole path that FastAPI adds", "Pets", ["read_pets_0_get", "add_pet_1_put"], ["read", "addPet1Put"]],
    ["without a group of several words", "Spaces Keys", ["spacesKey_get"], ["get"]],
    ["with other plurals", "addresses", ["address-list", "list_cities"], ["list", "listCities"]],
    ["with what tells it from the list of the group", "pets", ["list_team_pets"], ["listTeamPets"]],
    ["without the last words of its group", "House Pets", ["list_pets", "get_pet"], ["list", "get"]],
    ["once without its group", "pets", ["pets_pets_list"], ["petsList"]],
    ["as the group, if there are no other words", "pets", ["pets"], ["pets"]],
    ["by all its words, if another has the verb", "pets", ["list_pets", "pets_list"], ["list", "petsList"]],
    [
      "without its class, as NestJS, gRPC and others write it",
      "pets",
      ["PetsController_list", "PetService.GetPet", "petsApi/remove", "Shop.PetController.show"],
      ["list", "get", "remove", "show"]
    ],
    ["without a class that the group has alone", "store", ["PetsController_list"], ["list"]],
    [
      "without another class, if the method has an object",
      "pipes",
      ["KeysController_vendKeys", "KeysController_list", "PipesController_read", "ToolsController_vendKeys"],
      ["keysVendKeys", "keysList", "read", "toolsVendKeys"]
    ],
    [
      "by the verb of the class that is the group's",
      "users",
      ["UserSessionsController_list", "AppUsersController_list"],
      ["sessionsList", "list"]
    ],
    [
      "without the number that Spring and NestJS add, if no other has the name",
      "user-controller",
      ["list_1", "get_1", "get", "findUser", "UsersController_add[0]", "UsersController_add[1]"],
      ["list", "get1", "get", "find", "add0", "add1"]
    ],
    ["without the kind of its group", "PetService", ["PetService_ListPets"], ["list"]],
    ["without a group that ends with such a word", "Terms of service", ["get_terms_of_services"], ["get"]],
    ["as the routes of Laravel", "User", ["users.index"], ["index"]],
    ["by a word that no constant can have", "pets", ["deletePet", "api_pets"], ["delete", "api"]]
  ])("%s", (_, tag, ids, names) => {
    const operations = ids.map((operationId, i) => [`GET /${i}`, { operationId, tags: [tag] }])
    const { files, manifest } = Generated.of(make({ operations: Object.fromEntries(operations) }))
    expect(Object.values(manifest.operations).map(({ name }) => name)).toEqual(names)
    const [code = ""] = [...files].flatMap(([file, code]) => (file.startsWith("operations/") ? code : []))
    // one name for all that is exported
    const exported = Array.from(
      code.matchAll(/^export (?:const (\w+)|\{ \w+ as (\w+))/gm),
      ([, one, other]) => one ?? other
    )
    expect(exported).toEqual(names)
  })

  it.each<[string, ReadonlyArray<string>, ReadonlyArray<string>, ReadonlyArray<string>]>([
    [
      "behind its group in the path",
      ["Reading List"],
      [
        "GET /api/ReadingList",
        "GET /api/ReadingList/{list-id}",
        "POST /api/ReadingList/update-by-series",
        "DELETE /api/reading-lists/{id}/items/{itemId}/",
        "GET /api/ReadingList/{id}/characters"
      ],
      ["get", "getByListId", "postUpdateBySeries", "deleteItemsByItemId", "getCharacters"]
    ],
    ["by its whole path, without its group", ["Users"], ["GET /api/me", "PUT /api/me"], ["getApiMe", "putApiMe"]],
    [
      "by more of its path, if another has the name",
      ["Areas"],
      ["GET /v1/areas", "GET /v2/areas", "GET /v2/areas/{id}.json"],
      ["getV1Areas", "getV2Areas", "getJson"]
    ],
    [
      "in the group of its path, if it has no tag",
      [],
      ["GET /api/v1/pets", "GET /v1beta1/pets/{id}", "POST /v2", "PUT /API"],
      ["pets.get", "pets.getById", "api.postV2", "api.put"]
    ]
  ])("without an ID: %s", (_, tags, keys, names) => {
    const operations = Object.fromEntries(keys.map((key) => [key, { tags }]))
    const { manifest } = Generated.of(make({ operations }))
    const found = Object.values(manifest.operations).map(({ group, name }) =>
      tags.length > 0 ? name : `${group}.${name}`
    )
    expect(found).toEqual(names)
  })
})

describe("a refusal is called", () => {
  const taken = object({ code: text }, ["code"])
  const used = object({ by: text }, ["by"])
  const refused = (tag: string, operationId: string, ...bodies: ReadonlyArray<object | undefined>) => ({
    tags: [tag],
    operationId,
    responses: {
      ...none,
      ...Object.fromEntries(bodies.map((schema, i) => [409 + i, schema === undefined ? empty : having(schema)]))
    }
  })
  const named = (operations: ReadonlyArray<object>, options: Parameters<typeof Generated.of>[1] = {}) => {
    const paths = Object.fromEntries(operations.map((operation, i) => [`GET /${i}`, operation]))
    const document = make({ operations: paths, schemas: { Problem: object({ title: text }) } })
    const { manifest } = Generated.of(document, options)
    return { manifest, names: Object.values(manifest.refusals) }
  }

  it.each<[string, ReadonlyArray<object>, ReadonlyArray<string>]>([
    ["by its status, if there is one body", [refused("a", "getA", taken), refused("b", "getB", taken)], ["Conflict"]],
    [
      "by its status, if most operations have the body, and else by its schema or its operation",
      [
        refused("a", "createA", used),
        refused("b", "BController_create", ref("Problem")),
        refused("c", "getC", taken),
        refused("d", "getD", taken),
        refused("e", "create", undefined)
      ],
      ["ECreateConflict", "CreateAConflict", "ConflictProblem", "Conflict"]
    ],
    [
      "by the group that shares it",
      [
        refused("a", "getA", taken),
        refused("a", "getB", used),
        refused("a", "getC", used),
        refused("b", "getD", taken)
      ],
      ["Conflict", "AConflict"]
    ],
    [
      "by its first operation, if several groups share it, or the group has the name",
      [
        ...["a", "b", "c"].map((tag) => refused(tag, `get_${tag}`, taken)),
        ...["a", "b"].map((tag) => refused(tag, `list_${tag}`, used)),
        ...["x", "y"].map((id) => refused("d", `read_${id}`, object({ [id]: text }, [id]))),
        ...["x", "y"].map((id) => refused("d", `write_${id}`, object({ [id]: text }, [id])))
      ],
      ["Conflict", "ListAConflict", "DConflict", "ReadYConflict"]
    ]
  ])("%s", (_, operations, names) => {
    expect(named(operations).names).toEqual(names)
  })

  it("as before, if the folder has a name for it", () => {
    const first = [refused("a", "getA", used), refused("b", "getB", taken)]
    const { manifest, names } = named(first)
    expect(names).toEqual(["Conflict", "GetBConflict"])
    const more = [...first, refused("c", "getC", taken), refused("d", "getD", object({ id: text }, ["id"]))]
    expect(named(more, { locked: manifest }).names).toEqual(["Conflict", "GetBConflict", "GetDConflict"])
  })
})

it("a page holds the operation that it imports, what that needs, and no other", async () => {
  const folder = Folder.ofTest()
  const get = (name: string, status: string) => ({
    operationId: `${name}Pet`,
    tags: ["pets"],
    responses: { "200": having(ref(name)), [status]: having(ref(`${name}Failure`)) }
  })
  const names = ["Kept", "Left"]
  const schemas = names.flatMap((name) => [name, `${name}Failure`].map((key) => [key, object({ [`of${key}`]: text })]))
  Generated.write(
    folder,
    Generated.of(
      make({
        operations: { "GET /kept": get("Kept", "404"), "GET /left": get("Left", "409") },
        schemas: Object.fromEntries(schemas)
      })
    )
  )
  const entry = join(folder, "page.ts")
  writeFileSync(entry, `import { kept } from "./operations/pets.ts"\nconsole.log(kept)\n`)
  const libraries = ["@cloud-management/*", "effect/*"]
  const esbuild = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false, external: libraries })
  const rolled = await rolldown({ input: entry, external: [/^@cloud-management\//, /^effect\//] })
  const { output } = await rolled.generate()
  for (const code of [...esbuild.outputFiles.map(({ text }) => text), output[0].code]) {
    for (const part of ["/kept", "ofKept:", "ofKeptFailure:", '"NotFound"']) expect(code).toContain(part)
    expect(code).not.toMatch(/left|Conflict/i)
  }
})

it("a name has the words that its capitals and digits divide", () => {
  expect(Names.words("getHTTPUser_v2 URLs2Go")).toEqual(["get", "HTTP", "User", "v2", "UR", "Ls2", "Go"])
  expect(Names.words("OAuth apps")).toEqual(["Oauth", "apps"])
})
