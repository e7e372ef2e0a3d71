import { runInNewContext } from "node:vm"
import { assert, describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import {
  DateTime,
  Duration,
  Effect,
  Fiber,
  Random,
  Redacted,
  References,
  Result,
  Schema,
  SchemaTransformation,
  Stream
} from "effect"
import { identity } from "effect/Function"
import { fromInput } from "effect/http/Headers"
import { TestClock } from "effect/testing"
import {
  Body,
  CallError,
  type Client,
  Credentials,
  Envelope,
  Metrics,
  Operation,
  Refusal,
  RequestHeaders,
  Retry,
  Style,
  Wire
} from "@cloud-management/client"
import { Refusals } from "@cloud-management/core"
import * as Digits from "../src/internal/digits.ts"
import * as Head from "../src/internal/head.ts"
import * as Iterate from "../src/internal/iterate.ts"
import * as Interpretation from "../src/internal/response.ts"
import { foreign, statuses } from "./foreign.ts"
import * as Stub from "./Stub.ts"
import { connect, credentials, seeded, textOf, type Reply } from "./Stub.ts"

const shared = {
  group: "things",
  name: "get",
  method: "GET",
  path: "/v1/things",
  success: Body.empty,
  errors: Refusals.commonRefusals
} as const

const putting = { ...shared, method: "PUT" } as const

const over = (responses: ReadonlyArray<Reply>, options?: Partial<Client.Options>) => Stub.over({}, responses, options)

const respond =
  (body: BodyInit | null, init?: ResponseInit): Reply =>
  () =>
    Effect.sync(() => new Response(body, init))
const json =
  (body: unknown, status = 200): Reply =>
  () =>
    Effect.sync(() => Response.json(body, { status }))
const done = respond(null, { status: 204 })

/** A call without input, to a service that responds so. */
const call = (operation: Operation.Any, responses: ReadonlyArray<Reply>, options?: Partial<Client.Options>) =>
  Effect.flatMap(Effect.orDie(over(responses, options)), ({ client }) => client.execute(operation, {}))
const failure = (...args: Parameters<typeof call>) => Effect.flip(call(...args))
const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)
/** All parts of the stream that a call gives. */
const collected = (...args: Parameters<typeof call>) =>
  Effect.flatMap(call(...args), (value) => (isStream(value) ? Stream.runCollect(value) : Effect.die("no stream")))

describe("a path", () => {
  const read = Operation.make({
    ...shared,
    path: "/v1/:group/:name.:ext/:list::read?action=run",
    params: Schema.Struct({
      group: Schema.String,
      name: Schema.String,
      ext: Schema.String,
      list: Schema.Array(Schema.String)
    })
  })
  const text = Schema.String.check(Schema.isMinLength(1))

  it.effect.prop(
    "is never changed by the values in it",
    { group: text, name: text, ext: text, list: Schema.Array(text).check(Schema.isMinLength(1)) },
    function* ({ ext, group, list, name }) {
      const { cloud, requests } = yield* connect(() => new Response(null, { status: 204 }))
      const exit = yield* Effect.result(cloud.execute(read, { ext, group, list, name }))
      if (exit._tag === "Failure") {
        expect(exit.failure.reason._tag).toBe("InvalidInput")
        expect(requests).toEqual([])
        return
      }
      const { pathname, search } = new URL(requests[0]?.url ?? "")
      const [, v1, first = "", second = "", third = "", ...rest] = pathname.split("/")
      expect([v1, rest, search]).toEqual(["v1", [], "?action=run"])
      expect(decodeURIComponent(first)).toBe(group)
      expect(decodeURIComponent(second)).toBe(`${name}.${ext}`)
      expect(third.endsWith(":read")).toBe(true)
      expect(third.slice(0, -":read".length).split(",").map(decodeURIComponent)).toEqual(list)
    },
    seeded(300)
  )
})

