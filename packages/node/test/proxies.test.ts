import { describe, expect, ForwardProxy, it, Listener, selfSigned } from "../../../checks/fixtures/index.ts"
import { Effect, Fiber, Queue, Redacted } from "effect"
import type { TransportOptions } from "@cloud-management/node"
import * as Http from "node:http"
import * as Https from "node:https"
import type * as Net from "node:net"
import { inspect } from "node:util"
import { connect, organization, transport } from "./connect.ts"

const own = selfSigned()
const ofProxy = selfSigned()
const other = selfSigned()

const serve = Effect.fnUntraced(function* (tls?: Https.ServerOptions) {
  const seen: Array<Http.IncomingHttpHeaders> = []
  const listener: Http.RequestListener = (request, response) => {
    seen.push(request.headers)
    response.end(JSON.stringify({ status: 200, requestId: "req-1", result: [organization] }))
  }
  const server = tls === undefined ? Http.createServer(listener) : Https.createServer(tls, listener)
  const port = yield* Listener.port(server)
  return { url: `${tls === undefined ? "http" : "https"}://localhost:${port}`, port, seen }
})

const list = (baseUrl: string, options: TransportOptions.Options, environment: Record<string, string> = {}) =>
  Effect.flatMap(connect(baseUrl, { retry: { base: 0, cap: 0 } }, transport(options, environment)), (cloud) =>
    cloud.organizations.list()
  )

const withCredentials = (url: string, credentials: string) => url.replace("://", `://${credentials}@`)

describe("a proxy", () => {
  it.live.each<[what: string, tls: typeof own | undefined, tunnel: boolean]>([
    ["forwards a request to an http URL in the absolute form", undefined, false],
    ["makes a tunnel to an http URL if it is told to", undefined, true],
    ["makes a tunnel to an https URL, whose TLS it does not take part in", own, false]
  ])("%s", function* ([what, tls, tunnel]) {
    const { port, seen, url } = yield* serve(tls)
    const proxy = yield* ForwardProxy.make()
    expect(yield* list(url, { proxy: { url: proxy.url, tunnel }, tls: { ca: own.cert } })).toEqual([organization])
    const isTunnel = what.startsWith("makes a tunnel")
    expect(proxy.requests).toEqual([isTunnel ? `CONNECT localhost:${port}` : `GET ${url}/v1/organizations`])
    const host = `localhost:${port}`
    expect([proxy.headers[0], seen]).toMatchObject([{ host }, [{ host }]])
    expect(JSON.stringify(proxy.headers).includes("authorization")).toBe(!isTunnel)
  })

  it.live.each<[how: string, proxy: (url: string) => string | Redacted.Redacted]>([
    ["plain", (url) => withCredentials(url, "user:password")],
    ["encoded", (url) => withCredentials(url, "us%65r:passw%6Frd")],
    ["redacted", (url) => Redacted.make(withCredentials(url, "user:password"))],
    ["without a scheme", (url) => withCredentials(url, "user:password").slice("http://".length)]
  ])("gets its credentials, %s, and the service does not", function* ([, credentials]) {
    const [plain, secure] = [yield* serve(), yield* serve(own)]
    const proxy = yield* ForwardProxy.make({ credentials: "user:password" })
    const options = { proxy: credentials(proxy.url), tls: { ca: own.cert } }
    expect(yield* list(plain.url, options)).toEqual([organization])
    expect(yield* list(secure.url, options)).toEqual([organization])
    expect(proxy.requests).toEqual([`GET ${plain.url}/v1/organizations`, `CONNECT localhost:${secure.port}`])
    for (const headers of [...plain.seen, ...secure.seen]) expect(headers).not.toHaveProperty("proxy-authorization")
  })

  it.live("can have a user with an empty password, and characters beyond ASCII (RFC 7617, section 2.1)", function* () {
    const { url } = yield* serve()
    const empty = yield* ForwardProxy.make({ credentials: "user:" })
    expect(yield* list(url, { proxy: withCredentials(empty.url, "user") })).toEqual([organization])
    const beyond = yield* ForwardProxy.make({ credentials: "jürgen:p@ß:w" })
    expect(yield* list(url, { proxy: withCredentials(beyond.url, "jürgen:p%40ß%3Aw") })).toEqual([organization])
  })

  it.live("is spoken to over TLS, with authorities and a certificate apart from those for the service", function* () {
    const [plain, secure] = [yield* serve(), yield* serve({ ...own, ca: other.cert, requestCert: true })]
    const proxy = yield* ForwardProxy.make({ tls: { ...ofProxy, ca: own.cert, requestCert: true } })
    const options = {
      proxy: { url: proxy.url, tls: { ca: ofProxy.cert, cert: own.cert, key: own.key } },
      tls: { ca: own.cert, cert: other.cert, key: Redacted.make(other.key) }
    }
    expect(yield* list(plain.url, options)).toEqual([organization])
    expect(yield* list(secure.url, options)).toEqual([organization])
    expect(yield* list(plain.url, { ...options, proxy: { ...options.proxy, tunnel: true } })).toEqual([organization])
    expect(proxy.requests).toHaveLength(3)
  })

  it.live("serves many requests over one connection", function* () {
    const { port, url } = yield* serve(own)
    const proxy = yield* ForwardProxy.make()
    const client = yield* transport({ proxy: proxy.url, tls: { ca: own.cert }, connections: 1 })
    for (let i = 0; i < 3; i++) yield* Effect.flatMap(client.get(url), ({ text }) => text)
    expect(proxy.requests).toEqual([`CONNECT localhost:${port}`])
  })
})

