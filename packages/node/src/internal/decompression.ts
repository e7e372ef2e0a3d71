import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Headers from "effect/http/Headers"
import { Duplex } from "node:stream"
import { createGunzip } from "node:zlib"
import type { Exchange } from "./exchange.ts"
import type { Body, Response } from "./response.ts"

/** Statuses whose responses have no body (RFC 9110 §6.4.1), whatever their headers say. */
const bodiless = [204, 205, 304]

/** What undoes a coding, as a pair of streams of the platform. */
type Decoder = () => ReadableWritablePair<Uint8Array<ArrayBuffer>, unknown>

/** Of several members too, one after the other (RFC 1952 §2.2), which `DecompressionStream` refuses. */
const gunzip: Decoder = () => {
  const stream = createGunzip()
  // zeros may follow, which need not end
  stream.once("end", () => stream.destroy())
  const { readable, writable } = Duplex.toWeb(stream)
  // always: Node.js and the platform have two types for the same class
  if (readable instanceof ReadableStream) return { readable, writable }
  throw new TypeError("the streams of Node.js are not the platform's")
}

/** The codings that are undone, by their names in lower case (RFC 9110 §8.4.1). */
const decoders: ReadonlyMap<string, Decoder> = new Map([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["deflate", () => new DecompressionStream("deflate")]
])

/** As many as `fetch` of Node.js undoes: each costs memory and time, and two are rare. */
const mostCodings = 5

const codingsOf = (header: string): ReadonlyArray<string> =>
  header
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")

/** The body cannot be read, and asking again gives the same: the client makes `InvalidResponse` of it. */
class UnknownCoding extends Error {
  override readonly name = "UnknownCoding"
  readonly code = "INVALID_CONTENT_CODING"
}

const decoder = new TextDecoder()

const bodyOf = (stream: Body["stream"], bytes: Body["bytes"]): Body => ({
  stream,
  bytes,
  text: Effect.map(bytes, (bytes) => decoder.decode(bytes))
})

/** A body that is read from a stream of the platform. */
const fromReadable = (readable: ReadableStream<Uint8Array>): Body => {
  const stream = Stream.fromReadableStream({ evaluate: () => readable, onError: (cause) => cause })
  return bodyOf(
    stream,
    Effect.runSync(Effect.cached(Effect.map(Stream.mkArrayBuffer(stream), (buffer) => new Uint8Array(buffer))))
  )
}

/**
 * The response with its body decompressed, and without the headers that spoke of the compressed one. A body in an unknown
 * coding fails when it is read. undici's own interceptor for this prints a warning that it is experimental.
 */
export const decompress = (response: Response, exchange: Exchange): Effect.Effect<Response> => {
  const header = response.headers["content-encoding"]
  // a response to HEAD has none either (RFC 9110 §9.3.2), and nothing is not gzip
  const isBodiless =
    response.request.method === "HEAD" ||
    bodiless.includes(response.status) ||
    response.headers["content-length"] === "0"
  if (header === undefined || isBodiless) return Effect.succeed(response)
  const codings = codingsOf(header)
  if (codings.length === 0) return Effect.succeed(response)
  const unknown = codings.length > mostCodings ? codings.join(", ") : codings.find((coding) => !decoders.has(coding))
  if (unknown !== undefined) {
    const failure = Effect.fail(new UnknownCoding(`this transport does not decode the content coding ${unknown}`))
    exchange.abort()
    return Effect.succeed(response.withBody(response.headers, bodyOf(Stream.fromEffect(failure), failure)))
  }
  const headers = Headers.removeMany(response.headers, ["content-encoding", "content-length"])
  return Effect.map(
    Stream.toReadableStreamEffect(Stream.map(exchange.stream, (chunk) => new Uint8Array(chunk))),
    (compressed) =>
      // what was done last is undone first
      response.withBody(
        headers,
        fromReadable(
          codings
            .flatMap((coding) => decoders.get(coding) ?? [])
            .reduceRight(
              (body: ReadableStream<Uint8Array<ArrayBuffer>>, decoder) => body.pipeThrough(decoder()),
              compressed
            )
        )
      )
  )
}
