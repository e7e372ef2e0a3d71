import { AssertionError } from "node:assert"
import { Readable } from "node:stream"
import { runInNewContext } from "node:vm"
import { afterEach, describe, expect, it, vi } from "../../../checks/fixtures/vitest.ts"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Stream, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { FetchTransport } from "@cloud-management/browser"
import { ApiKey, CloudManagement, Organization } from "@cloud-management/core"
import { type Client, Credentials, Retry } from "@cloud-management/client"

interface Sent {
  readonly input: unknown
  readonly url: string
  readonly init: RequestInit
}

const over = (fetch: typeof globalThis.fetch, transport: Layer.Layer<HttpClient.HttpClient> = FetchTransport.layer) =>
  Layer.provide(transport, Layer.succeed(FetchHttpClient.Fetch, fetch))

/** The transport over a `fetch` that responds as told, and what was passed to it. */
const stub = (respond: (sent: Sent) => Promise<Response> = () => Promise.resolve(new Response("ok"))) => {
  const sent: Array<Sent> = []
  const layer = over((input, init = {}) => {
    const one = { input, url: new Request(input).url, init }
    sent.push(one)
    return respond(one)
  })
  return { sent, layer }
}
const raise = (): never => {
  throw new TypeError("not implemented")
}
const get = Effect.flatMap(HttpClient.HttpClient, (client) =>
  client.get("https://api.example.com/v1/organizations?a=1")
)
const failureOf = (layer: Layer.Layer<HttpClient.HttpClient>) =>
  Effect.map(Effect.flip(Effect.provide(get, layer)), ({ reason }) =>
    "description" in reason ? reason.description : undefined
  )

afterEach(() => vi.unstubAllGlobals())