describe("a request loses nothing:", () => {
  const cyclic: Record<string, unknown> = { secret: "hidden-value" }
  cyclic["itself"] = cyclic
  const put: Operation.Any = Operation.make({
    ...putting,
    query: Operation.query(Schema.Struct({ ids: Schema.optionalKey(Schema.Array(Schema.String)) }), {
      ids: Style.pipeDelimited
    }),
    headers: Operation.headers(
      Schema.Struct({
        "x-tags": Schema.optionalKey(Schema.Array(Schema.String)),
        "x-size": Schema.optionalKey(Wire.simple(Schema.Struct({ unit: Schema.String }))),
        cookie: Schema.optionalKey(Wire.cookies(Schema.Struct({ theme: Schema.optionalKey(Schema.String) }))),
        "x-any": Schema.optionalKey(Wire.exactJsonText(Schema.Unknown))
      })
    ),
    payload: Body.json(
      Schema.Union([
        Schema.Struct({ note: Schema.optionalKey(Schema.String) }),
        Schema.Struct({
          user: Schema.optionalKey(Schema.String),
          deep: Schema.optionalKey(Schema.Struct({ size: Schema.Int.check(Schema.isGreaterThan(3)) }))
        })
      ])
    )
  })

  const any = Schema.Record(Schema.String, Schema.String)
  const open = { query: Operation.query(any), headers: Operation.headers(any) }
  const names = Operation.make({ ...putting, ...open, payload: Body.text() })
  const form = Operation.make({ ...names, payload: Body.form(any) })
  const files = { ...names, payload: Body.multipart(Schema.Struct({ file: Body.File })) }
  const alien = { arrayBuffer: () => {}, size: 1, type: "hidden-value" }

  const one: Operation.Any = {
    ...shared,
    method: "DELETE",
    path: "/v1/keys/:a:b",
    params: Schema.Struct({ a: Schema.String, b: Schema.String })
  }
  const several = {
    ...one,
    path: "/v1/keys/:ids",
    params: Schema.Struct({ ids: Schema.Array(Schema.String) })
  } as const

  const Tree: Schema.Codec<unknown, unknown> = Schema.Struct({
    next: Schema.optionalKey(Schema.suspend(() => Tree)),
    rest: Schema.optionalKey(Schema.Unknown)
  })
  const noted: Operation.Any = { ...putting, payload: Body.json(Tree) }
  const tower = Array.from({ length: 50_000 }).reduce<object>((next) => ({ next }), {})
  const sized: Operation.Any = {
    ...one,
    path: "/v1/keys/:a",
    params: Schema.Struct({ a: Wire.simple(Schema.Struct({ unit: Schema.String })) })
  }

  type Row = readonly [what: string, path: string, operation: Operation.Any, input: object]
  /** The same for several inputs, with a payload where an operation needs one. */
  const each = (what: string, path: string, operation: Operation.Any, ...inputs: ReadonlyArray<object>) =>
    inputs.map((input): Row => [what, path, operation, operation === names ? { payload: "text", ...input } : input])
  const empty = { payload: {} }
  const cookies = ["hidden-value; b", "hidden-value,b", '"hidden-value"', "hidden-value ü"].map((theme) => ({
    ...empty,
    headers: { cookie: { theme } }
  }))
  it.effect.each<Row>([
    ["a variable of the path", "c", one, { a: "a", b: "b", c: "hidden-value" }],
    ["a field of a variable of the path", "a.more", sized, { a: { unit: "a", more: "hidden-value" } }],
    ...each("an empty or a dot segment", "ids", several, { ids: [] }, { ids: ["a", ""] }, { ids: ["a", ".."] }),
    ...each(
      "a dot in a segment of two variables",
      "a",
      one,
      { a: ".", b: "." },
      { a: "..", b: "b" },
      { a: "", b: "b" }
    ),
    ["a field of a payload", "payload.user", put, { payload: { user: "u", secret: "hidden-value" } }],
    ["a field at any depth", "payload.deep", put, { payload: { deep: { size: 4, more: "hidden-value" } } }],
    ["a query parameter", "query.id", put, { ...empty, query: { id: ["hidden-value"] } }],
    ["a part of the input", "params", put, { ...empty, params: { "x-y": "hidden-value" } }],
    ["a value that breaks a check", "payload.deep", put, { payload: { deep: { size: 1 } } }],
    ["an item with the separator of its list", "query.ids", put, { ...empty, query: { ids: ["hidden-value|b"] } }],
    ["an item with a comma", "headers.x-tags", put, { ...empty, headers: { "x-tags": ["hidden-value,b"] } }],
    ...each("a cookie", "headers.cookie.theme", put, ...cookies),
    ["an undeclared cookie", "headers.cookie.a", put, { ...empty, headers: { cookie: { a: "hidden-value" } } }],
    ["a field with a comma", "headers.x-size", put, { ...empty, headers: { "x-size": { unit: "hidden-value,b" } } }],
    ["a cycle in JSON", "headers.x-any", put, { ...empty, headers: { "x-any": cyclic } }],
    ["a set", "payload.next.rest.a[1]", noted, { payload: { next: { rest: { a: [1, new Set(["hidden-value"])] } } } }],
    ["a tower of objects", "payload", noted, { payload: tower }],
    ...each("a tower of anything", "payload.rest", noted, { payload: { rest: tower } }, { payload: { rest: cyclic } }),
    ...["ACCEPT", "Content-Length", "content-type", "x y"].flatMap((name) =>
      each("the name of a header", `headers.${name}`, names, { headers: { [name]: "hidden-value" } })
    ),
    ...each("a name that is there", "headers.x-a", names, { headers: { "X-A": "1", "x-a": "hidden-value" } }),
    ["what is no file of this platform", "payload.file", files, { payload: { file: alien } }],
    // some platforms take away a space at the end
    ...["hidden-value\r\nx: y", "hidden-value "].flatMap((value) =>
      each("a header", "headers.x-a", names, { headers: { "x-a": value } })
    ),
    ...each("a name in a query", "query.\ud800", names, { query: { "\ud800": "hidden-value" } }),
    ...each("a query", "query.a", names, { query: { a: "hidden-value\ud800" } }),
    ["a form", "payload.a", form, { payload: { a: "hidden-value\ud800" } }],
    ["a text", "payload", names, { payload: "hidden-value\ud800" }]
  ])(
    "%s that does not fit fails with its path, not its value; nothing is sent: %s",
    function* ([, path, operation, input]) {
      const { client, requests } = yield* over([json({})])
      const execute = client.execute<Operation.Any>
      const error = yield* Effect.flip(execute(operation, input))
      assert(error.reason instanceof CallError.InvalidInput)
      expect(error.reason.path).toBe(path)
      expect(error.reason.message).toMatch(
        /^(query|headers|payload): (Exp|too deep$)|at \["(params|ids|a|c)"\](\["more"\])?$/
      )
      expect(error).toMatchObject({ outcome: "not-sent", attempts: 0, isRetryable: false })
      expect(JSON.stringify(error) + error.message).not.toContain("hidden-value")
      expect(requests).toEqual([])
    }
  )

  const fields = Schema.Struct({ "x-a": Schema.optionalKey(Schema.String), "x-b": Schema.optionalKey(Schema.String) })
  const own = Schema.Struct({ ...fields.fields, more: Schema.optionalKey(Schema.Array(fields)) })
  const given = { "x-a": undefined, "x-b": "b" }
  it.effect.each<[part: string, operation: Operation.Any, input: object, sent: RegExp]>([
    [
      "JSON, at any depth",
      { ...putting, payload: Body.json(own) },
      // also what another realm made, such as a frame or Jest's sandbox, and objects without a prototype
      {
        payload: {
          ...given,
          more: [runInNewContext("given => ({ ...given })")(given), Object.assign(Object.create(null), given)]
        }
      },
      /^{"x-b":"b","more":\[{"x-b":"b"},{"x-b":"b"}\]}$/
    ],
    ["JSON with all digits", { ...putting, payload: Body.exact(Body.json(own)) }, { payload: given }, /^{"x-b":"b"}$/],
    ["a form", { ...putting, payload: Body.form(fields) }, { payload: given }, /^x-b=b$/],
    [
      "a form with files",
      { ...putting, payload: Body.multipart(fields) },
      { payload: given },
      /^[^;]*; name="x-b"\r\n\r\nb\r\n[^;]*$/
    ],
    ["a query", { ...shared, path: "/v1?on=1", query: Operation.query(fields) }, { query: given }, /v1\?on=1&x-b=b$/],
    ["headers", { ...shared, headers: Operation.headers(fields) }, { headers: given }, /^b$/]
  ])("an optional field of %s that is undefined is left out", function* ([part, operation, input, sent]) {
    const { cloud, requests } = yield* connect(() => new Response(null, { status: 204 }))
    yield* cloud.execute(operation, input)
    const [request] = requests
    assert(request)
    expect(request.headers.has("x-a")).toBe(false)
    const text = yield* Effect.promise(() => request.text())
    expect(part === "a query" ? request.url : part === "headers" ? request.headers.get("x-b") : text).toMatch(sent)
  })

  it("a payload that callers may leave out is that with all digits too, and a choice has no other fields", () => {
    expect(Body.exact(Body.optional(Body.json(own))).write(undefined)).toEqual(
      Body.optional(Body.json(own)).write(undefined)
    )
    const chosen = { contentType: "text/plain", value: "hidden-value", more: 1 }
    expect(Body.choice(Body.text()).write(chosen)).toMatchObject({
      failure: { message: expect.stringContaining("more") }
    })
  })

  it.each<[type: string, text: string, sent: ReadonlyArray<number> | string]>([
    ["text/plain;charset=UTF-8", "\ufeffä", [0xef, 0xbb, 0xbf, 0xc3, 0xa4]],
    ["text/plain; charset=iso-8859-1", "ä", [0xe4]],
    ["text/plain; charset=us-ascii", "a", [0x61]],
    ["text/plain; charset=iso-8859-1", "✓", "Expected text in windows-1252"],
    ["text/plain; charset=utf-16le", "a", "Expected text in utf-16le"]
  ])("text is sent in the charset that its type names, or not at all: %s, %j", (type, text, sent) => {
    const written = Result.try(() => Result.getOrThrow(Body.text(type).write(text)))
    const found = Result.match(written, {
      onSuccess: (body) => body._tag === "Uint8Array" && Array.from(body.body),
      onFailure: (problem) => problem instanceof TypeError && problem.message
    })
    expect(found).toEqual(sent)
  })

  const exact = Body.exact(Body.json(Schema.Unknown))
  it("JSON that keeps all digits is that of JSON, but for these", () => {
    const written = (value: unknown) => Result.map(exact.write(value), textOf)
    const odd = {
      a: () => 1,
      b: [undefined, Symbol.iterator],
      c: new Date(0),
      d: Number.NaN,
      e: '"\\\ud800',
      f: { toJSON: () => 5 },
      // in UTF-16 it begins as an unpaired surrogate does
      "\u{10000}": "\u{10000}1",
      "\ud800x": "\ud800x"
    }
    expect(Digits.stringify(odd)).toBe(JSON.stringify(odd))
    expect(written([-(10n ** 30n), "10", { "1": 10n }])).toEqual(
      Result.succeed('[-1000000000000000000000000000000,"10",{"1":10}]')
    )
    for (const value of ["\ud80010", { "\ud80010": 1 }]) expect(() => written(value)).toThrow(TypeError)
  })

  it.each(["a", "\\n", 'a"'])("JSON that keeps all digits has strings of any length: of %j", (part) => {
    const text = JSON.stringify([2 ** 53 - 1, part.repeat(1e7)])
    expect(Digits.stringify(Digits.parse(text)) === text).toBe(true)
  })

  it("JSON that keeps all digits reads strings that begin like integers", () => {
    const text = String.raw`{"a": "\ud800123", "b": 9007199254740993, "\uD800123" : ["\uD8001", "\ud800\udc001"]}`
    const value = { a: "\ud800123", b: 9007199254740993n, "\ud800123": ["\ud8001", "\u{10000}1"] }
    expect(exact.codec?.parse(text)).toEqual(value)
  })

  it.each<[text: string, value: unknown]>([
    ["9007199254740993.0", 9007199254740993n],
    ["-9.007199254740993E15", -9007199254740993n],
    ["90071992547409930e-1", 9007199254740993n],
    ["0.00001e30", 10n ** 25n],
    ["9007199254740991.0", 9007199254740991],
    ["1.5", 1.5],
    ["1e400", 10n ** 400n],
    // too long to make, and too large for a number
    ["1e99999999999", Infinity],
    ["9007199254740993.5", 9007199254740994]
  ])("JSON that keeps all digits reads an integer in any notation: %s", (text, value) => {
    expect(Digits.parse(`[${text},"${text}"]`)).toEqual([value, text])
  })

  it("what another copy of Effect says of its types counts too: nothing is written as {}", () => {
    const toText = SchemaTransformation.transform({ decode: (): Uint8Array => new Uint8Array(), encode: String })
    // without its class
    const toCodecJson = () => Object.assign({}, Schema.link<Uint8Array>()(Schema.String, toText))
    const Bytes = Schema.declare((value): value is Uint8Array => value instanceof Uint8Array, { toCodecJson })
    const written = Result.getOrThrow(Body.json(Bytes).write(Uint8Array.of(1, 2)))
    expect(textOf(written)).toBe('"1,2"')
  })

  it("an integer of 10,000 digits is no bigint, which would take too long to make", () => {
    const long = "9".repeat(10_000)
    expect(exact.codec?.parse(`[${long.slice(1)},-${long}]`)).toEqual([BigInt(long.slice(1)), -Infinity])
    for (const schema of [Schema.BigInt, Schema.BigIntFromString]) {
      const read = Schema.decodeUnknownResult(Body.json(schema).form ?? schema)
      expect(read(long.slice(1))).toEqual(Result.succeed(BigInt(long.slice(1))))
      expect(Result.isFailure(read(long))).toBe(true)
    }
  })

  it.effect("a name in a query keeps its $, and a value is encoded", function* () {
    const { client, requests } = yield* over([done])
    const operation = Operation.make({
      ...shared,
      path: "/v1/things?$fixed=1",
      query: Operation.query(
        Schema.Struct({
          a: Schema.String,
          $filter: Schema.String,
          $select: Schema.Array(Schema.String),
          $at: Schema.Struct({ $in: Schema.String })
        }),
        { $select: Style.form, $at: Style.deepObject }
      )
    })
    const query = { a: "&$b=$", $filter: "price eq $5", $select: ["$a", "b"], $at: { $in: "$" } }
    yield* client.execute(operation, { query })
    expect(new URL(requests[0]?.url ?? "").search).toBe(
      "?$fixed=1&a=%26%24b%3D%24&$filter=price+eq+%245&$select=%24a,b&$at%5B%24in%5D=%24"
    )
  })

  it.each([
    ["an empty text", "", "ids="],
    ["an empty list", [], ""],
    ["a list", ["1", "2"], "ids=1,2"],
    ["an object", { R: "100", G: "200" }, "ids=R,100,G,200"]
  ] as const)("a cookie has all of %s in one, under a name that it can have", (_, value, text) => {
    expect(Style.cookie.write("ids", value)).toBe(text)
    expect(() => Style.cookie.write("ids; a", ["1"])).toThrow(TypeError)
  })

  it.effect("a list in a header is sent with commas, and an empty one not at all", function* () {
    const { client, requests } = yield* over([json({}), json({})])
    for (const tags of [["a", "b"], []]) yield* client.execute(put, { payload: {}, headers: { "x-tags": tags } })
    expect(requests.map(({ headers }) => headers["x-tags"])).toEqual(["a,b", undefined])
  })
})

