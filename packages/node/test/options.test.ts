import { Child, collect, describe, expect, it, Listener, selfSigned } from "../../../checks/fixtures/index.ts"
import { Deferred, Effect, Exit, Fiber, Logger, Queue, Redacted, Scope, Stream } from "effect"
import { HttpBody } from "effect/http"
import type { TransportOptions } from "@cloud-management/node"
import * as Http from "node:http"
import * as Https from "node:https"
import type * as Net from "node:net"
import { join } from "node:path"
import { inspect } from "node:util"
import { connect, transport } from "./connect.ts"

const own = selfSigned()
const rsa = selfSigned("rsa")
const wiped = Redacted.make("sesame")
Redacted.wipeUnsafe(wiped)

const get = (url: string, options: TransportOptions.Options) =>
  Effect.flatMap(Effect.orDie(transport(options)), (client) => Effect.flatMap(client.get(url), ({ text }) => text))

describe("a transport is not made", () => {
  const { cert, key } = own
  const least = "must be a whole number of at least 1"
  const finite = "must be a finite duration of at least 0"
  const unixPath = "must be the path of a Unix socket"
  const pem = "must be PEM text with one or more certificates"
  const pemKey = "must be PEM text with a private key that needs no passphrase"
  const hostName = "must be a host name, not an address"
  it.effect.each<[message: string, options: TransportOptions.Options]>([
    [`connections ${least}`, { connections: 0 }],
    [`keepAlive ${finite}`, { keepAlive: Infinity }],
    [`socketPath ${unixPath}`, { socketPath: "" }],
    // of a program without types
    [`socketPath ${unixPath}`, { socketPath: 3 as never }],
    [
      "retries must be left out: unknown option, not connections, keepAlive, proxy, socketPath, tls",
      { retries: 3 } as never
    ],
    ["tls must be an object", { tls: true as never }],
    ["tls.pfx must be left out: unknown option, not ca, cert, key, servername", { tls: { pfx: "" } as never }],
    [`tls.ca ${pem}`, { tls: { ca: 3 as never } }],
    [`tls.servername ${hostName}`, { tls: { servername: 3 as never } }],
    ["proxy must be an object", { proxy: 3 as never }],
    ['proxy must be "env", or have an http or https URL', { proxy: {} as never }],
    ["proxy.uri must be left out: unknown option, not url, tls, tunnel", { proxy: { uri: "" } as never }],
    ["proxy.tunnel must be true or false", { proxy: { url: "http://a", tunnel: 1 as never } }],
    ["proxy.tls must be an object", { proxy: { url: "https://a", tls: true as never } }],
    [
      "socketPath cannot be combined with proxy: a Unix socket is reached without a proxy",
      { socketPath: "/run/a.sock", proxy: "env" }
    ],
    [`tls.ca ${pem}`, { tls: { ca: [cert, "none"] } }],
    [`tls.ca ${pem}`, { tls: { ca: cert.slice(0, -40) } }],
    [`tls.ca ${pem}`, { tls: { ca: `${cert}${cert.replaceAll("M", "N")}` } }],
    ["tls.key must be given, because tls.cert is", { tls: { cert } }],
    ["tls.cert must be given, because tls.key is", { tls: { key } }],
    [`tls.cert ${pem}`, { tls: { cert: "none", key } }],
    [`tls.key ${pemKey}`, { tls: { cert, key: "none" } }],
    [`tls.key ${pemKey}`, { tls: { cert, key: wiped } }],
    ["tls.key must be the private key of the first certificate in tls.cert", { tls: { cert, key: rsa.key } }],
    [`tls.servername ${hostName}`, { tls: { servername: "192.0.2.7" } }],
    ["proxy.tls.key must be given, because proxy.tls.cert is", { proxy: { url: "https://a", tls: { cert } } }],
    ["proxy.tls requires a proxy whose URL starts with https:", { proxy: { url: "http://a", tls: { ca: cert } } }]
  ])("whose option is rejected: %s", function* ([message, options]) {
    const [option] = message.split(" ")
    const error = yield* Effect.flip(transport(options))
    expect(error).toMatchObject({ _tag: "InvalidTransportOption", option, message })
    expect(inspect(error)).not.toContain("PRIVATE KEY")
  })

  const form =
    "must be an http or https URL without path, query and fragment, such as http://user:password@proxy.example:3128"
  const authority =
    "must be a URL whose user has no colon, with % in user and password as %25, and without control characters"
  it.effect.each<[url: string, rule: string]>([
    ["", form],
    ["http://sesame@", form],
    ["ftp://u:sesame@proxy.example", form],
    ["http://u:sesame@proxy.example/path", form],
    ["http://u:sesame@proxy.example?query", form],
    ["http://u:sesame@proxy.example#fragment", form],
    ["http://u:sesame@proxy.example:0", form],
    ["http://u:sesame@pro xy.example", form],
    ["http://u%3Av:sesame@proxy.example", authority],
    ["http://u:sesame%0A@proxy.example", authority],
    ["http://u:sesame%@proxy.example", authority]
  ])("with the proxy %j, which it does not repeat", function* ([url, rule]) {
    for (const [name, proxy, environment] of [
      ["proxy", url, {}],
      ["proxy", Redacted.make(url), {}],
      ...(url === "" ? [["proxy", wiped, {}] as const] : []),
      ["HTTPS_PROXY", "env", { HTTPS_PROXY: url }],
      ["http_proxy", "env", { http_proxy: url }]
    ] as const) {
      // an empty variable is treated as unset
      if (url === "" && proxy === "env") continue
      const error = yield* Effect.flip(transport({ proxy }, environment))
      expect(error).toMatchObject({ _tag: "InvalidTransportOption", option: "proxy", message: `${name} ${rule}` })
      expect(inspect(error)).not.toContain("sesame")
    }
  })
})

