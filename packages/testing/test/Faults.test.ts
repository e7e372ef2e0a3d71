import { describe, expect, it, vi } from "../../../checks/fixtures/vitest.ts"
import { Effect, Fiber, type Layer, Logger, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock, TestConsole } from "effect/testing"
import { Body, Client, Credentials, Operation, Retry } from "@cloud-management/client"
import { deleteApiKey, getReversePrivateEndpoint, listOrganizations } from "@cloud-management/core/Operations"
import { Echo, Faults, Fixtures, InMemoryTransport, Mock } from "@cloud-management/testing"
import { connect } from "./connected.ts"
import { responding } from "./recorded.ts"

const { Fault } = Faults
const { acme, backupKey } = Fixtures

// Which error each fault gives, and whether the service sees the request, is in checks/faults/table.ts.

describe("a fault", () => {
  it.effect.each([0, 1, 10])("Truncate and Stall let through %s bytes, and no more", function* (bytes) {
    const received = (fault: Faults.Fault) =>
      Effect.gen(function* () {
        const http = yield* HttpClient.HttpClient
        const chunks: Array<number> = []
        const response = yield* http.get("http://in-memory/health")
        yield* Stream.runForEach(response.stream, (chunk) => Effect.sync(() => chunks.push(...chunk))).pipe(
          Effect.timeoutOption("1 second"),
          Effect.ignore
        )
        return new TextDecoder().decode(Uint8Array.from(chunks))
      }).pipe(Effect.provide(InMemoryTransport.layer(Fixtures.seed).pipe(Faults.inject([fault]))))
    const whole = '{"status":"ok"}'
    expect(yield* received(Fault.Truncate({ bytes }))).toBe(whole.slice(0, bytes))
    const stalled = yield* Effect.forkChild(received(Fault.Stall({ bytes })))
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(stalled)).toBe(whole.slice(0, bytes))
  })

  it.effect.each([
    ["GET", 204],
    ["GET", 205],
    ["GET", 304],
    ["HEAD", 200]
  ] as const)("Truncate and Stall let a response without a body through: to %s, %i", function* ([method, status]) {
    const bodiless = responding(() => new Response(null, { status, headers: { "x-request-id": "r-1" } }))
    for (const fault of [Fault.Truncate({ bytes: 0 }), Fault.Stall({ bytes: 0 })]) {
      const read = Effect.gen(function* () {
        const request = HttpClientRequest.make(method)("http://service.example")
        const response = yield* HttpClient.execute(request)
        return [response.status, response.headers["x-request-id"], yield* response.text]
      })
      const fiber = yield* Effect.forkChild(
        read.pipe(Effect.timeout("1 second"), Effect.provide(bodiless.pipe(Faults.inject([fault]))))
      )
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toEqual([status, "r-1", ""])
    }
  })
})

const ending = <A>(
  call: Effect.Effect<A, { readonly reason: { readonly _tag: string } }>,
  onSuccess: (result: A) => string | undefined
) => Effect.match(call, { onSuccess, onFailure: ({ reason }) => reason._tag })

const connectTo = Effect.fnUntraced(function* <E>(
  transport: Layer.Layer<HttpClient.HttpClient | InMemoryTransport.InMemoryTransport, E>,
  options: Partial<Client.Options> = {}
) {
  const { cloud, service } = yield* connect(transport, options)
  const list = ending(cloud.organizations.list(), () => "ok")
  const remove = ending(cloud.apiKeys.delete({ organizationId: acme, keyId: backupKey.id }), () => "deleted")
  const read = ending(cloud.reversePrivateEndpoints.get(Fixtures.endpoint), ({ status }) => status)
  return { cloud, list, read, remove, service }
})
const transport = InMemoryTransport.layer(Fixtures.seed)
const always = {
  *[Symbol.iterator]() {
    for (;;) yield Fault.Status({ status: 503 })
  }
}

describe("a script of faults", () => {
  it.effect("befalls requests in the order of their sending, and is over after the last", function* () {
    const faults = [Fault.DropBeforeSend(), Fault.None(), Fault.Status({ status: 500 })]
    const { list, service } = yield* connectTo(transport.pipe(Faults.inject(faults)))
    expect(yield* Effect.replicateEffect(list, 5)).toEqual(["TransportFailed", "ok", "InternalError", "ok", "ok"])
    expect(yield* service.requests).toHaveLength(3)
  })

  it.effect("may have no end", function* () {
    const { list, service } = yield* connectTo(transport.pipe(Faults.inject(always)))
    expect(new Set(yield* Effect.replicateEffect(list, 20))).toEqual(new Set(["ServiceUnavailable"]))
    expect(yield* service.requests).toEqual([])
  })
})

