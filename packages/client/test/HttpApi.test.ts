import { describe, expect, expectTypeOf, it } from "../../../checks/fixtures/vitest.ts"
import { Readable } from "node:stream"
import { Context, DateTime, Effect, FileSystem, Layer, Path, Schema, SchemaGetter, Sink, Stream } from "effect"
import { Etag, HttpClientRequest, HttpPlatform, HttpRouter, Multipart } from "effect/http"
import * as EffectApi from "effect/http-api/HttpApi"
import {
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiError,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity
} from "effect/http-api"
import { type Body, type Client, type Operation, Retry } from "@cloud-management/client"
import * as Contract from "@cloud-management/client/Contract"
import { fromHttpApi } from "@cloud-management/client/HttpApi"
import { operations as ours } from "@cloud-management/core/Operations"
import { Echo } from "@cloud-management/testing"
import { over, type Reply } from "./Stub.ts"

// Endpoints of all kinds, against the server that Effect makes of the same value.

class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { id: Schema.String }, { httpApiStatus: 404 }) {}
class Locked extends Schema.TaggedError<Locked>()("Locked", { by: Schema.String }, { httpApiStatus: 409 }) {}
class Stale extends Schema.TaggedError<Stale>()("Stale", {}, { httpApiStatus: 409 }) {}
class Gone extends Schema.TaggedError<Gone>()("Gone", { message: Schema.String }, { httpApiStatus: 410 }) {}
class Limited extends Schema.TaggedError<Limited>()("Limited", { name: Schema.String, page: Schema.String }) {}
class Broken extends Schema.TaggedError<Broken>()("Broken", { after: Schema.Int }) {}
class Maintenance extends Schema.TaggedError<Maintenance>()("Maintenance", {}, { httpApiStatus: 503 }) {}
class Available extends HttpApiMiddleware.Service<Available>()("test/Available", { error: Maintenance }) {}

const User = Schema.Struct({ id: Schema.String, since: Schema.Date })
const since = new Date(Date.UTC(2026, 0, 2))
const Tick = Schema.Struct({ n: Schema.Int, at: Schema.Date })
const ticks = [1, 2].map((n) => ({ n, at: since }))
/** A server of Effect sends the data of events as its schema encodes it, and not as JSON of it. */
const Beat = Schema.Struct({ n: Schema.Int, at: Schema.DateTimeUtcFromString })
const beats = [1, 2].map((n) => ({ n, at: DateTime.fromDateUnsafe(since) }))
/** A part of it is in the headers. */
const Page = Schema.Struct({ name: Schema.String, page: Schema.String })
const parts = { body: Schema.Struct({ name: Schema.String }), headers: { page: Schema.String } }
const joined = ({ body, headers }: { readonly body: { name: string }; readonly headers: { page: string } }) => ({
  ...body,
  ...headers
})
const split = ({ name, page }: typeof Page.Type) => ({ body: { name }, headers: { page } })
const Named = Schema.Struct({ event: Schema.Literal("named"), data: Schema.String })