it.effect("NO_PROXY is reported once for what it cannot mean", function* () {
  const lines: Array<unknown> = []
  yield* transport({ proxy: "env" }, { NO_PROXY: "a.example,192.168.*,<local>" }).pipe(
    Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(message))]))
  )
  expect(lines.flat()).toEqual([expect.stringMatching(/^NO_PROXY: .* match nothing: 192\.168\.\*, <local>$/)])
})

describe("TLS", () => {
  const serve = Effect.fnUntraced(function* (options: Https.ServerOptions = own) {
    const names: Array<unknown> = []
    const server = Https.createServer(options, (request, response) => {
      names.push("servername" in request.socket ? request.socket.servername : undefined)
      response.end("secret of the service")
    })
    return { port: yield* Listener.port(server), names }
  })

  it.live("trusts the authorities it is given, in one text or several", function* () {
    const { port } = yield* serve()
    const url = `https://localhost:${port}`
    for (const ca of [own.cert, `comment\n${rsa.cert}\n${own.cert}`, [rsa.cert, own.cert]]) {
      expect(yield* get(url, { tls: { ca } })).toBe("secret of the service")
    }
    expect((yield* Effect.flip(get(url, { tls: { ca: rsa.cert } }))).reason._tag).toBe("TransportError")
    expect((yield* Effect.flip(get(url, {}))).reason._tag).toBe("TransportError")
  })

  it.live("presents its certificate to a server that asks for one", function* () {
    const { port } = yield* serve({ ...own, ca: rsa.cert, requestCert: true })
    const url = `https://localhost:${port}`
    const { cert, key } = rsa
    expect(yield* get(url, { tls: { ca: own.cert, cert, key } })).toBe("secret of the service")
    expect((yield* Effect.flip(get(url, { tls: { ca: own.cert } }))).reason._tag).toBe("TransportError")
    const stranger = { ca: own.cert, cert: own.cert, key: own.key }
    expect((yield* Effect.flip(get(url, { tls: stranger }))).reason._tag).toBe("TransportError")
  })

  it.live("asks for the name it is given, and expects it in the certificate", function* () {
    const { names, port } = yield* serve()
    const tls = { ca: own.cert, servername: "localhost" }
    expect(yield* get(`https://127.0.0.1:${port}`, { tls })).toBe("secret of the service")
    expect(names).toEqual(["localhost"])
    const other = { ca: own.cert, servername: "other.example" }
    expect((yield* Effect.flip(get(`https://localhost:${port}`, { tls: other }))).reason._tag).toBe("TransportError")
  })
})

