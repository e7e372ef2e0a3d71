/** Single constructs of documents, each with calls: the input, the request that arrives, and what is read of the answer. */
import type { Answer, Input } from "./Wire.ts"

/** One call of one operation. */
export interface Call {
  readonly id: string
  readonly input?: Input
  /** What the server gets. `body` is JSON, `text` the body as it is. */
  readonly send?: {
    readonly target?: string
    readonly method?: string
    readonly headers?: Readonly<Record<string, string | undefined>>
    readonly body?: unknown
    readonly text?: string
    /** What is in the body. */
    readonly parts?: ReadonlyArray<string>
  }
  readonly answer?: Answer
  /** The value of the call. */
  readonly value?: unknown
  /** The parts of the stream that is its value. */
  readonly parts?: ReadonlyArray<unknown>
  /** The reason of its failure. */
  readonly refusal?: {
    readonly _tag: string
    readonly message?: string
    readonly body?: unknown
    readonly status?: number
  }
  /** The path of the input that is not sent. */
  readonly invalid?: string
}

export interface Construct {
  readonly name: string
  readonly document: object
  /** The operations that are refused, by code. */
  readonly refused?: Readonly<Record<string, string>>
  readonly calls: ReadonlyArray<Call>
}

const document = (version: string, paths: object, components: object = {}, rest: object = {}) => ({
  openapi: version,
  info: { title: "One construct", version: "1" },
  paths,
  components,
  ...rest
})
const json = (schema: object) => ({ "application/json": { schema } })
const ok = (schema: object) => ({ "200": { description: "", content: json(schema) } })
const none = { "204": { description: "" } }
const body = (schema: object, required = true) => ({ required, content: json(schema) })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const put = (id: string, schema: object, answer: object = schema) => ({
  [`/${id}`]: { put: { operationId: id, tags: ["T"], requestBody: body(schema), responses: ok(answer) } }
})
const text = { type: "string" }
const object = (properties: object, required: ReadonlyArray<string> = []) => ({ type: "object", properties, required })
const path = (name: string) => ({ in: "path", name, required: true, schema: text })

const kinds = Array.from({ length: 20 }, (_, i) => `K${i}`)
const deep = Array.from({ length: 8 }).reduce<object>((inner) => ({ type: "K19", fields: { inner } }), {
  type: "K18"
})

