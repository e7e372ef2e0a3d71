import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constTrue, identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import * as CallerAddress from "../internal/callerAddress.ts"
import * as WellFormed from "../internal/wellFormed.ts"
import { Service } from "../Service.ts"
import * as Exchanges from "./internal/exchanges.ts"
import type { TrustedProxies } from "./TrustedProxies.ts"

/**
 * How long a peer may take, and how much it may send. Node looks at `headers` and `request` once a second, and adds a
 * second to `keepAlive`, so these can be passed by that much.
 */
export interface Limits {
  /** From the start of a connection, or the first byte of its next request, to the end of the headers. Then 408. */
  readonly headers: Duration.Input
  /** A whole request, headers and body. Then 408. */
  readonly request: Duration.Input
  /**
   * Making a response, and from each 64 KiB of it that the peer takes to the next. Then the end of the connection: of a
   * peer that never reads.
   */
  readonly silence: Duration.Input
  /** A connection between two requests. Behind a proxy: longer than the proxy's own limit. */
  readonly keepAlive: Duration.Input
  /** From the end of the scope to the last request; what is left by then is cut off. */
  readonly shutdown: Duration.Input
  /** Most bytes of a request line and headers. Then 431. */
  readonly maxHeaderSize: number
  /** Most characters of a request target. Then 414. The longest of the specification has 156. */
  readonly maxTargetLength: number
  /** After so many requests a connection ends, so that long-lived clients spread over new instances. */
  readonly maxRequestsPerConnection: number
}

/**
 * 5 seconds for headers, 10 for a request, 30 of silence, 5 between requests, 10 to shut down; 16 KiB of headers, 2,048
 * characters of a target, 1,000 requests of a connection.
 */
export const standard: Limits = {
  headers: "5 seconds",
  request: "10 seconds",
  silence: "30 seconds",
  keepAlive: "5 seconds",
  shutdown: "10 seconds",
  maxHeaderSize: 16_384,
  maxTargetLength: 2048,
  maxRequestsPerConnection: 1000
}

/** Where to listen, and how patiently. */
export interface Options {
  /** Address or name of the interface. Default: `127.0.0.1`, reachable from this machine only. */
  readonly host?: string | undefined
  /** Default: 0, which takes a free port. */
  readonly port?: number | undefined
  /** Default: {@link standard}. */
  readonly limits?: Partial<Limits> | undefined
  /** Certificate, with those of its issuers, and private key, in PEM: serves TLS 1.3 and 1.2. Default: no TLS. */
  readonly tls?: { readonly cert: string; readonly key: Redacted.Redacted } | undefined
  /** Proxies that are believed. Default: none, and who is connected is the caller. */
  readonly trustedProxies?: TrustedProxies | undefined
}

/** The host cannot listen where it should. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  message: Schema.String,
  /** The system's code: `EADDRINUSE`, `EACCES`, `ENOTFOUND`, … */
  code: Schema.String
}) {}

/** The certificate and the key do not make a TLS server. */
export class InvalidTls extends Schema.TaggedError<InvalidTls>()("InvalidTls", { message: Schema.String }) {}

/** A service that listens. */
export class HttpHost extends Context.Service<
  HttpHost,
  {
    /** Where it listens: scheme, address and the actual port. */
    readonly url: string
  }
>()("@cloud-management/service/node/HttpHost") {}

/**
 * TLS 1.3, and of TLS 1.2 what has forward secrecy and authenticated encryption (RFC 9325 §4.2): who records a
 * connection must not be able to read it with a key that is stolen later.
 */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305"
].join(":")

/** Whole milliseconds, of which a timer of Node takes no more than these: 24 days. */
const millis = (limit: Duration.Input) => Math.min(Math.ceil(Duration.toMillis(limit)), 2 ** 31 - 1)

const makeServer = (limits: Limits, tls: Options["tls"]): Http.Server | Https.Server => {
  const options = {
    // else a second Authorization would be dropped in silence
    joinDuplicateHeaders: true,
    // refused by the service, with the answer that it has for everything else
    requireHostHeader: false,
    maxHeaderSize: limits.maxHeaderSize,
    // Node insists that it is not the longer one
    headersTimeout: Math.min(millis(limits.headers), millis(limits.request)),
    requestTimeout: millis(limits.request),
    keepAliveTimeout: millis(limits.keepAlive),
    // Node's default is 30 seconds
    connectionsCheckingInterval: Math.min(1000, Math.ceil(millis(limits.headers) / 5))
  }
  const server =
    tls === undefined
      ? Http.createServer(options)
      : Https.createServer({
          ...options,
          cert: tls.cert,
          key: Redacted.value(tls.key),
          minVersion: "TLSv1.2",
          ciphers,
          // Node's default is two minutes
          handshakeTimeout: millis(limits.headers)
        })
  // `maxHeaderSize` bounds them; of more than 1000, Node 22 drops the rest in silence
  server.maxHeadersCount = 0
  return server
}

