import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"

/** A request as the server saw it; `body` is absent if it broke off. */
interface Seen {
  readonly headers: Http.IncomingHttpHeaders
  readonly body?: Buffer
}

/** A server, and its URL. */
export const serve = (listener: Http.RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = Http.createServer(listener).listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) =>
        Effect.promise(async () => {
          server.closeAllConnections()
          server.close()
          await once(server, "close")
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

/** A server that answers each request once it is complete, the first that arrived, and how it ended. */
export const record = Effect.gen(function* () {
  const arrived = yield* Deferred.make<Http.IncomingMessage>()
  const seen = yield* Deferred.make<Seen>()
  const url = yield* serve((request, response) => {
    const { headers } = request
    Deferred.doneUnsafe(arrived, Effect.succeed(request))
    buffer(request).then(
      (body) => {
        Deferred.doneUnsafe(seen, Effect.succeed({ headers, body }))
        response.end("ok")
      },
      () => Deferred.doneUnsafe(seen, Effect.succeed({ headers }))
    )
  })
  return { url, arrived: Deferred.await(arrived), seen: Deferred.await(seen) }
})
