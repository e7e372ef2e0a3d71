import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Schema from "effect/Schema"
import * as Body from "@cloud-management/core/Body"
import { commonRefusals, type ClientReason } from "@cloud-management/core/CloudError"
import * as Operation from "@cloud-management/core/Operation"
import * as Pagination from "@cloud-management/core/Pagination"
import { over, type Reply } from "./Stub.ts"

const key = (n: number) => ({ name: `key ${n}` })

const listKeys = Operation.make({
  group: "keys",
  name: "list",
  method: "GET",
  path: "/v1/keys",
  query: Operation.query(
    Schema.Struct({
      cursor: Schema.optionalKey(Schema.String),
      limit: Schema.optionalKey(Schema.FiniteFromString),
      state: Schema.optionalKey(Schema.Array(Schema.String))
    })
  ),
  success: Body.json(
    Schema.Struct({
      keys: Schema.Array(Schema.Struct({ name: Schema.String })),
      nextCursor: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  ),
  errors: commonRefusals,
  pagination: Operation.cursor({ query: "cursor", next: "nextCursor", items: "keys" })
})

/** A client over answers by the query of a request; `queries` are those that were sent. */
const connect = (answer: (query: string, nth: number) => Response) => {
  const queries: Array<string> = []
  const reply: Reply = (_, { search }) => Effect.sync(() => answer(search, queries.push(search)))
  return Effect.map(over({}, [reply]), ({ client }) => ({ cloud: client, queries }))
}

const page = (keys: ReadonlyArray<object>, nextCursor?: string | null) =>
  Response.json({ keys, ...(nextCursor !== undefined && { nextCursor }) })

const names = (stream: Stream.Stream<{ readonly name: string }, unknown>) =>
  Effect.map(Stream.runCollect(stream), (items) => items.map(({ name }) => name))

describe("a cursor", () => {
  const three = (query: string) =>
    query.includes("cursor=b") ? page([key(3)]) : query.includes("cursor=a") ? page([key(2)], "b") : page([key(1)], "a")

  it.effect("leads through all pages, with the rest of the query on each", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(three)
      const items = Pagination.items(cloud, listKeys, { query: { limit: 1 } })
      expectTypeOf(items).toExtend<Stream.Stream<{ readonly name: string }, unknown>>()
      expect(yield* names(items)).toEqual(["key 1", "key 2", "key 3"])
      expect(queries).toEqual(["?limit=1", "?limit=1&cursor=a", "?limit=1&cursor=b"])
    })
  )

  it.effect("keeps the rest of the query, where a field of it is undefined", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(three)
      const query: object = { limit: 1, cursor: undefined }
      yield* names(Pagination.items(cloud, listKeys, { query }))
      expect(queries).toEqual(["?limit=1", "?limit=1&cursor=a", "?limit=1&cursor=b"])
    })
  )

  it.effect.each<[what: string, query: object]>([
    ["breaks its type", { limit: "many" }],
    ["has a field that is not declared", { limit: 1, limits: 1 }],
    ["throws", Object.defineProperty({}, "limit", { enumerable: true, get: () => JSON.parse("") })]
  ])("is refused when the rest of the query %s, as for any call", ([, query]) =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(three)
      const error = yield* Effect.flip(Stream.runDrain(Pagination.items(cloud, listKeys, { query })))
      expect(error).toMatchObject({
        outcome: "not-sent",
        reason: { _tag: "InvalidInput", path: expect.stringMatching(/^query(\.limits?)?$/) }
      })
      expect(queries).toEqual([])
    })
  )

  it.effect("is asked for only as far as the stream is pulled", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(three)
      expect(yield* names(Stream.take(Pagination.items(cloud, listKeys, {}), 1))).toEqual(["key 1"])
      expect(queries).toEqual([""])
    })
  )

  it.effect.each<[how: string, cursor: string | null | undefined]>([
    ["missing", undefined],
    ["null", null],
    ["empty", ""],
    ["the one before", "a"]
  ])("that is %s ends the list", ([, cursor]) =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect((query) =>
        query === "" ? page([key(1)], "a") : page([key(2)], cursor)
      )
      const items = Pagination.items(cloud, listKeys, {})
      expect(yield* names(Stream.take(items, 9))).toEqual(["key 1", "key 2"])
      expect(queries).toEqual(["", "?cursor=a"])
    })
  )

  it.effect("that is the place the list was begun at ends the list", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(() => page([key(2)], "a"))
      const items = Pagination.items(cloud, listKeys, {}, { from: "a" })
      expect(yield* names(items)).toEqual(["key 2"])
      expect(queries).toEqual(["?cursor=a"])
    })
  )

  it.effect("goes before one in the query", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(three)
      const items = Pagination.items(cloud, listKeys, { query: { cursor: "a" } })
      expect(yield* names(items)).toEqual(["key 2", "key 3"])
      expect(queries).toEqual(["?cursor=a", "?cursor=b"])
    })
  )

  it.effect("that leads in a circle ends the list", () =>
    Effect.gen(function* () {
      const next: Record<string, string> = { "": "a", "?cursor=a": "b", "?cursor=b": "a" }
      const { cloud, queries } = yield* connect((query, nth) => page([key(nth)], next[query] ?? "a"))
      yield* names(Stream.take(Pagination.items(cloud, listKeys, {}), 9))
      expect(queries).toEqual(["", "?cursor=a", "?cursor=b"])
    })
  )

  it.effect("goes on after a page without items", () =>
    Effect.gen(function* () {
      const { cloud } = yield* connect((query) => (query === "" ? page([], "a") : page([key(2)])))
      expect(yield* names(Pagination.items(cloud, listKeys, {}))).toEqual(["key 2"])
    })
  )

  it.effect("keeps its place while a page is sent again", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect((query, nth) =>
        nth === 2 ? new Response("", { status: 503 }) : three(query)
      )
      const fiber = yield* Effect.forkChild(names(Pagination.items(cloud, listKeys, {})))
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(fiber)).toEqual(["key 1", "key 2", "key 3"])
      expect(queries).toEqual(["", "?cursor=a", "?cursor=a", "?cursor=b"])
    })
  )
})

