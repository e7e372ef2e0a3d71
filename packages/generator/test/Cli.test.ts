import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import * as Cli from "../src/Cli.ts"
import * as Output from "../src/Output.ts"
import * as Folder from "./Folder.ts"

const pets = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets/{id}": {
      get: {
        operationId: "readPet",
        summary: "Read a pet",
        tags: ["Pets"],
        parameters: [{ in: "path", name: "id", required: true, schema: { type: "string" } }],
        responses: {
          "200": { description: "", content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
          "404": { description: "" }
        }
      }
    }
  },
  components: {
    schemas: { Pet: { type: "object", description: "", required: ["id"], properties: { id: { type: "string" } } } }
  }
}

/** Runs the command on a document in a folder; `--out` is `out` there. */
const run = (folder: string, document: unknown, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const file = join(folder, "document.json")
    writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document))
    let out = ""
    let error = ""
    const code = await Cli.run([file, "--out", join(folder, "out"), ...args], {
      out: (text) => (out += text),
      error: (text) => (error += text),
      isTerminal: false
    })
    return { code, out, error }
  })

const files = (folder: string) =>
  Object.fromEntries(
    globSync("out/**/*.{ts,json}", { cwd: folder })
      .toSorted()
      .map((file) => [file, readFileSync(join(folder, file), "utf8")])
  )

