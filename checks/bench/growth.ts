/**
 * `npm run check bench:growth`: how much longer the generator takes for twice the document, by what the document has more
 * of. What is bounded is refused with a message above some size.
 */
import { Effect, Record } from "effect"
import * as Bundle from "../../packages/generator/src/read/Bundle.ts"
import * as Document from "../../packages/generator/src/read/Document.ts"
import * as Changes from "../../packages/generator/src/compare/Changes.ts"
import { generate, type Options } from "../../packages/generator/src/Generate.ts"
import type * as Manifest from "../../packages/generator/src/compare/Manifest.ts"
import * as Doubling from "./doubling.ts"

const all: Options = {
  isIncluded: () => true,
  envelope: "auto",
  locked: undefined,
  name: undefined,
  patches: [],
  areDatesText: false
}

const text = { type: "string" }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const named = (count: number, prefix: string, make: (i: number) => unknown) =>
  Object.fromEntries(numbers(count).map((i) => [`${prefix}${i}`, make(i)]))
const ok = (content: unknown) => ({ "200": { description: "", content } })
const json = (schema: unknown) => ({ "application/json": { schema } })
const document = (operation: object, schemas: object = {}, path = "/x") =>
  JSON.stringify({
    openapi: "3.1.0",
    paths: { [path]: { post: { operationId: "x", ...operation } } },
    components: { schemas }
  })
const reading = (schema: unknown, schemas?: object) => document({ responses: ok(json(schema)) }, schemas)
const both = (schema: unknown, schemas?: object) =>
  document({ requestBody: { content: json(schema) }, responses: ok(json(schema)) }, schemas)
const yaml = (lines: ReadonlyArray<string>) => `openapi: 3.1.0\npaths: {}\nx-data:\n${lines.join("\n")}\n`
const object = (properties: object) => ({ type: "object", properties })