const Kinds = HttpApiGroup.make("kinds").add(
  HttpApiEndpoint.get("bytes", "/bytes", { success: HttpApiSchema.StreamUint8Array({ contentType: ["a/b", "c/d"] }) }),
  HttpApiEndpoint.get("lines", "/lines", { success: HttpApiSchema.StreamNdjson({ schema: Tick }) }),
  HttpApiEndpoint.get("data", "/data", { success: HttpApiSchema.StreamSse({ data: Beat, error: Broken }) }),
  HttpApiEndpoint.get("events", "/events", { success: HttpApiSchema.StreamSse({ events: Named }) }),
  HttpApiEndpoint.put("several", "/several/:n", {
    params: { n: Schema.FiniteFromString },
    success: [
      User,
      Schema.Struct({ job: Schema.String }),
      Schema.FiniteFromString.pipe(HttpApiSchema.asText()),
      User.pipe(HttpApiSchema.status(201)),
      Schema.Literal("nothing").pipe(
        HttpApiSchema.asNoContent({ decode: () => "nothing" as const }),
        HttpApiSchema.status(203)
      ),
      HttpApiSchema.Empty(202)
    ]
  }),
  HttpApiEndpoint.get("nothing", "/nothing", {
    success: Schema.Literal("nothing").pipe(HttpApiSchema.asNoContent({ decode: () => "nothing" as const }))
  }),
  HttpApiEndpoint.get("text", "/text", {
    success: Schema.FiniteFromString.pipe(HttpApiSchema.asText({ contentType: "text/plain; charset=utf-8" }))
  }),
  HttpApiEndpoint.get("headers", "/headers", {
    success: HttpApiSchema.WithHeaders(User, {
      Count: Schema.FiniteFromString,
      etag: Schema.optionalKey(Schema.String)
    })
  }),
  HttpApiEndpoint.get("page", "/page", {
    success: Page.pipe(HttpApiSchema.encodeToWithHeaders(parts, { decode: joined, encode: split }))
  }),
  HttpApiEndpoint.get("redirect", "/redirect", {
    success: HttpApiSchema.WithHeaders(HttpApiSchema.Empty(302), { location: Schema.String })
  }),
  HttpApiEndpoint.post("choose", "/choose", {
    payload: [
      Schema.Struct({ at: Schema.Date, size: Schema.Finite }),
      Schema.Struct({ at: Schema.Date, note: Schema.String }),
      Schema.Struct({ mail: Schema.String }).pipe(HttpApiSchema.asFormUrlEncoded()),
      Schema.String.pipe(HttpApiSchema.asText()),
      HttpApiSchema.StreamUint8Array()
    ],
    success: Schema.Unknown
  }),
  HttpApiEndpoint.post("either", "/either", {
    payload: [
      Schema.Struct({ mail: Schema.optionalKey(Schema.String) }).pipe(HttpApiSchema.asFormUrlEncoded()),
      Schema.Struct({ mail: Schema.String }).pipe(HttpApiSchema.asMultipart())
    ],
    success: Schema.Unknown
  }),
  HttpApiEndpoint.post("parts", "/parts", {
    payload: Schema.Struct({ mail: Schema.String }).pipe(HttpApiSchema.asMultipartStream()),
    success: Schema.Array(Schema.String)
  }),
  HttpApiEndpoint.post("number", "/number", {
    payload: Schema.FiniteFromString.pipe(HttpApiSchema.asText()),
    success: Schema.Finite
  }),
  HttpApiEndpoint.post("upload", "/upload", {
    payload: Schema.Struct({
      title: Schema.String,
      about: Schema.fromJsonString(Schema.Struct({ n: Schema.Int })),
      file: Multipart.SingleFileSchema,
      more: Schema.optionalKey(Multipart.FilesSchema)
    }).pipe(HttpApiSchema.asMultipart()),
    success: Schema.Array(Schema.String)
  }),
  HttpApiEndpoint.post("predict", "/models/:id:predict", { params: { id: Schema.String }, success: Schema.String }),
  HttpApiEndpoint.get("fail", "/fail/:how", {
    params: { how: Schema.String },
    error: [
      NotFound,
      Schema.Union([Locked, Stale]).pipe(HttpApiSchema.status(409)),
      HttpApiSchema.WithHeaders(Gone, { "Gone-Since": Schema.FiniteFromString }),
      Limited.pipe(
        HttpApiSchema.encodeToWithHeaders(
          { ...parts, body: parts.body.pipe(HttpApiSchema.status(429)) },
          { decode: (pair) => new Limited(joined(pair)), encode: split }
        )
      ),
      HttpApiError.ForbiddenNoContent,
      Schema.Struct({ reason: Schema.String }).pipe(HttpApiSchema.status(418)),
      Schema.FiniteFromString.pipe(HttpApiSchema.asText(), HttpApiSchema.status(422)),
      Schema.Struct({ _tag: Schema.Literals(["Early", "Late"]) }).pipe(HttpApiSchema.status(425))
    ]
  }).middleware(Available)
)
const api = EffectApi.make("kinds").add(Kinds)

