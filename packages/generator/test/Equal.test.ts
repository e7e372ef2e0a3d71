import { describe, expect, it } from "@effect/vitest"
import { body, make, object, ok, ref, text } from "./document.ts"
import * as Folder from "./Folder.ts"
import { join } from "node:path"
import type { Generated as Result } from "../src/Generate.ts"
import * as Generated from "./Generated.ts"

const folder = Folder.ofFile()

/** A document with an operation for each response, and one that takes and gives a schema. */
const giving = (responses: Readonly<Record<string, object>>, schemas: object = {}) =>
  make({
    operations: Object.fromEntries(
      Object.entries(responses).map(([id, schema]) => [
        `GET /${id}`,
        { operationId: id, tags: ["T"], responses: ok(schema) }
      ])
    ),
    schemas
  })

const declared = ({ files }: Result, file = "responses.ts") =>
  Array.from((files.get(file) ?? "").matchAll(/^export const (\w+)/gm), ([, name]) => name)

const user = object({ id: text, address: object({ city: text }) })
const commented = object({ id: { ...text, description: "Its ID." }, address: object({ city: text }) })
const users = { getUser: user, createUser: user }
const led = (by: string) =>
  object({ lead: { $ref: `#/paths/~1${by}/get/responses/200/content/application~1json/schema` } })
const either = object({
  by: { type: "object", properties: { id: text }, oneOf: [object({ a: text }), object({ b: text })] }
})
const node = (name: string) => object({ next: ref(name) })

describe("equal shapes are one declaration", () => {
  it.each<readonly [string, Readonly<Record<string, object>>, ReadonlyArray<string>, object]>([
    ["its name is what theirs have in common", { getUser: user, createUser: user }, ["UserResult"], {}],
    ["or that of the first", { getUser: user, getGroup: user }, ["GetUserResult"], {}],
    ["one keeps its name", { getUser: user, getGroup: object({ a: text }) }, ["GetUserResult", "GetGroupResult"], {}],
    [
      "those that refer to equal ones are equal",
      { ...users, getTeam: led("getUser"), addTeam: led("createUser") },
      ["UserResult", "TeamResult"],
      {}
    ],
    ["they are two with other comments", { getUser: user, addUser: commented }, ["GetUserResult", "AddUserResult"], {}],
    [
      "several that begin with the same schema have a name each",
      { getUser: either, createUser: either },
      ["UserResultBy", "UserResultBy2", "UserResult"],
      {}
    ],
    ["names of the document stay", { a: ref("User"), b: ref("Group") }, ["User", "Group"], { User: user, Group: user }],
    ["and come before others", { a: user, b: ref("User") }, ["User"], { User: user }],
    ["or in a circle", { a: ref("Tree"), b: ref("Node") }, ["Tree", "Node"], { Tree: node("Tree"), Node: node("Node") }]
  ])("%s", (title, responses, names, schemas) => {
    const generated = Generated.of(giving(responses, schemas))
    expect(new Set(declared(generated))).toEqual(new Set(names))
    Generated.write(join(folder, title.replace(/\W+/g, "-")), generated)
  })

  it("also where only one side has them; both sides have the same names", () => {
    const operation = (operationId: string) => ({
      operationId,
      tags: ["T"],
      requestBody: body(user),
      responses: ok(user)
    })
    const document = make({ operations: { "PUT /a": operation("setUser"), "PUT /b": operation("changeUser") } })
    const generated = Generated.of(document)
    expect(declared(generated)).toEqual(["UserResult"])
    expect(declared(generated, "requests.ts")).toEqual(["UserPayload"])
  })

  it("the name stays, and a change of one of them is told as before", () => {
    const first = Generated.of(giving({ getUser: user, createUser: user }))
    const more = { getUser: user, addUser: user, createUser: object({ id: text }) }
    const second = Generated.of(giving(more), { locked: first.manifest })
    expect(declared(second)).toEqual(["UserResult", "CreateUserResult"])
    expect(second.manifest.responses).toMatchObject({ CreateUserResult: { ".id?": "Text" }, GetUserResult: {} })
  })

  it("compiles", () => {
    expect(Generated.compile(folder)).toBe("")
  })
})
