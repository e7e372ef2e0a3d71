import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Headers from "effect/http/Headers"
import { types } from "node:util"
import { createGunzip, createInflate, createInflateRaw, type Gunzip } from "node:zlib"
import type { Exchange } from "./exchange.ts"
import type { Body, Response } from "./response.ts"

/** Statuses whose responses have no body (RFC 9110 §6.4.1), whatever their headers say. */
const bodiless = [204, 205, 304]

/** Makes what undoes a coding, given the first byte of the body. */
type MakeDecoder = (first: number | undefined) => Gunzip

/** Some senders leave the wrapper of zlib out (RFC 9110 §8.4.1.2), whose first byte names deflate (RFC 1950 §2.2). */
const inflate: MakeDecoder = (first = 8) => ((first & 15) === 8 ? createInflate() : createInflateRaw())

/** The codings that are undone, by their names in lower case (RFC 9110 §8.4.1). */
const decoders: ReadonlyMap<string, MakeDecoder> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", inflate]
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

/**
 * Undoes one coding of a body, as fast as it is read. The web streams of the platform are not used: a program can have
 * replaced them.
 */
const undo = (body: Body["stream"], make: MakeDecoder): Body["stream"] =>
  Stream.transformPull(body, (pull, scope) => {
    let decoder: Gunzip | undefined
    /** How many chunks it was given, and has not taken yet. */
    let unfed = 0
    let isChanged = false
    let notify = constVoid
    const change = () => {
      isChanged = true
      notify()
    }
    const start = (first: number | undefined) => {
      const started = make(first).on("readable", change).on("end", change).on("error", change)
      return Effect.as(
        Scope.addFinalizer(
          scope,
          Effect.sync(() => started.destroy())
        ),
        (decoder = started)
      )
    }
    const feed = Pull.matchEffect(pull, {
      onSuccess: (chunks) =>
        Effect.map(decoder === undefined ? start(chunks[0][0]) : Effect.succeed(decoder), (decoder) => {
          for (const chunk of chunks) {
            unfed++
            decoder.write(chunk, () => {
              unfed--
              change()
            })
          }
        }),
      onFailure: Effect.failCause,
      // nothing is not compressed, whatever the headers say
      onDone: () => (decoder === undefined ? Cause.done() : Effect.sync(() => decoder?.end()))
    })
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, unknown> = Effect.suspend(() => {
      isChanged = false
      const chunk: unknown = decoder?.read()
      if (types.isUint8Array(chunk)) return Effect.succeed([chunk] as const)
      if (decoder?.errored) return Effect.fail<unknown>(decoder.errored)
      // what follows the end is not read: it need not end
      if (decoder?.readableEnded) return Cause.done()
      if (unfed === 0 && !decoder?.writableEnded) return Effect.flatMap(feed, () => next)
      const changed = Effect.callback<void>((resume) => {
        notify = () => resume(Effect.void)
        if (isChanged) notify()
      })
      return Effect.flatMap(changed, () => next)
    })
    return Effect.succeed(next)
  })

/**
 * The response with its body decompressed, and without the headers that spoke of the compressed one. A body in an unknown
 * coding fails when it is read. undici's own interceptor for this prints a warning that it is experimental.
 */
export const decompress = (response: Response, exchange: Exchange): Response => {
  const header = response.headers["content-encoding"]
  // a response to HEAD has none either (RFC 9110 §9.3.2)
  const isBodiless =
    response.request.method === "HEAD" ||
    bodiless.includes(response.status) ||
    response.headers["content-length"] === "0"
  if (header === undefined || isBodiless) return response
  const codings = codingsOf(header)
  if (codings.length === 0) return response
  const unknown = codings.length > mostCodings ? codings.join(", ") : codings.find((coding) => !decoders.has(coding))
  const isKnown = unknown === undefined
  const headers = isKnown
    ? Headers.removeMany(response.headers, ["content-encoding", "content-length"])
    : response.headers
  const stream = isKnown
    ? // what was done last is undone first
      codings.flatMap((coding) => decoders.get(coding) ?? []).reduceRight(undo, exchange.stream)
    : Stream.mapEffect(exchange.stream, () =>
        Effect.fail(new UnknownCoding(`this transport does not decode the content coding ${unknown}`))
      )
  const bytes = Effect.runSync(
    Effect.cached(Effect.map(Stream.mkArrayBuffer(stream), (buffer) => new Uint8Array(buffer)))
  )
  return response.withBody(headers, { bytes, stream })
}