describe("a refusal", () => {
  class Coded extends CallError.refusal("Coded", 404) {}
  class Free extends CallError.refusal("Free", "default", Refusal.text) {}
  class Own extends CallError.refusal(
    "Own",
    "4XX",
    Refusal.body(Schema.Struct({ code: Schema.String, message: Schema.String }))
  ) {}
  const get = (errors: Operation.Any["errors"]) => ({ ...shared, method: "DELETE", errors }) as const

  it.each(Object.entries(foreign))("is not the response of %s", (_, body) => {
    for (const errors of [[Coded], [Free], [Own], [Own, Free]]) {
      const interpret = Interpretation.compile(get(errors))
      for (const status of statuses) {
        const head = Head.read({ status, headers: fromInput({}), at: 0, nowMillis: 0 }, "")
        const read = interpret(head, Result.succeed(new TextEncoder().encode(body(status))), identity)
        expect(Result.merge(read)).toMatchObject({ _tag: "UnexpectedStatus" })
      }
    }
  })

  it.effect("of free text has an ID, or says more than its status", function* () {
    for (const [body, expected] of [
      [{ status: 404, error: "Not Found", requestId: "r-1" }, "Free"],
      [{ status: 404, error: "No such thing" }, "Free"],
      [{ status: 500, error: "No such thing", requestId: "r-1" }, "UnexpectedStatus"],
      [{ status: 404, error: "No such thing", requestId: "r-1", more: 1 }, "UnexpectedStatus"]
    ] as const) {
      const error = yield* failure(get([Free]), [json(body, 404)], { retry: Retry.none })
      expect(error.reason._tag).toBe(expected)
      if (expected === "Free") expect(error.reason.message).toBe(body.error)
    }
  })

  it("says its text, and no code or value beside it", () => {
    for (const body of [
      { faultcode: "soap:Client", faultstring: "no room" },
      { messageId: "m1", message_key: "k1", errorMessages: ["no room"] },
      { error: { error_name: "full", error_msg: "no room" } },
      { msgId: "m1", errors: [{ code: 7, detail: "no room" }] },
      { default: "none", fault: { text: "no room", faultstring: "no room" } }
    ]) {
      expect(Refusal.body(Schema.Unknown).recognize(body, 409, "", fromInput({}))).toMatchObject({ message: "no room" })
    }
  })

  it.effect.each([Refusal.body, (schema: Schema.Codec<unknown, unknown>) => Refusal.exact(Refusal.body(schema))])(
    "whose body is not as declared says where",
    function* (rule) {
      const Taken = CallError.refusal("Taken", 409, rule(Schema.Struct({ by: Schema.String })))
      const { reason } = yield* failure(get([Taken]), [json({ by: 7 }, 409)], { retry: Retry.none })
      expect(reason).toMatchObject({
        _tag: "UnexpectedStatus",
        message: `not as declared: Expected string at ["by"]: the body begins: {"by":7}`
      })
    }
  )

  it.effect("is caught by its tag, with its body; its status comes before its range, then the rest", function* () {
    class Exact extends CallError.refusal("Exact", 409, Refusal.body(Schema.Struct({ code: Schema.Literal("a") }))) {}
    const operation = Operation.make({ ...get([]), errors: [Free, Own, Exact] })
    const call = Effect.fnUntraced(function* (body: unknown, status: number) {
      const { client } = yield* over([json(body, status)], { retry: Retry.none })
      return yield* client.execute(operation, {}).pipe(
        Effect.as("done"),
        Effect.catchReason("CallError", "Own", ({ body, status }) => Effect.succeed(`${body.code} ${status}`)),
        Effect.catchReason("CallError", "Exact", ({ body }) => Effect.succeed(`exactly ${body.code}`)),
        Effect.catchReason("CallError", "Free", ({ message }) => Effect.succeed(message))
      )
    })
    expect(yield* call({ code: "a", message: "A" }, 409)).toBe("exactly a")
    expect(yield* call({ code: "b", message: "B" }, 409)).toBe("b 409")
    expect(yield* call({ status: 507, error: "no room left" }, 507)).toBe("no room left")
  })
})

