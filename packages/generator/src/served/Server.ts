import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { pairs } from "./Fields.ts"
import type { Reply } from "./Reply.ts"
import type { Received } from "./Request.ts"

const receive = async (request: IncomingMessage): Promise<Received> => {
  const { headers, method = "", url = "" } = request
  const at = url.includes("?") ? url.indexOf("?") : url.length
  return { method, path: url.slice(0, at), query: pairs(url.slice(at + 1)), headers, body: await buffer(request) }
}

export type Respond = (received: Received) => Pick<Reply, "status" | "headers" | "body">

/** Starts a server on a port of this machine, a free one by default; it ends with the scope. */
export const scoped = (respond: Respond, port = 0) =>
  Effect.gen(function* () {
    const server = createServer({ maxHeaderSize: 1_000_000 }, (request, response) => {
      const run = async () => {
        const { body, headers, status } = respond(await receive(request))
        response.writeHead(status, headers)
        response.end(request.method === "HEAD" ? undefined : body)
      }
      run().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
    })
    // a connection may wait while the examples of a large operation are made
    server.keepAliveTimeout = 0
    const own = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.once("error", (error) => resume(Effect.die(error)))
        server.listen(port, "127.0.0.1", () => {
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
    return { baseUrl: `http://127.0.0.1:${own}` }
  })