const { withHeaders } = HttpApiSchema
/** Errors by the tags that their refusals have. */
const failures = {
  NotFound: new NotFound({ id: "1" }),
  Locked: new Locked({ by: "me" }),
  Stale: new Stale(),
  Gone: withHeaders({ body: new Gone({ message: "since long" }), headers: { "Gone-Since": 7 } }),
  Limited: new Limited({ name: "a", page: "1" }),
  Forbidden: new HttpApiError.Forbidden({}),
  Status418: { reason: "teapot" },
  Status422: 7,
  Late: { _tag: "Late" } as const
}
const isTag = (tag: string): tag is keyof typeof failures => tag in failures

const several = [{ id: "1", since }, { job: "1" }, 5, "nothing"] as const

const handlers = HttpApiBuilder.group(api, "kinds", (group) =>
  group
    .handle("bytes", () => Effect.succeed(Stream.make(Uint8Array.of(255, 0))))
    .handle("lines", () => Effect.succeed(Stream.fromIterable(ticks)))
    .handle("data", () =>
      Effect.succeed(Stream.concat(Stream.fromIterable(beats), Stream.fail(new Broken({ after: 2 }))))
    )
    .handle("events", () => Effect.succeed(Stream.make({ event: "named", data: "not JSON" } as const)))
    .handle("several", ({ params: { n } }) => Effect.succeed(several[n] ?? "nothing"))
    .handle("nothing", () => Effect.succeed("nothing" as const))
    .handle("text", () => Effect.succeed(7))
    .handle("headers", () => Effect.succeed(withHeaders({ body: { id: "1", since }, headers: { Count: 3 } })))
    .handle("page", () => Effect.succeed({ name: "a", page: "2" }))
    .handle("redirect", () => Effect.succeed(withHeaders({ body: undefined, headers: { location: "/elsewhere" } })))
    .handle("choose", ({ payload }) =>
      Stream.isStream(payload)
        ? Effect.map(Effect.orDie(Stream.runCollect(payload)), (chunks) => ({ bytes: chunks.map((one) => [...one]) }))
        : Effect.sync((): unknown => JSON.parse(JSON.stringify(payload)))
    )
    .handle("either", ({ payload }) => Effect.succeed({ ...payload }))
    .handle("parts", ({ payload }) => Effect.orDie(Stream.runCollect(Stream.map(payload, ({ key }) => key))))
    .handle("number", ({ payload }) => Effect.succeed(payload))
    .handle("upload", ({ payload: { about, file, more = [], title } }) =>
      Effect.succeed([title, `${about.n}`, file.name, ...more.map(({ name }) => name)])
    )
    .handle("predict", ({ params: { id } }) => Effect.succeed(id))
    .handle("fail", ({ params: { how } }) => (isTag(how) ? Effect.fail(failures[how]) : Effect.void))
)

/** Where the server persists files, none of which is read. */
const files = FileSystem.layerNoop({ makeTempDirectoryScoped: () => Effect.succeed("/tmp"), sink: () => Sink.drain })
const platform = Layer.mergeAll(HttpPlatform.layer, Path.layer, Etag.layerWeak).pipe(Layer.provideMerge(files))
const available = Layer.succeed(Available, (effect) => effect)

const { operations, unsupported } = fromHttpApi(api)

const connect = (reply?: Reply) => {
  const { handler } = HttpRouter.toWebHandler(
    HttpApiBuilder.layer(api).pipe(
      Layer.provide(handlers.pipe(Layer.provide(available))),
      Layer.provideMerge(platform)
    ),
    { disableLogger: true }
  )
  const served: Reply = (request) =>
    Effect.flatMap(HttpClientRequest.toWeb(request), (request) => Effect.promise(() => handler(request)))
  return over(operations, [reply ?? served], { retry: Retry.none })
}

type Calls = Client.Client<typeof operations>

