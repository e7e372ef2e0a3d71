import { certificate, describe, expect, it, privateKey, selfSigned, tracing } from "../../../checks/fixtures/index.ts"
import { Context, Deferred, Duration, Effect, Exit, Fiber, Layer, Option, Predicate, Redacted } from "effect"
import { Schedule, Scope, Stream, Tracer } from "effect"
import { identity } from "effect/Function"
import { HttpServerResponse } from "effect/http"
import * as DiagnosticsChannel from "node:diagnostics_channel"
import { once } from "node:events"
import * as Net from "node:net"
import * as Tls from "node:tls"
import { type AccessLog, type Audit, Service } from "@cloud-management/service"
import { HttpHost, TrustedProxies } from "@cloud-management/service/node"
import { Store } from "@cloud-management/service/Store"
import { Fixtures } from "@cloud-management/testing"
import * as Host from "../../../checks/fixtures/Host.ts"

const { authorization, closing, connect, exchange, host, request, start, store } = Host

const serverSockets = Effect.gen(function* () {
  const sockets = new Set<Net.Socket>()
  const collect = (message: unknown) => {
    if (Predicate.hasProperty(message, "socket") && message.socket instanceof Net.Socket) sockets.add(message.socket)
  }
  DiagnosticsChannel.subscribe("http.server.request.start", collect)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => DiagnosticsChannel.unsubscribe("http.server.request.start", collect))
  )
  return sockets
})

const chunked = "Transfer-Encoding: chunked"
const list = request("GET /v1/organizations", authorization())
const statusesOf = (text: string) => Array.from(text.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => Number(status))
const short: Partial<HttpHost.Limits> = { headers: "1 second", request: "1500 millis" }

type Organization = Store["Service"]["organization"]

/** A host whose store returns a list in another way, and what closes it. */
const startOver = Effect.fnUntraced(function* (
  limits: Partial<HttpHost.Limits> | undefined,
  alter: (organization: Organization) => Organization,
  more?: HttpHost.Options,
  options?: Service.Options
) {
  const altered = Layer.effect(
    Store,
    Effect.map(Store, (inner) => ({ ...inner, organization: alter(inner.organization) }))
  ).pipe(Layer.provide(store))
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(host(limits, altered, more, options), scope)
  const { url } = yield* Effect.provide(HttpHost.HttpHost, context)
  return { url, close: Scope.close(scope, Exit.void) }
})

/** A host whose store holds the result of a list back until the gate opens. */
const startGated = Effect.fnUntraced(function* (limits?: Partial<HttpHost.Limits>) {
  const gate = yield* Deferred.make<void>()
  const reached = yield* Deferred.make<void>()
  const started = yield* startOver(
    limits,
    (organization) => (id) =>
      Deferred.succeed(reached, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.andThen(organization(id)))
  )
  return { ...started, gate, reached }
})

/** A peer that reads nothing on its own. */
const dial = (url: string, options: { readonly allowHalfOpen?: boolean } = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => Net.connect({ port: Number(new URL(url).port), host: "127.0.0.1", ...options })),
    (socket) => Effect.sync(() => socket.on("error", () => {}).destroy())
  )

/** Waits until the system takes no more for the peer of a socket; it may have been ended by then. */
const isFull = (socket: Net.Socket | undefined) =>
  Effect.repeat(
    Effect.promise(() => new Promise((done) => setImmediate(done, socket?.writableNeedDrain || socket?.destroyed))),
    { until: (isFull) => isFull === true }
  )

const deleting = `DELETE /v1/organizations/${Fixtures.acme}/keys/${Fixtures.backupKey.id}`
const deletion = request(deleting, authorization())
const startAudited = Effect.fnUntraced(function* (limits?: Partial<HttpHost.Limits>) {
  const deleted: Array<string> = []
  const audit: Audit.Recorder = (event) => Effect.sync(() => void deleted.push(event))
  const { url } = yield* start(limits, undefined, undefined, { audit })
  return { url, deleted }
})

