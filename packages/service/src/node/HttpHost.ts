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
import { Service } from "../Service.ts"
import type { TrustedProxies } from "./TrustedProxies.ts"

/** How long a peer may take. Node looks once a second, so a limit can be passed by that much. */
export interface Limits {
  /** From the start of a connection, or the first byte of its next request, to the end of the headers. Then 408. */
  readonly headers: Duration.Input
  /** A whole request, with its body. Then 408, or only the end of the connection when a response has begun. */
  readonly request: Duration.Input
  /** A connection on which nothing moves while a response is made or sent: ends a peer that never reads. */
  readonly silence: Duration.Input
  /** A connection between two requests. Behind a proxy: longer than the proxy's own limit. */
  readonly keepAlive: Duration.Input
  /** From the end of the scope to the last request; what is left by then is cut off. */
  readonly shutdown: Duration.Input
}

/** 5 seconds for headers, 10 for a request, 30 of silence, 5 between requests, 10 to shut down. */
export const standard: Limits = {
  headers: "5 seconds",
  request: "10 seconds",
  silence: "30 seconds",
  keepAlive: "5 seconds",
  shutdown: "10 seconds"
}

/** Where to listen, and how patiently. */
export interface Options {
  /** Address or name of the interface. Default: `127.0.0.1`, reachable from this machine only. */
  readonly host?: string | undefined
  /** Default: 0, which takes a free port. */
  readonly port?: number | undefined
  /** Default: {@link standard}. */
  readonly limits?: Partial<Limits> | undefined
  /** Certificate, with those of its issuers, and private key, in PEM. Default: no TLS. */
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

/** Largest head of a request, in bytes: Node's default, stated. Then 431. */
const maxHeaderSize = 16_384
/** After these many requests a connection ends, so that long-lived clients spread over new instances. */
const maxRequestsPerSocket = 1000
/** Most requests of a connection that wait for their answers; one with more is ended. */
const maxPipelined = 32

const makeServer = (limits: Limits, tls: Options["tls"]): Http.Server | Https.Server => {
  const millis = (limit: Duration.Input) => Duration.toMillis(limit)
  const options = {
    // else a second Authorization would be dropped in silence
    joinDuplicateHeaders: true,
    maxHeaderSize,
    headersTimeout: millis(limits.headers),
    requestTimeout: millis(limits.request),
    keepAliveTimeout: millis(limits.keepAlive),
    // Node's default is 30 seconds
    connectionsCheckingInterval: Math.min(1000, millis(limits.headers) / 5)
  }
  const server =
    tls === undefined
      ? Http.createServer(options)
      : Https.createServer({
          ...options,
          cert: tls.cert,
          key: Redacted.value(tls.key),
          // Node's default is two minutes
          handshakeTimeout: millis(limits.headers)
        })
  // `maxHeaderSize` bounds them; of more than 1000, Node 22 drops the rest in silence
  server.maxHeadersCount = 0
  server.maxRequestsPerSocket = maxRequestsPerSocket
  server.timeout = millis(limits.silence)
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

/** HTTP/1.1, and HTTP/1.0 with the framing that it knows (RFC 9112 §6.1); Node's parser takes 0.9 as well. */
const isSpoken = ({ headers, httpVersion }: Http.IncomingMessage) =>
  httpVersion === "1.1" || (httpVersion === "1.0" && headers["transfer-encoding"] === undefined)

/** A year, as RFC 6797 §6.1.1 counts. */
const strictTransport = HttpServerResponse.setHeader("strict-transport-security", "max-age=31536000")

/** Most bytes that a connection is given at once: TLS encrypts them all, and keeps them until the peer has read. */
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
const behind = (service: Service["Service"]["app"], isTls: boolean, proxies: TrustedProxies | undefined) => {
  if (isTls) return Effect.map(Effect.map(service, inPieces), strictTransport)
  if (proxies === undefined) return service
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    callerOf(request, proxies).isSecure ? Effect.map(service, strictTransport) : service
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

  let pending = 0
  let settle = () => {}
  const connections = new WeakMap<Net.Socket, Set<Http.ServerResponse>>()
  const open = (socket: Net.Socket) => {
    const waiting = new Set<Http.ServerResponse>()
    connections.set(socket, waiting)
    // Node 22 does not tell the responses that were still waiting for their turn
    socket.once("close", () => waiting.forEach((response) => response.emit("close")))
    return waiting
  }
  server.on("request", ({ socket }, response) => {
    const waiting = connections.get(socket) ?? open(socket)
    waiting.add(response)
    pending++
    response.once("close", () => {
      waiting.delete(response)
      pending--
      if (pending === 0) settle()
    })
    if (waiting.size > maxPipelined) socket.destroy()
  })
  const settled = Effect.callback<void>((resume) => {
    settle = () => resume(Effect.void)
    if (pending === 0) settle()
  })

  // Only `request`, not `upgrade`: what asks for an upgrade is answered as an ordinary request, within the same limits.
  const handle = yield* NodeHttpServer.makeHandler(behind(app, tls !== undefined, trustedProxies), { scope }).pipe(
    trustedProxies === undefined
      ? identity
      : Effect.provideService(CallerAddress.Resolver, (request) => callerOf(request, trustedProxies).address),
    Effect.provideService(HttpMiddleware.TracerDisabledWhen, constTrue)
  )
  server.on("request", (request, response) => {
    if (request.socket.destroyed) return
    if (isSpoken(request)) handle(request, response)
    else response.writeHead(400, { connection: "close" }).end()
  })

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
