import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Cause, Context, Deferred, Effect, Layer, Logger, References, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { SecureRandom } from "effect/crypto"
import { Body, CallError, Operation, Refusal, Wire } from "@cloud-management/client"
import { Refusals } from "@cloud-management/core"
import { Fixtures } from "@cloud-management/testing"
import type { Handler } from "../src/frame/Handlers.ts"
import * as Service from "../src/frame/Service.ts"
import { layerKeys, Store } from "../src/cloud/Store.ts"
import type { KeyStore } from "../src/frame/KeyStore.ts"
import * as WebHandler from "../src/frame/WebHandler.ts"
import * as HttpHost from "../src/node/HttpHost.ts"
import * as Output from "../src/frame/wire/output.ts"
import { basic, over } from "./Served.ts"

const { acme, globex } = Fixtures
const shared = {
  group: "items",
  summary: "An operation of a test",
  success: Body.json(Schema.String),
  errors: Refusals.commonRefusals,
  annotations: { stability: "stable" }
} as const

/** Handles requests with the handlers of own operations, as the deploy key of Acme. */
const serving = <E>(service: Layer.Layer<Service.Service, E, Store | KeyStore | SecureRandom.SecureRandom>) => {
  const { handler } = WebHandler.make(over(Layer.provide(service, layerKeys)), { remoteAddress: () => "127.0.0.1" })
  return async (path: string, init: RequestInit = {}) => {
    const request = new Request(`https://api.example.com${path}`, init)
    request.headers.set("authorization", basic())
    const response = await handler(request)
    const body: unknown = await response.json()
    return { status: response.status, body }
  }
}

describe("an operation of one organization", () => {
  const path = "/v1/organizations/:organizationId/items"
  const plain = { organizationId: Schema.String }
  const trimmed = { organizationId: Schema.Trim }
  const own = { ...shared, path, annotations: { scope: "organization" } } as const
  const registry = {
    items: {
      act: Operation.make({ ...own, name: "act", method: "POST", params: Schema.Struct(plain) }),
      read: Operation.make({ ...own, name: "read", method: "GET", params: Schema.Struct(plain) }),
      trimmed: Operation.make({ ...own, name: "trimmed", method: "PUT", params: Schema.Struct(trimmed) })
    }
  }
  const service = Layer.unwrap(
    Effect.map(Store, (store) =>
      Service.layerOf(registry, {
        items: {
          act: ({ organizationId }) => Effect.succeed(organizationId),
          read: {
            read: ({ organizationId }, caller) =>
              Effect.map(store.apiKey(caller), (caller) => ({ caller, found: Effect.succeed(organizationId) }))
          },
          trimmed: ({ organizationId }) => Effect.succeed(organizationId)
        }
      })
    )
  )

  it.each(["POST", "GET", "PUT"])("is for its own keys alone, however %s spells the ID", async (method) => {
    const ask = serving(service)
    for (const id of [acme, acme.toUpperCase()]) {
      expect(await ask(`/v1/organizations/${id}/items`, { method })).toEqual({ status: 200, body: acme })
    }
    for (const id of [globex, globex.replaceAll("-", ""), `{${globex}}`, `%20${globex}`, "globex"]) {
      expect(await ask(`/v1/organizations/${id}/items`, { method })).toMatchObject({
        status: 403,
        body: { error: "FORBIDDEN: The key is not for this organization" }
      })
    }
  })
})

it("a redirect leads where its handler says, and another body without content nowhere", () => {
  const head = ({ headers, status }: HttpServerResponse.HttpServerResponse) => [status, headers["location"]]
  const redirect = Output.compile(Body.redirect(303))
  expect(head(redirect("/elsewhere", "id"))).toEqual([303, "/elsewhere"])
  expect(head(Output.compile(Body.empty)("/elsewhere", "id"))).toEqual([204, undefined])
  expect(() => redirect(undefined, "id")).toThrow("Expected string")
})

it.each<[what: string, success: Body.Success, result: unknown, expected: string]>([
  ["lines", Body.exact(Body.jsonLines(Wire.Int64)), Stream.make(2n ** 60n), "1152921504606846976\n"],
  ["a sequence", Body.jsonLines(Schema.Finite, "application/json-seq"), Stream.make(1, 2), "\x1e1\n\x1e2\n"],
  ["events", Body.exact(Body.events(Wire.Int64)), Stream.make({ data: 2n ** 60n }), "data: 1152921504606846976\n\n"],
  ...[1, "a,b"].map((value): [string, Body.Success, unknown, string] => [
    "one of two successes with one status",
    Body.oneOf(Body.status(200, Body.json(Schema.Int)), Body.status(200, Body.text("text/csv"))),
    { status: 200, value },
    String(value)
  ])
])("%s are written as they are declared", async (_, success, result, expected) => {
  const response = HttpServerResponse.toWeb(Output.compile(success)(result, "id"))
  expect(await response.text()).toBe(expected)
})

type Hosted = Layer.Layer<Service.Service, unknown>
/** What hosts make of a service: a function from a request to its response. */
const hosts = {
  HttpHost: (service: Hosted) =>
    Effect.map(Layer.build(Layer.provide(HttpHost.layer(), service)), (context) => {
      const { url } = Context.get(context, HttpHost.HttpHost)
      return ({ headers, url: asked }: Request) => fetch(url + new URL(asked).pathname, { headers })
    }),
  WebHandler: (service: Hosted) =>
    Effect.succeed(WebHandler.make(service, { remoteAddress: () => "127.0.0.1" }).handler)
}

