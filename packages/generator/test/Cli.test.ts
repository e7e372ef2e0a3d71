import { describe, expect, it, onTestFinished } from "vitest"
import { execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { text as readAll } from "node:stream/consumers"
import { promisify } from "node:util"
import * as Listener from "../../../checks/fixtures/Listener.ts"
import { empty, make, object, ok, path, put, ref, text } from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

const pets = make({
  operations: {
    "GET /pets/{id}": {
      operationId: "readPet",
      summary: "Read a pet",
      tags: ["Pets"],
      parameters: [path("id")],
      responses: { ...ok(ref("Pet")), "404": empty }
    }
  },
  schemas: { Pet: { ...object({ id: text }, ["id"]), description: "" } }
})

const main = join(import.meta.dirname, "../src/internal/main.ts")

const started = (args: ReadonlyArray<string>, options: object = {}) =>
  spawnSync(process.execPath, args, { encoding: "utf8", ...options })

/** Runs the command on a document in a folder; `--out` is `out` there. */
const run = (folder: string, document: unknown, ...args: ReadonlyArray<string>) => {
  const file = join(folder, "document.json")
  writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document))
  return Generated.run(file, "--out", join(folder, "out"), ...args)
}

const done = { code: 0, out: "1 operation, 0 omitted, 0 warnings\n", error: "" }

const files = (folder: string) =>
  Object.fromEntries(
    globSync("out/**/*.{ts,json}", { cwd: folder })
      .toSorted()
      .map((file) => [file, readFileSync(join(folder, file), "utf8")])
  )

