/** Single constructs of documents, each with calls: the input, the request that arrives, and what is read of the reply. */
import { DateTime } from "effect"
import { expect } from "vitest"
import {
  at,
  body,
  boolean,
  by,
  binary,
  contents,
  cookie,
  dateTime,
  either,
  empty,
  form,
  get,
  having,
  header,
  int64,
  integer,
  known,
  list,
  map,
  none,
  number,
  object,
  ok,
  parts,
  path,
  query,
  ref,
  send,
  text,
  uuid,
  type Parts
} from "./document.ts"
import type { Reply, Input } from "./Wire.ts"

/** One call of one operation. A body is sent as JSON, unless `text`, `parts` or `sent` says what else arrives. */
export interface Call extends Input {
  /** Of the operation, where there are several. */
  readonly id?: string
  readonly method?: string
  readonly target?: string
  /** Values, or what a test framework matches them with. */
  readonly sentHeaders?: Readonly<Record<string, unknown>>
  readonly sent?: unknown
  /** The whole body. */
  readonly text?: string
  /** The value in the body. */
  readonly parts?: ReadonlyArray<string>
  readonly reply?: Reply
  /** The body of the reply, which is the value of the call but for fields named `gone`: they are left out. */
  readonly reads?: unknown
  /** The value of the call, where the reply has another body. */
  readonly value?: unknown
  readonly items?: ReadonlyArray<unknown>
  readonly refusal?: {
    readonly _tag: string
    readonly message: string
    readonly body?: unknown
    readonly status?: number
  }
  readonly invalid?: string
}

export interface Construct extends Parts {
  readonly omitted?: Readonly<Record<string, string>>
  readonly calls: ReadonlyArray<Call>
}

const offering = (inJson: object, inParts: object) => ({
  "application/json": { schema: inJson },
  "application/x-www-form-urlencoded": { schema: inJson },
  "multipart/form-data": { schema: inParts }
})
const applications = ["octet-stream", "pdf", "x-tar", "vnd.ms-excel"].map((type) => `application/${type}`)
const ofBytes = [...applications, "image/png", "audio/mpeg"]
/** A body that no text has, as a server reads it as one. */
const sendsBytes = { body: Uint8Array.of(97, 255), text: "a\ufffd" }
const readsBytes = (type: string) => ({
  reply: { type, body: Uint8Array.of(255, 0, 254) },
  value: Uint8Array.of(255, 0, 254)
})
const chosen = (type: string, value: object) => ({
  body: { contentType: type, value },
  ...(!(value instanceof Uint8Array) && { sent: value }),
  sentHeaders: { "content-type": type }
})
const refused = (status: number, body: unknown, tag: string, message: string, isTyped = false) => ({
  reply: { status, body, ...(typeof body === "string" && { type: "text/plain" }) },
  refusal: { _tag: tag, message, ...(isTyped && { body }) }
})
const byte = { ...text, format: "byte" }
const sendsFile = { body: { file: new Blob(["a"]) }, parts: ['name="file"; filename="blob"'] }
const kinds = Array.from({ length: 20 }, (_, i) => `K${i}`)
const tagged = (tag: string) => object({ kind: { enum: [tag] }, n: text }, ["kind"])
const deep = Array.from({ length: 8 }).reduce<object>((inner) => ({ type: "K19", fields: { inner } }), { type: "K18" })

