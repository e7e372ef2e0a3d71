import { describe, expect, expectTypeOf, it } from "../../../checks/fixtures/vitest.ts"
import { Cause, DateTime, Deferred, Effect, Exit, Fiber, Layer, Redacted, Schema, Stream, Struct } from "effect"
import { Headers, HttpBody, HttpClient, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { ApiKey, CloudManagement, Refusals, Waiting } from "@cloud-management/core"
import { Body, CallError, Envelope, Operation, Refusal, Retry } from "@cloud-management/client"
import { deleteApiKey, listOrganizations } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import type { Handler } from "@cloud-management/service/Handlers"
import type { HttpRequest } from "@cloud-management/service/HttpRequest"
import type { StoreUnavailable } from "@cloud-management/service/KeyStore"
import { type Audit, type Seed, Service } from "@cloud-management/service"
import { Conformance, Echo, Faults, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { connect } from "./connected.ts"

const { acme, backupKey, deployKey, endpoint, globex } = Fixtures
const layer = InMemoryTransport.layerTest(Fixtures.seed)
const scoped = it.effect.over(layer)
const both = Effect.all([CloudManagement.CloudManagement, InMemoryTransport.InMemoryTransport])

type Handles = Effect.Success<typeof both>
const test = (
  name: string,
  body: (
    ...handles: Handles
  ) => Generator<Effect.Effect<unknown, unknown, Effect.Services<typeof both> | HttpClient.HttpClient>, void, never>
) => scoped(name, () => Effect.flatMap(both, (handles) => Effect.gen(() => body(...handles))))

const item = {
  group: "items",
  method: "GET",
  success: Body.json(Schema.String),
  errors: Refusals.commonRefusals
} as const
const searchItems = Operation.make({ ...item, name: "search", path: "/v1/items/search" })
const getItem = Operation.make({
  ...item,
  name: "get",
  path: "/v1/items/:id",
  params: Schema.Struct({ id: Schema.String })
})

/** An operation of a user's own, whose path has another than those of the API. */
const createToken = Operation.make({
  group: "tokens",
  name: "create",
  method: "POST",
  path: "/v1/organizations/:organizationId/tokens",
  params: Schema.Struct({ organizationId: OrganizationId }),
  payload: Body.json(Schema.Struct({ name: Schema.String, password: Schema.RedactedFromValue(Schema.String) })),
  success: Envelope.withResult(Schema.Struct({ name: Schema.String })),
  errors: [...Refusals.commonRefusals, ApiKey.ApiKeyNotFound],
  annotations: { scope: "organization", stability: "beta" }
})
const token = { organizationId: acme, payload: { name: "ci", password: Redacted.make("open-sesame") } }

describe("setStatus", () => {
  test("makes a test of Provisioning, then Ready", function* (_, service) {
    yield* service.setStatus(endpoint, "Provisioning")
    const waiting = yield* Effect.forkChild(Waiting.waitUntil(endpoint))
    yield* TestClock.adjust("1 minute")
    expect(waiting.pollUnsafe()).toBe(undefined)
    yield* service.setStatus(endpoint, "Ready")
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(waiting)).toMatchObject({ status: "Ready", description: "orders" })
  })

  test("takes IDs in upper case, and statuses that this version does not know", function* (cloud, service) {
    const upper = {
      organizationId: OrganizationId.make(endpoint.organizationId.toUpperCase()),
      serviceId: ServiceId.make(endpoint.serviceId.toUpperCase()),
      reversePrivateEndpointId: ReversePrivateEndpointId.make(endpoint.reversePrivateEndpointId.toUpperCase())
    }
    yield* service.setStatus(upper, Waiting.anyStatus("Hibernating"))
    expect(yield* cloud.reversePrivateEndpoints.get(endpoint)).toMatchObject({ status: "Hibernating" })
  })

  scoped.each<[what: string, other: Partial<typeof endpoint>]>([
    ["endpoint", { reversePrivateEndpointId: Fixtures.globexEndpoint }],
    ["service", { serviceId: Fixtures.globexService }],
    ["organization", { organizationId: globex }]
  ])("fails for an endpoint at another %s", function* ([, other]) {
    const [cloud, service] = yield* both
    const params = { ...endpoint, ...other }
    const error = yield* Effect.flip(service.setStatus(params, "Failed"))
    expect(error.message).toBe(`there is no endpoint ${params.reversePrivateEndpointId}`)
    expect(yield* cloud.reversePrivateEndpoints.get(endpoint)).toMatchObject({ status: "Ready" })
  })
})

describe("keys", () => {
  const list = (cloud: CloudManagement.CloudManagementClient) =>
    Effect.match(cloud.organizations.list(), { onSuccess: ([{ id }]) => id, onFailure: ({ status }) => status })

  it.effect("are added with an ID and a secret of their own, and removed", function* () {
    const { cloud, make, service } = yield* connect(InMemoryTransport.layer(Fixtures.seed))
    const [one, other] = [yield* service.addKey(acme), yield* service.addKey(globex)]
    const clients = [cloud, yield* make(one), yield* make(other)]
    expect(yield* Effect.forEach(clients, list)).toEqual([acme, acme, globex])
    yield* service.removeKey(one.id)
    yield* service.removeKey(ApiKey.ApiKeyId.make(deployKey.id.toUpperCase()))
    expect(yield* Effect.forEach(clients, list)).toEqual([401, 401, globex])
    expect(inspect([one, other])).not.toContain(Redacted.value(one.secret))
  })

  test("that cannot be added or removed are an error that names the ID", function* (_, service) {
    const unknown = "c0000000-0000-4000-8000-000000000001"
    const error = yield* Effect.flip(service.addKey(OrganizationId.make(unknown)))
    expect(error.message).toBe(`there is no organization ${unknown}`)
    yield* service.removeKey(backupKey.id)
    expect((yield* Effect.flip(service.removeKey(backupKey.id))).message).toBe(`there is no key ${backupKey.id}`)
  })
})

describe("reply", () => {
  test("handles an operation of one's own with what its handler makes of the input", function* (cloud, service) {
    yield* service.reply(createToken, ({ organizationId, payload: { name, password } }, { key }) =>
      Effect.succeed({ name: [name, Redacted.value(password), organizationId === acme, key.id].join(" ") })
    )
    const { result } = yield* cloud.execute(createToken, token)
    expect(result.name).toBe(`ci open-sesame true ${deployKey.id}`)
  })

  test("is for operations of every kind: the conformance cases hold where each has one", function* (_, service) {
    const replyAll = <Group extends Readonly<Record<string, Operation.Any>>>(
      group: Group,
      handlers: { readonly [Name in keyof Group]: Handler<Group[Name]> }
    ) =>
      Effect.forEach(Struct.keys(group), (name) => {
        const handler = handlers[name]
        return typeof handler === "function" ? service.reply(group[name], handler) : Effect.die(name)
      })
    const { echo, kinds } = yield* Echo.handlers
    yield* replyAll(Echo.operations.echo, echo)
    yield* replyAll(Echo.operations.kinds, kinds)
    for (const { effect, section } of Conformance.cases("http://in-memory")) {
      if (section === "operations") yield* effect
    }
  })

  test("to an operation of the API takes the place of the service, and the last reply counts", function* (cloud, service) {
    const names = Effect.map(cloud.organizations.list(), ([{ name }]) => name)
    expect(yield* names).toBe("Acme")
    yield* service.reply(listOrganizations, () => Effect.succeed([{ id: acme, name: "first" }]))
    expect(yield* names).toBe("first")
    yield* service.reply(listOrganizations, () => Effect.succeed([{ id: acme, name: "last" }]))
    expect(yield* names).toBe("last")
    expect(yield* cloud.reversePrivateEndpoints.get(endpoint)).toMatchObject({ status: "Ready" })
  })

  test("whose path has a text comes before one with a variable there, whatever their order", function* (cloud, service) {
    yield* service.reply(searchItems, () => Effect.succeed("search"))
    yield* service.reply(getItem, ({ id }) => Effect.succeed(`get ${id}`))
    expect(yield* cloud.execute(searchItems, {})).toBe("search")
    expect(yield* cloud.execute(getItem, { id: "a" })).toBe("get a")
  })

  test("is for its method and path alone", function* (cloud, service) {
    const other = Operation.make({ ...deleteApiKey, method: "PUT" })
    const end = Operation.make({ ...Echo.operations.echo.head, method: "GET", path: "/organizations" })
    yield* service.reply(other, () => Effect.die("not asked for"))
    yield* service.reply(end, () => Effect.die("not asked for"))
    yield* cloud.organizations.list()
    yield* cloud.apiKeys.delete({ organizationId: acme, keyId: backupKey.id })
  })

  it.effect("comes after authentication and authorization", function* () {
    const { cloud, make, service } = yield* connect(InMemoryTransport.layer(Fixtures.seed))
    yield* service.reply(createToken, () => Effect.die("not to be reached"))
    const status = (client: CloudManagement.CloudManagementClient, organizationId = acme) =>
      Effect.map(Effect.flip(client.execute(createToken, { ...token, organizationId })), ({ status }) => status)
    expect(yield* status(yield* make({ ...deployKey, secret: "wrong" }))).toBe(401)
    expect(yield* status(yield* make(Fixtures.globexKey))).toBe(403)
    expect(yield* status(cloud, globex)).toBe(403)
  })

  test("may leave out what the client can do without", function* (cloud, service) {
    yield* service.reply(listOrganizations, () => Effect.succeed([{ id: acme }]))
    expect(yield* cloud.organizations.list()).toEqual([{ id: acme }])
  })

  const { byOffset, query } = Echo.operations.echo
  scoped.each([
    ["enveloped", byOffset, { numbers: [NaN] }, /: Expected a finite number[^]* at \["result"\]\["numbers"\]\[0\]$/],
    ["without an envelope", query, { number: NaN }, /: Expected [^]* at \["number"\]$/]
  ] as const)("that does not fit is a defect that names the field: %s", function* ([, operation, result, at]) {
    const [cloud, service] = yield* both
    const reply = service.reply<Operation.Any>
    yield* reply(operation, () => Effect.succeed(result))
    const exit = yield* Effect.exit(cloud.execute<Operation.Any>(operation, {}))
    const { message } = yield* Effect.flip(Effect.catchDefect(exit, (defect) => Effect.fail(defect as Error)))
    expect(message).toContain(`the reply to ${Operation.nameOf(operation)} does not match its schema`)
    expect(message).toMatch(at)
  })

  const Content = Schema.Struct({ tags: Schema.ReadonlySet(Schema.Date), bytes: Schema.Uint8Array })
  const content = { tags: new Set([new Date(0)]), bytes: new Uint8Array([1]) }
  class Taken extends CallError.refusal("Taken", 409, Refusal.body(Content)) {}
  const kinds = {
    json: Body.json(Content),
    exact: Body.exact(Body.json(Content)),
    several: Body.oneOf(Body.status(200, Body.json(Content)), Body.status(202, Body.empty)),
    lines: Body.jsonLines(Content),
    events: Body.events(Content)
  }
  const stored = <S extends Body.Success, P extends Body.Payload>(success: S, payload: P) =>
    Operation.make({ ...item, name: "store", method: "POST", path: "/v1/items", success, payload, errors: [Taken] })

  scoped.each(Object.entries(kinds))(
    "is the JSON form of what has none, and is read back: %s",
    function* ([kind, success]) {
      const [cloud, service] = yield* both
      const operation: Operation.Any = stored(success, Body.choice(Body.json(Content), Body.text()))
      const sent = { contentType: "application/json", value: content }
      const results: Record<string, unknown> = {
        several: { status: 200, value: content },
        lines: Stream.make(content),
        events: Stream.make({ event: "message", data: content })
      }
      yield* service.reply<Operation.Any>(operation, (input) => {
        expect(input).toMatchObject({ payload: sent })
        return Effect.succeed(results[kind] ?? content)
      })
      const result = yield* cloud.execute<Operation.Any>(operation, { payload: sent })
      const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)
      const parts = isStream(result) ? yield* Stream.runCollect(result) : [result]
      expect(parts).toMatchObject([{ events: { data: content }, several: results["several"] }[kind] ?? content])
    }
  )

  test("is the JSON form of the body of a refusal", function* (cloud, service) {
    const operation = stored(Body.empty, Body.json(Content))
    yield* service.reply(operation, ({ payload }) => Effect.fail(new Taken({ message: "taken", body: payload })))
    const { reason } = yield* Effect.flip(cloud.execute(operation, { payload: content }))
    expect(reason).toMatchObject({ _tag: "Taken", body: content })
  })

  scoped.each<[what: string, fail: () => never]>([
    ["throws", () => expect.fail("the name is wrong")],
    ["dies", () => Effect.runSync(Effect.die(new Error("the name is wrong")))]
  ])("whose handler %s ends the call with that defect, and not with a 500", function* ([, fail]) {
    const [cloud, service] = yield* both
    yield* service.reply(createToken, ({ payload: { name } }) =>
      name === "ci" ? fail() : Effect.succeed({ name: "fine" })
    )
    const exit = yield* Effect.exit(cloud.execute(createToken, token))
    expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ message: "the name is wrong" })
    // and the next one is another
    const { result } = yield* cloud.execute(createToken, { ...token, payload: { ...token.payload, name: "cd" } })
    expect(result).toEqual({ name: "fine" })
  })
})