describe("the command", () => {
  it("writes a module per group, both sides, refusals, the registry and the manifest", async () => {
    const folder = Folder.ofTest()
    expect(await run(folder, pets)).toEqual(done)
    expect(Object.keys(files(folder))).toEqual([
      "out/api.ts",
      "out/index.ts",
      "out/manifest.json",
      "out/operations/pets.ts",
      "out/refusals.ts",
      "out/requests.ts",
      "out/responses.ts"
    ])
    expect(Object.values(files(folder)).join("")).not.toMatch(/\/\*\*\s*\*\//)
    mkdirSync(join(folder, "other"))
    expect(statSync(join(folder, "out")).mode).toBe(statSync(join(folder, "other")).mode)
  })

  it("writes the same bytes each time, and --check finds no difference, also where Git changed line ends", async () => {
    const folder = Folder.ofTest()
    await run(folder, pets)
    const first = files(folder)
    await run(folder, pets)
    expect(files(folder)).toEqual(first)
    expect(await run(folder, pets, "--check")).toMatchObject({ code: 0 })
    for (const [name, content] of Object.entries(first))
      writeFileSync(join(folder, name), content.replaceAll("\n", "\r\n"))
    expect(await run(folder, pets, "--check")).toMatchObject({ code: 0 })
  })

  it("--check writes nothing, and names what changed", async () => {
    const folder = Folder.ofTest()
    await run(folder, pets)
    const first = files(folder)
    const { code, out } = await run(folder, { ...pets, paths: {} }, "--check")
    expect(code).toBe(1)
    expect(out).toContain("removed readPet (breaking)")
    expect(files(folder)).toEqual(first)
  })

  it("keeps a folder that would lose more than half of its operations, and writes none without any", async () => {
    const folder = Folder.ofTest()
    const three = make({ operations: { "GET /a": {}, "GET /b": {}, "GET /c": {} } })
    const { "/a": _, "/b": __, ...one } = three.paths
    expect(await run(folder, { ...three, paths: {} })).toMatchObject({
      code: 2,
      error:
        "error: the paths of the document have no operation: name a document that has some, such as one that refers to this; see --allow-empty\n"
    })
    const traced = make({ operations: { "TRACE /a": {} } })
    expect(await run(folder, traced)).toMatchObject({
      code: 2,
      error: "error: all operations of the document are omitted, for the reasons above; see --allow-empty\n"
    })
    expect(existsSync(join(folder, "out"))).toBe(false)
    expect(await run(folder, three)).toMatchObject({ code: 0 })
    const before = files(folder)
    for (const [paths, count] of [
      [{}, 0],
      [one, 1]
    ] as const) {
      const document = { ...three, paths }
      const error = `error: ${join(folder, "out")} has 3 operations, and would have ${count}; see --allow-empty\n`
      expect(await run(folder, document)).toMatchObject({ code: 2, error })
      expect(files(folder)).toEqual(before)
    }
    expect(await run(folder, { ...three, paths: one }, "--allow-empty")).toMatchObject({ code: 0 })
    expect(await run(folder, { ...three, paths: {} }, "--allow-empty")).toMatchObject({ code: 0 })
  })

  it("names an option that it does not know, or that another command has, and where to read which it knows", async () => {
    const unknown = (option: string) => ({
      code: 2,
      out: "",
      error: `error: Unknown option '${option}'; --help shows how\n`
    })
    expect(await run(Folder.ofTest(), pets, "--exlude", "x")).toEqual(unknown("--exlude"))
    expect(await Generated.run("mock", "document.json", "--include", "x")).toEqual(unknown("--include"))
  })

  it.each([
    ["no document", "{", "document.json"],
    ["no object", "[]", "not an OpenAPI document"],
    ["Swagger", { swagger: "2.0" }, 'swagger: "2.0"; convert it first: npx swagger2openapi '],
    ["another version", { openapi: "4.0.0" }, 'openapi: "4.0.0"; OpenAPI 3.0, 3.1 and 3.2 can be read'],
    ["an alias inside itself", "openapi: 3.1.0\npaths: &a\n  b: *a\n", "an alias contains itself"]
  ])("exits with 2 if it cannot read the document: %s", async (_, document, problem) => {
    const folder = Folder.ofTest()
    const { code, error } = await run(folder, document)
    expect(code).toBe(2)
    expect(error).toContain(problem)
    expect(existsSync(join(folder, "out"))).toBe(false)
  })

  it("follows names of schemas, each in its file, to the schema that a pointer leads to", async () => {
    const folder = Folder.ofTest()
    const other = {
      Dog: { $anchor: "pet", $dynamicAnchor: "any", ...object({ dog: { $dynamicRef: "#any" } }) },
      Tree: { $recursiveAnchor: true, ...object({ tree: { $recursiveRef: "#" } }) },
      Both: object({ own: { $ref: "#pet" }, root: { $ref: "document.json#pet" } })
    }
    writeFileSync(join(folder, "other.json"), JSON.stringify(other))
    const get = ($ref: string) => ({ get: { responses: ok({ $ref }) } })
    const references = ["#pet", "other.json#pet", "other.json#/Tree", "other.json#/Both", "#none", "other.json#none"]
    const paths = Object.fromEntries(references.map((reference, i) => [`/${i}`, get(reference)]))
    const Cat = { $anchor: "pet", $dynamicAnchor: "any", ...object({ cat: { $dynamicRef: "#any" } }) }
    const { out } = await run(folder, { ...pets, paths, components: { schemas: { Cat } } })
    expect(out.match(/omitted .*/g)).toEqual([
      "omitted GET /4: reference #/paths/~14/get/responses/200/content/application~1json/schema: #none leads nowhere; a patch can add what is missing, or replace the reference",
      "omitted GET /5: reference #/paths/~15/get/responses/200/content/application~1json/schema: #/x-files/other.json#none leads nowhere; a patch can add what is missing, or replace the reference"
    ])
    const responses = files(folder)["out/responses.ts"]
    expect(responses?.match(/readonly .*/g)).toEqual(
      ["cat?: Cat", "dog?: Dog", "tree?: Tree", "own?: Dog", "root?: Cat"].map((field) => `readonly ${field}`)
    )
  })

  it("follows the mapping of a discriminator to other files", async () => {
    const folder = Folder.ofTest()
    const $ref = "document.json#/components/schemas/Pet"
    for (const name of ["cat", "dog"])
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ allOf: [{ $ref }], properties: { [name]: {} } }))
    const discriminator = { propertyName: "kind", mapping: { c: "cat.json", d: "./dog.json" } }
    const Pet = { ...object({ kind: text }, ["kind"]), discriminator }
    const document = make({ operations: { "GET /pet": { responses: ok(ref("Pet")) } }, schemas: { Pet } })
    await run(folder, document)
    const kinds = [...(files(folder)["out/responses.ts"] ?? "").matchAll(/kind: Schema.Literal\("(.)"\)/g)]
    expect(kinds.map(([, kind]) => kind)).toEqual(["c", "d"])
  })

  it("uses the network only with --fetch, for the document and what it refers to", async () => {
    const folder = Folder.ofTest()
    const schema = { $ref: "parts/pet.json#/Pet" }
    const document = { ...pets, components: { schemas: { Pet: schema } } }
    const contents = new Map<string, unknown>([
      ["/api/openapi.json", document],
      ["/api/parts/pet.json", { Pet: { type: "object", properties: { friend: { $ref: "#/Pet" } } } }]
    ])
    const server = createServer(({ url = "" }, response) => response.end(JSON.stringify(contents.get(url))))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${await Listener.listen(server)}/api/openapi.json`
    const generate = [url, "--out", join(folder, "out")]
    expect(await Generated.run(...generate)).toMatchObject({ code: 2, error: expect.stringContaining("--fetch") })
    expect(await Generated.run(...generate, "--fetch")).toEqual(done)
    expect(await Generated.run("verify", url, join(folder, "out"), "--fetch")).toMatchObject({ code: 0 })
    expect(files(folder)["out/responses.ts"]).toContain("readonly friend?: Pet")
    // Vitest finds names in modules of CommonJS that Node.js does not
    const args = [main, url, "--out", join(folder, "process"), "--fetch"]
    expect((await promisify(execFile)(process.execPath, args)).stdout).toBe(done.out)
  })

  it("says which name stays though the ID is another, and takes the one that is written into the manifest", async () => {
    const folder = Folder.ofTest()
    await run(folder, pets)
    const renamed = JSON.stringify(pets).replaceAll("readPet", "findPet")
    const stays = `findPet: its ID was readPet; its name stays pets.read: change it in ${join(folder, "out")}/manifest.json\n`
    expect(await run(folder, JSON.parse(renamed))).toMatchObject({
      code: 0,
      out: `${stays}1 operation, 0 omitted, 0 warnings\n`
    })
    expect(await run(folder, JSON.parse(renamed))).toMatchObject({ out: "1 operation, 0 omitted, 0 warnings\n" })
    const manifest = join(folder, "out", "manifest.json")
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"name": "read"', '"name": "find"'))
    expect(await run(folder, JSON.parse(renamed))).toMatchObject({ code: 0 })
    expect(files(folder)["out/operations/pets.ts"]).toContain("export const find: Find =")
  })

  it("a patch changes the document; each change has a reason, and a test of what it takes away", async () => {
    const folder = Folder.ofTest()
    const patch = (...operations: ReadonlyArray<object>) => {
      writeFileSync(join(folder, "patch.json"), JSON.stringify(operations))
      return run(folder, pets, "--patch", join(folder, "patch.json"))
    }
    const path = "/paths/~1pets~1{id}/get/operationId"
    const replace = { op: "replace", path, value: "getPet" }
    expect(await patch(replace)).toMatchObject({ code: 2, error: expect.stringContaining("has no reason") })
    const reason = "the service calls it getPet"
    const says = (code: number, text: string) => ({ code, error: expect.stringContaining(text) })
    expect(await patch({ ...replace, reason })).toMatchObject(says(2, "needs a test"))
    const because = `${path} is "readPet" (the patch is there because: ${reason})`
    expect(await patch({ op: "test", path, value: "other", reason }, replace)).toMatchObject(says(4, because))
    const isThere = `${path} is there already; test its value, and replace it`
    expect(await patch({ ...replace, op: "add", reason })).toMatchObject(says(4, isThere))
    expect(existsSync(join(folder, "out"))).toBe(false)
    expect(await patch({ op: "test", path, value: "readPet", reason }, replace)).toMatchObject({ code: 0 })
    expect(files(folder)["out/operations/pets.ts"]).toContain("export const get: Get =")
    const verify = (...args: ReadonlyArray<string>) =>
      Generated.run("verify", join(folder, "document.json"), join(folder, "out"), ...args)
    const patchOption = ["--patch", join(folder, "patch.json")]
    expect(await verify()).toMatchObject(says(2, patchOption.join(" ")))
    expect(await verify(...patchOption)).toMatchObject({ code: 0, error: "" })
    const grown = { ...pets, paths: { ...pets.paths, "/more": { get: { responses: { 204: { description: "" } } } } } }
    writeFileSync(join(folder, "document.json"), JSON.stringify(grown))
    expect(await verify(...patchOption)).toMatchObject(says(1, "was generated from another document"))
    writeFileSync(join(folder, "document.json"), JSON.stringify({ ...pets, paths: {} }))
    expect(await verify(...patchOption)).toMatchObject({ code: 4 })
    const infinite = "openapi: 3.1.0\npaths: {}\nx-limit: .inf\n"
    expect(await run(folder, infinite, ...patchOption)).toMatchObject(says(2, ".inf"))
  })

  it("exits with 3 if more operations are omitted than the last time, or than --max-omitted allows", async () => {
    const folder = Folder.ofTest()
    await run(folder, pets)
    const worse = { ...pets, paths: { ...pets.paths, "/x": { trace: { operationId: "x" } } } }
    expect(await run(folder, worse)).toMatchObject({ code: 3 })
    expect(files(folder)["out/index.ts"]).not.toContain("method TRACE")
    expect(await run(folder, worse, "--max-omitted", "1")).toMatchObject({ code: 0 })
    expect(files(folder)["out/index.ts"]).toContain("method TRACE")
  })

  it("includes and excludes by ID, tag and path", async () => {
    const folder = Folder.ofTest()
    const document = make({
      operations: Object.fromEntries(
        ["A /a/1 a.one", "A /a/2 a.two", "B /b b"].map((row) => {
          const [tag, path, operationId] = row.split(" ")
          return [`GET ${path}`, { operationId, tags: [tag] }]
        })
      )
    })
    const chosen = async (...args: ReadonlyArray<string>) => {
      const { out } = await run(folder, document, "--format", "json", "--check", ...args)
      return JSON.parse(out).changes.map(({ id }: { readonly id: string }) => id)
    }
    expect(await chosen("--include", "a.*")).toEqual(["a.one", "a.two"])
    expect(await chosen("--include", "tag:A", "--exclude", "/*/2")).toEqual(["a.one"])
    expect(await chosen("--exclude", "tag:A")).toEqual(["b"])
    const misspelt = await run(folder, document, "--include", "tag:a")
    expect(misspelt).toEqual({ code: 2, out: "", error: expect.stringContaining("leave no operation") })
    expect(files(folder)).toEqual({})
  })

  it("names the first places of equal warnings, and how many more there are; as JSON, all of them", async () => {
    const folder = Folder.ofTest()
    const slow = { type: "string", pattern: "^(a|a)*$" }
    const fields = object({ a: slow, b: { ...slow, pattern: "^(b|b)*$" }, c: slow, d: slow, e: slow, f: slow })
    const document = make({ operations: put("x", fields) })
    const { out } = await run(folder, document)
    expect(out.split("\n").filter((line) => line.startsWith("warning"))).toEqual([
      expect.stringMatching(/^warning pattern \S+a\/pattern, \S+c\/pattern, \S+d\/pattern, 2 more: "\^\(a/),
      expect.stringMatching(/^warning pattern \S+b\/pattern: "\^\(b/)
    ])
    expect(out).toContain(", 6 warnings\n")
    expect(JSON.parse((await run(folder, document, "--format", "json")).out).warnings).toHaveLength(6)
  })

  it("reads a document from standard input", async () => {
    const folder = Folder.ofTest()
    const input = JSON.stringify(pets)
    const { stderr, stdout } = started([main, "-", "--out", join(folder, "out")], { input })
    expect([stdout, stderr]).toEqual(["1 operation, 0 omitted, 0 warnings\n", ""])
    expect(Object.keys(files(folder))).toContain("out/operations/pets.ts")
  })

  it("reads a version without quotes, of which YAML makes a number", async () => {
    for (const version of ["3.0", "3.1", "3.2"]) {
      const document = JSON.stringify(pets).replace('"3.1.0"', version)
      expect(await run(Folder.ofTest(), document)).toEqual(done)
    }
  })

  it("shows texts of a document on one line, without control of the terminal or of a runner of CI", async () => {
    const folder = Folder.ofTest()
    for (const start of ["", "::error::", "##[error]", "##vso[task.complete]", "##teamcity[x]"]) {
      const text = `${start}\u001b[2J\r\n::set-output name=x::y\n\u0085\u2028\u202e##[add-path]\n0 operations, 0 omitted\uD800`
      const operation = { operationId: text, parameters: [{ in: text, name: text, required: true }] }
      const document = { ...pets, paths: { "/x": { get: operation, put: { operationId: text, responses: ok({}) } } } }
      const told = await run(folder, document, "--max-omitted", "9")
      expect(told.out.split("\n")).toHaveLength(4)
      expect(told.out).toContain("1 operation, 1 omitted, 1 warning\n")
      const json = await run(folder, document, "--format", "json")
      expect(JSON.parse(json.out).omitted[0].id).toBe(text)
      const error = await run(folder, `openapi: 3.1.0\n${start}a: [\n::error::x\u202e]\n a: b: ##[x]`)
      expect(error.error.split("\n")).toHaveLength(2)
      const all = told.out + json.out + error.error
      expect(all).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]|^\s*::|##\w*\[/mu)
    }
  })

  it("ends well where nobody reads its result", async () => {
    const folder = Folder.ofTest()
    writeFileSync(join(folder, "document.json"), JSON.stringify(pets))
    const child = spawn(process.execPath, [main, "document.json", "--out", "out"], { cwd: folder })
    child.stdout.destroy()
    const [problem, [code]] = await Promise.all([readAll(child.stderr), once(child, "close")])
    expect({ problem, code }).toEqual({ problem: "", code: 0 })
    expect(Object.keys(files(folder))).toContain("out/manifest.json")
  })

  it("loads nothing that only other commands need, and of Effect only some modules: a run waits for each", () => {
    const folder = Folder.ofTest()
    writeFileSync(join(folder, "document.json"), JSON.stringify(pets))
    const hooks = `import { registerHooks } from "node:module"
      registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) })`
    const importing = `--import=data:text/javascript,${encodeURIComponent(hooks)}`
    const { stdout } = started([importing, main, "document.json", "--out", "out"], { cwd: folder })
    expect(stdout).toContain("/generator/src/Generate.ts")
    expect(stdout).not.toMatch(/\/(?:verify\/|undici\/|ajv\/|effect\/(?:dist|src)\/index\.)/)
  })

  it("names the Node.js that it needs to one that is older, before it loads anything", () => {
    const older = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.20.2'}})"
    const { status, stderr, stdout } = started(["--import", older, main, "--version"])
    expect({ status, stderr, stdout }).toEqual({
      status: 2,
      stderr: "error: cloud-management-generate needs Node.js 22.19 or later; this is 20.20.2\n",
      stdout: ""
    })
  })

  it("is a command of npx in a clone", () => {
    const { status, stdout } = spawnSync("npx", ["--no-install", "cloud-management-generate", "--version"], {
      cwd: join(import.meta.dirname, "../../.."),
      encoding: "utf8"
    })
    expect([status, stdout]).toEqual([0, expect.stringContaining("cloud-management-generate v")])
  })

  it("states the version of its package", async () => {
    const manifest = readFileSync(join(import.meta.dirname, "../package.json"), "utf8")
    const out = `cloud-management-generate v${JSON.parse(manifest).version}\n`
    expect(await Generated.run("--version")).toEqual({ code: 0, out, error: "" })
  })
})