it.live.each(["HttpHost", "WebHandler"] as const)(
  "a body that fails after its head is logged by %s with the ID of its request, and one whose caller leaves is not",
  function* (name) {
    const log: Array<unknown> = []
    const logger = Logger.make(({ cause, fiber, logLevel }) => {
      log.push([logLevel, String(Cause.squash(cause)), fiber.getRef(References.CurrentLogAnnotations)])
    })
    const left = yield* Deferred.make<void>()
    const lines = { ...shared, method: "GET", success: Body.jsonLines(Schema.Int) } as const
    const items = {
      broken: Operation.make({ ...lines, name: "broken", path: "/broken" }),
      endless: Operation.make({ ...lines, name: "endless", path: "/endless" })
    }
    const then = (end: Stream.Stream<never>) => () => Effect.succeed(Stream.concat(Stream.make(1), end))
    const service = Service.layerOf(
      { items },
      {
        items: {
          broken: then(Stream.die(new Error("the cursor was lost"))),
          endless: then(Stream.ensuring(Stream.never, Deferred.succeed(left, undefined)))
        }
      }
    )
    const ask = yield* hosts[name](Layer.provideMerge(over(Layer.provide(service, layerKeys)), Logger.layer([logger])))
    const of = (path: string) => ask(new Request(`http://service${path}`, { headers: { authorization: basic() } }))
    yield* Effect.promise(async () => {
      const reader = (await of("/endless")).body?.getReader()
      await reader?.read()
      await reader?.cancel()
    })
    yield* Deferred.await(left)
    yield* Effect.flip(Effect.tryPromise(async () => (await of("/broken")).text()))
    const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(log).toEqual([["Error", "Error: the cursor was lost", { requestId }]])
  }
)

it("an event whose type has more than one line is not written", async () => {
  const write = Output.compile(Body.events(Schema.Int))
  const response = HttpServerResponse.toWeb(write(Stream.make({ event: "a\ndata: 2", data: 1 }), "id"))
  await expect(response.text()).rejects.toBeInstanceOf(Error)
})

it("content that is nested too deeply for its schema is refused", async () => {
  interface Nested {
    readonly a?: Nested
  }
  const Nested: Schema.Codec<Nested> = Schema.Struct({
    a: Schema.optionalKey(Schema.suspend((): Schema.Codec<Nested> => Nested))
  })
  const put = Operation.make({ ...shared, name: "put", method: "PUT", path: "/v1/put", payload: Body.json(Nested) })
  const service = Service.layerOf({ items: { put } }, { items: { put: () => Effect.succeed("done") } })
  const body = `${'{"a":'.repeat(9000)}{}${"}".repeat(9000)}`
  expect(await serving(service)("/v1/put", { method: "PUT", body })).toMatchObject({
    status: 400,
    body: { error: "BAD_REQUEST: The body is nested too deeply" }
  })
})

it("a refusal whose body does not fit its schema is an error of the service", async () => {
  class Taken extends CallError.refusal("Taken", 409, Refusal.body(Schema.Struct({ by: Schema.String }))) {}
  const take = Operation.make({ ...shared, name: "take", method: "PUT", path: "/v1/take", errors: [Taken] })
  const body = Object.assign({ by: "x" }, { by: 1 })
  const service = Service.layerOf({ items: { take } }, { items: { take: () => new Taken({ message: "x", body }) } })
  expect(await serving(service)("/v1/take", { method: "PUT" })).toMatchObject({ status: 500 })
})

it("a header that no host can send is an error of the service", async () => {
  const of = (name: string) => Operation.make({ ...shared, name, method: "GET", path: `/v1/${name}` })
  const items = { letter: of("letter"), control: of("control"), name: of("name") }
  const moved = Operation.make({ ...of("moved"), success: Body.redirect(303) })
  const sending =
    (headers: Readonly<Record<string, string>>): Handler<typeof items.name> =>
    (_, { setHeaders }) =>
      Effect.as(setHeaders(headers), "x")
  const service = Service.layerOf(
    { items: { ...items, moved } },
    {
      items: {
        letter: sending({ "content-disposition": "filename=日" }),
        control: sending({ "x-a": "a\u0001" }),
        name: sending({ "x a": "a" }),
        moved: () => Effect.succeed("/日")
      }
    }
  )
  const ask = serving(service)
  const error = "INTERNAL_ERROR: The service failed"
  for (const name of [...Object.keys(items), "moved"])
    expect(await ask(`/v1/${name}`)).toMatchObject({ status: 500, body: { error } })
})

it("no operation with a payload can be read before its body has come", () => {
  const post = Operation.make({ ...shared, name: "post", method: "POST", path: "/v1/items", payload: Body.text() })
  const acts: Handler<typeof post> = ({ payload }) => Effect.succeed(payload)
  // @ts-expect-error -- it would be read without its body
  const reads: Handler<typeof post> = { read: () => Effect.die("never") }
  expect([acts, reads]).toHaveLength(2)
})