export const constructs: Readonly<Record<string, Construct>> = {
  "operationIds that are no identifiers, and none": {
    operations: {
      "GET /jobs/{job-id}": { operationId: "jobs/read one", tags: ["jobs"], parameters: [path("job-id")] },
      "DELETE /jobs/{job-id}": { tags: ["jobs"], parameters: [path("job-id")] }
    },
    calls: [
      { id: "jobs/read one", params: { jobId: "a/b" }, target: "/jobs/a%2Fb" },
      { id: "DELETE /jobs/{job-id}", params: { jobId: "1" }, method: "DELETE", target: "/jobs/1" }
    ]
  },
  "parameters of a path, of which an operation has its own, and an ID that two operations have": {
    paths: { "/over/{id}": { parameters: [path("id"), query("n", text)] } },
    operations: {
      "GET /over/{id}": { operationId: "over", parameters: [query("n", integer)] },
      "PUT /over/{id}": { operationId: "over" }
    },
    calls: [
      { id: "over", params: { id: "a" }, query: { n: 1 }, target: "/over/a?n=1" },
      { id: "PUT /over/{id}", params: { id: "a" }, query: { n: "b" }, target: "/over/a?n=b" }
    ]
  },
  "a path that refers to another, and says more of it itself": {
    paths: { "/more/{id}": { $ref: "#/components/pathItems/Item", parameters: [path("id", integer)] } },
    operations: { "PUT /more/{id}": { operationId: "own" } },
    components: { pathItems: { Item: { get: { operationId: "referred", responses: none }, summary: "An item" } } },
    calls: [
      { id: "referred", params: { id: 7 }, method: "GET", target: "/more/7" },
      { id: "own", params: { id: 7 }, method: "PUT", target: "/more/7" }
    ]
  },
  "colons and variables in a segment": {
    operations: {
      "POST /items/{id}:activate": { operationId: "activate", parameters: [path("id")] },
      "GET /files/{name}.{ext}": { operationId: "file", parameters: [path("name"), path("ext")] }
    },
    calls: [
      { id: "activate", params: { id: "7" }, target: "/items/7:activate" },
      { id: "file", params: { name: "a", ext: "txt" }, target: "/files/a.txt" }
    ]
  },
  "variables as frameworks write them, whose slashes stay, also by allowReserved of 3.2": {
    version: "3.2.0",
    operations: {
      "GET /stars/{param*}/x": { operationId: "star", parameters: [path("param")] },
      "GET /named/{path*}": { operationId: "named", parameters: [path("path*")] },
      "GET /proxies/{proxy+}": { operationId: "proxy" },
      "GET /rest/{*rest}": { operationId: "rest", parameters: [path("rest")] },
      "GET /files/{file:path}": { operationId: "file", parameters: [path("file")] },
      ...at("GET /reserved/{a}/{b}", "reserved", [path("a"), path("b", text, { allowReserved: true })]),
      "GET /lists/{l*}": { operationId: "list", parameters: [path("l", list(text), { explode: true })] },
      "GET /rules/{id:[0-9]+}": { operationId: "rule", parameters: [path("id", integer)] },
      "GET /options/{id?}": { operationId: "option", parameters: [path("id")] },
      "GET /matrix/{;id}": { operationId: "matrix", parameters: [path("id")] }
    },
    omitted: { matrix: "path" },
    calls: [
      { id: "star", params: { param: "a/b" }, target: "/stars/a/b/x" },
      { id: "named", params: { path: "a/b c" }, target: "/named/a/b%20c" },
      { id: "proxy", params: { proxy: "a/?" }, target: "/proxies/a/%3F" },
      { id: "proxy", params: { proxy: "a/../b" }, invalid: "proxy" },
      { id: "rest", params: { rest: "a" }, target: "/rest/a" },
      { id: "file", params: { file: "a/b" }, target: "/files/a/b" },
      { id: "reserved", params: { a: "1/2", b: "3/4" }, target: "/reserved/1%2F2/3/4" },
      { id: "list", params: { l: ["a", "b/c"] }, target: "/lists/a,b%2Fc" },
      { id: "rule", params: { id: 1 }, target: "/rules/1" },
      { id: "option", params: { id: "1" }, target: "/options/1" }
    ]
  },
  "a fragment in a path, which names another operation of the same request": {
    operations: {
      "PUT /shares/{id}": { operationId: "rename", parameters: [path("id")] },
      "PUT /shares/{id}#link": { operationId: "link", parameters: [path("id")] }
    },
    calls: [
      { id: "rename", params: { id: "7" }, method: "PUT", target: "/shares/7" },
      { id: "link", params: { id: "7" }, method: "PUT", target: "/shares/7" }
    ]
  },
  "variables in the query of a path, and a parameter that is the credentials": {
    version: "3.0.3",
    operations: {
      "GET /search/{in}?kind=all&q={text}{&page}": {
        operationId: "search",
        security: [{ key: [] }],
        parameters: [path("in"), path("text"), query("page", integer), query("api_key", text, { required: true })]
      },
      "GET /fixed?at=12:30&of=a b": { operationId: "fixed" },
      "GET /fixed?q=a{x}": { operationId: "partial", parameters: [path("x")] }
    },
    components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "api_key" } } },
    omitted: { partial: "path" },
    calls: [
      { id: "fixed", target: "/fixed?at=12:30&of=a%20b" },
      { id: "search", params: { in: "a" }, query: { q: "b c", page: 2 }, target: "/search/a?kind=all&q=b+c&page=2" },
      { id: "search", params: { in: "a" }, invalid: "query.q" }
    ]
  },
  "two keys in cookies, cookies as parameters, and those that are lists": {
    security: [{ session: [], csrf: [] }],
    operations: {
      ...get("cookies", [
        cookie("theme", known("dark", "light"), { required: true }),
        cookie("page", integer),
        cookie("ids", list(text)),
        cookie("session", text, { required: true }),
        header("X-H", text)
      ]),
      ...get("lists", [cookie("ids", ref("Ids"), { required: true })]),
      ...get("composed", [
        cookie("ids", list(text), { explode: false }),
        cookie("color", object({ R: integer, G: text })),
        cookie("size", map(text), { explode: false }),
        { in: "cookie", name: "filter", content: having(list(ref("Filter"))).content },
        { in: "cookie", name: "word", content: having(text).content }
      ]),
      ...get("optional", [cookie("page", integer, { style: "form" })]),
      ...get("whole", [cookie("page", integer), header("Cookie", text)])
    },
    schemas: { Ids: list(text), Filter: object({ a: text }) },
    components: {
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "session" },
        csrf: { type: "apiKey", in: "cookie", name: "csrf" }
      }
    },
    calls: [
      { id: "lists", headers: { cookie: { ids: ["1;", "2"] } }, sentHeaders: { cookie: "ids=1%3B&ids=2" } },
      { id: "lists", headers: { cookie: {} }, invalid: "headers.cookie.ids" },
      {
        id: "composed",
        headers: {
          cookie: { ids: ["a", "b,c"], color: { R: 1, G: "2" }, size: { x: "1" }, filter: [{ a: ";" }], word: "w" }
        },
        sentHeaders: { cookie: "ids=a,b%2Cc; R=1&G=2; size=x,1; filter=%5B%7B%22a%22%3A%22%3B%22%7D%5D; word=%22w%22" }
      },
      {
        id: "cookies",
        headers: { "X-H": "a", cookie: { theme: "dark", page: 2 } },
        sentHeaders: { "x-h": "a", cookie: "theme=dark; page=2" }
      },
      { id: "cookies", headers: {}, invalid: "headers.cookie" },
      { id: "cookies", headers: { cookie: {} }, invalid: "headers.cookie.theme" },
      { id: "optional", sentHeaders: {} },
      { id: "optional", headers: { cookie: {} }, sentHeaders: {} },
      { id: "optional", headers: { cookie: { page: 2 } }, sentHeaders: { cookie: "page=2" } },
      { id: "whole", headers: { Cookie: "page=2" }, sentHeaders: { cookie: "page=2" } }
    ]
  },
  "constants behind references, which tell alternatives apart": {
    puts: {
      apart: { oneOf: [ref("Cat"), ref("Dog")] },
      shared: { oneOf: [ref("Big"), ref("Small")] },
      alone: object({ kind: ref("CatKind") })
    },
    schemas: {
      CatKind: { ...text, const: "cat" },
      DogKind: known("dog"),
      Cat: object({ kind: ref("CatKind"), n: text }, ["kind"]),
      Dog: object({ kind: ref("DogKind"), n: integer }, ["kind"]),
      Size: known("l", "s"),
      Big: object({ size: ref("Size"), a: text }, ["size", "a"]),
      Small: object({ size: ref("Size"), b: text }, ["size", "b"])
    },
    calls: [
      { id: "apart", body: { kind: "cat", n: "1" }, reads: { kind: "dog", n: 1 } },
      { id: "apart", body: { kind: "dog", n: 1 }, reads: { kind: "fox", n: 1, later: "x" } },
      { id: "shared", body: { size: "l", b: "1" }, reads: { size: "xl", a: "1" } },
      { id: "alone", body: { kind: "cat" }, reads: { kind: "fox" } }
    ]
  },
  "a list of values with a name, of which others tell alternatives apart": {
    operations: get("list", [], ok(list({ oneOf: [ref("Own"), ref("Listed"), ref("More")] }))),
    schemas: {
      Kind: { enum: ["a", "b"] },
      Own: { oneOf: [object({ kind: { const: "a" }, code: text }, ["kind", "code"]), tagged("b")] },
      Listed: object({ kind: ref("Kind") }, ["kind"]),
      More: { oneOf: [object({ kind: { const: "a" }, reason: text }, ["kind"]), tagged("c")] }
    },
    calls: [{ reads: [{ kind: "new", code: "1", reason: "2" }, { kind: "a", reason: "3" }, { kind: "b" }] }]
  },
  "an enum beside a reference, which OpenAPI 3.0 has ignored, tells nothing apart": {
    version: "3.0.3",
    puts: { beside: { oneOf: [ref("Local"), ref("Global")] } },
    schemas: {
      Kind: known("a", "b", "c"),
      Local: object({ kind: known("a"), x: text }, ["kind"]),
      Global: object({ kind: { ...ref("Kind"), enum: ["b"] }, x: text, y: text }, ["kind", "y"])
    },
    calls: [{ body: { kind: "c", y: "1" }, reads: { kind: "c", x: "1", y: "2" } }]
  },
  "bytes of any type, of which the document has a form as JSON too, as Spring writes it": {
    version: "3.0.1",
    operations: { ...get("page", [], { "200": either({ "*/*": byte, "application/json": byte }) }) },
    calls: [{ sentHeaders: { accept: "*/*" }, ...readsBytes("image/png") }]
  },
  "a file that is called JSON, as frameworks write it; texts in JSON, also for bytes": {
    operations: {
      ...send("PUT", "file", body(binary), ok(binary)),
      ...send("PUT", "text", body(byte), ok(byte)),
      ...send("PUT", "either", body(text), ok({ oneOf: [object({ id: text }, ["id"]), binary] }))
    },
    calls: [
      { id: "file", ...sendsBytes, ...readsBytes("application/pdf") },
      { id: "text", body: "AP8=", text: '"AP8="', reads: "AP8=" },
      { id: "either", body: "a", text: '"a"', reads: { id: "1" } }
    ]
  },
  "lists in objects that are spread in a query, such as the sort of a page in Spring, and lists by name in Smithy": {
    operations: {
      ...get("pageable", [
        query("pageable", ref("Pageable"), { required: true }),
        query("either", { oneOf: [object({ ids: list(integer) }, ["ids"]), object({ names: list(text) }, ["names"])] })
      ]),
      ...get("by", [query("by", map(list(text)))]),
      ...get("comma", [
        query("o", object({ a: list(integer), b: object({ c: integer }) }), { explode: false }),
        query("spread", object({ deep: object({ d: list(integer) }), all: list(object({ e: integer })) }))
      ]),
      ...get("cookies", [cookie("o", object({ f: list(integer) }))])
    },
    schemas: { Pageable: object({ page: integer, sort: list(text), when: list(dateTime) }) },
    calls: [
      {
        id: "pageable",
        query: {
          pageable: { page: 0, sort: ["a,asc", "b,desc"], when: [DateTime.makeUnsafe(0)] },
          either: { ids: [1, 2] }
        },
        target: "/pageable?page=0&sort=a%2Casc&sort=b%2Cdesc&when=1970-01-01T00%3A00%3A00.000Z&ids=1&ids=2"
      },
      { id: "pageable", query: { pageable: { sort: [] } }, target: "/pageable" },
      { id: "by", query: { by: { x: ["1"], y: ["2", "3"] } }, target: "/by?x=1&y=2&y=3" },
      {
        id: "comma",
        query: { o: { a: [1] }, spread: { deep: { d: [1] }, all: [{ e: 1 }, { e: 2 }] } },
        target: "/comma?o=a,%5B1%5D&deep=%7B%22d%22%3A%5B1%5D%7D&all=%5B%7B%22e%22%3A1%7D%2C%7B%22e%22%3A2%7D%5D"
      },
      { id: "cookies", headers: { cookie: { o: { f: [1, 2] } } }, sentHeaders: { cookie: "f=1&f=2" } }
    ]
  },
  "cookies in the style of OpenAPI 3.2, which encodes nothing": {
    version: "3.2.0",
    operations: get("raw", [
      cookie("ids", list(text), { style: "cookie", required: true }),
      cookie("color", object({ R: integer, G: text }), { style: "cookie" }),
      cookie("few", list(integer), { style: "cookie", explode: false }),
      cookie("size", map(text), { style: "cookie", explode: false }),
      cookie("theme", text, { style: "cookie" })
    ]),
    calls: [
      {
        headers: {
          cookie: { ids: ["1%", "2&a=b"], color: { R: 1, G: "+" }, few: [1, 2], size: { x: "%1" }, theme: "a%" }
        },
        sentHeaders: { cookie: "ids=1%; ids=2&a=b; R=1; G=+; few=1,2; size=x,%1; theme=a%" }
      },
      { headers: { cookie: { ids: ["a b"] } }, invalid: "headers.cookie.ids" },
      { headers: { cookie: { ids: ["1"], size: { x: "1,2" } } }, invalid: "headers.cookie.size" }
    ]
  },
  "queries and forms in brackets that contain themselves": {
    operations: {
      ...get("deep", [
        query("filter", ref("Filter"), { style: "deepObject" }),
        query("where", ref("Where"), { style: "deepObject" }),
        query("lists", map(list(integer)), { style: "deepObject" }),
        query("plain", ref("Filter"))
      ]),
      "POST /deep/form": {
        operationId: "form",
        requestBody: form(object({ where: ref("Where"), n: integer, items: list(object({ a: text })) }, ["items"]), {
          encoding: { where: { style: "deepObject" }, items: { style: "deepObject" } }
        })
      }
    },
    schemas: {
      Filter: {
        oneOf: [
          object({ and: list(ref("Filter")) }, ["and"]),
          object({ eq: object({ field: text, n: int64, on: boolean }, ["field"]) }, ["eq"]),
          object({ eq: { anyOf: [integer, object({ n: integer }, ["n"])] } }, ["eq"]),
          text
        ]
      },
      Where: map({ anyOf: [text, integer, list(text), ref("Where")] })
    },
    calls: [
      {
        id: "deep",
        query: {
          filter: {
            and: [
              { eq: { field: "a b", n: 1, on: true } },
              { and: [{ eq: { field: "c" } }, "d", { eq: 1 }, { eq: { n: 2 } }] }
            ]
          },
          where: { a: { b: { c: ["x", "y"] } } },
          lists: { a: [1, 2] },
          plain: { eq: { field: "a" } }
        },
        target: `/deep?${[
          "filter%5Band%5D%5B0%5D%5Beq%5D%5Bfield%5D=a%20b",
          "filter%5Band%5D%5B0%5D%5Beq%5D%5Bn%5D=1",
          "filter%5Band%5D%5B0%5D%5Beq%5D%5Bon%5D=true",
          "filter%5Band%5D%5B1%5D%5Band%5D%5B0%5D%5Beq%5D%5Bfield%5D=c",
          "filter%5Band%5D%5B1%5D%5Band%5D%5B1%5D=d",
          "filter%5Band%5D%5B1%5D%5Band%5D%5B2%5D%5Beq%5D=1",
          "filter%5Band%5D%5B1%5D%5Band%5D%5B3%5D%5Beq%5D%5Bn%5D=2",
          "where%5Ba%5D%5Bb%5D%5Bc%5D%5B0%5D=x",
          "where%5Ba%5D%5Bb%5D%5Bc%5D%5B1%5D=y",
          "lists%5Ba%5D%5B0%5D=1",
          "lists%5Ba%5D%5B1%5D=2",
          "eq=%7B%22field%22%3A%22a%22%7D"
        ].join("&")}`
      },
      { id: "deep", query: { filter: { and: [{ eq: { on: true } }] } }, invalid: "query.filter.and[0].eq" },
      {
        id: "form",
        body: { where: { a: { b: { c: { d: "e" } } } }, n: "1", items: [{ a: "1" }] },
        text: "n=1&where%5Ba%5D%5Bb%5D%5Bc%5D%5Bd%5D=e&items%5B0%5D%5Ba%5D=1"
      }
    ]
  },
  "objects in a path and in headers": {
    operations: {
      ...get("deep", [
        header("X-D", object({ R: integer, G: text }), { style: "deepObject" }),
        header("X-Größe", text),
        cookie("either", { oneOf: [text, list(text)] })
      ]),
      "GET /a/../b": { operationId: "dots" },
      ...at("GET /colors/{c}/{e}", "color", [
        path("c", object({ R: integer, G: text })),
        path("e", { ...object({ R: integer, G: text }), additionalProperties: text }, { explode: true }),
        header("X-C", { ...object({ R: integer, G: text }), additionalProperties: integer }),
        header("X-E", map(text), { explode: true }),
        { in: "header", name: "X-J", content: having(object({ a: text })).content }
      ]),
      ...at("GET /either/{e}", "either", [path("e", { oneOf: [text, object({ a: text }, ["a"])] }, { explode: true })])
    },
    omitted: { dots: "path" },
    calls: [
      { id: "either", params: { e: "a=b" }, target: "/either/a%3Db" },
      { id: "either", params: { e: { a: "b" } }, target: "/either/a=b" },
      {
        id: "deep",
        headers: { "X-D": { R: 1, G: "a" }, cookie: { either: ["b", "c"] } },
        sentHeaders: { "x-d": "R,1,G,a", cookie: "either=b&either=c" }
      },
      {
        id: "color",
        params: { c: { R: 100, G: "a,b" }, e: { R: 100, G: "", "%=,ü": "c=." } },
        headers: { "X-C": { R: 1, B: 2 }, "X-E": { R: "100", G: "2" }, "X-J": { a: "ü\ud83d\ude00\x7f\n" } },
        target: "/colors/R,100,G,a%2Cb/R=100,G=,%25%3D%2C%C3%BC=c%3D.",
        sentHeaders: { "x-c": "R,1,B,2", "x-e": "R=100,G=2", "x-j": String.raw`{"a":"\u00fc\ud83d\ude00\u007f\n"}` }
      }
    ]
  },
  "the styles label and matrix": {
    operations: {
      ...at("GET /styles/{l}/{m}/{list}", "styled", [
        path("l", ref("Letter"), { style: "label", explode: true }),
        path("m", integer, { style: "matrix" }),
        path("list", list(text), { style: "matrix" }),
        query("l", text),
        header("m", text)
      ]),
      ...at("GET /exploded/{l}/{m ü}/{lo}/{mo}", "exploded", [
        path("l", list(integer), { style: "label", explode: true }),
        path("m ü", list(text), { style: "matrix", explode: true }),
        path("lo", object({ R: integer, G: text }), { style: "label", explode: true }),
        path("mo", ref("Color"), { style: "matrix", explode: true })
      ]),
      ...at("GET /joined/{lo}/{mo}", "joined", [
        path("lo", ref("Color"), { style: "label" }),
        path("mo", ref("Color"), { style: "matrix" })
      ])
    },
    schemas: { Letter: text, Color: object({ R: integer, G: text }) },
    calls: [
      {
        id: "styled",
        params: { l: "a", m: 1, list: ["b", "c"] },
        query: { l: "d" },
        target: "/styles/.a/;m=1/;list=b,c?l=d"
      },
      {
        id: "exploded",
        params: { l: [1, 2], mU: ["a", ";"], lo: { R: 1, G: "a.b" }, mo: { R: 2, G: "=" } },
        target: "/exploded/.1.2/;m%20%C3%BC=a;m%20%C3%BC=%3B/.R=1.G=a.b/;R=2;G=%3D"
      },
      { id: "exploded", params: { l: [], mU: ["a"], lo: { R: 1 }, mo: { R: 2 } }, invalid: "l" },
      { id: "joined", params: { lo: { R: 1, G: "a" }, mo: { R: 2, G: "," } }, target: "/joined/.R,1,G,a/;mo=R,2,G,%2C" }
    ]
  },
  "an enum of a list, which is one of its items by mistake": {
    version: "3.0.3",
    operations: get("list", [query("l", { type: "array", items: text, enum: ["a", "b"] })]),
    calls: [{ query: { l: ["a", "b"] }, target: "/list?l=a&l=b" }]
  },
  "parameters of every type and style, by reference too": {
    version: "3.0.3",
    operations: get("find", [
      query("on", ref("Flag")),
      query("limit", { ...ref("Limit"), nullable: true }),
      query("big", int64),
      query("many", list(integer)),
      query("comma", list(text), { explode: false }),
      query("pipe", list(text), { style: "pipeDelimited", explode: false }),
      query("deep", object({ a: text, b: integer }), { style: "deepObject" }),
      query("spread", object({ x: text, y: text })),
      query("either", { anyOf: [integer, text] }),
      { in: "query", name: "filter", content: having(object({ a: integer })).content },
      { in: "query", name: "exact", content: having(object({ a: int64 })).content },
      query("kind", { ...integer, enum: [1, 2] }),
      query("state", ref("State")),
      header("Accept", text),
      header("Accept-Encoding", text, { required: true }),
      header("Content-Length", text, { required: true }),
      header("Content-Type", text, { required: true }),
      header("X-Trace", integer)
    ]),
    schemas: { Flag: boolean, Limit: integer, State: known("on", "off") },
    calls: [
      { target: "/find" },
      { query: { on: true, limit: 3 }, target: "/find?on=true&limit=3" },
      { query: { big: 9007199254740993n }, target: "/find?big=9007199254740993" },
      { query: { many: [1, 2] }, target: "/find?many=1&many=2" },
      { query: { comma: ["a", "b,c"] }, target: "/find?comma=a,b%2Cc" },
      { query: { pipe: ["a", "b"] }, target: "/find?pipe=a%7Cb" },
      { query: { deep: { a: "1", b: 2 } }, target: "/find?deep%5Ba%5D=1&deep%5Bb%5D=2" },
      { query: { spread: { x: "1", y: "2" } }, target: "/find?x=1&y=2" },
      { query: { either: "10" }, target: "/find?either=10" },
      { query: { filter: { a: 1 } }, target: "/find?filter=%7B%22a%22%3A1%7D" },
      { query: { exact: { a: 9007199254740993n } }, target: "/find?exact=%7B%22a%22%3A9007199254740993%7D" },
      { query: { kind: 2 }, headers: { "X-Trace": 5 }, sentHeaders: { "x-trace": "5" } },
      { query: { kind: 3 }, invalid: "query.kind" },
      { query: { limit: 1.5 }, invalid: "query.limit" }
    ]
  },
  "parameters with reserved characters": {
    operations: {
      ...get("reserved", [
        query("path", text, { allowReserved: true }),
        query("comma", list(text), { allowReserved: true, explode: false }),
        query("deep", object({ a: text }), { allowReserved: true, style: "deepObject" }),
        query("plain", text)
      ]),
      "POST /reserved": {
        operationId: "form",
        requestBody: form(object({ at: text, other: text }), { encoding: { at: { allowReserved: true } } })
      }
    },
    calls: [
      {
        id: "reserved",
        query: { path: "/a b?c=d:[é]&#+", comma: ["a/b", "c,d"], deep: { a: "x:y" }, plain: "/" },
        target: "/reserved?plain=%2F&path=/a%20b?c=d:%5B%C3%A9%5D%26%23%2B&comma=a/b,c%2Cd&deep%5Ba%5D=x:y"
      },
      { id: "form", body: { at: "/a", other: "/b" }, text: "other=%2Fb&at=/a" }
    ]
  },
  "parameters that are JSON, texts and lists too": {
    operations: {
      ...at(
        "GET /json/{text}/{list}",
        "json",
        [
          path("text"),
          path("list", list(text)),
          query("texts", list(text)),
          query("n", integer),
          query("null", { type: ["string", "null"] }),
          query("any", {}),
          query("at", dateTime),
          query("kind", { enum: ["a", "b"] }),
          header("X-List", list(integer))
        ].map(({ schema, ...rest }) => ({ ...rest, content: having(schema).content }))
      )
    },
    calls: [
      {
        params: { text: "a", list: ["b,c"] },
        query: { texts: ["d"], n: 1, null: null, any: "e", kind: "a" },
        headers: { "X-List": [1, 2] },
        target: "/json/%22a%22/%5B%22b%2Cc%22%5D?texts=%5B%22d%22%5D&n=1&null=null&any=%22e%22&kind=%22a%22",
        sentHeaders: { "x-list": "[1,2]" }
      }
    ]
  },
  "forms that are lists: they have no names": {
    operations: {
      ...send("POST", "form", form(list(text))),
      ...send("POST", "parts", parts(list(text))),
      ...send("POST", "either", form({ oneOf: [object({ a: text }), list(text)] }))
    },
    calls: [
      { id: "form", body: { a: ["x", "y"], b: "z" }, text: "a=x&a=y&b=z" },
      { id: "parts", body: { a: ["x", "y"] }, parts: ['name="a"\r\n\r\nx\r\n', 'name="a"\r\n\r\ny\r\n'] },
      { id: "either", body: { a: "x" }, text: "a=x" }
    ]
  },
  "optional bodies, and a DELETE with one": {
    version: "3.0.3",
    operations: {
      ...send("POST", "maybe", { ...body(object({ a: text })), required: false }),
      ...send("DELETE", "remove", body(object({ a: text }, ["a"])))
    },
    calls: [
      { id: "maybe", text: "", sentHeaders: { "content-type": undefined } },
      { id: "maybe", body: { a: "1" } },
      { id: "remove", body: { a: "1" }, method: "DELETE" }
    ]
  },
  "null in all forms of 3.0": {
    version: "3.0.3",
    puts: {
      write: object(
        {
          plain: { ...text, nullable: true },
          kind: { ...text, enum: ["a", "b"], nullable: true },
          untyped: { nullable: true, properties: { x: text } },
          beside: { ...ref("Part"), nullable: true },
          wrapped: { nullable: true, allOf: [ref("Part")], description: "wrapped" },
          either: { oneOf: [{ nullable: true }, ref("Part")] },
          own: ref("Nothing")
        },
        ["plain", "kind", "untyped", "beside", "wrapped", "either", "own"]
      )
    },
    schemas: { Part: object({ id: text }, ["id"]), Nothing: { ...integer, nullable: true } },
    calls: [
      {
        body: { plain: null, kind: null, untyped: null, beside: null, wrapped: null, either: null, own: null },
        reads: { plain: "", kind: "c", untyped: {}, beside: { id: "1" }, wrapped: null, either: { id: "2" }, own: 1 }
      }
    ]
  },
  "what is beside a reference, which 3.0 has ignored: only what is required is meant": {
    version: "3.0.3",
    puts: {
      some: { ...ref("Ids"), required: ["ids"] },
      limited: object({ at: { ...ref("Text"), maxLength: 2, pattern: "^a", format: "date-time" } })
    },
    schemas: { Ids: object({ ids: list(integer) }), Text: text },
    calls: [
      { id: "some", body: { ids: [1] }, reads: { ids: [2] } },
      { id: "some", body: {}, invalid: "payload.ids" },
      { id: "limited", body: { at: "now" }, reads: { at: "then" } }
    ]
  },
  "null without quotes, as YAML has it": {
    puts: {
      feature: object({ shape: { oneOf: [{ type: null }, ref("Point")] }, data: { type: ["object", null] } }, [
        "shape",
        "data"
      ])
    },
    schemas: { Point: object({ x: number }, ["x"]) },
    calls: [
      { body: { shape: null, data: null }, reads: { shape: { x: 1 }, data: null } },
      { body: { shape: { x: "1" }, data: null }, invalid: "payload.shape.x" }
    ]
  },
  "null as the type beside alternatives, and a field that no value fits": {
    puts: { odd: object({ at: { type: "null", oneOf: [number, boolean] }, never: false }, ["at"]) },
    calls: [
      { body: { at: null }, reply: { body: { at: 1, never: 2 } }, value: { at: 1 } },
      { body: { at: true, never: 1 }, invalid: "payload.never" }
    ]
  },
  "optional null of responses is absent, of requests is sent": {
    puts: { clear: object({ a: { type: ["string", "null"] }, b: { anyOf: [text, { type: "null" }] }, c: text }) },
    calls: [
      { body: { a: null, b: null }, reply: { body: { a: null, b: null, c: null, later: 1 } }, value: {} },
      { body: { c: null }, invalid: "payload.c" }
    ]
  },
  "allOf with siblings, and required across parts": {
    puts: { merge: { allOf: [ref("Base"), object({ b: text })], properties: { c: integer }, required: ["a", "b"] } },
    schemas: { Base: object({ a: text, readonly: text }) },
    calls: [
      { body: { a: "1", b: "2", c: 3 }, reads: { a: "1", b: "2", c: 3 } },
      { body: { a: "1" }, invalid: "payload.b" }
    ]
  },
  "integers of 64 bits keep their digits": {
    puts: {
      count: object({
        n: int64,
        small: int64,
        unsigned: { ...number, format: "uint64" },
        plain: integer,
        either: { oneOf: [text, number, integer, int64] },
        named: { oneOf: [ref("Small"), ref("Large")] },
        any: {}
      }),
      others: { ...object({ a: text }), additionalProperties: list(object({ n: ref("Large") })) }
    },
    operations: {
      ...get(
        "enveloped",
        [],
        ok(object({ status: integer, requestId: text, result: ref("Large") }, ["status", "requestId", "result"]))
      )
    },
    schemas: { Small: integer, Large: int64 },
    calls: [
      {
        id: "count",
        body: { n: 9007199254740993n, small: 1 },
        text: '{"n":9007199254740993,"small":1}',
        reply: {
          type: "application/json",
          body:
            '{"n":9223372036854775807,"small":2,"unsigned":18446744073709551615,' +
            '"plain":1764000000000000001,"either":9007199254740993,"named":9007199254740993,"any":[1764000000000000001]}'
        },
        // others are rounded, as JSON rounds them
        value: {
          n: 9223372036854775807n,
          small: 2,
          unsigned: 18446744073709551615n,
          plain: 1764000000000000000,
          either: 9007199254740993n,
          named: 9007199254740993n,
          any: [1764000000000000000]
        }
      },
      {
        id: "others",
        body: { a: "b", c: [{ n: 9007199254740993n }] },
        text: '{"a":"b","c":[{"n":9007199254740993}]}',
        reply: { type: "application/json", body: '{"c":[{"n":9007199254740993}]}' },
        value: { c: [{ n: 9007199254740993n }] }
      },
      {
        id: "enveloped",
        reply: { type: "application/json", body: '{"status":200,"requestId":"r","result":9007199254740993}' },
        value: { status: 200, requestId: "r", result: 9007199254740993n }
      }
    ]
  },
  "alternatives without a discriminator, told apart at depth": {
    puts: {
      choose: object({
        v: { oneOf: [object({ in: object({ a: text }) }), object({ in: object({ b: text, c: text }) })] }
      })
    },
    calls: [{ body: { v: { in: { b: "1", c: "2" } } }, reads: { v: { in: { c: "3" } } } }]
  },
  "alternatives of which a value can be several, and fields that come later": {
    puts: {
      any: { anyOf: [object({ value: integer }, ["value"]), object({ value: integer, value2: integer })] },
      one: { oneOf: [object({ error: text }), object({ data: text })] },
      deep: object({ in: { anyOf: [object({ x: object({ p: text }) }), object({ x: object({ q: text }) })] } }),
      mixed: { anyOf: [object({ a: integer }), list(object({ b: integer })), text] },
      lists: { anyOf: [list(object({ a: text })), list({})] },
      fields: { anyOf: [object({ size: integer }, ["size"]), map(object({ size: integer }, ["size"]))] },
      filter: { anyOf: [object({ and: list({}) }), object({ op: { enum: ["eq"] }, by: text }, ["op", "by"])] }
    },
    calls: [
      { id: "any", body: { value: 1, value2: 2 }, reads: { value: 5, value2: 10, gone: 1 } },
      { id: "one", body: { data: "a" }, reads: { data: "b", gone: 1 } },
      { id: "one", body: { data: "a", error: "b" }, invalid: "payload.data" },
      {
        id: "deep",
        body: { in: { x: { p: "1", q: "2" } } },
        reads: { in: { x: { p: "3", q: "4", gone: "5" }, gone: 1 } }
      },
      { id: "deep", body: { in: { x: { p: "1", q: "2", r: "3" } } }, invalid: "payload.in.x.r" },
      { id: "mixed", body: [{ b: 1 }], reads: "a" },
      { id: "lists", body: [{ a: "1", b: 2 }], reads: [{ a: "3", b: 4 }, 5] },
      { id: "fields", body: { a: { size: 1 }, b: { size: 2 } }, reads: { size: 3 } },
      { id: "filter", body: { and: [1] }, reads: { op: "eq", by: "a" } }
    ]
  },
  "alternatives that a service adds": {
    puts: {
      pets: list(ref("Pet")),
      cat: ref("Cat"),
      tree: ref("Tree"),
      base: ref("Shape"),
      alone: list(by("kind", { oneOf: [ref("Cat")] })),
      number: list(by("v", { oneOf: [ref("First"), ref("Second")] }, { 1: "#/components/schemas/First", 2: "Second" })),
      flag: by("on", { oneOf: [ref("On"), ref("Off")] }, { true: "On", false: "Off" }),
      named: by("side", { oneOf: [ref("Left"), ref("Right")] }),
      nothing: {
        oneOf: [
          object({ valid: { ...boolean, enum: [true] }, name: text }, ["valid", "name"]),
          object({ valid: { ...boolean, enum: [false] }, name: { ...text, nullable: true, enum: [null] } }, ["valid"])
        ]
      },
      untold: list({ oneOf: [object({ a: text }, ["a"]), object({ b: text }, ["b"])] }),
      same: {
        anyOf: [
          object({ role: { enum: ["a", "b"] }, x: text }, ["x"]),
          object({ role: { enum: ["a", "b"] }, z: text }, ["z"]),
          object({ y: text })
        ]
      }
    },
    schemas: {
      Pet: { oneOf: [ref("Cat"), ref("Dog")] },
      Cat: object({ kind: { enum: ["cat"] }, unit: { enum: ["kg"] } }, ["kind"]),
      Dog: object({ kind: { enum: ["dog"] } }, ["kind"]),
      Tree: object({ kind: { enum: ["tree"] }, next: { oneOf: [ref("Tree"), ref("Leaf")] } }),
      Leaf: object({ kind: { enum: ["leaf"] }, green: boolean }),
      Shape: by("type", object({ type: text }, ["type"]), { circle: "Circle" }),
      Circle: { allOf: [ref("Shape"), object({ radius: number }, ["radius"])] },
      First: object({ v: integer, a: text }, ["v"]),
      Second: object({ v: integer, b: text }, ["v"]),
      On: object({ on: boolean, volts: integer }, ["on"]),
      Off: object({ on: boolean, since: text }, ["on"]),
      Left: object({ side: text, l: text }, ["side"]),
      Right: object({ side: text, l: text, r: text }, ["side"])
    },
    calls: [
      {
        id: "pets",
        body: [{ kind: "cat", unit: "kg" }],
        reads: [{ kind: "dog" }, { kind: "emu", speed: 5 }, { kind: "cat", unit: "lb" }]
      },
      { id: "pets", body: [{ kind: "emu" }], invalid: "payload[0]" },
      { id: "cat", body: { kind: "cat" }, reads: { kind: "lion", unit: "kg" } },
      { id: "cat", body: { kind: "cat" }, reads: { kind: "cat", unit: "lb" } },
      {
        id: "tree",
        body: { kind: "tree", next: { kind: "tree", next: { kind: "leaf" } } },
        reads: { kind: "bush", next: { kind: "tree", next: { kind: "leaf", green: true } } }
      },
      {
        id: "pets",
        body: [{ kind: "dog" }],
        reply: { body: [{ kind: "cat", unit: 5 }] },
        refusal: {
          _tag: "InvalidResponse",
          message: "the body does not match its schema: Expected one of the alternatives at [0]"
        }
      },
      { id: "base", body: { type: "circle", radius: 1 }, reads: { type: "box", side: 2 } },
      { id: "alone", body: [{ kind: "cat" }], reads: [{ kind: "emu" }, { kind: "cat" }] },
      {
        id: "number",
        body: [{ v: 2, b: "1" }],
        reads: [
          { v: 1, a: "2", gone: 1 },
          { v: 3, c: 1 }
        ]
      },
      { id: "flag", body: { on: false, since: "1" }, reads: { on: true, volts: 2, gone: 1 } },
      { id: "named", body: { side: "Right", r: "1" }, reads: { side: "Right", l: "1", r: "2", gone: 1 } },
      { id: "untold", body: [{ a: "1" }], reads: [{ b: "1" }, { c: "2" }] }
    ]
  },
  "constants beside the field that tells alternatives apart, and those of other unions": {
    puts: {
      two: { oneOf: [ref("Paf"), ref("Nyb")] },
      all: list({ oneOf: [ref("Paf"), ref("Nyb"), ref("Welsh")] }),
      part: { oneOf: [ref("Paf"), ref("Alias")] },
      outer: list({ oneOf: [ref("Named"), object({ dataset: { const: "own" } }, ["dataset"])] })
    },
    schemas: {
      Paf: object({ language: { const: "en" }, dataset: { const: "paf" }, note: text }, ["dataset", "language"]),
      Nyb: object({ language: { const: "en" }, dataset: { const: "nyb" }, note: text }, ["dataset", "language"]),
      Welsh: object({ language: { const: "cy" }, dataset: { const: "welsh" }, note: text }, ["dataset", "language"]),
      Alias: object({ language: { const: "cy" }, dataset: { const: "paf" }, old: text }, ["dataset", "language"]),
      Named: { oneOf: [ref("Inner"), ref("Other")] },
      Inner: object({ kind: { const: "inner" }, dataset: { const: "a" }, note: text }, ["kind", "dataset"]),
      Other: object({ kind: { const: "other" }, dataset: { const: "b" }, note: text }, ["kind", "dataset"])
    },
    calls: [
      {
        id: "two",
        body: { language: "en", dataset: "nyb" },
        reply: { body: { language: "fr", dataset: "nyb", note: null } },
        value: { language: "fr", dataset: "nyb" }
      },
      { id: "two", body: { language: "cy", dataset: "nyb" }, invalid: "payload" },
      {
        id: "all",
        body: [{ language: "cy", dataset: "welsh" }],
        reply: {
          body: [
            { language: "fr", dataset: "welsh", note: null },
            { language: "fr", dataset: "new", note: null }
          ]
        },
        value: [
          { language: "fr", dataset: "welsh" },
          { language: "fr", dataset: "new", note: null }
        ]
      },
      {
        id: "part",
        body: { language: "cy", dataset: "paf", old: "1" },
        reply: { body: { language: "cy", dataset: "paf", old: "1", note: "2" } },
        value: { language: "cy", dataset: "paf", old: "1" }
      },
      {
        id: "outer",
        body: [{ kind: "inner", dataset: "a" }],
        reads: [
          { kind: "inner", dataset: "c", note: null },
          { kind: "new", dataset: "a", note: null }
        ]
      }
    ]
  },
  "constants that tell nothing that a field of all alternatives does not tell": {
    operations: get("keys", [], ok(list({ oneOf: ["Public", "Private", "Curve"].map(ref) }))),
    schemas: {
      Public: object({ kty: { enum: ["OKP"] }, crv: { enum: ["Ed25519"] }, x: text }, ["kty", "crv", "x"]),
      Private: object({ kty: { enum: ["OKP"] }, crv: { enum: ["Ed25519"] }, d: text }, ["kty", "crv", "d"]),
      Curve: object({ kty: { enum: ["EC"] }, crv: text, y: text }, ["kty", "crv", "y"])
    },
    calls: [
      {
        reads: [
          { kty: "OKP", crv: "Ed25519", x: "a" },
          { kty: "OKP", crv: "Ed448", d: "a" },
          { kty: "EC", crv: "P-256", y: "a" },
          { kty: "oct", k: "a" }
        ]
      }
    ]
  },
  "what is required, and described nowhere": {
    puts: {
      cost: object({ name: text }, ["name", "price"]),
      bare: { type: "object", required: ["id"] },
      names: { ...map(integer), required: ["a"] }
    },
    calls: [
      { id: "cost", body: { name: "a", price: 1 }, reads: { name: "b", price: { of: [2] } } },
      { id: "cost", body: { name: "a" }, reads: { name: "b" } },
      { id: "bare", body: { id: 1 }, reads: { id: "2" } },
      { id: "names", body: { a: 1 }, reads: { a: 2 } }
    ]
  },
  "patterns of names": {
    puts: {
      alone: { type: "object", patternProperties: { "^x-": text } },
      exact: { type: "object", patternProperties: { "^n-": int64 } },
      named: { type: "object", patternProperties: { "^n-": ref("Part") }, additionalProperties: false },
      every: { type: "object", patternProperties: { ".*": integer } },
      beside: { ...map(integer), patternProperties: { "^x-": text } },
      only: { type: "object", patternProperties: { "^x-": text, "^n-": integer }, additionalProperties: false },
      fields: { ...object({ id: text }), patternProperties: { "^x-": text } },
      both: { ...map(text), ...object({ id: integer }), patternProperties: { "^n-": integer } }
    },
    schemas: { Part: object({ at: dateTime, note: text }, ["at"]) },
    calls: [
      { id: "alone", body: { "x-a": "1", other: 2 }, reads: { "x-a": "1", other: { of: [2] } } },
      {
        id: "exact",
        body: { "n-a": 9007199254740993n },
        text: '{"n-a":9007199254740993}',
        reply: { type: "application/json", body: '{"n-a":9007199254740993,"other":["x"]}' },
        value: { "n-a": 9007199254740993n, other: ["x"] }
      },
      {
        id: "named",
        body: { "n-a": { at: DateTime.makeUnsafe("2026-01-01T00:00:00Z") } },
        text: '{"n-a":{"at":"2026-01-01T00:00:00.000Z"}}',
        reply: { body: { "n-a": { at: "2026-01-01T00:00:00Z", note: null }, later: 1 } },
        value: { "n-a": { at: DateTime.makeUnsafe("2026-01-01T00:00:00Z") }, later: 1 }
      },
      { id: "every", body: { a: 1 }, reads: { b: 2 } },
      { id: "every", body: { a: "1" }, invalid: "payload.a" },
      { id: "beside", body: { "x-a": "1", b: 2 }, reads: { "x-a": "3", b: 4 } },
      { id: "only", body: { "x-a": "1", "n-b": 2 }, reads: { "x-a": "3", "n-b": 4 } },
      { id: "only", body: { "x-a": true }, invalid: "payload.x-a" },
      { id: "fields", body: { id: "1", "x-a": "2" }, reads: { id: "3", "x-a": "4", more: 5 } },
      { id: "both", body: { id: 1, a: "2", "n-b": 3 }, reads: { id: 4, a: "5", "n-b": 6 } }
    ]
  },
  tuples: {
    puts: {
      pair: { type: "array", prefixItems: [text, integer] },
      closed: { type: "array", prefixItems: [text, { type: ["integer", "null"] }], items: false, minItems: 1 },
      unevaluated: { allOf: [{ type: "array", prefixItems: [text] }], unevaluatedItems: false },
      rest: object({ at: { type: "array", prefixItems: [text, object({ n: integer })], items: boolean, minItems: 2 } })
    },
    calls: [
      { id: "pair", body: ["a", 1, { more: true }], reads: ["b", 2, "more"] },
      { id: "pair", body: ["a"], reads: [] },
      { id: "pair", body: [1, "a"], invalid: "payload[0]" },
      { id: "closed", body: ["a", null], reads: ["b", 2, "added"] },
      { id: "closed", body: ["a", 1, 2], invalid: "payload[2]" },
      { id: "unevaluated", body: ["a"], reads: ["b", "added"] },
      { id: "unevaluated", body: ["a", 1], invalid: "payload[1]" },
      { id: "closed", body: [], invalid: "payload[0]" },
      { id: "rest", body: { at: ["a", { n: 1 }, true] }, reads: { at: ["b", { n: 2, gone: 1 }, false] } },
      { id: "rest", body: { at: ["a", { n: 1 }, 1] }, invalid: "payload.at[2]" }
    ]
  },
  "tuples of OpenAPI before 3.1": {
    version: "3.0.3",
    puts: { old: { type: "array", items: [text, integer], additionalItems: false } },
    calls: [{ body: ["a", 1], reads: ["b", 2] }]
  },
  "a discriminator that no alternative declares, or only reads: services send it or not": {
    version: "3.0.3",
    puts: {
      pay: by("type", { oneOf: [ref("Card"), ref("Bank")] }),
      key: by(
        "use",
        { oneOf: [ref("Secret"), ref("Signing"), ref("Read")] },
        { sig: "Signing", enc: "Secret", read: "Read" }
      )
    },
    schemas: {
      Card: object({ number: text }),
      Bank: object({ iban: text }),
      Secret: object({ use: { ...text, readOnly: true }, id: text }),
      Read: object({ use: { enum: ["read"], readOnly: true }, at: text }, ["use"]),
      Signing: { oneOf: [object({ kty: { enum: ["RSA"] }, e: text }), object({ kty: { enum: ["EC"] }, x: text })] }
    },
    calls: [
      { id: "pay", body: { type: "Bank", iban: "1" }, reads: { type: "Card", number: "2" } },
      { id: "pay", body: { iban: "1" }, reads: { number: "2" } },
      { id: "key", body: { use: "enc", id: "1" }, reads: { kty: "EC", x: "2" } },
      { id: "key", body: { use: "read", at: "1" }, reads: { use: "read" } },
      { id: "key", body: { use: "sig", kty: "EC", x: "2" }, reply: { body: { id: "3" } } }
    ]
  },
  "a discriminator that services leave out, as its alternatives allow": {
    version: "3.0.3",
    puts: {
      user: {
        oneOf: [ref("Private"), ref("Public")],
        discriminator: { propertyName: "view", mapping: { public: "Public", private: "Private" } },
        example: { name: "a", plan: "b" }
      },
      base: ref("Base")
    },
    schemas: {
      Public: object({ view: text, name: text }, ["name"]),
      Private: object({ view: text, name: text, plan: text }, ["name", "plan"]),
      Base: by("sort", object({ sort: text }), { one: "One", two: "Two" }),
      One: { allOf: [ref("Base"), object({ a: text }, ["a"])] },
      Two: { allOf: [ref("Base"), object({ b: text }, ["b"])] }
    },
    calls: [
      { id: "user", body: { view: "public", name: "a" }, reads: { name: "b" } },
      { id: "user", body: { view: "private", name: "a", plan: "b" }, reads: { name: "c", plan: "d" } },
      {
        id: "user",
        body: { view: "public", name: "a" },
        reply: { body: { view: "public", name: "e", plan: "f" } },
        value: { view: "public", name: "e" }
      },
      { id: "user", body: { view: "public", name: "a" }, reads: { view: "late", title: "g" } },
      { id: "user", body: { view: "public", name: "a" }, reads: { title: "h" } },
      { id: "base", body: { sort: "one", a: "1" }, reads: { b: "2" } }
    ]
  },
  "a discriminator with a schema for all other values": {
    version: "3.2.0",
    puts: { pet: ref("Pet"), base: ref("Base") },
    schemas: {
      Pet: {
        oneOf: [ref("Cat"), ref("Dog"), ref("Other")],
        discriminator: { propertyName: "kind", mapping: { cat: "Cat", dog: "Dog" }, defaultMapping: "Other" }
      },
      Cat: object({ kind: text, lives: integer }, ["kind"]),
      Dog: object({ kind: text, bark: text }, ["kind"]),
      Other: object({ kind: text, name: text }),
      Base: {
        ...object({ sort: text }, ["sort"]),
        discriminator: { propertyName: "sort", mapping: { one: "One" }, defaultMapping: "#/components/schemas/Rest" }
      },
      One: { allOf: [ref("Base"), object({ a: text }, ["a"])] },
      Rest: { allOf: [ref("Base"), object({ b: text }, ["b"])] }
    },
    calls: [
      { id: "pet", body: { kind: "emu", name: "a" }, reads: { kind: "owl", name: "b" } },
      { id: "pet", body: { name: "a" }, reads: { name: "b" } },
      { id: "pet", body: { kind: "cat", lives: 9 }, reads: { kind: "cat", lives: 7, gone: 1 } },
      { id: "base", body: { sort: "two", b: "1" }, reads: { sort: "three", b: "2" } }
    ]
  },
  "a discriminator of a base that names nothing: what extends it does, at any depth": {
    version: "3.0.3",
    puts: { pet: ref("Pet"), pets: list(ref("Pet")), part: ref("Part"), limit: ref("Limit"), file: ref("File") },
    schemas: {
      // values that are not the names of heirs, and heirs that need more
      Limit: by("type", object({ type: known("daily", "weekly"), seconds: integer, day: integer }, ["type"])),
      WeeklyLimit: { allOf: [ref("Limit"), object({ day: integer, note: text }, ["day"])] },
      File: by("of", object({ of: text }, ["of"])),
      Image: { allOf: [ref("File"), object({ width: integer }, ["width"])] },
      Pet: by("petType", object({ petType: text, name: text }, ["petType"])),
      Dog: { allOf: [ref("Pet"), object({ bark: text })] },
      Cat: { allOf: [object({ claws: integer }), ref("Alias")] },
      Puppy: { allOf: [ref("Dog"), object({ age: integer })] },
      Alias: ref("Pet"),
      Part: by("of", object({ of: text }, ["of"]), { screw: "#/components/schemas/Screw" }),
      Screw: { allOf: [ref("Part"), object({ turns: integer })] },
      Nail: { allOf: [ref("Part"), object({ long: integer })] }
    },
    calls: [
      { id: "pet", body: { petType: "Dog", bark: "a" }, reads: { petType: "Dog", name: "b", bark: "c" } },
      {
        id: "pets",
        body: [{ petType: "Puppy", bark: "a", age: 1 }, { petType: "Pet" }],
        reads: [
          { petType: "Puppy", age: 1, gone: 2 },
          { petType: "Cat", claws: 2 },
          { petType: "Emu", legs: 2 }
        ]
      },
      { id: "part", body: { of: "Nail", long: 1 }, reads: { of: "screw", turns: 2 } },
      { id: "limit", body: { type: "daily", seconds: 1 }, reads: { type: "daily", seconds: 2 } },
      { id: "limit", body: { type: "weekly", day: 1, note: "a" }, reads: { type: "weekly", day: 2, note: "b" } },
      { id: "file", body: { of: "File" }, reads: { of: "File" } },
      { id: "file", body: { of: "Image", width: 1 }, reads: { of: "Image", width: 2 } }
    ]
  },
  "what extends an heir of a discriminator, has a discriminator or alternatives of its own, extends two bases, or is nowhere":
    {
      puts: {
        pet: ref("Pet"),
        dog: ref("Dog"),
        rule: ref("CouponRule"),
        held: by("type", { oneOf: [ref("Day"), ref("Free")] }, { day: "Day", night: "Day", free: "Free" })
      },
      schemas: {
        Pet: by("type", object({ type: text, name: text }, ["type"])),
        Dog: { allOf: [ref("Pet"), object({ bark: text })] },
        Puppy: { allOf: [ref("Dog"), object({ age: integer })] },
        Cat: { allOf: [ref("Pet"), by("breed", object({ breed: text }, ["breed"]), { tabby: "Tabby" })] },
        Tabby: { allOf: [ref("Cat"), object({ stripes: integer })] },
        Bird: {
          allOf: [ref("Pet")],
          oneOf: [
            object({ kind: { enum: ["owl"] }, night: boolean }),
            object({ kind: { enum: ["hen"] }, eggs: integer })
          ]
        },
        CouponRule: by("type", object({ type: known("day", "free") }, ["type"]), {
          day: "Day",
          free: "Free",
          none: "Nowhere"
        }),
        OrderRule: by("type", object({ type: known("day", "night") }, ["type"]), { day: "Day", night: "Night" }),
        Day: { allOf: [ref("CouponRule"), ref("OrderRule"), object({ day: integer }, ["day"])] },
        Night: { allOf: [ref("OrderRule"), object({ day: text }, ["day"])] },
        Free: { allOf: [ref("CouponRule"), ref("OrderRule"), object({ day: boolean }, ["day"])] }
      },
      calls: [
        { id: "dog", body: { type: "Puppy", age: 1 }, reads: { type: "Puppy", bark: "a", age: 2 } },
        { id: "dog", body: { type: "Dog", bark: "a" }, reads: { type: "Dog", bark: "b" } },
        {
          id: "pet",
          body: { type: "Cat", breed: "tabby", stripes: 1 },
          reads: { type: "Cat", breed: "tabby", stripes: 2 }
        },
        { id: "pet", body: { type: "Bird", kind: "hen", eggs: 1 }, reads: { type: "Bird", kind: "owl", night: true } },
        { id: "rule", body: { type: "day", day: 1 }, reads: { type: "day", day: 2 } }
      ]
    },
  "an heir that only refers to its base": {
    version: "3.0.3",
    puts: { note: ref("Note"), private: ref("Private") },
    schemas: {
      Note: by("type", object({ type: known("S", "P") }, ["type"]), {
        S: "#/components/schemas/Shared",
        P: "#/components/schemas/Private"
      }),
      Shared: { allOf: [ref("Note"), object({ by: text })] },
      Private: { description: "A note", allOf: [ref("Note")] }
    },
    calls: [
      { id: "note", body: { type: "P" }, reads: { type: "S", by: "a" } },
      { id: "private", body: { type: "P", by: "a" }, invalid: "payload.by" },
      { id: "private", body: { type: "P" }, reads: { type: "T", gone: 1 } }
    ]
  },
  "a base beside its type again": {
    version: "3.0.3",
    puts: {
      product: object({ stock: { type: "object", nullable: true, description: "The stock", allOf: [ref("Stock")] } })
    },
    schemas: {
      Stock: by("type", object({ type: known("SUM", "EACH") }, ["type"]), {
        SUM: "#/components/schemas/Sum",
        EACH: "#/components/schemas/Each"
      }),
      Sum: { type: "object", allOf: [ref("Stock")], properties: { quantity: integer } },
      Each: { type: "object", allOf: [ref("Stock")], properties: { stores: list(text) } }
    },
    calls: [
      { body: { stock: { type: "SUM", quantity: 1 } }, reads: { stock: { type: "EACH", stores: ["a"] } } },
      { body: { stock: null }, reply: { body: { stock: null } }, value: {} }
    ]
  },
  "a base whose enum lists the kinds of heirs that say nothing": {
    puts: { an: ref("Animal"), other: ref("Vehicle") },
    schemas: {
      Animal: by("kind", object({ kind: known("Cat", "Dog"), name: text }, ["kind"])),
      Cat: { allOf: [ref("Animal"), object({ lives: integer })] },
      Dog: { allOf: [ref("Animal"), object({ bark: text })] },
      Vehicle: by("kind", object({ kind: known("c", "b") }, ["kind"])),
      Car: { allOf: [ref("Vehicle"), object({ doors: integer })] },
      Boat: { allOf: [ref("Vehicle"), object({ sails: integer })] }
    },
    calls: [
      { id: "an", body: { kind: "Cat", lives: 9 }, reads: { kind: "Dog", name: "n", bark: "w" } },
      { id: "other", body: { kind: "b", sails: 1 }, reads: { kind: "c", doors: 4 } },
      { id: "an", body: { kind: "Dog" }, reads: { kind: "Emu", name: "e", speed: 1 } }
    ]
  },
  "an heir with a mapping of its own that omits it": {
    puts: { base: ref("Base"), heir: ref("A") },
    schemas: {
      Base: by("type", object({ type: text }, ["type"]), { a: "#/components/schemas/A", b: "#/components/schemas/B" }),
      A: by("type", { allOf: [ref("Base"), object({ a: text })] }, { a1: "#/components/schemas/A1" }),
      A1: { allOf: [ref("A"), object({ a1: integer })] },
      B: { allOf: [ref("Base"), object({ b: text })] }
    },
    calls: [
      { id: "base", body: { type: "a", a: "1" }, reads: { type: "a", a: "2" } },
      { id: "base", body: { type: "b", b: "1" }, reads: { type: "a1", a: "1", a1: 2, gone: 3 } },
      { id: "heir", body: { type: "a", a: "1" }, reads: { type: "a", a: "2" } },
      { id: "heir", body: { type: "a1", a1: 1 }, reads: { type: "a1", a: "x", a1: 1 } },
      { id: "base", body: { type: "a", a: "1" }, reads: { type: "a", a: "2", gone: 1 } }
    ]
  },
  "a base whose discriminator names what does not extend it, and one that lists what extends it": {
    version: "3.0.3",
    puts: { shape: ref("Shape"), key: ref("Key"), own: ref("Rsa") },
    schemas: {
      Shape: by("type", object({ type: known("c", "b"), status: text }), { round: "#/components/schemas/Circle" }),
      Circle: object({ type: known("c"), radius: number }),
      Key: { ...object({ id: text }), oneOf: [ref("Rsa"), ref("Middle")] },
      Rsa: { allOf: [ref("Key")], ...object({ n: text }) },
      Middle: { allOf: [ref("Key")], ...object({ x: text }) }
    },
    calls: [
      { id: "shape", body: { type: "c", status: "on", radius: 1 }, reads: { type: "c", status: "on", radius: 2 } },
      { id: "key", body: { id: "1", x: "2" }, reads: { id: "1", n: "2" } },
      { id: "own", body: { id: "1", n: "2" }, reads: { n: "3" } },
      { id: "own", body: { id: "1", x: "2" }, invalid: "payload.x" }
    ]
  },
  "a type that contradicts what is referred to beside it": {
    version: "3.0.3",
    puts: { beside: object({ part: { ...ref("Part"), type: "string" } }) },
    schemas: { Part: object({ id: text }) },
    calls: [
      { body: { part: { id: "1" } }, reads: { part: { id: "2" } } },
      { body: { part: "1" }, invalid: "payload.part" }
    ]
  },
  "readOnly and writeOnly": {
    puts: {
      account: object({ id: { ...text, readOnly: true }, secret: { ...text, writeOnly: true }, name: text }, [
        "id",
        "secret",
        "name"
      ]),
      parts: object({ a: text, id: { allOf: [ref("Id"), { minLength: 1 }, { readOnly: true }] } }, ["id"])
    },
    schemas: { Id: text },
    calls: [
      { id: "account", body: { secret: "s", name: "n" }, reads: { id: "1", name: "n" } },
      { id: "account", body: { name: "n" }, invalid: "payload.secret" },
      { id: "parts", body: { a: "1" }, reads: { a: "1", id: "2" } },
      { id: "parts", body: { a: "1", id: "2" }, invalid: "payload.id" }
    ]
  },
  "alternatives of which one is there anyway, and those that only some values have": {
    operations: {
      ...get("anyway", [], ok({ allOf: [ref("P"), ref("Q")] })),
      ...get(
        "some",
        [],
        ok({
          ...object({ a: text }),
          if: object({ a: { const: "a" } }),
          else: { oneOf: [object({ b: text }), object({ c: integer })] }
        })
      )
    },
    schemas: { P: object({ p: text }), Q: { anyOf: [ref("P"), ref("R")] }, R: object({ r: text }) },
    calls: [
      { id: "anyway", reads: { p: "a", r: "b" } },
      { id: "some", reads: { a: "b", c: 1 } }
    ]
  },
  "recursion, in objects, lists and maps": {
    puts: { tree: ref("Node") },
    schemas: {
      Node: object(
        {
          at: dateTime,
          children: list(ref("Node")),
          named: map(ref("Node")),
          next: { oneOf: [ref("Node"), { type: "null" }] }
        },
        ["children"]
      )
    },
    calls: [
      {
        body: { children: [{ children: [], next: null }], named: { a: { children: [] } } },
        reads: { children: [{ children: [], next: { children: [] } }] }
      }
    ]
  },
  "recursion through many alternatives that their last field tells apart, without trying all at each level": {
    puts: { one: ref("Base"), grow: ref("Property") },
    schemas: {
      Base: object({ fields: map(ref("Property")) }),
      Property: by("type", { oneOf: kinds.map(ref) }),
      ...Object.fromEntries(
        kinds.map((kind) => [kind, { allOf: [ref("Base"), object({ type: { const: kind }, [kind]: text })] }])
      )
    },
    calls: [{ id: "grow", body: deep, reads: deep }]
  },
  "recursion by $recursiveRef and $dynamicRef, and null in a part of its own": {
    puts: {
      filter: object({
        all: ref("All"),
        any: ref("Any"),
        named: { $ref: "#named" },
        none: { allOf: [ref("Any"), { nullable: true }] }
      })
    },
    schemas: {
      All: { $recursiveAnchor: true, ...object({ in: list({ $recursiveRef: "#" }) }) },
      Named: { $anchor: "named", $recursiveAnchor: true, ...object({ in: list({ $recursiveRef: "#" }) }) },
      Any: { $dynamicAnchor: "any", ...object({ in: list({ $dynamicRef: "#any" }) }) }
    },
    calls: [
      {
        body: { all: { in: [{ in: [{}] }] }, named: { in: [{ in: [{}] }] }, none: null },
        reply: { body: { any: { in: [{ in: [{ later: 1 }] }] }, none: null } },
        value: { any: { in: [{ in: [{}] }] } }
      },
      { body: { all: { in: [{ other: 1 }] } }, invalid: "payload.all.in[0].other" }
    ]
  },
  "texts with a brand": {
    operations: {
      "GET /users/{id}": {
        operationId: "branded",
        "x-stability": "beta",
        parameters: [path("id", { ...text, "x-brand": "UserId", minLength: 2 })],
        responses: ok(object({ id: { ...text, "x-brand": "UserId" } }))
      }
    },
    calls: [
      { params: { id: "ab" }, reads: { id: "a" } },
      { params: { id: "a" }, invalid: "id" }
    ]
  },
  "additionalProperties beside properties, and alone": {
    puts: { map: { ...object({ a: integer, labels: map(integer) }, ["a"]), additionalProperties: text } },
    calls: [{ body: { a: 1, b: "2", labels: { x: 1 } }, reads: { a: 3, c: "4" } }]
  },
  "fields that only some values have, and names of fields that are known": {
    puts: {
      some: {
        ...object(
          {
            kind: text,
            counts: { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: integer }
          },
          ["kind"]
        ),
        allOf: [
          {
            if: { properties: { kind: { const: "a" } } },
            // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
            then: { properties: { value: integer }, required: ["value"] },
            else: { properties: { value: boolean } }
          }
        ],
        dependentSchemas: { kind: { properties: { note: text } } }
      }
    },
    calls: [
      { body: { kind: "a", value: 1, note: "b", counts: { a: 1 } }, reads: { kind: "b", value: true, note: "c" } },
      { body: { kind: "a", value: "1" }, invalid: "payload.value" }
    ]
  },
  "references to URIs of schemas, and to definitions of the schema around them": {
    puts: { uri: ref("Whole") },
    schemas: {
      Whole: {
        $id: "https://example.com/schemas/whole",
        $defs: { Part: object({ a: text }) },
        ...object({
          part: { $ref: "#/$defs/Part" },
          self: { $ref: "#" },
          thing: { $ref: "thing" },
          local: ref("Local")
        })
      },
      Thing: { $id: "https://example.com/schemas/thing", ...object({ x: text }) },
      Local: {
        $defs: { Inner: object({ y: text }) },
        ...object({ inner: { $ref: "#/$defs/Inner" }, of: ref("Thing") })
      }
    },
    calls: [
      {
        body: { part: { a: "1" }, self: { part: {} }, thing: { x: "2" }, local: { inner: { y: "3" }, of: {} } },
        reads: { self: { thing: { x: "4" } } }
      },
      { body: { thing: { y: "1" } }, invalid: "payload.thing.y" }
    ]
  },
  "a whole query that is a form": {
    version: "3.2.0",
    operations: {
      ...at("GET /query", "whole", [
        {
          in: "querystring",
          name: "q",
          content: { "application/x-www-form-urlencoded": { schema: object({ a: text, b: integer }) } }
        }
      ])
    },
    calls: [{ query: { q: { a: "1", b: 2 } }, target: "/query?a=1&b=2" }]
  },
  "names that every object has": {
    puts: { names: object({ constructor: text, toString: text, plain: text }) },
    calls: [
      { body: { plain: "1" }, reads: {} },
      { body: { constructor: "1" }, reads: { plain: "2" } }
    ]
  },
  "enums: new values of responses, only known ones of requests": {
    puts: {
      state: object({
        s: known("on", "off"),
        n: { enum: [1, 2] },
        tag: { const: "x" },
        mixed: { enum: ["a", 1, true, null] }
      })
    },
    calls: [
      { body: { s: "on", n: 1, tag: "x" }, reads: { s: "paused", n: 3, mixed: false } },
      { body: { s: "paused" }, invalid: "payload.s" }
    ]
  },
  "a number with the format of an integer: whole when it is sent": {
    version: "3.0.3",
    puts: { whole: object({ n: { ...number, format: "int32" } }) },
    calls: [
      { body: { n: 1.5 }, invalid: "payload.n" },
      { body: { n: 1 }, reads: { n: 1.5 } }
    ]
  },
  "patterns: kept where they are safe ECMAScript": {
    puts: {
      check: object({
        safe: { ...text, pattern: "^[a-z]+$" },
        slow: { ...text, pattern: "^(a+)+$" },
        foreign: { ...text, pattern: "(?i)^x$" },
        java: { ...text, pattern: "^\\p{Alpha}+\\z" },
        posix: { ...text, pattern: "^[[:alpha:]]$" },
        slash: { ...text, pattern: "^/[*]$" },
        literal: { ...text, pattern: "/^[0-9]+$/i" }
      })
    },
    calls: [
      {
        body: { safe: "a", slow: "b", foreign: "c", java: "d", posix: "e", slash: "/*", literal: "1" },
        reads: { safe: "A", slow: "b", foreign: "c" }
      },
      { body: { safe: "A" }, invalid: "payload.safe" }
    ]
  },
  "pages of OData, and others whose names have dots": {
    operations: {
      ...get("odata", [], ok(object({ value: list(text), "@odata.nextLink": text }, ["value"]))),
      "GET /own": {
        operationId: "own",
        parameters: [query("at", text)],
        responses: ok(object({ "all.of": list(text), meta: object({ "next.at": text, "has.more": boolean }) })),
        "x-pagination": { _tag: "Cursor", query: "at", items: "all.of", next: "meta.next.at", more: "meta.has.more" }
      }
    },
    calls: [{ id: "odata", reads: { value: ["a"], "@odata.nextLink": "/odata?page=2" } }]
  },
  "several successes": {
    operations: {
      "POST /start": { operationId: "start", responses: { ...ok(object({ a: text })), "202": empty, "303": empty } }
    },
    calls: [
      { reply: { body: { a: "1" } }, value: { status: 200, value: { a: "1" } } },
      { reply: { status: 202 }, value: { status: 202, value: undefined } }
    ]
  },
  "no success from 200 to 299: the default, unless refusals have its schema, or a redirect": {
    version: "3.0.3",
    operations: {
      ...get("rest", [], { default: having(object({ a: text })) }),
      "PUT /rest": { operationId: "refusal", responses: { default: having(ref("Problem")) } },
      "POST /rest": { operationId: "both", responses: { "201": empty, default: having(ref("Problem")) } },
      ...get("away", [], { "302": empty, "303": empty, "304": empty, default: empty }),
      "PUT /away": { operationId: "done", responses: { "404": empty, default: empty } },
      "POST /away": { operationId: "moved", responses: { "302": empty, default: having(ref("Missing")) } },
      ...get("broken", [], { ...none, "404": { $ref: "#/components/responses/None" } }),
      ...get("upgrade", [], { "101": empty, "404": empty })
    },
    paths: { "/referred": { $ref: "#/components/pathItems/Referred" } },
    components: {
      schemas: { Problem: object({ message: text }), Missing: object({ message: text }) },
      responses: { Missing: having(ref("Missing")) },
      pathItems: { Referred: { get: { $ref: "#/components/x-operations/referred" } } },
      "x-operations": {
        referred: { operationId: "referred", responses: { ...none, "404": { $ref: "#/components/responses/Missing" } } }
      }
    },
    omitted: { broken: "reference" },
    calls: [
      { id: "refusal", reply: { body: { message: "x" } }, value: undefined },
      { id: "refusal", ...refused(409, { message: "x" }, "OtherRefusalProblem", "x") },
      { id: "upgrade", reply: { body: [1] }, value: undefined },
      { id: "rest", reply: { status: 201, body: { a: "1" } }, value: { a: "1" } },
      { id: "rest", reply: { status: 409, body: { error: "x" } }, refusal: { _tag: "OtherRefusal", message: "x" } },
      { id: "both", ...refused(409, { message: "x" }, "OtherRefusalProblem", "x") },
      { id: "away", reply: { status: 302, headers: { location: "/b" } }, value: "/b" },
      { id: "away", reply: { status: 303, headers: { location: "/b" } }, value: "/b" },
      { id: "moved", reply: { status: 302, headers: { location: "/b" } }, value: "/b" },
      { id: "done", reply: { body: [1] } }
    ]
  },
  "no responses, as 3.1 allows": {
    operations: {
      "GET /none": { operationId: "none", responses: undefined },
      "DELETE /none": { operationId: "extended", responses: { "x-by": "hand" } }
    },
    calls: [
      { id: "none", reply: { body: { a: 1 } }, value: undefined },
      { id: "extended", reply: { status: 500 }, refusal: { _tag: "UnexpectedStatus", message: expect.anything() } }
    ]
  },
  "refusals by status, range and default, with their bodies": {
    operations: {
      ...get("f", [], {
        ...none,
        "404": { $ref: "#/components/responses/Missing" },
        "4XX": having(object({ title: text, code: known("a", "b") }), "application/problem+json"),
        "410": empty,
        "423": having(object({ errorMessages: list(text), errors: object({}) })),
        "425": either({ "application/json": {}, "text/html": text }),
        "422": having(object({ message: list(text), error: text })),
        default: having(object({ error: object({ message: text }) }))
      }),
      "HEAD /f": {
        operationId: "peek",
        responses: { ...none, "206": empty, "404": { $ref: "#/components/responses/Missing" } }
      }
    },
    components: { responses: { Missing: having(object({ id: text, message: text }, ["message"])) } },
    calls: [
      { id: "f", ...refused(404, { id: "x", message: "no such f" }, "NotFound", "no such f", true) },
      { id: "peek", reply: { status: 404 }, refusal: { _tag: "FPeekNotFound", message: "HTTP 404" } },
      { id: "f", ...refused(410, "gone for good", "Gone", "gone for good") },
      { id: "f", ...refused(423, { errorMessages: ["it is locked"], errors: {} }, "Locked", "it is locked") },
      { id: "f", ...refused(409, { title: "taken", code: "new" }, "ClientRefusal", "taken") },
      {
        id: "f",
        reply: { status: 425, type: "text/html", body: "<p>too early</p>" },
        refusal: { _tag: "UnexpectedStatus", message: expect.stringContaining("begins: <p>") }
      },
      { id: "f", ...refused(502, { error: { message: "down" } }, "OtherRefusal", "down") }
    ]
  },
  "forms, multipart forms, text and bytes": {
    operations: {
      ...send(
        "POST",
        "form",
        form(
          object({
            a: text,
            n: integer,
            unset: { anyOf: [integer, known("")] },
            list: list(text),
            o: object({ x: text }),
            lines: list(object({ sku: text })),
            named: ref("Names")
          }),
          { encoding: { o: { style: "deepObject", explode: true }, lines: { style: "deepObject", explode: true } } }
        )
      ),
      ...send(
        "POST",
        "token",
        form({
          oneOf: [
            object({ type: { const: "code" }, code: text }, ["type", "code"]),
            object({ type: { const: "password" }, scopes: list(text) }, ["type"])
          ]
        })
      ),
      ...send("POST", "whole", form(text)),
      ...send("POST", "text", body(text, "text/plain"), ok(text, "text/csv")),
      ...send(
        "POST",
        "multi",
        parts(
          object({
            a: text,
            o: object({ x: integer }),
            file: { ...text, contentMediaType: "image/png" },
            either: { anyOf: [binary, { type: "null" }] },
            part: {},
            list: list(object({ x: text })),
            note: text,
            mixed: { oneOf: [object({ x: text }), text] },
            none: list(text)
          }),
          {
            encoding: {
              part: { contentType: "text/html" },
              note: { contentType: "text/markdown" },
              list: { contentType: "application/vnd.list+json" }
            }
          }
        )
      )
    },
    schemas: { Names: list(text) },
    calls: [
      {
        id: "form",
        body: { a: "ä&", n: "1", list: ["x", "y"], o: { x: "z" } },
        text: "a=%C3%A4%26&n=1&list=x&list=y&o%5Bx%5D=z",
        sentHeaders: { "content-type": "application/x-www-form-urlencoded" }
      },
      {
        id: "form",
        body: { unset: "", lines: [{ sku: "a" }, { sku: "b" }] },
        text: "unset=&lines%5B0%5D%5Bsku%5D=a&lines%5B1%5D%5Bsku%5D=b"
      },
      { id: "form", body: { named: ["x", "y"] }, text: "named=x&named=y" },
      { id: "token", body: { type: "password", scopes: ["a", "b"] }, text: "type=password&scopes=a&scopes=b" },
      { id: "token", body: { type: "other" }, invalid: "payload.type" },
      { id: "text", body: "hello", text: "hello", reply: { type: "text/csv", body: "a,b" }, value: "a,b" },
      {
        id: "whole",
        body: "a=1&b=2",
        text: "a=1&b=2",
        sentHeaders: { "content-type": "application/x-www-form-urlencoded" }
      },
      {
        id: "multi",
        body: {
          a: "1",
          o: '{"x":2}',
          file: new Blob(["bytes"]),
          part: "any",
          mixed: "a text",
          list: ['{"x":"y"}'],
          note: "ä",
          none: ["z"]
        },
        parts: [
          'form-data; name="a"\r\n\r\n1\r\n',
          'form-data; name="o"\r\ncontent-type: application/json\r\n\r\n{"x":2}\r\n',
          'form-data; name="file"; filename="blob"\r\ncontent-type: application/octet-stream\r\n\r\nbytes\r\n',
          'form-data; name="list"\r\ncontent-type: application/vnd.list+json\r\n\r\n{"x":"y"}\r\n',
          'form-data; name="note"\r\ncontent-type: text/markdown\r\n\r\nä\r\n',
          'form-data; name="part"\r\ncontent-type: text/html\r\n\r\nany\r\n',
          'form-data; name="mixed"\r\n\r\na text\r\n',
          'form-data; name="none"\r\n\r\nz\r\n'
        ]
      }
    ]
  },
  "JSON or events of one status, as a field of the request says": {
    operations: send("POST", "chat", body(object({ stream: boolean })), {
      "200": either({ "application/json": object({ text }), "text/event-stream": object({ part: text }) })
    }),
    calls: [
      {
        body: { stream: false },
        text: '{"stream":false}',
        sentHeaders: { accept: "application/json, text/event-stream" },
        reply: { type: "application/json", body: '{"text":"a"}' },
        value: { status: 200, value: { text: "a" } }
      }
    ]
  },
  "texts or lists, texts or objects, and objects of which a value can be several, in forms and behind references": {
    operations: {
      ...send("POST", "form", form(object({ ids: ref("Ids"), any: ref("TextOrObject") }))),
      ...send(
        "POST",
        "parts",
        parts(object({ ids: ref("Ids"), files: ref("Files"), both: ref("Both"), logo: ref("Logo") }), {
          encoding: { logo: { contentType: "image/png" } }
        })
      ),
      ...get("deep", [query("both", ref("Both"), { style: "deepObject" })]),
      ...get("lists", [
        query("any", list(ref("TextOrObject"))),
        query("lists", list({ anyOf: [integer, list(integer)] }))
      ])
    },
    schemas: {
      Ids: { anyOf: [integer, list(integer), { type: "null" }] },
      TextOrObject: { oneOf: [text, object({ a: text }), object({ b: text })] },
      Files: { oneOf: [binary, list(binary)] },
      Both: { anyOf: [object({ a: integer }), object({ b: integer })] },
      Logo: { oneOf: [{ ...text, pattern: "^a" }, list({ ...text, pattern: "^b" })] }
    },
    calls: [
      { id: "form", body: { ids: 3, any: "c" }, text: "ids=3&any=c" },
      { id: "form", body: { ids: [3, 4], any: { b: "c" } }, text: "ids=3&ids=4&any=%7B%22b%22%3A%22c%22%7D" },
      {
        id: "parts",
        body: { ids: [3, 4], files: new Blob(["f"]), both: { a: 1, b: 2 } },
        parts: ['name="ids"\r\n\r\n3\r\n', 'name="files"; filename', 'json\r\n\r\n{"a":1,"b":2}']
      },
      { id: "parts", body: { files: [new Blob(["f"]), new Blob(["g"])] }, parts: ["\r\n\r\nf\r\n", "\r\n\r\ng\r\n"] },
      { id: "parts", body: { logo: new Blob(["f"]) }, parts: ["content-type: image/png\r\n\r\nf"] },
      { id: "deep", query: { both: { a: 1, b: 2 } }, target: "/deep?both%5Ba%5D=1&both%5Bb%5D=2" },
      { id: "lists", query: { any: ["c", { a: "d" }] }, target: "/lists?any=c&any=%7B%22a%22%3A%22d%22%7D" },
      { id: "lists", query: { lists: [1, [2, 3]] }, target: "/lists?lists=1&lists=%5B2%2C3%5D" }
    ]
  },
  "the media types of parts, which a file can have itself": {
    operations: send(
      "POST",
      "parts",
      parts(object({ about: object({ a: integer }), file: binary, id: text }), {
        encoding: {
          about: { contentType: "application/json; charset=utf-8" },
          file: { contentType: "application/pdf" },
          id: { contentType: "text/plain" }
        }
      })
    ),
    calls: [
      {
        body: { about: { a: 1 }, file: new Blob(["%PDF"]), id: "7" },
        parts: [
          'name="about"\r\ncontent-type: application/json; charset=utf-8\r\n\r\n{"a":1}',
          "content-type: application/pdf\r\n\r\n%PDF",
          'name="id"\r\ncontent-type: text/plain\r\n\r\n7'
        ]
      },
      { body: { file: new Blob(["a"], { type: "text/x-a" }) }, parts: ["content-type: text/x-a\r\n\r\na"] }
    ]
  },
  "several contents: those that say something else, and one of those that say the same": {
    operations: {
      ...send(
        "PUT",
        "either",
        contents({
          "application/json": object({ url: text }),
          "multipart/form-data": object({ file: binary }),
          "image/png": binary,
          "application/xml": object({ url: text })
        })
      ),
      ...send("POST", "same", {
        required: true,
        content: Object.fromEntries(
          ["text/json", "application/json", "application/x-www-form-urlencoded", "application/*+json"].map((type) => [
            type,
            { schema: object({ url: text }) }
          ])
        )
      }),
      ...send("DELETE", "range", {
        content: { "*/*": { schema: binary }, "application/vnd.a+json": { schema: object({ url: text }) } }
      }),
      ...send("PATCH", "patches", contents({ "application/json-patch+json": {}, "application/merge-patch+json": {} }))
    },
    calls: [
      { id: "either", ...chosen("application/json", { url: "a" }) },
      { id: "either", ...chosen("image/png", Uint8Array.of(97)), text: "a" },
      { id: "either", body: { contentType: "application/xml", value: "<a/>" }, invalid: "payload.contentType" },
      { id: "same", body: { url: "a" } },
      { id: "patches", ...chosen("application/json-patch+json", []) }
    ]
  },
  "files beside JSON and forms, which would write them as text": {
    operations: {
      ...Object.fromEntries(
        ["Avatar", "Gallery", "Raw", "Extended", "Either", "Named", "Tree"].map((name) => [
          `POST /${name}`,
          { operationId: name, requestBody: { required: true, content: offering(ref(name), ref(name)) } }
        ])
      ),
      ...send(
        "POST",
        "form",
        contents({ "application/x-www-form-urlencoded": ref("Note"), "multipart/form-data": ref("Avatar") })
      ),
      ...send("POST", "other", {
        required: true,
        content: offering(object({ photo: ref("File"), at: text }), ref("Avatar"))
      }),
      ...send("POST", "encoded", {
        required: true,
        content: {
          "application/json": { schema: ref("Note") },
          "multipart/form-data": { schema: ref("Note"), encoding: { note: { contentType: "image/png" } } }
        }
      }),
      ...send("POST", "plain", { required: true, content: offering(ref("Note"), ref("Note")) }),
      ...send("POST", "nested", {
        required: true,
        content: offering(object({ of: ref("Avatar") }), object({ of: ref("Avatar") }))
      }),
      ...send("POST", "mixed", contents({ "application/json": ref("Avatar"), "multipart/mixed": ref("Avatar") })),
      ...send("POST", "free", parts(object({ file: { contentMediaType: "image/png" }, files: list({}) })))
    },
    schemas: {
      File: binary,
      Avatar: object({ file: ref("File"), name: text }, ["file"]),
      Gallery: object({ files: list(ref("File")) }),
      Raw: object({ file: { contentMediaType: "application/octet-stream" } }),
      Extended: { allOf: [ref("Note"), object({ inner: { oneOf: [ref("File"), { type: "null" }] } })] },
      Either: { oneOf: [ref("Note"), ref("Avatar")] },
      Named: map(ref("File")),
      Tree: { ...object({ trees: list(ref("Tree")), file: ref("File"), id: { ...ref("File"), readOnly: true } }) },
      Note: object({ note: text }, ["note"])
    },
    calls: [
      { id: "Avatar", body: { file: new Blob(["a"]), name: "b" }, parts: ['name="file"; filename="blob"'] },
      { id: "Gallery", body: { files: [new Blob(["a"]), new Blob(["b"])] }, parts: ["\r\n\r\na\r\n", "\r\n\r\nb\r\n"] },
      ...["Raw", "Tree"].map((id) => ({ id, ...sendsFile })),
      { id: "Extended", body: { note: "a", inner: new Blob(["a"]) }, parts: ['name="inner"; filename="blob"'] },
      { id: "Either", ...sendsFile },
      { id: "Named", body: { any: new Blob(["a"]) }, parts: ['name="any"; filename="blob"'] },
      {
        id: "form",
        body: { contentType: "multipart/form-data", value: { file: new Blob(["a"]) } },
        parts: ['name="file"; filename="blob"']
      },
      { id: "other", ...sendsFile },
      { id: "encoded", body: { note: new Blob(["a"]) }, parts: ["content-type: image/png"] },
      { id: "plain", body: { note: "a" } },
      { id: "nested", body: { of: { file: "a" } } },
      { id: "mixed", body: { file: "a" } },
      { id: "free", body: { file: new Blob(["a"]), files: [new Blob(["b"]), "c"] }, parts: ["\r\n\r\nb\r\n"] }
    ]
  },
  "bytes whose schema is a text": {
    version: "3.0.3",
    operations: Object.fromEntries(
      ofBytes.map((type, i) => [
        `PUT /${i}`,
        { operationId: type, requestBody: body(i % 2 === 0 ? text : ref("Text"), type), responses: ok(text, type) }
      ])
    ),
    schemas: { Text: text },
    calls: ofBytes.map((id) => ({
      id,
      ...sendsBytes,
      sentHeaders: { "content-type": id, accept: id },
      ...readsBytes(id)
    }))
  },
  "a kind of content behind references": {
    operations: {
      ...send("PUT", "any", body(ref("File"), "*/*"), ok(ref("File"), "*/*")),
      ...send("PUT", "csv", body(ref("Alias"), "text/csv"), ok(ref("All"), "text/csv")),
      ...send("PUT", "note", body(ref("Note"), "*/*")),
      ...send("PUT", "image", body(ref("File"), "image/*")),
      ...send("PUT", "choice", contents({ "application/json": ref("Note"), "text/plain": ref("Note") })),
      ...send("PUT", "parts", body(object({ file: ref("File"), note: text }), "multipart/*")),
      ...send(
        "PUT",
        "part",
        parts(object({ file: ref("Note") }), { encoding: { file: { contentType: "image/png, image/jpeg" } } })
      ),
      ...send(
        "PUT",
        "plain",
        parts(object({ file: { ...text, contentEncoding: "binary" } })),
        ok({ ...text, contentEncoding: "binary" }, "image/png")
      ),
      ...send(
        "PUT",
        "encoded",
        body({ ...text, contentEncoding: "base64" }, "image/png"),
        ok({ ...text, contentEncoding: "8bit" }, "application/pdf")
      )
    },
    schemas: {
      File: binary,
      Alias: ref("File"),
      All: { allOf: [ref("Alias"), { description: "a file" }] },
      Note: { anyOf: [text, { type: "null" }] }
    },
    calls: [
      { id: "image", ...chosen("image/webp", Uint8Array.of(97)), text: "a" },
      { id: "parts", body: { note: "a" }, parts: ['name="note"\r\n\r\na\r\n'] },
      { id: "any", ...sendsBytes, ...readsBytes("application/zip") },
      { id: "csv", ...sendsBytes, sentHeaders: { "content-type": "text/csv" }, ...readsBytes("text/csv") },
      { id: "note", body: "a", text: "a", sentHeaders: { "content-type": "text/plain" } },
      { id: "choice", body: "a", text: "a", sentHeaders: { "content-type": "text/plain" } },
      { id: "part", ...sendsFile },
      { id: "plain", ...sendsFile, ...readsBytes("image/png") },
      { id: "encoded", body: "/w==", text: "/w==", ...readsBytes("application/pdf") }
    ]
  },
  "parameters of media types, and kinds of JSON in capitals": {
    operations: {
      ...send(
        "PUT",
        "versions",
        contents({
          "application/json;v=1.0": object({ a: text }, ["a"]),
          "Application/JSON; v=2.0": object({ b: text }, ["b"])
        }),
        ok(object({ n: integer }), "application/json;v=2.0")
      ),
      ...send(
        "PUT",
        "text",
        body(text, "text/plain; charset=utf-8; format=flowed"),
        ok(text, 'text/csv; header="present"')
      ),
      ...send(
        "PUT",
        "same",
        contents({ "application/json": object({ a: text }), "application/json;odata=full": object({ a: text }) })
      ),
      ...get("watch", [], ok(object({ n: integer }), "application/json;stream=watch")),
      ...get("kind", [], ok(object({ a: text }), "Application/Vnd.Acme.V1+JSON; charset=utf-8"))
    },
    calls: [
      {
        id: "versions",
        body: { contentType: "application/json;v=1.0", value: { a: "1" } },
        sent: { a: "1" },
        sentHeaders: { "content-type": "application/json;v=1.0", accept: "application/json;v=2.0" },
        reply: { type: "application/json; v=2.0", body: { n: 1 } },
        value: { n: 1 }
      },
      { id: "versions", ...chosen("application/json; v=2.0", { b: "1" }), reads: { n: 1 } },
      {
        id: "text",
        body: "a",
        text: "a",
        sentHeaders: { "content-type": "text/plain; format=flowed", accept: 'text/csv; header="present"' },
        reply: { type: "text/csv", body: "a,b" },
        value: "a,b"
      },
      { id: "same", body: { a: "1" }, sentHeaders: { "content-type": "application/json" } },
      {
        id: "watch",
        sentHeaders: { accept: "application/json;stream=watch" },
        reply: { type: "application/json", body: { n: 1 } },
        items: [{ n: 1 }]
      },
      {
        id: "kind",
        sentHeaders: { accept: "application/vnd.acme.v1+json" },
        reply: { type: "application/vnd.acme.v1+json", body: { a: "2" } },
        value: { a: "2" }
      }
    ]
  },
  "what looks like an envelope": {
    operations: {
      ...get("optional", [], ok(object({ status: integer, requestId: text, result: text }))),
      ...get("id", [], ok(object({ requestId: text }, ["requestId"]))),
      ...get("mixed", [], {
        "200": having(object({ status: integer, requestId: text, result: text }, ["requestId"])),
        "201": having(object({ requestId: text }))
      }),
      ...get("envelope", [], ok(object({ status: integer, requestId: text, result: text }, ["status", "result"])))
    },
    calls: [
      { id: "optional", reads: { result: "a" } },
      { id: "optional", reads: {} },
      { id: "id", reads: { requestId: "a" } },
      {
        id: "mixed",
        reply: { body: { requestId: "a", result: "b" } },
        value: { status: 200, value: { requestId: "a", result: "b" } }
      },
      { id: "envelope", reads: { status: 200, requestId: "a", result: "b" } }
    ]
  },
  "an error with several contents": {
    operations: get("several", [], {
      ...none,
      "404": either({
        "application/problem+json": object({ title: text, detail: text }),
        "application/json": { oneOf: [object({ error: text, n: int64 }, ["error"]), list(text)] },
        "text/plain": text
      })
    }),
    calls: [
      {
        reply: { status: 404, type: "application/problem+json", body: { title: "a", later: 1 } },
        refusal: { _tag: "NotFound", message: "a", body: { title: "a" } }
      },
      refused(404, { error: "b" }, "NotFound", "b", true),
      refused(404, "12", "NotFound", "12", true),
      {
        reply: { status: 404, type: "text/html", body: "gone" },
        refusal: { _tag: "UnexpectedStatus", message: "the body begins: gone" }
      }
    ]
  },
  "errors of any JSON": {
    operations: get("any", [], {
      ...none,
      "400": having({}),
      "404": having(map({})),
      "409": either({ "application/json": {} }),
      "500": having({ type: "object" })
    }),
    calls: [
      ...[400, 404, 409, 500].map((status) => ({
        reply: { status, body: { code: "E", message: "no" } },
        refusal: {
          _tag: String({ 400: "BadRequest", 404: "NotFound", 409: "Conflict", 500: "InternalError" }[status]),
          message: "no",
          body: { code: "E", message: "no" },
          status
        }
      })),
      { ...refused(404, "<h1>Not Found</h1>", "UnexpectedStatus", "the body begins: <h1>Not Found</h1>") }
    ]
  },
  "fields of a query and of forms beside those that are described": {
    operations: {
      "POST /form": {
        operationId: "form",
        parameters: [
          query(
            "deep",
            { ...object({ a: integer }), additionalProperties: true },
            { style: "deepObject", explode: true }
          )
        ],
        requestBody: form({ ...object({ a: integer, list: list(text) }, ["a"]), additionalProperties: true })
      },
      ...send("POST", "parts", parts({ ...object({ a: integer }), additionalProperties: binary })),
      ...send("POST", "map", form(map(list(integer)))),
      ...send("POST", "any", parts({})),
      ...send("POST", "closed", form({ ...object({ a: text }), additionalProperties: false }))
    },
    calls: [
      {
        id: "form",
        query: { deep: { a: 1, "x y": true } },
        target: "/form?deep%5Ba%5D=1&deep%5Bx%20y%5D=true",
        body: { a: "1", list: ["x"], more: ["y", 2], o: { b: 1 } },
        text: "a=1&list=x&more=y&more=2&o=%7B%22b%22%3A1%7D"
      },
      {
        id: "parts",
        body: { a: "1", b: new Blob(["x"]), c: 3 },
        parts: ['name="a"\r\n\r\n1\r\n', 'name="b"; filename="blob"', 'name="c"\r\n\r\n3\r\n']
      },
      { id: "map", body: { ids: [1, 2] }, text: "ids=1&ids=2" },
      { id: "any", ...sendsFile },
      { id: "closed", body: { a: "1", b: "2" }, invalid: "payload.b" }
    ]
  },
  "queries with objects spread in them, lists of objects in forms, and pages whose next is always a text": {
    operations: {
      ...get("events", [
        query("by", { type: "object", oneOf: [object({ id: text }, ["id"]), object({ email: text }, ["email"])] }),
        query("made", object({ since: text, $or: list(text) })),
        query("sent", object({ until: text, since: text })),
        query("$or", list(text))
      ]),
      ...send("POST", "files", parts(object({ formats: ref("Formats"), own: list(object({ a: integer })) }))),
      ...get(
        "pages",
        [query("cursor", text)],
        ok(object({ next_cursor: text, data: list(text) }, ["next_cursor", "data"]))
      )
    },
    schemas: {
      Formats: list(by("kind", { oneOf: [ref("A"), ref("B")] })),
      A: object({ kind: text, a: text }),
      B: { allOf: [object({ b: text }), object({ kind: { ...text, default: "B" } })] }
    },
    calls: [
      { id: "events", query: { by: { email: "a" }, made: { since: "1" } }, target: "/events?email=a&since=1" },
      {
        id: "files",
        body: { formats: [{ a: "1" }, { b: "2" }], own: [{ a: 3 }] },
        parts: ["formats", "formats", "own"].map((name, i) =>
          [`; name="${name}"`, "content-type: application/json", "", ['{"a":"1"}', '{"b":"2"}', '{"a":3}'][i]].join(
            "\r\n"
          )
        )
      }
    ]
  },
  "known values that a path cannot have": {
    operations: { "GET /{kind}": { operationId: "kinds", parameters: [path("kind", { enum: ["a", "", ".", ".."] })] } },
    calls: [
      { params: { kind: "a" }, target: "/a" },
      { params: { kind: "" }, invalid: "kind" }
    ]
  },
  "a map that is spread in a query, before what others have": {
    operations: get("logs", [
      query("labels", map(text)),
      query("many", list(text)),
      query("flat", object({ a: text, b: integer }), { explode: false }),
      query("deep", object({ a: text }), { style: "deepObject" }),
      query("page", object({ size: integer }))
    ]),
    calls: [
      {
        query: { labels: { x: "1" }, many: ["2"], flat: { a: "3", b: 4 }, deep: { a: "5" }, page: { size: 6 } },
        target: "/logs?many=2&x=1&flat=a,3,b,4&deep%5Ba%5D=5&size=6"
      }
    ]
  },
  "pages that go on after the ID of the last item": {
    operations: Object.fromEntries(
      [text, uuid, integer].map((id, i) => [
        `GET /${i}`,
        {
          operationId: `after ${i}`,
          parameters: [query("starting_after", id), query("limit", integer)],
          responses: ok(object({ data: list(object({ id }, ["id"])), has_more: boolean }, ["data", "has_more"]))
        }
      ])
    ),
    calls: [
      {
        id: "after 0",
        query: { starting_after: "a", limit: 2 },
        target: "/0?starting_after=a&limit=2",
        reads: { data: [{ id: "b" }], has_more: true }
      }
    ]
  },
  "streams of events and of lines": {
    version: "3.2.0",
    operations: {
      ...get("events", [], ok(object({ n: integer }), "text/event-stream")),
      ...get(
        "described",
        [],
        ok(
          object({ event: text, data: { ...text, contentSchema: object({ n: integer }) } }),
          "text/event-stream",
          "itemSchema"
        )
      ),
      ...get("kinds", [], ok(ref("Event"), "text/event-stream", "itemSchema")),
      ...get("last", [], ok(ref("Event"))),
      ...get("lines", [], ok(list(object({ n: integer, event: text, data: text })), "application/jsonl")),
      ...get("sequence", [], ok(object({ n: integer }), "application/geo+json-seq", "itemSchema")),
      ...get("wrapped", [], ok({ allOf: [ref("Numbers")], type: ["array", "null"] }, "application/jsonl")),
      ...get("either", [], {
        "200": either({ "text/event-stream": object({ n: integer }), "application/json": list(integer) })
      })
    },
    schemas: {
      Numbers: list(object({ n: integer })),
      Event: {
        oneOf: [
          object({ event: { const: "n" }, data: { ...text, contentSchema: object({ n: integer }) } }),
          object({ event: { const: "t" }, data: { ...text, contentSchema: object({ t: text }) } })
        ]
      }
    },
    calls: [
      { id: "last", reads: { event: "t", data: "{}" } },
      { id: "either", reply: { body: [1] }, value: { status: 200, value: [1] } },
      {
        id: "events",
        reply: { type: "text/event-stream", body: 'event: a\ndata: {"n":1}\n\ndata: {"n":2}\n\n' },
        items: [{ event: "a", data: { n: 1 } }, { data: { n: 2 } }]
      },
      { id: "described", reply: { type: "text/event-stream", body: 'data: {"n":1}\n\n' }, items: [{ data: { n: 1 } }] },
      {
        id: "kinds",
        reply: { type: "text/event-stream", body: 'event: t\ndata: {"t":"a"}\n\n' },
        items: [{ event: "t", data: { t: "a" } }]
      },
      {
        id: "lines",
        sentHeaders: { accept: "application/jsonl" },
        reply: { type: "application/jsonl", body: '{"n":1,"event":"a","data":"b"}\n{"n":2}\n' },
        items: [{ n: 1, event: "a", data: "b" }, { n: 2 }]
      },
      {
        id: "sequence",
        sentHeaders: { accept: "application/geo+json-seq" },
        reply: { type: "application/geo+json-seq", body: '\x1e{\n"n":1}\n\x1e{"n":2}\n' },
        items: [{ n: 1 }, { n: 2 }]
      },
      { id: "wrapped", reply: { type: "application/jsonl", body: '{"n":1}\n' }, items: [{ n: 1 }] }
    ]
  },
  "an idempotency key is the caller's, or one of the form that the document asks for": {
    operations: {
      ...at("POST /pay", "pay", [header("Idempotency-Key", { ...text, maxLength: 255 }, { required: true })]),
      "POST /uuid": { operationId: "uuid", parameters: [header("X-Idempotency-Key", uuid)] },
      "POST /named": { operationId: "named", parameters: [header("Idempotency-Key", ref("Key"), { required: true })] },
      ...at("POST /known", "known", [header("Idempotency-Key", ref("Known"), { required: true })]),
      "POST /hex": { operationId: "hex", parameters: [header("Idempotence-Key", { ...text, maxLength: 32 })] },
      ...at("POST /pattern", "pattern", [
        header("Idempotency-Key", { ...text, pattern: "^[0-9a-f]{16,64}$" }, { required: true })
      ]),
      ...at("POST /ulid", "ulid", [header("Idempotency-Key", { ...text, format: "ulid" }, { required: true })]),
      "POST /number": { operationId: "number", parameters: [header("Idempotency-Key", integer)] },
      "GET /pay": { operationId: "read", parameters: [header("Idempotency-Key", text)] }
    },
    schemas: { Key: uuid, Known: { enum: ["a", "b"], ...text } },
    calls: [
      { id: "pay", target: "/pay", sentHeaders: { "idempotency-key": expect.stringMatching(/^[\da-f-]{36}$/) } },
      { id: "pay", headers: { "Idempotency-Key": "mine" }, sentHeaders: { "idempotency-key": "mine" } },
      { id: "uuid", sentHeaders: { "x-idempotency-key": expect.stringMatching(/^[\da-f-]{36}$/) } },
      { id: "hex", sentHeaders: { "idempotence-key": expect.stringMatching(/^[\da-f]{32}$/) } },
      { id: "pattern", sentHeaders: { "idempotency-key": expect.stringMatching(/^[\da-f]{32}$/) } },
      { id: "named", sentHeaders: { "idempotency-key": expect.stringMatching(/^[0-9a-f-]{36}$/) } },
      { id: "known", invalid: "headers.Idempotency-Key" },
      { id: "ulid", invalid: "headers.Idempotency-Key" },
      { id: "ulid", headers: { "Idempotency-Key": "01H" }, sentHeaders: { "idempotency-key": "01H" } },
      { id: "number", sentHeaders: { "idempotency-key": undefined } },
      { id: "read", sentHeaders: { "idempotency-key": undefined } }
    ]
  },
  "a date-time beside objects, which could be one of them": {
    puts: {
      times: object({
        any: { oneOf: [{ type: "object" }, ref("Time")] },
        map: { anyOf: [map(integer), object({ a: text }), ref("Time")] },
        deep: { anyOf: [map(integer), ref("TimeOrBoolean")] }
      })
    },
    operations: { ...send("POST", "parts", parts(object({ at: { oneOf: [map(integer), ref("Time")] } }))) },
    schemas: { Time: dateTime, TimeOrBoolean: { oneOf: [boolean, dateTime] } },
    calls: [
      {
        id: "times",
        body: { any: "2026-01-02T03:04:05.006Z", map: "2026-01-02T03:04:05.006Z", deep: "2026-01-02T03:04:05.006Z" },
        reads: { any: { a: 1 }, map: { a: "b" }, deep: { a: 1 } }
      },
      { id: "parts", body: { at: "2026-01-02T03:04:05.006Z" }, parts: ["\r\n\r\n2026-01-02T03:04:05.006Z\r\n"] }
    ]
  },
  "a date-time or a date: each stays as it is": {
    puts: { when: object({ at: { anyOf: [dateTime, { ...text, format: "date" }] } }) },
    calls: [{ body: { at: "2026-01-10" }, reads: { at: "2026-01-10" } }]
  },
  "alternatives that only require what is described nowhere, and formats that patterns or lengths contradict": {
    version: "3.0.3",
    puts: {
      nested: {
        oneOf: [
          {
            ...object({ a: text, b: text }),
            anyOf: [
              { title: "a", required: ["a"] },
              { title: "b", required: ["b"] }
            ]
          },
          object({ c: text }, ["c"])
        ]
      },
      send: {
        ...object(
          {
            kind: text,
            name: { ...text, format: "regex", pattern: "^[a-z]+ [a-z]+$" },
            at: { ...text, format: "date-time", pattern: "^.*:[0-9]{2}Z$" },
            since: { ...text, format: "date-time", pattern: "YYYY-MM-DDThh:mm:ssZ" },
            value: { type: "object", oneOf: [text, integer] },
            role: { allOf: [known("a", "b"), known("c")] },
            id: { ...text, format: "uuid", maxLength: 24 },
            page: { ...text, enum: ["a long value"], maxLength: 5 },
            old: { ...text, pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$" },
            size: { ...integer, format: "int64", minimum: 5_000 }
          },
          ["size"]
        ),
        anyOf: [
          { title: "text", required: ["kind"] },
          { title: "parts", required: ["parts"] }
        ]
      }
    },
    calls: [{ id: "send", body: { parts: [1], name: "a b", size: 5_000 }, reply: { body: { size: 1 } } }]
  },
  "enums, dates and types that contradict themselves": {
    version: "3.0.3",
    puts: { odd: object({ e: known(1, 2), anything: {}, never: { type: "string", allOf: [integer] } }) },
    calls: [{ body: { e: 1, anything: { a: [1] } }, reads: { e: 2, anything: null } }]
  },
  "enums without values, which say nothing": {
    puts: { odd: object({ e: known(), n: { type: ["integer", "null"], enum: [] } }, ["e", "n"]) },
    calls: [
      { body: { e: "a", n: null }, reads: { e: "b", n: 1 } },
      { body: { e: 1, n: 1 }, invalid: "payload.e" }
    ]
  },
  "a refusal whose example has nothing in it: nobody knows who sent it": {
    operations: {
      ...get("odd", [], {
        ...none,
        "400": { description: "", content: { "application/json": { schema: object({ why: text }), example: {} } } }
      })
    },
    calls: [
      { ...refused(400, { why: "a" }, "BadRequest", '{"why":"a"}') },
      { ...refused(400, {}, "UnexpectedStatus", "the body begins: {}") }
    ]
  },
  "alternatives that share a value of the field that could tell them apart": {
    operations: { ...get("odd", [], ok({ anyOf: ["Base", "One", "Two"].map(ref) })) },
    schemas: {
      Base: object({ mode: { enum: ["one", "two"] }, name: text }, ["mode", "name"]),
      One: object({ mode: { enum: ["one"] }, url: text, method: { enum: ["GET", "PUT"] } }, ["mode", "url"]),
      Two: object({ mode: { enum: ["two", "three"] }, format: { enum: ["form", "json"] } }, ["mode"])
    },
    calls: [
      { reads: { mode: "one", name: "a", url: "b", method: "c" } },
      { reads: { mode: "four", format: "a", gone: 1 } }
    ]
  },
  "schemas for which an example is not simply all that they have": {
    version: "3.0.3",
    operations: {
      "PUT /odd": {
        operationId: "put",
        parameters: [query("s", list(text), { style: "spaceDelimited", explode: false })],
        requestBody: body(ref("Odd")),
        responses: ok(ref("Odd"))
      },
      "HEAD /odd": {
        operationId: "peek",
        security: [{ undeclared: [] }],
        responses: { "200": empty, "404": having(ref("Odd")) }
      }
    },
    schemas: {
      Odd: {
        minProperties: 1,
        not: { required: ["url", "id"] },
        ...object({
          url: text,
          id: text,
          colors: { ...list(known("red")), uniqueItems: true },
          sum: ref("Sum"),
          // its outer name is none of the values
          nested: by("kind", { oneOf: [ref("Inner"), ref("C")] }),
          maybe: { anyOf: [ref("C"), { nullable: true }] },
          both: { allOf: [ref("C"), { nullable: true }] }
        })
      },
      // each alternative but one contains another
      Sum: { oneOf: [object({ neg: ref("Sum") }, ["neg"]), text, ref("Product")] },
      Product: object({ of: ref("Sum") }, ["of"]),
      Inner: by("kind", { oneOf: [ref("A"), ref("B")] }),
      A: tagged("A"),
      B: tagged("B"),
      C: tagged("C")
    },
    calls: []
  }
}
