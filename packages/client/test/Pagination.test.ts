import { describe, expect, expectTypeOf, it } from "../../../checks/fixtures/vitest.ts"
import { inspect } from "node:util"
import { Effect, Exit, Option, Schema, Stream, Tracer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Body, Client, Credentials, Operation, Pagination, RequestHeaders, Style } from "@cloud-management/client"
import { type ClientReason } from "@cloud-management/client/CallError"
import { commonRefusals } from "@cloud-management/core/Refusals"
import { credentials, over, type Reply } from "./Stub.ts"
import { tracing } from "../../../checks/fixtures/Spans.ts"
import { collect } from "../../../checks/fixtures/turns.ts"

const key = (n: number) => ({ name: `key ${n}` })

const Listed = Schema.Struct({
  keys: Schema.Array(Schema.Struct({ name: Schema.String })),
  next: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Null])),
  links: Schema.optionalKey(Schema.Struct({ next: Schema.NullOr(Schema.String) })),
  more: Schema.optionalKey(Schema.Boolean),
  total: Schema.optionalKey(Schema.Union([Schema.Finite, Schema.BigIntFromString]))
})
const query = Operation.query(
  Schema.Struct({
    cursor: Schema.optionalKey(Schema.String),
    page: Schema.optionalKey(Schema.FiniteFromString),
    ids: Schema.optionalKey(Schema.Array(Schema.String)),
    names: Schema.optionalKey(Schema.Array(Schema.String)),
    tags: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  { ids: Style.pipeDelimited, names: Style.spaceDelimited, tags: Style.form }
)
const base = Operation.make({
  group: "keys",
  name: "list",
  method: "GET",
  path: "/v1/keys?kind=api",
  query,
  success: Body.json(Listed),
  errors: commonRefusals
})
const numbered = { query: "page", items: "keys" } as const
const kinds = {
  cursor: Operation.cursor({ query: "cursor", next: "next", items: "keys" }),
  "last item": Operation.cursor({ query: "cursor", next: "keys.-1.name", items: "keys", more: "more" }),
  page: Operation.pageNumber(numbered),
  "page from 0": Operation.pageNumber({ ...numbered, first: 0, more: "total" }),
  "page of several": Operation.pageNumber({ ...numbered, more: "total" }),
  "page with more": Operation.pageNumber({ ...numbered, more: "more" }),
  offset: Operation.offset(numbered),
  "offset with more": Operation.offset({ ...numbered, more: "more" }),
  "offset of several": Operation.offset({ ...numbered, more: "total" }),
  "link in the content": Operation.link({ items: "keys", next: "links.next" }),
  link: Operation.link({ items: "keys" }),
  "items that can be missing": Operation.pageNumber(numbered),
  array: Operation.pageNumber({ query: "page", items: "" })
}
const successes: { readonly [Kind in keyof typeof kinds]?: Body.Success } = {
  "items that can be missing": Body.json(
    Schema.Struct({ keys: Schema.optionalKey(Schema.NullOr(Listed.fields.keys)) })
  ),
  array: Body.json(Listed.fields.keys)
}
const listKeys = Operation.make({ ...base, pagination: kinds.cursor })

/** A client over responses by the query of a request; `queries` are those that were sent. */
const connect = (respond: (query: string, nth: number) => Response) => {
  const queries: Array<string> = []
  const reply: Reply = (_, { search }) => Effect.sync(() => respond(search, queries.push(search)))
  return Effect.map(over({}, [reply]), ({ client }) => ({ cloud: client, queries }))
}

const page = (keys: ReadonlyArray<object>, next?: string) => Response.json({ keys, next })

type Respond = Parameters<typeof connect>[0]

const three: Respond = (query) =>
  query.includes("cursor=b") ? page([key(3)]) : query.includes("cursor=a") ? page([key(2)], "b") : page([key(1)], "a")

const posted = Operation.make({
  ...listKeys,
  method: "POST",
  repeat: Operation.idempotencyKey(),
  headers: Operation.headers(Schema.Struct({ "Idempotency-Key": Schema.optionalKey(Schema.String) }))
})

describe("a list", () => {
  it.effect.each([
    ["Idempotency-Key", { headers: { "Idempotency-Key": "a" } }, {}],
    ["idempotency-key", {}, { "idempotency-key": "a" }]
  ] as const)("takes no key of the caller, which each page would repeat: %s", function* ([name, input, ambient]) {
    const { cloud, queries } = yield* connect(three)
    const pages = Stream.runCollect(Pagination.pages(cloud, posted, input))
    expect(yield* Effect.flip(RequestHeaders.within(pages, ambient))).toMatchObject({
      reason: { _tag: "InvalidInput", path: `headers.${name}` },
      attempts: 0
    })
    expect(queries).toEqual([])
    expect(yield* Stream.runCollect(Pagination.items(cloud, posted, {}))).toHaveLength(3)
  })

  it.effect.each<[what: string, query: object]>([
    ["breaks its type", { page: "many" }],
    ["has a field that is not declared", { page: 1, pages: 1 }],
    ["throws", Object.defineProperty({}, "page", { enumerable: true, get: () => JSON.parse("") })]
  ])("is rejected when the rest of the query %s, as for any call", function* ([, query]) {
    const { cloud, queries } = yield* connect(three)
    const error = yield* Effect.flip(Stream.runDrain(Pagination.items(cloud, listKeys, { query })))
    expect(error).toMatchObject({
      outcome: "not-sent",
      reason: { _tag: "InvalidInput", path: expect.stringMatching(/^query(\.pages?)?$/) }
    })
    expect(queries).toEqual([])
  })

  it.effect("is asked for only as far as the stream is pulled", function* () {
    const { cloud, queries } = yield* connect(three)
    yield* Stream.runDrain(Stream.take(Pagination.items(cloud, listKeys, {}), 1))
    expect(queries).toEqual(["?kind=api"])
  })
})

it.each<[header: string, next: string | undefined]>([
  ['<https://api.example.com/v1/keys?page=2&limit=1>; rel="next"', "https://api.example.com/v1/keys?page=2&limit=1"],
  ['</keys?page=1>; rel="first prev", </keys?page=2>; title="a, b"; rel=next', "/keys?page=2"],
  ["</keys?page=2>; rel=next, </keys?page=9>; rel=last", "/keys?page=2"],
  ['<?page=2>; rel="last next"', "?page=2"],
  ["<?page=2>; REL=Next", "?page=2"],
  ['</a?x=1>; title="a, <b>; rel=next", <?page=2>; rel=next', "?page=2"],
  [String.raw`</a?x=1>; title="\"; rel=next; \", <?x=2>; rel=next"; rel=up, <?page=2>; rel=next`, "?page=2"],
  ["<?page=2>; title*=UTF-8''%2c; rel = \"next\"", "?page=2"],
  ["", undefined],
  ['</keys?page=1>; rel="prev"', undefined],
  ["</keys?page=2", undefined],
  ["garbage", undefined],
  ['</keys?page=2>; title="a, b; rel=next"', undefined],
  ['</keys?page=2>; rel=prev; title="rel=\\"next\\""', undefined],
  ["</keys?page=2>; rel=prev; rel=next", undefined],
  ['</keys?page=1>; title="never closed, </keys?page=2>; rel=next', undefined],
  ["</keys?page=2>, ; rel=next", undefined],
  ["</keys?page=2>; rel=nextpage", undefined]
])("the next link of %s is %s", (header, next) => {
  expect(Pagination.nextLink(header)).toBe(next)
})

/** A list of these pages, each with the next link, if it has any; `read` is what was requested and what it gave. */
const read = Effect.fnUntraced(function* (
  kind: keyof typeof kinds,
  responses: ReadonlyArray<readonly [content: object, link?: string]>,
  input: Operation.Input<typeof base> = {},
  options: { readonly from?: string; readonly credentials?: Credentials.Credentials } = {}
) {
  const urls: Array<string> = []
  const reply: Reply = (_, { href }) =>
    Effect.sync(() => {
      const [content, link] = responses[Math.min(urls.push(href), responses.length) - 1] ?? [{}]
      return Response.json(content, { headers: link === undefined ? {} : { link: `<${link}>; rel="next"` } })
    })
  const { from, credentials } = options
  const { client } = yield* over({}, [reply], {
    baseUrl: "https://api.example.com/base",
    ...(credentials && { credentials })
  })
  const listing: Operation.Paged = { ...base, success: successes[kind] ?? base.success, pagination: kinds[kind] }
  const pages: Array<Pagination.Page<unknown>> = []
  const { spans, tracer } = tracing()
  const exit = yield* Pagination.pages(client, listing, input, { from }).pipe(
    Stream.take(9),
    Stream.runForEach((page) => Effect.sync(() => pages.push(page))),
    Effect.provideService(Tracer.Tracer, tracer),
    Effect.exit
  )
  const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Exit.findErrorOption(exit)) : undefined
  return {
    urls,
    failure,
    pages,
    count: pages.flatMap(({ items }) => items).length,
    shown: inspect([pages, spans.map(({ attributes }) => attributes)], { depth: 9 })
  }
})

const home = "https://api.example.com/base/v1/keys?kind=api"
const keys = [key(1), key(2)]

describe("a link", () => {
  it.effect.each<[what: string, link: string, requested: string]>([
    ["with its query alone", "?page=2", "https://api.example.com/base/v1/keys?page=2"],
    ["with a fixed query, which does not multiply", "/base/v1/keys?kind=api&page=2", `${home}&page=2`],
    ["of another path", "/v2/archive/keys?page=2", "https://api.example.com/v2/archive/keys?page=2"],
    [
      "with parameters of one name, whatever the name",
      "?state=a&state=b&constructor=c&__proto__=d",
      "https://api.example.com/base/v1/keys?state=a&state=b&constructor=c&__proto__=d"
    ],
    ["without a query", "/v1/keys/pages/2", "https://api.example.com/v1/keys/pages/2"],
    ["with a fragment", "/v1/pages/2#?page=3", "https://api.example.com/v1/pages/2"],
    [
      "that is absolute",
      "https://api.example.com:443/x?a=1%7C2&b=c|d&e=f+g%20h&&i",
      "https://api.example.com/x?a=1%7C2&b=c|d&e=f+g%20h&i"
    ],
    ["with question marks in values", "?q=why?&page=a?b=2", "https://api.example.com/base/v1/keys?q=why?&page=a?b=2"],
    ["with credentials of its own", "https://user:pass@api.example.com/x?y", "https://api.example.com/x?y"],
    ["of a service that does not know its TLS", "http://api.example.com/x?y", "https://api.example.com/x?y"]
  ])("%s is requested as it is", function* ([, link, requested]) {
    const input = { query: { ids: ["1", "2"], names: ["a", "b"], tags: ["x", "y"] } }
    const first = `${home}&ids=1%7C2&names=a%20b&tags=x,y`
    for (const [kind, responses] of [
      ["link", [[{ keys }, link], [{ keys }]]],
      ["link in the content", [[{ keys, links: { next: link } }], [{ keys, links: { next: null } }]]]
    ] as const) {
      const { count, failure, pages, urls } = yield* read(kind, responses, input)
      expect([failure, count, urls]).toEqual([undefined, 4, [first, requested]])
      expect(pages).toEqual([{ items: keys, next: requested }, { items: keys }])
      // and goes on from there
      expect((yield* read(kind, [[{ keys }]], input, { from: link })).urls).toEqual([requested])
    }
  })

  it.effect.each([
    "https://evil.example.com/v1/keys?page=2",
    "//evil.example.com",
    "http://api.example.com:8080/",
    "http://api.example.com:443/",
    "ftp://api.example.com/",
    "http://[",
    "data:,x",
    "blob:https://api.example.com/v1/keys"
  ])("to another origin gets no request, and the list fails: %s", function* (link) {
    const { failure, pages, urls } = yield* read("link", [[{ keys }, link]])
    expect([urls, pages]).toEqual([[home], [{ items: keys }]])
    expect(failure).toMatchObject({
      operation: "keys.list",
      status: 200,
      attempts: 1,
      reason: { _tag: "InvalidResponse", message: "the page leads to another origin than that of the base URL" }
    })
    const begun = yield* read("link", [[{ keys }]], {}, { from: link })
    expect(begun.urls).toEqual([])
    expect(begun.failure).toMatchObject({ outcome: "not-sent", reason: { _tag: "InvalidInput", path: "from" } })
  })

  const token = "sk-Zx81QwErTy"
  it.effect.each<[what: string, credentials: Credentials.Credentials, parameter: string]>([
    ["a parameter of the query", Credentials.query("api key", token), `api%20key=${token}`],
    ["that parameter with an old value", Credentials.query("api_key", token), "api_key=sk-Zx81-older"],
    ["a header", Credentials.bearer(token), `access_token=${token}`],
    [
      "several",
      Credentials.all(Credentials.header("x-a", "other-key"), Credentials.query("k", token)),
      `k=${token}&z=other-key`
    ]
  ])("has no credentials that are %s, which are added anew", function* ([, credentials, parameter]) {
    const responses = [1, 2, 3, 4].map((n) => [{ keys }, `?${parameter}&page=${n}&${parameter}`] as const)
    const { failure, pages, shown, urls } = yield* read("link", [...responses, [{ keys }]], {}, { credentials })
    expect([failure, pages.map(({ next }) => next)]).toEqual([
      undefined,
      [...[1, 2, 3, 4].map((n) => `https://api.example.com/base/v1/keys?page=${n}`), undefined]
    ])
    expect(shown).not.toContain("sk-Zx81")
    for (const url of urls) expect(url.split(token).length).toBeLessThanOrEqual(2)
  })
})

describe("the pages of", () => {
  const of = (...pages: ReadonlyArray<object>) => pages.map((page) => ({ keys, ...page }))
  type Query = Operation.Input<typeof base>["query"]
  it.effect.each<
    [
      kind: keyof typeof kinds,
      what: string,
      responses: ReadonlyArray<object>,
      queries: ReadonlyArray<string>,
      query?: NonNullable<Query>
    ]
  >([
    ["cursor", "an empty one", [{ keys, next: "" }], [""]],
    ["cursor", "no more, after a page without items", [{ keys: [], next: "a" }, { keys }], ["", "&cursor=a"]],
    ["cursor", "no more, with the query", of({ next: "a" }, {}), ["&page=1", "&page=1&cursor=a"], { page: 1 }],
    ["cursor", "no more, from one in the query", of({ next: "b" }, {}), ["&cursor=a", "&cursor=b"], { cursor: "a" }],
    ["offset", "no items, where there are none", [{ keys: [] }], [""]],
    [
      "offset",
      "no items, counted from the query",
      [{ keys }, { keys: [key(3)] }, { keys: [] }],
      ["&page=2", "&page=4", "&page=5"],
      { page: 2 }
    ],
    ["cursor", "numbers", of({ next: 2 }, { next: 3 }, { next: null }), ["", "&cursor=2", "&cursor=3"]],
    ["cursor", "a number that is none", [{ keys, next: 0 }], [""]],
    ["last item", "nothing more", of({ more: true }, { keys: [key(3)], more: false }), ["", "&cursor=key+2"]],
    ["last item", "no items", [{ keys }, { keys: [] }], ["", "&cursor=key+2"]],
    ["page", "no items", [{ keys }, { keys }, { keys: [] }], ["", "&page=2", "&page=3"]],
    ["page from 0", "a total", of({ total: 2 }, { total: 2 }), ["", "&page=1"]],
    ["page of several", "a total", of({ total: 2 }, { total: 2 }), ["", "&page=2"]],
    ["page of several", "a total that is a bigint", [{ keys, total: "1" }], [""]],
    ["page of several", "a total of 0", [{ keys: [], total: 0 }], [""]],
    ["page of several", "a total that is missing", [{ keys }, { keys: [] }], ["", "&page=2"]],
    ["page with more", "no", of({ more: true }, { keys: [], more: true }, { more: false }), ["", "&page=2", "&page=3"]],
    ["offset with more", "nothing more", of({ more: true }, { more: false }), ["", "&page=2"]],
    ["offset with more", "more, but no items", of({ more: true }, { keys: [], more: true }), ["", "&page=2"]],
    ["offset of several", "a total", of({ total: 4 }, { total: 4 }), ["", "&page=2"]],
    ["items that can be missing", "null", [{ keys }, { keys: null }], ["", "&page=2"]],
    ["items that can be missing", "none", [{ keys }, {}], ["", "&page=2"]],
    ["array", "no items", [keys, []], ["", "&page=2"]]
  ])("%s end with %s", function* ([kind, , responses, queries, query = {}]) {
    const contents = responses.map((content) => [content] as const)
    const { failure, pages, urls } = yield* read(kind, contents, { query })
    expect([failure, urls]).toEqual([undefined, queries.map((query) => home + query)])
    const itemsOf = (content: object) => (Array.isArray(content) ? content : ("keys" in content && content.keys) || [])
    expect(pages.map(({ items }) => items)).toEqual(responses.map(itemsOf))
  })

  it.effect("a cursor that is an absolute URL follow it", function* () {
    const url = "https://api.example.com/base/v1/keys?after=b"
    const { failure, urls } = yield* read("cursor", [[{ keys, next: url }], [{ keys, next: "" }]], {
      query: { cursor: "a" }
    })
    expect([failure, urls]).toEqual([undefined, [`${home}&cursor=a`, url]])
  })

  it.effect("a cursor keep the styles of other parameters", function* () {
    const { urls } = yield* read("cursor", [[{ keys, next: "b" }], [{ keys }]], { query: { ids: ["1", "2"] } })
    expect(urls).toEqual([`${home}&ids=1%7C2`, `${home}&cursor=b&ids=1%7C2`])
  })
})

it.effect.each<[what: string, next: (nth: number) => string, from: string | undefined, pages: number]>([
  ["to the same place again and again", () => "a", undefined, 2],
  ["to where it was begun", () => "a", "a", 1],
  ["of two", (nth) => (nth % 2 === 0 ? "a" : "b"), undefined, 3],
  ["of ten, after a way to it", (nth) => String(nth < 5 ? -nth : nth % 10), undefined, 25]
])("a list that leads in a circle fails, and says so: %s", function* ([, next, from, pages]) {
  const { cloud, queries } = yield* connect((_, nth) => page([key(nth)], next(nth)))
  const read: Array<unknown> = []
  const all = Stream.take(Pagination.pages(cloud, listKeys, {}, { from }), 99)
  const error = yield* Effect.flip(Stream.runForEach(all, (page) => Effect.sync(() => read.push(page))))
  expect(error.message).toBe(
    "keys.list: InvalidResponse (HTTP 200): the page leads to one before it: the list is a circle"
  )
  expect([read.length, queries.length]).toEqual([pages, pages])
  expect(read.at(-1)).toEqual({ items: [key(pages)], next: next(pages) })
})

it.effect("a list keeps no cursor of the pages before", function* () {
  const heap = async () => {
    await collect()
    return process.memoryUsage().heapUsed / 1e6
  }
  let nth = 0
  // keeps no request, unlike the stub
  const http = HttpClient.make((request) =>
    Effect.sync(() => HttpClientResponse.fromWeb(request, page([], `${++nth}-`.padEnd(100_000, `${nth}+`))))
  )
  const cloud = yield* Client.make({}, { baseUrl: "https://api.example.com", credentials }).pipe(
    Effect.provideService(HttpClient.HttpClient, http)
  )
  let before = 0
  let after = 0
  yield* Pagination.pages(cloud, listKeys, {}).pipe(
    Stream.take(300),
    Stream.zipWithIndex,
    Stream.runForEach(([, n]) =>
      Effect.promise(async () => {
        if (n === 99) before = await heap()
        if (n === 299) after = await heap()
      })
    )
  )
  expect(after - before).toBeLessThan(10)
})

it.effect("a failure ends the list, and the page before it says where to go on", function* () {
  const { cloud } = yield* connect((query) =>
    query.includes("cursor")
      ? Response.json({ status: 400, error: "BAD_REQUEST: no" }, { status: 400 })
      : page([key(1)], "a")
  )
  const pages: Array<unknown> = []
  const all = Pagination.pages(cloud, listKeys, {}).pipe(
    Stream.runForEach((page) => Effect.sync(() => pages.push(page)))
  )
  const error = yield* Effect.flip(all)
  expectTypeOf(error.reason).toExtend<Operation.Refusals<typeof listKeys> | ClientReason>()
  expect([error.reason._tag, pages]).toEqual(["BadRequest", [{ items: [key(1)], next: "a" }]])
})