const socketPath = Effect.map(Child.folder(), (folder) => join(folder, "a.sock"))

describe("a Unix socket", () => {
  it.live.each<[scheme: string, server: (listener: Http.RequestListener) => Net.Server, tls: TransportOptions.Tls]>([
    ["http", Http.createServer, {}],
    ["https", (listener) => Https.createServer(own, listener), { ca: own.cert }]
  ])("takes the requests to any host, %s", function* ([scheme, make, tls]) {
    const path = yield* socketPath
    yield* Listener.port(
      make(({ headers: { host } }, response) => void response.end(host)),
      { path }
    )
    expect(yield* get(`${scheme}://localhost/`, { socketPath: path, tls })).toBe("localhost")
    expect(yield* get(`${scheme}://localhost:1234/`, { socketPath: path, tls })).toBe("localhost:1234")
  })

  it.live("that nobody listens at was never sent to, and is asked again", function* () {
    const path = yield* socketPath
    const cloud = yield* connect("http://sidecar", { retry: { base: 0, cap: 0 } }, transport({ socketPath: path }))
    const error = yield* Effect.flip(cloud.organizations.list())
    expect(error).toMatchObject({ attempts: 3, isRetryable: true, outcome: "not-sent" })
    expect(error.reason).toMatchObject({ _tag: "TransportFailed", code: "ENOENT" })
  })
})