describe("the fetch transport", () => {
  it.effect("sends no cookies, uses no cache and follows no redirect", function* () {
    const { layer, sent } = stub()
    yield* Effect.provide(get, layer)
    expect(sent[0]).toMatchObject({
      // a text, since code around fetch, such as instrumentation and mocks, knows only texts and Requests
      input: "https://api.example.com/v1/organizations?a=1",
      init: { method: "GET", credentials: "omit", cache: "no-store", redirect: "manual" }
    })
  })

  it.effect("adds no header, traced or not", function* () {
    const { layer, sent } = stub()
    const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
    yield* Effect.provide(get, layer)
    yield* get.pipe(Effect.withSpan("call"), Effect.provide(layer), Effect.provideService(Tracer.Tracer, tracer))
    expect(sent.map(({ init }) => [...new Headers(init.headers).keys()])).toEqual([[], []])
  })

  it.effect("takes a fetch at the call as well as at the layer", function* () {
    const { layer, sent } = stub()
    const other: typeof globalThis.fetch = () => Promise.resolve(new Response("other"))
    const text = Effect.flatMap(get, ({ text }) => text)
    expect(yield* Effect.provide(text, layer)).toBe("ok")
    expect(yield* text.pipe(Effect.provide(layer), Effect.provideService(FetchHttpClient.Fetch, other))).toBe("other")
    expect(sent.length).toBe(1)
  })

  it.effect("aborts the request of a call that is interrupted", function* () {
    const { layer, sent } = stub(() => new Promise(() => {}))
    const fiber = yield* Effect.forkChild(Effect.provide(get, layer), { startImmediately: true })
    expect(sent[0]?.init.signal?.aborted).toBe(false)
    yield* Fiber.interrupt(fiber)
    expect(sent[0]?.init.signal?.aborted).toBe(true)
  })

  it.effect("gives a redirect that the browser hides no status, as it may be a 303", function* () {
    const opaque = Object.defineProperty(new Response(), "status", { value: 0 })
    const { layer } = stub(() => Promise.resolve(opaque))
    const response = yield* Effect.provide(get, layer)
    expect(response.status).toBe(0)
    expect(yield* response.text).toContain("not followed")
  })

  it.effect("reads a body as often as it is asked for", function* () {
    const { json, text } = yield* Effect.provide(get, stub(() => Promise.resolve(new Response("[1]"))).layer)
    expect([yield* text, yield* json, yield* text]).toEqual(["[1]", [1], "[1]"])
  })

  it.effect("has all cookies that a response sets, in one header", function* () {
    const cookies = (...values: ReadonlyArray<string>) => {
      const headers = new Headers(values.map((value) => ["set-cookie", value]))
      const { layer } = stub(() => Promise.resolve(new Response("ok", { headers })))
      return Effect.map(Effect.provide(get, layer), ({ headers }) => headers["set-cookie"])
    }
    expect(yield* cookies()).toBe(undefined)
    expect(yield* cookies("a=1; Path=/")).toBe("a=1; Path=/")
    expect(yield* cookies("a=1; Path=/", "b=2", "c=3")).toBe("a=1; Path=/, b=2, c=3")
  })

  it.effect("fails for what is no URL, for a fetch that throws, and for one that returns no response", function* () {
    const reason = (request: typeof get, layer = stub().layer) =>
      Effect.map(Effect.flip(Effect.provide(request, layer)), ({ reason }) => reason._tag)
    expect(yield* reason(HttpClient.get("http://"))).toBe("InvalidUrlError")
    expect(yield* reason(get, stub(raise).layer)).toBe("TransportError")
    for (const mocked of [undefined, {}]) {
      // @ts-expect-error as a mock does without types
      const mock = stub(() => Promise.resolve(mocked))
      expect(yield* reason(get, mock.layer)).toBe("TransportError")
    }
  })

  const post = HttpClientRequest.post("http://api.example.com/")
  const send = (
    layer: Layer.Layer<HttpClient.HttpClient>,
    body: HttpBody.HttpBody,
    request: HttpClientRequest.HttpClientRequest = post
  ) => Effect.provide(HttpClient.execute(HttpClientRequest.setBody(request, body)), layer)
  const refusal = (...request: Parameters<typeof send>) =>
    Effect.map(Effect.flip(send(...request)), ({ reason }) => {
      expect(reason._tag).toBe("EncodeError")
      return "description" in reason ? reason.description : undefined
    })

  it.effect("sends bytes, forms and blobs, and says what sends streams", function* () {
    const { layer, sent } = stub()
    const [form, blob] = [new FormData(), new Blob(["a"])]
    yield* send(layer, HttpBody.uint8Array(Uint8Array.of(0xff)))
    yield* send(layer, HttpBody.formData(form))
    yield* send(layer, HttpBody.raw(blob, { contentType: "text/csv", contentLength: 1 }))
    expect(sent.map(({ init }) => init.body)).toEqual([Uint8Array.of(0xff), form, blob])
    expect(sent.map(({ init }) => new Headers(init.headers).has("content-length"))).toEqual([false, false, false])
    expect(new Headers(sent[2]?.init.headers).get("content-type")).toBe("text/csv")
    expect(yield* refusal(layer, HttpBody.stream(Stream.empty))).toBe(
      "fetch sends no Stream: send a Blob, or use layerStreams"
    )
    expect(yield* refusal(layer, HttpBody.raw(1))).toContain("fetch sends no Raw")
    expect(sent.length).toBe(3)
  })

  const https = HttpClientRequest.post("https://api.example.com/")
  it.effect.each<[browser: string, request: HttpClientRequest.HttpClientRequest, duplex: boolean, isSent: boolean]>([
    ["Mozilla/5.0 of Chromium", https, true, true],
    ["Mozilla/5.0 of Chromium, without TLS", post, true, false],
    ["Mozilla/5.0 of Chromium, in capitals", HttpClientRequest.post("HTTPS://api.example.com/"), true, true],
    ["Mozilla/5.0 of Chromium, in its own page", HttpClientRequest.post("/"), true, true],
    ["Mozilla/5.0 of another", https, false, false],
    ["Node.js/24", post, true, true],
    ["Deno/2", post, false, true]
  ])("sends a stream only where the runtime can, and says so: %s", function* ([userAgent, request, duplex, isSent]) {
    vi.stubGlobal("navigator", { userAgent })
    vi.stubGlobal("location", new URL("https://api.example.com/"))
    class Other {}
    if (!duplex) vi.stubGlobal("Request", Other)
    const sent: Array<RequestInit> = []
    const fetch: typeof globalThis.fetch = async (_, init = {}) => {
      sent.push(init)
      return new Response(await new Response(init.body).text())
    }
    const layer = over(fetch, FetchTransport.layerStreams)
    let begun = 0
    const body = HttpBody.stream(Stream.suspend(() => Stream.succeed(Uint8Array.of(96 + ++begun))))
    if (isSent) {
      expect(yield* Effect.flatMap(send(layer, body, request), ({ text }) => text)).toBe("a")
      expect(sent[0]).toMatchObject({ duplex: "half" })
    } else {
      expect(yield* refusal(layer, body, request)).toMatch(/^this browser cannot send .*: send a Blob or a form/)
      expect([begun, sent.length]).toEqual([0, 0])
    }
  })

  it.effect.each<[what: string, stream: Stream.Stream<Uint8Array, unknown>, description: unknown, cause: object]>([
    ["the server", Stream.empty, expect.stringContaining("HTTP/2"), { message: "Failed to fetch" }],
    ["the source", Stream.fail("disk on fire"), undefined, { cause: "disk on fire" }]
  ])("says in a browser what a stream can have failed for: %s", function* ([, stream, description, cause]) {
    vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 of Chromium", onLine: true })
    const fetch: typeof globalThis.fetch = (_, init = {}) =>
      new Response(init.body).text().then(() => Promise.reject(new TypeError("Failed to fetch")))
    const layer = over(fetch, FetchTransport.layerStreams)
    const { reason } = yield* Effect.flip(send(layer, HttpBody.stream(stream), https))
    expect(reason).toMatchObject({ _tag: "TransportError", cause })
    expect("description" in reason ? reason.description : undefined).toEqual(description)
  })

  it.effect.each<[userAgent: string, isAborted: boolean]>([
    ["Mozilla/5.0 of Chromium", false],
    ["Cloudflare-Workers", true]
  ])("breaks an interrupted stream off so that the request is not complete: %s", function* ([userAgent, isAborted]) {
    vi.stubGlobal("navigator", { userAgent, onLine: true })
    const broken = Promise.withResolvers<boolean | undefined>()
    const begun = yield* Deferred.make<void>()
    const fetch: typeof globalThis.fetch = (_, init = {}) => {
      new Response(init.body).text().catch(() => broken.resolve(init.signal?.aborted))
      return new Promise(() => {})
    }
    const layer = over(fetch, FetchTransport.layerStreams)
    const stalled = Stream.concat(
      Stream.fromEffect(Effect.as(Deferred.succeed(begun, undefined), Uint8Array.of(1))),
      Stream.never
    )
    const call = yield* Effect.forkChild(send(layer, HttpBody.stream(stalled), https))
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(call)
    expect(yield* Effect.promise(() => broken.promise)).toBe(isAborted)
  })
})

