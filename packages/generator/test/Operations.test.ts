import { describe, expect, it } from "@effect/vitest"
import * as Names from "../src/Names.ts"
import { body, empty, having, list, none, number, object, query, text } from "./document.ts"
import * as Generated from "./Generated.ts"

/** The code of the operations of a document with one path. */
const code = (operation: object, rest: object = {}, method = "get") => {
  const paths = { "/things": { [method]: { operationId: "things", ...operation } } }
  const { files, refused, warnings } = Generated.of({ openapi: "3.1.0", info: {}, paths, ...rest })
  return { text: files.get("operations/things.ts") ?? "", refused, warnings: warnings.map(({ code }) => code) }
}

const page = (properties: object, required: ReadonlyArray<string>, headers = {}) => ({
  "200": { ...having(object(properties, required)), headers }
})
const items = list(text)
const asking = (name: string) => ({ parameters: [query(name, text)] })

describe("what an operation says of itself", () => {
  it.each([
    ["the document's", {}, { security: [{ a: [] }] }, `security: [["a"]]`],
    [
      "its own, with schemes that go together",
      { security: [{ a: [], b: [] }, { c: [] }] },
      {},
      `security: [["a", "b"], ["c"]]`
    ],
    ["no certificate, which is the connection's", { security: [{ a: [], d: [] }] }, {}, `security: [["a"]]`],
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
    [
      "a cursor",
      { ...asking("cursor"), responses: page({ items, next_cursor: { type: ["string", "null"] } }, ["items"]) },
      'Operation.cursor({ query: "cursor", next: "next_cursor", items: "items" })'
    ],
    [
      "a cursor one level below",
      {
        ...asking("pageToken"),
        responses: page({ items, page: object({ nextPageToken: text }) }, ["items"])
      },
      'Operation.cursor({ query: "pageToken", next: "page.nextPageToken", items: "items" })'
    ],
    [
      "an offset",
      { ...asking("offset"), responses: page({ items }, ["items"]) },
      'Operation.offset({ query: "offset", items: "items" })'
    ],
    ["a link", { responses: page({ items }, ["items"], { Link: {} }) }, 'Operation.link({ items: "items" })']
  ])("pages by %s", (_, operation, expected) => {
    expect(code(operation).text).toContain(expected)
  })

  it.each([
    ["two lists", { ...asking("offset"), responses: page({ items, others: items }, ["items", "others"]) }],
    ["a list that may be missing", { ...asking("offset"), responses: page({ items }, []) }],
    ["a cursor that is a number", { ...asking("cursor"), responses: page({ items, next: number }, ["items"]) }]
  ])("no pages are read by %s", (_, operation) => {
    expect(code(operation).text).not.toContain("pagination")
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

describe("is refused, with a pointer to why", () => {
  it.each([
    ["no success", { responses: { "404": empty } }, "success-count", "/responses"],
    ["content of a GET", { responses: none, requestBody: body({}) }, "payload-method", "/requestBody"],
    [
      "a cookie that must be sent",
      { responses: none, parameters: [{ in: "cookie", name: "c", required: true }] },
      "parameter-cookie",
      "/parameters/0"
    ],
    [
      "a style that no request has",
      { responses: none, parameters: [{ in: "header", name: "h", style: "matrix" }] },
      "parameter-style",
      "/parameters/0"
    ]
  ])("%s", (_, operation, code_, pointer) => {
    const { refused } = code(operation)
    expect(refused).toMatchObject([{ id: "things", code: code_, pointer: `#/paths/~1things/get${pointer}` }])
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

it("a part keeps the parameters of its media type", () => {
  expect(code(form({ contentType: "text/plain; charset=utf-8" }, text), {}, "put").text).toContain(
    'Body.partTypes({ about: "text/plain; charset=utf-8" })'
  )
})

describe("is generated otherwise, with a warning", () => {
  it.each<[string, object, string, string?]>([
    ["an optional cookie", { responses: none, parameters: [{ in: "cookie", name: "c" }] }, "parameter-cookie"],
    ["a server of its own", { responses: none, servers: [{ url: "https://other.example.com" }] }, "server"],
    [
      "several media types",
      { responses: { "200": { description: "", content: { ...having({}).content, "text/plain": {} } } } },
      "success-types"
    ],
    ["a part that is no JSON", form({ contentType: "application/xml" }), "part-type", "put"],
    ["a part with headers", form({ headers: { "X-Language": {} } }), "part-headers", "put"],
    ["a redirect", { responses: { ...none, "302": empty } }, "status"],
    ["a scheme that is declared nowhere", { responses: none, security: [{ none: [] }] }, "security"]
  ])("%s", (_, operation, warning, method = "get") => {
    expect(code(operation, {}, method)).toMatchObject({ refused: [], warnings: [warning] })
  })
})

it("a name has the words that its capitals and digits divide", () => {
  expect(Names.words("getHTTPUser_v2 URLs2Go")).toEqual(["get", "HTTP", "User", "v2", "UR", "Ls2", "Go"])
})