describe("credentials", () => {
  const operation = (security?: Operation.Any["security"]) =>
    Operation.make({ ...shared, path: "/v1/things?fixed=1", ...(security !== undefined && { security }) })
  const bearer = Credentials.bearer("token-0123456789")
  const key = Credentials.header("X-Key", Redacted.make("key-0123456789"))
  const parameter = Credentials.query("api key", "query/0123456789")
  const named = Credentials.schemes({ token: bearer, key, parameter })
  const basic = Credentials.make("id", "ü secret")
  const own = `Basic ${btoa("id:\u00c3\u00bc secret")}`
  const one = Credentials.cookie("a", "1")
  const cookies = Credentials.all(Credentials.cookie("a", "1=1"), Credentials.cookie("b", "2"))
  const withCookies = Operation.make({
    ...operation(),
    headers: Operation.headers(
      Schema.Struct({
        cookie: Wire.cookies(Schema.Struct({ c: Schema.String, d: Schema.optionalKey(Wire.NumberText) }))
      })
    )
  })

  const { all, schemes } = Credentials
  const ofToken = { authorization: "Bearer token-0123456789" }
  const ofKey = { "x-key": "key-0123456789" }
  const ofQuery = { search: "?fixed=1&api%20key=query%2F0123456789" }
  const ofBasic = { authorization: own }
  it.effect.each<[what: string, own: Credentials.Credentials, security: Operation.Any["security"], sent: object]>([
    ["none where an operation needs none", bearer, [], {}],
    ["none to a public service", Credentials.none, undefined, {}],
    ["a key without a password", Credentials.basicKey("ü key"), undefined, { authorization: "Basic w7wga2V5Og==" }],
    ["none of Basic either", credentials, [], {}],
    ["the first of several", named, undefined, ofToken],
    ["Basic by name, beside a token", schemes({ token: bearer, basic }), [["basic"]], ofBasic],
    ["the token beside Basic", schemes({ basic, token: bearer }), [["token"]], ofToken],
    ["Basic and a key together", all(basic, key), undefined, { ...ofBasic, ...ofKey }],
    ["Basic and a key by name", schemes({ key, basic }), [["basic", "key"]], { ...ofBasic, ...ofKey }],
    ["its own scheme", Credentials.header("Authorization", "Token a b"), undefined, { authorization: "Token a b" }],
    ["cookies", cookies, undefined, { cookie: "a=1=1; b=2" }],
    ["cookies by name", schemes({ a: one, cookies }), [["cookies", "a"]], { cookie: "a=1; a=1=1; b=2" }],
    ["no cookies where none are needed", cookies, [], {}],
    ["those that an operation can do without", named, [[], ["key"]], ofKey],
    ["none where it has none of those that an operation can do without", named, [["oauth"], []], {}],
    ["the one that is there", named, [["oauth"], ["key"]], ofKey],
    ["two that go together", named, [["key", "parameter"]], { ...ofKey, ...ofQuery }]
  ])("are sent: %s", function* ([, own, security, sent]) {
    const { client, requests } = yield* over([done], { credentials: own })
    yield* client.execute(operation(security), {})
    const [request] = requests
    assert(request !== undefined)
    const { headers, url } = request
    const { search } = new URL(url)
    const found = Object.fromEntries(
      ["authorization", "x-key", "cookie"].flatMap((name) =>
        headers[name] === undefined ? [] : [[name, headers[name]]]
      )
    )
    expect({ search, ...found }).toEqual({ search: "?fixed=1", ...sent })
  })

  it.effect("are sent beside the cookies of an operation, which it reads among others", function* () {
    const { client, requests } = yield* over([done], { credentials: cookies })
    const sent = { cookie: { c: "", d: 3 } }
    yield* client.execute(withCookies, { headers: sent })
    const cookie = requests[0]?.headers["cookie"]
    expect(cookie).toBe("c=; d=3; a=1=1; b=2")
    expect(Schema.decodeUnknownSync(withCookies.headers.schema)({ cookie: [cookie] })).toEqual(sent)
  })

  it.effect("are sent whatever header has the idempotency key", function* () {
    const { client, requests } = yield* over([json({})])
    yield* client.execute({ ...operation(), method: "POST", repeat: Operation.idempotencyKey("Authorization") }, {})
    expect(requests[0]?.headers["authorization"]).toBe(`Basic ${btoa("key-id:key-secret")}`)
  })

  it.effect("that an operation needs and the client lacks are a failure, and nothing is sent", function* () {
    for (const credentials of [named, Credentials.all(basic, named), Credentials.schemes({}), Credentials.all(named)]) {
      const { client, requests } = yield* over([json({})], { credentials })
      const error = yield* Effect.flip(client.execute(operation([["oauth"], ["app", "user"]]), {}))
      expect(error.reason).toMatchObject({ _tag: "InvalidInput", path: "credentials" })
      expect(error.message).toContain("the credentials lack oauth, or app and user")
      expect(requests).toEqual([])
    }
  })

  it.effect("show in no error, wherever they come back", function* () {
    const own = Credentials.all(bearer, key, parameter)
    for (const secret of ["token-0123456789", "key-0123456789", "query/0123456789", "query%2F0123456789"]) {
      for (const reply of [
        respond(`no ${secret}`, { status: 404 }),
        json({ status: 400, error: `BAD_REQUEST: ${secret}` }, 400),
        () => Effect.fail({ message: `https://api.example.com/v1/things?fixed=1&api%20key=${secret}` })
      ]) {
        const error = yield* failure(operation(), [reply], { credentials: own, retry: Retry.none })
        expect(JSON.stringify(error) + error.message).not.toContain(secret)
      }
    }
  })
})

describe("an idempotency key", () => {
  const pay = Operation.make({ ...shared, method: "POST", repeat: Operation.idempotencyKey("X-Request-Token") })
  const taking = Operation.make({
    ...pay,
    headers: Operation.headers(Schema.Struct({ "X-REQUEST-token": Schema.optionalKey(Schema.String) }))
  })
  const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
  const sent = (operation: Operation.Any, input: object = {}, given?: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const { client, requests } = yield* over([json({}, 503), done])
      const call = client.execute(operation, input)
      const fiber = yield* Effect.forkChild(given === undefined ? call : RequestHeaders.within(call, given))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      const [first, again] = requests.map(({ headers }) => headers["x-request-token"])
      expect(again).toBe(first)
      return first
    })

  it.effect.each<[what: string, ...Parameters<typeof sent>, key: string | RegExp]>([
    ["made for the call, a UUID", pay, {}, undefined, uuid],
    ["in hex", { ...pay, repeat: Operation.idempotencyKey("x-request-token", "hex") }, {}, undefined, /^\w{32}$/],
    ["made where the caller gives none", taking, {}, undefined, uuid],
    ["the caller's, in its input", taking, { headers: { "X-REQUEST-token": "mine" } }, undefined, /^mine$/],
    ["the caller's, by RequestHeaders", pay, {}, { "X-Request-TOKEN": "mine" }, /^mine$/],
    [
      "that of the input before that of a region",
      taking,
      { headers: { "X-REQUEST-token": "mine" } },
      { "x-request-token": "region" },
      /^mine$/
    ]
  ])("is the same for each attempt: %s", function* ([, operation, input, given, key]) {
    expect(yield* sent(operation, input, given)).toMatch(key)
  })

  it.effect("is another one for each call, also where the seed of random numbers is set again", function* () {
    const calls = Array.from({ length: 3 }, () => Random.withSeed(sent(pay), "fixed"))
    expect(new Set(yield* Effect.all(calls)).size).toBe(3)
  })
})

describe("a call that fails has the headers of its response", () => {
  const headers = { "x-error-code": "E_QUOTA", location: "/v2/things", "retry-after": "7", "x-echo": "key-secret" }

  it.effect.each<[what: string, operation: Partial<Operation.Any>, response: () => Response]>([
    ["HEAD", { method: "HEAD" }, () => new Response(null, { status: 404, headers })],
    ["a redirect", {}, () => new Response(null, { status: 301, headers })],
    ["a refusal", {}, () => Response.json({ status: 400, error: "CODE: x" }, { status: 400, headers })],
    ["a success that does not decode", { success: Body.json(Schema.String) }, () => Response.json(5, { headers })]
  ])("without those that may repeat the credentials: %s", function* ([, operation, response]) {
    const withCookie = response()
    withCookie.headers.append("set-cookie", "session=1234")
    const error = yield* failure({ ...shared, ...operation }, [() => Effect.succeed(withCookie)], { retry: Retry.none })
    expect(error.headers).toMatchObject({
      ...headers,
      "x-echo": "(withheld: it may repeat the credentials)",
      "set-cookie": "<redacted>"
    })
    expect(JSON.stringify(error)).not.toMatch(/1234|key-secret/)
  })

  it.effect("and none where there was no response", function* () {
    expect((yield* failure(shared, [() => Effect.fail("broken")], { retry: Retry.none })).headers).toEqual({})
  })
})

it.effect("the ID of a request is in the header that the client is told", function* () {
  const teapot = respond(null, { status: 418, headers: { "x-request-id": "other", "cf-ray": "7d3" } })
  const { requestId } = yield* failure(shared, [teapot], { requestIdHeader: "CF-Ray", retry: Retry.none })
  expect(requestId).toBe("7d3")
})

describe("a 409 with Retry-After", () => {
  const conflict = (headers: HeadersInit = { "retry-after": "7" }) => respond(null, { status: 409, headers })
  const lost = () => Effect.fail({ code: "ECONNRESET" })
  const pay = { ...shared, method: "POST", repeat: Operation.idempotencyKey() } as const

  it.effect.each<
    [what: string, operation: Operation.Any, responses: ReadonlyArray<Reply>, ending: ReadonlyArray<unknown>]
  >([
    ["is waited for after an attempt that may have been applied", pay, [lost, conflict(), done], ["Success", 3, 7]],
    ["is final at first: it is another's", pay, [conflict(), done], ["refused", 1, 0]],
    ["is final without the header", pay, [lost, conflict({}), done], ["unknown", 2, 0]],
    ["is final where there is no key", { ...shared, method: "PUT" }, [lost, conflict(), done], ["unknown", 2, 0]],
    ["is final when it stays", pay, [lost, conflict(), conflict()], ["unknown", 3, 7]]
  ])("%s", function* ([, operation, responses, [outcome, attempts, seconds]]) {
    const { client } = yield* over(responses, { retry: { base: 0 } })
    const call = yield* Effect.forkChild(Effect.timed(Effect.result(client.exchange(operation, {}))))
    yield* TestClock.adjust("1 minute")
    const [took, result] = yield* Fiber.join(call)
    const ended = Result.merge(result)
    expect([Result.isSuccess(result) ? "Success" : result.failure.outcome, ended.attempts]).toEqual([outcome, attempts])
    expect(Duration.toSeconds(took)).toBe(seconds)
  })
})