describe("requests", () => {
  test("are those that reached the service, in their order, at the moments of the test's clock", function* (cloud, service) {
    expect(yield* service.requests).toEqual([])
    yield* cloud.organizations.list()
    yield* TestClock.adjust("1 minute")
    yield* Effect.flip(cloud.apiKeys.delete({ organizationId: globex, keyId: backupKey.id }))
    yield* Effect.flip(cloud.execute(createToken, token))
    const moment = (seconds: number) => DateTime.makeUnsafe(seconds * 1000)
    expect(yield* service.requests).toMatchObject([
      { operation: "organizations.list", method: "GET", path: "/v1/organizations", receivedAt: moment(0) },
      {
        operation: "apiKeys.delete",
        method: "DELETE",
        path: `/v1/organizations/${globex}/keys/${backupKey.id}`,
        receivedAt: moment(60)
      },
      { method: "POST", path: `/v1/organizations/${acme}/tokens`, receivedAt: moment(60) }
    ])
    expect((yield* service.requests)[2]).not.toHaveProperty("operation")
  })

  it.effect("are one per attempt, and not those that a fault kept from the service", function* () {
    const { DropAfterSend, DropBeforeSend } = Faults.Fault
    const transport = InMemoryTransport.layer(Fixtures.seed).pipe(
      Faults.on(listOrganizations, [DropBeforeSend(), DropAfterSend()])
    )
    const { cloud, service } = yield* connect(transport, { retry: Retry.standard })
    const fiber = yield* Effect.forkChild(cloud.organizations.list())
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(fiber)
    expect((yield* service.requests).map(({ operation }) => operation)).toEqual([
      "organizations.list",
      "organizations.list"
    ])
  })

  test("have their headers, and never a secret in what is printed", function* (cloud, service) {
    yield* service.reply(createToken, () => Effect.succeed({ name: "" }))
    yield* cloud.execute(createToken, token)
    const http = yield* HttpClient.HttpClient
    yield* http.get("http://in-memory/v1/organizations?password=open-sesame", { headers: { cookie: "open-sesame" } })
    const requests = yield* service.requests
    expect(requests[0]?.headers).toMatchObject({ accept: "application/json", "content-type": "application/json" })
    const authorization = requests[0]?.headers["authorization"]
    const value = `Basic ${btoa(`${deployKey.id}:${deployKey.secret}`)}`
    expect(Redacted.isRedacted(authorization) && Redacted.value(authorization)).toBe(value)
    const inputs = yield* service.inputs(createToken)
    for (const printed of [JSON.stringify, String, (all: unknown) => inspect(all, { depth: 9, showHidden: true })]) {
      const text = printed([requests, inputs])
      for (const secret of [deployKey.secret, btoa(`${deployKey.id}:${deployKey.secret}`), "open-sesame"]) {
        expect(text).not.toContain(secret)
      }
    }
  })

  test("are redacted by the names of Effect's own reference too", function* (cloud, service) {
    yield* cloud.organizations.list()
    const [request] = yield* Effect.provideService(service.requests, Headers.CurrentRedactedNames, ["accept"])
    expect(Redacted.isRedacted(request?.headers["accept"])).toBe(true)
    expect(Redacted.isRedacted(request?.headers["authorization"])).toBe(true)
  })
})