describe("the environment", () => {
  type Way = "direct" | "proxy"
  /** The same server, at an address that is not a loopback one. */
  const elsewhere = (url: string) => url.replace("localhost", "0.0.0.0")

  it.live.each<[how: string, environment: (proxy: string) => Record<string, string>, ofHttp: Way, ofHttps: Way]>([
    ["nothing", () => ({}), "direct", "direct"],
    ["HTTP_PROXY", (proxy) => ({ HTTP_PROXY: proxy }), "proxy", "direct"],
    ["http_proxy", (proxy) => ({ http_proxy: proxy }), "proxy", "direct"],
    ["HTTPS_PROXY", (proxy) => ({ HTTPS_PROXY: proxy }), "direct", "proxy"],
    ["https_proxy", (proxy) => ({ https_proxy: proxy }), "direct", "proxy"],
    ["a URL without a scheme", (proxy) => ({ HTTP_PROXY: proxy.slice("http://".length) }), "proxy", "direct"],
    ["lower case first", (proxy) => ({ http_proxy: proxy, HTTP_PROXY: "http://127.0.0.1:1" }), "proxy", "direct"],
    ["an empty variable", (proxy) => ({ http_proxy: "", HTTP_PROXY: proxy }), "proxy", "direct"],
    ["ALL_PROXY, which is not read", (proxy) => ({ ALL_PROXY: proxy, all_proxy: proxy }), "direct", "direct"],
    ["NO_PROXY", (proxy) => ({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: "0.0.0.0" }), "direct", "direct"],
    ["no_proxy", (proxy) => ({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, no_proxy: "0.0.0.0" }), "direct", "direct"],
    ["no_proxy first", (proxy) => ({ HTTP_PROXY: proxy, NO_PROXY: "*", no_proxy: "a.example" }), "proxy", "direct"],
    ["a CGI program", (proxy) => ({ HTTP_PROXY: proxy, REQUEST_METHOD: "GET" }), "direct", "direct"],
    ["a CGI program, lower case", (proxy) => ({ http_proxy: proxy, REQUEST_METHOD: "GET" }), "proxy", "direct"]
  ])("says %s", function* ([, environment, ofHttp, ofHttps]) {
    const proxy = yield* ForwardProxy.make()
    for (const [expected, { url }] of [
      [ofHttp, yield* serve()],
      [ofHttps, yield* serve(own)]
    ] as const) {
      const before = proxy.requests.length
      const tls = { ca: own.cert, servername: "localhost" }
      yield* list(elsewhere(url), { proxy: "env", tls }, environment(proxy.url))
      expect([url, proxy.requests.length - before]).toEqual([url, expected === "proxy" ? 1 : 0])
    }
  })

  it.live("may be read with options", function* () {
    const { port, url } = yield* serve()
    const proxy = yield* ForwardProxy.make({ tls: ofProxy })
    const options = { proxy: { url: "env", tls: { ca: ofProxy.cert }, tunnel: true } }
    expect(yield* list(elsewhere(url), options, { HTTP_PROXY: proxy.url })).toEqual([organization])
    expect(proxy.requests).toEqual([`CONNECT 0.0.0.0:${port}`])
  })

  it.live("never has a proxy for this machine, which does not hold for one that is given", function* () {
    const { url } = yield* serve()
    const proxy = yield* ForwardProxy.make()
    for (const host of ["localhost", "127.0.0.1"]) {
      yield* list(url.replace("localhost", host), { proxy: "env" }, { HTTP_PROXY: proxy.url })
    }
    expect(proxy.requests).toEqual([])
    yield* list(url, { proxy: proxy.url })
    expect(proxy.requests.length).toBe(1)
  })

  it.live("is not asked unless the options say so", function* () {
    const { url } = yield* serve()
    const environment = { HTTP_PROXY: "http://127.0.0.1:1" }
    expect(yield* list(url, {}, environment)).toEqual([organization])
    expect((yield* Effect.flip(list(elsewhere(url), { proxy: "env" }, environment)))._tag).toBe("CallError")
  })
})

