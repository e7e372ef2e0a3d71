import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"

/** The body passed the limit; the rest of it was not read. */
export const tooLarge = Symbol("too large")

/**
 * Reads a body as text, at most `limit` bytes of it after decompression: what is longer is cut off while it arrives,
 * and the request aborted.
 */
export const read = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number
): Effect.Effect<string, HttpClientError.HttpClientError | typeof tooLarge> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let size = 0
    let text = ""
    return Stream.runForEachArray(response.stream, (chunks) => {
      for (const chunk of chunks) {
        size += chunk.length
        if (size > limit) return Effect.fail(tooLarge)
        text += decoder.decode(chunk, { stream: true })
      }
      return Effect.void
    }).pipe(
      Effect.map(() => text + decoder.decode()),
      // fetch has no stream for a response without a body
      Effect.catchIf(
        (error) => error !== tooLarge && error.reason._tag === "EmptyBodyError",
        () => Effect.succeed("")
      )
    )
  })
