import { Effect, Redacted, Schema, Stream } from "effect"
import { Body, CallError, Client, Credentials, Operation, Pagination, Refusal, Wire } from "@cloud-management/client"
import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import * as Faults from "../src/Faults.ts"
import * as Mock from "../src/Mock.ts"

const data = Schema.Array(Schema.Struct({ id: Schema.String }))
const query = Operation.query(
  Schema.Struct({ after: Schema.optionalKey(Schema.String), page: Schema.optionalKey(Wire.NumberText) })
)
const things = { group: "things", method: "POST", path: "/things", success: Body.empty, errors: [] } as const
const adding = { ...things, name: "add", payload: Body.json(Schema.Struct({ name: Schema.String })) } as const
const listOf = (success: Body.Success, pagination: Operation.Pagination): Operation.Paged => ({
  ...things,
  name: "list",
  method: "GET",
  query,
  success,
  pagination
})
const clientOf = ({ layer }: Pick<Mock.Mock<Client.Registry>, "layer">, credentials = Credentials.none) =>
  Effect.provide(Client.make({}, { baseUrl: "http://mock", credentials, retry: { cap: 0 } }), layer)
const meta = (fields: Schema.Struct.Fields) =>
  Body.json(Schema.Struct({ data, meta: Schema.Struct({ ...fields, self: Schema.String }) }))

describe("the examples of a list in pages end with its first page", () => {
  const { cursor, link, offset, pageNumber } = Operation
  const next = { query: "after", next: "meta.next", items: "data" } as const
  const last = { query: "after", next: "data.-1.id", items: "data", more: "meta.more" } as const
  const page = { query: "page", items: "data" } as const
  it.effect.each([
    ["a cursor", meta({ next: Schema.String }), cursor(next)],
    ["one that can be null", meta({ next: Schema.NullOr(Schema.String) }), cursor(next)],
    ["one that can be left out", meta({ next: Schema.optionalKey(Schema.NonEmptyString) }), cursor(next)],
    ["a number", meta({ next: Schema.Int }), cursor(next)],
    ["anything", meta({ next: Schema.Unknown }), cursor(next)],
    ["whether more follows", meta({ more: Schema.Boolean }), cursor(last)],
    ["whether more follows, if at all", meta({ more: Schema.optionalKey(Schema.Boolean) }), cursor(last)],
    ["a link", meta({ next: Schema.String }), link({ next: "meta.next", items: "data" })],
    ["the header Link", Body.json(data), link({ items: "" })],
    ["pages by number", Body.json(data), pageNumber({ query: "page", items: "" })],
    ["so many pages", meta({ pages: Schema.Int }), pageNumber({ ...page, more: "meta.pages" })],
    ["so many items, if known", meta({ total: Wire.nullishKey(Wire.Int64) }), offset({ ...page, more: "meta.total" })],
    ["a total of 64 bits", meta({ total: Wire.Int64 }), offset({ ...page, more: "meta.total" })],
    ["an offset", meta({}), offset(page)],
    ["whether an offset has more", meta({ more: Schema.Boolean }), offset({ ...page, more: "meta.more" })]
  ] as const)("%s", function* ([, success, pagination]) {
    const list = listOf(success, pagination)
    const mock = Mock.make({ things: { list } })
    const client = yield* clientOf(mock)
    const items = Pagination.items(client, list, {})
    expect(yield* items.pipe(Stream.take(5), Stream.runCollect)).toHaveLength(1)
  })
})

it.effect("shows the query of a link that was followed, for the reply to take its page", function* () {
  const list = listOf(
    Body.json(Schema.Struct({ data, next: Schema.optionalKey(Schema.String) })),
    Operation.link({ items: "data", next: "next" })
  )
  const mock = Mock.make({ things: { list } })
  mock.reply(list, () => {
    const isFirst = mock.requests().at(-1)?.query["place"] === undefined
    return { data: [{ id: String(isFirst) }], ...(isFirst && { next: "/things?place=2&place=b&after=a" }) }
  })
  const client = yield* clientOf(mock, Credentials.query("key", "k-1"))
  const items = yield* Stream.runCollect(Pagination.items(client, list, { query: { page: 1 } }))
  expect(items).toEqual([{ id: "true" }, { id: "false" }])
  const key = Redacted.make("k-1")
  expect(mock.requests().map(({ query }) => query)).toEqual([
    { page: "1", key },
    { place: Redacted.make("2,b"), after: "a", key }
  ])
  expect(JSON.stringify(mock.requests())).not.toMatch(/k-1|2,b/)
})

describe("what a mock refuses itself", () => {
  const problem = Schema.Struct({ code: Schema.Literal("refused"), detail: Schema.String })
  const own = Refusal.body(problem)
  class Unauthorized extends CallError.refusal("Unauthorized", 401, own) {}
  class Invalid extends CallError.refusal("Invalid", "4XX", own) {}
  class Bare extends CallError.refusal("Bare", 401, Refusal.status) {}

  it.effect.each<[what: string, errors: Operation.Any["errors"], input: object, isSigned: boolean, message: RegExp]>([
    ["the body of its status", [Invalid, Unauthorized], {}, false, /^Unauthorized .*: things.add needs credentials$/],
    ["the body of its range", [Invalid], {}, true, /^Invalid .*: Missing key at \['name'\]$/],
    ["no body", [Bare], {}, false, /^Bare .*: things.add needs credentials$/],
    ["none that is declared", [], {}, true, /^UnexpectedStatus .*Missing key at \['name'\]/]
  ])("has %s, as a client reads it", function* ([, errors, input, isSigned, message]) {
    const add: Operation.Any = { ...adding, security: [["token"]], errors }
    const mock = Mock.make({ things: { add } })
    // what sends anything, as another client does
    const lax = { ...add, payload: Body.json(Schema.Unknown) }
    const client = yield* clientOf(mock, isSigned ? Credentials.bearer("any") : Credentials.none)
    const error = yield* Effect.flip(client.execute(lax, { payload: input }))
    expect(error.message.replace("things.add: ", "")).toMatch(message)
  })
})

