import * as Http from "node:http"
import * as Net from "node:net"
import type { buildConnector } from "undici"
import * as Proxy from "./proxy.ts"

/** Makes a connection. Each socket that it needs on the way is handed to `track`: destroying the last ends all. */
export type Connect = (
  options: buildConnector.Options,
  // undici's connectors leave the socket out with an error, though their types say null
  callback: (error: Error | null, socket?: Net.Socket | null) => void,
  track: (socket: Net.Socket) => void
) => void

/** undici's error for addresses that did not respond states its own limit, which is off; its cause states each address. */
const withoutLimit = (error: Error) =>
  "code" in error && error.code === "UND_ERR_CONNECT_TIMEOUT" && error.cause instanceof Error ? error.cause : error

/**
 * Says that nothing was sent: an error during a handshake is that of a read, or of no call of the system, as one that comes
 * after a request.
 */
const unsent = (error: Error) => Object.assign(withoutLimit(error), { syscall: "connect" })

/** Connects in the same way, with an error of its own. */
const failing =
  (connect: Connect, toError: (cause: Error) => Error): Connect =>
  (options, callback, track) =>
    connect(options, (cause, socket) => callback(cause && toError(cause), socket), track)

/** Connects as undici does; with a server name, to that one over TLS. */
export const direct = (connector: buildConnector.connector, servername?: string): Connect =>
  failing((options, callback, track) => {
    const isNamed = servername !== undefined && options.protocol === "https:"
    // the socket, which the types do not mention
    const socket: unknown = connector(isNamed ? { ...options, servername } : options, callback)
    if (socket instanceof Net.Socket) track(socket)
  }, unsent)

/** Without a connection nothing was sent, whatever the system says of the path: `ENOENT`, `EACCES`, … */
class UnixSocketFailed extends Error {
  readonly code = "EHOSTUNREACH"
}

/** Connects to a Unix socket, whatever the origin. */
export const toUnixSocket = (path: string, connect: Connect): Connect =>
  failing(connect, (cause) => new UnixSocketFailed(`cannot connect to the Unix socket ${path}`, { cause }))

/** Connects to a proxy, whatever the origin. */
export const toProxy = (proxy: Proxy.Proxy, connector: buildConnector.connector): Connect => {
  const connect = direct(connector, proxy.tls.servername)
  return failing(
    (_, callback, track) => connect(proxy.address, callback, track),
    (cause) => new Proxy.ProxyFailed(proxy, "cannot be reached", { cause })
  )
}

/** Whether a proxy that responds to CONNECT so may respond otherwise later. */
const isTransient = (status: number) => status === 429 || status >= 500

/** Connects through a tunnel of a proxy (RFC 9110 §9.3.6). */
export const tunnel =
  (proxy: Proxy.Proxy, toProxy: Connect, toOrigin: Connect): Connect =>
  (options, callback, track) => {
    const { host = options.hostname, port, protocol } = options
    const authority = port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host
    const fail = (what: string, more?: { readonly isRefusal?: boolean; readonly cause?: unknown }) =>
      callback(new Proxy.ProxyFailed(proxy, what, more))
    toProxy(
      options,
      (error, socket) => {
        if (!socket) return callback(error)
        const request = Http.request({
          method: "CONNECT",
          path: authority,
          createConnection: () => socket,
          setDefaultHeaders: false,
          headers: { host: authority, ...proxy.authorization }
        })
        request.on("error", (cause) => fail(`ended the connection during CONNECT ${authority}`, { cause }))
        request.on("connect", ({ statusCode: status = 0 }, _, early: Uint8Array) => {
          if (status >= 200 && status < 300 && early.length === 0) {
            if (protocol === "https:") toOrigin({ ...options, httpSocket: socket }, callback, track)
            else callback(null, socket)
            return
          }
          socket.destroy()
          if (status === 407) callback(Proxy.unauthenticated(proxy))
          // node:http takes it for the final one
          else if (status < 200)
            fail(`sent an interim response to CONNECT ${authority} (${status})`, { isRefusal: true })
          else if (status < 300) fail(`sent unexpected data after CONNECT ${authority}`)
          else fail(`refused CONNECT ${authority} (${status})`, { isRefusal: !isTransient(status) })
        })
        request.end()
      },
      track
    )
  }
