import * as Effect from "effect/Effect"
import { connect, createServer, type Socket } from "node:net"

export interface TcpProxy {
  readonly port: number
  readonly block: Effect.Effect<void>
  readonly unblock: Effect.Effect<void>
  /** Waits until so many connections have been made in all. */
  readonly connected: (count: number) => Effect.Effect<void>
  readonly close: () => void
}

export interface Options {
  /** Changes what clients send. */
  readonly alter?: (chunk: Buffer) => Buffer
  /** How late it delivers, in milliseconds: half of what it adds to a round trip. */
  readonly delay?: number
}

/**
 * A way to a port of this machine that can be blocked: what is sent then is neither delivered nor refused, as on a
 * network that breaks. It ends with the scope.
 */
export const open = (target: number, host = "127.0.0.1", { alter = (chunk) => chunk, delay = 0 }: Options = {}) =>
  Effect.acquireRelease(
    Effect.callback<TcpProxy>((resume) => {
      const sockets = new Set<Socket>()
      let blocked = false
      let made = 0
      const waiting = new Set<() => void>()
      const connected = (count: number) =>
        Effect.callback<void>((resume) => {
          const look = () => {
            if (made >= count && waiting.delete(look)) resume(Effect.void)
          }
          waiting.add(look)
          look()
        })
      const server = createServer({ pauseOnConnect: true }, (client) => {
        const upstream = connect({ host, port: target, noDelay: true })
        for (const [from, to] of [
          [client, upstream],
          [upstream, client]
        ] as const) {
          sockets.add(from)
          from.on("error", () => {})
          from.on("data", (chunk: Buffer) => {
            const sent = from === client ? alter(chunk) : chunk
            if (delay === 0) to.write(sent)
            else setTimeout(() => to.write(sent), delay)
          })
          from.once("close", () => {
            sockets.delete(from)
            to.destroy()
          })
          if (blocked) from.pause()
          else from.resume()
        }
        made++
        waiting.forEach((look) => look())
      })
      const set = (value: boolean) =>
        Effect.sync(() => {
          blocked = value
          for (const socket of sockets) {
            if (value) socket.pause()
            else socket.resume()
          }
        })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(
          Effect.succeed({
            port: typeof address === "object" ? (address?.port ?? 0) : 0,
            block: set(true),
            unblock: set(false),
            connected,
            close: () => {
              server.close()
              sockets.forEach((socket) => socket.destroy())
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )
