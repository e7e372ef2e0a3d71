import { describe, expect, it, Listener, vi } from "../../../checks/fixtures/index.ts"
import { Effect, Schema } from "effect"
import { Body, Operation, Retry } from "@cloud-management/client"
import type * as Http from "node:http"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { connect, organization, transport } from "./connect.ts"

const text = JSON.stringify({ status: 200, requestId: "req-1", result: [organization] })

const serve = (status: number, headers: Http.OutgoingHttpHeaders, body: Uint8Array | string) =>
  Listener.serve((_, response) => response.writeHead(status, headers).end(body))

describe("a body", () => {
  const gzip = gzipSync(text)
  it.effect.each<[coding: string, body: Uint8Array | string]>([
    ["gzip", gzip],
    ["GZIP", gzip],
    ["x-gzip", gzip],
    ["deflate", deflateSync(text)],
    // without the wrapper of zlib, as some senders do (§8.4.1.2)
    ["deflate", deflateRawSync(text)],
    ["deflate, gzip", gzipSync(deflateRawSync(text))],
    // as undici's fetch reads it
    ["deflate", Buffer.concat([deflateSync(text), Buffer.from("more")])],
    ["identity", text],
    ["", text],
    ["gzip, identity", gzip],
    ["gzip", Buffer.concat([gzipSync(text.slice(0, 10)), gzipSync(""), gzipSync(text.slice(10))])],
    ["deflate, gzip", gzipSync(deflateSync(text))],
    ["gzip,DEFLATE ,, x-gzip", gzipSync(deflateSync(gzip))],
    ["gzip, gzip, gzip, gzip, gzip", [1, 2, 3, 4].reduce<Uint8Array>((body) => gzipSync(body), gzip)]
  ])("in the coding %j is read (RFC 9110 §8.4.1)", function* ([coding, body]) {
    const cloud = yield* connect(yield* serve(200, { "content-encoding": coding }, body))
    expect(yield* cloud.organizations.list()).toEqual([organization])
  })

  it.effect.each<[what: string, coding: string, body: Uint8Array]>([
    ["a part", "gzip", gzip.subarray(0, -1)],
    ["a part of its second member", "gzip", Buffer.concat([gzip, gzip.subarray(0, 15)])],
    ["a part", "deflate", deflateSync(text).subarray(0, -1)],
    ["a part", "deflate", deflateRawSync(text).subarray(0, -1)]
  ])("of which there is %s in its coding, %s, is not read", function* ([, coding, body]) {
    const cloud = yield* connect(
      yield* serve(200, { "content-encoding": coding, "transfer-encoding": "chunked" }, body)
    )
    const error = yield* Effect.flip(Retry.within(cloud.organizations.list(), Retry.none))
    expect(error).toMatchObject({ status: 200, outcome: "unknown", reason: { _tag: "TransportFailed" } })
  })

  it.effect.each<[coding: string, body: Uint8Array | string, how: string]>([
    ["gzip", text, "incorrect header check"],
    ["gzip", Buffer.concat([gzip, Buffer.from("more")]), "incorrect header check"],
    ["deflate", gzip, "invalid block type"],
    ["deflate", deflateSync(text, { dictionary: Buffer.from("status") }), "Missing dictionary"],
    ["deflate, gzip", gzipSync(gzip), "invalid block type"]
  ])("that is not in its coding, %j, is not asked for again", function* ([coding, body, how]) {
    const url = yield* serve(200, { "content-encoding": coding }, body)
    const error = yield* Effect.flip((yield* connect(url)).organizations.list())
    expect(error).toMatchObject({ status: 200, attempts: 1, outcome: "unknown" })
    expect(error.reason._tag).toBe("InvalidResponse")
    expect(error.reason.message).toMatch(new RegExp(`^the body cannot be read: .*${how}`))
  })

  it.effect.each<[coding: string, named: string]>([
    ["br", "br"],
    ["BR", "br"],
    ["br, gzip", "br"],
    ["gzip, compress", "compress"],
    ["gzip, gzip, gzip, gzip, gzip, gzip", "gzip, gzip, gzip, gzip, gzip, gzip"]
  ])("in the coding %j gives an error that names it, and is not asked for again", function* ([coding, named]) {
    const url = yield* serve(200, { "content-encoding": coding }, brotliCompressSync(text))
    const cloud = yield* connect(url)
    const error = yield* Effect.flip(cloud.organizations.list())
    expect(error).toMatchObject({ status: 200, attempts: 1, outcome: "unknown" })
    expect(error.reason).toMatchObject({
      _tag: "InvalidResponse",
      message: `the body cannot be read: this transport does not decode the content coding ${named}`
    })
  })

  it.effect("is decompressed without the web classes of the platform, which a program can have replaced", function* () {
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const streams = ["ReadableStream", "WritableStream", "TransformStream", "DecompressionStream"]
        const others = ["Response", "Request", "Headers", "FormData", "Blob", "AbortController", "fetch"]
        for (const name of [...streams, ...others]) vi.stubGlobal(name, class {})
        // as in jsdom, where buffers of Node are not of the class of the realm
        vi.stubGlobal("Uint8Array", class extends Uint8Array {})
      }),
      () => Effect.sync(() => vi.unstubAllGlobals())
    )
    const cloud = yield* connect(
      yield* serve(200, { "content-encoding": "deflate, gzip" }, gzipSync(deflateSync(text)))
    )
    expect(yield* cloud.organizations.list()).toEqual([organization])
  })

  it.effect.each<[headers: Readonly<Record<string, string>>, expected: string]>([
    [{}, "gzip, deflate"],
    // a part of what is compressed cannot be read
    [{ range: "bytes=0-9" }, "identity"],
    [{ range: "bytes=0-9", "accept-encoding": "gzip" }, "gzip"],
    [{ "accept-encoding": "identity" }, "identity"]
  ])("in what coding may come is asked for: of %j", function* ([headers, expected]) {
    const url = yield* Listener.serve(({ headers }, response) => response.end(headers["accept-encoding"]))
    const client = yield* transport()
    expect(yield* (yield* client.get(url, { headers })).text).toBe(expected)
    const read = Operation.make({
      group: "files",
      name: "read",
      method: "GET",
      path: "/file",
      headers: Operation.headers(Schema.Record(Schema.String, Schema.String)),
      success: Body.text(),
      errors: []
    })
    const cloud = yield* connect(url)
    expect(yield* cloud.execute(read, { headers })).toBe(expected)
  })

  /** A response whose body has no end, and when its connection closes. */
  const begin = Effect.fnUntraced(function* (coding: string, first: Uint8Array) {
    const closed = Promise.withResolvers<void>()
    const url = yield* Listener.serve((_, response) => {
      response.writeHead(200, { "content-encoding": coding }).write(first)
      const write = () => {
        if (response.writable && response.write(Buffer.alloc(1000))) setImmediate(write)
      }
      response.on("drain", write).on("close", () => closed.resolve())
      write()
    })
    const client = yield* transport()
    return { response: yield* client.get(url), closed: Effect.promise(() => closed.promise) }
  })

  it.effect("in a coding that is not known is not read: it may have no end", function* () {
    const { closed, response } = yield* begin("br", Uint8Array.of(1))
    const { reason } = yield* Effect.flip(response.text)
    expect(reason).toMatchObject({ _tag: "DecodeError", cause: { message: expect.stringMatching("coding br$") } })
    expect(response.headers["content-encoding"]).toBe("br")
    yield* closed
  })

  it.effect("in gzip is not read after its last member: zeros may follow that have no end", function* () {
    const { closed, response } = yield* begin("gzip", gzip)
    // some versions of Node.js read it, some fail
    yield* Effect.exit(response.text)
    yield* closed
  })
})