test("requests and inputs belong to the operation that handled them, which later replies do not change", function* (cloud, service) {
  const first = service.reply(getItem, () => Effect.succeed(""))
  const second = service.reply(searchItems, () => Effect.succeed(""))
  const observe = Effect.all([
    Effect.map(service.requests, (requests) => requests.map(({ operation }) => operation)),
    service.inputs(getItem),
    service.inputs(searchItems)
  ])
  yield* Effect.ignore(cloud.execute(searchItems, {}))
  // nothing handled this one: it belongs to each operation that it fits
  expect(yield* observe).toEqual([[undefined], [{ id: "search" }], [{}]])
  yield* first
  yield* cloud.execute(searchItems, {})
  yield* second
  yield* cloud.execute(searchItems, {})
  expect(yield* observe).toEqual([
    [undefined, "items.get", "items.search"],
    [{ id: "search" }, { id: "search" }],
    [{}, {}]
  ])
})

describe("inputs", () => {
  test("are those of one operation, decoded", function* (cloud, service) {
    const keys = [backupKey.id, Fixtures.disabledKey.id]
    for (const keyId of keys) yield* cloud.apiKeys.delete({ organizationId: acme, keyId })
    yield* Effect.flip(cloud.execute(createToken, token))
    yield* Effect.ignore(cloud.execute(Echo.operations.echo.query, { query: { number: 7, list: ["a"] } }))
    yield* Effect.ignore(cloud.execute(Echo.operations.echo.head, { query: { text: "of the same path" } }))
    expect(yield* service.inputs(deleteApiKey)).toEqual(keys.map((keyId) => ({ organizationId: acme, keyId })))
    expect(yield* service.inputs(createToken)).toEqual([token])
    expect(yield* service.inputs(Echo.operations.echo.query)).toEqual([{ query: { number: 7, list: ["a"] } }])
    expect(yield* service.inputs(Echo.operations.echo.head)).toEqual([{ query: { text: "of the same path" } }])
    expect(yield* service.inputs(listOrganizations)).toEqual([])
  })

  test("do not include a request that does not fit", function* (cloud, service) {
    const other = Operation.make({ ...createToken, payload: Body.json(Schema.Struct({ name: Schema.String })) })
    yield* Effect.ignore(cloud.execute(other, { organizationId: acme, payload: { name: "no password" } }))
    yield* Effect.ignore(cloud.execute(createToken, token))
    expect(yield* service.inputs(createToken)).toEqual([token])
    expect(yield* service.requests).toHaveLength(2)
  })
})

