import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Undici from "undici"
import * as Connect from "./connect.ts"
import { Exchange } from "./exchange.ts"
import * as Pool from "./pool.ts"
import * as Proxy from "./proxy.ts"
import type { Settings } from "./settings.ts"
import type { TlsSettings } from "./tls.ts"

/** A request, as far as undici has to know it. */
export interface Options extends Undici.Dispatcher.DispatchOptions {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a request, and waits for the head of its response. */
type Send = (options: Options) => Effect.Effect<Exchange, unknown>

/** The cause of the failure of a request that met a closed transport: a new one, or one in flight (`isSent`). */
class TransportClosed extends Error {
  override readonly name = "TransportClosed"
  readonly code = "ERR_TRANSPORT_CLOSED"
  /** The request was waiting for it, if it was sent: its outcome is unknown then. */
  readonly syscall: "read" | undefined

  constructor(isSent: boolean) {
    super("the transport's layer is closed; keep its scope open")
    this.syscall = isSent ? "read" : undefined
  }
}

/**
 * How long, in milliseconds, a connection to one of several addresses may take before Node.js gives it up for the next. A
 * lost SYN is repeated after 1 s (RFC 6298 §2.1); Node.js would wait for 250 ms.
 */
const addressTimeout = 2500

/**
 * undici's clients, each of one connection, in pools of our own.
 *
 * They speak HTTP/1.1 only: to find out whether a server speaks HTTP/2, undici holds all requests back behind the first
 * TLS handshake, so that one that stalls would stall every call.
 *
 * undici's `ProxyAgent` is not used: its CONNECT outlives the request that it was sent for, and its errors do not name
 * the proxy (docs/decisions/0018-proxies.md).
 */
export const make = Effect.fnUntraced(function* ({
  connections = Infinity,
  keepAlive,
  proxies,
  socketPath,
  tls = {}
}: Settings) {
  // a CommonJS module that a bundler puts into a chunk of its own has only a default export
  const undici = (yield* Effect.promise(() => import("undici"))).default
  const clients: Undici.Client.Options = {
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(keepAlive === 0 && { pipelining: 0 }),
    ...(keepAlive !== undefined && keepAlive > 0 && { keepAliveTimeout: keepAlive })
  }
  let isClosed = false
  const makeAgent = Effect.fnUntraced(function* (connect: Connect.Connect): Effect.fn.Return<Send, never, Scope.Scope> {
    const pools = new Map<string, Pool.Pool>()
    const poolOf = (origin: string) => {
      const known = pools.get(origin)
      if (known !== undefined) return known
      const makeClient = (connect: Undici.buildConnector.connector) =>
        new undici.Client(origin, { ...clients, connect })
      const pool = Pool.make(makeClient, connect, connections, () => pools.delete(origin))
      pools.set(origin, pool)
      return pool
    }
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => {
        isClosed = true
        const [unsent, sent] = [new TransportClosed(false), new TransportClosed(true)]
        const end = (isSent: boolean) => (isSent ? sent : unsent)
        return Promise.all(Array.from(pools.values(), (pool) => pool.destroy(end)))
      })
    )
    return (options) =>
      Effect.suspend(() => {
        if (isClosed) return Effect.fail(new TransportClosed(false))
        const exchange = new Exchange()
        return exchange.head(() => poolOf(options.origin).send(options, exchange))
      })
  })
  const makeConnector = ({ secureContext }: TlsSettings, path?: string) =>
    undici.buildConnector({
      allowH2: false,
      timeout: 0,
      autoSelectFamilyAttemptTimeout: addressTimeout,
      ...(secureContext !== undefined && { secureContext }),
      ...(path !== undefined && { socketPath: path })
    })

  const toHost = Connect.direct(makeConnector(tls, socketPath), tls.servername)
  const toOrigin = socketPath === undefined ? toHost : Connect.toUnixSocket(socketPath, toHost)
  const direct = yield* makeAgent(toOrigin)
  const toProxy = (proxy: Proxy.Proxy) => Connect.toProxy(proxy, makeConnector(proxy.tls))
  const tunnel = (proxy: Proxy.Proxy) => makeAgent(Connect.tunnel(proxy, toProxy(proxy), toOrigin))

  /** The absolute form (RFC 9112 §3.2.2): the proxy reads the request. */
  const forward = (proxy: Proxy.Proxy) =>
    Effect.map(makeAgent(toProxy(proxy)), (send): Send => ({ headers, origin, path, ...options }) => {
      const host = origin.slice(origin.indexOf("//") + 2)
      const request = {
        ...options,
        origin: proxy.origin,
        path: origin + path,
        headers: { host, ...headers, ...proxy.authorization },
        // one for all origins, lest undici connect anew for each
        servername: proxy.tls.servername ?? proxy.address.hostname
      }
      return Effect.flatMap(send(request), (exchange) => {
        if (exchange.status !== 407) return Effect.succeed(exchange)
        exchange.abort()
        return Effect.fail(Proxy.unauthenticated(proxy))
      })
    })

  const none = () => direct
  const choose = Effect.fnUntraced(function* ({ bypasses, http, https }: NonNullable<Settings["proxies"]>) {
    const ofHttp = http === undefined ? direct : yield* http.tunnel ? tunnel(http) : forward(http)
    const ofHttps = https === undefined ? direct : yield* tunnel(https)
    let [last, route] = ["", direct]
    return (origin: string) => {
      if (origin !== last) {
        const url = URL.canParse(origin) ? new URL(origin) : undefined
        route = url === undefined || bypasses(url) ? direct : url.protocol === "https:" ? ofHttps : ofHttp
        last = origin
      }
      return route
    }
  })
  const routeOf = proxies === undefined ? none : yield* choose(proxies)

  const send: Send = (options) => routeOf(options.origin)(options)
  return { send, makeFormData: () => new undici.FormData() }
})
