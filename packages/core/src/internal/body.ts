import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Success } from "../Body.ts"
import type { Content } from "./response.ts"

/** The body passed the limit; the rest of it was not read. */
const tooLarge: unique symbol = Symbol("too large")

/**
 * Whether the framing itself keeps the body within the limit. Not so when it is compressed; and a browser hides
 * `content-encoding` from a page of another origin, while `content-length` stays visible (Fetch standard, CORS-safelisted
 * response-header names).
 */
const isBounded = (response: HttpClientResponse.HttpClientResponse, limit: number): boolean =>
  /^\d+$/.test(response.headers["content-length"] ?? "") &&
  Number(response.headers["content-length"]) <= limit &&
  response.headers["content-encoding"] === undefined &&
  Option.getOrUndefined(HttpClientResponse.toWeb(response))?.type !== "cors"

/** Reads the body of a response. */
export interface Read {
  (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Content, HttpClientError.HttpClientError>
}

/**
 * Makes a reader of at most `limit` bytes of a body, after decompression: a longer one is cut off while it arrives, and
 * the request aborted.
 */
export const reader =
  ({ _tag }: Success, limit: number): Read =>
  (response) =>
    isBounded(response, limit)
      ? _tag === "Bytes"
        ? Effect.map(response.arrayBuffer, (bytes) => Result.succeed(new Uint8Array(bytes)))
        : Effect.map(response.text, Result.succeed)
      : Effect.catch(readChunks(response, limit), (error): Effect.Effect<Content, HttpClientError.HttpClientError> =>
          error === tooLarge
            ? Effect.succeed(Result.fail(`exceeds ${limit} bytes`))
            : // fetch has no stream for a response without a body
              error.reason._tag === "EmptyBodyError"
              ? Effect.succeed(Result.succeed(new Uint8Array()))
              : Effect.fail(error)
        )

const readChunks = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number
): Effect.Effect<Content, HttpClientError.HttpClientError | typeof tooLarge> =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    return Effect.map(
      Stream.runForEachArray(response.stream, (arrived) => {
        for (const chunk of arrived) {
          size += chunk.length
          if (size > limit) return Effect.fail(tooLarge)
          chunks.push(chunk)
        }
        return Effect.void
      }),
      () => {
        const bytes = new Uint8Array(size)
        let at = 0
        for (const chunk of chunks) {
          bytes.set(chunk, at)
          at += chunk.length
        }
        return Result.succeed(bytes)
      }
    )
  })
