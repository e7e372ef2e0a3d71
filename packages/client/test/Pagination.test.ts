import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Schema from "effect/Schema"
import * as Body from "@cloud-management/client/Body"
import { commonRefusals, type ClientReason } from "@cloud-management/client/CallError"
import * as Operation from "@cloud-management/client/Operation"
import * as Pagination from "@cloud-management/client/Pagination"
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

const page = (keys: ReadonlyArray<object>, nextCursor?: string) => Response.json({ keys, nextCursor })

const byOffset = Operation.make({ ...listKeys, pagination: Operation.offset({ query: "cursor", items: "keys" }) })
const byLink = Operation.make({ ...listKeys, pagination: Operation.link({ items: "keys" }) })

type Answer = Parameters<typeof connect>[0]

const three: Answer = (query) =>
  query.includes("cursor=b") ? page([key(3)]) : query.includes("cursor=a") ? page([key(2)], "b") : page([key(1)], "a")
/** Five items, two per page. */
const five: Answer = (query) => {
  const from = Number(new URLSearchParams(query).get("cursor"))
  return page([1, 2, 3, 4, 5].slice(from, from + 2).map(key))
}
const linked = (n: number, link: string) => Response.json({ keys: [key(n)] }, { headers: { link } })
/** A page with this link, and one without any after another query. */
const first =
  (link: string, before = ""): Answer =>
  (query) =>
    query === before ? linked(1, link) : linked(2, "")
const circle: Readonly<Record<string, string>> = { "": "a", "?cursor=a": "b", "?cursor=b": "a" }
const strange = "?state=a&state=b&constructor=c&__proto__=d"

describe("a list", () => {
  it.effect.each<
    [
      what: string,
      listing: typeof listKeys | typeof byOffset | typeof byLink,
      answer: Answer,
      options: { readonly query?: object; readonly from?: string },
      keys: ReadonlyArray<number>,
      queries: ReadonlyArray<string>
    ]
  >([
    [
      "leads through all pages, with the rest of the query on each, where a field of it is undefined",
      listKeys,
      three,
      { query: { limit: 1, cursor: undefined } },
      [1, 2, 3],
      ["?limit=1", "?limit=1&cursor=a", "?limit=1&cursor=b"]
    ],
    ["ends with an empty cursor", listKeys, () => page([key(1)], ""), {}, [1], [""]],
    ["ends with the place it was begun at", listKeys, () => page([key(2)], "a"), { from: "a" }, [2], ["?cursor=a"]],
    [
      "begins at a cursor in the query",
      listKeys,
      three,
      { query: { cursor: "a" } },
      [2, 3],
      ["?cursor=a", "?cursor=b"]
    ],
    [
      "ends with a cursor that leads in a circle",
      listKeys,
      (query, nth) => page([key(nth)], circle[query]),
      {},
      [1, 2, 3],
      ["", "?cursor=a", "?cursor=b"]
    ],
    [
      "goes on after a page without items",
      listKeys,
      (query) => (query === "" ? page([], "a") : page([key(2)])),
      {},
      [2],
      ["", "?cursor=a"]
    ],
    [
      "counts its items from the offset of the query on, and ends with a page that has none",
      byOffset,
      five,
      { query: { cursor: "2" } },
      [3, 4, 5],
      ["?cursor=2", "?cursor=4", "?cursor=5"]
    ],
    ["asks once where it has no items", byOffset, () => page([]), {}, [], [""]],
    [
      "keeps parameters of one name in a link, whatever the name",
      byLink,
      first(`<${strange}>; rel=next`),
      {},
      [1, 2],
      ["", strange]
    ],
    [
      "has only the query of a link, whose other parameters a service may refuse beside it",
      byLink,
      first("<?page=2&state=b>; rel=next", "?limit=1&state=a"),
      { query: { limit: 1, state: ["a"] } },
      [1, 2],
      ["?limit=1&state=a", "?page=2&state=b"]
    ]
  ])("%s", ([, listing, answer, { query = {}, ...options }, keys, expected]) =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(answer)
      const items = Pagination.items(cloud, listing, { query }, options)
      expectTypeOf(items).toExtend<Stream.Stream<{ readonly name: string }, unknown>>()
      expect(yield* Stream.runCollect(Stream.take(items, 9))).toEqual(keys.map(key))
      expect(queries).toEqual(expected)
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
      yield* Stream.runDrain(Stream.take(Pagination.items(cloud, listKeys, {}), 1))
      expect(queries).toEqual([""])
    })
  )

  it.effect("keeps its place while a page is sent again", () =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect((query, nth) =>
        nth === 2 ? new Response("", { status: 503 }) : three(query, nth)
      )
      const fiber = yield* Effect.forkChild(Stream.runDrain(Pagination.items(cloud, listKeys, {})))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      expect(queries).toEqual(["", "?cursor=a", "?cursor=a", "?cursor=b"])
    })
  )

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
  ])("goes on with a link of %s", ([, link]) =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(first(link))
      yield* Stream.runDrain(Pagination.items(cloud, byLink, {}))
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
  ])("ends when there is no next one: %s", (link) =>
    Effect.gen(function* () {
      const { cloud, queries } = yield* connect(first(link))
      yield* Stream.runDrain(Pagination.items(cloud, byLink, {}))
      expect(queries).toEqual([""])
    })
  )
})

it.effect("the last page says of no place where to go on", () =>
  Effect.gen(function* () {
    const { cloud } = yield* connect(() => page([key(2)], "a"))
    const pages = yield* Stream.runCollect(Pagination.pages(cloud, listKeys, {}, { from: "a" }))
    expect(pages).toEqual([{ items: [key(2)] }])
  })
)

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