it.effect("a listener gets each request with its URL, status, time and attempt, and no secret", function* () {
  const ended: Array<unknown> = []
  const headers = { "set-cookie": "session=1", "x-a": "b" }
  const responses = [json({}, 503), respond(null, { headers, status: 204 })]
  const { client } = yield* over(responses, {
    credentials: Credentials.query("api_key", "key-secret"),
    retry: { base: 0 },
    log: (event) =>
      Effect.sync(() => {
        if (event._tag !== "AttemptEnded") return
        const { attempts, headers, method, seconds, status, url } = event
        ended.push([method, url, status, seconds, attempts, headers()?.["set-cookie"], headers()?.["x-a"]])
      })
  })
  yield* client.execute({ ...shared, path: "/v1/things?a=b" }, {})
  expect(ended).toEqual([
    ["GET", "https://api.example.com/v1/things?a=b", 503, 0, 1, undefined, undefined],
    ["GET", "https://api.example.com/v1/things?a=b", 204, 0, 2, "<redacted>", "b"]
  ])
})

describe("headers of a region", () => {
  const get = Operation.make({
    ...shared,
    headers: Operation.headers(Schema.Struct({ "X-Own": Schema.optionalKey(Schema.String) }))
  })

  it.effect("go with each request of its calls, the innermost first, and after those of the input", function* () {
    const { client, requests } = yield* over([done])
    const both = Effect.andThen(client.execute(get, {}), client.execute(get, { headers: { "X-Own": "input" } }))
    yield* both.pipe(
      RequestHeaders.within({ "X-OWN": "inner", "User-Agent": "mine/1.0" }),
      RequestHeaders.within({ "x-own": "outer", "X-Tenant": "acme corp" })
    )
    yield* client.execute(get, {})
    const names = ["x-own", "x-tenant", "user-agent"]
    expect(requests.map(({ headers }) => names.map((name) => headers[name]))).toEqual([
      ["inner", "acme corp", "mine/1.0"],
      ["input", "acme corp", "mine/1.0"],
      [undefined, undefined, undefined]
    ])
  })
})

