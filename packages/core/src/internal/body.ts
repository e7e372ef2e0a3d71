import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"

/**
 * Whether the framing itself keeps the body within the limit. Not so when it is compressed; and a browser hides
 * `content-encoding` from a page of another origin, while `content-length` stays visible (Fetch standard, CORS-safelisted
 * response-header names).
 */
const isBounded = (response: HttpClientResponse.HttpClientResponse, limit: number): boolean =>
  Number(response.headers["content-length"] ?? Infinity) <= limit &&
  response.headers["content-encoding"] === undefined &&
  Option.getOrUndefined(HttpClientResponse.toWeb(response))?.type !== "cors"

/**
 * Reads a body as text, at most `limit` bytes of it after decompression: what is longer is cut off while it arrives,
 * and the request aborted. The failure of the result says so, as the end of a sentence that begins with "the body".
 */
export const read = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number
): Effect.Effect<Result.Result<string, string>, HttpClientError.HttpClientError> =>
  Effect.catch(
    Effect.map(isBounded(response, limit) ? response.text : readChunks(response, limit), Result.succeed),
    (error): ReturnType<typeof read> =>
      typeof error === "string"
        ? Effect.succeed(Result.fail(error))
        : // fetch has no stream for a response without a body
          error.reason._tag === "EmptyBodyError"
          ? Effect.succeed(Result.succeed(""))
          : Effect.fail(error)
  )

const readChunks = (response: HttpClientResponse.HttpClientResponse, limit: number) =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let size = 0
    let text = ""
    return Effect.map(
      Stream.runForEachArray(response.stream, (chunks) => {
        for (const chunk of chunks) {
          size += chunk.length
          if (size > limit) return Effect.fail(`exceeds ${limit} bytes`)
          text += decoder.decode(chunk, { stream: true })
        }
        return Effect.void
      }),
      () => text + decoder.decode()
    )
  })
