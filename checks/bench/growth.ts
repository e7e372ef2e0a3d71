/** What is bounded is refused with a message above some size. An argument chooses the kinds that contain it. */
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
const each = <A>(count: number, make: (i: number) => A) => Array.from({ length: count }, (_, i) => make(i))
const named = (count: number, prefix: string, make: (i: number) => unknown) =>
  Object.fromEntries(each(count, (i) => [`${prefix}${i}`, make(i)]))
const ok = (content: unknown) => ({ "200": { description: "", content } })
const json = (schema: unknown) => ({ "application/json": { schema } })
const object = (properties: object) => ({ type: "object", properties })
const one = (i: number) => object({ [`p${i}`]: text })
const limited = (i: number) => ({ ...text, minLength: i })
const document = (operation: object, schemas: object = {}, path = "/x", more: object = {}) =>
  JSON.stringify({
    openapi: "3.1.0",
    paths: { [path]: { post: { operationId: "x", responses: ok(json(text)), ...operation } } },
    components: { schemas, ...more }
  })
const reading = (schema: unknown, schemas?: object) => document({ responses: ok(json(schema)) }, schemas)
const both = (schema: unknown, schemas?: object) =>
  document({ requestBody: { content: json(schema) }, responses: ok(json(schema)) }, schemas)
const sending = (content: object, more: object = {}) => document({ requestBody: { content }, ...more })
const yaml = (lines: ReadonlyArray<string>) => `openapi: 3.1.0\npaths: {}\nx-data:\n${lines.join("\n")}\n`
/** Names that differ in case only. */
const cased = (name: string, i: number) =>
  Array.from(name, (letter, j) => ((i >> j) & 1 ? letter.toUpperCase() : letter)).join("")
const operations = (count: number, nameOf: (i: number) => string) =>
  JSON.stringify({
    openapi: "3.1.0",
    paths: named(count, "/p", (i) => ({ get: { operationId: nameOf(i), responses: ok(json(text)) } }))
  })
const variables = (count: number, name: string) => each(count, (i) => `/{${name}${i}}`).join("")
const declared = (count: number, name: string) =>
  each(count, (i) => ({ in: "path", name: `${name}${i}`, required: true, schema: text }))

const heirs = (mappingOf: (count: number) => unknown): readonly [number, (count: number) => string] => [
  100,
  (count) => {
    const discriminator = { propertyName: "kind", mapping: mappingOf(count) }
    const Base = { ...object({ kind: text }), required: ["kind"], discriminator }
    return both(ref("Base"), { Base, ...named(count, "H", (i) => ({ allOf: [ref("Base"), one(i)] })) })
  }
]