const remove = (layer: Layer.Layer<HttpClient.HttpClient>, options: Partial<Client.Options> = {}) =>
  CloudManagement.make({
    baseUrl: "https://api.example.com",
    credentials: Credentials.make("key-id", "secret"),
    maxResponseBytes: 100,
    retry: Retry.none,
    ...options
  }).pipe(
    Effect.orDie,
    Effect.flatMap((cloud) => cloud.apiKeys.delete({ organizationId, keyId })),
    Effect.provide(layer)
  )
/** How a deletion ends whose `fetch` returns a success with these properties, over a transport. */
const deletion = (props: Readonly<Record<string, unknown>>, transport: Layer.Layer<HttpClient.HttpClient>) => {
  const fetch: typeof globalThis.fetch = async () => {
    const response = Response.json({ status: 200, requestId: "1" })
    for (const [name, value] of Object.entries(props)) Object.defineProperty(response, name, { value })
    return response
  }
  return remove(transport).pipe(
    Effect.match({ onSuccess: () => "deleted", onFailure: ({ outcome, reason }) => `${reason._tag}, ${outcome}` }),
    Effect.provideService(FetchHttpClient.Fetch, fetch)
  )
}
const organizationId = Organization.OrganizationId.make("11111111-1111-4111-8111-111111111111")
const keyId = ApiKey.ApiKeyId.make("22222222-2222-4222-8222-222222222222")
const json = JSON.stringify({ status: 200, requestId: "1" })
const tooLarge = new TextEncoder().encode(json.padEnd(101))
const locked = () => {
  const { body } = new Response(json)
  body?.getReader()
  return body
}
const never = () => Promise.reject(new TypeError("body used already"))
const ofAnotherRealm = async () => runInNewContext("Uint8Array.from(json).buffer", { json: Buffer.from(json) })
const understated = {
  type: "cors",
  headers: new Headers({ "content-length": "20" }),
  get body() {
    return new Response(tooLarge).body
  }
}