describe("an offset", () => {
  const listing = Operation.make({
    ...listKeys,
    pagination: Operation.offset({ query: "cursor", items: "keys" })
  })
  const numbered = (count: number) => (query: string) => {
    const from = Number(new URLSearchParams(query).get("cursor") ?? 0)
    const numbers = Array.from({ length: count }, (_, i) => i + 1)
    return page(numbers.slice(from, from + 2).map(key))
  }

  it.effect("counts the items, and ends with a page that has none", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(numbered(5))
      const items = Pagination.items(cloud, listing, {})
      expect(yield* names(items)).toEqual(["key 1", "key 2", "key 3", "key 4", "key 5"])
      expect(queries).toEqual(["", "?cursor=2", "?cursor=4", "?cursor=5"])
    })
  )

  it.effect("begins where the query says", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(numbered(5))
      const items = Pagination.items(cloud, listing, { query: { cursor: "2" } })
      expect(yield* names(items)).toEqual(["key 3", "key 4", "key 5"])
      expect(queries).toEqual(["?cursor=2", "?cursor=4", "?cursor=5"])
    })
  )

  it.effect("asks once for a list without items", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(numbered(0))
      expect(yield* names(Pagination.items(cloud, listing, {}))).toEqual([])
      expect(queries).toEqual([""])
    })
  )
})