describe("a proxy that does not do its part", () => {
  const ways = Effect.gen(function* () {
    return [yield* serve(), yield* serve(own)] as const
  })

  /** How a call fails that was not sent: named after the proxy, and after nothing that has to stay secret. */
  const failure = (url: string, options: TransportOptions.Options) =>
    Effect.map(Effect.flip(list(url, { tls: { ca: own.cert }, ...options })), (error) => {
      if (error._tag !== "CallError") throw error
      const { attempts, isRetryable, message, outcome, reason } = error
      for (const text of [inspect(error, { depth: Infinity }), JSON.stringify(error)]) {
        expect(text).not.toMatch(/passw|dXNlcj|Basic /)
      }
      expect([outcome, isRetryable]).toEqual(["not-sent", attempts > 1])
      return { attempts, message, proxy: reason._tag === "TransportFailed" ? reason.proxy : reason._tag }
    })
  const because = (proxy: string, attempts: number, what: string) => ({
    attempts,
    message: `organizations.list: TransportFailed: ${proxy}: the proxy ${what}`,
    proxy
  })

  it.live.each<[why: string, given: string | undefined, message: string]>([
    ["it requires credentials", undefined, "requires credentials (407): put them before the host in its URL"],
    ["it does not accept its credentials", "user:password", "does not accept its credentials (407)"]
  ])("since %s is asked once, whichever way, and does not read them in an error", function* ([, given, message]) {
    const proxy = yield* ForwardProxy.make({ credentials: "user:other" })
    for (const { url } of yield* ways) {
      const options = { proxy: given === undefined ? proxy.url : withCredentials(proxy.url, given) }
      expect(yield* failure(url, options)).toEqual(because(proxy.url, 1, message))
    }
    expect(proxy.requests).toHaveLength(2)
  })

  const reset = "a reset"
  it.live.each<[response: string, attempts: number, message: string]>([
    ["HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK", 1, "sent an interim response to CONNECT … (103)"],
    ["HTTP/1.1 302 Found", 1, "refused CONNECT … (302)"],
    ["HTTP/1.1 403 Forbidden", 1, "refused CONNECT … (403)"],
    ["HTTP/1.1 429 Too Many Requests", 3, "refused CONNECT … (429)"],
    ["HTTP/1.1 502 Bad Gateway", 3, "refused CONNECT … (502)"],
    ["nonsense", 3, "ended the connection during CONNECT …: Parse Error: Expected HTTP/, RTSP/ or ICE/"],
    ["", 3, "ended the connection during CONNECT …: socket hang up"],
    [reset, 3, "ended the connection during CONNECT …: read ECONNRESET"]
  ])("and responds to CONNECT with %j is asked %i times", function* ([response, attempts, message]) {
    const { port, seen, url } = yield* serve(own)
    const proxy = yield* ForwardProxy.make({
      onConnect: (socket) =>
        response === reset ? socket.resetAndDestroy() : socket.end(response && `${response}\r\n\r\n`)
    })
    const expected = because(proxy.url, attempts, message.replace("…", `localhost:${port}`))
    expect(yield* failure(url, { proxy: withCredentials(proxy.url, "user:password") })).toEqual(expected)
    expect(proxy.requests).toHaveLength(attempts)
    expect(seen).toEqual([])
  })

  it.live("and responds in place of the service, before it was asked, is not believed", function* () {
    const { port, url } = yield* serve()
    const body = JSON.stringify({ status: 200, requestId: "req-1", result: [organization] })
    const response = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const proxy = yield* ForwardProxy.make({
      onConnect: (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${response}`)
    })
    const expected = because(proxy.url, 3, `sent unexpected data after CONNECT localhost:${port}`)
    expect(yield* failure(url, { proxy: { url: proxy.url, tunnel: true } })).toEqual(expected)
  })

  it.live("since nobody listens there", function* () {
    const { url: gone } = yield* Effect.scoped(ForwardProxy.make())
    const expected = because(gone, 3, `cannot be reached: connect ECONNREFUSED ${gone.slice("http://".length)}`)
    for (const { url } of yield* ways) {
      expect(yield* failure(url, { proxy: withCredentials(gone, "user:password") })).toEqual(expected)
    }
  })

  it.live.each<[why: string, isTls: boolean, what: string, trusted?: TransportOptions.Tls]>([
    ["its certificate is not trusted, though the service's is", true, "self-signed certificate"],
    ["its certificate is for another name", true, "", { ca: ofProxy.cert, servername: "proxy.example" }],
    ["it does not speak TLS", false, ""]
  ])("since %s", function* ([, isTls, what, tls = {}]) {
    const proxy = yield* ForwardProxy.make(isTls ? { tls: ofProxy } : {})
    const proxyUrl = proxy.url.replace("http:", "https:")
    for (const { url } of yield* ways) {
      const { message, ...expected } = because(proxyUrl, 1, `cannot be reached: ${what}`)
      const failed = yield* failure(url, { proxy: { url: proxyUrl, tls } })
      expect(failed).toEqual({ ...expected, message: expect.stringContaining(message) })
    }
    expect(proxy.requests).toEqual([])
  })

  it.live("has a name in errors, whatever it is called", function* () {
    const { url } = yield* serve()
    const proxy = "http://enterprisehttpproxy1ab.invalid:3128"
    expect(yield* failure(url, { proxy })).toMatchObject({ message: expect.stringContaining(`: ${proxy}: `), proxy })
  })

  it.live("is not named for what the service does", function* () {
    const { url } = yield* serve(other)
    const proxy = yield* ForwardProxy.make()
    const message = expect.stringMatching(/TransportFailed: self-signed certificate/)
    expect(yield* failure(url, { proxy: proxy.url })).toEqual({ attempts: 1, message, proxy: undefined })
  })
})

it.live.each<[stage: string, options: (sockets: Queue.Queue<Net.Socket>) => ForwardProxy.Options]>([
  ["CONNECT gets no response", (sockets) => ({ onConnect: (socket) => Queue.offerUnsafe(sockets, socket) })],
  [
    "TLS to the service stalls",
    (sockets) => ({
      onConnect: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        // what begins the handshake has come
        socket.once("data", () => Queue.offerUnsafe(sockets, socket))
      }
    })
  ]
])("a connection that is being made through a proxy ends with its request: %s", function* ([, options]) {
  const sockets = yield* Queue.unbounded<Net.Socket>()
  const proxy = yield* ForwardProxy.make(options(sockets))
  const call = yield* Effect.forkChild(list("https://localhost", { proxy: proxy.url }))
  const socket = yield* Queue.take(sockets)
  const closed = Effect.callback<void>((resume) => {
    // a server of HTTP leaves its own half open
    socket
      .resume()
      .once("end", () => resume(Effect.void))
      .once("error", () => resume(Effect.void))
  })
  yield* Fiber.interrupt(call)
  yield* closed
  expect(proxy.requests).toEqual(["CONNECT localhost:443"])
})
