import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Deferred, Effect, Fiber, type Layer, Stream } from "effect"
import { constTrue } from "effect/Function"
import { HttpBody, HttpClient, type HttpClientError, type HttpClientResponse } from "effect/http"
import { FetchTransport } from "@cloud-management/browser"
import { NodeTransport } from "@cloud-management/node"
import { record, serve } from "../../../checks/fixtures/Listener.ts"

const untraced = Effect.provideService(HttpClient.TracerDisabledWhen, constTrue)
const bytes = (text: string) => new TextEncoder().encode(text)

/** A source, how often it was begun and closed, and when it is closed. */
const source = (stream: Stream.Stream<Uint8Array, unknown>) => {
  const closed = Deferred.makeUnsafe<void>()
  const counts = { begun: 0, closed: 0 }
  const acquired = Effect.acquireRelease(
    Effect.sync(() => counts.begun++),
    () =>
      // takes longer than a step
      Effect.andThen(
        Effect.yieldNow,
        Effect.suspend(() => {
          counts.closed++
          return Deferred.succeed(closed, undefined)
        })
      )
  )
  return { counts, closed: Deferred.await(closed), stream: Stream.unwrap(Effect.as(acquired, stream)) }
}
/** A turn of the event loop, at whose end the process reports them. */
const turn = Effect.promise(() => new Promise(setImmediate))
/** The rejections that nobody catches, which end a process. */
const rejections = Effect.gen(function* () {
  const rejected: Array<unknown> = []
  const listen = (reason: unknown) => rejected.push(reason)
  process.on("unhandledRejection", listen)
  yield* Effect.addFinalizer(() => Effect.sync(() => process.off("unhandledRejection", listen)))
  return rejected
})
const causeOf = ({ reason }: HttpClientError.HttpClientError): unknown => ("cause" in reason ? reason.cause : undefined)

describe.each<[name: string, layer: Layer.Layer<HttpClient.HttpClient>, sendsLength: boolean]>([
  ["NodeTransport", NodeTransport.layer, true],
  // whose length no program can set
  ["FetchTransport", FetchTransport.layerStreams, false]
])("a stream that is sent over %s", (_, layer, sendsLength) => {
  const test = it.effect.over(layer)

  test("is chunked if its length is not known", function* () {
    const { seen, url } = yield* record
    const { counts, stream } = source(Stream.make(bytes("a"), bytes(""), bytes("bc")))
    yield* HttpClient.post(url, { body: HttpBody.stream(stream, "text/csv") })
    const { body, headers } = yield* seen
    expect([String(body), headers["content-type"], headers["transfer-encoding"], headers["content-length"]]).toEqual([
      "abc",
      "text/csv",
      "chunked",
      undefined
    ])
    expect(counts).toEqual({ begun: 1, closed: 1 })
  })

  test.each(["", "a", "abc"])("has its length if that is known: %j", function* (text) {
    const { seen, url } = yield* record
    const { counts, stream } = source(Stream.fromIterable(text.split("")).pipe(Stream.map(bytes)))
    yield* HttpClient.post(url, { body: HttpBody.stream(stream, undefined, text.length) })
    const { body, headers } = yield* seen
    expect([String(body), headers["content-length"], headers["transfer-encoding"]]).toEqual(
      sendsLength || text === "" ? [text, String(text.length), undefined] : [text, undefined, "chunked"]
    )
    expect(counts).toEqual({ begun: 1, closed: 1 })
  })

  const broken = Stream.fail(new Error("disk on fire"))
  const three = Stream.make(bytes("a"), bytes("bc"))
  const incomplete = Stream.concat(three, broken)
  test.each<[how: string, stream: Stream.Stream<Uint8Array, unknown>, length: number | undefined, message: RegExp]>([
    ["fails", incomplete, undefined, /disk on fire/],
    ["fails before its first byte", broken, 3, /disk on fire/],
    ["dies", Stream.concat(three, Stream.die(new TypeError("no such method"))), undefined, /no such method/],
    ["fails with a text", Stream.concat(three, Stream.fail("broken")), undefined, /broken/],
    ["fails with nothing", Stream.concat(three, Stream.fail(undefined)), undefined, /the body of the request failed/]
  ])("and %s fails the request with that, and is not complete for the server", function* ([, stream, length, message]) {
    const { arrived, seen, url } = yield* record
    const { counts, stream: counted } = source(stream)
    const error = yield* Effect.flip(HttpClient.post(url, { body: HttpBody.stream(counted, undefined, length) }))
    const cause = causeOf(error)
    expect(String(cause) + String((cause as Error).cause)).toMatch(message)
    expect(counts).toEqual({ begun: 1, closed: 1 })
    // one that left nothing on its connection was not sent at all
    yield* HttpClient.post(url, { body: HttpBody.text("next") })
    yield* arrived
    const { body } = yield* seen
    expect(body === undefined || String(body) === "next").toBe(true)
  })

  test("and fails on a connection that was kept rejects nothing that no program can catch", function* () {
    const { url } = yield* record
    const rejected = yield* rejections
    for (const stream of [broken, Stream.die("no such method")]) {
      yield* HttpClient.post(url, { body: HttpBody.text("first") })
      yield* Effect.flip(HttpClient.post(url, { body: HttpBody.stream(stream) }))
      yield* turn
    }
    expect(rejected).toEqual([])
  })

  const endless = Stream.forever(Stream.make(new Uint8Array(65536)))
  const stalled = Stream.concat(three, Stream.never)
  const streams = { endless, stalled }
  const kinds = ["endless", "stalled"] as const
  test.each(kinds.flatMap((kind) => [[kind, "interrupted"] as const, [kind, "reset by the server"] as const]))(
    "is closed before the call ends: one that is %s, when it is %s",
    function* ([kind, how]) {
      const { arrived, seen, url } = yield* record
      const { counts, stream } = source(streams[kind])
      const call = yield* Effect.forkChild(untraced(HttpClient.post(url, { body: HttpBody.stream(stream) })))
      const { socket } = yield* arrived
      if (how === "interrupted") {
        yield* Fiber.interrupt(call)
        expect((yield* seen).body).toBeUndefined()
      } else {
        socket.resetAndDestroy()
        expect((yield* Effect.flip(Fiber.join(call))).reason._tag).toBe("TransportError")
      }
      expect(counts).toEqual({ begun: 1, closed: 1 })
    }
  )

  type Read = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<string, unknown>
  const asText: Read = ({ text }) => text
  const asStream: Read = ({ stream }) => Stream.mkString(Stream.decodeText(stream))
  test.each<[kind: string, how: string, stream: Stream.Stream<Uint8Array>, read: Read]>([
    ["endless", "in one piece", endless, asText],
    ["stalled", "in one piece", stalled, asText],
    ["stalled", "as a stream", stalled, asStream]
  ])("is closed when the server responds before its end: %s, read %s", function* ([, , stream, read]) {
    const { arrived, url } = yield* record
    const { closed, counts, stream: counted } = source(stream)
    const call = yield* Effect.forkChild(HttpClient.post(url, { body: HttpBody.stream(counted) }))
    const { socket } = yield* arrived
    socket.write("HTTP/1.1 413 Content Too Large\r\ncontent-length: 3\r\n\r\nbig")
    const response = yield* Fiber.join(call)
    expect([response.status, yield* read(response)]).toEqual([413, "big"])
    yield* closed
    expect(counts).toEqual({ begun: 1, closed: 1 })
  })

  test("is not begun, or is closed, when there is nobody to send it to", function* () {
    const { counts, stream } = source(three)
    const url = yield* Effect.scoped(Effect.map(record, ({ url }) => url))
    yield* Effect.flip(HttpClient.post(url, { body: HttpBody.stream(stream) }))
    expect(counts.closed).toBe(counts.begun)
  })

  test("is read no faster than the server takes it", function* () {
    const size = 32 * 1024 * 1024
    let [produced, received, most] = [0, 0, 0]
    const url = yield* serve(async (request, response) => {
      for await (const chunk of request) {
        received += chunk.length
        // the source goes on as long as somebody takes what it has
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
        most = Math.max(most, produced - received)
      }
      response.end()
    })
    const chunks = Stream.fromEffectRepeat(
      Effect.sync(() => {
        produced += 65536
        return new Uint8Array(65536)
      })
    ).pipe(Stream.take(size / 65536))
    yield* HttpClient.post(url, { body: HttpBody.stream(chunks) })
    expect(received).toBe(size)
    // what the kernel and Node hold for both sides, far from all of it
    expect(most).toBeLessThan(size / 2)
  })
})

