import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Deferred, Effect, Fiber, Option, Redacted, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest, HttpServerResponse } from "effect/http"
import type { HttpMethod } from "effect/http/HttpMethod"
import { TestClock } from "effect/testing"
import type { Any } from "@cloud-management/client/Operation"
import { operations as registry } from "@cloud-management/core/Operations"
import { ApiKeySecret, HttpRequest, Service } from "@cloud-management/service"
import { memory, RateLimitStore } from "@cloud-management/service/RateLimitStore"
import { description, document } from "../src/cloud/description.ts"
import { Store } from "@cloud-management/service/Store"
import { StoreUnavailable } from "@cloud-management/service/KeyStore"
import { Echo, Fixtures } from "@cloud-management/testing"
import * as Authentication from "../src/frame/admission/authentication.ts"
import * as Address from "../src/frame/wire/address.ts"
import * as Cors from "../src/frame/wire/cors.ts"
import * as Representation from "../src/frame/wire/representation.ts"
import * as Router from "../src/frame/wire/router.ts"
import { basic, endpointPath, keyPath, logged, organizations, recorder, served } from "./Served.ts"

const strict = Representation.make(description.schemas)

const { acme, analytics, backupKey, deployKey, disabledKey, globex, globexKey, readyEndpoint, unicodeKey } = Fixtures
const missing = "00000000-0000-4000-8000-000000000000"

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body, with `requestId` taken out after it was compared with the header. */
  readonly body: unknown
}

const Header = Schema.Struct({ required: Schema.Boolean })
const Refusal = Schema.Struct({ headers: Schema.JsonObject })
const shared = Schema.decodeUnknownSync(
  Schema.Struct({ headers: Schema.Record(Schema.String, Header), responses: Schema.Record(Schema.String, Refusal) })
)(document.components)

const match = Router.make(Object.values(registry).flatMap((group): ReadonlyArray<Any> => Object.values(group)))

/** The operation of a request, and what the document says of it; pages have none. */
const find = (method: string, path: string) => {
  const matched = match(method, path)
  if (matched._tag !== "Found") return {}
  const operation = matched.route
  const name = (["get", "head", "delete"] as const).find((name) => name.toUpperCase() === method)
  return { operation, described: name && document.paths[Router.templateOf(operation.path)]?.[name] }
}

/** Checks what holds for every response of the service, and gives it back. */
const checked = (method: string, path: string, { headers, status, text }: Omit<Reply, "body">): Reply => {
  // a document may be kept, and asked for again with its tag
  const caching = path === "/docs" || path === "/openapi.json" ? "no-cache" : "no-store"
  expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "cache-control": caching })
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  if (method === "HEAD" || status === 204) expect(text).toBe("")
  else expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)))
  const { described, operation } = find(method, path.split("?", 1)[0] ?? "")
  if (described !== undefined) {
    const response = described.responses[status]
    const { headers: documented = {} } = {
      ...response,
      ...(response && "$ref" in response && shared.responses[status])
    }
    const sent = Object.keys(headers).filter((name) =>
      /^(x-request-id|x-ratelimit-.+|retry-after|www-authenticate)$/.test(name)
    )
    expect(Object.keys(documented)).toEqual(expect.arrayContaining(sent))
    expect(sent).toEqual(
      expect.arrayContaining(Object.keys(documented).filter((name) => shared.headers[name]?.required))
    )
  }
  if (method === "HEAD" || headers["content-type"] !== "application/json") return { status, headers, text, body: text }
  const body: { readonly status?: number; readonly requestId?: string } = JSON.parse(text)
  const schema = status === 200 ? operation && strict(operation.success.schema) : Representation.Failure
  if (schema === undefined) return { status, headers, text, body }
  Schema.decodeUnknownSync(schema)(body, { onExcessProperty: "error", errors: "all" })
  const { requestId, ...rest } = body
  expect([rest.status, requestId]).toEqual([status, headers["x-request-id"]])
  return { status, headers, text, body: rest }
}

type Given = Readonly<Record<string, string | null>>

/** One request over the in-memory transport, signed by the deploy key unless said otherwise (`null`: not at all). */
const send = Effect.fnUntraced(function* (method: HttpMethod, path: string, headers: Given = {}) {
  const client = yield* HttpClient.HttpClient
  const all = { authorization: basic(deployKey), ...headers }
  const given = Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null))
  const response = yield* client.execute(
    HttpClientRequest.make(method)(`http://in-memory${path}`).pipe(HttpClientRequest.setHeaders(given))
  )
  return checked(method, path, { status: response.status, headers: response.headers, text: yield* response.text })
})
const signedBy = (key: { readonly id: string; readonly secret: string }) => ({ authorization: basic(key) })
const unsigned = { authorization: null }

const sendFrom = Effect.fnUntraced(function* (address: string | undefined, authorization: string) {
  const { handle } = yield* Service.Service
  const request = new Request(`http://service${organizations}`, { headers: { authorization } })
  const response = yield* handle(HttpRequest.fromWeb(request, address))
  const web = HttpServerResponse.toWeb(response)
  const text = yield* Effect.promise(() => web.text())
  const headers = { ...Object.fromEntries(web.headers), "content-length": String(Buffer.byteLength(text)) }
  return checked("GET", organizations, { status: web.status, headers, text })
})

const statuses = (replies: ReadonlyArray<Reply>) => replies.map(({ status }) => status)

const watched = () => {
  const asked: Array<string> = []
  const service = served({}, ({ organization }) => ({
    organization: (id) => {
      asked.push(id)
      return organization(id)
    }
  }))
  return { asked, service }
}

const test = it.effect.over(served())
type Services = HttpClient.HttpClient | Service.Service | Store
/** With the records that the audit receives. */
const recorded = (
  name: string,
  body: (records: Array<object>) => Generator<Effect.Effect<unknown, unknown, Services>, unknown, unknown>
) => {
  const { audit, written } = recorder()
  it.effect.over(served({ audit }))(name, () => Effect.gen(() => body(written)))
}