describe("faults on an operation", () => {
  it.effect("befall its requests in their order, and no others", function* () {
    const faults = [Fault.DropBeforeSend(), Fault.None(), Fault.DropAfterSend()]
    const { list, read, remove, service } = yield* connectTo(transport.pipe(Faults.on(deleteApiKey, faults)))
    expect(yield* Effect.all([list, read, remove, list, remove, list, remove, remove])).toEqual([
      "ok",
      "Ready",
      "TransportFailed",
      "ok",
      "deleted",
      "ok",
      "TransportFailed",
      "ApiKeyNotFound"
    ])
    expect(yield* service.inputs(deleteApiKey)).toHaveLength(3)
  })

  it.effect("are apart from those on others, and from those by order", function* () {
    const { list, read, remove } = yield* connectTo(
      transport.pipe(
        Faults.on(listOrganizations, [Fault.Status({ status: 500 })]),
        Faults.on(getReversePrivateEndpoint, [Fault.Status({ status: 429 })]),
        Faults.inject([Fault.None(), Fault.Status({ status: 503 })])
      )
    )
    expect(yield* Effect.all([list, list, read, read, list, remove])).toEqual([
      "InternalError",
      "ServiceUnavailable",
      "RateLimited",
      "Ready",
      "ok",
      "deleted"
    ])
  })

  it.effect("find its requests below any base URL, whatever their query is", function* () {
    const { query } = Echo.operations.echo
    const faulty = Faults.on(transport, query, [Fault.Break({ code: "EPIPE", when: "before-send" })])
    const { cloud, service } = yield* connectTo(faulty, { baseUrl: "http://in-memory/a/b" })
    const error = yield* Effect.flip(cloud.execute(query, { query: { text: "x", list: ["/v1", "?"] } }))
    expect(error.reason).toMatchObject({ _tag: "TransportFailed", code: "EPIPE" })
    expect(yield* service.requests).toEqual([])
  })

  it.effect("pass by an operation whose path is more exact, and find one whose path has a query", function* () {
    const get = { group: "pets", method: "GET", success: Body.empty, errors: [] } as const
    const params = Schema.Struct({ id: Schema.String })
    const one = Operation.make({ ...get, name: "one", path: "/pets/:id", params })
    const latest = Operation.make({ ...get, name: "latest", path: "/pets/latest" })
    const renew = Operation.make({ ...get, name: "renew", path: "/pets/token?renew" })
    const operations = { pets: { one, latest, renew } }
    const options = { baseUrl: "http://mock/v1", credentials: Credentials.none, retry: Retry.none }
    const faulty = Mock.make(operations).layer.pipe(
      Faults.on(one, [Fault.Status({ status: 400 })]),
      Faults.on(renew, [Fault.Status({ status: 409 })])
    )
    const calls = Effect.flatMap(Client.make(operations, options), ({ pets }) =>
      Effect.all([pets.latest(), Effect.flip(pets.renew()), Effect.flip(pets.one({ id: "1" }))])
    )
    expect(yield* Effect.provide(calls, faulty)).toMatchObject([undefined, { status: 409 }, { status: 400 }])
  })

  it.effect.each([
    ["method", { method: "PUT" }],
    ["path", { path: "/v1/organizations/:organizationId/tokens/:keyId" }],
    ["longer path", { path: "/v1/organizations/:organizationId/keys/:keyId/rotate" }],
    ["shorter path", { path: "/v1/organizations/:organizationId/keys" }]
  ] as const)("pass by an operation of another %s", function* ([, other]) {
    const { remove } = yield* connectTo(
      transport.pipe(Faults.on({ ...deleteApiKey, ...other }, [Fault.Status({ status: 500 })]))
    )
    expect(yield* remove).toBe("deleted")
  })
})

