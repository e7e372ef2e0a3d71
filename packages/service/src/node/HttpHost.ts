import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Https from "node:https"
import * as Net from "node:net"
import type { HttpRequest } from "../HttpRequest.ts"
import { Service } from "../Service.ts"
import * as Callers from "./internal/callers.ts"
import * as Connections from "./internal/connections.ts"
import * as Responses from "./internal/responses.ts"
import * as Server from "./internal/server.ts"
import type { TrustedProxies } from "./TrustedProxies.ts"

/**
 * How long a peer may take, and how much it may send.
 *
 * **Gotchas**
 *
 * Node looks at `headers` and `request` once a second, and adds a second to `keepAlive`, so these can be passed by that
 * much.
 *
 * @category models
 * @since 0.1.0
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
 *
 * @category constants
 * @since 0.1.0
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

/**
 * A certificate and its private key, in PEM.
 *
 * @category models
 * @since 0.1.0
 */
export interface Certificate {
  /** The certificate, then those of its issuers. */
  readonly cert: string
  readonly key: Redacted.Redacted
}

/**
 * What a server over TLS shows.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tls extends Certificate {
  /**
   * Certificates that replace the one before for new connections; open ones go on. One that cannot be used is logged, and
   * the one before stays. Default: none.
   */
  readonly renewals?: Stream.Stream<Certificate> | undefined
}

/**
 * Where to listen, and how patiently.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Address or name of the interface. Default: `127.0.0.1`, reachable from this machine only. */
  readonly host?: string | undefined
  /** Default: 0, which takes a free port. */
  readonly port?: number | undefined
  /** Default: {@link standard}. */
  readonly limits?: Partial<Limits> | undefined
  /** Serves TLS 1.3 and 1.2. Default: no TLS. */
  readonly tls?: Tls | undefined
  /** Proxies that are believed. Default: none, and who is connected is the caller. */
  readonly trustedProxies?: TrustedProxies | undefined
}

export { ListenFailed } from "./internal/server.ts"

/**
 * The certificate and the key do not make a TLS server.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidTls extends Data.TaggedError("InvalidTls")<{
  readonly message: string
}> {}

/**
 * A service that listens.
 *
 * @category services
 * @since 0.1.0
 */
export class HttpHost extends Context.Service<
  HttpHost,
  {
    /** Where it listens: scheme, address and the actual port. */
    readonly url: string
  }
>()("@cloud-management/service/node/HttpHost") {}

/** Of a key or certificate that does not parse, or of two that do not belong together; it quotes neither. */
const whyInvalid = (error: unknown) =>
  new InvalidTls({ message: error instanceof Error ? error.message : String(error) })

const make = Effect.fnUntraced(function* (options: Options) {
  const { cutOff, drain, handle } = yield* Service
  // made before the server, so closed after it: the end of the scope must not interrupt the requests under way
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const limits = { ...standard, ...options.limits }
  const { tls, trustedProxies } = options
  const server = yield* Effect.try({
    try: () => Server.make(limits, tls),
    catch: whyInvalid
  })

  const { addressOf, isSecure, strictTransport } = Callers.make(tls !== undefined, trustedProxies)
  const { maxTargetLength } = limits
  const answer = (exchange: Connections.Exchange) => {
    const { request, response } = exchange
    const asked: HttpRequest = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: Callers.headersOf(request),
      address: () => addressOf(request),
      content: () =>
        NodeStream.fromReadable({ evaluate: () => request, onError: (error) => error, closeOnDone: false }),
      fault: () => exchange.fault,
      maxTargetLength,
      source: request
    }
    return Effect.flatMap(handle(asked), (answer) => Responses.send(response, answer, strictTransport(request)))
  }
  const context = yield* Effect.context()
  const fork = Effect.runForkWith(context)
  const { onSettled } = Connections.serve(server, {
    ...limits,
    silence: Server.millis(limits.silence),
    isSecure,
    handle: (exchange) => {
      const fiber = fork(answer(exchange))
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit)) exchange.response.destroy()
      })
      if (fiber.pollUnsafe() !== undefined) return
      exchange.leave = () => fiber.interruptUnsafe()
      Fiber.runIn(fiber, scope)
    }
  })
  const settled = Effect.callback<void>((resume) => onSettled(() => resume(Effect.void)))

  const close = Effect.gen(function* () {
    yield* drain
    // Not the close of http.Server, which also ends idle connections and the watch over slow ones: until the last
    // request is answered, those that come on open connections get 503.
    Net.Server.prototype.close.call(server)
    yield* Effect.timeoutOption(Effect.interruptible(settled), limits.shutdown)
    yield* cutOff
    server.closeAllConnections()
    server.close()
  })

  const address = yield* Effect.acquireRelease(
    Server.listen(server, options.host ?? "127.0.0.1", options.port ?? 0),
    () => close
  )
  if (server instanceof Https.Server && tls?.renewals !== undefined) {
    const renew = (certificate: Certificate) =>
      Effect.try({ try: () => server.setSecureContext(Server.secureContext(certificate)), catch: whyInvalid }).pipe(
        Effect.catch(({ message }) =>
          Effect.logWarning(`the new certificate cannot be used, the one before stays: ${message}`)
        )
      )
    yield* Effect.forkScoped(Stream.runForEach(tls.renewals, renew))
  }
  // without a listener, a connection that cannot be accepted would end the process
  server.on("error", (error) => fork(Effect.logWarning("connection not accepted", error)))
  return HttpHost.of({ url: `${tls === undefined ? "http" : "https"}://${address}` })
})

/**
 * Serves a {@link Service} over HTTP/1.1 on node:http, hardened against slow, oversized and malformed requests.
 *
 * **Details**
 *
 * When its scope ends it no longer accepts connections, answers new requests on open ones with 503, waits for the
 * requests under way, and cuts off what is left after `limits.shutdown`.
 *
 * The address of a caller is that of its socket. Anyone can send `X-Forwarded-For` and its like, so they are read only
 * from `trustedProxies`.
 *
 * **Example** (Listening on port 8080)
 *
 * ```ts
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
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<HttpHost, Server.ListenFailed | InvalidTls, Service> =>
  Layer.effect(HttpHost, make(options))