export const constructs: ReadonlyArray<Construct> = [
  {
    name: "operationIds that are no identifiers, and none",
    document: document("3.1.0", {
      "/jobs/{job-id}": {
        get: { operationId: "jobs/read one", tags: ["jobs"], parameters: [path("job-id")], responses: none },
        delete: { tags: ["jobs"], parameters: [path("job-id")], responses: none }
      }
    }),
    calls: [
      { id: "jobs/read one", input: { params: { jobId: "a/b" } }, send: { target: "/jobs/a%2Fb" } },
      { id: "DELETE /jobs/{job-id}", input: { params: { jobId: "1" } }, send: { method: "DELETE", target: "/jobs/1" } }
    ]
  },
  {
    name: "colons and variables in a segment",
    document: document("3.1.0", {
      "/items/{id}:activate": { post: { operationId: "activate", parameters: [path("id")], responses: none } },
      "/files/{name}.{ext}": { get: { operationId: "file", parameters: [path("name"), path("ext")], responses: none } }
    }),
    calls: [
      { id: "activate", input: { params: { id: "7" } }, send: { target: "/items/7:activate" } },
      { id: "file", input: { params: { name: "a", ext: "txt" } }, send: { target: "/files/a.txt" } }
    ]
  },
  {
    name: "a fragment in a path, which names another operation of the same request",
    document: document("3.1.0", {
      "/shares/{id}": { put: { operationId: "rename", parameters: [path("id")], responses: none } },
      "/shares/{id}#link": { put: { operationId: "link", parameters: [path("id")], responses: none } }
    }),
    calls: [
      { id: "rename", input: { params: { id: "7" } }, send: { method: "PUT", target: "/shares/7" } },
      { id: "link", input: { params: { id: "7" } }, send: { method: "PUT", target: "/shares/7" } }
    ]
  },
  {
    name: "variables in the query of a path, and a parameter that is the credentials",
    document: document(
      "3.0.3",
      {
        "/search/{in}?kind=all&q={text}{&page}": {
          get: {
            operationId: "search",
            security: [{ key: [] }],
            responses: none,
            parameters: [
              path("in"),
              path("text"),
              { in: "query", name: "page", schema: { type: "integer" } },
              { in: "query", name: "api_key", required: true, schema: text }
            ]
          }
        },
        "/fixed?at=12:30&of=a b": { get: { operationId: "fixed", responses: none } },
        "/fixed?q=a{x}": { get: { operationId: "partial", parameters: [path("x")], responses: none } }
      },
      { securitySchemes: { key: { type: "apiKey", in: "query", name: "api_key" } } }
    ),
    refused: { partial: "path" },
    calls: [
      { id: "fixed", send: { target: "/fixed?at=12:30&of=a%20b" } },
      {
        id: "search",
        input: { params: { in: "a" }, query: { q: "b c", page: 2 } },
        send: { target: "/search/a?kind=all&q=b+c&page=2" }
      },
      { id: "search", input: { params: { in: "a" } }, invalid: "query.q" }
    ]
  },
  {
    name: "objects in a path and in headers",
    document: document("3.1.0", {
      "/colors/{c}/{e}": {
        get: {
          operationId: "color",
          responses: none,
          parameters: [
            { ...path("c"), schema: object({ R: { type: "integer" }, G: text }) },
            { ...path("e"), explode: true, schema: object({ R: { type: "integer" }, G: text }) },
            { in: "header", name: "X-C", schema: object({ R: { type: "integer" }, G: text }) },
            { in: "header", name: "X-E", explode: true, schema: { type: "object", additionalProperties: text } }
          ]
        }
      }
    }),
    calls: [
      {
        id: "color",
        input: {
          params: { c: { R: 100, G: "a,b" }, e: { R: 100, G: "c" } },
          headers: { "X-C": { R: 1 }, "X-E": { R: "100", G: "2" } }
        },
        send: { target: "/colors/R,100,G,a%2Cb/R%3D100,G%3Dc", headers: { "x-c": "R,1", "x-e": "R=100,G=2" } }
      }
    ]
  },
  {
    name: "the styles label and matrix",
    document: document("3.1.0", {
      "/styles/{l}/{m}/{list}": {
        get: {
          operationId: "styled",
          responses: none,
          parameters: [
            { ...path("l"), style: "label", explode: true },
            { ...path("m"), style: "matrix", schema: { type: "integer" } },
            { ...path("list"), style: "matrix", schema: { type: "array", items: text } },
            { in: "query", name: "l", schema: text },
            { in: "header", name: "m", schema: text }
          ]
        }
      }
    }),
    calls: [
      {
        id: "styled",
        input: { params: { l: "a", m: 1, list: ["b", "c"] }, query: { l: "d" } },
        send: { target: "/styles/.a/;m=1/;list=b,c?l=d" }
      }
    ]
  },
  {
    name: "an enum of a list, which is one of its items by mistake",
    document: document("3.0.3", {
      "/list": {
        get: {
          operationId: "list",
          responses: none,
          parameters: [{ in: "query", name: "l", schema: { type: "array", items: text, enum: ["a", "b"] } }]
        }
      }
    }),
    calls: [{ id: "list", input: { query: { l: ["a", "b"] } }, send: { target: "/list?l=a&l=b" } }]
  },
  {
    name: "parameters of every type and style, by reference too",
    document: document(
      "3.0.3",
      {
        "/find": {
          get: {
            operationId: "find",
            responses: none,
            parameters: [
              { in: "query", name: "on", schema: ref("Flag") },
              { in: "query", name: "limit", schema: { ...ref("Limit"), nullable: true } },
              { in: "query", name: "big", schema: { type: "integer", format: "int64" } },
              { in: "query", name: "many", schema: { type: "array", items: { type: "integer" } } },
              { in: "query", name: "comma", explode: false, schema: { type: "array", items: text } },
              {
                in: "query",
                name: "pipe",
                style: "pipeDelimited",
                explode: false,
                schema: { type: "array", items: text }
              },
              { in: "query", name: "deep", style: "deepObject", schema: object({ a: text, b: { type: "integer" } }) },
              { in: "query", name: "spread", schema: object({ x: text, y: text }) },
              { in: "query", name: "either", schema: { anyOf: [{ type: "integer" }, text] } },
              { in: "query", name: "filter", content: json(object({ a: { type: "integer" } })) },
              { in: "query", name: "exact", content: json(object({ a: { type: "integer", format: "int64" } })) },
              { in: "query", name: "kind", schema: { type: "integer", enum: [1, 2] } },
              { in: "header", name: "Accept", schema: text },
              { in: "header", name: "Accept-Encoding", required: true, schema: text },
              { in: "header", name: "Content-Length", required: true, schema: text },
              { in: "header", name: "Content-Type", required: true, schema: text },
              { in: "header", name: "X-Trace", schema: { type: "integer" } }
            ]
          }
        }
      },
      { schemas: { Flag: { type: "boolean" }, Limit: { type: "integer" } } }
    ),
    calls: [
      { id: "find", send: { target: "/find" } },
      { id: "find", input: { query: { on: true, limit: 3 } }, send: { target: "/find?on=true&limit=3" } },
      { id: "find", input: { query: { big: 9007199254740993n } }, send: { target: "/find?big=9007199254740993" } },
      { id: "find", input: { query: { many: [1, 2] } }, send: { target: "/find?many=1&many=2" } },
      { id: "find", input: { query: { comma: ["a", "b,c"] } }, send: { target: "/find?comma=a,b%2Cc" } },
      { id: "find", input: { query: { pipe: ["a", "b"] } }, send: { target: "/find?pipe=a%7Cb" } },
      {
        id: "find",
        input: { query: { deep: { a: "1", b: 2 } } },
        send: { target: "/find?deep%5Ba%5D=1&deep%5Bb%5D=2" }
      },
      { id: "find", input: { query: { spread: { x: "1", y: "2" } } }, send: { target: "/find?x=1&y=2" } },
      { id: "find", input: { query: { either: "10" } }, send: { target: "/find?either=10" } },
      { id: "find", input: { query: { filter: { a: 1 } } }, send: { target: "/find?filter=%7B%22a%22%3A1%7D" } },
      {
        id: "find",
        input: { query: { exact: { a: 9007199254740993n } } },
        send: { target: "/find?exact=%7B%22a%22%3A9007199254740993%7D" }
      },
      { id: "find", input: { query: { kind: 2 }, headers: { "X-Trace": 5 } }, send: { headers: { "x-trace": "5" } } },
      { id: "find", input: { query: { kind: 3 } }, invalid: "query.kind" },
      { id: "find", input: { query: { limit: 1.5 } }, invalid: "query.limit" }
    ]
  },
  {
    name: "optional bodies, and a DELETE with one",
    document: document("3.0.3", {
      "/a": {
        post: { operationId: "maybe", requestBody: body(object({ a: text }), false), responses: none },
        delete: { operationId: "remove", requestBody: body(object({ a: text }, ["a"])), responses: none }
      }
    }),
    calls: [
      { id: "maybe", send: { text: "", headers: { "content-type": undefined } } },
      { id: "maybe", input: { body: { a: "1" } }, send: { body: { a: "1" } } },
      { id: "remove", input: { body: { a: "1" } }, send: { method: "DELETE", body: { a: "1" } } }
    ]
  },
  {
    name: "null in all forms of 3.0",
    document: document(
      "3.0.3",
      put(
        "write",
        object(
          {
            plain: { type: "string", nullable: true },
            kind: { type: "string", enum: ["a", "b"], nullable: true },
            untyped: { nullable: true, properties: { x: text } },
            beside: { ...ref("Part"), nullable: true },
            wrapped: { nullable: true, allOf: [ref("Part")], description: "wrapped" },
            either: { oneOf: [{ nullable: true }, ref("Part")] },
            own: ref("Nothing")
          },
          ["plain", "kind", "untyped", "beside", "wrapped", "either", "own"]
        )
      ),
      { schemas: { Part: object({ id: text }, ["id"]), Nothing: { type: "integer", nullable: true } } }
    ),
    calls: [
      {
        id: "write",
        input: {
          body: { plain: null, kind: null, untyped: null, beside: null, wrapped: null, either: null, own: null }
        },
        send: {
          body: { plain: null, kind: null, untyped: null, beside: null, wrapped: null, either: null, own: null }
        },
        answer: {
          status: 200,
          body: { plain: "", kind: "c", untyped: {}, beside: { id: "1" }, wrapped: null, either: { id: "2" }, own: 1 }
        },
        value: { plain: "", kind: "c", untyped: {}, beside: { id: "1" }, wrapped: null, either: { id: "2" }, own: 1 }
      }
    ]
  },
  {
    name: "null as the type beside alternatives, and a field that no value fits",
    document: document(
      "3.1.0",
      put(
        "odd",
        object({ at: { type: "null", oneOf: [{ type: "number" }, { type: "boolean" }] }, never: false }, ["at"])
      )
    ),
    calls: [
      {
        id: "odd",
        input: { body: { at: null } },
        send: { body: { at: null } },
        answer: { status: 200, body: { at: 1, never: 2 } },
        value: { at: 1 }
      },
      { id: "odd", input: { body: { at: true, never: 1 } }, invalid: "payload.never" }
    ]
  },
  {
    name: "optional null of answers is absent, of requests is sent",
    document: document(
      "3.1.0",
      put("clear", object({ a: { type: ["string", "null"] }, b: { anyOf: [text, { type: "null" }] }, c: text }))
    ),
    calls: [
      {
        id: "clear",
        input: { body: { a: null, b: null } },
        send: { body: { a: null, b: null } },
        answer: { status: 200, body: { a: null, b: null, c: null, later: 1 } },
        value: {}
      },
      { id: "clear", input: { body: { c: null } }, invalid: "payload.c" }
    ]
  },
  {
    name: "allOf with siblings, and required across parts",
    document: document(
      "3.1.0",
      put("merge", {
        allOf: [ref("Base"), object({ b: text })],
        properties: { c: { type: "integer" } },
        required: ["a", "b"]
      }),
      { schemas: { Base: object({ a: text, readonly: text }) } }
    ),
    calls: [
      {
        id: "merge",
        input: { body: { a: "1", b: "2", c: 3 } },
        send: { body: { a: "1", b: "2", c: 3 } },
        answer: { status: 200, body: { a: "1", b: "2", c: 3 } },
        value: { a: "1", b: "2", c: 3 }
      },
      { id: "merge", input: { body: { a: "1" } }, invalid: "payload.b" }
    ]
  },
  {
    name: "integers of 64 bits keep their digits",
    document: document(
      "3.1.0",
      put(
        "count",
        object({
          n: { type: "integer", format: "int64" },
          small: { type: "integer", format: "int64" },
          unsigned: { type: "number", format: "uint64" },
          plain: { type: "integer" },
          either: { oneOf: [text, { type: "number" }, { type: "integer" }, { type: "integer", format: "int64" }] },
          named: { oneOf: [ref("Small"), ref("Large")] },
          any: {}
        })
      ),
      { schemas: { Small: { type: "integer" }, Large: { type: "integer", format: "int64" } } }
    ),
    calls: [
      {
        id: "count",
        input: { body: { n: 9007199254740993n, small: 1 } },
        send: { text: '{"n":9007199254740993,"small":1}' },
        answer: {
          status: 200,
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
      }
    ]
  },
  {
    name: "alternatives without a discriminator, told apart at depth",
    document: document(
      "3.1.0",
      put(
        "choose",
        object({ v: { oneOf: [object({ in: object({ a: text }) }), object({ in: object({ b: text, c: text }) })] } })
      )
    ),
    calls: [
      {
        id: "choose",
        input: { body: { v: { in: { b: "1", c: "2" } } } },
        send: { body: { v: { in: { b: "1", c: "2" } } } },
        answer: { status: 200, body: { v: { in: { c: "3" } } } },
        value: { v: { in: { c: "3" } } }
      }
    ]
  },
  {
    name: "discriminators",
    document: document(
      "3.1.0",
      put("pet", {
        oneOf: [ref("Cat"), ref("Dog")],
        discriminator: { propertyName: "kind", mapping: { cat: "#/components/schemas/Cat", dog: "Dog" } }
      }),
      {
        schemas: {
          Cat: object({ kind: text, name: text }, ["kind"]),
          Dog: object({ kind: text, name: text }, ["kind"])
        }
      }
    ),
    calls: [
      {
        id: "pet",
        input: { body: { kind: "dog", name: "a" } },
        send: { body: { kind: "dog", name: "a" } },
        answer: { status: 200, body: { kind: "cat", name: "b" } },
        value: { kind: "cat", name: "b" }
      },
      {
        id: "pet",
        input: { body: { kind: "cat" } },
        send: { body: { kind: "cat" } },
        answer: { status: 200, body: { kind: "dog" } },
        value: { kind: "dog" }
      }
    ]
  },
  {
    name: "a discriminator that no alternative declares, or only reads: services send it or not",
    document: document(
      "3.0.3",
      {
        ...put("pay", { oneOf: [ref("Card"), ref("Bank")], discriminator: { propertyName: "type" } }),
        ...put("key", {
          oneOf: [ref("Secret"), ref("Signing"), ref("Read")],
          discriminator: { propertyName: "use", mapping: { sig: "Signing", enc: "Secret", read: "Read" } }
        })
      },
      {
        schemas: {
          Card: object({ number: text }),
          Bank: object({ iban: text }),
          Secret: object({ use: { ...text, readOnly: true }, id: text }),
          Read: object({ use: { enum: ["read"], readOnly: true }, at: text }, ["use"]),
          Signing: { oneOf: [object({ kty: { enum: ["RSA"] }, e: text }), object({ kty: { enum: ["EC"] }, x: text })] }
        }
      }
    ),
    calls: [
      {
        id: "pay",
        input: { body: { type: "Bank", iban: "1" } },
        send: { body: { type: "Bank", iban: "1" } },
        answer: { status: 200, body: { type: "Card", number: "2" } },
        value: { type: "Card", number: "2" }
      },
      {
        id: "pay",
        input: { body: { iban: "1" } },
        send: { body: { iban: "1" } },
        answer: { status: 200, body: { number: "2" } },
        value: { number: "2" }
      },
      {
        id: "key",
        input: { body: { use: "enc", id: "1" } },
        send: { body: { use: "enc", id: "1" } },
        answer: { status: 200, body: { kty: "EC", x: "2" } },
        value: { kty: "EC", x: "2" }
      },
      {
        id: "key",
        input: { body: { use: "read", at: "1" } },
        send: { body: { use: "read", at: "1" } },
        answer: { status: 200, body: { use: "read" } },
        value: { use: "read" }
      },
      {
        id: "key",
        input: { body: { use: "sig", kty: "EC", x: "2" } },
        send: { body: { use: "sig", kty: "EC", x: "2" } },
        answer: { status: 200, body: { id: "3" } }
      }
    ]
  },
  {
    name: "a discriminator of a base that others extend",
    document: document("3.0.3", put("shape", { type: "object", ...ref("Shape") }), {
      schemas: {
        Shape: {
          ...object({ type: text }, ["type"]),
          discriminator: {
            propertyName: "type",
            mapping: { circle: "#/components/schemas/Circle", box: "#/components/schemas/Box" }
          }
        },
        Circle: { allOf: [ref("Shape"), object({ radius: { type: "number" } }, ["radius"])] },
        Box: { allOf: [ref("Shape"), object({ side: { type: "number" } })] }
      }
    }),
    calls: [
      {
        id: "shape",
        input: { body: { type: "box", side: 1 } },
        send: { body: { type: "box", side: 1 } },
        answer: { status: 200, body: { type: "circle", radius: 2 } },
        value: { type: "circle", radius: 2 }
      }
    ]
  },
  {
    name: "a base whose discriminator names what does not extend it, and one that lists what extends it",
    document: document(
      "3.0.3",
      { ...put("shape", ref("Shape")), ...put("key", ref("Key")), ...put("own", ref("Rsa")) },
      {
        schemas: {
          Shape: {
            ...object({ type: { type: "string", enum: ["c", "b"] }, status: text }),
            discriminator: { propertyName: "type", mapping: { round: "#/components/schemas/Circle" } }
          },
          Circle: object({ type: { type: "string", enum: ["c"] }, radius: { type: "number" } }),
          Key: { ...object({ id: text }), oneOf: [ref("Rsa"), ref("Middle")] },
          Rsa: { allOf: [ref("Key")], ...object({ n: text }) },
          Middle: { allOf: [ref("Key")], ...object({ x: text }) }
        }
      }
    ),
    calls: [
      {
        id: "shape",
        input: { body: { type: "c", status: "on", radius: 1 } },
        send: { body: { type: "c", status: "on", radius: 1 } },
        answer: { status: 200, body: { type: "c", status: "on", radius: 2 } },
        value: { type: "c", status: "on", radius: 2 }
      },
      {
        id: "key",
        input: { body: { id: "1", x: "2" } },
        send: { body: { id: "1", x: "2" } },
        answer: { status: 200, body: { id: "1", n: "2" } },
        value: { id: "1", n: "2" }
      },
      { id: "own", input: { body: { id: "1", n: "2" } }, answer: { status: 200, body: { n: "3" } }, value: { n: "3" } },
      { id: "own", input: { body: { id: "1", x: "2" } }, invalid: "payload.x" }
    ]
  },
  {
    name: "a type that contradicts what is referred to beside it",
    document: document("3.0.3", put("beside", object({ part: { ...ref("Part"), type: "string" } })), {
      schemas: { Part: object({ id: text }) }
    }),
    calls: [
      {
        id: "beside",
        input: { body: { part: { id: "1" } } },
        send: { body: { part: { id: "1" } } },
        answer: { status: 200, body: { part: { id: "2" } } },
        value: { part: { id: "2" } }
      },
      { id: "beside", input: { body: { part: "1" } }, invalid: "payload.part" }
    ]
  },
  {
    name: "readOnly and writeOnly",
    document: document(
      "3.1.0",
      put(
        "account",
        object({ id: { type: "string", readOnly: true }, secret: { type: "string", writeOnly: true }, name: text }, [
          "id",
          "secret",
          "name"
        ])
      )
    ),
    calls: [
      {
        id: "account",
        input: { body: { secret: "s", name: "n" } },
        send: { body: { secret: "s", name: "n" } },
        answer: { status: 200, body: { id: "1", name: "n" } },
        value: { id: "1", name: "n" }
      },
      { id: "account", input: { body: { name: "n" } }, invalid: "payload.secret" }
    ]
  },
  {
    name: "alternatives of which one is there anyway, and those that only some values have",
    document: document(
      "3.1.0",
      {
        "/anyway": { get: { operationId: "anyway", responses: ok({ allOf: [ref("P"), ref("Q")] }) } },
        "/some": {
          get: {
            operationId: "some",
            responses: ok({
              ...object({ a: text }),
              if: object({ a: { const: "a" } }),
              else: { oneOf: [object({ b: text }), object({ c: { type: "integer" } })] }
            })
          }
        }
      },
      { schemas: { P: object({ p: text }), Q: { anyOf: [ref("P"), ref("R")] }, R: object({ r: text }) } }
    ),
    calls: [
      { id: "anyway", answer: { status: 200, body: { p: "a", r: "b" } }, value: { p: "a", r: "b" } },
      { id: "some", answer: { status: 200, body: { a: "b", c: 1 } }, value: { a: "b", c: 1 } }
    ]
  },
  {
    name: "recursion, in objects, lists and maps",
    document: document("3.1.0", put("tree", ref("Node")), {
      schemas: {
        Node: object(
          {
            at: { type: "string", format: "date-time" },
            children: { type: "array", items: ref("Node") },
            named: { type: "object", additionalProperties: ref("Node") },
            next: { oneOf: [ref("Node"), { type: "null" }] }
          },
          ["children"]
        )
      }
    }),
    calls: [
      {
        id: "tree",
        input: { body: { children: [{ children: [], next: null }], named: { a: { children: [] } } } },
        send: { body: { children: [{ children: [], next: null }], named: { a: { children: [] } } } },
        answer: { status: 200, body: { children: [{ children: [], next: { children: [] } }] } },
        value: { children: [{ children: [], next: { children: [] } }] }
      }
    ]
  },
  {
    name: "recursion through many alternatives that their last field tells apart, without trying all at each level",
    document: document(
      "3.1.0",
      { ...put("one", ref("Base")), ...put("grow", ref("Property")) },
      {
        schemas: {
          Base: object({ fields: { type: "object", additionalProperties: ref("Property") } }),
          Property: { oneOf: kinds.map(ref), discriminator: { propertyName: "type" } },
          ...Object.fromEntries(
            kinds.map((kind) => [kind, { allOf: [ref("Base"), object({ type: { const: kind }, [kind]: text })] }])
          )
        }
      }
    ),
    calls: [
      {
        id: "grow",
        input: { body: deep },
        send: { body: deep },
        answer: { status: 200, body: deep },
        value: deep
      }
    ]
  },
  {
    name: "recursion by $recursiveRef and $dynamicRef, and null in a part of its own",
    document: document(
      "3.1.0",
      put(
        "filter",
        object({
          all: ref("All"),
          any: ref("Any"),
          named: { $ref: "#named" },
          none: { allOf: [ref("Any"), { nullable: true }] }
        })
      ),
      {
        schemas: {
          All: { $recursiveAnchor: true, ...object({ in: { type: "array", items: { $recursiveRef: "#" } } }) },
          Named: {
            $anchor: "named",
            $recursiveAnchor: true,
            ...object({ in: { type: "array", items: { $recursiveRef: "#" } } })
          },
          Any: { $dynamicAnchor: "any", ...object({ in: { type: "array", items: { $dynamicRef: "#any" } } }) }
        }
      }
    ),
    calls: [
      {
        id: "filter",
        input: { body: { all: { in: [{ in: [{}] }] }, named: { in: [{ in: [{}] }] }, none: null } },
        send: { body: { all: { in: [{ in: [{}] }] }, named: { in: [{ in: [{}] }] }, none: null } },
        answer: { status: 200, body: { any: { in: [{ in: [{ later: 1 }] }] }, none: null } },
        value: { any: { in: [{ in: [{}] }] } }
      },
      { id: "filter", input: { body: { all: { in: [{ other: 1 }] } } }, invalid: "payload.all.in[0].other" }
    ]
  },
  {
    name: "texts with a brand",
    document: document("3.1.0", {
      "/users/{id}": {
        get: {
          operationId: "branded",
          "x-stability": "beta",
          parameters: [{ ...path("id"), schema: { ...text, "x-brand": "UserId", minLength: 2 } }],
          responses: ok(object({ id: { ...text, "x-brand": "UserId" } }))
        }
      }
    }),
    calls: [
      {
        id: "branded",
        input: { params: { id: "ab" } },
        answer: { status: 200, body: { id: "a" } },
        value: { id: "a" }
      },
      { id: "branded", input: { params: { id: "a" } }, invalid: "id" }
    ]
  },
  {
    name: "additionalProperties beside properties, and alone",
    document: document(
      "3.1.0",
      put("map", {
        ...object({ a: { type: "integer" }, labels: { type: "object", additionalProperties: { type: "integer" } } }, [
          "a"
        ]),
        additionalProperties: text
      })
    ),
    calls: [
      {
        id: "map",
        input: { body: { a: 1, b: "2", labels: { x: 1 } } },
        send: { body: { a: 1, b: "2", labels: { x: 1 } } },
        answer: { status: 200, body: { a: 3, c: "4" } },
        value: { a: 3, c: "4" }
      }
    ]
  },
  {
    name: "fields that only some values have, and names of fields that are known",
    document: document(
      "3.1.0",
      put("some", {
        ...object(
          {
            kind: text,
            counts: { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: { type: "integer" } }
          },
          ["kind"]
        ),
        allOf: [
          {
            if: { properties: { kind: { const: "a" } } },
            // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
            then: { properties: { value: { type: "integer" } }, required: ["value"] },
            else: { properties: { value: { type: "boolean" } } }
          }
        ],
        dependentSchemas: { kind: { properties: { note: text } } }
      })
    ),
    calls: [
      {
        id: "some",
        input: { body: { kind: "a", value: 1, note: "b", counts: { a: 1 } } },
        send: { body: { kind: "a", value: 1, note: "b", counts: { a: 1 } } },
        answer: { status: 200, body: { kind: "b", value: true, note: "c" } },
        value: { kind: "b", value: true, note: "c" }
      },
      { id: "some", input: { body: { kind: "a", value: "1" } }, invalid: "payload.value" }
    ]
  },
  {
    name: "references to URIs of schemas, and to definitions of the schema around them",
    document: document("3.1.0", put("uri", ref("Whole")), {
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
      }
    }),
    calls: [
      {
        id: "uri",
        input: {
          body: { part: { a: "1" }, self: { part: {} }, thing: { x: "2" }, local: { inner: { y: "3" }, of: {} } }
        },
        send: {
          body: { part: { a: "1" }, self: { part: {} }, thing: { x: "2" }, local: { inner: { y: "3" }, of: {} } }
        },
        answer: { status: 200, body: { self: { thing: { x: "4" } } } },
        value: { self: { thing: { x: "4" } } }
      },
      { id: "uri", input: { body: { thing: { y: "1" } } }, invalid: "payload.thing.y" }
    ]
  },
  {
    name: "a whole query that is a form",
    document: document("3.2.0", {
      "/query": {
        get: {
          operationId: "whole",
          responses: none,
          parameters: [
            {
              in: "querystring",
              name: "q",
              content: { "application/x-www-form-urlencoded": { schema: object({ a: text, b: { type: "integer" } }) } }
            }
          ]
        }
      }
    }),
    calls: [{ id: "whole", input: { query: { q: { a: "1", b: 2 } } }, send: { target: "/query?a=1&b=2" } }]
  },
  {
    name: "names that every object has",
    document: document("3.1.0", put("names", object({ constructor: text, toString: text, plain: text }))),
    calls: [
      {
        id: "names",
        input: { body: { plain: "1" } },
        send: { body: { plain: "1" } },
        answer: { status: 200, body: {} },
        value: {}
      },
      {
        id: "names",
        input: { body: { constructor: "1" } },
        send: { body: { constructor: "1" } },
        answer: { status: 200, body: { plain: "2" } },
        value: { plain: "2" }
      }
    ]
  },
  {
    name: "enums: new values of answers, only known ones of requests",
    document: document(
      "3.1.0",
      put(
        "state",
        object({
          s: { type: "string", enum: ["on", "off"] },
          n: { enum: [1, 2] },
          tag: { const: "x" },
          mixed: { enum: ["a", 1, true, null] }
        })
      )
    ),
    calls: [
      {
        id: "state",
        input: { body: { s: "on", n: 1, tag: "x" } },
        send: { body: { s: "on", n: 1, tag: "x" } },
        answer: { status: 200, body: { s: "paused", n: 3, mixed: false } },
        value: { s: "paused", n: 3, mixed: false }
      },
      { id: "state", input: { body: { s: "paused" } }, invalid: "payload.s" }
    ]
  },
  {
    name: "a number with the format of an integer: whole when it is sent",
    document: document("3.0.3", put("whole", object({ n: { type: "number", format: "int32" } }))),
    calls: [
      { id: "whole", input: { body: { n: 1.5 } }, invalid: "payload.n" },
      {
        id: "whole",
        input: { body: { n: 1 } },
        send: { body: { n: 1 } },
        answer: { status: 200, body: { n: 1.5 } },
        value: { n: 1.5 }
      }
    ]
  },
  {
    name: "patterns: kept where they are safe ECMAScript",
    document: document(
      "3.1.0",
      put(
        "check",
        object({
          safe: { type: "string", pattern: "^[a-z]+$" },
          slow: { type: "string", pattern: "^(a+)+$" },
          foreign: { type: "string", pattern: "(?i)^x$" },
          java: { type: "string", pattern: "^\\p{Alpha}+\\z" },
          posix: { type: "string", pattern: "^[[:alpha:]]$" },
          slash: { type: "string", pattern: "^/[*]$" },
          literal: { type: "string", pattern: "/^[0-9]+$/i" }
        })
      )
    ),
    calls: [
      {
        id: "check",
        input: { body: { safe: "a", slow: "b", foreign: "c", java: "d", posix: "e", slash: "/*", literal: "1" } },
        send: { body: { safe: "a", slow: "b", foreign: "c", java: "d", posix: "e", slash: "/*", literal: "1" } },
        answer: { status: 200, body: { safe: "A", slow: "b", foreign: "c" } },
        value: { safe: "A", slow: "b", foreign: "c" }
      },
      { id: "check", input: { body: { safe: "A" } }, invalid: "payload.safe" }
    ]
  },
  {
    name: "several successes",
    document: document("3.1.0", {
      "/start": {
        post: {
          operationId: "start",
          responses: { ...ok(object({ a: text })), "202": { description: "" }, "303": { description: "" } }
        }
      }
    }),
    calls: [
      { id: "start", answer: { status: 200, body: { a: "1" } }, value: { status: 200, value: { a: "1" } } },
      { id: "start", answer: { status: 202 }, value: { status: 202, value: undefined } }
    ]
  },
  {
    name: "no success from 200 to 299: the default, unless refusals have its schema, or a redirect",
    document: document(
      "3.0.3",
      {
        "/rest": {
          get: { operationId: "rest", responses: { default: { description: "", content: json(object({ a: text })) } } },
          put: { operationId: "refusal", responses: { default: { description: "", content: json(ref("Problem")) } } },
          post: {
            operationId: "both",
            responses: { "201": { description: "" }, default: { description: "", content: json(ref("Problem")) } }
          }
        },
        "/away": {
          get: { operationId: "away", responses: { "302": { description: "" }, default: { description: "" } } },
          put: { operationId: "done", responses: { "404": { description: "" }, default: { description: "" } } },
          post: {
            operationId: "moved",
            responses: { "302": { description: "" }, default: { description: "", content: json(ref("Missing")) } }
          }
        },
        "/referred": { $ref: "#/components/pathItems/Referred" },
        "/broken": {
          get: { operationId: "broken", responses: { ...none, "404": { $ref: "#/components/responses/None" } } }
        }
      },
      {
        schemas: { Problem: object({ message: text }), Missing: object({ message: text }) },
        responses: { Missing: { description: "", content: json(ref("Missing")) } },
        pathItems: { Referred: { get: { $ref: "#/components/x-operations/referred" } } },
        "x-operations": {
          referred: {
            operationId: "referred",
            responses: { ...none, "404": { $ref: "#/components/responses/Missing" } }
          }
        }
      }
    ),
    refused: { broken: "reference", refusal: "success-count" },
    calls: [
      { id: "rest", answer: { status: 201, body: { a: "1" } }, value: { a: "1" } },
      { id: "rest", answer: { status: 409, body: { error: "x" } }, refusal: { _tag: "OtherRefusal", message: "x" } },
      {
        id: "both",
        answer: { status: 409, body: { message: "x" } },
        refusal: { _tag: "OtherRefusalProblem", message: "x" }
      },
      { id: "away", answer: { status: 302, headers: { location: "/b" } }, value: "/b" },
      { id: "moved", answer: { status: 302, headers: { location: "/b" } }, value: "/b" },
      { id: "done", answer: { status: 200, body: [1] } }
    ]
  },
  {
    name: "refusals by status, range and default, with their bodies",
    document: document(
      "3.1.0",
      {
        "/f": {
          get: {
            operationId: "f",
            responses: {
              ...none,
              "404": { $ref: "#/components/responses/Missing" },
              "4XX": {
                description: "",
                content: {
                  "application/problem+json": {
                    schema: object({ title: text, code: { type: "string", enum: ["a", "b"] } })
                  }
                }
              },
              "410": { description: "" },
              "423": {
                description: "",
                content: json(object({ errorMessages: { type: "array", items: text }, errors: object({}) }))
              },
              "422": {
                description: "",
                content: json(object({ message: { type: "array", items: text }, error: text }))
              },
              default: { description: "", content: json(object({ error: object({ message: text }) })) }
            }
          },
          head: {
            operationId: "peek",
            responses: { ...none, "206": { description: "" }, "404": { $ref: "#/components/responses/Missing" } }
          }
        }
      },
      { responses: { Missing: { description: "", content: json(object({ id: text, message: text }, ["message"])) } } }
    ),
    calls: [
      {
        id: "f",
        answer: { status: 404, body: { id: "x", message: "no such f" } },
        refusal: { _tag: "NotFound", message: "no such f", body: { id: "x", message: "no such f" } }
      },
      { id: "peek", answer: { status: 404 }, refusal: { _tag: "NotFound2", message: "HTTP 404" } },
      {
        id: "f",
        answer: { status: 410, type: "text/plain", body: "gone for good" },
        refusal: { _tag: "Gone", message: "gone for good" }
      },
      {
        id: "f",
        answer: { status: 423, body: { errorMessages: ["it is locked"], errors: {} } },
        refusal: { _tag: "Locked", message: "it is locked" }
      },
      {
        id: "f",
        answer: { status: 409, body: { title: "taken", code: "new" } },
        refusal: { _tag: "ClientRefusal", message: "taken", status: 409 }
      },
      {
        id: "f",
        answer: { status: 502, body: { error: { message: "down" } } },
        refusal: { _tag: "OtherRefusal", message: "down", status: 502 }
      }
    ]
  },
  {
    name: "forms, multipart forms, text and bytes",
    document: document("3.1.0", {
      "/form": {
        post: {
          operationId: "form",
          responses: none,
          requestBody: {
            required: true,
            content: {
              "application/x-www-form-urlencoded": {
                schema: object({
                  a: text,
                  n: { type: "integer" },
                  unset: { anyOf: [{ type: "integer" }, { type: "string", enum: [""] }] },
                  list: { type: "array", items: text },
                  o: object({ x: text }),
                  lines: { type: "array", items: object({ sku: text }) }
                }),
                encoding: { o: { style: "deepObject", explode: true }, lines: { style: "deepObject", explode: true } }
              }
            }
          }
        }
      },
      "/token": {
        post: {
          operationId: "token",
          responses: none,
          requestBody: {
            required: true,
            content: {
              "application/x-www-form-urlencoded": {
                schema: {
                  oneOf: [
                    object({ type: { const: "code" }, code: text }, ["type", "code"]),
                    object({ type: { const: "password" }, scopes: { type: "array", items: text } }, ["type"])
                  ]
                }
              }
            }
          }
        }
      },
      "/whole": {
        post: {
          operationId: "whole",
          responses: none,
          requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: text } } }
        }
      },
      "/text": {
        post: {
          operationId: "text",
          responses: { "200": { description: "", content: { "text/csv": { schema: text } } } },
          requestBody: { required: true, content: { "text/plain": { schema: text } } }
        }
      },
      "/multi": {
        post: {
          operationId: "multi",
          responses: none,
          requestBody: {
            required: true,
            content: {
              "multipart/form-data": {
                schema: object({
                  a: text,
                  o: object({ x: { type: "integer" } }),
                  file: { type: "string", contentMediaType: "image/png" },
                  either: { anyOf: [{ type: "string", format: "binary" }, { type: "null" }] },
                  part: {},
                  list: { type: "array", items: object({ x: text }) },
                  note: text,
                  mixed: { oneOf: [object({ x: text }), text] },
                  none: { type: "array", items: text }
                }),
                encoding: {
                  part: { contentType: "text/html" },
                  note: { contentType: "text/markdown" },
                  list: { contentType: "application/vnd.list+json" }
                }
              }
            }
          }
        }
      }
    }),
    calls: [
      {
        id: "form",
        input: { body: { a: "ä&", n: "1", list: ["x", "y"], o: { x: "z" } } },
        send: {
          text: "a=%C3%A4%26&n=1&list=x&list=y&o%5Bx%5D=z",
          headers: { "content-type": "application/x-www-form-urlencoded" }
        }
      },
      {
        id: "form",
        input: { body: { unset: "", lines: [{ sku: "a" }, { sku: "b" }] } },
        send: { text: "unset=&lines%5B0%5D%5Bsku%5D=a&lines%5B1%5D%5Bsku%5D=b" }
      },
      {
        id: "token",
        input: { body: { type: "password", scopes: ["a", "b"] } },
        send: { text: "type=password&scopes=a&scopes=b" }
      },
      { id: "token", input: { body: { type: "other" } }, invalid: "payload.type" },
      {
        id: "text",
        input: { body: "hello" },
        send: { text: "hello" },
        answer: { status: 200, type: "text/csv", body: "a,b" },
        value: "a,b"
      },
      {
        id: "whole",
        input: { body: "a=1&b=2" },
        send: { text: "a=1&b=2", headers: { "content-type": "application/x-www-form-urlencoded" } }
      },
      {
        id: "multi",
        input: {
          body: {
            a: "1",
            o: '{"x":2}',
            file: new Blob(["bytes"]),
            part: "any",
            mixed: "a text",
            list: ['{"x":"y"}'],
            note: "ä",
            none: ["z"]
          }
        },
        send: {
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
      }
    ]
  },
  {
    name: "several contents: those that say something else, and one of those that say the same",
    document: document("3.1.0", {
      "/files": {
        put: {
          operationId: "either",
          responses: none,
          requestBody: {
            required: true,
            content: {
              ...json(object({ url: text })),
              "multipart/form-data": { schema: object({ file: { type: "string", format: "binary" } }) },
              "image/png": { schema: { type: "string", format: "binary" } },
              "application/xml": { schema: object({ url: text }) }
            }
          }
        },
        post: {
          operationId: "same",
          responses: none,
          requestBody: {
            required: true,
            content: Object.fromEntries(
              ["text/json", "application/json", "application/x-www-form-urlencoded", "application/*+json"].map(
                (type) => [type, { schema: object({ url: text }) }]
              )
            )
          }
        },
        delete: {
          operationId: "range",
          responses: none,
          requestBody: {
            content: {
              "*/*": { schema: { type: "string", format: "binary" } },
              "application/vnd.a+json": { schema: object({ url: text }) }
            }
          }
        },
        patch: {
          operationId: "patches",
          responses: none,
          requestBody: {
            required: true,
            content: {
              "application/json-patch+json": { schema: {} },
              "application/merge-patch+json": { schema: {} }
            }
          }
        }
      }
    }),
    calls: [
      {
        id: "either",
        input: { body: { contentType: "application/json", value: { url: "a" } } },
        send: { body: { url: "a" }, headers: { "content-type": "application/json" } }
      },
      {
        id: "either",
        input: { body: { contentType: "image/png", value: Uint8Array.of(97) } },
        send: { text: "a", headers: { "content-type": "image/png" } }
      },
      {
        id: "either",
        input: { body: { contentType: "application/xml", value: "<a/>" } },
        invalid: "payload.contentType"
      },
      { id: "same", input: { body: { url: "a" } }, send: { body: { url: "a" } } },
      {
        id: "patches",
        input: { body: { contentType: "application/json-patch+json", value: [] } },
        send: { body: [], headers: { "content-type": "application/json-patch+json" } }
      }
    ]
  },
  {
    name: "kinds of JSON, with parameters and in capitals",
    document: document("3.1.0", {
      "/v": {
        patch: {
          operationId: "v",
          requestBody: { required: true, content: { "application/merge-patch+json": { schema: object({ a: text }) } } },
          responses: {
            "200": {
              description: "",
              content: { "Application/Vnd.Acme.V1+JSON; charset=utf-8": { schema: object({ a: text }) } }
            }
          }
        }
      }
    }),
    calls: [
      {
        id: "v",
        input: { body: { a: "1" } },
        send: { headers: { "content-type": "application/merge-patch+json", accept: "application/vnd.acme.v1+json" } },
        answer: { status: 200, type: "application/vnd.acme.v1+json", body: { a: "2" } },
        value: { a: "2" }
      }
    ]
  },
  {
    name: "streams of events and of lines",
    document: document(
      "3.2.0",
      {
        "/events": {
          get: {
            operationId: "events",
            responses: {
              "200": {
                description: "",
                content: { "text/event-stream": { schema: object({ n: { type: "integer" } }) } }
              }
            }
          }
        },
        "/described": {
          get: {
            operationId: "described",
            responses: {
              "200": {
                description: "",
                content: {
                  "text/event-stream": {
                    itemSchema: object({
                      event: text,
                      data: { ...text, contentSchema: object({ n: { type: "integer" } }) }
                    })
                  }
                }
              }
            }
          }
        },
        "/kinds": {
          get: {
            operationId: "kinds",
            responses: {
              "200": {
                description: "",
                content: {
                  "text/event-stream": { itemSchema: ref("Event") }
                }
              }
            }
          }
        },
        "/last": { get: { operationId: "last", responses: ok(ref("Event")) } },
        "/lines": {
          get: {
            operationId: "lines",
            responses: {
              "200": {
                description: "",
                content: {
                  "application/jsonl": { schema: { type: "array", items: object({ n: { type: "integer" } }) } }
                }
              }
            }
          }
        }
      },
      {
        schemas: {
          Event: {
            oneOf: [
              object({ event: { const: "n" }, data: { ...text, contentSchema: object({ n: { type: "integer" } }) } }),
              object({ event: { const: "t" }, data: { ...text, contentSchema: object({ t: text }) } })
            ]
          }
        }
      }
    ),
    calls: [
      {
        id: "last",
        answer: { status: 200, body: { event: "t", data: "{}" } },
        value: { event: "t", data: "{}" }
      },
      {
        id: "events",
        answer: { status: 200, type: "text/event-stream", body: 'event: a\ndata: {"n":1}\n\ndata: {"n":2}\n\n' },
        parts: [{ event: "a", data: { n: 1 } }, { data: { n: 2 } }]
      },
      {
        id: "described",
        answer: { status: 200, type: "text/event-stream", body: 'data: {"n":1}\n\n' },
        parts: [{ data: { n: 1 } }]
      },
      {
        id: "kinds",
        answer: { status: 200, type: "text/event-stream", body: 'event: t\ndata: {"t":"a"}\n\n' },
        parts: [{ event: "t", data: { t: "a" } }]
      },
      {
        id: "lines",
        send: { headers: { accept: "application/jsonl" } },
        answer: { status: 200, type: "application/jsonl", body: '{"n":1}\n{"n":2}\n' },
        parts: [{ n: 1 }, { n: 2 }]
      }
    ]
  },
  {
    name: "an idempotency key is no input",
    document: document("3.1.0", {
      "/pay": {
        post: {
          operationId: "pay",
          parameters: [{ in: "header", name: "Idempotency-Key", required: true, schema: text }],
          responses: none
        }
      }
    }),
    calls: [{ id: "pay", send: { target: "/pay" } }]
  },
  {
    name: "a date-time or a date: each stays as it is",
    document: document(
      "3.1.0",
      put(
        "when",
        object({
          at: {
            anyOf: [
              { ...text, format: "date-time" },
              { ...text, format: "date" }
            ]
          }
        })
      )
    ),
    calls: [
      {
        id: "when",
        input: { body: { at: "2026-01-10" } },
        send: { body: { at: "2026-01-10" } },
        answer: { status: 200, body: { at: "2026-01-10" } },
        value: { at: "2026-01-10" }
      }
    ]
  },
  {
    name: "alternatives that only require what is described nowhere, and formats that patterns or lengths contradict",
    document: document("3.0.3", {
      ...put("nested", {
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
      }),
      ...put("send", {
        ...object(
          {
            kind: text,
            name: { ...text, format: "regex", pattern: "^[a-z]+ [a-z]+$" },
            at: { ...text, format: "date-time", pattern: "^.*:[0-9]{2}Z$" },
            since: { ...text, format: "date-time", pattern: "YYYY-MM-DDThh:mm:ssZ" },
            value: { type: "object", oneOf: [text, { type: "integer" }] },
            role: {
              allOf: [
                { ...text, enum: ["a", "b"] },
                { ...text, enum: ["c"] }
              ]
            },
            id: { ...text, format: "uuid", maxLength: 24 },
            page: { ...text, enum: ["a long value"], maxLength: 5 },
            old: { ...text, pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$" },
            size: { type: "integer", format: "int64", minimum: 5_000 }
          },
          ["size"]
        ),
        anyOf: [
          { title: "text", required: ["kind"] },
          { title: "parts", required: ["parts"] }
        ]
      })
    }),
    calls: [
      {
        id: "send",
        input: { body: { parts: [1], name: "a b", size: 5_000 } },
        send: { body: { parts: [1], name: "a b", size: 5_000 } },
        answer: { status: 200, body: { size: 1 } }
      }
    ]
  },
  {
    name: "enums, dates and types that contradict themselves",
    document: document(
      "3.0.3",
      put(
        "odd",
        object({
          e: { type: "string", enum: [1, 2] },
          anything: {},
          never: { type: "string", allOf: [{ type: "integer" }] }
        })
      )
    ),
    calls: [
      {
        id: "odd",
        input: { body: { e: 1, anything: { a: [1] } } },
        send: { body: { e: 1, anything: { a: [1] } } },
        answer: { status: 200, body: { e: 2, anything: null } },
        value: { e: 2, anything: null }
      }
    ]
  }
]
