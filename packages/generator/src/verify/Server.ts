import * as Effect from "effect/Effect"
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { decode } from "../Json.ts"
import type { Pair } from "./FieldText.ts"
import type { Reply } from "./Reply.ts"

/** A request as it arrived. */
export interface Received {
  readonly method: string
  /** The segments of the path, decoded. */
  readonly path: ReadonlyArray<string>
  /** The parameters of the query, decoded. */
  readonly query: ReadonlyArray<Pair>
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The pairs of a query or a form. */
export const pairs = (text: string): ReadonlyArray<Pair> => [...new URLSearchParams(text)]

const receive = async (request: IncomingMessage): Promise<Received> => {
  const { headers, method = "", url = "" } = request
  const at = url.includes("?") ? url.indexOf("?") : url.length
  const path = url.slice(0, at).split("/").map(decode)
  return { method, path, query: pairs(url.slice(at + 1)), headers, body: await buffer(request) }
}

/** What answers the requests of the present call. */
export type Answer = (received: Received) => Promise<Reply>

/** A server of which one call at a time decides the answers. */
export interface Server {
  readonly baseUrl: string
  readonly answerWith: (answer: Answer) => void
}

/** Starts a server on a free port of this machine; it ends with the scope. */
export const scoped = Effect.gen(function* () {
  let answer: Answer | undefined
  const server = createServer({ maxHeaderSize: 1_000_000 }, (request, response) => {
    const respond = async () => {
      const reply = await answer?.(await receive(request))
      response.writeHead(reply?.status ?? 500, {
        ...(reply?.type !== undefined && { "content-type": reply.type }),
        ...(reply?.location !== undefined && { location: reply.location }),
        ...(reply?.link !== undefined && { link: reply.link })
      })
      response.end(request.method === "HEAD" ? undefined : reply?.body)
    }
    respond().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  // a connection may wait while the examples of a large operation are made
  server.keepAliveTimeout = 0
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    answerWith: (next) => {
      answer = next
    }
  } satisfies Server
})