const listen = (server: Net.Server, host: string, port: number): Effect.Effect<string, ListenFailed> =>
  Effect.callback((resume) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const code = error.code ?? "UNKNOWN"
      const problem =
        code === "EADDRINUSE"
          ? "is taken by another process"
          : code === "EACCES"
            ? "needs more rights"
            : code === "ENOTFOUND" || code === "EADDRNOTAVAIL"
              ? "is no address of this machine"
              : `cannot be listened on: ${error.message}`
      resume(new ListenFailed({ message: `${host}:${port} ${problem} (${code})`, code }))
    }
    server.once("error", onError)
    server.listen({ host, port }, () => {
      server.off("error", onError)
      const bound = server.address()
      resume(
        bound === null || typeof bound === "string"
          ? Effect.die(`no address of a network: ${bound}`)
          : Effect.succeed(`${Net.isIPv6(bound.address) ? `[${bound.address}]` : bound.address}:${bound.port}`)
      )
    })
  })

/** A year, as RFC 6797 §6.1.1 counts. */
const strictTransport = HttpServerResponse.setHeader("strict-transport-security", "max-age=31536000")

/**
 * Most bytes that a connection is given at once. TLS encrypts them all, and keeps them until the peer has read; and a
 * peer that reads shows it after each.
 */
const piece = 65_536

const inPieces = (response: HttpServerResponse.HttpServerResponse) => {
  const { body } = response
  if (body._tag !== "Uint8Array" || body.contentLength <= piece) return response
  const pieces = Stream.range(0, Math.ceil(body.contentLength / piece) - 1).pipe(
    Stream.map((i) => body.body.subarray(i * piece, (i + 1) * piece)),
    Stream.rechunk(1)
  )
  return HttpServerResponse.setBody(response, HttpBody.stream(pieces, body.contentType, body.contentLength))
}

/** The caller of a request, as far as the proxies are believed. */
const callerOf = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest, proxies: TrustedProxies) =>
  proxies.caller(Option.getOrUndefined(remoteAddress), headers)

/** Asks callers over TLS to stay with it. */
const behind = (app: Service["Service"]["app"], isTls: boolean, proxies: TrustedProxies | undefined) => {
  if (isTls) return Effect.map(app, strictTransport)
  if (proxies === undefined) return app
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    callerOf(request, proxies).isSecure ? Effect.map(app, strictTransport) : app
  )
}

const make = Effect.fnUntraced(function* (options: Options) {
  const { app, drain } = yield* Service
  // made before the server, so closed after it: the end of the scope must not interrupt the requests under way
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const limits = { ...standard, ...options.limits }
  const { tls, trustedProxies } = options
  const server = yield* Effect.try({
    try: () => makeServer(limits, tls),
    // of a key or certificate that does not parse, or of two that do not belong together; it quotes neither
    catch: (error) => new InvalidTls({ message: error instanceof Error ? error.message : String(error) })
  })

  const faults = new WeakMap<object, WellFormed.Fault>()
  const { maxTargetLength } = limits
  const handle = yield* NodeHttpServer.makeHandler(
    Effect.map(behind(app, tls !== undefined, trustedProxies), inPieces),
    { scope }
  ).pipe(
    trustedProxies === undefined
      ? identity
      : Effect.provideService(CallerAddress.Resolver, (request) => callerOf(request, trustedProxies).address),
    Effect.provideService(HttpMiddleware.TracerDisabledWhen, constTrue),
    Effect.provideService(WellFormed.HostRules, { maxTargetLength, fault: ({ source }) => faults.get(source) })
  )
  const { onSettled } = Exchanges.serve(server, { ...limits, silence: millis(limits.silence), handle, faults })
  const settled = Effect.callback<void>((resume) => onSettled(() => resume(Effect.void)))

  const close = Effect.gen(function* () {
    yield* drain
    // Not the close of http.Server, which also ends idle connections and the watch over slow ones: until the last
    // request is answered, those that come on open connections get 503.
    Net.Server.prototype.close.call(server)
    yield* Effect.timeoutOption(Effect.interruptible(settled), limits.shutdown)
    server.closeAllConnections()
    server.close()
  })

  const address = yield* Effect.acquireRelease(
    listen(server, options.host ?? "127.0.0.1", options.port ?? 0),
    () => close
  )
  // without a listener, a connection that cannot be accepted would end the process
  const context = yield* Effect.context()
  server.on("error", (error) => Effect.runForkWith(context)(Effect.logWarning("connection not accepted", error)))
  return HttpHost.of({ url: `${tls === undefined ? "http" : "https"}://${address}` })
})

/**
 * Serves a {@link Service} over HTTP/1.1 on node:http, hardened against slow, oversized and malformed requests.
 *
 * When its scope ends it no longer accepts connections, answers new requests on open ones with 503, waits for the
 * requests under way, and cuts off what is left after `limits.shutdown`.
 *
 * The address of a caller is that of its socket. Anyone can send `X-Forwarded-For` and its like, so they are read only
 * from `trustedProxies`.
 *
 * @example
 * import * as Layer from "effect/Layer"
 * import * as SecureRandom from "effect/crypto/SecureRandom"
 * import * as HttpHost from "@cloud-management/service/node/HttpHost"
 * import * as MemoryStore from "@cloud-management/service/MemoryStore"
 * import * as Service from "@cloud-management/service/Service"
 *
 * const host = HttpHost.layer({ port: 8080 }).pipe(
 *   Layer.provide(Service.layer()),
 *   Layer.provide(MemoryStore.layer),
 *   Layer.provide(SecureRandom.layerWebCrypto)
 * )
 */
export const layer = (options: Options = {}): Layer.Layer<HttpHost, ListenFailed | InvalidTls, Service> =>
  Layer.effect(HttpHost, make(options))
