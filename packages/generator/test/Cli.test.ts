import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Cli from "../src/Cli.ts"
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
  components: { schemas: { Pet: { type: "object", required: ["id"], properties: { id: { type: "string" } } } } }
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
      expect(yield* run(folder, pets)).toEqual({ code: 0, out: "1 operations, 0 refused, 0 warnings\n", error: "" })
      expect(Object.keys(files(folder))).toEqual([
        "out/answers.ts",
        "out/index.ts",
        "out/manifest.json",
        "out/operations/pets.ts",
        "out/refusals.ts",
        "out/requests.ts"
      ])
    })
  )

  it.effect("writes the same bytes each time, and --check finds no difference", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.scoped
      yield* run(folder, pets)
      const first = files(folder)
      yield* run(folder, pets)
      expect(files(folder)).toEqual(first)
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
