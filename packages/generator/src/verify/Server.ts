import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import * as Received from "./Received.ts"
import type { Reply } from "./Reply.ts"

/** What answers the requests of the present call. */
export type Answer = (received: Received.Received) => Promise<Reply>

/** A server of which one call at a time decides the answers. */
export interface Server {
  readonly baseUrl: string
  readonly answerWith: (answer: Answer) => void
}

/** Starts a server on a free port of this machine; it ends with the scope. */
export const scoped = Effect.gen(function* () {
  let answer: Answer | undefined
  const server = createServer({ maxHeaderSize: 1_000_000 }, (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method = "", url = "" } = request
      const respond = async () => {
        const reply = await answer?.(Received.make(method, url, headers, Buffer.concat(chunks)))
        response.writeHead(reply?.status ?? 500, {
          ...(reply?.type !== undefined && { "content-type": reply.type }),
          ...(reply?.location !== undefined && { location: reply.location }),
          ...(reply?.link !== undefined && { link: reply.link })
        })
        response.end(method === "HEAD" ? undefined : reply?.body)
      }
      respond().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
    })
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