/** Documents of a size, by what they have so many of, and the size to begin with. */
const kinds: Readonly<Record<string, readonly [size: number, make: (count: number) => string]>> = {
  "keys of YAML": [5_000, (count) => yaml(numbers(count).map((i) => `  k${i}: v`))],
  "keys of YAML in braces": [
    5_000,
    (count) =>
      yaml([
        `  {${numbers(count)
          .map((i) => `k${i}: v`)
          .join(", ")}}`
      ])
  ],
  "aliases of YAML": [5_000, (count) => yaml(["  a: &a {}", ...numbers(count).map((i) => `  k${i}: *a`)])],
  "anchors of YAML": [2_000, (count) => yaml(numbers(count).flatMap((i) => [`  a${i}: &a${i} {}`, `  k${i}: *a${i}`]))],
  "merge keys of YAML": [
    2_000,
    (count) => yaml(["  a: &a { x: 1 }", ...numbers(count).map((i) => `  k${i}: { <<: *a }`)])
  ],
  operations: [
    500,
    (count) =>
      JSON.stringify({
        openapi: "3.1.0",
        paths: named(count, "/p", (i) => ({
          get: { operationId: `op${i}`, tags: [`t${i % 10}`], responses: ok(json(text)) }
        }))
      })
  ],
  "operations of one name": [
    500,
    (count) =>
      JSON.stringify({
        openapi: "3.1.0",
        paths: named(count, "/p", () => ({ get: { operationId: "op", responses: ok(json(text)) } }))
      })
  ],
  "operations whose names differ in case": [
    500,
    (count) =>
      JSON.stringify({
        openapi: "3.1.0",
        paths: named(count, "/p", (i) => ({
          get: {
            operationId: Array.from("operationname", (letter, j) =>
              (i >> j) & 1 ? letter.toUpperCase() : letter
            ).join(""),
            responses: ok(json(text))
          }
        }))
      })
  ],
  "media types of a request": [
    500,
    (count) =>
      document({
        requestBody: { content: named(count, "application/x", (i) => ({ schema: { ...text, minLength: i } })) },
        responses: ok(json(text))
      })
  ],
  "JSON types of a request": [
    500,
    (count) =>
      document({
        requestBody: {
          content: named(count, "application/x+json;v=", (i) => ({ schema: object({ [`p${i}`]: text }) }))
        },
        responses: ok(json(text))
      })
  ],
  "media types of a response": [
    500,
    (count) =>
      document({ responses: ok(named(count, "application/x", (i) => ({ schema: { ...text, minLength: i } }))) })
  ],
  "heirs of a discriminator": [
    100,
    (count) =>
      both(ref("Base"), {
        Base: {
          ...object({ kind: text }),
          required: ["kind"],
          discriminator: { propertyName: "kind", mapping: named(count, "k", (i) => ref(`H${i}`).$ref) }
        },
        ...named(count, "H", (i) => ({ allOf: [ref("Base"), object({ [`p${i}`]: text })] }))
      })
  ],
  "alternatives with a discriminator": [
    50,
    (count) =>
      both(ref("Base"), {
        Base: { oneOf: numbers(count).map((i) => ref(`H${i}`)), discriminator: { propertyName: "kind" } },
        ...named(count, "H", (i) => object({ kind: text, [`p${i}`]: text }))
      })
  ],
  "fields of an object": [2_000, (count) => both(object(named(count, "p", () => text)))],
  "fields with other names than the last time": [
    1_000,
    (count) => document({ responses: ok(json(object(named(count, "p", () => text)))) }, {}, "/renamed")
  ],
  "fields that are renamed": [
    500,
    (count) =>
      document({
        requestBody: { content: { "multipart/form-data": { schema: object(named(count, "p-", () => text)) } } },
        parameters: numbers(count).map((i) => ({ in: "query", name: `a-${i}`, schema: text })),
        responses: ok(json(text))
      })
  ],
  "fields of one name in parts": [
    200,
    (count) => both({ allOf: numbers(count).map((i) => object({ a: { ...text, minLength: i }, [`p${i}`]: text })) })
  ],
  "variables of a path": [
    100,
    (count) =>
      document(
        {
          parameters: numbers(count).map((i) => ({ in: "path", name: `v${i}`, required: true, schema: text })),
          responses: ok(json(text))
        },
        {},
        numbers(count)
          .map((i) => `/{v${i}}`)
          .join("")
      )
  ],
  "variables of a path, declared nowhere": [
    100,
    (count) =>
      document(
        { responses: ok(json(text)) },
        {},
        numbers(count)
          .map((i) => `/{v${i}}`)
          .join("")
      )
  ],
  "variables of a path that are renamed": [
    100,
    (count) =>
      document(
        { responses: ok(json(text)) },
        {},
        numbers(count)
          .map((i) => `/{v-${i}}`)
          .join("")
      )
  ],
  "schemas that refer to the next": [
    1_000,
    (count) =>
      reading(ref("A0"), { ...named(count, "A", (i) => object({ next: ref(`A${i + 1}`) })), [`A${count}`]: text })
  ],
  "names of schemas that differ in case": [
    500,
    (count) => {
      const name = (i: number) =>
        Array.from("schemasofname", (letter, j) => ((i >> j) & 1 ? letter.toUpperCase() : letter)).join("")
      return reading(
        object(named(count, "p", (i) => ref(name(i)))),
        Object.fromEntries(numbers(count).map((i) => [name(i), object({ [`p${i}`]: text })]))
      )
    }
  ],
  "values of an enum": [5_000, (count) => both({ enum: numbers(count).map((i) => `v${i}`) })],
  "declared refusals": [
    50,
    (count) =>
      document({
        responses: {
          ...ok(json(text)),
          ...Object.fromEntries(
            numbers(count).map((i) => [
              String(400 + i),
              { description: "", content: json(object({ [`p${i}`]: text })) }
            ])
          )
        }
      })
  ],
  "schemas that bind another": [
    100,
    (count) =>
      reading(object(named(count, "p", (i) => ref(`B${i}`))), {
        Page: {
          ...object({ items: { type: "array", items: { $dynamicRef: "#T" } } }),
          $defs: { T: { $dynamicAnchor: "T" } }
        },
        ...named(count, "B", (i) => ({
          ...ref("Page"),
          $defs: { T: { $dynamicAnchor: "T", ...object({ [`p${i}`]: text }) } }
        }))
      })
  ],
  "security schemes": [
    200,
    (count) =>
      JSON.stringify({
        openapi: "3.1.0",
        paths: {
          "/x": {
            get: {
              operationId: "x",
              responses: ok(json(text)),
              security: numbers(count).map((i) => ({ [`s${i}`]: [] }))
            }
          }
        },
        components: { securitySchemes: named(count, "s", (i) => ({ type: "apiKey", in: "header", name: `h${i}` })) }
      })
  ]
}

/** The manifest of the last run, in which each field had another name. */
const renamed = (manifest: Manifest.Locked): Manifest.Locked =>
  JSON.parse(JSON.stringify(manifest).replaceAll(/"([^"]*)\.p(\d)/g, '"$1.old$2'))

const generated = (content: string) => () => {
  const { root, unread } = Effect.runSync(Bundle.read({ uri: "file:///document.yaml", content }, "document.yaml"))
  const { manifest } = generate(Document.make(root, unread), all)
  if (manifest.operations["POST /renamed"] !== undefined) Changes.between(renamed(manifest), manifest)
}

await Doubling.judge(
  Record.map(kinds, ([size, make]) => [size, (count: number) => generated(make(count))] as const),
  process.argv[2]
)
