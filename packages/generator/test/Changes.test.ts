import { expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as Changes from "../src/compare/Changes.ts"
import * as Manifest from "../src/compare/Manifest.ts"
import { body, by, empty, having, integer, list, make, number, object, ok, query, ref, text } from "./document.ts"
import * as Generated from "./Generated.ts"

const Status = { ...text, enum: ["on", "off"] }
const Input = { name: text, status: Status, owner: ref("Owner") }
const Pet = { id: text, status: Status, kind: { ...text, const: "cat" }, owner: object({ id: text }) }

interface Parts {
  readonly path?: string
  readonly id?: string
  readonly query?: ReadonlyArray<object>
  readonly payload?: object
  readonly content?: object
  readonly result?: object
  readonly responses?: object
  readonly rest?: object
  readonly schemas?: object
}

const limit = query("limit", integer)

const documentOf = ({ content, id = "edit", path = "/pets", payload, query = [limit], ...parts }: Parts) =>
  make({
    operations: {
      [`POST ${path}`]: {
        operationId: id,
        tags: ["Pets"],
        parameters: query,
        requestBody: { required: true, content: { ...body(payload ?? ref("Input")).content, ...content } },
        responses: { ...ok(parts.result ?? ref("Pet")), "404": empty, ...parts.responses },
        ...parts.rest
      }
    },
    schemas: { Input: object(Input, ["name"]), Owner: one, Pet: object(Pet, ["id"]), ...parts.schemas }
  })

const manifestOf = (parts: Parts, locked?: Manifest.Locked) =>
  Result.getOrThrow(Manifest.parse(JSON.stringify(Generated.of(documentOf(parts), { locked }).manifest)))

const pet = (fields: object, required = ["id"]): Parts => ({
  schemas: { Pet: object({ ...Pet, ...fields }, required) }
})
const input = (fields: object, required = ["name"]): Parts => ({
  schemas: { Input: object({ ...Input, ...fields }, required) }
})
const either = (...alternatives: ReadonlyArray<object>) => ({ oneOf: alternatives })
const Cat = object({ kind: { const: "Cat" } }, ["kind"])
const one = object({ id: text }, ["id"])
const other = object({ name: text }, ["name"])
const aged = object({ years: text }, ["years"])
const grown = object({ id: text, age: text }, ["id"])
const kind = (value: string) => object({ kind: { const: value } })
/** A result of alternatives, and of those that a discriminator names. */
const two = (...alternatives: ReadonlyArray<object>) => ({ result: either(...alternatives) })
const apart = two(kind("a"), kind("b"))
const named = (...names: ReadonlyArray<string>) => ({
  result: by("kind", either(...names.map(ref))),
  ...(names.includes("Cat") && { schemas: { Cat } })
})
const nullable = { type: ["string", "null"] }
const more = { ...text, enum: ["on", "off", "new"] }
const fewer = { ...text, enum: ["on"] }
const xml = { "text/plain": { schema: text } }
const all = query("all", text)

it.each<[change: string, isBreaking: boolean, detail: string, parts: Parts, before?: Parts]>([
  ["a known value of a result is new", false, "Pet.status has other values", pet({ status: more })],
  ["a known value of a result is any text", false, "Pet.status has other values", pet({ status: text })],
  ["the only value of a result is another", false, "Pet.kind has other values", pet({ kind: { const: "dog" } })],
  ["a value that tells apart is another", true, "EditResult has another type", two(kind("a"), kind("c")), apart],
  ["a field of a result is new", false, "Pet.age is new", pet({ age: aged })],
  ["a field of an alternative is new", false, "EditResult has other values", two(grown, other), two(one, other)],
  ["an alternative is another", true, "EditResult has another type", two(one, other), two(one, text)],
  ["an alternative is new", false, "EditResult has other values", two(one, other, aged), two(one, other)],
  [
    "a named alternative of a list is new",
    false,
    "result[] has other values",
    { result: list(either(ref("Pet"), ref("Owner"), ref("Cat"))), schemas: { Cat: aged } },
    { result: list(either(ref("Pet"), ref("Owner"))) }
  ],
  ["a text is a new alternative", true, "EditResult has another type", two(one, other, text), two(one, other)],
  [
    "a named text is a new alternative of a result",
    true,
    "result has another type",
    { ...two(ref("Pet"), ref("Owner"), ref("Cat")), schemas: { Cat: Status } },
    two(ref("Pet"), ref("Owner"))
  ],
  ["a list is a new alternative", true, "EditResult has another type", two(one, other, list(one)), two(one, other)],
  ["a second alternative is new", true, "EditResult has another type", two(one, other), { result: one }],
  ["an alternative is new, beside a named one", false, "result has other values", named("Pet", "Cat"), named("Pet")],
  ["an alternative is gone, beside a named one", false, "result has other values", named("Pet"), named("Pet", "Cat")],
  ["the one alternative that is named is another", true, "result has another type", named("Cat"), named("Pet")],
  [
    "an alternative of a result is new, and another differs",
    true,
    "EditResult has another type",
    two(one, object({ name: integer }, ["name"]), aged),
    two(one, other)
  ],
  [
    "a field of an alternative of a request is new and required",
    true,
    "EditPayload has another type",
    { payload: either(object({ id: text, age: text }, ["id", "age"]), text) },
    { payload: either(one, text) }
  ],
  ["a field of a result is gone", true, "Pet.owner is gone", pet({ owner: undefined })],
  ["a field of a result is optional", true, "Pet.id is optional now", pet({}, [])],
  ["a field of a result is required", false, "Pet.status is required now", pet({}, ["id", "status"])],
  ["a required field of a result can be null", true, "Pet.id has another type", pet({ id: nullable })],
  ["a field of a result differs", true, "Pet.owner.id has another type", pet({ owner: object({ id: integer }) })],
  ["the result is a list", true, "result has another type", { result: list(ref("Pet")) }],
  ["a success is new", true, "result is gone", { responses: { "202": empty } }],
  [
    "a third success is new",
    true,
    "result 203 is new",
    { responses: { "203": empty } },
    { responses: { "202": empty } }
  ],
  ["a refusal is new", false, "refusal 409 is new", { responses: { "409": empty } }],
  ["a refusal is gone", true, "refusal 404 is gone", { responses: { "404": undefined } }],
  [
    "another media type of a result, which is not read",
    false,
    "",
    { responses: { "200": { description: "", content: { ...having(ref("Pet")).content, ...xml } } } }
  ],
  ["a value of a request is new", false, "Input.status has other values", input({ status: more })],
  ["a value of a request is gone", true, "Input.status has another type", input({ status: fewer })],
  ["a field of a request is new", false, "Input.age is new", input({ age: aged })],
  ["a required field of input is new", true, "Input.age is new and required", input({ age: text }, ["name", "age"])],
  ["a field of a request is gone", true, "Input.owner is gone", input({ owner: undefined })],
  ["a field of a request is required", true, "Input.owner is required now", input({}, ["name", "owner"])],
  ["a field of a request is optional", false, "Input.name is optional now", input({}, [])],
  ["a field of a request can be null", false, "Input.name has other values", input({ name: nullable })],
  [
    "a field deep in a request is required",
    true,
    "Owner.age is new and required",
    { schemas: { Owner: object({ id: text, age: text }, ["id", "age"]) } }
  ],
  ["a check of a request is another", true, "Input.name has another type", input({ name: { ...text, maxLength: 5 } })],
  ["a check is gone", false, "Input.name has other values", input({}), input({ name: { ...text, maxLength: 5 } })],
  ["an integer of a request is any number", false, "query.limit has other values", { query: [query("limit", number)] }],
  ["another media type of a request", true, "payload has another type", { content: xml }],
  ["a parameter is new", false, "query.all is new", { query: [limit, all] }],
  ["a required query is new", true, "query.all is new and required", { query: [limit, { ...all, required: true }] }],
  ["a parameter is gone", true, "query.limit is gone", { query: [] }],
  ["it is deprecated", false, "it is deprecated", { rest: { deprecated: true } }],
  ["its ID is another", false, "its ID was edit; its name stays pets.edit", { id: "change" }],
  ["its path is another", false, "it was POST /pets", { path: "/animals" }],
  ["its path and ID are others: it is another operation", true, "", { path: "/animals", id: "change" }]
])("--check says whether it breaks callers that %s: %s", (_, isBreaking, detail, parts, before = {}) => {
  const old = manifestOf(before)
  const current = manifestOf({ ...before, ...parts, responses: { ...before.responses, ...parts.responses } }, old)
  const changes = Changes.between(old, current)
  const details = changes.flatMap(({ details }) => details)
  expect(details.filter((one) => detail === "" || one === detail)).toEqual(detail === "" ? [] : [detail])
  expect(changes.some((change) => change.isBreaking)).toBe(isBreaking)
  expect(Changes.between(current, current)).toEqual([])
})

it("tells at most 100 differences of schemas of an operation, breaking ones first", () => {
  const operations = { "GET /a": { operationId: "a", responses: ok(ref("A0")) } }
  const schemas = (more: object, hasLast: boolean) =>
    Object.fromEntries(
      Array.from({ length: 150 }, (_, i) => [
        `A${i}`,
        object({ next: i < 149 ? ref(`A${i + 1}`) : text, ...((i < 149 || hasLast) && { last: text }), ...more })
      ])
    )
  const [old, current] = [schemas({}, true), schemas({ more: text }, false)].map(
    (schemas) => Generated.of(make({ operations, schemas })).manifest
  )
  const [change] = current === undefined ? [] : Changes.between(old, current)
  expect(change?.details).toHaveLength(100)
  expect(change?.details[0]).toBe("A149.last is gone")
})
