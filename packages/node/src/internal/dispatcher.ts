import * as Effect from "effect/Effect"
import * as Net from "node:net"
import type { Dispatcher } from "undici"
import { Exchange } from "./exchange.ts"

/**
 * undici's agent, with two differences.
 *
 * A connection that is being made ends with the requests that it was begun for, and not after undici's 10 seconds: how
 * long to wait is for them to say. And it speaks HTTP/1.1 only: to find out whether a server speaks HTTP/2, undici holds
 * all requests back behind the first TLS handshake, so that one that stalls would stall every call.
 */
export const make = Effect.gen(function* () {
  // what a bundler makes of a CommonJS module in a chunk of its own has no names, only this
  const { Agent, FormData, buildConnector } = (yield* Effect.promise(() => import("undici"))).default
  let requests = 0
  /** The numbers of the requests that wait for the head of a response, oldest first. */
  const waiting = new Set<number>()
  /** The connections that are being made, each with the number of the last request before it. */
  const connecting = new Map<Net.Socket, number>()
  const abandon = () => {
    const [oldest = Infinity] = waiting
    for (const [socket, last] of connecting) {
      if (last < oldest) socket.destroy(new Error("no request waits for the connection any more"))
    }
  }
  const connect = buildConnector({ allowH2: false, timeout: 0 })
  const agent = yield* Effect.acquireRelease(
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
            if (socket instanceof Net.Socket) connecting.set(socket, requests)
          }
        })
    ),
    (agent) => Effect.promise(() => agent.destroy())
  )
  /** Sends a request, and waits for the head of its response. */
  const send = (options: Dispatcher.DispatchOptions): Effect.Effect<Exchange, unknown> =>
    Effect.suspend(() => {
      const number = ++requests
      const exchange = new Exchange(() => {
        waiting.delete(number)
        if (connecting.size > 0) abandon()
      })
      return exchange.head(() => {
        waiting.add(number)
        agent.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, exchange)
      })
    })
  return { send, makeFormData: () => new FormData() }
})