describe("the command", () => {
  it.effect("writes a module per group, both sides, refusals, the registry and the manifest", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      expect(yield* run(folder, pets)).toEqual({ code: 0, out: "1 operation, 0 refused, 0 warnings\n", error: "" })
      expect(Object.keys(files(folder))).toEqual([
        "out/answers.ts",
        "out/index.ts",
        "out/manifest.json",
        "out/operations/pets.ts",
        "out/refusals.ts",
        "out/requests.ts"
      ])
      expect(Object.values(files(folder)).join("")).not.toMatch(/\/\*\*\s*\*\//)
      mkdirSync(join(folder, "other"))
      expect(statSync(join(folder, "out")).mode).toBe(statSync(join(folder, "other")).mode)
    })
  )

  it.effect("writes the same bytes each time, and --check finds no difference, also where Git changed line ends", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      yield* run(folder, pets)
      const first = files(folder)
      yield* run(folder, pets)
      expect(files(folder)).toEqual(first)
      expect(yield* run(folder, pets, "--check")).toMatchObject({ code: 0 })
      for (const [name, content] of Object.entries(first))
        writeFileSync(join(folder, name), content.replaceAll("\n", "\r\n"))
      expect(yield* run(folder, pets, "--check")).toMatchObject({ code: 0 })
    })
  )

  it.effect("--check writes nothing, and names what changed", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      yield* run(folder, pets)
      const first = files(folder)
      const { code, out } = yield* run(folder, { ...pets, paths: {} }, "--check")
      expect(code).toBe(1)
      expect(out).toContain("removed readPet (breaking)")
      expect(files(folder)).toEqual(first)
    })
  )

  it.effect("names an option that it does not know, and where to read which it knows", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      expect(yield* run(folder, pets, "--exlude", "x")).toEqual({
        code: 2,
        out: "",
        error: "error: Unknown option '--exlude'; --help shows how\n"
      })
    })
  )

  it.each([
    ["no document", "{", "document.json"],
    ["no object", "[]", "not an OpenAPI document"],
    ["Swagger", { swagger: "2.0" }, "swagger: 2.0; OpenAPI 3.0, 3.1 and 3.2 can be read"],
    ["an alias inside itself", "openapi: 3.1.0\npaths: &a\n  b: *a\n", "an alias contains itself"]
  ])("exits with 2 if it cannot read the document: %s", (_, document, problem) =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      const { code, error } = yield* run(folder, document)
      expect(code).toBe(2)
      expect(error).toContain(problem)
      expect(existsSync(join(folder, "out"))).toBe(false)
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  it.effect("reads YAML, and files that it refers to by relative paths, each once", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      mkdirSync(join(folder, "parts"))
      const parts = {
        "pets.yaml": `get:
  operationId: listPets
  tags: [Pets]
  parameters: [{ in: query, name: on, schema: { $ref: "../parts/schemas.json#/Flag" } }]
  responses:
    200: { description: "", content: { application/json: { schema: { $ref: "schemas.json#/Pets" } } } }
`,
        "schemas.json": JSON.stringify({
          Flag: { type: "string", enum: ["no", "yes"] },
          Pets: { type: "array", items: { $ref: "#/Pet" } },
          Pet: { type: "object", properties: { name: { type: "string" }, friend: { $ref: "#/Pet" } } }
        })
      }
      for (const [name, content] of Object.entries(parts)) writeFileSync(join(folder, "parts", name), content)
      const document =
        "openapi: 3.1.0\ninfo: { title: Pets, version: '1' }\npaths:\n  /pets:\n    $ref: parts/pets.yaml\n"
      expect(yield* run(folder, document)).toMatchObject({ code: 0, out: "1 operation, 0 refused, 0 warnings\n" })
      expect(files(folder)["out/answers.ts"]).toContain("export interface Pet {")
    })
  )

  it.effect("follows names of schemas, each in its file, to the schema that a pointer leads to", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      const other = {
        Dog: { $anchor: "pet", $dynamicAnchor: "any", type: "object", properties: { dog: { $dynamicRef: "#any" } } },
        Tree: { $recursiveAnchor: true, type: "object", properties: { tree: { $recursiveRef: "#" } } },
        Both: { type: "object", properties: { own: { $ref: "#pet" }, root: { $ref: "document.json#pet" } } }
      }
      writeFileSync(join(folder, "other.json"), JSON.stringify(other))
      const get = ($ref: string) => ({
        get: { responses: { "200": { description: "", content: { "application/json": { schema: { $ref } } } } } }
      })
      const references = ["#pet", "other.json#pet", "other.json#/Tree", "other.json#/Both", "#none", "other.json#none"]
      const paths = Object.fromEntries(references.map((reference, i) => [`/${i}`, get(reference)]))
      const Cat = {
        $anchor: "pet",
        $dynamicAnchor: "any",
        type: "object",
        properties: { cat: { $dynamicRef: "#any" } }
      }
      const { out } = yield* run(folder, { ...pets, paths, components: { schemas: { Cat } } })
      expect(out.match(/refused .*/g)).toEqual([
        "refused GET /4: reference #/paths/~14/get/responses/200/content/application~1json/schema: #none leads nowhere",
        "refused GET /5: reference #/paths/~15/get/responses/200/content/application~1json/schema: #/x-files/other.json#none leads nowhere"
      ])
      const answers = files(folder)["out/answers.ts"]
      expect(answers?.match(/readonly .*/g)).toEqual(
        ["cat?: Cat", "dog?: Dog", "tree?: Tree", "own?: Dog", "root?: Cat"].map((field) => `readonly ${field}`)
      )
    })
  )

  it.effect("follows the mapping of a discriminator to other files", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      const pet = { type: "object", required: ["kind"], properties: { kind: { type: "string" } } }
      const $ref = "document.json#/components/schemas/Pet"
      for (const name of ["cat", "dog"])
        writeFileSync(join(folder, `${name}.json`), JSON.stringify({ allOf: [{ $ref }], properties: { [name]: {} } }))
      const Pet = { ...pet, discriminator: { propertyName: "kind", mapping: { c: "cat.json", d: "./dog.json" } } }
      const content = { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } }
      const paths = { "/pet": { get: { operationId: "pet", responses: { "200": { description: "", content } } } } }
      yield* run(folder, { ...pets, paths, components: { schemas: { Pet } } })
      expect(files(folder)["out/answers.ts"]?.match(/kind: Schema.*/g)).toEqual(
        ["c", "d"]
          .map((kind) => `kind: Schema.Literal("${kind}"), `)
          .map((text) => expect.stringContaining(text.slice(0, -2)))
      )
    })
  )

  it.effect("a file outside the document's folder is not read: the operation is refused", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      mkdirSync(join(folder, "inside"))
      writeFileSync(join(folder, "secret.json"), JSON.stringify({ type: "string" }))
      symlinkSync(join(folder, "secret.json"), join(folder, "inside/link.json"))
      const get = (operationId: string, $ref: string) => ({
        get: {
          operationId,
          responses: { "200": { description: "", content: { "application/json": { schema: { $ref } } } } }
        }
      })
      const paths = {
        "/a": get("a", "../secret.json"),
        "/b": get("b", "link.json"),
        "/c": get("c", "https://example.com/x")
      }
      const { out } = yield* run(join(folder, "inside"), { ...pets, paths })
      expect(out.match(/refused \w: external-ref/g)).toEqual(["a", "b", "c"].map((id) => `refused ${id}: external-ref`))
    })
  )

  it.effect("uses the network only with --fetch, for the document and what it refers to", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      const schema = { $ref: "parts/pet.json#/Pet" }
      const document = { ...pets, components: { schemas: { Pet: schema } } }
      const contents = new Map<string, unknown>([
        ["/api/openapi.json", document],
        ["/api/parts/pet.json", { Pet: { type: "object", properties: { friend: { $ref: "#/Pet" } } } }]
      ])
      const server = createServer(({ url = "" }, response) => response.end(JSON.stringify(contents.get(url))))
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close())
      )
      const address = server.address()
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/api/openapi.json`
      const start = (...args: ReadonlyArray<string>) =>
        Effect.promise(async () => {
          let out = ""
          const streams = {
            out: (text: string) => (out += text),
            error: (text: string) => (out += text),
            isTerminal: false
          }
          const code = await Cli.run(args, streams)
          return { code, out }
        })
      const generate = [url, "--out", join(folder, "out")]
      expect(yield* start(...generate)).toMatchObject({ code: 2, out: expect.stringContaining("--fetch") })
      expect(yield* start(...generate, "--fetch")).toEqual({ code: 0, out: "1 operation, 0 refused, 0 warnings\n" })
      expect(yield* start("verify", url, join(folder, "out"), "--fetch")).toMatchObject({ code: 0 })
      expect(files(folder)["out/answers.ts"]).toContain("readonly friend?: Pet")
    })
  )

  it.effect("a patch changes the document; each change has a reason, and a test of what it takes away", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      const patch = (...operations: ReadonlyArray<object>) => {
        writeFileSync(join(folder, "patch.json"), JSON.stringify(operations))
        return run(folder, pets, "--patch", join(folder, "patch.json"))
      }
      const path = "/paths/~1pets~1{id}/get/operationId"
      const replace = { op: "replace", path, value: "getPet" }
      expect(yield* patch(replace)).toMatchObject({ code: 2, error: expect.stringContaining("has no reason") })
      const reason = "the service calls it getPet"
      expect(yield* patch({ ...replace, reason })).toMatchObject({
        code: 2,
        error: expect.stringContaining("needs a test")
      })
      expect(yield* patch({ op: "test", path, value: "other", reason }, replace)).toMatchObject({
        code: 4,
        error: expect.stringContaining(reason)
      })
      expect(existsSync(join(folder, "out"))).toBe(false)
      expect(yield* patch({ op: "test", path, value: "readPet", reason }, replace)).toMatchObject({ code: 0 })
      expect(files(folder)["out/operations/pets.ts"]).toContain("export const getPet: GetPet")
      const verify = ["verify", join(folder, "document.json"), join(folder, "out")]
      let error = ""
      const streams = { out: () => undefined, error: (text: string) => (error += text), isTerminal: false }
      const patchOption = ["--patch", join(folder, "patch.json")]
      expect(yield* Effect.promise(() => Cli.run(verify, streams))).toBe(2)
      expect(error).toContain(patchOption.join(" "))
      expect(yield* Effect.promise(() => Cli.run([...verify, ...patchOption], streams))).toBe(0)
      writeFileSync(join(folder, "document.json"), JSON.stringify({ ...pets, paths: {} }))
      expect(yield* Effect.promise(() => Cli.run([...verify, ...patchOption], streams))).toBe(4)
      const infinite = "openapi: 3.1.0\npaths: {}\nx-limit: .inf\n"
      expect(yield* run(folder, infinite, ...patchOption)).toMatchObject({
        code: 2,
        error: expect.stringContaining(".inf")
      })
    })
  )

  it.effect("exits with 3 if more operations are refused than the last time, or than --max-refused allows", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      yield* run(folder, pets)
      const responses = { "101": { description: "" } }
      const worse = { ...pets, paths: { ...pets.paths, "/x": { get: { operationId: "x", responses } } } }
      expect(yield* run(folder, worse)).toMatchObject({ code: 3 })
      expect(files(folder)["out/index.ts"]).not.toContain("success-count")
      expect(yield* run(folder, worse, "--max-refused", "1")).toMatchObject({ code: 0 })
      expect(files(folder)["out/index.ts"]).toContain("success-count")
    })
  )

  it.effect("includes and excludes by ID, tag and path", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      const operation = (operationId: string, tag: string) => ({
        get: { operationId, tags: [tag], responses: { "204": { description: "" } } }
      })
      const paths = { "/a/1": operation("a.one", "A"), "/a/2": operation("a.two", "A"), "/b": operation("b", "B") }
      const chosen = (...args: ReadonlyArray<string>) =>
        Effect.map(run(folder, { ...pets, paths }, "--format", "json", "--check", ...args), ({ out }) => {
          const { changes } = JSON.parse(out)
          return changes.map(({ id }: { readonly id: string }) => id)
        })
      expect(yield* chosen("--include", "a.*")).toEqual(["a.one", "a.two"])
      expect(yield* chosen("--include", "tag:A", "--exclude", "/*/2")).toEqual(["a.one"])
      expect(yield* chosen("--exclude", "tag:A")).toEqual(["b"])
      const misspelt = yield* run(folder, { ...pets, paths }, "--include", "tag:a")
      expect(misspelt).toEqual({ code: 2, out: "", error: expect.stringContaining("leave no operation") })
      expect(files(folder)).toEqual({})
    })
  )

  it.effect("an interrupted run leaves the old folder whole", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      yield* run(folder, pets)
      const before = files(folder)
      const generated = new Map([
        ["index.ts", "new"],
        ["\0", "cannot be written"]
      ])
      expect(() => Output.write(join(folder, "out"), generated)).toThrow("null bytes")
      expect(files(folder)).toEqual(before)
      expect(globSync(".out*", { cwd: folder })).toEqual([])
    })
  )

  it.effect("reads a document from standard input", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      const main = join(import.meta.dirname, "../src/internal/main.ts")
      const args = [main, "-", "--out", join(folder, "out")]
      const { stderr, stdout } = spawnSync(process.execPath, args, { input: JSON.stringify(pets), encoding: "utf8" })
      expect([stdout, stderr]).toEqual(["1 operation, 0 refused, 0 warnings\n", ""])
      expect(Object.keys(files(folder))).toContain("out/operations/pets.ts")
    })
  )

  it("states the version of its package", async () => {
    let out = ""
    const streams = { out: (text: string) => (out += text), error: () => undefined, isTerminal: false }
    expect(await Cli.run(["--version"], streams)).toBe(0)
    const manifest = readFileSync(join(import.meta.dirname, "../package.json"), "utf8")
    expect(out).toBe(`cloud-management-generate v${JSON.parse(manifest).version}\n`)
  })

  it.effect("keeps what it does not own", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      writeFileSync(join(folder, "document.json"), JSON.stringify(pets))
      const error: Array<string> = []
      const args = [join(folder, "document.json"), "--out", folder]
      const streams = { out: () => undefined, error: (text: string) => error.push(text), isTerminal: false }
      expect(yield* Effect.promise(() => Cli.run(args, streams))).toBe(2)
      expect(error.join("")).toContain("has files but no manifest.json")
    })
  )
})
