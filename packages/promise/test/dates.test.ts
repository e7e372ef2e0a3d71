import { describe, expect, expectTypeOf, it } from "vitest"
import { DateTime, Schema, SchemaGetter } from "effect"
import { Body, Operation } from "@cloud-management/client"
import { Client, InvalidInputError } from "@cloud-management/promise"
import { rejection, settings, stub } from "./Stub.ts"

const span = { from: Schema.DateFromString, to: Schema.DateTimeUtcFromString }
const Span = Schema.Struct(span)

interface Spans extends Schema.Schema.Type<typeof Span> {
  readonly inner: ReadonlyArray<Spans>
}
interface SpansEncoded extends Schema.Codec.Encoded<typeof Span> {
  readonly inner: ReadonlyArray<SpansEncoded>
}
const Spans = Schema.Struct({
  ...span,
  inner: Schema.Array(Schema.suspend((): Schema.Codec<Spans, SpansEncoded> => Spans))
})

class Item extends Schema.Class<Item>("Item")({ at: Schema.DateTimeUtcFromString, name: Schema.String }) {
  get title() {
    return `item ${this.name}`
  }
}

class Labelled extends Schema.Class<Labelled>("Labelled")({ name: Schema.String }) {
  readonly #label = `the ${this.name}`
  get label() {
    return this.#label
  }
}
/** Its type hides the name from the linter, which forbids it. */
const method: string = ["th", "en"].join("")
class Thenable extends Schema.Class<Thenable>("Thenable")({ name: Schema.String }) {
  // as a builder of queries has
  [method]() {
    throw new Error(`${this.name} was called`)
  }
}

const Texts = Schema.Struct({
  date: Schema.Date.pipe(
    Schema.encodeTo(Schema.String, { decode: SchemaGetter.Date(), encode: SchemaGetter.transform(String) })
  ),
  union: Schema.Union([Schema.DateTimeUtcFromString, Schema.DateFromString])
})

const shared = { group: "spans", method: "PUT", success: Body.json(Schema.Unknown), errors: [] } as const
const on = <const Name extends string>(name: Name) => ({ ...shared, name, path: `/v1/${name}` }) as const
const operations = {
  spans: {
    params: Operation.make({ ...shared, name: "params", path: "/v1/spans/:from/:to", params: Span }),
    query: Operation.make({ ...on("query"), query: Operation.query(Span) }),
    headers: Operation.make({ ...on("headers"), headers: Operation.headers(Span) }),
    payload: Operation.make({ ...on("payload"), payload: Body.json(Spans) }),
    form: Operation.make({ ...on("form"), payload: Body.form(Span) }),
    any: Operation.make({ ...on("any"), payload: Body.json(Schema.Unknown) }),
    items: Operation.make({
      ...on("items"),
      payload: Body.json(Schema.Array(Item)),
      success: Body.json(Schema.Array(Item))
    }),
    labelled: Operation.make({
      ...on("labelled"),
      payload: Body.json(Labelled),
      success: Body.json(Schema.Struct({ at: Schema.DateTimeUtcFromString, items: Schema.Array(Labelled) }))
    }),
    thenable: Operation.make({ ...on("thenable"), success: Body.json(Thenable) }),
    text: Operation.make({ ...on("text"), query: Operation.query(Texts) })
  }
}

const open = (content: string) => {
  const { fetch, requests: sent } = stub(
    () => new Response(content, { headers: { "content-type": "application/json" } })
  )
  return { cloud: new Client({ baseUrl: settings.baseUrl, operations, fetch }), sent }
}

const from = new Date("2026-01-01T00:00:00Z")
const to = new Date("2026-01-02T00:00:00Z")
const text = { from: "2026-01-01T00:00:00.000Z", to: "2026-01-02T00:00:00.000Z" }

