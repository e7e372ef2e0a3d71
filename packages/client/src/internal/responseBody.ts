import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { collect, type Collector } from "../Transport.ts"
import type { Content } from "./response.ts"

export interface Read {
  (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Content, HttpClientError.HttpClientError>
}

type Chunks = Effect.Effect<ReadonlyArray<Uint8Array>, HttpClientError.HttpClientError>

const isCollector = (response: object): response is Collector => collect in response

/**
 * Makes a reader of at most `limit` bytes of a body, after decompression: a longer one is cut off while it arrives, and
 * the request aborted. It trusts no header: a length can be that of the compressed body, and what wraps responses, such as
 * a service worker, keeps the headers of another.
 */
export const reader =
  (limit: number): Read =>
  (response) =>
    Effect.map((isCollector(response) && response[collect](limit)) || readChunks(response, limit), (chunks) => {
      const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      if (size > limit) return Result.fail(`exceeds maxResponseBytes (${limit})`)
      let bytes = chunks[0]
      // most bodies are one chunk
      if (bytes?.length !== size) {
        bytes = new Uint8Array(size)
        let at = 0
        for (const chunk of chunks) {
          bytes.set(chunk, at)
          at += chunk.length
        }
      }
      return Result.succeed(bytes)
    })

/** `HttpClientResponse.toWeb` calls it; a page does without that module (see `Transport`). */
const source = "~effect/http/HttpClientResponse/WebSource"
const isWeb = (response: object): response is { readonly [source]: () => Response | undefined } => source in response

/**
 * Whether the body comes in one piece: that of node-fetch is a stream of Node.js, React Native and a response without a
 * body have none, and a body that is in use cannot be read, which only its whole says.
 */
const isWhole = (response: HttpClientResponse.HttpClientResponse): boolean => {
  const web = isWeb(response) ? response[source]() : undefined
  return web !== undefined && (web.bodyUsed || !Predicate.hasProperty(web.body, "getReader") || web.body.locked)
}

const readChunks = (response: HttpClientResponse.HttpClientResponse, limit: number): Chunks => {
  if (isWhole(response)) return Effect.map(response.arrayBuffer, (bytes) => [new Uint8Array(bytes)])
  const chunks: Array<Uint8Array> = []
  let size = 0
  // `Stream.runForEachWhile` brings 0.1 kB more into a page
  return Effect.scopedWith((scope) =>
    Effect.catch(
      Effect.flatMap(Channel.toTransform(response.stream.channel)(Cause.done(), scope), (pull) => {
        const read: typeof pull = Effect.flatMap(pull, (arrived) => {
          for (const chunk of arrived) {
            if (size > limit) break
            chunks.push(chunk)
            size += chunk.length
          }
          return size > limit ? Cause.done() : read
        })
        return read
      }),
      (problem) => (Cause.isDone(problem) ? Effect.succeed(chunks) : Effect.fail(problem))
    )
  )
}