describe("a request that nothing handles", () => {
  const { text } = Echo.operations.echo
  scoped.each([
    [404, text],
    [405, { ...text, path: "/v1/organizations" as const }]
  ] as const)("is a %s that names the way out", function* ([status, operation]) {
    const [cloud, service] = yield* both
    const error = yield* Effect.flip(cloud.execute(operation, { payload: "a" }))
    expect(error).toMatchObject({ status, reason: { _tag: "UnexpectedStatus" } })
    expect(error.message).toContain(
      "the in-memory service does not have this operation: add it with reply(operation, handler)"
    )
    yield* service.reply(operation, ({ payload }) => Effect.succeed(payload))
    expect(yield* cloud.execute(operation, { payload: "a" })).toBe("a")
  })

  it.effect("for a path in the base URL is a 404 that says so", function* () {
    const { cloud } = yield* connect(InMemoryTransport.layer(Fixtures.seed), { baseUrl: "http://in-memory/cloud" })
    const error = yield* Effect.flip(cloud.organizations.list())
    expect(error.message).toContain("the in-memory service has this operation, but not below the path of the base URL")
  })
})

test("types of the handle follow from the operation", function* (_, service) {
  // @ts-expect-error it is spelt Ready
  yield* service.setStatus(endpoint, "Raedy")
  // @ts-expect-error the result has a name
  yield* service.reply(createToken, () => Effect.succeed({}))
  const reply = service.reply<typeof deleteApiKey>
  expectTypeOf<Effect.Error<ReturnType<Parameters<typeof reply>[1]>>>().toEqualTypeOf<
    Operation.Refusals<typeof deleteApiKey> | StoreUnavailable
  >()
  const inputs: ReadonlyArray<typeof token> = yield* service.inputs(createToken)
  expect(inputs).toEqual([])
})