describe("faults that did not happen", () => {
  const { DropAfterSend, None } = Fault
  it.effect.each<[what: string, faulty: typeof transport, warnings: ReadonlyArray<string>]>([
    [
      "on an operation that was not called",
      Faults.on(transport, deleteApiKey, [DropAfterSend()]),
      ["1 of 1 faults did not happen: too few requests for apiKeys.delete were sent"]
    ],
    [
      "by order, after others",
      Faults.inject(transport, [None(), DropAfterSend(), None()]),
      ["2 of 3 faults did not happen: too few requests were sent"]
    ],
    ["but are none, since all did", Faults.on(transport, listOrganizations, [None()]), []],
    ["but have no end", Faults.inject(transport, always), []]
  ])("%s are logged when the transport is released, once", function* ([, faulty, warnings]) {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ logLevel, message }) => logged.push(logLevel, message))
    yield* connectTo(faulty).pipe(
      Effect.flatMap(({ list }) => list),
      Effect.scoped,
      Effect.provide(Logger.layer([logger]))
    )
    expect(logged).toEqual(warnings.flatMap((warning) => ["Warn", [warning]]))
  })

  it.effect("are logged where people see it, in spite of the console of it.effect", function* () {
    const printed = vi.spyOn(globalThis.console, "log").mockImplementation(() => {})
    yield* Effect.scoped(connectTo(Faults.inject(transport, [Fault.None()])))
    const text = printed.mock.calls.flat().join(" ")
    printed.mockRestore()
    expect(text).toContain("1 of 1 faults did not happen: too few requests were sent")
    expect(yield* TestConsole.logLines).toEqual([])
  })
})

it.each([0, 1])(
  "faults of a fetch that did not happen are logged at the end of its test, after %d requests",
  async (count) => {
    const printed = vi.spyOn(globalThis.console, "log").mockImplementation(() => {})
    {
      await using fetch = Mock.fetch(Faults.inject(transport, [Fault.None(), Fault.None()]))
      for (let request = 0; request < count; request++) await fetch("http://mock/v1/organizations")
    }
    const text = printed.mock.calls.flat().join(" ")
    printed.mockRestore()
    expect(text).toContain(`${2 - count} of 2 faults did not happen: too few requests were sent`)
  }
)

it("faults do not compile around a client, which would not have them", () => {
  const client = InMemoryTransport.layerTest(Fixtures.seed)
  // @ts-expect-error: the client keeps its transport
  const all = Faults.inject(client, [Fault.DropAfterSend()])
  // @ts-expect-error: the client keeps its transport
  const some = client.pipe(Faults.on(deleteApiKey, [Fault.DropAfterSend()]))
  const transport = InMemoryTransport.layer(Fixtures.seed).pipe(Faults.inject([Fault.None()]))
  const handled: Layer.Layer<HttpClient.HttpClient | InMemoryTransport.InMemoryTransport, unknown> = transport
  expect([all, some, handled]).toHaveLength(3)
})

it.each<[place: string, rule: string, fault: object]>([
  ["faults[1]", "a Fault, one of None, Status,", { _tag: "Slow" }],
  ["faults[1]", "a Fault, one of None, Status,", {}],
  ["faults[1].status", "a whole number from 200 to 599", { _tag: "Status", status: 99 }],
  ["faults[1].status", "a whole number from 200 to 599", { _tag: "StatusAfterSend" }],
  ["faults[1].body", "a string, or left out", { _tag: "Status", status: 503, body: {} }],
  ["faults[1].body", "a string, or left out with a status of 204,", { _tag: "Status", status: 204, body: "" }],
  ["faults[1].headers", "an object", { _tag: "Status", status: 503, headers: "a: b" }],
  ["faults[1].headers", "an object of headers", { _tag: "Status", status: 503, headers: { "retry after": "1" } }],
  ["faults[1].header", "left out: it is not a field of this fault", { _tag: "Status", status: 503, header: {} }],
  ["faults[1].duration", "a duration of at least 0", { _tag: "Delay", duration: "a while" }],
  ["faults[1].duration", "a duration of at least 0", { _tag: "Delay", duration: -1 }],
  ["faults[1].code", "a string", { _tag: "Break", when: "before-send" }],
  ["faults[1].when", "before-send or after-send", { _tag: "Break", code: "EPIPE", when: "later" }],
  ["faults[1].bytes", "a whole number of at least 0", { _tag: "Truncate", bytes: -1 }],
  ["faults[1].bytes", "a whole number of at least 0", { _tag: "Stall" }]
])("throws if %s is not %s", (place, rule, fault) => {
  // of a program without types
  const script = [Fault.None(), fault as never]
  const transport = InMemoryTransport.layer(Fixtures.seed)
  expect(() => Faults.inject(transport, script)).toThrow(`${place} must be ${rule}`)
  expect(() => Faults.on(transport, deleteApiKey, script)).toThrow(`${place} must be ${rule}`)
})