/** A request in whose bounds two servers could disagree, and so find another one in its body. */
const smuggling: ReadonlyArray<readonly [name: string, head: ReadonlyArray<string>, body: string]> = [
  ["a length and a coding", ["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ["a coding and a length", ["Transfer-Encoding: chunked", "Content-Length: 5"], "0\r\n\r\n"],
  ["two lengths that are the same", ["Content-Length: 1", "Content-Length: 1"], "x"],
  ["a list of lengths", ["Content-Length: 1, 1"], "x"],
  ["a length with a sign", ["Content-Length: +1"], "x"],
  ["a negative length", ["Content-Length: -1"], ""],
  ["a hexadecimal length", ["Content-Length: 0x1"], "x"],
  ["a length beyond all numbers", ["Content-Length: 99999999999999999999999"], ""],
  ["a coding twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ["chunked, but not last", ["Transfer-Encoding: chunked, identity"], "0\r\n\r\n"],
  ["a coding that is no more", ["Transfer-Encoding: identity"], ""],
  ["a coding that nobody knows", ["Transfer-Encoding: xchunked"], "0\r\n\r\n"],
  ["a second coding", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
  ["a vertical tab before the coding", ["Transfer-Encoding:\u000bchunked"], "0\r\n\r\n"],
  ["a space before the colon", ["Transfer-Encoding : chunked"], "0\r\n\r\n"],
  ["a folded line", ["X-A: b", " c"], ""],
  ["a folded coding", ["Transfer-Encoding:", " chunked"], "0\r\n\r\n"],
  ["a bare line feed", ["X-A: b\nX-C: d"], ""],
  ["a bare carriage return", ["X-A: b\rX-C: d"], ""],
  ["a NUL character", ["X-A: b\0"], ""],
  ["a line without a colon", ["X-A"], ""],
  ["a second Host", ["Host: other"], ""],
  ["a chunk without a size", ["Transfer-Encoding: chunked"], "zz\r\n"],
  ["a negative chunk", ["Transfer-Encoding: chunked"], "-1\r\n"],
  ["a chunk with a prefix", ["Transfer-Encoding: chunked"], "0x1\r\na\r\n0\r\n\r\n"],
  ["a chunk longer than its size", ["Transfer-Encoding: chunked"], "1\r\naaaa\r\n0\r\n\r\n"],
  ["chunks that end with line feeds", ["Transfer-Encoding: chunked"], "1\na\n0\n\n"],
  ["a chunk beyond all numbers", ["Transfer-Encoding: chunked"], "ffffffffffffffffff\r\n"]
]

const usual = [
  /^date: /im,
  /^x-request-id: [\da-f-]{36}\r$/im,
  /^x-content-type-options: nosniff\r$/im,
  /^cache-control: no-store\r$/im,
  /^content-length: \d+\r$/im
]

describe("a request that cannot be served", () => {
  const ends = /^connection: close\r$/im
  const digest = "Authorization: Digest a=1"
  const oldChunks = `${deleting} HTTP/1.0\r\n${authorization()}\r\n${chunked}\r\n\r\n0\r\n\r\n`
  const cases: ReadonlyArray<
    readonly [name: string, text: string, status: number, ...expected: ReadonlyArray<RegExp>]
  > = [
    ["a target of 2049 characters", request(`GET /${"a".repeat(2048)}`), 414, ends],
    ["20 000 bytes of headers", request("GET /health", `X-Long: ${"a".repeat(20_000)}`), 431],
    ["a method that the path does not have", closing("POST /v1/organizations"), 405, /^allow: GET, HEAD\r$/im],
    ["TRACE where there is a route", closing("TRACE /v1/organizations"), 405],
    ["CONNECT", request("CONNECT example.com:443"), 501, ends],
    ["a method that HTTP does not have", request("FOO /health"), 501, ends],
    ["a method that is the beginning of another", request("GE /health"), 501],
    ["a character that no method has", request("GET@ /health"), 400],
    ["no method", request(" /health"), 400],
    ["two lengths", request("DELETE /health", "Content-Length: 1", "Content-Length: 2"), 400],
    ["no HTTP", "\u0016\u0003\u0001\r\n\r\n", 400, ends],
    ["long chunk extensions", `${request("GET /health", chunked)}1;${"a".repeat(20_000)}\r\nx\r\n0\r\n\r\n`, 413],
    ["another expectation", closing("GET /health", "Expect: more"), 417],
    // RFC 9112 §3.2
    ["no Host", "GET /health HTTP/1.1\r\n\r\n", 400, /must have a Host header"/],
    ...["", "a b", "a/b", "a@b", "a,b", "http://a", "a:b", "a:1:2", "[::1", "[x]", "%zz", "ä"].map(
      (host) => [`Host: ${host}`, `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 400, /"BAD_REQUEST: Host/] as const
    ),
    // RFC 9112 §3.2.2 to §3.2.4
    ...["ftp://test/health", "http://", "http:///health", "http://user@test/health", "http://[x/health", "*"].map(
      (target) => [`the target ${target}`, request(`GET ${target}`), 400, /"BAD_REQUEST: /] as const
    ),
    ["a target whose path is not normal", closing("GET http://test/./health"), 404],
    // RFC 9110 §11.4: only a second header would leave open which one counts
    ["two headers of a scheme with commas", request("GET /v1/organizations", digest, digest), 400],
    ["Basic after another scheme", request("GET /v1/organizations", digest, authorization()), 400],
    ...smuggling.map(
      ([name, head, body]) => [name, request(deleting, authorization(), ...head) + body + deletion, 400, ends] as const
    ),
    ["HTTP/0.9", `GET /health\r\n\r\n${deletion}`, 400, ends],
    ["chunks in HTTP/1.0", oldChunks + deletion, 400, ends],
    ["HTTP/1.2", `GET /health HTTP/1.2\r\nHost: t\r\n\r\n${deletion}`, 400, ends],
    ["the preface of HTTP/2", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${deletion}`, 400, ends],
    ...(
      [
        ["a second Host", ["Host: other"], ""],
        ["a second coding", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
        ["a body that does not end well", ["Transfer-Encoding: chunked"], "1\r\naaaa\r\n0\r\n\r\n"],
        ["a second Authorization", [authorization()], ""]
      ] as const
    ).map(([name, head, body]) => {
      const many = Array.from({ length: 3000 }, () => "a:")
      const text = request(deleting, authorization(), ...many, ...head) + body + deletion
      return [`${name}, after three thousand other headers`, text, 400, ends] as const
    })
  ]
  it.live.each(cases)("%s", function* ([, text, status, ...expected]) {
    const { deleted, url } = yield* startAudited()
    const response = yield* exchange(url, text)
    for (const pattern of [...expected, ...usual]) expect(response).toMatch(pattern)
    expect(response).not.toMatch(/^(server|x-powered-by):/im)
    expect(statusesOf(response)).toEqual([status])
    expect(deleted).not.toContain("key.deleted")
  })
})

describe("a request with a body", () => {
  it.live("is refused when its key is deleted while the body comes", function* () {
    const { url } = yield* start()
    const connection = yield* connect(url)
    const { id, secret } = Fixtures.backupKey
    const own = `Authorization: Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
    const line = `GET /v1/organizations`
    // once it is asked for its body, its key has been looked at
    yield* connection.send(request(line, own, "Transfer-Encoding: chunked", "Expect: 100-continue"))
    yield* connection.until("100 Continue")
    const deletion = closing(`DELETE /v1/organizations/${Fixtures.acme}/keys/${id}`, authorization())
    expect(statusesOf(yield* exchange(url, deletion))).toEqual([200])
    yield* connection.send("0\r\n\r\n")
    expect(statusesOf(yield* connection.end)).toEqual([100, 401])
  })

  it.live("does not count when the body is malformed", function* () {
    const { url } = yield* start(undefined, undefined, undefined, { rateLimit: { limit: 1, window: "1 minute" } })
    for (let n = 0; n < 3; n++)
      expect(
        statusesOf(yield* exchange(url, `${request("GET /v1/organizations", authorization(), chunked)}x\r\n`))
      ).toEqual([400])
    expect(statusesOf(yield* exchange(url, closing("GET /v1/organizations", authorization())))).toEqual([200])
  })
})

it.live("a request that asks for another protocol gets a response when more comes meanwhile", function* () {
  const { gate, reached, url } = yield* startGated()
  const connection = yield* connect(url)
  yield* connection.send(request("GET /v1/organizations", authorization(), "Connection: upgrade", "Upgrade: websocket"))
  yield* Deferred.await(reached)
  yield* connection.send(request("GET /health"))
  const kept = yield* connect(url)
  yield* kept.send(request("GET /health"))
  yield* kept.until("ok")
  yield* Deferred.succeed(gate, undefined)
  const response = yield* connection.end
  expect(statusesOf(response)).toEqual([200])
  expect(response).toMatch(/^connection: close\r$/im)
})

describe("what comes after a request", () => {
  const withBody = `${request("GET /health", "Content-Length: 5")}hello`
  const framed = `${request(deleting, authorization(), chunked)}1\r\na\r\n0\r\nX-Trailer: b\r\n\r\n`
  it.live.each<[what: string, text: string, statuses: ReadonlyArray<number>, deletions?: number]>([
    ["gets its response after it, an unknown method too", list + withBody + request("FOO /"), [200, 200, 501]],
    ["gets its response after bodies framed well", framed + withBody + closing("GET /nowhere"), [200, 200, 404], 1],
    ["ends with HTTP/1.0", `GET /health HTTP/1.0\r\n\r\n${deletion}`, [200]],
    ["does not hold its response up: CONNECT", request("GET /docs") + request("CONNECT a:1"), [200, 501]],
    // RFC 9112 §9.6
    ...(
      [
        ["a refusal for its form", request("GET /health", "Host: other"), 400],
        ["a refusal of a request with a body", `${request("GET /nowhere", "Content-Length: 1")}x`, 404],
        ["a response to a last request", closing("GET /health"), 200],
        ["a response to a request for another protocol", request("GET /health", "Upgrade: h2c"), 200]
      ] as const
    ).map(([what, first, status]): [string, string, [number]] => [
      `is not looked at when the connection ends: ${what}`,
      first + deletion,
      [status]
    ]),
    ["is not looked at before that has its response", deletion + deletion + closing("GET /health"), [200, 404, 200], 1]
  ])("%s", function* ([, text, statuses, deletions = 0]) {
    const { deleted, url } = yield* startAudited()
    expect(statusesOf(yield* exchange(url, text))).toEqual(statuses)
    expect(deleted).toHaveLength(deletions)
  })

  it.live.each([
    ["no HTTP", "\u0001\r\n\r\n", 400],
    ["a head without an end", "GET /health HTTP/1.1\r\n", 408],
    ["a head without bounds", request("GET /health", `X-Long: ${"a".repeat(20_000)}`), 431],
    ["CONNECT", request("CONNECT a:1"), 501],
    ["a body that is none", `${request("GET /health", "Transfer-Encoding: chunked")}x\r\n`, 400]
  ] as const)("does not take the place of its response: %s", function* ([, after, status]) {
    const { gate, reached, url } = yield* startGated(status === 408 ? { headers: "100 millis" } : undefined)
    const connection = yield* connect(url)
    yield* connection.send(list + after)
    yield* Deferred.await(reached)
    // by then Node has given up on the rest, which is no reason to give up on the list
    if (status === 408) yield* Effect.sleep("400 millis")
    yield* Deferred.succeed(gate, undefined)
    const response = yield* connection.end
    expect(statusesOf(response)).toEqual([200, status])
    expect(response).toMatch(/^connection: close\r$/im)
  })

  it.live("is not looked at after the last request that a connection may have", function* () {
    const { deleted, url } = yield* startAudited({ maxRequestsPerConnection: 2 })
    const response = yield* exchange(url, request("GET /health").repeat(2) + deletion)
    expect(statusesOf(response)).toEqual([200, 200])
    expect(response.match(/^connection: .*(?=\r$)/gim)).toEqual(["Connection: keep-alive", "Connection: close"])
    expect(deleted).toEqual([])
  })

  it.live("is one of 32 at most on a connection, whose end it is otherwise", function* () {
    const { gate, url } = yield* startGated()
    expect(yield* exchange(url, list.repeat(33))).toBe("")
    const connection = yield* connect(url)
    yield* connection.send(list.repeat(31) + closing("GET /health"))
    yield* Deferred.succeed(gate, undefined)
    expect((yield* connection.end).match(/HTTP\/1\.1 200/g)).toHaveLength(32)
  })

  it.live("is one of 32 at most after the last one that a connection may send, for Node keeps them all", function* () {
    const { gate, url } = yield* startGated({ maxRequestsPerConnection: 1 })
    expect(yield* exchange(url, list.repeat(34))).toBe("")
    const connection = yield* connect(url)
    yield* connection.send(list.repeat(33))
    // by then, all of them have come
    yield* exchange(url, request("GET /health"))
    yield* Deferred.succeed(gate, undefined)
    expect(statusesOf(yield* connection.end)).toEqual([200])
  })
})

describe.concurrent("a slow peer", () => {
  const head = "GET /health HTTP/1.1\r\nHost: t"
  it.live.each<[what: string, text: string, limits: Partial<HttpHost.Limits>]>([
    ["headers do not end", head, { headers: "31 millis" }],
    ["headers do not end, whatever limit they have", head, { headers: Duration.infinity, request: "20 micros" }],
    ["body does not end", `${request("GET /health", "Transfer-Encoding: chunked")}5\r\nhello\r\n`, short],
    ["body does not end, whatever it asks for", request("GET /health", "Upgrade: h2c", chunked), short]
  ])("gets 408 when its %s", function* ([, text, limits]) {
    const { url } = yield* start(limits)
    expect(yield* exchange(url, text)).toMatch(/^HTTP\/1\.1 408 /)
  })

  it.live("gets 413 when it keeps sending a body", function* () {
    const { url } = yield* start()
    const connection = yield* connect(url)
    yield* connection.send(request("GET /health", "Transfer-Encoding: chunked"))
    const more = Effect.forever(Effect.andThen(connection.send(`400\r\n${"a".repeat(1024)}\r\n`), Effect.yieldNow))
    expect(yield* Effect.raceFirst(connection.end, more)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it.live.each<[which: string, proxies: ReadonlyArray<string>, address: string]>([
    ["the peer", [], "127.0.0.1"],
    ["whom a trusted proxy names", ["127.0.0.0/8"], "203.0.113.9"]
  ])("is not worked for once it has left, and the access log says who it was: %s", function* ([, proxies, address]) {
    const [reached, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const entry = yield* Deferred.make<AccessLog.Entry>()
    const { url } = yield* startOver(
      {},
      () => () =>
        Deferred.succeed(reached, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
        ),
      { trustedProxies: Option.getOrUndefined(TrustedProxies.make(proxies)) },
      { accessLog: (received) => Deferred.succeed(entry, received) }
    )
    const socket = yield* dial(url)
    socket.write(request("GET /v1/organizations", authorization(), "X-Forwarded-For: 203.0.113.9"))
    yield* Deferred.await(reached)
    socket.destroy()
    yield* Deferred.await(ended)
    expect(yield* Deferred.await(entry)).toMatchObject({ status: 499, address })
  })

  it.live("gets all of a stream, however long that takes, while it reads", function* () {
    // each timer is shorter than the limit that begins with it: they fire in their order, however late
    const parts = Stream.take(Stream.fromSchedule(Schedule.spaced("100 millis")), 5)
    const handle = () => Effect.succeed(HttpServerResponse.stream(Stream.encodeText(Stream.map(parts, String))))
    const streaming = Layer.succeed(Service.Service, { handle, drain: Effect.void, withdraw: Effect.void })
    const layer = Layer.provide(HttpHost.layer({ limits: { silence: "250 millis" } }), streaming)
    const { url } = Context.get(yield* Layer.build(layer), HttpHost.HttpHost)
    expect(yield* exchange(url, closing("GET /"))).toMatch(/\r\n4\r\n0\r\n\r\n$/)
  })

  it.live("loses its connection when it does not read the responses, and in the time that is said", function* () {
    const sockets = yield* serverSockets
    const { close, url } = yield* startOver(
      { silence: "1 second", shutdown: "1 minute" },
      (organization) => (id) =>
        Effect.map(organization(id), ({ caller, found }) => ({
          caller,
          found: Option.map(found, (one) => Object.assign({}, one, { name: "a".repeat(2e6) }))
        }))
    )
    const socket = yield* dial(url)
    socket.on("error", () => {}).write(list.repeat(20))
    yield* Effect.promise(() => once(socket, "readable"))
    const peer = [...sockets].find(({ localPort }) => localPort === Number(new URL(url).port))
    // two timers of one process, started by the same events, fire in their order, however late
    const isGone = yield* Effect.callback<boolean | undefined>((resume) => {
      const timer = setTimeout(() => resume(Effect.succeed(peer?.destroyed)), 1800)
      peer?.on("drain", () => timer.refresh())
    })
    expect(isGone).toBe(true)
    // nothing is left to wait for
    yield* close
  })
})

it.live.each<[what: string, proxy: string, proto: string, address: string, status: number]>([
  ["that is trusted and received https, the caller is whom it names", "127.0.0.0/8", "https", "203.0.113.9", 200],
  ["that is trusted and received http, https is misdirected", "127.0.0.0/8", "http", "203.0.113.9", 421],
  ["that is not, the caller is the proxy", "10.0.0.0/8", "https", "127.0.0.1", 421]
])("behind a proxy %s", function* ([, proxy, proto, address, status]) {
  const entries: Array<AccessLog.Entry> = []
  const accessLog: AccessLog.Recorder = (entry) => Effect.sync(() => void entries.push(entry))
  const trustedProxies = Option.getOrThrow(TrustedProxies.make([proxy]))
  const { url } = yield* start(undefined, undefined, { trustedProxies }, { accessLog })
  const forwarded = ["X-Forwarded-For: 198.51.100.1", "X-Forwarded-For: 203.0.113.9", `X-Forwarded-Proto: ${proto}`]
  const response = yield* exchange(url, closing("GET https://test/health", ...forwarded))
  expect(entries).toMatchObject([{ address, status }])
  expect(/^strict-transport-security: max-age=31536000\r$/im.test(response)).toBe(status === 200)
})

describe("the span of a request", () => {
  const traced = Effect.fnUntraced(function* (line: string, ...headers: ReadonlyArray<string>) {
    const { spans, tracer } = tracing()
    const trustedProxies = Option.getOrThrow(TrustedProxies.make(["127.0.0.0/8"]))
    const received = yield* Effect.gen(function* () {
      const { url } = yield* start(undefined, undefined, { trustedProxies })
      return yield* exchange(url, closing(line, ...headers))
    }).pipe(Effect.provideService(Tracer.Tracer, tracer))
    const [, requestId] = /x-request-id: (\S+)/i.exec(received) ?? []
    for (const { attributes } of spans) expect(attributes.get("http.response.header.x-request-id")).toBe(requestId)
    return spans.map(({ attributes, kind, name }) => ({ kind, name, ...Object.fromEntries(attributes) }))
  })

  it.live("names the caller behind a trusted proxy, and the route, without ids", function* () {
    const spans = yield* traced(`${deleting}?a=b`, authorization(), "X-Forwarded-For: 198.51.100.1, 203.0.113.9")
    const route = "/v1/organizations/:organizationId/keys/:keyId"
    const template = "/v1/organizations/{organizationId}/keys/{keyId}"
    expect(spans).toMatchObject([
      {
        kind: "server",
        name: `DELETE ${template}`,
        "client.address": "203.0.113.9",
        "http.request.method": "DELETE",
        "http.response.status_code": 200,
        "http.route": template,
        "url.full": `http://test${route}?a=b`,
        "url.path": route,
        "url.query": "a=b"
      }
    ])
    expect(JSON.stringify(spans)).not.toContain(Fixtures.acme)
  })

  it.live("begins a trace for each, not within that of who built the host", function* () {
    const { spans, tracer } = tracing()
    const asked = Effect.gen(function* () {
      const { url } = yield* start()
      for (let i = 0; i < 2; i++) yield* exchange(url, closing("GET /v1/organizations"))
    })
    yield* asked.pipe(Effect.withSpan("main"), Effect.provideService(Tracer.Tracer, tracer))
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(3)
  })

  it.live("has no route, and no path, of a request that none serves", function* () {
    const spans = yield* traced(`GET /v1/organizations/${Fixtures.acme}/keys`)
    expect(spans).toMatchObject([{ name: "GET", "url.path": "/*", "http.response.status_code": 404 }])
    expect(spans[0]).not.toHaveProperty("http.route")
  })

  it.live.each(["/health", "/ready"])("is not made for the probe %s", function* (path) {
    expect(yield* traced(`GET ${path}`)).toEqual([])
  })
})

describe("over TLS", () => {
  const legacy = "DEFAULT:@SECLEVEL=0"
  const under = (cipher: string): Tls.ConnectionOptions => ({ maxVersion: "TLSv1.2", ciphers: `${cipher}:@SECLEVEL=0` })
  const rsa = () => selfSigned("rsa")
  const tls = { cert: certificate, key: Redacted.make(privateKey) }

  it.live.each<[name: string, kind: "ec" | "rsa", options: Tls.ConnectionOptions, protocol: string | undefined]>([
    ["TLS 1.3 is preferred", "ec", {}, "TLSv1.3"],
    ["TLS 1.2 is spoken with forward secrecy", "ec", { maxVersion: "TLSv1.2" }, "TLSv1.2"],
    ["TLS 1.2 is spoken so with an RSA certificate", "rsa", { maxVersion: "TLSv1.2" }, "TLSv1.2"],
    // who records this, and gets the server's key in ten years, reads it then
    ["an exchange under the certificate's key is refused", "rsa", under("AES128-GCM-SHA256"), undefined],
    ["so is one with CBC", "rsa", under("ECDHE-RSA-AES128-SHA"), undefined],
    ["TLS 1.1 is refused", "rsa", { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: legacy }, undefined]
  ])("%s", function* ([, kind, options, protocol]) {
    const { cert, key } = kind === "ec" ? { cert: certificate, key: privateKey } : rsa()
    const { url } = yield* start(undefined, undefined, { tls: { cert, key: Redacted.make(key) } })
    let spoken: string | null | undefined
    const response = yield* Effect.callback<string>((resume) => {
      const port = Number(new URL(url).port)
      const socket = Tls.connect({ port, host: "127.0.0.1", ca: cert, ...options }, () => {
        spoken = socket.getProtocol()
        socket.write(closing("GET https://test/v1/organizations", authorization()))
      })
      let text = ""
      socket.setEncoding("utf8").on("data", (chunk) => (text += chunk))
      socket.on("error", () => {}).once("close", () => resume(Effect.succeed(text)))
    })
    expect(spoken).toBe(protocol)
    const served = /^HTTP\/1\.1 200 OK\r\n[^]*^strict-transport-security: max-age=31536000\r$/im
    expect(response).toMatch(protocol === undefined ? /^$/ : served)
  })

  it.live("a document that its peer does not read waits in small pieces", function* () {
    const sockets = yield* serverSockets
    const { url } = yield* start(undefined, undefined, { tls })
    const socket = Tls.connect({ port: Number(new URL(url).port), host: "127.0.0.1", ca: certificate })
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    yield* Effect.callback<void>((resume) => {
      socket.once("readable", () => resume(Effect.void))
      // more than the system takes for the peer
      socket.write(request("GET /docs").repeat(10))
    })
    const [peer, ...more] = sockets
    expect(more).toEqual([])
    yield* isFull(peer)
    expect(peer?.writableLength).toBeLessThan(200_000)
  })

  it.live("plain HTTP, and a handshake that does not end, lose their connection", function* () {
    const { url } = yield* start(short, undefined, { tls })
    expect(yield* exchange(url.replace("https", "http"), list)).not.toContain("HTTP/1.1 200")
    expect(yield* exchange(url.replace("https", "http"), "")).toBe("")
  })

  it.live("a certificate and a key that are none are refused", function* () {
    for (const [wrong, message] of [
      [{ cert: "x" }, /PEM/],
      [{ cert: "" }, /^the certificate is empty$/],
      [{ key: Redacted.make("") }, /^the private key is empty$/]
    ] as const) {
      const error = yield* Effect.flip(start(undefined, undefined, { tls: { ...tls, ...wrong } }))
      expect(error).toMatchObject({ _tag: "InvalidTls", message: expect.stringMatching(message) })
    }
  })
})

describe("the end of the scope", () => {
  it.live("lets the request under way finish, and turns everything else away", function* () {
    const { close, gate, reached, url } = yield* startGated()
    const kept = yield* connect(url)
    yield* kept.send(request("GET /health"))
    yield* kept.until("ok")
    const underWay = yield* connect(url)
    yield* underWay.send(list)
    yield* Deferred.await(reached)
    const closed = yield* Effect.forkChild(close, { startImmediately: true })

    // what the system has accepted by then is served
    yield* Effect.repeat(Effect.exit(connect(url)), { until: Exit.isFailure })
    expect(yield* Effect.flip(connect(url))).toMatchObject({ code: "ECONNREFUSED" })
    yield* kept.send(request("GET /ready"))
    const refused = (yield* kept.end).slice((yield* kept.until("503")).indexOf("HTTP/1.1 503"))
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused).toMatch(/^retry-after: 1\r$/im)
    expect(refused).toMatch(/^connection: close\r$/im)

    yield* Deferred.succeed(gate, undefined)
    const finished = yield* underWay.end
    expect(finished).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(finished).toMatch(/^connection: close\r$/im)
    yield* Fiber.join(closed)
  })

  it.live.each<[how: string, ...parts: ReadonlyArray<string>]>([
    ["on a kept connection", list],
    ["in two parts", list.slice(0, 40), list.slice(40)]
  ])("responds to a request that arrives in the last moment: %s", function* ([, ...parts]) {
    const { close, url } = yield* startOver(undefined, identity)
    const { send, end, until } = yield* connect(url)
    yield* send(request("GET /health"))
    yield* until("ok")
    const closed = yield* Effect.forkChild(close, { startImmediately: true })
    for (const part of parts) yield* Effect.andThen(send(part), Effect.yieldNow)
    expect(statusesOf(yield* end).at(-1)).toBe(200)
    yield* Fiber.join(closed)
  })

  it.live("responds on each connection that the system has accepted by then", function* () {
    const { close, url } = yield* startOver(undefined, identity)
    const sockets = yield* Effect.replicateEffect(dial(url), 40)
    const received = sockets.map(async (socket) => {
      let text = ""
      socket.on("data", (chunk) => (text += chunk)).write(list)
      await once(socket, "close")
      return text
    })
    const closed = yield* Effect.forkChild(close, { startImmediately: true })
    const responses = yield* Effect.promise(() => Promise.all(received))
    expect(responses.flatMap(statusesOf)).toEqual(sockets.map(() => 200))
    yield* Fiber.join(closed)
  })

  it.live("ends a connection without a request cleanly, whatever comes too late", function* () {
    const { close, url } = yield* startOver(undefined, identity)
    const socket = yield* dial(url, { allowHalfOpen: true })
    yield* Effect.promise(() => once(socket, "connect"))
    const ended = once(socket.resume(), "end")
    const closed = yield* Effect.forkChild(close, { startImmediately: true })
    yield* Effect.promise(() => ended)
    // would reject for a reset
    socket.end(list)
    yield* Effect.promise(() => once(socket, "close"))
    yield* Fiber.join(closed)
  })

  it.live("does not wait for responses whose peer has left without reading them", function* () {
    const { close, url } = yield* startOver({ shutdown: "1 minute" }, identity)
    const socket = yield* dial(url)
    // there is something to read, and it stays unread
    socket.once("readable", () => socket.destroy()).write(request("GET /docs").repeat(5))
    yield* Effect.promise(() => once(socket, "close"))
    // less than the minute for which a response is waited for, and more than any busy machine takes
    yield* Effect.timeout(Effect.interruptible(close), "50 seconds")
  })

  it.live("cuts off a request that outlasts the limit, and waits until it has ended", function* () {
    const reached = yield* Deferred.make<void>()
    let hasEnded = false
    const slowEnd = Effect.andThen(
      Effect.repeat(Effect.yieldNow, { times: 100 }),
      Effect.sync(() => (hasEnded = true))
    )
    const { close, url } = yield* startOver(
      { shutdown: "50 millis" },
      () => () => Effect.onInterrupt(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never), () => slowEnd)
    )
    const stuck = yield* connect(url)
    yield* stuck.send(list)
    yield* Deferred.await(reached)
    yield* close
    expect([hasEnded, yield* stuck.end]).toEqual([true, ""])
  })
})