it.effect("two tests at once share nothing, even if they use one layer", function* () {
  const test = (status: "Failed" | "Expired") =>
    Effect.gen(function* () {
      const [cloud, service] = yield* both
      yield* service.setStatus(endpoint, status)
      yield* Effect.yieldNow
      yield* cloud.apiKeys.delete({ organizationId: acme, keyId: backupKey.id })
      const read = yield* cloud.reversePrivateEndpoints.get(endpoint)
      return [read.status, (yield* service.requests).length]
    }).pipe(Effect.provide(layer), Effect.runPromise)
  const ended = yield* Effect.promise(() => Promise.all([test("Failed"), test("Expired")]))
  expect(ended).toEqual([
    ["Failed", 2],
    ["Expired", 2]
  ])
})

it.effect("reset starts anew: content, replies, requests and used-up limits", function* () {
  const rateLimit = { limit: 3, window: "1 minute" } as const
  const { cloud, service } = yield* connect(InMemoryTransport.layer(Fixtures.seed, { rateLimit }))
  yield* cloud.apiKeys.delete({ organizationId: acme, keyId: backupKey.id })
  yield* service.setStatus(endpoint, "Failed")
  yield* service.reply(listOrganizations, () => Effect.succeed([{ id: acme, name: "Replied" }]))
  expect(yield* cloud.organizations.list()).toMatchObject([{ name: "Replied" }])
  yield* cloud.organizations.list()
  expect(yield* Effect.flip(cloud.organizations.list())).toMatchObject({ status: 429 })

  yield* service.reset
  expect(yield* service.requests).toEqual([])
  expect(yield* cloud.organizations.list()).toMatchObject([{ id: acme, name: "Acme" }])
  expect(yield* cloud.reversePrivateEndpoints.get(endpoint)).toMatchObject({ status: "Ready" })
  yield* cloud.apiKeys.delete({ organizationId: acme, keyId: backupKey.id })
  expect(yield* service.requests).toHaveLength(3)
})

