import { describe, expect, it } from "@effect/vitest"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Record } from "effect"
import { afterAll } from "vitest"
import * as Bundle from "../src/read/Bundle.ts"
import { list, make, object, ok, ref, text } from "./document.ts"
import { read } from "../src/read/Content.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

type Content = object | string
const outside = mkdtempSync(join(tmpdir(), "bundle-"))
afterAll(() => rmSync(outside, { recursive: true, force: true }))

const write = (folder: string, files: Readonly<Record<string, Content>>) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content))
  }
}

/** Runs the command on files of a folder, of which `api/openapi.json` is the document. */
const generate = async (files: Readonly<Record<string, Content>>, folder = Folder.ofTest()) => {
  write(folder, files)
  const document = join(folder, "api/openapi.json")
  const output = join(folder, "out")
  const { code, error, out } = await Generated.run(document, "--out", output, "--format", "json", "--allow-empty")
  const { operations, omitted } = out === "" ? { operations: 0, omitted: [] } : JSON.parse(out)
  const names = existsSync(output) ? readdirSync(join(output, "operations")) : []
  const isTyped = names.every((name) => !readFileSync(join(output, "operations", name), "utf8").includes("Schema.Json"))
  return { code, error, operations, omitted, isTyped }
}
const bundle = (document: object) =>
  Effect.runSync(Bundle.read({ uri: "file:///api/openapi.json", content: JSON.stringify(document) }, "openapi.json"))
const unread = (document: object) => [...bundle(document).unread.keys()]
const done = { code: 0, operations: 1, omitted: [], isTyped: true }

const pet = object({ name: text }, ["name"])
const item = { get: { operationId: "pets", responses: ok(ref("Pet")) } }
const at = ($ref: string, rest: object = {}) => ({ $ref, ...rest })
const { paths: _, components: __, ...head } = make({ operations: {} })
const root = (paths: object, components: object = { schemas: { Pet: pet } }) => ({ ...head, paths, components })
const reading = (schema: object) => ({ "/pets": { get: { operationId: "pets", responses: ok(schema) } } })

