import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { constTrue } from "effect/Function"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { FetchTransport } from "@cloud-management/browser"
import { NodeTransport } from "@cloud-management/node"
import type * as Http from "node:http"
import { gzipSync } from "node:zlib"
import { serve } from "../../../checks/fixtures/Listener.ts"
import { turns } from "../../../checks/fixtures/turns.ts"

const untraced = Effect.provideService(HttpClient.TracerDisabledWhen, constTrue)
/** Not compressible, so that half of it decodes to something. */
const content = Buffer.from(new Uint16Array(65_536).map((_, n) => Math.imul(n ^ (n >> 7), 0x9e3779b1) >> 11).buffer)
const half = content.subarray(0, content.length / 2)
const compressed = gzipSync(content)
const cut = compressed.subarray(0, compressed.length / 2)

describe.each([
  ["NodeTransport", NodeTransport.layer],
  ["FetchTransport", FetchTransport.layer]
])("a response that is read over %s", (_, layer) => {
  const test = it.effect.over(layer)
  type Begin = (response: Http.ServerResponse) => void

  test.each<[how: string, begin: Begin]>([
    ["before its length", (response) => response.writeHead(200, { "content-length": content.length }).write(half)],
    ["before its last chunk", (response) => response.writeHead(200).write(half)],
    [
      "and is compressed",
      (response) =>
        response.writeHead(200, { "content-encoding": "gzip", "content-length": compressed.length }).write(cut)
    ],
    ["and is compressed, in chunks", (response) => response.writeHead(200, { "content-encoding": "gzip" }).write(cut)]
  ])("fails, and never just ends, when it breaks off %s", function* ([, begin]) {
    const begun: Array<Http.ServerResponse> = []
    const url = yield* serve((_, response) => {
      begun.push(response)
      begin(response)
    })
    const response = yield* HttpClient.get(url)
    let read = 0
    const error = yield* Effect.flip(
      Stream.runForEach(response.stream, ({ length }) =>
        Effect.sync(() => {
          read += length
          begun.at(-1)?.socket?.end()
        })
      )
    )
    expect(error.reason._tag).toBe("DecodeError")
    expect(read).toBeGreaterThan(0)
    const whole = yield* HttpClient.get(url)
    begun.at(-1)?.socket?.end()
    expect((yield* Effect.flip(whole.arrayBuffer)).reason._tag).toBe("DecodeError")
  })

  // of an unknown coding too: there is nothing to decode (RFC 9110, section 6.4.1)
  const codings = [undefined, "gzip", "x-gzip", "deflate", "deflate, gzip", "br"]
  const nothing: ReadonlyArray<[method: "GET" | "HEAD", status: number, framing: Http.OutgoingHttpHeaders]> = [
    ["HEAD", 200, { "content-length": "100" }],
    ["GET", 204, {}],
    ["GET", 205, { "content-length": "0" }],
    ["GET", 304, {}],
    ["GET", 200, { "content-length": "0" }],
    ["GET", 200, { "transfer-encoding": "chunked" }]
  ]
  test.each(nothing.flatMap((row) => codings.map((coding) => [...row, coding] as const)))(
    "is empty without content: %s %d %j in %s",
    function* ([method, status, framing, coding]) {
      const headers = { ...framing, ...(coding !== undefined && { "content-encoding": coding }) }
      const url = yield* serve((_, response) => response.writeHead(status, headers).end())
      const ask = HttpClient.execute(HttpClientRequest.make(method)(url))
      expect(yield* Stream.runCollect((yield* ask).stream)).toEqual([])
      expect(yield* (yield* ask).text).toBe("")
    }
  )

  type Read = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<unknown, unknown>
  const interrupted = (read: Read): Read =>
    Effect.fnUntraced(function* (response) {
      const reader = yield* Effect.forkChild(read(response), { startImmediately: true })
      yield* Effect.promise(() => turns())
      yield* Fiber.interrupt(reader)
    })
  test.each<[how: string, read: Read]>([
    ["is interrupted while it stalls", interrupted(({ stream }) => Stream.runDrain(stream))],
    ["is interrupted while it stalls, in one piece", interrupted(({ arrayBuffer }) => arrayBuffer)],
    ["has enough", ({ stream }) => Stream.runDrain(Stream.take(stream, 1))],
    ["fails", ({ stream }) => Effect.exit(Stream.runForEach(stream, () => Effect.fail("enough")))]
  ])("loses its socket when the reader %s", function* ([, read]) {
    const closed = yield* Deferred.make<void>()
    const url = yield* serve((request, response) => {
      request.socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
      response.writeHead(200).write(half)
    })
    yield* read(yield* untraced(HttpClient.get(url)))
    yield* Deferred.await(closed)
  })

  test.each([undefined, "gzip"])("is taken from the socket no faster than it is read: %s", function* (coding) {
    const size = 32 * 1024 * 1024
    const piece = coding === undefined ? Buffer.alloc(65_536) : compressed
    let [written, read, most] = [0, 0, 0]
    const url = yield* serve((_, response) => {
      response.writeHead(200, coding === undefined ? {} : { "content-encoding": coding })
      const write = () => {
        while (written < size) {
          written += piece.length
          if (!response.write(piece)) return
        }
        response.end()
      }
      response.on("drain", write)
      write()
    })
    const response = yield* HttpClient.get(url)
    yield* Stream.runForEach(response.stream, (chunk) =>
      Effect.promise(async () => {
        read += chunk.length
        // the server goes on as long as somebody takes what it writes
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
        most = Math.max(most, written - read)
      })
    )
    if (coding === undefined) expect(read).toBe(size)
    // what the kernel and Node hold for both sides, far from all of it
    expect(most).toBeLessThan(size / 2)
  })
})