const formOf = (fields: Readonly<Record<string, string | Blob>>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
const upload = { title: "a", about: '{"n":1}', file: new File(["x"], "x.txt") }
const at = since.toISOString()
const calls: ReadonlyArray<
  readonly [name: string, call: (kinds: Calls["kinds"]) => Effect.Effect<unknown, unknown>, value: unknown]
> = [
  ["a stream of bytes", (kinds) => Effect.flatMap(kinds.bytes(), Stream.runCollect), [Uint8Array.of(255, 0)]],
  ["a stream of JSON", (kinds) => Effect.flatMap(kinds.lines(), Stream.runCollect), ticks],
  ["events' data", (kinds) => Effect.flatMap(kinds.data(), (data) => Stream.runCollect(Stream.take(data, 2))), beats],
  ["events", (kinds) => Effect.flatMap(kinds.events(), Stream.runCollect), [{ event: "named", data: "not JSON" }]],
  ["the first of several", (kinds) => kinds.several({ n: 0 }), { id: "1", since }],
  ["another of one status", (kinds) => kinds.several({ n: 1 }), { job: "1" }],
  ["another media type", (kinds) => kinds.several({ n: 2 }), 5],
  ["another status, without content", (kinds) => kinds.several({ n: 3 }), "nothing"],
  ["a value of no content", (kinds) => kinds.nothing(), "nothing"],
  ["a value of a text", (kinds) => kinds.text(), 7],
  ["headers", (kinds) => kinds.headers(), withHeaders({ body: { id: "1", since }, headers: { Count: 3 } })],
  ["a value of content and headers", (kinds) => kinds.page(), { name: "a", page: "2" }],
  [
    "the headers of a redirect",
    (kinds) => kinds.redirect(),
    withHeaders({ body: undefined, headers: { location: "/elsewhere" } })
  ],
  ["a payload", (kinds) => kinds.choose({ payload: { at: since, size: 1 } }), { at, size: 1 }],
  ["a payload with more fields", (kinds) => kinds.choose({ payload: { at: since, note: "a" } }), { at, note: "a" }],
  ["a form", (kinds) => kinds.choose({ payload: { mail: "a@b" } }), { mail: "a@b" }],
  ["a text", (kinds) => kinds.choose({ payload: "a" }), "a"],
  ["bytes", (kinds) => kinds.choose({ payload: { stream: Stream.make(Uint8Array.of(1, 2)) } }), { bytes: [[1, 2]] }],
  [
    "the one of two forms that has parts",
    (kinds) => kinds.either({ payload: formOf({ mail: "a@b" }) }),
    { mail: "a@b" }
  ],
  ["a form whose parts the server streams", (kinds) => kinds.parts({ payload: { mail: "a@b" } }), ["mail"]],
  ["a text of a number", (kinds) => kinds.number({ payload: 7 }), 7],
  [
    "files",
    (kinds) =>
      kinds.upload({
        payload: { title: "a", about: { n: 1 }, file: new File(["x"], "x.txt"), more: [new File(["y"], "y.txt")] }
      }),
    ["a", "1", "x.txt", "y.txt"]
  ],
  [
    "a Blob",
    ({ upload }) => upload({ payload: { title: "a", about: { n: 1 }, file: new Blob(["x"]) } }),
    ["a", "1", "blob"]
  ],
  ["a FormData", (kinds) => kinds.upload({ payload: formOf(upload) }), ["a", "1", "x.txt"]]
]

describe("an endpoint of an HttpApi", () => {
  it("none of these is unsupported", () => expect(unsupported).toEqual([]))

  it("holds a stream of Node.js that is one of several payloads, whose failure would end the process", () => {
    const stream = Readable.from([])
    operations.kinds.choose.payload.hold?.({ payload: { stream } })
    expect(stream.listenerCount("error")).toBe(1)
  })

  it("takes no FormData for the object of another payload, which would lose its fields", () => {
    const { choose } = operations.kinds
    expect(choose.payload.write(formOf({ mail: "a@b" }))).toMatchObject({
      failure: { message: "Expected no FormData" }
    })
  })

  it.effect.each(calls)("gives and takes %s", function* ([, call, value]) {
    const { client } = yield* connect()
    expect(yield* call(client.kinds)).toEqual(value)
  })

  it.effect.each(Object.entries(failures))("fails with its own error, and its tag: %s", function* ([tag, body]) {
    const { client } = yield* connect()
    const { reason } = yield* Effect.flip(client.kinds.fail({ how: tag }))
    expect(reason).toMatchObject({ _tag: tag, body })
  })

  it.effect("fails as a stream with the error that the service sent in it", function* () {
    const { client } = yield* connect()
    const data = yield* client.kinds.data()
    const error = yield* Effect.flip(Stream.runDrain(data))
    expect(error.reason).toMatchObject({ _tag: "Broken", body: new Broken({ after: 2 }) })
  })
})

describe("its types", () => {
  type Kinds = Calls["kinds"]
  type Value<Name extends keyof Kinds> = Kinds[Name] extends (...args: never) => Effect.Effect<infer A, infer _>
    ? A
    : never
  type Payload<Name extends keyof Kinds> = Parameters<Kinds[Name]>[0] extends { readonly payload: infer Payload }
    ? Payload
    : never
  type Item<Type> = Type extends Stream.Stream<infer A, infer _> ? A : never

  it("are those of its values", () => {
    expectTypeOf<Item<Value<"bytes">>>().toEqualTypeOf<Uint8Array>()
    expectTypeOf<Item<Value<"lines">>>().toEqualTypeOf<(typeof Tick)["Type"]>()
    expectTypeOf<Item<Value<"data">>>().toEqualTypeOf<(typeof Beat)["Type"]>()
    expectTypeOf<Item<Value<"events">>>().toEqualTypeOf<(typeof Named)["Type"]>()
    expectTypeOf<Value<"several">>().toEqualTypeOf<
      (typeof User)["Type"] | { readonly job: string } | number | void | "nothing"
    >()
    expectTypeOf<Value<"headers">["headers"]["Count"]>().toEqualTypeOf<number>()
    expectTypeOf<{ readonly file: File }>().toMatchTypeOf<Pick<Exclude<Payload<"upload">, FormData>, "file">>()
    expectTypeOf<FormData>().toMatchTypeOf<Payload<"upload">>()
    expectTypeOf<Extract<Payload<"choose">, { readonly stream: unknown }>>().toEqualTypeOf<Body.Source>()
  })

  it.effect("have the tags of its errors, and no others", function* () {
    const { client } = yield* connect()
    const call = client.kinds.fail({ how: "Locked" })
    const by = yield* Effect.catchReason(call, "CallError", "Locked", ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<Locked>()
      return Effect.succeed(body.by)
    })
    expect(by).toBe("me")
    // of its middleware
    void Effect.catchReason(call, "CallError", "Maintenance", () => Effect.void)
    void Effect.catchReason(call, "CallError", "Status418", () => Effect.void)
    // @ts-expect-error no error has this tag
    Effect.catchReason(call, "CallError", "NoSuchTag", () => Effect.void)
    // @ts-expect-error the tag is the error's own, and not its identifier
    Effect.catchReason(call, "CallError", "effect/HttpApiError/Forbidden", () => Effect.void)
  })
})