const overFetch = it.effect.over(FetchTransport.layerStreams)
overFetch.each<[kind: string, body: () => HttpBody.HttpBody]>([
  ["a stream", () => HttpBody.stream(Stream.make(bytes("a")))],
  ["a Blob", () => HttpBody.raw(new Blob(["a"]))],
  ["a form", () => HttpBody.formDataRecord({ a: new Blob(["a"]) })]
])(
  "a large body that fetch sends is not kept for a redirect, which has no status, as in a page: %s",
  function* ([, body]) {
    const requests: Array<string | undefined> = []
    const url = yield* serve((request, response) => {
      requests.push(request.url)
      request.resume().on("end", () => response.writeHead(307, { location: "/other" }).end())
    })
    const response = yield* HttpClient.post(`${url}/first`, { body: body() })
    expect([response.status, yield* response.text]).toEqual([0, "redirects are not followed"])
    expect(requests).toEqual(["/first"])
  }
)

overFetch("a form that fetch sends, aborted while it is read, rejects nothing that nobody can catch", function* () {
  const { url } = yield* record
  const rejected = yield* rejections
  for (let i = 0; i < 40; i++) {
    const body = HttpBody.formDataRecord({ a: "1", file: new Blob([new Uint8Array(300_000)]) })
    const call = yield* Effect.forkChild(untraced(HttpClient.post(url, { body })))
    yield* turn
    yield* Fiber.interrupt(call)
    yield* turn
  }
  expect(rejected).toEqual([])
})

overFetch("a form that fetch sends has the names, files and texts that others have", function* () {
  const { seen, url } = yield* record
  const form = new FormData()
  form.append('a"b', "c\nd")
  form.append("file", new File(["x"], 'e"f\r\n.txt', { type: "text/csv" }))
  yield* HttpClient.post(url, { body: HttpBody.formData(form) })
  const { body, headers } = yield* seen
  expect(headers["content-length"]).toBe(String(body?.length))
  const read = yield* Effect.promise(() =>
    new Response(new Uint8Array(body ?? []), {
      headers: { "content-type": String(headers["content-type"]) }
    }).formData()
  )
  const file = read.get("file")
  expect([read.get('a"b'), file instanceof File && [file.name, file.type]]).toEqual([
    "c\r\nd",
    ['e"f\r\n.txt', "text/csv"]
  ])
})
