import * as Effect from "effect/Effect"
import { once } from "node:events"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import type * as Tls from "node:tls"

/** A server on a free port of this machine or at a path, which ends with the scope: its port. */
export const listen = (server: Net.Server, path?: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const sockets = new Set<Net.Socket>()
        server.on("connection", (socket: Net.Socket) => {
          sockets.add(socket.on("error", () => {}))
          socket.once("close", () => sockets.delete(socket))
        })
        // a handshake that fails is the client's to report
        server.on("tlsClientError", () => {})
        if (path === undefined) server.listen(0, "127.0.0.1")
        else server.listen(path)
        await once(server, "listening")
        return sockets
      }),
      (sockets) =>
        Effect.promise(async () => {
          const closed = once(server, "close")
          server.close()
          for (const socket of sockets) socket.destroy()
          await closed
        })
    ),
    () => {
      const address = server.address()
      return address !== null && typeof address === "object" ? address.port : 0
    }
  )

/** Joins two connections. The end of one is that of the other. */
export const join = (one: Net.Socket, other: Net.Socket) => {
  one.pipe(other)
  other.pipe(one)
  for (const [from, to] of [
    [one, other],
    [other, one]
  ] as const) {
    from.on("error", () => {}).on("close", () => to.destroy())
  }
}

/** What a proxy does in another way than usual. */
export interface Options {
  /** Who may use it, as `user:password`. Default: anyone. */
  readonly credentials?: string
  /** Default: no TLS. */
  readonly tls?: Tls.TlsOptions
  /** Receives CONNECT in place of the proxy. */
  readonly onConnect?: (socket: Net.Socket) => void
}

export interface ForwardProxy {
  /** Its URL without credentials. */
  readonly url: string
  /** The method and the target of each request that came. */
  readonly requests: ReadonlyArray<string>
  /** The headers of each. */
  readonly headers: ReadonlyArray<Http.IncomingHttpHeaders>
}

/** A forward proxy: CONNECT (RFC 9110 §9.3.6) and the absolute form (RFC 9112 §3.2.2). */
export const make = Effect.fnUntraced(function* ({ credentials, onConnect, tls }: Options = {}) {
  const requests: Array<string> = []
  const headers: Array<Http.IncomingHttpHeaders> = []
  const expected = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`
  /** Notes a request, and tells whether its sender may use the proxy. */
  const admits = (request: Http.IncomingMessage) => {
    requests.push(`${request.method} ${request.url}`)
    headers.push(request.headers)
    return expected === undefined || request.headers["proxy-authorization"] === expected
  }
  const server = tls === undefined ? Http.createServer() : Https.createServer(tls)
  server.on("request", (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    if (!admits(request)) {
      response.writeHead(407, { "proxy-authenticate": 'Basic realm="proxy"' }).end()
      return
    }
    const { "proxy-authorization": _, ...forwarded } = request.headers
    const upstream = Http.request(request.url ?? "", { method: request.method ?? "", headers: forwarded, agent: false })
    upstream.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
      // what breaks off there breaks off here
      answer.on("error", () => response.destroy())
      answer.pipe(response)
    })
    upstream.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    response.on("close", () => upstream.destroy())
    request.pipe(upstream)
  })
  server.on("connect", (request: Http.IncomingMessage, socket: Net.Socket) => {
    socket.on("error", () => {})
    if (!admits(request)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"\r\n\r\n')
      return
    }
    if (onConnect !== undefined) return onConnect(socket)
    const { hostname, port } = new URL(`http://${request.url}`)
    const upstream = Net.connect(Number(port || 80), hostname)
    upstream.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"))
    upstream.once("connect", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
      join(upstream, socket)
    })
  })
  const port = yield* listen(server)
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    requests,
    headers
  } satisfies ForwardProxy
})