it.effect("reset ends the service before it, once the calls of that have ended", function* () {
  const counts: Array<number> = []
  const audit: Audit.Recorder = (_, { count }) => Effect.sync(() => void (count && counts.push(count)))
  const { cloud, service } = yield* connect(InMemoryTransport.layer(Fixtures.seed, { audit }))
  const [reached, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const held = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
  yield* service.reply(listOrganizations, () => Effect.as(held, [{ id: acme }]))
  // the number of those after the first is recorded after a minute, or when the service ends
  const deny = Effect.flip(cloud.apiKeys.delete({ organizationId: globex, keyId: backupKey.id }))
  yield* Effect.replicateEffect(deny, 2)
  const call = yield* Effect.forkChild(cloud.organizations.list())
  yield* Deferred.await(reached)
  yield* service.reset
  yield* Effect.replicateEffect(deny, 3)
  expect(counts).toEqual([])
  yield* Deferred.succeed(gate, undefined)
  expect(yield* Fiber.join(call)).toEqual([{ id: acme }])
  expect(counts).toEqual([1])
  yield* service.reset
  expect(counts).toEqual([1, 2])
})

it.effect("one virtual clock drives the rate limit of the service and the client's reading of it", function* () {
  const transport = InMemoryTransport.layer(Fixtures.seed, { rateLimit: { limit: 2, window: "1 hour" } })
  const { cloud } = yield* connect(transport)
  yield* cloud.organizations.list()
  yield* cloud.organizations.list()
  expect((yield* Effect.flip(cloud.organizations.list())).reason._tag).toBe("RateLimited")
  yield* TestClock.adjust("1 hour")
  expect(yield* cloud.organizations.list()).toHaveLength(1)
})

scoped("a URL that is not valid is not sent", function* () {
  expect((yield* Effect.flip(HttpClient.get("http://"))).reason._tag).toBe("InvalidUrlError")
})

describe("layerTest", () => {
  const list = Effect.flatMap(CloudManagement.CloudManagement, (cloud) => cloud.organizations.list())

  it.effect("takes the first key that there is, in whichever organization", function* () {
    const [empty, full] = [
      { id: Fixtures.globex, name: "Globex" },
      { id: acme, name: "Acme", apiKeys: [{ id: backupKey.id, secret: backupKey.secret }] }
    ]
    const layer = InMemoryTransport.layerTest({ organizations: [empty, full] })
    expect(yield* Effect.provide(list, layer)).toMatchObject([{ id: acme }])
  })

  it.effect.each<[what: string, document: Seed.Document, message: string]>([
    ["has no key", { organizations: [{ id: acme, name: "Acme" }] }, "the seed has no API key with a secret"],
    ["is no seed", { organizations: [{ id: "x", name: "Acme" }] }, 'at ["organizations"][0]["id"]']
  ])("says so when the seed %s", function* ([, document, message]) {
    const error = yield* Effect.flip(Layer.build(InMemoryTransport.layerTest(document)))
    expect(error.message).toContain(message)
  })
})

/** The transport over a service that reads a request and responds with what it read, and how often a source was begun and closed. */
const streaming = () => {
  const counts = { begun: 0, closed: 0 }
  const source = (stream: Stream.Stream<Uint8Array, unknown>) =>
    Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => counts.begun++),
          () => Effect.sync(() => counts.closed++)
        ),
        stream
      )
    )
  const received: Array<HttpRequest> = []
  const handle: Service.Service["Service"]["handle"] = (request) => {
    received.push(request)
    return Stream.mkUint8Array(request.content()).pipe(
      Effect.map((bytes) => HttpServerResponse.stream(source(Stream.make(bytes)))),
      // as the service does
      Effect.orElseSucceed(() => HttpServerResponse.empty({ status: 400 }))
    )
  }
  const layer = InMemoryTransport.layerService.pipe(
    Layer.provide(Layer.succeed(Service.Service, { handle, withdraw: Effect.void, drain: Effect.void }))
  )
  return { counts, source, received, provided: Effect.provide(layer) }
}

