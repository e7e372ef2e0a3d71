import { assert, describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as Client from "@cloud-management/core/Client"
import { InvalidInput, type CloudError, type ClientReason, type Refused } from "@cloud-management/core/CloudError"
import * as Operation from "@cloud-management/core/Operation"
import { operations } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import { api, createKey, Key, listKeys, probeKeys } from "./Keys.ts"
import { credentials, over } from "./Stub.ts"

const organizationId = OrganizationId.make("11111111-1111-4111-8111-111111111111")
const keyId = ApiKeyId.make("22222222-2222-4222-8222-222222222222")
const key = { id: keyId, name: "deploy" }
const origin = "https://api.example.com"
const keys = `${origin}/v1/organizations/${organizationId}/keys`

const envelope = (result: unknown) => Response.json({ status: 200, requestId: "req-1", result })

/** A client of the registry over answers in their order; `requests` are those it sent. */
const connect = (...answers: ReadonlyArray<Response | "refused">) =>
  over(
    api,
    answers.map((answer) =>
      answer === "refused"
        ? () => Effect.fail(Object.assign(new Error(), { code: "ECONNREFUSED" }))
        : () => Effect.succeed(answer.clone())
    )
  )

/** Runs a call while the clock goes on, so that its waits end. */
const finish = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(call)
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

describe("a client of one's own registry", () => {
  it.effect("has the methods of the registry, and those of ours", () =>
    Effect.gen(function* () {
      const { client: cloud } = yield* connect(envelope([{ id: organizationId }]))
      expect(Object.keys(cloud)).toEqual([...Object.keys(api), "exchange", "execute"])
      expect(Object.keys(cloud.apiKeys)).toEqual(Object.keys(api.apiKeys))
      expect(yield* cloud.organizations.list()).toEqual([{ id: organizationId }])
    })
  )

  it("infers input, result and reasons from the operation", () => {
    type Cloud = Client.Client<typeof api>
    type Created = ReturnType<Cloud["apiKeys"]["create"]>
    expectTypeOf<Parameters<Cloud["apiKeys"]["create"]>>().toEqualTypeOf<
      [
        input: { readonly organizationId: OrganizationId } & {
          readonly payload: { readonly name: string; readonly expiresAt?: DateTime.Utc }
        }
      ]
    >()
    expectTypeOf<Created>().toEqualTypeOf<
      Effect.Effect<typeof Key.Type, CloudError<Operation.Refusals<typeof createKey> | ClientReason>>
    >()
    // every part of the query is optional, and so is the query
    expectTypeOf<{ readonly organizationId: OrganizationId }>().toExtend<Operation.Input<typeof listKeys>>()
    expectTypeOf<ReturnType<Cloud["apiKeys"]["note"]>>().toExtend<Effect.Effect<string, unknown>>()
    expectTypeOf<ReturnType<Cloud["apiKeys"]["seal"]>>().toExtend<Effect.Effect<Uint8Array, unknown>>()
    expectTypeOf<ReturnType<Cloud["apiKeys"]["purge"]>>().toExtend<Effect.Effect<void, unknown>>()
  })

  it.effect("does not compile when a key of the registry is not the operation's own name", () =>
    Effect.sync(() => {
      const options = { baseUrl: origin, credentials }
      // @ts-expect-error the operation is apiKeys.create
      void Client.make({ apiKeys: { make: createKey } }, options)
      const execute = Operation.make({ ...createKey, group: "execute" })
      // @ts-expect-error execute is a method of every client
      void Client.make({ execute: { create: execute } }, options)
    })
  )
})

describe("a request carries", () => {
  it.effect("parameters of the query: none, one, and several of one name", () =>
    Effect.gen(function* () {
      const { client: cloud, requests } = yield* connect(envelope({ keys: [] }))
      yield* cloud.apiKeys.list({ organizationId })
      yield* cloud.apiKeys.list({ organizationId, query: { limit: 10 } })
      yield* cloud.apiKeys.list({ organizationId, query: { state: ["enabled", "a&b=ü +"], cursor: "x/y" } })
      expect(requests.map(({ url }) => url)).toEqual([
        keys,
        `${keys}?limit=10`,
        `${keys}?cursor=x%2Fy&state=enabled&state=a%26b%3D%C3%BC+%2B`
      ])
    })
  )

  it.effect("the client's key, whatever header the operation has, or its idempotency key", () =>
    Effect.gen(function* () {
      const { client: cloud, requests } = yield* connect(new Response(null, { status: 204 }), envelope(key))
      const named = Operation.make({
        ...probeKeys,
        // @ts-expect-error: the header is HTTP's
        headers: Operation.headers(Schema.Struct({ Authorization: Schema.String }))
      })
      yield* cloud.execute(named, { organizationId, headers: { Authorization: "Basic other" } })
      const once = Operation.make({ ...createKey, repeat: Operation.idempotencyKey("Authorization") })
      yield* cloud.execute(once, { organizationId, payload: { name: "a" } })
      const expected = `Basic ${btoa("key-id:key-secret")}`
      expect(requests.map(({ headers }) => headers["authorization"])).toEqual([expected, expected])
      const other = Operation.make({ ...createKey, repeat: Operation.idempotencyKey("X-Request-Token") })
      yield* cloud.execute(other, { organizationId, payload: { name: "a" } })
      expect(requests[2]?.headers["x-request-token"]).toMatch(/^[0-9a-f]{32}$/)
    })
  )

  it.effect.each<
    [
      what: string,
      call: (cloud: Client.Client<typeof api>) => Effect.Effect<unknown, CloudError<ClientReason | Refused>>,
      problem: string
    ]
  >([
    [
      "a line break in a header",
      (cloud) =>
        cloud.apiKeys.rename({ organizationId, keyId, headers: { "if-match": "1\r\nx: y" }, payload: { name: "" } }),
      "headers.if-match: printable ASCII without a space at either end"
    ],
    [
      "a space at the end of a header, which some platforms take away",
      (cloud) => cloud.apiKeys.rename({ organizationId, keyId, headers: { "if-match": "1 " }, payload: { name: "" } }),
      "headers.if-match: printable ASCII without a space at either end"
    ],
    [
      "half of a surrogate pair in a query",
      (cloud) => cloud.apiKeys.list({ organizationId, query: { cursor: "\ud800" } }),
      "query.cursor: no unpaired surrogate"
    ],
    [
      "half of a surrogate pair in a text",
      (cloud) => cloud.apiKeys.note({ organizationId, payload: "\udc00" }),
      "payload.payload: no unpaired surrogate"
    ],
    [
      "half of a surrogate pair in a form",
      (cloud) => cloud.apiKeys.rename({ organizationId, keyId, payload: { name: "\ud800" } }),
      "payload.name: no unpaired surrogate"
    ]
  ])("never %s: a failure, and nothing is sent", ([, call, problem]) =>
    Effect.gen(function* () {
      const { client: cloud, requests } = yield* connect(envelope(key))
      const { outcome, reason } = yield* Effect.flip(call(cloud))
      expect(outcome).toBe("not-sent")
      assert(reason instanceof InvalidInput)
      expect(`${reason.path}: ${reason.message.replace(/^\w+: Expected | at \[.*$/g, "")}`).toBe(problem)
      expect(requests).toEqual([])
    })
  )
})

describe("exchange", () => {
  it.effect("returns the value with status, headers, request ID and attempts", () =>
    Effect.gen(function* () {
      const { client: cloud } = yield* connect(
        "refused",
        Response.json({ result: key }, { status: 201, headers: { "x-request-id": "req-9", etag: '"2"' } })
      )
      const exchange = yield* finish(cloud.exchange(createKey, { organizationId, payload: { name: "x" } }))
      expect(exchange).toMatchObject({
        status: 201,
        requestId: "req-9",
        attempts: 2,
        value: { requestId: "req-9", result: key }
      })
      expect(exchange.headers["etag"]).toBe('"2"')
    })
  )

  it.effect("has the request ID of the envelope, if that has one", () =>
    Effect.gen(function* () {
      const answer = Response.json({ result: key, requestId: "req-1" }, { headers: { "x-request-id": "req-9" } })
      const { client: cloud } = yield* connect(answer)
      const { requestId } = yield* cloud.exchange(createKey, { organizationId, payload: { name: "x" } })
      expect(requestId).toBe("req-1")
    })
  )

  it.effect("of an operation without an envelope has the request ID of the header", () =>
    Effect.gen(function* () {
      const { client: cloud } = yield* connect(new Response("text", { headers: { "x-request-id": "req-7" } }))
      const { requestId, value } = yield* cloud.exchange(api.apiKeys.note, { organizationId, payload: "" })
      expect([requestId, value]).toEqual(["req-7", "text"])
    })
  )
})

it("an operation without input takes none, or an empty object", () => {
  type List = Client.Client<typeof operations>["organizations"]["list"]
  expectTypeOf<[]>().toExtend<Parameters<List>>()
  expectTypeOf<[{}]>().toExtend<Parameters<List>>()
  expectTypeOf<Operation.Arguments<typeof operations.organizations.list>>().toEqualTypeOf<Parameters<List>>()
  const wrong = (list: List, execute: Client.Calls["execute"]) => [
    // @ts-expect-error a text is no input
    list("x"),
    // @ts-expect-error nor is a number
    list(1),
    // @ts-expect-error no field is known
    list({ organizationId }),
    // @ts-expect-error a text is no input
    execute(operations.organizations.list, "x")
  ]
  expect(wrong).toHaveLength(2)
})