describe("the pool", () => {
  /** A server that responds when it is told to, and how many connections it got. */
  const slow = Effect.gen(function* () {
    const responses = yield* Queue.unbounded<Http.ServerResponse>()
    const server = Http.createServer((_, response) => Queue.offerUnsafe(responses, response))
    let connections = 0
    server.on("connection", () => connections++)
    return { url: `http://127.0.0.1:${yield* Listener.port(server)}`, responses, connections: () => connections }
  })

  it.live.each([1, 2])("has at most %i connections to an origin, and the others wait", function* (most) {
    const { connections, responses, url } = yield* slow
    const client = yield* transport({ connections: most })
    const calls = yield* Effect.forkChild(
      Effect.forEach([1, 2, 3, 4, 5], () => Effect.flatMap(client.get(url), ({ text }) => text), {
        concurrency: "unbounded"
      })
    )
    for (let i = 0; i < 5; i++) (yield* Queue.take(responses)).end("done")
    expect(yield* Fiber.join(calls)).toEqual(Array.from({ length: 5 }, () => "done"))
    expect(connections()).toBe(most)
  })

  it.live("keeps its connection when requests that wait for it are given up, bodies unread", function* () {
    const { connections, responses, url } = yield* slow
    const client = yield* transport({ connections: 1 })
    const get = Effect.flatMap(client.get(url), ({ text }) => text)
    let begun = 0
    const body = HttpBody.stream(Stream.suspend(() => Stream.succeed(new Uint8Array([++begun]))))
    const first = yield* Effect.forkChild(get, { startImmediately: true })
    const response = yield* Queue.take(responses)
    for (const waiting of [get, client.post(url, { body }), get]) {
      yield* Fiber.interrupt(yield* Effect.forkChild(waiting, { startImmediately: true }))
    }
    const last = yield* Effect.forkChild(get, { startImmediately: true })
    response.end("first")
    expect(yield* Fiber.join(first)).toBe("first")
    const next = yield* Queue.take(responses)
    next.end("last")
    expect(yield* Fiber.join(last)).toBe("last")
    expect([connections(), begun]).toEqual([1, 0])
  })

  it.live("keeps nothing of a request that was given up while it waited for a slow one", function* () {
    const { responses, url } = yield* slow
    const client = yield* transport({ connections: 1 })
    yield* Effect.forkChild(client.get(url), { startImmediately: true })
    yield* Queue.take(responses)
    const giveUp = Effect.fnUntraced(function* () {
      const body = new Uint8Array(1000)
      const post = client.post(url, { body: HttpBody.uint8Array(body) })
      yield* Fiber.interrupt(yield* Effect.forkChild(post, { startImmediately: true }))
      return new WeakRef(body)
    })
    const body = yield* giveUp()
    while (body.deref() !== undefined) yield* Effect.promise(collect)
  })

  it.live("that closes fails what is in flight and what waits, and neither is sent again", function* () {
    const { connections, responses, url } = yield* slow
    const scope = yield* Scope.make()
    const cloud = yield* connect(url, {}, Scope.provide(transport({ connections: 1 }), scope))
    const call = Effect.forkChild(Effect.flip(cloud.organizations.list()), { startImmediately: true })
    const inFlight = yield* call
    yield* Queue.take(responses)
    const waiting = yield* call
    yield* Scope.close(scope, Exit.void)
    const closed = { attempts: 1, isRetryable: false, reason: { code: "ERR_TRANSPORT_CLOSED" } }
    expect(yield* Fiber.join(inFlight)).toMatchObject({ ...closed, outcome: "unknown" })
    expect(yield* Fiber.join(waiting)).toMatchObject({ ...closed, outcome: "not-sent" })
    // also one that comes later
    const later = yield* Effect.flip(cloud.organizations.list())
    expect(later).toMatchObject({ ...closed, outcome: "not-sent" })
    expect(later.reason.message).toBe("the transport's layer is closed; keep its scope open")
    expect(connections()).toBe(1)
  })

  it.live("loses no place to a request that cannot be sent", function* () {
    const { responses, url } = yield* slow
    const client = yield* transport({ connections: 1 })
    const invalid = client.get(url, { headers: { a: "b\nc" } })
    expect((yield* Effect.flip(invalid)).reason._tag).toBe("TransportError")
    const first = yield* Effect.forkChild(client.get(url), { startImmediately: true })
    const response = yield* Queue.take(responses)
    const others = yield* Effect.forEach([Effect.flip(invalid), client.get(url)], (call) =>
      Effect.forkChild(call, { startImmediately: true })
    )
    response.end()
    yield* Fiber.join(first)
    ;(yield* Queue.take(responses)).end()
    yield* Effect.forEach(others, Fiber.join)
  })

  it.live.each<[keepAlive: TransportOptions.Options["keepAlive"], connection: string]>([
    [undefined, "keep-alive"],
    ["1 minute", "keep-alive"],
    [0, "close"]
  ])("with keepAlive %s asks to %s connections", function* ([keepAlive, connection]) {
    const url = yield* Listener.serve((request, response) => void response.end(request.headers.connection))
    expect(yield* get(url, keepAlive === undefined ? {} : { keepAlive })).toBe(connection)
  })

  it.live("closes an idle connection after keepAlive", function* () {
    const closed = yield* Deferred.make<void>()
    const server = Http.createServer((_, response) => void response.end())
    server.keepAliveTimeout = 0
    server.on("connection", (socket) => socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void)))
    const client = yield* transport({ keepAlive: "10 millis" })
    yield* Effect.flatMap(client.get(`http://127.0.0.1:${yield* Listener.port(server)}`), ({ text }) => text)
    yield* Deferred.await(closed)
  })
})