describe("a body", () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const three = Stream.make(bytes("a"), bytes("bc"))
  const post = (body: HttpBody.HttpBody) => HttpClient.post("http://in-memory/", { body })

  it.effect("is streamed both ways, chunked, and both sources are closed once", function* () {
    const { counts, provided, received, source } = streaming()
    const text = Effect.flatMap(post(HttpBody.stream(source(three))), ({ stream }) =>
      Stream.mkString(Stream.decodeText(stream))
    )
    expect(yield* provided(text)).toBe("abc")
    expect(counts).toEqual({ begun: 2, closed: 2 })
    expect(received[0]?.headers["transfer-encoding"]).toBe("chunked")
  })

  it.effect("that is a stream of the response is closed when its reader has enough", function* () {
    const { counts, provided } = streaming()
    const { stream } = yield* provided(post(HttpBody.text("abc")))
    yield* Stream.runDrain(Stream.take(stream, 1))
    expect(counts).toEqual({ begun: 1, closed: 1 })
  })

  const disk = new Error("disk on fire")
  it.effect("that fails fails the request, for which the service has no response", function* () {
    const { counts, provided, source } = streaming()
    const incomplete = Stream.concat(three, Stream.fail(disk))
    const { reason } = yield* Effect.flip(provided(post(HttpBody.stream(source(incomplete)))))
    expect(reason).toMatchObject({ _tag: "TransportError", cause: { cause: disk, syscall: "write" } })
    expect(counts).toEqual({ begun: 1, closed: 1 })
  })

  it.effect("that is a stream is closed when the call is interrupted", function* () {
    const { counts, provided, source } = streaming()
    const begun = yield* Deferred.make<void>()
    const stalled = Stream.concat(
      Stream.tap(three, () => Deferred.succeed(begun, undefined)),
      Stream.never
    )
    const call = yield* Effect.forkChild(provided(post(HttpBody.stream(source(stalled)))))
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(call)
    expect(counts).toEqual({ begun: 1, closed: 1 })
  })
})