describe("the text of a request that does not fit", () => {
  const known = Wire.openEnum(["bad_request"])
  const why = expect.stringMatching(/Missing key/)
  const other = expect.not.stringMatching(/Missing/)
  const anything = expect.stringMatching(/^code \d/)
  const { String: Text, Struct } = Schema
  it.each<[place: string, status: 400 | 422, schema: Schema.Codec<unknown, unknown>, expected: object]>([
    [
      "no field that has known values",
      400,
      Struct({ code: Text, error: known, detail: Text }),
      { code: anything, error: "bad_request", detail: why }
    ],
    ["a new field beside known values", 400, Struct({ error: known }), { error: "bad_request", message: why }],
    [
      "no field that a check limits",
      400,
      Struct({ message: Text.check(Schema.isMaxLength(4)), title: Schema.NullOr(Text) }),
      { message: other, title: why }
    ],
    ["nothing where all is known", 400, Struct({ message: known }), { message: "bad_request" }],
    [
      "a field that is free in each alternative",
      400,
      Wire.oneOf([Struct({ error: known, msg: Text }), Struct({ error: Text, msg: Text })]),
      { error: other, msg: why }
    ],
    [
      "a text that the schema has further down, in no new field",
      400,
      Struct({ error: Struct({ error_name: Text, error_msg: Text }) }),
      { error: { error_name: expect.stringMatching(/^error_name \d/), error_msg: why } }
    ],
    [
      "the first of several",
      400,
      Struct({ errors: Schema.NullOr(Schema.Array(Struct({ code: known, detail: Text }))) }),
      { errors: [{ code: "bad_request", detail: why }] }
    ],
    ["the 422 of an operation that declares no 400", 422, Struct({ message: Text }), { message: why }]
  ])("stands in %s", async (_, status, schema, expected) => {
    class Invalid extends CallError.refusal("Invalid", status, Refusal.body(schema)) {}
    const add: Operation.Any = { ...adding, errors: [Invalid] }
    const response = await Mock.make({ things: { add } }).fetch("http://mock/things", { method: "POST", body: "{}" })
    expect([response.status, await response.json()]).toEqual([status, expected])
  })
})

it.effect("shows the headers of each attempt without the secrets in them", function* () {
  const pay = Operation.make({
    ...things,
    name: "pay",
    headers: Operation.headers(Schema.Struct({ "X-Tenant": Schema.String })),
    security: [["token"]],
    repeat: Operation.idempotencyKey("Payment-Key")
  })
  const mock = Mock.make({ things: { pay } })
  const layer = Faults.on(mock.layer, pay, [Faults.Fault.DropAfterSend()])
  const client = yield* clientOf({ layer }, Credentials.header("X-Key", "k-1"))
  yield* client.execute(pay, { headers: { "X-Tenant": "acme" } })
  yield* Effect.promise(() =>
    mock.fetch("http://mock/nothing", { headers: { authorization: "Bearer t", accept: "*/*" } })
  )
  const [first, second, other] = mock.requests().map(({ headers }) => headers)
  const key = first?.["payment-key"]
  expect(key).toMatch(/^[\da-f-]{36}$/)
  expect(second).toMatchObject({ "payment-key": key, "x-tenant": "acme", "x-key": Redacted.make("k-1") })
  expect(other).toMatchObject({ accept: "*/*", authorization: Redacted.make("Bearer t") })
  expect(JSON.stringify(mock.requests())).not.toMatch(/k-1|Bearer/)
})

it.effect("leaves optional fields of a reply out that are undefined, as a client does of a request", function* () {
  const Thing = Schema.Struct({ id: Schema.String, note: Schema.optionalKey(Schema.String) })
  class Taken extends CallError.refusal("Taken", 409, Refusal.body(Thing)) {}
  const add = Operation.make({
    ...adding,
    payload: Body.json(Thing),
    success: Body.json(Schema.Struct({ things: Schema.Array(Thing), note: Wire.nullishKey(Schema.String) })),
    errors: [Taken]
  })
  const mock = Mock.make({ things: { add } })
  const client = yield* clientOf(mock)
  mock.reply(add, ({ payload: { id, note } }) => ({ things: [{ id, note }], note: undefined }))
  // @ts-expect-error the ID is not optional
  void (() => mock.reply(add, () => ({ things: [{ id: undefined }] })))
  const made = yield* client.execute(add, { payload: { id: "a" } })
  expect(made).toStrictEqual({ things: [{ id: "a" }] })
  // as types have it without `exactOptionalPropertyTypes`
  const loose: object = { id: "a", note: undefined }
  mock.reply(add, new Taken({ message: "taken", body: loose as typeof Thing.Type }))
  const error = yield* Effect.flip(client.execute(add, { payload: { id: "a" } }))
  expect(error.reason).toMatchObject({ _tag: "Taken", body: { id: "a" } })
})
