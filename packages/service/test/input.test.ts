import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Record, Result, Schema } from "effect"
import { Body, Operation, Style } from "@cloud-management/client"
import { OrganizationId } from "@cloud-management/core/Organization"
import * as Input from "../src/frame/wire/input.ts"

/** Reads the input of an operation that has these parts, from a request that has those. */
const read = (parts: Partial<Operation.Any>, request: Partial<Input.Parts>) => {
  const words = { group: "words", name: "post", method: "POST", path: "/words", summary: "Post words" } as const
  const decode = Input.compile({ ...Operation.make({ ...words, errors: [], success: Body.empty }), ...parts })
  return decode({ params: {}, target: "/words", headers: {}, body: new Uint8Array(), ...request })
}

it.effect("what a form repeats costs as much each time: a copy for each would take minutes here", function* () {
  const texts = Schema.Array(Schema.String)
  const schema = Schema.Struct({
    a: texts,
    b: Schema.String,
    deep: Schema.Record(Schema.String, Schema.String),
    spread: Schema.Struct({ c: texts })
  })
  const content = Body.form(schema, { deep: Style.deepObject, spread: Style.spread })
  const sent = (form: string) => read({ payload: content }, { body: new TextEncoder().encode(form) })
  const count = 50_000
  const deep = Array.from({ length: count }, (_, i) => `deep[${i}]=&`).join("")
  const form = `${"a=1&".repeat(count)}${"c=1&".repeat(count)}${deep}deep[__proto__]=1&b=2`
  const { payload } = Schema.decodeUnknownSync(Schema.Struct({ payload: schema }))(yield* sent(form))
  expect([payload.a, payload.spread.c, Object.keys(payload.deep)].map(({ length }) => length)).toEqual([
    count,
    count,
    count + 1
  ])
  expect(payload.b).toBe("2")
  // nor does a long path end the stack
  expect((yield* Effect.flip(sent(`${form}&deep[x${"][".repeat(count)}]=`))).message).toContain('["deep"]["x"]')
})

it.effect(
  "the IDs of core come in lower case, and a text of the path as it is, even one that looks like them",
  function* () {
    const id = "ABCDEF01-0000-4000-8000-00000000000F"
    const params = { organizationId: OrganizationId, trimmed: Schema.Trim, name: Schema.String }
    const all = Record.map(params, () => id)
    const found = yield* read({ params: Schema.Struct(params) }, { params: all })
    expect(found).toEqual({ ...all, organizationId: id.toLowerCase() })
  }
)

it.effect("a header is found in whatever letter case an operation names it (RFC 9110 §5.1)", function* () {
  const fields = { "X-Region": Schema.String, "If-Match": Schema.optionalKey(Schema.String) }
  const of = (headers: Input.Parts["headers"]) =>
    read({ headers: Operation.headers(Schema.Struct(fields)) }, { headers })
  const found = yield* of({ "x-region": "eu", "if-match": '"1"' })
  expect(found).toEqual({ headers: { "X-Region": "eu", "If-Match": '"1"' } })
  expect((yield* Effect.flip(of({}))).message).toContain("X-Region")
})

const array = Schema.Array(Schema.String)
const text = Schema.Union([Schema.String, array])
const none = Schema.Struct({ none: Schema.String })
const either = Schema.Union([Schema.Struct({ state: array, all: Schema.String }), none])
const perhaps = [{}, { state: ["a"] }, { state: ["a", "b"] }]
const shapes: ReadonlyArray<
  readonly [name: string, schema: Schema.Codec<object, Body.Fields>, values: ReadonlyArray<object>]
> = [
  ["an array", Schema.Struct({ state: array }), [{ state: [] }, { state: ["a"] }, { state: ["a", "b"] }]],
  ["an array that may be absent", Schema.Struct({ state: Schema.optionalKey(array) }), perhaps],
  ["an array that may be undefined", Schema.Struct({ state: Schema.optional(array) }), perhaps],
  ["an array of one of two", either, [{ state: ["a"], all: "b" }, { state: ["a", "b"], all: "c" }, { none: "a" }]],
  ["the second of two", Schema.Union([Schema.Struct({ state: array }), none]), [{ state: ["a"] }, { none: "a" }]],
  ["a text or an array", Schema.Struct({ state: text }), [{ state: "a" }, { state: ["a", "b"] }]]
]
it.effect.each(shapes)("what a client writes, the service reads: %s", function* ([, schema, values]) {
  const query = Operation.query(schema)
  for (const value of values) {
    const target = `/words?${Result.getOrThrow(query.write(value))}`
    expect(yield* read({ query }, { target })).toEqual({ query: value })
  }
})

it.effect("a text is read whole, whatever style stands beside it", function* () {
  const query = Operation.query(Schema.Struct({ find: Schema.String, sort: Schema.optionalKey(Schema.String) }), {
    find: Style.form,
    sort: Style.pipeDelimited
  })
  const target = `/words?${Result.getOrThrow(query.write({ find: "a,b c" }))}&sort=x|y`
  expect(yield* read({ query }, { target })).toEqual({ query: { find: "a,b c", sort: "x|y" } })
})