describe("a document of several files", () => {
  it.each<readonly [what: string, root: object, beside: Readonly<Record<string, Content>>]>([
    [
      "paths",
      root(at("p.json")),
      {
        "p.json": { "/pets": at("pet.json#/path") },
        "pet.json": { path: { get: { responses: ok(at("openapi.json#/components/schemas/Pet")) } } }
      }
    ],
    [
      "paths in two steps",
      root(at("p.json")),
      { "p.json": at("q.json#/a"), "q.json": { a: { "/pets": { get: { responses: ok(text) } } } } }
    ],
    [
      "components",
      { ...root({ "/pets": item }), components: at("c.json") },
      { "c.json": { schemas: at("s.json") }, "s.json": { Pet: pet } }
    ],
    [
      "schemas beside one of its own",
      root({ "/pets": item }, { schemas: { $ref: "s.json", Own: pet } }),
      { "s.json": { Pet: object({ own: at("openapi.json#/components/schemas/Own") }) } }
    ],
    [
      "properties",
      root(reading({ type: "object", properties: at("p.json") })),
      { "p.json": { example: at("#/default"), default: text } }
    ],
    [
      "responses, a content and a media type",
      root({ "/pets": { get: { responses: at("r.json") } } }),
      {
        "r.json": {
          200: { description: "", content: at("#/c") },
          c: { "application/json": at("#/m") },
          m: { schema: pet }
        }
      }
    ],
    [
      "parameters",
      root({ "/pets": { get: { ...item.get, parameters: at("p.json") } } }),
      { "p.json": [at("#/1"), { in: "query", name: "q", schema: text }] }
    ],
    ["allOf", root(reading({ allOf: at("a.json") })), { "a.json": [pet] }],
    [
      "through a reference on the way",
      root(reading(at("#/components/schemas/Other/properties/name")), { schemas: { Other: at("s.json#/Pet") } }),
      { "s.json": { Pet: at("#/a"), a: pet } }
    ],
    [
      "../ in the present folder",
      root(reading(at("../schemas/pet.json"))),
      { "../schemas/pet.json": at("../api/openapi.json#/components/schemas/Pet") }
    ],
    ["escaped names", root(reading(at("a%20b.json#/x%20y"))), { "a b.json": { "x y": at("./a b.json#/z"), z: pet } }],
    [
      "a name that is written as in a URI",
      root(reading(at("s.json#/Pick_%22a%22/properties/b%20c"))),
      { "s.json": { "Pick_%22a%22": object({ "b c": at("#/Omit_%22a%22") }), "Omit_%22a%22": text } }
    ],
    [
      "a dead reference in an example",
      root(reading({ ...pet, example: at("no.json"), examples: [at("none.json")], default: at("no.json") })),
      {}
    ],
    [
      "a path in YAML, from another folder, with references from there",
      root({ "/pets": at("../parts/pets.yaml") }),
      {
        "../parts/pets.yaml":
          "get: { responses: { 200: { description: '', content: { application/json: { schema: { $ref: pet.json#/a } } } } } }",
        "../parts/pet.json": { a: at("#/b"), b: pet }
      }
    ],
    [
      "tags, aliases and merge keys of YAML",
      root(reading(at("s.yaml#/Pet"))),
      { "s.yaml": "a: &a { type: object }\nPet: !pet\n  <<: *a\n  properties: { b: *a, c: *a }\n" }
    ]
  ])("is generated, with the types that it describes: %s", async (_, root, beside) => {
    const files = Record.mapKeys(beside, (name) => join("api", name))
    expect(await generate({ "api/openapi.json": root, ...files })).toMatchObject(done)
  })

  it.each<readonly [what: string, yaml: string]>([
    ["closes at its key", "  v: [\n    1, 'a]'\n  ]\n  w: |\n    [\n  z: 2"],
    ["closes before it", "  v: [ # [\n 1,\n'a]' ]\n  w: >-\n    [\n  z: 2"],
    ["is JSON that begins anywhere", '  v: [\n1\n,\n"a]"\n]\n  w: "["\n  z: 2'],
    ["is in a list, with an anchor", "  v:\n  - &a 1\n  - 'a]'\n  w: &w [\n]\n  z: 2"],
    ["is in quotes that close at their key", '  v: [1, "a]"]\n  w: "a \\"\n  b: [\n\n  c"\n  z: 2'],
    ["is in single quotes", "  v:\n  - 1\n  - 'a]'\n  w: 'it''s\n  b: [''\nc' # '\n  z: 2"]
  ])("has brackets in YAML of which one %s", (_, yaml) => {
    expect(read(`a:\n${yaml}\n`, "a.yaml")).toMatchObject({ a: { v: [1, "a]"], w: expect.anything(), z: 2 } })
  })

  it("has texts in YAML that older readers take for booleans", () => {
    expect(read("[no, yes]", "a.yaml")).toEqual(["no", "yes"])
  })

  it("has the names of its files, also where two of them are equal", async () => {
    const folder = Folder.ofTest()
    const schema = object({ to: at("address.json"), from: at("sender.json#/definitions/Sender") })
    write(folder, {
      "api/openapi.json": root(reading(schema)),
      "api/address.json": pet,
      "api/sender.json": { definitions: { Sender: pet } }
    })
    await Generated.run(join(folder, "api/openapi.json"), "--out", join(folder, "out"))
    const code = readFileSync(join(folder, "out/responses.ts"), "utf8")
    expect(code.match(/(?:to|from)\?: .*/g)).toEqual(["to?: Address", "from?: Sender"])
  })

  it("has no references where a reader of OpenAPI expects none: a media type, the parts of a form, variables of a server", () => {
    const content = { "multipart/form-data": at("#/x-b/media"), "text/plain": at("#/x-b/media") }
    const paths = { "/pets": { post: { requestBody: { content: at("#/x-b/content") } } } }
    const document = {
      ...root(paths),
      servers: [{ url: "{a}", variables: at("#/x-b/variables") }],
      "x-b": {
        content,
        media: { encoding: at("#/x-b/encoding") },
        encoding: { file: at("#/x-b/file") },
        file: { contentType: "image/png" },
        variables: { a: at("#/x-b/variable") },
        variable: { default: "https://example.com" }
      }
    }
    const media = { encoding: { file: { contentType: "image/png" } } }
    expect(bundle(document).root).toMatchObject({
      servers: [{ variables: { a: { default: "https://example.com" } } }],
      paths: { "/pets": { post: { requestBody: { content: { "multipart/form-data": media, "text/plain": media } } } } }
    })
  })

  it("has no references in extensions", () => {
    const dead = at("no.json")
    const responses = { ...item.get.responses, "x-c": dead }
    const callbacks = { "x-d": dead, on: { "x-e": { $ref: "no.json", schema: dead } } }
    const get = { ...item.get, "x-b": dead, responses, callbacks }
    const document = { ...root({ "x-a": dead, "/pets": { get, "x-f": { schema: dead } } }), "x-g": [dead] }
    expect(unread(document)).toEqual([])
    // a name of the document's own
    expect(unread(root(reading(object({ "x-h": dead }))))).toEqual(["no.json"])
  })

  it("has other contents than the one that its keyword expects only where it says so", async () => {
    const Pet = object({ example: at("s.json#/a"), default: text, enum: text, value: at("s.json#/b") })
    const files = {
      "api/openapi.json": root(reading(ref("Pet")), { schemas: { Pet } }),
      "api/s.json": { a: text, b: pet }
    }
    expect(await generate(files)).toMatchObject(done)
  })

  it.each<readonly [what: string, reference: string, cause: RegExp]>([
    ["missing", "none.json", /^none\.json was not read: ENOENT$/],
    ["not JSON", "broken.json", /^broken\.json was not read: .*JSON/],
    [
      "outside the document's folder",
      "../secret.json",
      /^\.\.\/secret\.json was not read: it is outside the document's folder: run the command in a folder that has both$/
    ],
    ["outside, by a link", "link.json", /^link\.json was not read: it is outside/],
    [
      "on the web",
      "https://user:secret@example.com/x.json?token=secret",
      /^https:\/\/example\.com\/x\.json\?… was not read: the network is used only with --fetch$/
    ],
    ["of another scheme", "urn:pet", /^urn:pet was not read: /]
  ])("omits the operation that needs a file that is %s, and says why", async (_, reference, cause) => {
    write(outside, { "secret.json": text, "api/broken.json": "{" })
    rmSync(join(outside, "api/link.json"), { force: true })
    symlinkSync(join(outside, "secret.json"), join(outside, "api/link.json"))
    const paths = { ...reading(at(reference)), "/other": { get: { responses: ok(text) } } }
    const { operations, omitted } = await generate({ "api/openapi.json": root(paths) }, outside)
    expect([operations, omitted]).toEqual([1, [expect.objectContaining({ id: "pets", code: "external-ref" })]])
    expect(omitted[0].message).toMatch(cause)
  })

  it("does not read a hidden file outside the document's folder, and fails without its paths", async () => {
    const files = { "api/openapi.json": root(at("../.env.json")), ".env.json": {} }
    expect(await generate(files)).toMatchObject({
      code: 2,
      error: expect.stringContaining("paths: ../.env.json: it is hidden, and outside the document's folder")
    })
  })
})