const [{ apiKeys: _keys, services, ...organization } = expect.unreachable()] = Fixtures.seed.organizations
const endpoint = { serviceId: analytics, ...services?.[0]?.reversePrivateEndpoints?.[0] }

describe("a success is exactly the envelope", () => {
  test.each<[what: string, method: HttpMethod, path: string, result?: object]>([
    ["4.1: of the list, with the one organization of the key", "GET", organizations, [organization]],
    ["4.2: of a deletion, without a result", "DELETE", keyPath(backupKey.id)],
    ["4.3: of an endpoint, with the fields of its kind only", "GET", endpointPath(), endpoint]
  ])("%s", function* ([, method, path, result]) {
    const reply = yield* send(method, path)
    expect(reply).toMatchObject({ status: 200, headers: { "content-type": "application/json" } })
    expect(reply.body).toEqual({ status: 200, ...(result && { result }) })
  })

  test("2.1: in this order, with a requestId of its own that x-request-id repeats", function* () {
    const replies = yield* Effect.replicateEffect(send("GET", organizations), 20)
    expect(new Set(replies.map(({ headers }) => headers["x-request-id"])).size).toBe(20)
    for (const { headers, text } of replies) {
      expect(text.startsWith(`{"status":200,"requestId":"${headers["x-request-id"]}","result":[`)).toBe(true)
    }
  })

  test("to HEAD too, with the same headers", function* () {
    const [get, head] = [yield* send("GET", endpointPath()), yield* send("HEAD", endpointPath())]
    expect({ ...head.headers, "x-request-id": "" }).toEqual({ ...get.headers, "x-request-id": "" })
  })
})

const texts = {
  unknown: "UNAUTHORIZED: Key is not found",
  inactive: "UNAUTHORIZED: Key is not active",
  foreign: "FORBIDDEN: The key is not for this organization",
  key: "NOT_FOUND: Key is not found",
  endpoint: "NOT_FOUND: Reverse private endpoint is not found",
  inUse: "BAD_REQUEST: The key in use cannot be deleted",
  twice: "BAD_REQUEST: More than one Authorization header",
  uuid: (name: string) => `BAD_REQUEST: Expected a UUID (8-4-4-4-12 hexadecimal digits) at ["${name}"]`
}

describe("a refusal is exactly the error envelope", () => {
  test.each<[what: string, method: HttpMethod, path: string, error: string, headers?: Record<string, string | null>]>([
    ["no key", "GET", organizations, texts.unknown, unsigned],
    ["a disabled key", "GET", organizations, texts.inactive, signedBy(disabledKey)],
    ["two Authorization headers", "GET", organizations, texts.twice, { authorization: "Basic x, Basic y" }],
    ["another tenant's organization", "GET", endpointPath(readyEndpoint, analytics, globex), texts.foreign],
    ["an organization that is not there", "GET", endpointPath(readyEndpoint, analytics, missing), texts.foreign],
    ["a key of another tenant's organization", "DELETE", keyPath(globexKey.id, globex), texts.foreign],
    ["a key that is not there", "DELETE", keyPath(missing), texts.key],
    ["another tenant's key", "DELETE", keyPath(globexKey.id), texts.key],
    ["the key in use", "DELETE", keyPath(deployKey.id), texts.inUse],
    ["the key in use, in upper case", "DELETE", keyPath(deployKey.id.toUpperCase()), texts.inUse],
    ["an endpoint that is not there", "GET", endpointPath(missing), texts.endpoint],
    ["another tenant's service", "GET", endpointPath(Fixtures.globexEndpoint, Fixtures.globexService), texts.endpoint],
    ["a key's ID that is not a UUID", "DELETE", keyPath("deploy"), texts.uuid("keyId")],
    ["an organization's ID that is not a UUID", "DELETE", keyPath(missing, "acme"), texts.uuid("organizationId")],
    ["an endpoint's ID that is not a UUID", "GET", endpointPath("ready"), texts.uuid("reversePrivateEndpointId")]
  ])("7: for %s", function* ([, method, path, error, headers]) {
    const status = { BAD_REQUEST: 400, UNAUTHORIZED: 401, FORBIDDEN: 403, NOT_FOUND: 404 }[error.split(":")[0] ?? ""]
    const reply = yield* send(method, path, headers)
    expect(reply).toMatchObject({ status, body: { status, error } })
    expect(reply.headers["content-type"]).toBe("application/json")
    const challenge = 'Basic realm="Cloud Management", charset="UTF-8"'
    expect(reply.headers["www-authenticate"]).toBe(status === 401 ? challenge : undefined)
  })

  test("8: from one more than the limit of a target and of a body", function* () {
    const at = (length: number) => send("GET", `${organizations}?`.padEnd(length, "x"), unsigned)
    const of = (length: string) => send("DELETE", keyPath(backupKey.id), { "content-length": length })
    const replies = yield* Effect.all([at(2048), at(2049), of("65537"), of("65536")])
    expect(statuses(replies)).toEqual([401, 414, 413, 200])
  })

  test.each<[name: string, value: string]>([
    ["content-length", "100000"],
    ["transfer-encoding", "chunked"]
  ])("from one more than the limit of a body that the host has, announced by %s", function* ([name, value]) {
    const { handle } = yield* Service.Service
    const request = {
      ...HttpRequest.fromWeb(new Request(`http://service${organizations}`)),
      headers: { authorization: basic(), [name]: value },
      content: () => Stream.make(new Uint8Array(100_000))
    }
    expect((yield* handle({ ...request, maxBodyLength: 100_000 })).status).toBe(200)
    const { body, status } = yield* handle({ ...request, maxBodyLength: 99_999 })
    const text = expect.stringContaining("A request body may have at most 99999 bytes")
    expect({ status, body }).toMatchObject({ status: 413, body: { text } })
  })
})

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64")
const bytes = (...values: ReadonlyArray<number>) => Buffer.from(values).toString("base64")
const credentials = (id: string, secret: string) => basic({ id, secret })
const good = base64(`${deployKey.id}:${deployKey.secret}`)

