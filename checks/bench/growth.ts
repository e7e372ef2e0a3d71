/** Bounded input is refused with a message above some size. An argument chooses the kinds that contain it. */
import { Effect, Record } from "effect"
import * as Changes from "../../packages/generator/src/compare/Changes.ts"
import * as Bundle from "../../packages/generator/src/read/Bundle.ts"
import type * as Manifest from "../../packages/generator/src/compare/Manifest.ts"
import { body, list, make, object, ok, path, query, ref, text } from "../../packages/generator/test/document.ts"
import * as Generated from "../../packages/generator/test/Generated.ts"
import * as Api from "../../packages/generator/src/served/Api.ts"
import * as Values from "../../packages/generator/src/served/Values.ts"
import * as Doubling from "./doubling.ts"

type Kind = readonly [size: number, make: (count: number) => unknown]

const each = <A>(count: number, make: (i: number) => A) => Array.from({ length: count }, (_, i) => make(i))
const named = (count: number, prefix: string, make: (i: number) => object) =>
  Object.fromEntries(each(count, (i) => [`${prefix}${i}`, make(i)]))
const one = (i: number) => object({ [`p${i}`]: text })
const limited = (i: number) => ({ ...text, minLength: i })
const document = (operation: object, schemas: object = {}, path = "/x", components: object = {}) =>
  make({
    operations: { [`POST ${path}`]: { operationId: "x", responses: ok(text), ...operation } },
    schemas,
    components
  })
const reading = (schema: object, schemas?: object) => document({ responses: ok(schema) }, schemas)
const both = (schema: object, schemas?: object) =>
  document({ requestBody: body(schema), responses: ok(schema) }, schemas)
const sending = (content: object, more: object = {}) => document({ requestBody: { content }, ...more })
const yaml = (lines: ReadonlyArray<string>) => `openapi: 3.1.0\npaths: {}\nx-data:\n${lines.join("\n")}\n`
const cased = (name: string, i: number) =>
  Array.from(name, (letter, j) => ((i >> j) & 1 ? letter.toUpperCase() : letter)).join("")
const operations = (nameOf: (i: number) => string): Kind => [
  500,
  (count) => make({ operations: named(count, "GET /p", (i) => ({ operationId: nameOf(i), responses: ok(text) })) })
]
const variables = (name: string, isDeclared = true): Kind => [
  100,
  (count) => {
    const parameters = isDeclared && { parameters: each(count, (i) => path(`${name}${i}`)) }
    return document({ ...parameters }, {}, each(count, (i) => `/{${name}${i}}`).join(""))
  }
]
const heirs = (mappingOf: (count: number) => unknown): Kind => [
  100,
  (count) => {
    const discriminator = { propertyName: "kind", mapping: mappingOf(count) }
    const Base = { ...object({ kind: text }, ["kind"]), discriminator }
    return both(ref("Base"), { Base, ...named(count, "H", (i) => ({ allOf: [ref("Base"), one(i)] })) })
  }
]

const kinds: Readonly<Record<string, Kind>> = {
  "keys of YAML": [5_000, (count) => yaml(each(count, (i) => `  k${i}: v`))],
  "keys of YAML in braces": [5_000, (count) => yaml([`  {${each(count, (i) => `k${i}: v`).join(", ")}}`])],
  "aliases of YAML": [5_000, (count) => yaml(["  a: &a {}", ...each(count, (i) => `  k${i}: *a`)])],
  "anchors of YAML": [2_000, (count) => yaml(each(count, (i) => `  a${i}: &a${i} {}\n  k${i}: *a${i}`))],
  "merge keys of YAML": [2_000, (count) => yaml(["  a: &a { x: 1 }", ...each(count, (i) => `  k${i}: { <<: *a }`)])],
  operations: operations((i) => `op${i}`),
  "operations of one name": operations(() => "op"),
  "operations whose names differ in case": operations((i) => cased("operationname", i)),
  "media types of a request": [500, (count) => sending(named(count, "application/x", (i) => ({ schema: limited(i) })))],
  "JSON types of a request": [
    500,
    (count) => sending(named(count, "application/x+json;v=", (i) => ({ schema: one(i) })))
  ],
  "media types of a response": [
    500,
    (count) => {
      const content = named(count, "application/x", (i) => ({ schema: limited(i) }))
      return document({ responses: { "200": { description: "", content } } })
    }
  ],
  "heirs of a discriminator": heirs((count) => Object.fromEntries(each(count, (i) => [`k${i}`, ref(`H${i}`).$ref]))),
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
    (count) => document({ responses: ok(object(named(count, "p", () => text))) }, {}, "/renamed")
  ],
  "operations whose schemas lead in a circle, with other fields than the last time": [
    200,
    (count) => {
      const of = (i: number) => ({ operationId: `op${i}`, responses: ok(ref(`A${i}`)) })
      const schema = (i: number) => object({ [`p${i}`]: text, next: ref(`A${(i + 1) % count}`) })
      const operations = { ...named(count, "POST /p", of), "POST /renamed": of(0) }
      return make({ operations, schemas: named(count, "A", schema) })
    }
  ],
  "fields that are renamed": [
    500,
    (count) =>
      sending(
        { "multipart/form-data": { schema: object(named(count, "p-", () => text)) } },
        { parameters: each(count, (i) => query(`a-${i}`, text)) }
      )
  ],
  "fields of one name in parts": [
    200,
    (count) => both({ allOf: each(count, (i) => object({ a: limited(i), [`p${i}`]: text })) })
  ],
  "variables of a path": variables("v"),
  "variables of a path, declared nowhere": variables("v", false),
  "variables of a path that are renamed": variables("v-", false),
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
      const refusals = each(count, (i) => [String(400 + i), ok(one(i))["200"]])
      return document({ responses: { ...ok(text), ...Object.fromEntries(refusals) } })
    }
  ],
  "schemas that bind another": [
    100,
    (count) => {
      const binding = (T: object) => ({ $defs: { T: { $dynamicAnchor: "T", ...T } } })
      return reading(object(named(count, "p", (i) => ref(`B${i}`))), {
        Page: { ...object({ items: list({ $dynamicRef: "#T" }) }), ...binding({}) },
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

const generated = (document: unknown) => () => {
  const { manifest } = Generated.of(document)
  if (manifest.operations["POST /renamed"] !== undefined) Changes.between(renamed(manifest), manifest)
}

/** The kinds of which `verify` makes values, and their sizes. */
const served = {
  operations: 500,
  "alternatives with a discriminator": 50,
  "heirs of a discriminator": 100,
  "fields of an object": 500,
  // of more of these two, Ajv takes longer to write the code of one function
  "fields of one name in parts": 50,
  "names of schemas that differ in case": 100,
  "values of an enum": 5_000,
  "declared refusals": 50,
  "schemas that bind another": 100
}

const responded = (document: unknown) => () => {
  const content = JSON.stringify(document)
  const { operations, schemas } = Api.read(Effect.runSync(Bundle.read({ uri: "file:///x.json", content }, "x")).root)
  const { values } = Values.maker(schemas)
  for (const { read } of operations)
    for (const { contents } of read().responses)
      for (const { schema } of contents) values(schema, { side: "response", isFull: true })
}

await Doubling.judge(
  {
    ...Record.map(kinds, ([size, make]) => [size, (count: number) => generated(make(count))] as const),
    ...Record.mapEntries(served, (size, kind) => [
      `verify: ${kind}`,
      [size, (count: number) => responded(kinds[kind]?.[1](count))] as const
    ])
  },
  process.argv[2]
)