const page = (T: string) => ({
  type: "object",
  properties: { items: list({ $dynamicRef: `#${T}` }), next: text },
  $defs: { [T]: { $dynamicAnchor: T, not: {} } }
})
const bound = (page: object, T: string, to: object) => ({ ...page, $defs: { [T]: { $dynamicAnchor: T, ...to } } })
const User = object({ user: text })
const Group = object({ group: text, users: ref("UserPage") })

describe("a schema that others bind", () => {
  it.each<readonly [what: string, schemas: object]>([
    [
      "with URIs",
      {
        Page: { $id: "page", ...page("T") },
        UserPage: { $id: "users", ...bound(at("page"), "T", ref("User")) },
        GroupPage: { $id: "groups", ...bound(at("page"), "T", at("openapi.json#/components/schemas/Group")) }
      }
    ],
    [
      "without URIs",
      {
        Page: page("T"),
        UserPage: bound(ref("Page"), "T", ref("User")),
        GroupPage: bound(ref("Page"), "T", ref("Group"))
      }
    ],
    [
      "through another one",
      {
        Page: page("T"),
        Middle: { allOf: [ref("Page"), object({ total: text })] },
        UserPage: bound(ref("Middle"), "T", ref("User")),
        GroupPage: bound({ allOf: [ref("Middle")] }, "T", ref("Group"))
      }
    ],
    [
      "in files",
      { UserPage: bound(at("page.json"), "T", ref("User")), GroupPage: bound(at("page.json"), "T", ref("Group")) }
    ]
  ])("has each meaning: %s", async (_, schemas) => {
    const paths = {
      "/users": { get: { responses: ok(ref("UserPage")) } },
      "/groups": { get: { responses: ok(ref("GroupPage")) } }
    }
    const folder = Folder.ofTest()
    write(folder, {
      "api/page.json": page("T"),
      "api/openapi.json": root(paths, { schemas: { User, Group, ...schemas } })
    })
    await Generated.run(join(folder, "api/openapi.json"), "--out", join(folder, "out"))
    const code = readFileSync(join(folder, "out/responses.ts"), "utf8")
    expect(code).toMatch(/interface (?:Page|Middle)OfUser \{/)
    expect(code.match(/items\?: .*/g)?.toSorted()).toEqual([
      "items?: ReadonlyArray<Group>",
      "items?: ReadonlyArray<User>"
    ])
  })

  it("is another tree, whose children are of its own kind", () => {
    const Tree = { $dynamicAnchor: "node", ...object({ children: list({ $dynamicRef: "#node" }) }) }
    const Named = { $dynamicAnchor: "node", ...ref("Tree"), ...object({ name: text }) }
    const { files } = Generated.of(
      root(reading(object({ plain: ref("Tree"), named: ref("Named") })), { schemas: { Tree, Named } })
    )
    expect(
      files
        .get("responses.ts")
        ?.match(/children\?: .*/g)
        ?.toSorted()
    ).toEqual(["children?: ReadonlyArray<Named>", "children?: ReadonlyArray<Tree>"])
  })

  it("has names that belong to the URI around them", () => {
    const one = (id: string, schema: object) => ({
      $id: id,
      ...object({ item: at("#item") }),
      $defs: { i: { $anchor: "item", ...schema } }
    })
    const schemas = {
      A: one("https://a.example/", object({ a: text })),
      B: one("https://b.example/", object({ b: text }))
    }
    const all = object({ a: ref("A"), b: ref("B"), other: at("https://b.example/#item") })
    const { files, omitted } = Generated.of(root(reading(all), { schemas }))
    expect(omitted).toEqual([])
    expect(files.get("responses.ts")?.match(/readonly (?:a|b|item|other)\?: .*/g)).toMatchInlineSnapshot(`
      [
        "readonly a?: string",
        "readonly item?: AI",
        "readonly b?: string",
        "readonly item?: BI",
        "readonly a?: A_",
        "readonly b?: B",
        "readonly other?: BI",
      ]
    `)
  })

  it("has so many meanings at most", () => {
    const names = Array.from({ length: 1_100 }, (_, i) => `U${i}`)
    const schemas = Object.fromEntries(names.map((name) => [name, bound(ref("Page"), "T", object({ [name]: text }))]))
    expect(() => Generated.of(root({}, { schemas: { Page: page("T"), ...schemas } }))).toThrow(
      "more than 1000 meanings"
    )
  })
})