describe("an Authorization header", () => {
  test.each<[what: string, header: string]>([
    ["the scheme in mixed case", `bAsIc  ${good}`],
    ["spaces at the end", `Basic ${good}  `],
    ["a secret with colons and Unicode", credentials(unicodeKey.id, unicodeKey.secret)],
    ["the ID in upper case", credentials(deployKey.id.toUpperCase(), deployKey.secret)]
  ])("5: opens the service with %s", function* ([, authorization]) {
    expect((yield* send("GET", organizations, { authorization })).status).toBe(200)
  })

  test.each<[what: string, header: string]>([
    ["of a scheme that begins like Basic", `Basically ${good}`],
    ["with a tab after the scheme", `Basic\t${good}`],
    ["with something after the credentials", `Basic ${good} x`],
    ["with something before the scheme", `x Basic ${good}`],
    ["with credentials that are not base64", "Basic !!!!"],
    ["with base64 that is cut", `Basic ${good.slice(0, -1)}`],
    ["with base64 that has padding within", `Basic ${base64(`${deployKey.id}:`)}${base64(deployKey.secret)}==`],
    ["with base64 of no UTF-8", `Basic ${bytes(0xff, 0xfe, 0x3a, 0x61)}`],
    ["with an ID that is not a UUID", credentials("admin", deployKey.secret)],
    ["with an unknown ID", credentials("00000000-0000-4000-8000-000000000000", deployKey.secret)],
    ["with a wrong secret", credentials(deployKey.id, "wrong")],
    ["with a secret in Latin-1", `Basic ${Buffer.from(`${unicodeKey.id}:pässwörd`, "latin1").toString("base64")}`],
    ["with a wrong secret of a disabled key", credentials(disabledKey.id, "wrong")]
  ])("7: is refused as one that is not there, but for the requestId: %s", function* ([, authorization]) {
    const [{ body, headers, status }, nobody] = [
      yield* send("GET", organizations, { authorization }),
      yield* send("GET", organizations, unsigned)
    ]
    expect({ status, body }).toEqual({ status: 401, body: { status: 401, error: texts.unknown } })
    expect({ ...headers, "x-request-id": "" }).toEqual({ ...nobody.headers, "x-request-id": "" })
  })

  it("7: has bytes, which do not pass for the character that stands for those that are not UTF-8", () => {
    const digest = ApiKeySecret.digest(Redacted.make("a\ufffdb"))
    const isRight = (...secret: ReadonlyArray<number>) =>
      Authentication.matches(
        Authentication.read(`Basic ${bytes(...Buffer.from(`${deployKey.id}:`), ...secret)}`).hash,
        digest
      )
    expect(isRight(...Buffer.from("a\ufffdb"))).toBe(true)
    expect(isRight(0x61, 0xff, 0x62)).toBe(false)
  })

  test("5: opens until the millisecond of the key's expiry, also when the clock is set back later", function* () {
    const { expiresAt } = Fixtures.expiredKey
    const list = send("GET", organizations, signedBy(Fixtures.expiredKey))
    const expiry = Date.parse(expiresAt)
    yield* TestClock.setTime(expiry - 1)
    expect((yield* list).status).toBe(200)
    for (const time of [expiry, expiry - 3_600_000]) {
      yield* TestClock.setTime(time)
      expect((yield* list).body).toMatchObject({ error: texts.inactive })
    }
  })

  const { asked, service } = watched()
  it.effect.over(service)("is asked of the store each time, by IDs only", function* () {
    const ids = { ...deployKey, id: deployKey.id.toUpperCase() }
    for (const authorization of [basic({ ...deployKey, secret: "wrong" }), basic(ids), "x", credentials("x", "y")]) {
      yield* send("GET", organizations, { authorization })
    }
    expect(asked).toEqual([deployKey.id, deployKey.id])
  })
})

test.each([
  `/v1/organizations/${acme}/unrouted`,
  `/v1/organizations/${acme}/services/${analytics}/clickPipesReversePrivateEndpoints/${readyEndpoint}`,
  "/metrics"
])("a path that is not routed is a 404 to anyone that is not the error envelope: %s", function* (path) {
  for (const headers of [{}, unsigned, signedBy({ ...deployKey, secret: "x" })]) {
    const reply = yield* send("GET", path, headers)
    expect(reply).toMatchObject({ status: 404, text: "Not Found\n", headers: { "content-type": "text/plain" } })
  }
})

it.effect.each([
  ["is told so when it was disabled", "disabled", texts.inactive],
  ["is told so when it was so for a moment only", "enabled", texts.inactive],
  ["is not known when it was deleted", undefined, texts.unknown]
] as const)("a caller that is no longer active once its deletion is under way %s", ([, state, error]) => {
  let isLater = false
  const expiring = ({ apiKey }: Store["Service"]): Partial<Store["Service"]> => ({
    apiKey: (id) =>
      Effect.map(
        apiKey(id),
        Option.flatMap((key) =>
          isLater ? Option.map(Option.fromUndefinedOr(state), (state) => ({ ...key, state })) : Option.some(key)
        )
      ),
    deleteApiKey: () =>
      Effect.as(
        Effect.sync(() => (isLater = true)),
        "caller-inactive" as const
      )
  })
  return Effect.gen(function* () {
    const { body, headers, status } = yield* send("DELETE", keyPath(backupKey.id))
    expect({ body, status }).toEqual({ status: 401, body: { status: 401, error } })
    expect(headers["www-authenticate"]).toContain("Basic")
  }).pipe(Effect.provide(served({}, expiring)))
})

const limited = { rateLimit: { limit: 1, window: "1 minute" } } as const
const wrong = signedBy({ ...deployKey, secret: "x" })
const twice = { authorization: "Basic x, Basic y" }

