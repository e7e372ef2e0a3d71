import { collect, describe, expect, it, turns } from "../../../checks/fixtures/index.ts"
import { Context, Effect, Exit, Fiber, Layer, Queue, Scope, Stream } from "effect"
import { constTrue, constVoid } from "effect/Function"
import { Cookies, HttpBody, HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { NodeTransport } from "@cloud-management/node"
import type * as Http from "node:http"
import { Readable } from "node:stream"
import { buffer, text } from "node:stream/consumers"
import { runInNewContext } from "node:vm"
import { serve } from "../../../checks/fixtures/Listener.ts"

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

const mirror = serve((request, response) => {
  const { headers, method, url } = request
  void text(request).then((body) =>
    response
      .writeHead(200, { "set-cookie": ["a=1; Path=/", "b=2"] })
      .end(JSON.stringify({ method, url, headers, body } satisfies Seen))
  )
})
const send = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.flatMap(HttpClient.execute(request), ({ json }) => Effect.map(json, (seen) => seen as unknown as Seen))
const test = it.effect.over(NodeTransport.layer)
/** Without the span of `HttpClient`, which looks after interruptions itself. */
const untraced = Effect.provideService(HttpClient.TracerDisabledWhen, constTrue)

/** A server that begins a response and does not end it, and when its connection closes. */
const begin = Effect.gen(function* () {
  const closed = Promise.withResolvers<void>()
  const url = yield* serve((request, response) => {
    request.socket.on("close", () => closed.resolve())
    response.writeHead(200).write("begun")
  })
  return { url, closed: Effect.promise(() => closed.promise) }
})

const silent = Effect.gen(function* () {
  const arrived = Promise.withResolvers<void>()
  return { url: yield* serve(() => arrived.resolve()), arrived: Effect.promise(() => arrived.promise) }
})

describe("a request", () => {
  test.each<[kind: string, body: HttpBody.HttpBody, received: string]>([
    ["a raw text", HttpBody.raw("raw"), "raw"],
    ["a raw buffer", HttpBody.raw(new TextEncoder().encode("buffer").buffer), "buffer"],
    ["a raw view", HttpBody.raw(new DataView(new TextEncoder().encode("xview").buffer, 1)), "view"],
    ["a raw stream of Node", HttpBody.raw(Readable.from([Buffer.from("readable")])), "readable"],
    ["a raw stream of the platform", HttpBody.raw(new Blob(["web"]).stream()), "web"],
    ["a raw blob", HttpBody.raw(new Blob(["blob"])), "blob"],
    ["a raw buffer of another realm", HttpBody.raw(runInNewContext("Uint8Array.of(97, 98).buffer")), "ab"],
    ["a raw blob of another realm", HttpBody.raw({ stream: () => new Blob(["blob"]).stream() }), "blob"]
  ])("sends %s", function* ([, body, received]) {
    const request = HttpClientRequest.setBody(HttpClientRequest.post(yield* mirror), body)
    expect((yield* send(request)).body).toBe(received)
  })

  test("that undici cannot send says so", function* () {
    const request = HttpClientRequest.setBody(HttpClientRequest.post(yield* mirror), HttpBody.raw(1))
    expect((yield* Effect.flip(send(request))).reason._tag).toBe("EncodeError")
  })

  const chunk = new Uint8Array(65_536)
  test.each<[kind: string, body: () => HttpBody.HttpBody]>([
    ["a stream", () => HttpBody.stream(Stream.forever(Stream.make(chunk)))],
    ["bytes", () => HttpBody.uint8Array(new Uint8Array(2 ** 26))],
    ["a form", () => HttpBody.formDataRecord({ file: new Blob(Array.from({ length: 1024 }, () => chunk)) })]
  ])("of a large body has the response of a server that closes the connection: %s", function* ([, body]) {
    const url = yield* serve((request, response) => {
      response.writeHead(413, { connection: "close" }).end("too large")
      response.on("finish", () => request.socket.destroy())
    })
    const response = yield* HttpClient.post(url, { body: body() })
    expect([response.status, yield* response.text]).toEqual([413, "too large"])
  })

  async function* generate() {
    yield Buffer.from("a")
  }
  const raw = (url: string, source: unknown) =>
    Effect.provide(HttpClient.post(url, { body: HttpBody.raw(source) }), NodeTransport.layer)
  it.effect.each<
    [kind: string, source: AsyncIterable<Uint8Array>, use: (source: AsyncIterable<Uint8Array>) => unknown]
  >([
    ["a stream of the web", new Blob(["a"]).stream(), (source) => buffer(source)],
    ["a stream that is locked", new Blob(["a"]).stream(), (source) => source[Symbol.asyncIterator]()],
    ["a stream of Node", Readable.from([Buffer.from("a")]), (source) => buffer(source)],
    ["an empty stream of Node", Readable.from([]), (source) => buffer(source)],
    ["a destroyed stream of Node", Readable.from([]).destroy(), constVoid],
    ["a generator", generate(), (source) => Effect.runPromiseExit(raw("http://127.0.0.1:1", source))]
  ])("that was read already is not sent as an empty one: %s", function* ([, source, use]) {
    yield* Effect.promise(async () => use(source))
    expect((yield* Effect.flip(raw(yield* mirror, source))).reason._tag).toBe("EncodeError")
  })

  const oneByOne = it.effect.over(NodeTransport.layerOptions({ connections: 1 }))
  oneByOne("whose stream of Node fails while it waits for a connection does not end the process", function* () {
    const { arrived, url } = yield* silent
    yield* Effect.forkChild(HttpClient.get(url))
    yield* arrived
    const readable = new Readable({ read: constVoid })
    const call = yield* Effect.forkChild(HttpClient.post(url, { body: HttpBody.raw(readable) }))
    yield* Effect.yieldNow
    readable.destroy(new Error("disk on fire"))
    yield* Effect.promise(() => turns(1))
    yield* Fiber.interrupt(call)
  })

  test("that cannot be sent destroys the stream of Node that it was to send", function* () {
    const url = yield* Effect.scoped(mirror)
    const readable = Readable.from([Buffer.from("a")])
    yield* Effect.flip(send(HttpClientRequest.setBody(HttpClientRequest.post(url), HttpBody.raw(readable))))
    expect(readable.destroyed).toBe(true)
  })

  test.each<[path: string, sent: string]>([
    ["", "/"],
    ["/a/b?c=d", "/a/b?c=d"],
    ["/a/./b/../c", "/a/c"],
    ["/a/%2e%2E/b", "/b"],
    ["/.well-known?a=/../b", "/.well-known?a=/../b"],
    ["/ä b?'", "/%C3%A4%20b?%27"],
    ["\\a", "/a"],
    ["/a#b", "/a"],
    ["?a", "/?a"]
  ])("to %j asks for %j (URL standard, section 4.4)", function* ([path, sent]) {
    const url = yield* mirror
    yield* send(HttpClientRequest.get(url)) // whose origin the transport knows then
    const { body, hash, headers, urlParams } = HttpClientRequest.empty
    const request = HttpClientRequest.makeWith("GET", url + path, urlParams, hash, headers, body)
    expect((yield* send(request)).url).toBe(sent)
  })

  test("has the parameters of its URL, and not its hash", function* () {
    const url = yield* mirror
    const request = HttpClientRequest.get(`${url}/a?b=c`).pipe(
      HttpClientRequest.setUrlParam("d", "e f"),
      HttpClientRequest.setHash("g")
    )
    expect((yield* send(request)).url).toBe("/a?b=c&d=e+f")
    expect((yield* HttpClient.execute(request)).url).toBe(`${url}/a?b=c&d=e+f`)
  })

  test.each(["/relative", "ftp://localhost/"])("to no URL of HTTP fails: %s", function* (url) {
    expect((yield* Effect.flip(send(HttpClientRequest.get(url)))).reason._tag).toBe("InvalidUrlError")
  })
})

describe("a response", () => {
  test("has its cookies, and its body as often as it is read", function* () {
    const response = yield* HttpClient.get(yield* mirror)
    expect(Object.keys(Cookies.toRecord(response.cookies))).toEqual(["a", "b"])
    const first = yield* response.text
    expect(yield* response.text).toBe(first)
    expect(yield* Stream.mkString(Stream.decodeText(response.stream))).toBe(first)
    const [one, other] = yield* Effect.all([response.json, response.arrayBuffer], { concurrency: 2 })
    expect(JSON.parse(new TextDecoder().decode(other))).toEqual(one)
  })

  test("is read through what wraps it", function* () {
    const sent = untraced(HttpClient.get(yield* mirror))
    const wrapped: HttpClientResponse.HttpClientResponse = Object.create(yield* sent)
    expect(yield* wrapped.json).toMatchObject({ method: "GET" })
  })

  test("that was streamed is not read again", function* () {
    const response = yield* HttpClient.get(yield* mirror)
    yield* Stream.runDrain(response.stream)
    expect((yield* Effect.flip(response.text)).reason._tag).toBe("DecodeError")
    expect((yield* Effect.flip(Stream.runDrain(response.stream))).reason._tag).toBe("DecodeError")
  })

  test("in several pieces is read by several at once", function* () {
    const parts = yield* Queue.unbounded<Http.ServerResponse>()
    const url = yield* serve((_, response) => {
      response.writeHead(200).write("one ")
      Queue.offerUnsafe(parts, response)
    })
    const response = yield* HttpClient.get(url)
    const readers = yield* Effect.forkChild(Effect.all([response.text, response.text], { concurrency: 2 }), {
      startImmediately: true
    })
    const part = yield* Queue.take(parts)
    part.end("two")
    expect(yield* Fiber.join(readers)).toEqual(["one two", "one two"])
  })

  test("of a request whose scope closes loses its socket", function* () {
    const { closed, url } = yield* begin
    const client = HttpClient.withScope(yield* HttpClient.HttpClient)
    const response = yield* Effect.scoped(client.get(url))
    yield* closed
    expect((yield* Effect.flip(response.text)).reason._tag).toBe("DecodeError")
  })

  it.effect.each([true, false])(
    "that its transport does not wait for fails without a costly stack: %s",
    function* (writable) {
      const { arrived, url } = yield* silent
      const limit = 7
      const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit") ?? {}
      Object.defineProperty(Error, "stackTraceLimit", { value: limit, writable, configurable: true, enumerable: true })
      yield* Effect.addFinalizer(() => Effect.sync(() => Object.defineProperty(Error, "stackTraceLimit", before)))
      const scope = yield* Scope.make()
      const client = Context.get(yield* Layer.buildWithScope(NodeTransport.layer, scope), HttpClient.HttpClient)
      const call = yield* Effect.forkChild(Effect.flip(untraced(client.get(url))), { startImmediately: true })
      yield* arrived
      yield* Scope.close(scope, Exit.void)
      const { stack } = yield* Fiber.join(call)
      expect(/\n +at /.test(String(stack))).toBe(!writable)
      expect(Error.stackTraceLimit).toBe(limit)
    }
  )

  test("that is dropped unread loses its socket", function* () {
    const { closed, url } = yield* begin
    yield* untraced(HttpClient.get(url))
    const isClosed = yield* Effect.forkChild(closed)
    while (isClosed.pollUnsafe() === undefined) yield* Effect.promise(collect)
  })
})