describe("a stream", () => {
  const bytes = (text: string) => new TextEncoder().encode(text)

  const patient = { attempt: Infinity, total: Infinity, stall: "20 seconds" } as const
  type Source = Stream.Stream<Uint8Array, unknown>

  /** Sends a stream to a service that takes it so; `closed` is how often its source was. */
  const send = Effect.fnUntraced(function* (
    source: Source,
    take: (stream: Source) => Effect.Effect<Response, unknown>,
    first: ReadonlyArray<Reply> = []
  ) {
    const upload = Operation.make({ ...putting, payload: Body.upload() })
    const seen = { closed: 0 }
    const stream = Stream.ensuring(
      source,
      Effect.sync(() => seen.closed++)
    )
    const reply: Reply = ({ body }) => {
      assert(body._tag === "Stream")
      return take(body.stream)
    }
    const { client, requests } = yield* over([...first, reply], { deadline: patient })
    const call = yield* Effect.forkChild(Effect.result(client.execute(upload, { payload: { stream } })))
    return { call, requests, seen }
  })
  const ok = Effect.sync(() => Response.json({}))
  const rest = (stream: Source, each: Effect.Effect<unknown>, response = ok) =>
    Effect.andThen(
      Stream.runForEach(stream, () => each),
      response
    )
  const two = Stream.make(bytes("a"), bytes("b"))

  it.effect("is sent once: it is not sent again after its first byte, and its source is closed", function* () {
    const unavailable = Effect.sync(() => Response.json({ status: 503, error: "X: y" }, { status: 503 }))
    const { call, requests, seen } = yield* send(two, (stream) => rest(stream, Effect.void, unavailable))
    expect(yield* Fiber.join(call)).toMatchObject({ failure: { attempts: 1, status: 503, outcome: "unknown" } })
    expect([requests.length, seen.closed]).toEqual([1, 1])
  })

  it.effect("is sent again if it was not begun", function* () {
    const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
    const { call, requests } = yield* send(two, (stream) => rest(stream, Effect.void), [() => Effect.fail(refused)])
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(call)).toMatchObject({ _tag: "Success" })
    expect(requests.length).toBe(2)
  })

  it.effect("is not sent as if it were empty, if it can be read once and was", function* () {
    const once = new Blob(["a"]).stream().values()
    const upload = Operation.make({ ...putting, payload: Body.upload() })
    const { client } = yield* over([({ body }) => (assert(body._tag === "Stream"), rest(body.stream, Effect.void))])
    const put = (stream: Source) => Effect.result(client.execute(upload, { payload: { stream } }))
    const stream = Stream.fromAsyncIterable(once, (error) => error)
    expect(yield* put(stream)).toMatchObject({ _tag: "Success" })
    expect(yield* put(stream)).toMatchObject({ failure: { reason: { _tag: "TransportFailed" }, attempts: 1 } })
    for (const again of [two, none, two, none]) expect(yield* put(again)).toMatchObject({ _tag: "Success" })
  })

  const parts = Stream.rechunk(two, 1)
  it.effect.each<[when: string, change: <A, E>(taken: Effect.Effect<A, E>) => Effect.Effect<A, E>, at: number]>([
    ["if no more of it is taken within deadline.stall, and its source is closed", (taken) => taken, 20_000],
    ["a second after the stall, if the transport does not end", Effect.uninterruptible, 21_000]
  ])("is given up %s", function* ([, change, at]) {
    const { call, requests, seen } = yield* send(parts, (stream) => change(rest(stream, Effect.never)))
    yield* TestClock.adjust(at - 1)
    expect(call.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    const ended = yield* Fiber.join(call)
    expect(ended).toMatchObject({ failure: { attempts: 1, outcome: "unknown", reason: { _tag: "Timeout" } } })
    expect(Result.merge(ended)?.message).toContain("the rest of the body was not taken within 20 s")
    expect([requests.length, seen.closed]).toEqual([1, at === 20_000 ? 1 : 0])
  })

  const slow = Effect.sleep("19 seconds")
  const late = Stream.fromEffect(Effect.delay(Effect.succeed(bytes("a")), "1 minute"))
  it.effect.each<[when: string, stream: Source, take: Parameters<typeof send>[1]]>([
    ["while parts that its source has at once are taken slowly", two, (stream) => rest(stream, slow)],
    ["while one large part is taken slowly", Stream.make(new Uint8Array(200_000)), (stream) => rest(stream, slow)],
    [
      "while its source is slow, or the service after its end",
      Stream.concat(late, late),
      (stream) => rest(stream, slow, Effect.delay(ok, "1 minute"))
    ],
    [
      "once the service responds without taking the rest",
      parts,
      Effect.fnUntraced(function* (stream) {
        yield* Effect.forkDetach(rest(stream, Effect.never))
        return new Response(yield* Stream.toReadableStreamEffect(late))
      })
    ]
  ])("is not given up %s", function* ([, stream, take]) {
    const { call } = yield* send(stream, take)
    yield* TestClock.adjust("10 minutes")
    expect(yield* Fiber.join(call)).toMatchObject({ _tag: "Success" })
  })

  const [three, none] = [Stream.make(bytes("a"), bytes("bc")), Stream.empty]
  it.effect.each<[what: string, stream: Stream.Stream<Uint8Array, unknown>, length: number, sent: string]>([
    ["as long as it says", three, 3, "abc"],
    ["empty, as it says", none, 0, ""],
    ["empty", none, 3, "it has 0 bytes, and not the stated 3"],
    ["too short", three, 4, "it has 3 bytes, and not the stated 4"],
    ["too long", three, 2, "it has more than the stated 2 bytes"],
    ["too long by a chunk", Stream.concat(three, three), 3, "it has more than the stated 3 bytes"],
    ["not empty", three, 0, "it has more than the stated 0 bytes"],
    ["broken after its last byte", Stream.concat(three, Stream.fail("disk on fire")), 3, "disk on fire"]
  ])("that is %s is whole, or fails before its stated end", function* ([, stream, length, expected]) {
    const body = Result.getOrThrow(Body.upload().write({ stream, length }))
    assert(body._tag === "Stream")
    expect(body.contentLength).toBe(length)
    let size = 0
    const counted = Stream.tap(body.stream, (chunk) => Effect.sync(() => (size += chunk.length)))
    const result = yield* Effect.result(Stream.mkString(Stream.decodeText(counted)))
    expect(Result.merge(result)).toBe(expected)
    if (Result.isFailure(result)) expect(size).toBeLessThan(Math.max(1, length))
  })

  const watch = Operation.make({ ...shared, success: Body.events(Schema.Finite) })
  const eventful = { headers: { "content-type": "text/event-stream" } }
  /** Sends each text apart; at "break" the connection breaks off. */
  const events =
    (...texts: ReadonlyArray<string>): Reply =>
    () =>
      Effect.map(
        Stream.toReadableStreamEffect(
          Stream.mapEffect(Stream.rechunk(Stream.fromIterable(texts), 1), (text) =>
            text === "break" ? Effect.die(new Error("connection lost")) : Effect.succeed(bytes(text))
          )
        ),
        (source) => new Response(source, eventful)
      )
  const collect = Effect.fnUntraced(function* (
    responses: ReadonlyArray<Reply>,
    operation: Omit<typeof watch, "repeat"> & Pick<Operation.Any, "repeat"> = watch,
    options: Partial<Client.Options> = {}
  ) {
    const { client, requests } = yield* over(responses, options)
    const stream = yield* client.execute(operation, {})
    const fiber = yield* Effect.forkChild(Effect.result(Stream.runCollect(Stream.map(stream, ({ data }) => data))))
    for (let i = 0; i < 20; i++) yield* TestClock.adjust("10 seconds")
    const result = yield* Fiber.join(fiber)
    return { result, ids: requests.map(({ headers }) => headers["last-event-id"]) }
  })

  it.effect("of a sequence has each text that is whole, however it is divided", function* () {
    const operation = Operation.make({ ...shared, success: Body.jsonLines(Schema.Finite, "application/json-seq") })
    const body = (isOpen: boolean, ...chunks: ReadonlyArray<string>) =>
      new ReadableStream({
        start: (controller) => {
          for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
          if (!isOpen) controller.close()
        }
      })
    const bodies = [
      body(true, "\x1e1\n", "\x1e\n2\n", "\x1e3"),
      body(false, "\x1e1\x1e", "\n 2", "3 \n\x1e", "4\n", "\n\x1e5\n\n"),
      body(false, "\x1e1\n\x1e{")
    ]
    const { client } = yield* over(bodies.map((body) => respond(body)))
    expect(yield* Stream.runCollect(Stream.take(yield* client.execute(operation, {}), 2))).toEqual([1, 2])
    expect(yield* Stream.runCollect(yield* client.execute(operation, {}))).toEqual([1, 23, 4, 5])
    expect(yield* Effect.flip(Stream.runCollect(yield* client.execute(operation, {})))).toMatchObject({
      reason: { _tag: "InvalidResponse", message: "the body has a part that is not JSON" }
    })
  })

  const html = "<h1>Log in</h1>"
  const typed = (type: string | undefined, text: string) =>
    type === undefined ? respond(bytes(text)) : respond(text, { headers: { "content-type": type } })

  const once = { ...watch, repeat: "not-idempotent" } as const
  const lost = { failure: { reason: { _tag: "TransportFailed" }, outcome: "unknown" } }
  const invalid = { failure: { reason: { _tag: "InvalidResponse" } } }
  const mebibyte = `data: ${" ".repeat(2 ** 20)}\n`
  const poor = { retry: { attempts: 9, budget: { ...Retry.standard.budget, capacity: 14 } } }
  it.effect.each<[what: string, ids: ReadonlyArray<unknown>, result: object, ...Parameters<typeof collect>]>([
    [
      "goes on where it broke off",
      // UTF-8, a character for each byte
      [undefined, "\u00c3\u00a9\u00e6\u0097\u00a5"],
      { success: [1, 2, 3] },
      [events("id: 1\ndata: 1\n\n", "id: é日\ndata: 2\n\nda", "break"), events("data: 3\n\n")]
    ],
    [
      "that asks for it begins again after its end, until there is no content",
      [undefined, "a", undefined],
      { success: [1, 2] },
      // a year, and no ID any more
      [events("retry: 100\nid: a\ndata: 1\n\n"), events("retry: 31536000000\nid\ndata: 2\n\n"), done]
    ],
    ["fails after as many connections without one as attempts", Array(3).fill(undefined), lost, [events("break")]],
    ["that asks for it, and has none, fails so too", Array(3).fill(undefined), lost, [events("retry: 0\n\n")]],
    ["fails without tokens to pay for more", Array(4).fill(undefined), lost, [events("break")], watch, poor],
    ["fails at once if it cannot be repeated", [undefined], lost, [events("data: 1\n\n", "break")], once],
    [
      "fails where another document comes again",
      [undefined, undefined],
      invalid,
      [events("data: 1\n\n", "break"), typed("text/html", html)]
    ],
    [
      "fails if the data of one event is too long",
      [undefined],
      invalid,
      [events(...Array.from({ length: 11 }, () => mebibyte), "\n")]
    ]
  ])("of events %s", function* ([, ids, result, ...collecting]) {
    const ended = yield* collect(...collecting)
    expect(ended.result).toMatchObject(result)
    expect(ended.ids).toEqual(ids)
  })

  it.effect("fails if it stalls, or has a part that does not fit", function* () {
    const stalled = respond(new ReadableStream({ pull: () => new Promise(() => {}) }))
    const download = Operation.make({
      ...shared,
      success: Body.stream(),
      limits: Operation.limits({ deadline: { stall: "5 seconds" } })
    })
    const fiber = yield* Effect.forkChild(Effect.flip(collected(download, [stalled])))
    yield* TestClock.adjust("5 seconds")
    expect(yield* Fiber.join(fiber)).toMatchObject({ reason: { _tag: "Timeout" }, outcome: "unknown" })

    const rows = Operation.make({ ...shared, success: Body.jsonLines(Schema.Finite) })
    expect(yield* Effect.flip(collected(rows, [respond('1\n"x"\n')]))).toMatchObject({
      reason: { _tag: "InvalidResponse", message: expect.stringContaining("Expected number") }
    })
  })

  it.effect("that fails is reported to log and metrics, but not one that goes on", function* () {
    const seen: Array<unknown> = []
    const measured: Array<unknown> = []
    const { client } = yield* over([events("data: 1\n\n", "break"), events("data: 2\n\n")], {
      log: (event) => Effect.sync(() => event._tag === "StreamFailed" && seen.push(event)),
      metrics: Metrics.make((name, value, labels) =>
        Effect.sync(() => name === "streamFailures" && measured.push([value, labels]))
      )
    })
    yield* Effect.flip(Stream.runDrain(yield* client.execute(once, {})))
    expect(seen).toMatchObject([{ operation: "things.get", reason: "TransportFailed", attempts: 1, status: 200 }])
    expect(measured).toEqual([[1, { "api.operation": "things.get", "error.type": "TransportFailed" }]])
    yield* Stream.runDrain(yield* client.execute(watch, {}))
    expect(seen.length).toBe(1)
  })

  const table = Body.stream("text/csv")
  const rows = Body.jsonLines(Schema.Finite)
  const ticks = Body.events(Schema.Finite)
  const event = "data: 1\n\n"
  it.effect.each<[success: Body.Streaming<unknown>, type: string | undefined, text: string, is?: string]>([
    [ticks, "application/json", '{"error":"no"}', 'application/json, and begins: {"error":"no"}'],
    [ticks, "text/html; charset=utf-8", html, `text/html, and begins: ${html}`],
    [ticks, "application/json", "", "application/json"],
    [ticks, "text/plain", event, "text/plain, and begins: data: 1"],
    [ticks, undefined, event, "of no type, and begins: data: 1"],
    [rows, "application/problem+json", "{}", "application/problem+json, and begins: {}"],
    [rows, "text/html", html, `text/html, and begins: ${html}`],
    [table, "text/html", html, `text/html, and begins: ${html}`],
    [table, "application/json", "[]", "application/json, and begins: []"],
    [ticks, "Text/Event-Stream;charset=utf-8", event],
    [rows, undefined, "1"],
    [rows, "text/plain", "1"],
    [rows, "application/octet-stream", "1"],
    [rows, "application/jsonl", "1"],
    [Body.jsonLines(Schema.Finite, "application/json"), "application/json", "1"],
    [table, "application/octet-stream", "1"],
    [Body.stream(), "application/json", "1"],
    [Body.stream(), "text/html", "1"]
  ])("is one only of a type that can be what is declared: %o, %s", function* ([success, type, text, is]) {
    const { client, requests } = yield* over([typed(type, text)])
    const read = Effect.flatMap(client.execute({ ...shared, success } as const, {}), Stream.runCollect)
    const message = expect.stringContaining(`the body is ${is}`)
    const failure = { reason: { _tag: "InvalidResponse", message }, status: 200 }
    expect(yield* Effect.result(read)).toMatchObject(is === undefined ? { success: [expect.anything()] } : { failure })
    expect(requests.length).toBe(1)
  })

  const bad = (data: string, problem: RegExp) => ({ event: "message", data, problem: expect.stringMatching(problem) })
  const one = { event: "message", data: 1 }
  const other = Body.events(Schema.Finite, {
    named: { failed: Schema.Struct({ why: Schema.String }) },
    sentinel: "END"
  })
  it.effect.each<[text: string, read: ReadonlyArray<unknown>, success?: Body.Streaming<unknown>]>([
    ["data: 1\n\ndata: [DONE]\n\ndata: 2\n\n", [one]],
    ["retry: 0\n\ndata: 1\n\ndata: [DONE]\n\n", [one]],
    ["data:\n\nevent: ping\ndata\n\n: heartbeat\n\nid: 7\ndata: \n\ndata: 1\n\n", [{ ...one, id: "7" }]],
    ["data: hello\n\ndata: 1\n\n", [bad("hello", /not JSON/), one]],
    ['data: "x"\n\ndata: 1\n\n', [bad('"x"', /Expected number/), one]],
    ["event: error\ndata: overloaded\n\ndata: 1\n\n", [{ ...bad("overloaded", /not JSON/), event: "error" }, one]],
    ["data: 1\n\ndata: END\n\ndata: 2\n\n", [one], other],
    ["data: [DONE]\n\ndata: END\n\n", [bad("[DONE]", /Expected number|not JSON/)], other],
    ['event: failed\ndata: {"why":"w"}\n\n', [{ event: "failed", data: { why: "w" } }], other],
    ["event: failed\ndata: 1\n\n", [{ ...bad("1", /Expected object/), event: "failed" }], other],
    ["event: more\ndata: 1\n\n", [{ ...bad("1", /of another type/), event: "more" }], other],
    ["data: 1\r\rdata:2\r\n\r\n", [one, { ...one, data: 2 }]],
    ["\ufeffdata: 1\n\ndata: 2\n", [one]]
  ])("of events reads %j", function* ([text, read, success = ticks]) {
    const whole = bytes(text)
    for (const parts of [[whole], Array.from(whole, (byte) => Uint8Array.of(byte))]) {
      const source = Stream.toReadableStream(Stream.fromIterable(parts))
      const responses = [respond(source, eventful), () => Effect.die("it was asked again")]
      expect(yield* collected({ ...shared, success }, responses)).toEqual(read)
    }
  })

  it.effect("of events closes its connection where its sentinel comes", function* () {
    let isClosed = false
    const source = new ReadableStream({
      start: (controller) => controller.enqueue(bytes("data: [DONE]\n\n")),
      cancel: () => void (isClosed = true)
    })
    yield* collected(watch, [respond(source, eventful)])
    expect(isClosed).toBe(true)
  })

  it.effect.each<[first: string, id: string | undefined]>([
    ["id: 1\ndata: 1\n\nid: 2\n\n", "2"],
    ["id: 1\ndata: 1\n\nid: 2\n", "1"],
    ["id: 1\ndata: 1\n\nid: 2\u0001\ndata: 2\n\n", "1"],
    ["id: 1\ndata: 1\n\nid: 2\u0000\ndata: 2\n\n", "1"],
    ["id: 3\nid: 2\u0000\ndata: 2\n\n", "3"],
    ["id: \u007f\n\n", undefined],
    ["id: a\tb c\n\n", "a\tb c"]
  ])("of events goes on after the last ID that a header can carry, also one without data: %j", function* ([first, id]) {
    const { ids, result } = yield* collect([events(first, "break"), events("data: 3\n\n")])
    expect(result).toMatchObject({ _tag: "Success" })
    expect(ids).toEqual([undefined, id])
  })

  it.effect("of events that asks for it is not asked for again more than once a second", function* () {
    const at: Array<number> = []
    const reply: Reply = (request, url) =>
      Effect.flatMap(
        Effect.clockWith((clock) => clock.currentTimeMillis),
        (now) => (at.push(now), events("retry: 0\ndata: 1\n\n")(request, url))
      )
    const budget = { ...Retry.standard.budget, capacity: 5 }
    const fiber = yield* Effect.forkChild(collected(watch, [reply], { retry: { budget } }))
    for (let i = 0; i < 20; i++) yield* TestClock.adjust(500)
    expect(at.length).toBeGreaterThan(5)
    expect(at.slice(1).every((time, n) => time - (at[n] ?? 0) >= 1000)).toBe(true)
    yield* Fiber.interrupt(fiber)
  })

  it.effect("or JSON, as a field of the request says, can both be called", function* () {
    const ask = Operation.make({
      ...shared,
      method: "POST",
      payload: Body.json(Schema.Struct({ stream: Schema.Boolean })),
      success: Body.oneOf(Body.status(200, Envelope.withResult(Schema.Finite)), Body.status(200, ticks))
    })
    const envelope = { status: 200, requestId: "req-1", result: 1 }
    const registry = { things: { get: ask } } as const
    const { client, requests } = yield* Stub.over(registry, [
      json(envelope),
      events("data: 1\n\n"),
      typed("text/html", html)
    ])
    expect(yield* client.things.get({ payload: { stream: false } })).toEqual({ status: 200, value: 1 })
    const { status, value } = yield* client.things.get({ payload: { stream: true } })
    assert(Stream.isStream(value))
    expect([status, yield* Stream.runCollect(value)]).toEqual([200, [one]])
    const failed = yield* Effect.flip(client.things.get({ payload: { stream: true } }))
    expect(failed.reason._tag).toBe("InvalidResponse")
    expect(requests[0]?.headers["accept"]).toBe("application/json, text/event-stream")
  })

  it.effect("of lines ends at one that is too long", function* () {
    let chunks = 0
    const longer = new ReadableStream({
      pull: (controller) => (++chunks > 20 ? controller.close() : controller.enqueue(new Uint8Array(2 ** 20).fill(49)))
    })
    const list = Operation.make({ ...shared, success: Body.jsonLines(Schema.Finite) })
    const longest = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode("1\n"))
        controller.enqueue(new Uint8Array(10 * 2 ** 20).fill(32).fill(49, -1))
        controller.close()
      }
    })
    expect(yield* collected(list, [respond(longest)])).toEqual([1, 1])
    expect(yield* Effect.flip(collected(list, [respond(longer)]))).toMatchObject({
      reason: { _tag: "InvalidResponse" },
      outcome: "unknown"
    })
    expect(chunks).toBeLessThan(20)
  })

  it.effect("does not repeat the credentials in the error of a part that does not fit", function* () {
    const list = Operation.make({ ...shared, success: Body.jsonLines(Schema.Record(Schema.String, Schema.Finite)) })
    const echo = respond(JSON.stringify({ [Redacted.value(credentials.keySecret)]: "x" }))
    expect(yield* Effect.flip(collected(list, [echo]))).toMatchObject({
      reason: {
        message: "the body has a part that does not match its schema: (withheld: it may repeat the credentials)"
      }
    })
  })
})

