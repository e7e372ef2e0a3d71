import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Content } from "./response.ts"

/** The body passed the limit; the rest of it was not read. */
const tooLarge: unique symbol = Symbol("too large")

/** Reads the body of a response. */
export interface Read {
  (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Content, HttpClientError.HttpClientError>
}

/**
 * Makes a reader of at most `limit` bytes of a body, after decompression: a longer one is cut off while it arrives, and
 * the request aborted. It trusts no header: a length can be that of the compressed body, and what wraps responses, such as
 * a service worker, keeps the headers of another.
 */
export const reader =
  (limit: number): Read =>
  (response) =>
    Effect.catch(readChunks(response, limit), (error): Effect.Effect<Content, HttpClientError.HttpClientError> =>
      error === tooLarge ? Effect.succeed(Result.fail(`exceeds ${limit} bytes`)) : Effect.fail(error)
    )

/**
 * Whether the body comes in one piece: that of node-fetch is a stream of Node.js, React Native and a response without a
 * body have none, and a body that is in use cannot be read, which only its whole says.
 */
const isWhole = (response: HttpClientResponse.HttpClientResponse): boolean => {
  const source = Option.getOrUndefined(HttpClientResponse.toWeb(response))
  return (
    source !== undefined && (source.bodyUsed || !Predicate.hasProperty(source.body, "getReader") || source.body.locked)
  )
}

const readChunks = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number
): Effect.Effect<Content, HttpClientError.HttpClientError | typeof tooLarge> =>
  Effect.suspend(() => {
    const read: Array<Uint8Array> = []
    const chunks = isWhole(response)
      ? Stream.fromEffect(Effect.map(response.arrayBuffer, (bytes) => new Uint8Array(bytes)))
      : response.stream
    let size = 0
    return Effect.map(
      Stream.runForEachArray(chunks, (arrived) => {
        for (const chunk of arrived) {
          size += chunk.length
          if (size > limit) return Effect.fail(tooLarge)
          read.push(chunk)
        }
        return Effect.void
      }),
      () => {
        const bytes = new Uint8Array(size)
        let at = 0
        for (const chunk of read) {
          bytes.set(chunk, at)
          at += chunk.length
        }
        return Result.succeed(bytes)
      }
    )
  })