describe("a link", () => {
  const listing = Operation.make({ ...listKeys, pagination: Operation.link({ items: "keys" }) })
  const linked = (n: number, link: string) => Response.json({ keys: [key(n)] }, { headers: { link } })

  it.effect.each<[form: string, link: string]>([
    ["an absolute URL", '<https://api.example.com/v1/keys?page=2&limit=1>; rel="next"'],
    [
      "a URL of another origin, of which the query alone counts",
      '<https://evil.example.com/?page=2&limit=1>; rel="next"'
    ],
    ["a relative URL among others", '</keys?page=1>; rel="first prev", </keys?page=2&limit=1>; title="a, b"; rel=next'],
    ["a URL before others", "</keys?page=2&limit=1>; rel=next, </keys?page=9>; rel=last"],
    ["a URL with a fragment", '</keys?page=2&limit=1#top?page=3>; rel="next"'],
    ["several relations", '<?page=2&limit=1>; rel="last next"'],
    ["a relation in capitals", "<?page=2&limit=1>; REL=Next"],
    [
      "a URL after a title with all that separates links",
      '</a?x=1>; title="a, <b>; rel=next", <?page=2&limit=1>; rel=next'
    ],
    [
      "a URL after a title with quotes",
      String.raw`</a?x=1>; title="\"; rel=next; \", <?x=2>; rel=next"; rel=up, <?page=2&limit=1>; rel=next`
    ],
    ["a URL with a comma", "<?page=2&limit=1>; title*=UTF-8''%2c; rel = \"next\""]
  ])("may be %s", ([, link]) =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect((query) => (query === "" ? linked(1, link) : linked(2, "")))
      expect(yield* names(Pagination.items(cloud, listing, {}))).toEqual(["key 1", "key 2"])
      expect(queries).toEqual(["", "?page=2&limit=1"])
    })
  )

  it.effect.each([
    "",
    '</keys?page=1>; rel="prev"',
    "</keys?page=2",
    "garbage",
    '</keys>; rel="next"',
    '</keys#?page=2>; rel="next"',
    '</keys?page=2>; title="a, b; rel=next"',
    '</keys?page=2>; rel=prev; title="rel=\\"next\\""',
    "</keys?page=2>; rel=prev; rel=next",
    '</keys?page=1>; title="never closed, </keys?page=2>; rel=next',
    "</keys?page=2>, ; rel=next",
    "</keys?page=2>; rel=nextpage"
  ])("ends the list when there is no next one: %s", (link) =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(() => linked(1, link))
      expect(yield* names(Pagination.items(cloud, listing, {}))).toEqual(["key 1"])
      expect(queries).toEqual([""])
    })
  )

  it.effect("that was there before ends the list", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect((_, nth) => linked(nth, '<?page=2>; rel="next"'))
      const items = Pagination.items(cloud, listing, {})
      expect(yield* names(Stream.take(items, 9))).toEqual(["key 1", "key 2"])
      expect(queries).toEqual(["", "?page=2"])
    })
  )

  it.effect("keeps parameters of one name, whatever the name", () =>
    Effect.gen(function* () {
      const next = "?state=a&state=b&constructor=c&__proto__=d"
      const { cloud, queries } = yield* connect((query) => linked(1, query === "" ? `<${next}>; rel=next` : ""))
      yield* names(Pagination.items(cloud, listing, {}))
      expect(queries).toEqual(["", next])
    })
  )

  it.effect("replaces the whole query, whose other parameters a service may refuse beside it", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect((query) =>
        query.includes("page") ? linked(2, "") : linked(1, "<?page=2&state=b>; rel=next")
      )
      const query = { limit: 1, state: ["a"] }
      yield* names(Pagination.items(cloud, listing, { query }))
      expect(queries).toEqual(["?limit=1&state=a", "?page=2&state=b"])
    })
  )
})

it.effect("a failure ends the list, and the page before it says where to go on", () =>
  Effect.gen(function* () {
    const { cloud } = yield* connect((query) =>
      query === "" ? page([key(1)], "a") : Response.json({ status: 400, error: "BAD_REQUEST: no" }, { status: 400 })
    )
    const pages: Array<unknown> = []
    const all = Pagination.pages(cloud, listKeys, {}).pipe(
      Stream.runForEach((page) => Effect.sync(() => pages.push(page)))
    )
    const error = yield* Effect.flip(all)
    expectTypeOf(error.reason).toExtend<Operation.Refusals<typeof listKeys> | ClientReason>()
    expect([error.reason._tag, pages]).toEqual(["BadRequest", [{ items: [key(1)], next: "a" }]])
  })
)