describe.each([
  ["the fetch transport", FetchTransport.layer],
  ["Effect's own", FetchHttpClient.layer]
])("%s takes a response", (_, transport) => {
  it.effect.each<[what: string, props: Readonly<Record<string, unknown>>, ending: string]>([
    ["whose body is a stream of Node.js", { body: Readable.from([Buffer.from(json)]) }, "deleted"],
    ["that does not know its body", { body: undefined }, "deleted"],
    ["that has no body", { body: null }, "deleted"],
    ["whose bytes are another realm's", { body: undefined, arrayBuffer: ofAnotherRealm }, "deleted"],
    ["whose body was read", { bodyUsed: true, arrayBuffer: never }, "TransportFailed, unknown"],
    ["whose body is being read", { body: locked(), arrayBuffer: never }, "TransportFailed, unknown"],
    ["whose body cannot be read", { body: {}, arrayBuffer: never }, "TransportFailed, unknown"],
    ["whose body throws when it is read", { body: undefined, arrayBuffer: raise }, "TransportFailed, unknown"],
    ["that is too large", { body: undefined, arrayBuffer: async () => tooLarge.buffer }, "InvalidResponse, unknown"],
    ["that is larger than its length says", understated, "InvalidResponse, unknown"]
  ])("%s", function* ([, props, ending]) {
    expect(yield* deletion(props, transport)).toBe(ending)
  })

  it.effect("that a program has wrapped", function* () {
    const wrap = (response: HttpClientResponse.HttpClientResponse): HttpClientResponse.HttpClientResponse =>
      Object.create(response, { headers: { value: {} } })
    const client = Effect.map(HttpClient.HttpClient, HttpClient.transformResponse(Effect.map(wrap)))
    const wrapped = Layer.provide(Layer.effect(HttpClient.HttpClient, client), transport)
    expect(yield* deletion({}, wrapped)).toBe("deleted")
  })
})

describe("a body that is a stream of Node.js", () => {
  const withBody = (body: Readable) => Object.defineProperty(new Response(""), "body", { value: body })
  const endless = () => Readable.from(Stream.toAsyncIterable(Stream.forever(Stream.make(new Uint8Array(60)))))

  it.effect("is read as it arrives, and destroyed by whoever has enough", function* () {
    const body = endless()
    const { stream } = yield* Effect.provide(get, stub(async () => withBody(body)).layer)
    expect(yield* Stream.runCollect(Stream.take(stream, 2))).toEqual([new Uint8Array(60), new Uint8Array(60)])
    expect(body.destroyed).toBe(true)
  })

  it.effect("and stalls is ended with its request: its iterator, which waits too, does not close it", function* () {
    const body = new Readable({ read: () => waiting.resolve() })
    const waiting = Promise.withResolvers<void>()
    const transport = stub(async ({ init }) => {
      // as node-fetch does
      init.signal?.addEventListener("abort", () => body.destroy())
      return withBody(body)
    })
    const { stream } = yield* Effect.provide(get, transport.layer)
    const reading = yield* Effect.forkChild(Stream.runDrain(stream))
    yield* Effect.promise(() => waiting.promise)
    yield* Fiber.interrupt(reading)
    expect(body.destroyed).toBe(true)
  })

  it.effect("is cut off at the limit, and destroyed", function* () {
    const body = endless()
    const closed = new Promise((resolve) => body.once("close", resolve))
    expect(yield* deletion({ body }, FetchTransport.layer)).toBe("InvalidResponse, unknown")
    yield* Effect.promise(() => closed)
  })
})

const chunks = (...values: ReadonlyArray<unknown>) =>
  new ReadableStream({
    start: (controller) => {
      for (const value of values) controller.enqueue(value)
      controller.close()
    }
  })