it.effect("an operation's own limits come before the client's", function* () {
  const once = Operation.make({
    ...shared,
    success: Body.text(),
    limits: Operation.limits({ retry: { attempts: 1 }, maxResponseBytes: 3 })
  })
  const failing = yield* over([json({}, 503)])
  yield* Effect.flip(failing.client.execute(once, {}))
  expect(failing.requests.length).toBe(1)
  expect((yield* failure(once, [respond("four")])).reason.message).toBe("the body exceeds maxResponseBytes (3)")
})

describe("a response", () => {
  const get = (success: Operation.Any["success"]) => ({ ...shared, success, errors: [] }) as const

  it.effect("says which field breaks its schema, and what is expected, never the value", function* () {
    const body = Body.json(Schema.Struct({ vpcResourceConfigurationId: Schema.Struct({ size: Schema.Int }) }))
    const { reason } = yield* failure(get(body), [json({ vpcResourceConfigurationId: { size: "hidden-value" } })])
    expect(reason.message).toMatch(/\["vpcResourceConfigurationId"\]\["size"\]/)
    expect(reason.message).not.toContain("hidden-value")
  })

  it.effect.each<[what: string, body: BodyInit]>([
    ["breaks off", new ReadableStream({ start: (controller) => controller.error(new Error("the connection broke")) })],
    ["is too large", "x".repeat(101)]
  ])("that is a redirect has its target, also where its body %s", function* ([, body]) {
    const redirect = Operation.make({ ...shared, method: "POST", success: Body.redirect(303) })
    const moved = respond(body, { status: 303, headers: { location: "/v1/things/1" } })
    expect(yield* call(redirect, [moved], { maxResponseBytes: 100 })).toBe("/v1/things/1")
  })

  interface Nested {
    readonly a: number | Nested
  }
  const Nested: Schema.Codec<Nested> = Schema.Struct({
    a: Schema.Union([Schema.Finite, Schema.suspend((): Schema.Codec<Nested> => Nested)])
  })
  const Either: Schema.Codec<unknown, unknown> = Schema.Union([
    Schema.Struct({ a: Schema.suspend(() => Either), b: Schema.Finite }),
    Schema.Struct({ a: Schema.Union([Schema.Finite, Schema.suspend(() => Either)]) })
  ])
  const nested = `${'{"a":'.repeat(50_000)}12345678901234567890${"}".repeat(50_000)}`
  const refused = (rule?: CallError.Rule<Schema.Codec<unknown, unknown>>) => ({
    ...get(Body.empty),
    errors: [rule ? CallError.refusal("Refused", 409, rule) : CallError.refusal("Refused", 409)]
  })
  it.effect.each<[what: string, operation: Operation.Any, status: number, text: string, reason: string]>([
    ["success", get(Body.json(Nested)), 200, nested, "InvalidResponse"],
    ["union", get(Body.json(Either)), 200, nested, "InvalidResponse"],
    ["one of several", get(Body.json(Wire.oneOf([Either, Nested]))), 200, nested, "InvalidResponse"],
    ["any of several", get(Body.json(Wire.anyOf([Either, Nested]))), 200, nested, "InvalidResponse"],
    ["line", get(Body.jsonLines(Nested)), 200, nested, "InvalidResponse"],
    ["refusal", refused(Refusal.body(Nested)), 409, nested, "UnexpectedStatus"],
    ["refusal in an envelope", refused(), 409, `{"error":${nested}}`, "Refused"],
    ["refusal without text", refused(Refusal.body(Schema.Unknown)), 409, nested, "Refused"],
    ["refusal with all digits", refused(Refusal.exact(Refusal.body(Schema.Unknown))), 409, nested, "Refused"]
  ])("is no defect where it is nested too deeply: a %s", function* ([, operation, status, text, tag]) {
    expect(yield* Effect.flip(collected(operation, [respond(text, { status })]))).toMatchObject({
      reason: { _tag: tag }
    })
  })

  it.effect("is no defect where an event of it is nested too deeply", function* () {
    const deep = respond(`data: ${nested}\n\n`, { headers: { "content-type": "text/event-stream" } })
    expect(yield* collected({ ...shared, success: Body.events(Nested) }, [deep])).toMatchObject([
      { problem: "the body has a part that does not match its schema: it throws" }
    ])
  })

  it.effect("of a status that the operation does not declare is invalid", function* () {
    const body = Body.oneOf(Body.status(200, Body.text()), Body.status(202, Body.empty))
    expect((yield* failure(get(body), [json("x", 206)])).reason).toMatchObject({
      _tag: "InvalidResponse",
      message: "the body has the status 206, which the operation does not declare"
    })
  })

  it.effect("without content is no failure, however much comes", function* () {
    expect(yield* call(get(Body.empty), [respond("x".repeat(101))], { maxResponseBytes: 100 })).toBe(undefined)
  })

  it.effect("of a status that the operation declares is a success, whatever the status", function* () {
    const body = Body.oneOf(Body.status(200, Body.text()), Body.status(304, Body.empty))
    expect(yield* call(get(body), [respond(null, { status: 304 })])).toEqual({ status: 304, value: undefined })
    expect(yield* call(get(Body.status(410, Body.text())), [respond("gone", { status: 410 })])).toBe("gone")
  })

  it.effect("of several media types is read by its own", function* () {
    const body = Body.oneOf(
      Body.status(200, Body.json(Schema.Struct({ a: Schema.Int }))),
      Body.status(200, Body.text("application/jsonl"))
    )
    const type = "Application/jsonl; charset=utf-8"
    const lines = respond("1\n1", { headers: { "content-type": type } })
    const { client, requests } = yield* over([lines, json({ a: 1 })])
    expect(yield* client.execute(get(body), {})).toEqual({ status: 200, value: "1\n1" })
    expect(yield* client.execute(get(body), {})).toEqual({ status: 200, value: { a: 1 } })
    expect(requests[0]?.headers["accept"]).toBe("application/json, application/jsonl")
  })

  const latin1 = Uint8Array.of(0xe4, 0x41)
  it.effect.each<[type: string, bytes: Uint8Array<ArrayBuffer>, text: string]>([
    ["text/plain", new TextEncoder().encode("äA"), "äA"],
    ["text/plain; charset=iso-8859-1", latin1, "äA"],
    ['text/html;a=b; Charset="ISO-8859-1"', latin1, "äA"],
    ["text/csv;charset=windows-1251", Uint8Array.of(0xc4), "Д"],
    ["text/plain; charset=utf-16le", Uint8Array.of(0xe4, 0, 0x41, 0), "äA"],
    ["text/plain; charset=no-such", new TextEncoder().encode("äA"), "äA"]
  ])("of text is read by its charset: %s", function* ([type, bytes, text]) {
    const reply = respond(bytes, { headers: { "content-type": type } })
    expect(yield* call(get(Body.text()), [reply])).toBe(text)
    const several = Body.oneOf(Body.status(200, Body.text()), Body.status(202, Body.empty))
    expect(yield* call(get(several), [reply])).toEqual({ status: 200, value: text })
  })

  it("takes only dates for dates: Date reads the year 2035 in other texts", () => {
    const decode = Schema.decodeUnknownSync(Wire.oneOf([Wire.Timestamp, Schema.String]))
    const none = ["part 35", "1", "May 5", "2026", "2026-02-30", "2026-02-29T00:00:00Z", "2026-04-31 00:00:00+02:00"]
    const hours = ["2026-01-02T00:00:00+00", "2026-01-02T03:04:05-0", "2026-01-02T03:04:05 GMT", "2026-01-02T25:00:00Z"]
    for (const text of [...none, ...hours]) expect(decode(text)).toBe(text)
    expect(DateTime.isDateTime(decode("2024-02-29"))).toBe(true)
    for (const text of ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05", "2026-01-02 03:04:05+01:00", "2026-01-02"])
      expect(DateTime.isDateTime(decode(text))).toBe(true)
  })
  it.effect("keeps all digits of integers in lines, in events and in the bodies of refusals", function* () {
    const item = Schema.Struct({ id: Wire.Int64 })
    const text = '{"id":9007199254740993}'
    const id = 9007199254740993n
    const TooLarge = CallError.refusal("TooLarge", 413, Refusal.exact(Refusal.body(item)))
    const lines = { ...shared, success: Body.exact(Body.jsonLines(item)), errors: [TooLarge] }
    const events = { ...shared, success: Body.exact(Body.events(item)) }
    const event = respond(`data: ${text}\n\n`, { headers: { "content-type": "text/event-stream" } })
    expect(yield* collected(lines, [respond(text)])).toEqual([{ id }])
    expect(yield* collected(events, [event])).toMatchObject([{ data: { id } }])
    const { reason } = yield* failure(lines, [respond(text, { status: 413 })], { retry: Retry.none })
    expect(reason).toMatchObject({ _tag: "TooLarge", body: { id } })
  })
})

it.each([3, 4, 5, 6, 7])(
  "each part of a stream of promises arrives, though the fiber yields after %i steps",
  async (steps) => {
    const parts = Stream.rechunk(Stream.range(1, 50), 1)
    const run = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.runPromise(Effect.provideService(effect, References.MaxOpsBeforeYield, steps))
    const read: Array<unknown> = []
    for await (const part of Iterate.iterate(parts, run, identity)) read.push(part)
    expect(read).toHaveLength(50)
  }
)