it.effect
  .over(served(limited))
  .each<[first: string, second: string, method: HttpMethod, path: string, headers: object, status: number]>([
    ["the form of the request", "the route", "GET", "/nowhere", twice, 400],
    ["authentication", "the rate limit", "GET", organizations, wrong, 401],
    ["the rate limit", "the organization", "DELETE", keyPath(backupKey.id, globex), {}, 429],
    ["the rate limit", "ids", "DELETE", keyPath("x", "y"), {}, 429],
    ["the rate limit", "existence", "DELETE", keyPath(missing), {}, 429]
  ])("checks %s before %s", function* ([, , method, path, headers, status]) {
  yield* send("GET", organizations)
  expect((yield* send(method, path, { ...headers })).status).toBe(status)
})

describe("the rate limit of a key", () => {
  const three = { rateLimit: { limit: 3, window: "10 seconds" } } as const
  const standing = ({ headers }: Reply) =>
    ["limit", "remaining", "reset"].flatMap((name) => headers[`x-ratelimit-${name}`] ?? [])

  test("8: is off unless asked for", function* () {
    const replies = yield* Effect.replicateEffect(send("GET", organizations), 50)
    expect(new Set(statuses(replies))).toEqual(new Set([200]))
    expect(replies.flatMap(standing)).toEqual([])
  })

  it.effect.over(served(three))("8: is told by every response, and refuses the request after the last", function* () {
    const replies = [
      yield* send("GET", organizations),
      yield* send("DELETE", keyPath(missing)),
      yield* send("DELETE", keyPath("x", globex)),
      yield* send("GET", organizations)
    ]
    expect(statuses(replies)).toEqual([200, 404, 403, 429])
    expect(replies.map((reply) => standing(reply).slice(0, 2).join())).toEqual(["3,2", "3,1", "3,0", "3,0"])
    expect(replies.map(({ headers }) => headers["retry-after"])).toEqual([undefined, undefined, undefined, "10"])
    expect(replies[3]?.body).toEqual({ status: 429, error: "TOO_MANY_REQUESTS: At most 3 requests in 10s" })
    // another key has its own
    expect(standing(yield* send("GET", organizations, signedBy(backupKey)))[1]).toBe("2")
  })

  it.effect.each<[what: string, status: number, deletion: Effect.Effect<never, StoreUnavailable>]>([
    ["away", 503, Effect.fail(new StoreUnavailable({ cause: "away" }))],
    ["broken", 500, Effect.die("broken")]
  ])("8: is told by the response too when the store is %s", ([, status, deletion]) =>
    Effect.gen(function* () {
      const reply = yield* send("DELETE", keyPath(backupKey.id))
      expect(reply.status).toBe(status)
      expect(standing(reply)).toEqual(["3", "2", "10"])
      expect((yield* send("GET", endpointPath())).headers).toMatchObject({ "x-ratelimit-remaining": "1" })
    }).pipe(Effect.provide(served(three, () => ({ deleteApiKey: () => deletion }))))
  )

  it.effect.over(served(three))("8: asks to wait for whole seconds, never for less than the reset", function* () {
    yield* Effect.replicateEffect(send("GET", organizations), 3)
    for (const millis of [1, 998, 1, 2300, 5699, 1, 999]) {
      yield* TestClock.adjust(millis)
      const { headers, status } = yield* send("GET", organizations)
      expect(status).toBe(429)
      const [wait, reset] = [headers["retry-after"] ?? "", Number(headers["x-ratelimit-reset"])]
      expect(wait).toMatch(/^[1-9]\d*$/)
      expect(Number(wait)).toBeGreaterThanOrEqual(reset)
      expect(Number(wait)).toBeLessThanOrEqual(Math.max(1, Math.ceil(reset)))
      expect(reset).toBeGreaterThan(0)
      if (millis === 2300) expect(headers["x-ratelimit-reset"]).toBe("6.7")
    }
    yield* TestClock.adjust(1)
    expect((yield* send("GET", organizations)).status).toBe(200)
  })

  it.effect.over(served(three))("8: is spent only by requests whose secret is right", function* () {
    for (const secret of ["x", "y", "z", ""]) {
      expect(standing(yield* send("GET", organizations, signedBy({ ...deployKey, secret })))).toEqual([])
    }
    expect(standing(yield* send("GET", organizations))[1]).toBe("2")
  })
})

const [here, there] = ["192.0.2.1", "198.51.100.1"]

describe("the limit of failed authentications", () => {
  const fail = (address: string | undefined) => sendFrom(address, "Basic x")

  test("8: is 100 a minute and address, always on; then the response is 429", function* () {
    expect(new Set(statuses(yield* Effect.replicateEffect(fail(here), 100)))).toEqual(new Set([401]))
    yield* TestClock.adjust("20 seconds")
    const reply = yield* fail(here)
    expect(reply).toMatchObject({
      status: 429,
      headers: { "retry-after": "40" },
      body: { error: "TOO_MANY_REQUESTS: Too many failed authentications from this address" }
    })
    expect(reply.headers["www-authenticate"]).toBe(undefined)
    // neither another address nor a valid key is held up
    const others = [fail(there), sendFrom(here, basic(deployKey)), sendFrom(here, basic(disabledKey))]
    expect(statuses(yield* Effect.all(others))).toEqual([401, 200, 429])
    yield* TestClock.adjust("40 seconds")
    expect((yield* fail(here)).status).toBe(401)
  })

  it.each<[what: string, address: (i: number) => string, other: string]>([
    ["one address of IPv4, however it is written", (i) => (i % 2 ? "::FFFF:c000:0202" : "192.0.2.2"), "192.0.2.1"],
    ["the 2⁶⁴ addresses that one caller of IPv6 has", (i) => `2001:DB8:9:0:${i}::${i}`, "2001:db8:9:1::"],
    ["the same with zeros at the end", (i) => `2001:db8::0:${i}:0`, "2001:db8:0:1::"],
    ["the same in full", (i) => `2001:db8:9:0:1:2:3:${i}`, "2001:db8:9:1:1:2:3:4"],
    ["the same with a zone", (i) => `fe80::${i}%eth${i}`, "fe80:1::1"],
    ["one address behind NAT64", (i) => (i % 2 ? "64:FF9B::192.0.2.1" : "192.0.2.1"), "64:ff9b::c000:202"],
    ["one address behind a network's own NAT64", () => "64:ff9b:1:fffe::c000:201", "64:ff9b:1:fffe::c000:202"],
    ["the neighbours of NAT64", (i) => `64:ff9b:0:0:1:0:${i}:1`, "64:ff9b:0:1:1:0:1:1"],
    ["an address with ports", (i) => `192.0.2.0:${i}`, "192.0.2.1"],
    ["what is no address", () => "unknown", "::1]/x["]
  ])("8: counts as one: %s", (_, address, other) => {
    const network = (text: string) => Address.network(Address.canonical(text))
    expect(new Set([1, 2, 3, 4].map((i) => network(address(i)))).size).toBe(1)
    expect(network(other)).not.toBe(network(address(1)))
  })

  recorded("8: is recorded with the whole address, in one form", function* (written) {
    for (const address of ["2001:DB8:9:0::1", "::ffff:192.0.2.2", "203.0.113.9", "unknown"]) yield* fail(address)
    const forms = ["2001:db8:9::1", "192.0.2.2", "203.0.113.9", "unknown"]
    expect(written).toMatchObject(forms.map((address) => ({ address })))
  })

  test("8: does not count successes, and nobody whose address is not known", function* () {
    yield* Effect.replicateEffect(sendFrom(here, basic(deployKey)), 150)
    expect((yield* fail(here)).status).toBe(401)
    const unlimited = [fail(undefined), sendFrom(undefined, basic({ ...deployKey, secret: "wrong" }))]
    for (const guess of unlimited) {
      expect(new Set(statuses(yield* Effect.replicateEffect(guess, 150)))).toEqual(new Set([401]))
    }
  })
})