const readBy = (reader: object) => ({ locked: false, getReader: () => ({ cancel: async () => {}, ...reader }) })
const encoded = new TextEncoder().encode(json)
const detached = () => {
  const buffer = new ArrayBuffer(1)
  structuredClone(buffer, { transfer: [buffer] })
  return buffer
}

describe("a fetch of the program's own can return a response", () => {
  it.effect.each<[what: string, props: Readonly<Record<string, unknown>>, ending: string]>([
    ["whose chunks are buffers", { body: chunks(encoded.buffer) }, "deleted"],
    ["whose chunks are views of another kind", { body: chunks(new DataView(encoded.buffer)) }, "deleted"],
    ["that is a view", { body: undefined, arrayBuffer: async () => encoded }, "deleted"],
    ["whose headers are not text", { headers: new Map<string, unknown>([["retry-after", 5]]) }, "deleted"],
    ["without a URL", { url: undefined }, "deleted"],
    ["whose chunks are nothing", { body: chunks(null) }, "TransportFailed, unknown"],
    ["whose reader reads nothing", { body: readBy({ read: async () => undefined }) }, "TransportFailed, unknown"],
    ["without a reader", { body: { getReader: raise } }, "TransportFailed, unknown"],
    ["whose bytes are gone", { body: undefined, arrayBuffer: async () => detached() }, "TransportFailed, unknown"],
    ["that is a network error", { type: "error", status: 0 }, "TransportFailed, unknown"],
    ["without a status", { status: Number.NaN }, "TransportFailed, unknown"]
  ])("%s", function* ([, props, ending]) {
    expect(yield* deletion(props, FetchTransport.layer)).toBe(ending)
  })

  it.effect("whose chunks are no bytes, and cancels the rest", function* () {
    const cancelled = Promise.withResolvers<void>()
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue("text")
    const body = new ReadableStream({ pull, cancel: () => cancelled.resolve() })
    expect(yield* deletion({ body }, FetchTransport.layer)).toBe("TransportFailed, unknown")
    yield* Effect.promise(() => cancelled.promise)
  })

  it.effect("whose body does not end when it is cancelled: the deadline ends the call", function* () {
    const silent = () => new Promise<never>(() => {})
    const body = readBy({ read: silent, cancel: silent })
    const fiber = yield* Effect.forkChild(deletion({ body }, FetchTransport.layer))
    yield* TestClock.adjust("10 seconds")
    expect(yield* Fiber.join(fiber)).toBe("Timeout, unknown")
  })
})

