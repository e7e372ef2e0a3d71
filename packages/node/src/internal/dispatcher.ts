import * as Effect from "effect/Effect"
import * as Net from "node:net"

/**
 * undici's agent, with two differences.
 *
 * It ends the connections that are being made when no request is left that waits for one; undici would go on for 10
 * seconds. And it speaks HTTP/1.1 only: to find out whether a server speaks HTTP/2, undici holds all requests back
 * behind the first TLS handshake, so that one that stalls would stall every call.
 */
export const make = Effect.gen(function* () {
  // what a bundler makes of a CommonJS module in a chunk of its own has no names, only this
  const { Agent, buildConnector } = (yield* Effect.promise(() => import("undici"))).default
  const connecting = new Set<Net.Socket>()
  const abandon = () => {
    for (const socket of connecting) socket.destroy(new Error("no request waits for the connection any more"))
  }
  const connect = buildConnector({ allowH2: false })
  const dispatcher = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Agent({
          allowH2: false,
          connect: (options, callback) => {
            // the socket, which the types do not tell
            let socket: unknown
            socket = connect(options, (...result) => {
              if (socket instanceof Net.Socket) connecting.delete(socket)
              callback(...result)
            })
            if (socket instanceof Net.Socket) connecting.add(socket)
          }
        })
    ),
    (agent) => Effect.promise(() => agent.destroy())
  )
  let waiting = 0
  /** To be put around a request until the head of its response. */
  const whileWaiting = <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => waiting++),
      () => request,
      () =>
        Effect.sync(() => {
          waiting--
          if (waiting === 0) abandon()
        })
    )
  return { dispatcher, whileWaiting }
})