describe("the limit of guesses", () => {
  const guess = (address: string | undefined, id: string = deployKey.id) =>
    sendFrom(address, basic({ id, secret: "wrong" }))
  const right = (address: string, key: { readonly id: string; readonly secret: string } = deployKey) =>
    sendFrom(address, basic(key))
  const refused = { status: 429, body: { error: expect.stringContaining("with this key ID from this address") } }

  const { asked, service } = watched()
  it.effect.over(service)(
    "8: is 20 a minute for an address with one key ID: guess 501 is refused unseen",
    function* () {
      expect(new Set(statuses(yield* Effect.replicateEffect(guess(here), 20)))).toEqual(new Set([401]))
      yield* TestClock.adjust("20 seconds")
      expect(yield* guess(here)).toMatchObject({ ...refused, headers: { "retry-after": "40" } })
      expect(new Set(statuses(yield* Effect.replicateEffect(guess(here), 479)))).toEqual(new Set([429]))
      const reply = yield* right(here)
      expect(reply).toMatchObject(refused)
      expect(reply.headers["www-authenticate"]).toBe(undefined)
      expect(asked).toHaveLength(20)
      yield* TestClock.adjust("40 seconds")
      expect((yield* right(here)).status).toBe(200)
    }
  )

  test("8: locks out neither another key of the address, nor the key at another address", function* () {
    yield* Effect.replicateEffect(guess(here), 100)
    expect((yield* right(here)).status).toBe(429)
    expect((yield* right(here, backupKey)).status).toBe(200)
    expect((yield* right(there)).status).toBe(200)
    // in another spelling it is the same ID, and an address of IPv6 the same /64
    expect((yield* right(here, { ...deployKey, id: deployKey.id.toUpperCase() })).status).toBe(429)
    yield* Effect.replicateEffect(guess("2001:db8::1"), 20)
    expect((yield* right("2001:db8::2")).status).toBe(429)
    expect((yield* right("2001:db8:0:1::1")).status).toBe(200)
  })

  test("8: responds alike whether there is a key of this ID or not", function* () {
    const [known, unknown] = yield* Effect.forEach([deployKey.id, missing], (id) =>
      Effect.replicateEffect(guess(there, id), 25)
    )
    const told = (replies: ReadonlyArray<Reply> = []) =>
      replies.map(({ body, headers, status }) => ({ status, body, headers: { ...headers, "x-request-id": "" } }))
    expect(told(known)).toEqual(told(unknown))
    expect(statuses(known ?? [])).toEqual([...Array(20).fill(401), ...Array(5).fill(429)])
  })

  it.effect("8: holds for guesses that are all under way at once", function* () {
    const gate = yield* Deferred.make<void>()
    const held = served({}, ({ organization }) => ({
      organization: (caller) => Effect.andThen(Deferred.await(gate), organization(caller))
    }))
    yield* Effect.gen(function* () {
      const guesses = [...Array.from({ length: 30 }, () => guess(here)), right(here), right(there)]
      const asked = yield* Effect.forkChild(Effect.all(guesses, { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      const [atOther, atSame, ...wrong] = statuses(yield* Fiber.join(asked)).toReversed()
      expect([atSame, atOther]).toEqual([429, 200])
      expect(wrong.filter((status) => status === 401)).toHaveLength(20)
    }).pipe(Effect.provide(held))
  })

  it.effect("8: counts a guess, and records it, when its caller leaves", () => {
    const { audit, written } = recorder()
    const slow: RateLimitStore = {
      counter: (...args) => {
        const count = memory.counter(...args)
        return (subject) => Effect.andThen(Effect.sleep("100 millis"), count(subject))
      }
    }
    return Effect.gen(function* () {
      for (let i = 0; i < 20; i++) {
        const asked = yield* Effect.forkChild(guess(here), { startImmediately: true })
        yield* Effect.yieldNow
        const left = yield* Effect.forkChild(Fiber.interrupt(asked), { startImmediately: true })
        yield* TestClock.adjust("200 millis")
        yield* Fiber.join(left)
      }
      expect(written).toMatchObject([{ event: "authentication.failed" }])
      expect((yield* right(here)).status).toBe(429)
    }).pipe(Effect.provide(served({ audit })), Effect.provideService(RateLimitStore, slow))
  })
})

describe("the records of rejected requests", () => {
  const failures = (address: string, fields: object) => ({ event: "authentication.failed", address, ...fields })
  const rejected = (address: string, count: number) => ({ event: "authentication.rejected", address, count })
  const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

  recorded("are one a minute, with their number", function* (records) {
    const guess = sendFrom("192.0.2.1", basic({ ...deployKey, secret: "wrong" }))
    yield* Effect.replicateEffect(guess, 300)
    const keyId = deployKey.id
    expect(records.splice(0)).toMatchObject([failures("192.0.2.1", { keyId, reason: "wrong secret" })])
    yield* TestClock.adjust("59 seconds")
    expect(records).toEqual([])
    yield* TestClock.adjust("1 second")
    expect(records.splice(0)).toEqual([failures("192.0.2.1", { keyId, count: 19 }), rejected("192.0.2.1", 280)])
    yield* Effect.replicateEffect(guess, 21)
    yield* TestClock.adjust("1 hour")
    expect(records.splice(1)).toEqual([failures("192.0.2.1", { keyId, count: 19 }), rejected("192.0.2.1", 1)])
  })

  recorded(
    "are 1,000 a minute at most, and one with the number of the others, from however many addresses",
    function* (records) {
      yield* Effect.forEach(Array.from({ length: 3000 }).keys(), (n) =>
        sendFrom(`192.0.${n >> 8}.${n & 255}`, basic({ ...deployKey, secret: "wrong" }))
      )
      // one of the first thousand is still counted apart
      yield* sendFrom("192.0.0.7", basic({ ...deployKey, secret: "wrong" }))
      expect(records.splice(0)).toHaveLength(1001)
      yield* TestClock.adjust("1 minute")
      expect(records).toEqual([
        failures("192.0.0.7", { keyId: deployKey.id, count: 1 }),
        { event: "authentication.failed", count: 1999 }
      ])
    }
  )

  recorded("are one too for an address that names another key each time", function* (records) {
    yield* Effect.forEach(Array.from({ length: 300 }).keys(), (n) =>
      sendFrom("2001:db8::1", basic({ id: id(n), secret: "wrong" }))
    )
    expect(records.splice(0)).toHaveLength(100)
    yield* TestClock.adjust("1 minute")
    expect(records).toEqual([rejected("2001:db8:0:0::/64", 200)])
  })

  recorded("are one a minute for a key that is denied access, after the first, which is whole", function* (records) {
    const ask = (key: typeof deployKey, path: string) => send("DELETE", path, { authorization: basic(key) })
    const denied = (key: typeof deployKey, fields: object) => ({
      event: "access.denied",
      actor: `key:${key.id}`,
      ...fields
    })
    const first = { operation: "apiKeys.delete" }
    yield* Effect.replicateEffect(ask(deployKey, keyPath(globexKey.id, globex)), 300)
    yield* ask(globexKey, keyPath(deployKey.id, acme))
    expect(records.splice(0)).toMatchObject([denied(deployKey, first), denied(globexKey, first)])
    yield* TestClock.adjust("1 minute")
    expect(records.splice(0)).toEqual([denied(deployKey, { count: 299 })])
    yield* ask(deployKey, keyPath(globexKey.id, globex))
    expect(records).toMatchObject([denied(deployKey, first)])
  })

  it.effect("are not lost when the service ends", function* () {
    const { audit, written } = recorder()
    const guesses = Effect.replicateEffect(sendFrom("192.0.2.1", basic({ id: missing, secret: "x" })), 22)
    yield* Effect.provide(guesses, served({ audit }))
    expect(written.splice(1)).toEqual(
      expect.arrayContaining([failures("192.0.2.1", { keyId: missing, count: 19 }), rejected("192.0.2.1", 2)])
    )
  })
})

describe("CORS", () => {
  const allowed = "https://app.example.com"
  const listed = { corsOrigins: [allowed, "http://localhost:5173"] }
  const from = (origin: string) => ({ origin })

  test("is off unless an origin is listed", function* () {
    const reply = yield* send("GET", organizations, from(allowed))
    expect(Object.keys(reply.headers).filter((name) => /^(access-control-|vary$)/.test(name))).toEqual([])
    expect((yield* send("OPTIONS", organizations, from(allowed))).status).toBe(405)
  })

  it.effect.over(served(listed))("lets a listed origin read responses and the headers that matter", function* () {
    for (const headers of [{}, unsigned]) {
      const reply = yield* send("GET", organizations, { ...from(allowed), ...headers })
      expect(reply.headers).toMatchObject({
        "access-control-allow-origin": allowed,
        "access-control-expose-headers":
          "x-request-id,retry-after,x-ratelimit-limit,x-ratelimit-remaining,x-ratelimit-reset",
        vary: "Origin"
      })
      expect(reply.headers).not.toHaveProperty("access-control-allow-credentials")
    }
  })

  it.effect.over(served(listed)).each(["https://APP.example.com", "https://app.example.com.evil.example", "null", "*"])(
    "lets no other origin: %s",
    function* (origin) {
      const reply = yield* send("GET", organizations, from(origin))
      expect(reply.status).toBe(200)
      expect(reply.headers).not.toHaveProperty("access-control-allow-origin")
      expect(reply.headers["vary"]).toBe("Origin")
    }
  )

  /** The request of a browser before it sends a deletion. */
  const preflight = (origin: string, headers: Readonly<Record<string, string>> = {}) =>
    send("OPTIONS", keyPath(backupKey.id), {
      ...unsigned,
      origin,
      "access-control-request-method": "DELETE",
      "access-control-request-headers": "authorization",
      ...headers
    })

  it.effect.over(served(listed))("responds to a preflight without a key", function* () {
    expect(yield* preflight(allowed)).toMatchObject({
      status: 204,
      headers: {
        "access-control-allow-origin": allowed,
        "access-control-allow-methods": expect.stringMatching(/^GET, HEAD, .*DELETE/),
        "access-control-allow-headers": expect.stringMatching(/^authorization/),
        "access-control-max-age": "600",
        vary: "Origin"
      }
    })
    expect((yield* preflight("https://evil.example")).headers).not.toHaveProperty("access-control-allow-origin")
    expect((yield* send("GET", organizations, signedBy(backupKey))).status).toBe(200)
  })

  it.effect.over(served(listed)).each<[what: string, status: number, headers: Readonly<Record<string, string>>]>([
    ["two Authorization headers", 400, { authorization: "Basic x, Basic y" }],
    ["a Host that is none", 400, { host: "a b" }],
    ["a coding that is not read", 400, { "transfer-encoding": "gzip" }],
    ["a large body", 413, { "content-length": "65537" }]
  ])("looks at the form of a preflight as at that of any request: %s", function* ([, status, given]) {
    // a page may know why
    const headers = { "access-control-allow-origin": allowed, connection: "close" }
    expect(yield* preflight(allowed, given)).toMatchObject({ status, headers })
  })

  it.effect.over(served(listed))("takes OPTIONS for a preflight only when it is one", function* () {
    expect((yield* preflight("https://evil.example")).status).toBe(405)
    const reply = yield* send("OPTIONS", organizations, { ...from(allowed), ...unsigned })
    expect(reply).toMatchObject({ status: 405, headers: { "access-control-allow-origin": allowed } })
    expect((yield* send("OPTIONS", "/nowhere", { ...from(allowed), ...unsigned })).status).toBe(404)
  })

  it("allows the methods and the headers of operations of any kind, and shows a link where one pages by links", () => {
    const request = HttpRequest.fromWeb(new Request("http://service/", { headers: from(allowed) }))
    const exposed = ({ expose }: ReturnType<typeof Cors.make>) =>
      expose(request, HttpServerResponse.empty()).headers["access-control-expose-headers"]
    const ofEcho = Cors.make([allowed], Echo.operations)
    expect(ofEcho.preflight.headers).toMatchObject({
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": expect.stringMatching(
        /^authorization, x-echo, if-match, content-type, idempotency-key\b/
      )
    })
    expect(exposed(ofEcho)).toMatch(/,link$/)
    expect(exposed(Cors.make([allowed], registry))).not.toContain("link")
  })
})

test("a service that drains turns requests and readiness away with 503, and stays healthy", function* () {
  const service = yield* Service.Service
  yield* service.drain
  const get = ["GET", organizations] as const
  for (const [method, path] of [get, ["DELETE", keyPath(backupKey.id)], ["GET", "/ready"]] as const) {
    expect(yield* send(method, path)).toMatchObject({
      status: 503,
      headers: { "retry-after": "1", connection: "close" },
      body: { status: 503, error: "SERVICE_UNAVAILABLE: The service is temporarily unavailable" }
    })
  }
  expect((yield* send("GET", "/health", unsigned)).body).toEqual({ status: "ok" })
  expect((yield* send("GET", "/nowhere")).status).toBe(404)
})

type Failing = readonly [
  what: string,
  status: 500 | 503,
  logged: string,
  method: HttpMethod,
  path: string,
  alter: (store: Store["Service"]) => Partial<Store["Service"]>
]

describe("a store that fails", () => {
  const because = (cause: unknown) => Effect.fail(new StoreUnavailable({ cause }))
  const refused = new Error("connection to db.internal\nrefused for user postgres")
  // as of a name with two addresses
  const away = because(new Error("cannot connect", { cause: new AggregateError([refused, new Error("again")]) }))
  const began = "the database is unavailable: connection to db.internal refused for user postgres"
  const corrupt = because(Object.assign(new Error("database disk image is malformed"), { errcode: 11 }))
  const damage =
    "request failed: the database is corrupt and must be restored from a backup: database disk image is malformed"
  const refusal = "a constraint refuses the row"
  const refusing = Effect.fail(new StoreUnavailable({ cause: new Error(refusal), remedy: "Drop it." }))
  const refuses = `request failed: the database refuses it: ${refusal}. Drop it.`
  const defect = "request failed"
  const broken = new Error("cannot read properties of undefined, at /srv/app/store.ts")
  const raise = () => {
    throw broken
  }
  const finds =
    (found: Option.Option<{ readonly id: typeof acme }>) =>
    ({ organization }: Store["Service"]): Partial<Store["Service"]> => ({
      organization: (id) => Effect.map(organization(id), ({ caller }) => ({ caller, found }))
    })
  const [list, read, remove, ready] = [
    ["GET", organizations],
    ["GET", endpointPath()],
    ["DELETE", keyPath(backupKey.id)],
    ["GET", "/ready"]
  ] as const

  it.effect.each<Failing>([
    ["away, asked for the key", 503, began, ...remove, () => ({ apiKey: () => away })],
    ["away, asked for the organization", 503, began, ...list, () => ({ organization: () => away })],
    ["away, asked for the endpoint", 503, began, ...read, () => ({ reversePrivateEndpoint: () => away })],
    ["away, asked for the deletion", 503, began, ...remove, () => ({ deleteApiKey: () => away })],
    ["away, asked whether it is ready", 503, began, ...ready, () => ({ ping: away })],
    ["corrupt, asked for the organization", 500, damage, ...list, () => ({ organization: () => corrupt })],
    ["corrupt, asked for the deletion", 500, damage, ...remove, () => ({ deleteApiKey: () => corrupt })],
    ["corrupt, asked whether it is ready", 500, damage, ...ready, () => ({ ping: corrupt })],
    ["well, but refuses the deletion", 500, refuses, ...remove, () => ({ deleteApiKey: () => refusing })],
    ["well, but refuses to record one", 500, refuses, ...ready, () => ({ ping: refusing })],
    ["a failure that nobody foresaw", 500, defect, ...list, () => ({ organization: () => Effect.die(broken) })],
    ["an exception", 500, defect, ...list, () => ({ organization: raise })],
    ["a key whose organization is not there", 500, defect, ...list, finds(Option.none())],
    ["content that is not fit to be sent", 500, defect, ...list, finds(Option.some({ id: "no UUID" as typeof acme }))]
  ])("is told to the log only, and the service lives: %s", ([, status, message, method, path, alter]) =>
    Effect.gen(function* () {
      const { lines, value } = yield* logged(send(method, path))
      const [error, wait] =
        status === 503
          ? ["SERVICE_UNAVAILABLE: The service is temporarily unavailable", "1"]
          : ["INTERNAL_ERROR: The service failed", undefined]
      expect(value).toMatchObject({ status, body: { status, error } })
      expect(value.headers["retry-after"]).toBe(wait)
      const annotations = { requestId: value.headers["x-request-id"] }
      expect(lines).toMatchObject([{ level: "ERROR", message, annotations }])
      expect(lines[0]?.cause).toEqual(message === defect ? expect.stringMatching(/\n +at /) : undefined)
      for (const secret of [deployKey.secret, base64(`${deployKey.id}:${deployKey.secret}`)])
        expect(JSON.stringify(lines)).not.toContain(secret)
      expect((yield* send("GET", "/health")).status).toBe(200)
    }).pipe(Effect.provide(served({}, alter)))
  )

  it.effect(
    "is logged when it begins, and when it or the service ends, with the number of requests that failed",
    function* () {
      let isAway = true
      const failing = served({}, ({ organization }) => ({ organization: (id) => (isAway ? away : organization(id)) }))
      const requests = Effect.gen(function* () {
        const list = send("GET", organizations)
        yield* Effect.replicateEffect(list, 50, { concurrency: "unbounded" })
        yield* TestClock.adjust("2500 millis")
        yield* list
        // one that a connection responds to meanwhile, and one that asks nothing of the store
        yield* send("GET", endpointPath())
        yield* TestClock.adjust("1 second")
        yield* send("GET", organizations, unsigned)
        yield* send("GET", "/health")
        yield* TestClock.adjust("500 millis")
        isAway = false
        expect(statuses(yield* Effect.replicateEffect(list, 50))).toEqual(Array(50).fill(200))
        isAway = true
        yield* list
      })
      const { lines } = yield* logged(Effect.provide(requests, failing))
      expect(lines).toMatchObject([
        { level: "ERROR", message: began },
        { message: "the database is available again: 51 requests failed in 4 s", annotations: { failedRequests: 51 } },
        { level: "ERROR", message: began },
        { message: "the database was unavailable until the service stopped: 1 request failed in 0 s" }
      ])
    }
  )

  it.effect("goes on while the store cannot be written, though it can be read", function* () {
    let isFull = true
    const ping = Effect.suspend(() => (isFull ? away : Effect.void))
    const requests = Effect.gen(function* () {
      expect((yield* send("DELETE", keyPath(backupKey.id))).status).toBe(503)
      for (let second = 0; second < 4; second++) {
        yield* TestClock.adjust("2 seconds")
        isFull = second < 2
        expect((yield* send("GET", organizations)).status).toBe(200)
      }
    })
    const full = served({}, () => ({ ping, deleteApiKey: () => away }))
    const { lines } = yield* logged(Effect.provide(requests, full))
    expect(lines.map(({ message }) => message)).toEqual([
      began,
      "the database is available again: 1 request failed in 6 s"
    ])
  })

  it.effect.over(served({}, () => ({ organization: () => away })))("is no failed authentication", function* () {
    const replies = yield* Effect.replicateEffect(sendFrom("192.0.2.1", "Basic x"), 90)
    expect(new Set(statuses(replies))).toEqual(new Set([401]))
    const outages = yield* Effect.replicateEffect(sendFrom("192.0.2.1", basic(deployKey)), 50)
    expect(new Set(statuses(outages))).toEqual(new Set([503]))
    expect((yield* sendFrom("192.0.2.1", "Basic x")).status).toBe(401)
  })
})

it.effect("readiness asks the store at most once a second, however many ask, and however many leave", () => {
  let asked = 0
  const [first, second] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void, StoreUnavailable>()]
  const pings = [Deferred.await(first), Deferred.await(second)]
  const ping = Effect.suspend(() => pings[asked++] ?? Effect.void)
  const ready = send("GET", "/ready", unsigned)
  const ask = Effect.replicateEffect(Effect.forkChild(ready, { startImmediately: true }), 20)
  return Effect.gen(function* () {
    yield* TestClock.setTime(3_600_000)
    const left = yield* ask
    yield* Fiber.interruptAll(left)
    const waiting = yield* ask
    expect(asked).toBe(1)
    yield* TestClock.adjust("10 seconds")
    yield* Deferred.succeed(first, undefined)
    expect(new Set(statuses(yield* Fiber.joinAll(waiting)))).toEqual(new Set([200]))
    // the clock is set back
    yield* TestClock.setTime(0)
    yield* TestClock.adjust(999)
    expect((yield* ready).body).toEqual({ status: "ready" })
    expect(asked).toBe(1)

    yield* TestClock.adjust(1)
    const refused = yield* ask
    yield* Deferred.fail(second, new StoreUnavailable({ cause: "away" }))
    expect(new Set(statuses(yield* Fiber.joinAll(refused)))).toEqual(new Set([503]))
    yield* TestClock.adjust(999)
    expect((yield* ready).status).toBe(503)
    expect(asked).toBe(2)
    yield* TestClock.adjust(1)
    expect((yield* ready).status).toBe(200)
    expect(asked).toBe(3)
  }).pipe(Effect.provide(served({}, () => ({ ping }))))
})

it.effect("readiness ends its question to the store with the service", function* () {
  let isEnded = false
  const ping = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (isEnded = true)))
  const ask = Effect.forkChild(send("GET", "/ready", unsigned), { startImmediately: true })
  yield* Effect.provide(
    Effect.flatMap(ask, Fiber.interrupt),
    served({}, () => ({ ping }))
  )
  expect(isEnded).toBe(true)
})

test("5: the log has no word of refusals, and never a secret", function* () {
  const mistyped = signedBy({ ...deployKey, secret: "a-secret-that-was-mistyped" })
  const refused = [send("GET", organizations, mistyped), send("DELETE", keyPath(missing))]
  const { lines } = yield* logged(Effect.all([send("GET", organizations), ...refused]))
  expect(lines).toEqual([])
})