describe("a request that gets no response", () => {
  const refused = stub(() => Promise.reject(new TypeError("Failed to fetch"))).layer
  const browser = (page: string, onLine = true) => {
    vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 (X11; Linux x86_64)", onLine })
    vi.stubGlobal("location", new URL(page))
  }

  const unreachable = "no response: the host cannot be reached, or"
  const console = "the page's CSP forbids it; the console says which"
  const cors = `${unreachable} does not allow this page's origin (CORS), or ${console}`
  it.effect.each<[what: string, page: string, onLine: boolean, description: string]>([
    ["of another origin that CORS may be the cause", "https://app.example.com/page", true, cors],
    ["of the same origin nothing of CORS", "https://api.example.com/page", true, `${unreachable} ${console}`],
    ["without a network just that", "https://app.example.com/page", false, "the browser is offline"]
  ])("tells a page %s", function* ([, page, onLine, description]) {
    browser(page, onLine)
    expect(yield* failureOf(refused)).toBe(description)
  })

  it.effect("elsewhere lets the runtime speak for itself", function* () {
    expect(yield* failureOf(refused)).toBe("")
  })

  /** The outcome of a deletion whose request gets no response, and whether another attempt may fare better. */
  const outcomeOf = (layer: Layer.Layer<HttpClient.HttpClient>, options?: Partial<Client.Options>) =>
    Effect.map(
      Effect.flip(remove(layer, options)),
      ({ isRetryable, outcome }) => `${outcome}${isRetryable ? ", retryable" : ""}`
    )
  const failing = (cause: unknown) => stub(() => Promise.reject(cause)).layer

  // as Deno 2.9.6 words them
  const connecting = "error sending request for url (https://api.example.com/v1): client error (Connect)"
  const sending =
    "error sending request from 127.0.0.1:50528 for https://api.example.com/v1: client error (SendRequest)"
  it.effect.each<[problem: string, message: string, outcome: string]>([
    ["an unknown host", `${connecting}: dns error: failed to lookup address information`, "not-sent, retryable"],
    ["a refused certificate", `${connecting}: invalid peer certificate: UnknownIssuer`, "not-sent"],
    ["a handshake that breaks off", `${connecting}: Connection reset by peer (os error 104)`, "not-sent, retryable"],
    ["a request that breaks off", `${sending}: connection closed before message completed`, "unknown, retryable"]
  ])("in Deno knows of %s whether the request was sent", function* ([, message, outcome]) {
    expect(yield* outcomeOf(failing(new TypeError("fetch failed", { cause: new Error(message) })))).toBe(outcome)
  })

  it.effect.each([FetchTransport.layer, FetchTransport.layerStreams])(
    "to a port that fetch of Node.js blocks was not sent",
    function* (layer) {
      expect(yield* outcomeOf(layer, { baseUrl: "http://127.0.0.1:6667", retry: Retry.standard })).toBe("not-sent")
    }
  )

  it.effect.each<[cause: unknown]>([
    [Object.assign(new Error('Requires net access to "api.example.com:443"'), { name: "NotCapable" })],
    [Object.assign(new Error("Access to this API has been restricted"), { code: "ERR_ACCESS_DENIED" })],
    [new TypeError("fetch failed", { cause: Object.assign(new Error("connect EPERM"), { code: "EPERM" }) })],
    [new DOMException("blocked", "SecurityError")]
  ])("that is not permitted was not sent, and never will be: %s", function* ([cause]) {
    expect(yield* outcomeOf(failing(cause))).toBe("not-sent")
  })

  it.effect("is not failed by the assertion of a test in its own fetch: that is not tried again", function* () {
    expect(yield* outcomeOf(failing(new AssertionError({ message: "1 is not 2" })))).toBe("not-sent")
  })

  const hostile: object = new Proxy(new Error(), { get: raise })
  it.effect.each<[what: string, globals: Readonly<Record<string, unknown>>, cause: unknown]>([
    ["without a location", { navigator: { userAgent: "Mozilla/5.0" }, location: undefined }, new TypeError()],
    ["whose navigator throws", { navigator: hostile }, new TypeError()],
    ["with a mocked navigator", { navigator: {} }, undefined],
    ["whose cause throws", {}, hostile],
    ["whose cause is an object without a text", {}, Object.create(null)],
    ["whose cause is a symbol", {}, Symbol("cause")]
  ])("is a failure in a runtime %s", function* ([, globals, cause]) {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    expect(yield* outcomeOf(failing(cause))).toBe("unknown, retryable")
  })

  it.effect("passes a signal of a framework on, which is no failure", function* () {
    const signal = Object.assign(new Error("Dynamic server usage"), { digest: "DYNAMIC_SERVER_USAGE" })
    const { layer, sent } = stub(() => Promise.reject(signal))
    const exit = yield* Effect.exit(outcomeOf(layer, { retry: Retry.standard }))
    expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe(signal)
    expect(sent.length).toBe(1)
  })

  it.effect.each<
    [request: string, outcome: string, baseUrl: string, onLine: readonly [before: boolean, after: boolean]]
  >([
    ["without a network", "not-sent, retryable", "https://api.example.com", [false, false]],
    ["without a network, to this machine", "unknown, retryable", "http://127.0.0.1:8080", [false, false]],
    ["without a network, to localhost", "unknown, retryable", "http://api.localhost:8080", [false, false]],
    ["without a network, elsewhere", "not-sent, retryable", "https://localhost.example.com", [false, false]],
    ["whose network goes away", "unknown, retryable", "https://api.example.com", [true, false]],
    ["whose network comes back", "unknown, retryable", "https://api.example.com", [false, true]]
  ])("in a browser a request %s is %s", function* ([, outcome, baseUrl, [before, after]]) {
    browser("https://app.example.com/page", before)
    const { layer } = stub(() => {
      browser("https://app.example.com/page", after)
      return Promise.reject(new TypeError("Failed to fetch"))
    })
    expect(yield* outcomeOf(layer, { baseUrl })).toBe(outcome)
  })
})