class Names extends Context.Service<Names, ReadonlyMap<string, string>>()("test/Names") {}
const Needy = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transformEffect((id: string) => Effect.map(Names, (names) => names.get(id) ?? id)),
    encode: SchemaGetter.passthrough()
  })
)

const uncallable = HttpApiGroup.make("none").add(
  HttpApiEndpoint.make("TRACE")("trace", "/a"),
  HttpApiEndpoint.get("wildcard", "/files/*"),
  HttpApiEndpoint.get("optional", "/a/:id?", { params: { id: Schema.optionalKey(Schema.String) } }),
  HttpApiEndpoint.get("pattern", "/a/:id(^\\d+$)", { params: { id: Schema.String } }),
  HttpApiEndpoint.get("query", "/a/:query", { params: { query: Schema.String } }),
  HttpApiEndpoint.get("undeclared", "/a/:id"),
  HttpApiEndpoint.get("token", "/a", { headers: { authorization: Schema.String } }),
  HttpApiEndpoint.get("upgrade", "/a", { success: HttpApiSchema.Upgrade({ protocol: "custom" }) }),
  HttpApiEndpoint.get("either", "/a", { success: [User, HttpApiSchema.StreamSse({ data: User })] }),
  HttpApiEndpoint.get("counted", "/a", {
    success: HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), { count: Schema.String })
  }),
  HttpApiEndpoint.get("form", "/a", { success: User.pipe(HttpApiSchema.asFormUrlEncoded()) }),
  HttpApiEndpoint.get("binary", "/a", { error: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()) }),
  HttpApiEndpoint.post("lines", "/a", { payload: HttpApiSchema.StreamNdjson({ schema: User }) }),
  HttpApiEndpoint.get("two", "/a", { query: { a: Schema.String }, payload: { b: Schema.String } })
)