describe("a Date", () => {
  const span = { from, to }
  type Spans = ReturnType<typeof open>["cloud"]["spans"]
  it.each<[part: string, call: (spans: Spans) => PromiseLike<unknown>, sent: (request: Request) => unknown]>([
    ["variables", (spans) => spans.params(span), ({ url }) => url.split("/").slice(-2).map(decodeURIComponent)],
    ["a query", (spans) => spans.query({ query: span }), ({ url }) => [...new URL(url).searchParams.values()]],
    ["headers", (spans) => spans.headers({ headers: span }), ({ headers }) => [headers.get("from"), headers.get("to")]],
    ["a form", (spans) => spans.form({ payload: span }), async (form) => [...(await form.formData()).values()]]
  ])("can be beside one whose schema is of DateTime in %s", async (_, call, read) => {
    const { cloud, sent } = open("null")
    await call(cloud.spans)
    expect(await Promise.all(sent.map(read))).toEqual([[text.from, text.to]])
  })

  it("can be beside one whose schema is of DateTime in a payload, at every depth", async () => {
    const { cloud, sent } = open("null")
    const payload = { from, to, inner: [{ from, to, inner: [] }] }
    await cloud.spans.payload({ payload })
    expect(await sent[0]?.json()).toEqual({ ...text, inner: [{ ...text, inner: [] }] })
    expect(payload).toStrictEqual({ from, to, inner: [{ from, to, inner: [] }] })
  })

  it("is a Date to the code of a schema, and fits a union of both", async () => {
    const { cloud, sent } = open("null")
    await cloud.spans.text({ query: { date: from, union: to } })
    const { searchParams } = new URL(sent[0]?.url ?? "")
    expect(searchParams.get("date")).toBe(String(from))
    expect(searchParams.get("union")).toBe(text.to)
  })

  it("can be where the schema takes anything", async () => {
    const { cloud, sent } = open("null")
    await cloud.spans.any({ payload: [from, { to }] })
    expect(await sent[0]?.json()).toEqual([text.from, { to: text.to }])
  })

  it.each([
    ["Date", { from: new Date(Number.NaN), to }, /query: Expected a valid Date[^]*\["from"\]/],
    ["DateTime", { from, to: new Date(Number.NaN) }, /query: Expected DateTime\.Utc[^]*\["to"\]/]
  ])("that is invalid rejects as invalid input where the schema is of %s", async (_, query, message) => {
    const { cloud, sent } = open("null")
    const error = await rejection(cloud.spans.query({ query }))
    expect(error).toBeInstanceOf(InvalidInputError)
    expect(String(error)).toMatch(message)
    expect(sent).toEqual([])
  })
})

describe("content", () => {
  it("can be a result of any depth", async () => {
    const depth = 5000
    const { cloud } = open("[".repeat(depth) + "]".repeat(depth))
    let content = await cloud.spans.any({ payload: null })
    let seen = 0
    while (Array.isArray(content)) {
      seen++
      content = content[0]
    }
    expect(seen).toBe(depth)
  })

  it("keeps the names that it has in a result", async () => {
    const text = '{"__proto__":{"a":[1]},"~effect/DateTime":true,"constructor":"b"}'
    const { cloud } = open(text)
    expect(JSON.stringify(await cloud.spans.any({ payload: null }))).toBe(text)
  })

  it("can have the same object twice", async () => {
    const { cloud, sent } = open("null")
    const twice = { from, to, inner: [] }
    await cloud.spans.payload({ payload: { from, to, inner: [twice, twice] } })
    const inner = { ...text, inner: [] }
    expect(await sent[0]?.json()).toEqual({ ...text, inner: [inner, inner] })
  })

  it("that contains itself rejects as invalid input", async () => {
    const { cloud, sent } = open("null")
    const payload: Array<unknown> = [from]
    payload.push(payload)
    expect(await rejection(cloud.spans.any({ payload }))).toBeInstanceOf(InvalidInputError)
    expect(sent).toEqual([])
  })

  it("of a schema's class has a Date in results and inputs, and stays of that class", async () => {
    const { cloud, sent } = open(JSON.stringify([{ at: text.from, name: "a" }]))
    const item = new Item({ at: DateTime.makeUnsafe(text.to), name: "b" })
    const items = await cloud.spans.items({ payload: [item] })
    expectTypeOf(items[0]?.at).toEqualTypeOf<Date | undefined>()
    expect(items[0]?.at).toStrictEqual(from)
    expect(items[0]?.title).toBe("item a")
    expect(items[0]).toBeInstanceOf(Item)
    // an input can also be what was a result
    await cloud.spans.items({ payload: items })
    expect(await Promise.all(sent.map((request) => request.json()))).toEqual([
      [{ at: text.to, name: "b" }],
      [{ at: text.from, name: "a" }]
    ])
    expect(DateTime.isDateTime(item.at)).toBe(true)
  })

  it("of a schema's class keeps its private fields, beside a Date", async () => {
    const { cloud, sent } = open(JSON.stringify({ at: text.from, items: [{ name: "a" }] }))
    const { at, items } = await cloud.spans.labelled({ payload: new Labelled({ name: "b" }) })
    expect(at).toStrictEqual(from)
    expect(items[0]?.label).toBe("the a")
    expect(await sent[0]?.json()).toEqual({ name: "b" })
  })

  it("of a schema's class with a method named then is a result of withResponse()", async () => {
    const { cloud } = open(JSON.stringify({ name: "a" }))
    const call = cloud.spans.thenable()
    const { data } = await call.withResponse()
    expect(data).toBeInstanceOf(Thenable)
    expect(await rejection(call)).toEqual(new Error("a was called"))
  })

  it("of a schema's class cannot be an object without it, which rejects as invalid input that names the class", async () => {
    const { cloud, sent } = open("[]")
    const error = await rejection(cloud.spans.items({ payload: [{ at: from, name: "a", title: "" }] }))
    expect(error).toBeInstanceOf(InvalidInputError)
    expect(String(error)).toMatch(/payload: Expected Item[^]*\[0\]/)
    expect(sent).toEqual([])
  })

  it("keeps an object with a class", async () => {
    const { cloud, sent } = open("null")
    await cloud.spans.any({ payload: { url: new URL("https://example.com/"), from } })
    expect(await sent[0]?.json()).toEqual({ url: "https://example.com/", from: text.from })
  })
})