const kinds: Readonly<Record<string, readonly [size: number, make: (count: number) => string]>> = {
  "keys of YAML": [5_000, (count) => yaml(each(count, (i) => `  k${i}: v`))],
  "keys of YAML in braces": [5_000, (count) => yaml([`  {${each(count, (i) => `k${i}: v`).join(", ")}}`])],
  "aliases of YAML": [5_000, (count) => yaml(["  a: &a {}", ...each(count, (i) => `  k${i}: *a`)])],
  "anchors of YAML": [2_000, (count) => yaml(each(count, (i) => `  a${i}: &a${i} {}\n  k${i}: *a${i}`))],
  "merge keys of YAML": [2_000, (count) => yaml(["  a: &a { x: 1 }", ...each(count, (i) => `  k${i}: { <<: *a }`)])],
  operations: [500, (count) => operations(count, (i) => `op${i}`)],
  "operations of one name": [500, (count) => operations(count, () => "op")],
  "operations whose names differ in case": [500, (count) => operations(count, (i) => cased("operationname", i))],
  "media types of a request": [500, (count) => sending(named(count, "application/x", (i) => ({ schema: limited(i) })))],
  "JSON types of a request": [
    500,
    (count) => sending(named(count, "application/x+json;v=", (i) => ({ schema: one(i) })))
  ],
  "media types of a response": [
    500,
    (count) => document({ responses: ok(named(count, "application/x", (i) => ({ schema: limited(i) }))) })
  ],
  "heirs of a discriminator": heirs((count) => named(count, "k", (i) => ref(`H${i}`).$ref)),
  "heirs of a discriminator that names none": heirs(() => undefined),
  "alternatives with a discriminator": [
    50,
    (count) => {
      const Base = { oneOf: each(count, (i) => ref(`H${i}`)), discriminator: { propertyName: "kind" } }
      return both(ref("Base"), { Base, ...named(count, "H", (i) => object({ kind: text, [`p${i}`]: text })) })
    }
  ],
  "fields of an object": [2_000, (count) => both(object(named(count, "p", () => text)))],
  "fields with other names than the last time": [
    1_000,
    (count) => document({ responses: ok(json(object(named(count, "p", () => text)))) }, {}, "/renamed")
  ],
  "operations whose schemas lead in a circle, with other fields than the last time": [
    200,
    (count) => {
      const of = (i: number) => ({ post: { operationId: `op${i}`, responses: ok(json(ref(`A${i}`))) } })
      const paths = { ...named(count, "/p", of), "/renamed": of(0) }
      const schema = (i: number) => object({ [`p${i}`]: text, next: ref(`A${(i + 1) % count}`) })
      return JSON.stringify({ openapi: "3.1.0", paths, components: { schemas: named(count, "A", schema) } })
    }
  ],
  "fields that are renamed": [
    500,
    (count) =>
      sending(
        { "multipart/form-data": { schema: object(named(count, "p-", () => text)) } },
        { parameters: each(count, (i) => ({ in: "query", name: `a-${i}`, schema: text })) }
      )
  ],
  "fields of one name in parts": [
    200,
    (count) => both({ allOf: each(count, (i) => object({ a: limited(i), [`p${i}`]: text })) })
  ],
  "variables of a path": [100, (count) => document({ parameters: declared(count, "v") }, {}, variables(count, "v"))],
  "variables of a path, declared nowhere": [100, (count) => document({}, {}, variables(count, "v"))],
  "variables of a path that are renamed": [100, (count) => document({}, {}, variables(count, "v-"))],
  "schemas that refer to the next": [
    1_000,
    (count) =>
      reading(ref("A0"), { ...named(count, "A", (i) => object({ next: ref(`A${i + 1}`) })), [`A${count}`]: text })
  ],
  "names of schemas that differ in case": [
    500,
    (count) =>
      reading(
        object(named(count, "p", (i) => ref(cased("schemasofname", i)))),
        Object.fromEntries(each(count, (i) => [cased("schemasofname", i), one(i)]))
      )
  ],
  "values of an enum": [5_000, (count) => both({ enum: each(count, (i) => `v${i}`) })],
  "declared refusals": [
    50,
    (count) => {
      const refusals = each(count, (i) => [String(400 + i), { description: "", content: json(one(i)) }])
      return document({ responses: { ...ok(json(text)), ...Object.fromEntries(refusals) } })
    }
  ],
  "schemas that bind another": [
    100,
    (count) => {
      const binding = (T: object) => ({ $defs: { T: { $dynamicAnchor: "T", ...T } } })
      const items = { type: "array", items: { $dynamicRef: "#T" } }
      return reading(object(named(count, "p", (i) => ref(`B${i}`))), {
        Page: { ...object({ items }), ...binding({}) },
        ...named(count, "B", (i) => ({ ...ref("Page"), ...binding(one(i)) }))
      })
    }
  ],
  "security schemes": [
    200,
    (count) =>
      document({ security: each(count, (i) => ({ [`s${i}`]: [] })) }, {}, "/x", {
        securitySchemes: named(count, "s", (i) => ({ type: "apiKey", in: "header", name: `h${i}` }))
      })
  ]
}

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