describe("an endpoint that cannot be called", () => {
  const { operations, unsupported } = fromHttpApi(EffectApi.make("none").add(uncallable))

  it("is unsupported by name and by code", () => {
    expect(unsupported.map(({ code, id }) => [id, code])).toEqual([
      ["none.trace", "method"],
      ["none.wildcard", "path"],
      ["none.optional", "path"],
      ["none.pattern", "path"],
      ["none.query", "variable"],
      ["none.undeclared", "path"],
      ["none.token", "headers"],
      ["none.upgrade", "upgrade"],
      ["none.either", "success-type"],
      ["none.counted", "success-type"],
      ["none.form", "success-type"],
      ["none.binary", "error-type"],
      ["none.lines", "payload-type"],
      ["none.two", "payload-type"]
    ])
    expect(unsupported[0]).toMatchObject({ pointer: "none/trace" })
    expect(operations.none).toEqual({})
  })

  it("is not in the types, where these can say it", () => {
    expectTypeOf<keyof typeof operations.none>().toEqualTypeOf<"undeclared" | "token" | "form" | "binary">()
    const needy = HttpApiGroup.make("needy").add(HttpApiEndpoint.get("needy", "/a", { success: Needy }))
    const registry = fromHttpApi(EffectApi.make("needy").add(needy)).operations
    expectTypeOf<keyof typeof registry.needy>().toEqualTypeOf<never>()
  })
})

class Authorization extends HttpApiMiddleware.Service<Authorization>()("test/Authorization", {
  security: { bearer: HttpApiSecurity.bearer }
}) {}
const Search = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("search", "/search", { payload: { text: Schema.String }, success: User }),
    HttpApiEndpoint.get("get", "/:id", { params: { id: Schema.String }, success: User })
  )
  .middleware(Authorization)
  .prefix("/users")
const System = HttpApiGroup.make("system", { topLevel: true }).add(
  HttpApiEndpoint.get("health", "/health", { success: HttpApiSchema.NoContent })
)

it("has the payload of a GET in its query, the prefix of its group, and the schemes of its middleware", () => {
  const { operations } = fromHttpApi(EffectApi.make("example").add(Search, System))
  const { search } = operations.users
  expect(search).toMatchObject({ id: "users.search", path: "/users/search", security: [["bearer"]], query: {} })
  expect("payload" in search).toBe(false)
  expectTypeOf<Operation.Input<typeof search>["query"]["text"]>().toEqualTypeOf<string>()
  expect(operations.system.health).toMatchObject({ id: "system.health", path: "/health", security: [] })
})

describe("the contract of a registry", () => {
  const { get } = fromHttpApi(EffectApi.make("example").add(Search)).operations.users

  it("gives operations with the prefix that its groups have", () => {
    const group = Contract.make({ users: { get } }).groups.users.prefix("/v2")
    const { users } = fromHttpApi(EffectApi.make("example").add(group)).operations
    expect(users.get).toEqual({ ...get, path: "/v2/users/:id" })
  })

  it("gives their types, in which a method has the result of an envelope", () => {
    const { operations } = fromHttpApi(Contract.make(ours))
    expectTypeOf(operations.organizations.list).toEqualTypeOf(ours.organizations.list)
  })

  it("gives back the operations that it was made of", () => {
    const { operations, unsupported } = fromHttpApi(Contract.make(Echo.registry))
    expect(unsupported).toEqual([])
    const found: Client.Registry = operations
    for (const [group, named] of Object.entries<Client.Registry[string]>(Echo.registry)) {
      for (const [name, operation] of Object.entries(named)) expect(found[group]?.[name]).toBe(operation)
    }
  })
})
