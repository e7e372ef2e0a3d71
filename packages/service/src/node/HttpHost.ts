import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as NodeStream from "@effect/platform-node/NodeStream"
import type * as Http from "node:http"
import * as Https from "node:https"
import type { HttpRequest } from "../frame/HttpRequest.ts"
import * as OptionRules from "@cloud-management/client/OptionRules"
import { Service } from "../frame/Service.ts"
import * as Outages from "../frame/telemetry/outages.ts"
import * as Connections from "./internal/connections.ts"
import * as HostOptions from "./internal/hostOptions.ts"
import * as Descriptors from "./internal/descriptors.ts"
import * as Responses from "./internal/responses.ts"
import * as Server from "./internal/server.ts"
import type { TrustedProxies } from "./TrustedProxies.ts"

/**
 * Limits on how long a peer may take and how much it may send.
 *
 * **Gotchas**
 *
 * Node checks `headers` and `request` once a second, and adds a second to `keepAlive`, so they can be exceeded by up to
 * a second.
 */
export interface Limits {
  /** From the start of a connection, or the first byte of its next request, to the end of the headers. Then 408. */
  readonly headers: Duration.Input
  /** A whole request, headers and body. Then 408. */
  readonly request: Duration.Input
  /**
   * The time to produce a response, or the next part of one that is a stream, and the time until the peer accepts each
   * 64 KiB of it. Then the connection is closed, for example if the peer never reads.
   */
  readonly silence: Duration.Input
  /** An idle connection between two requests. Behind a proxy, set it longer than the proxy's own limit. */
  readonly keepAlive: Duration.Input
  /** From the end of the scope to the last request; remaining requests are cut off. */
  readonly shutdown: Duration.Input
  /** Maximum bytes of the request line and headers. Then 431. */
  readonly maxHeaderSize: number
  /** Maximum characters of a request target. Then 414. The longest target in the specification has 156. */
  readonly maxTargetLength: number
  /** Maximum requests per connection, so that long-lived clients spread to new instances. */
  readonly maxRequestsPerConnection: number
}

/**
 * 5 seconds for headers, 10 for a request, 30 of silence, 5 between requests, 10 to shut down; 16 KiB of headers, 2,048
 * characters of a target, 1,000 requests per connection.
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

/** A certificate and its private key, in PEM. */
export interface Certificate {
  /** The certificate, followed by those of its issuers. */
  readonly cert: string
  readonly key: Redacted.Redacted
}

/** The certificate of a TLS server, and its renewals. */
export interface Tls extends Certificate {
  /**
   * Certificates that replace the previous one for new connections; open connections continue. If a certificate cannot
   * be used, this is logged and the previous one stays in use. Default: none.
   */
  readonly renewals?: Stream.Stream<Certificate> | undefined
}

/** The options of a host: where it listens, and its limits. */
export interface Options {
  /** Address, name, or path of a Unix socket (with a slash). Default: `127.0.0.1`, which only this machine reaches. */
  readonly host?: string | undefined
  /** Default: 0, which picks a free port. */
  readonly port?: number | undefined
  /** Default: {@link standard}. */
  readonly limits?: Partial<Limits> | undefined
  /** Serves TLS 1.3 and 1.2. Default: no TLS. */
  readonly tls?: Tls | undefined
  /** The proxies whose `X-Forwarded-For` is read: anyone can send one. Default: none; the connected peer is the caller. */
  readonly trustedProxies?: TrustedProxies | undefined
}

export { ListenFailed } from "./internal/server.ts"

/** The certificate and the key cannot be used for a TLS server. */
export class InvalidTls extends Data.TaggedError("InvalidTls")<{ readonly message: string }> {}

/** A listening service. */
export class HttpHost extends Context.Service<
  HttpHost,
  {
    /** The URL it listens on: scheme, address and the actual port; `http://unix:/PATH` for a Unix socket. */
    readonly url: string
  }
>()("@cloud-management/service/node/HttpHost") {}

const kinds = {
  tls: OptionRules.object,
  trustedProxies: [
    "the value in the Option of TrustedProxies.make",
    (value: unknown) => Predicate.hasProperty(value, "caller") && Predicate.isFunction(value.caller)
  ]
} as const

/** Of a key or certificate that does not parse, or of two that do not belong together; it quotes neither. */
const whyInvalid = (error: unknown) =>
  new InvalidTls({ message: error instanceof Error ? error.message : String(error) })

/** A year, as RFC 6797 §6.1.1 counts. */
const strictTransport = { "strict-transport-security": "max-age=31536000" }

/** With `joinDuplicateHeaders`, Node joins every header but this one. */
const isJoined = (
  headers: Http.IncomingHttpHeaders
): headers is Http.IncomingHttpHeaders & Readonly<Record<string, string | undefined>> =>
  headers["set-cookie"] === undefined

/** The header fields of a request, repeated lines joined by commas; `set-cookie`, which no request has, is left out. */
const headersOf = ({ headers }: Http.IncomingMessage): Readonly<Record<string, string | undefined>> => {
  if (isJoined(headers)) return headers
  const { "set-cookie": _, ...others } = headers
  return isJoined(others) ? others : {}
}

const make = Effect.fnUntraced(function* (options: Options) {
  const { drain, handle, withdraw } = yield* Service
  const limits = { ...standard, ...options.limits }
  const { tls, trustedProxies } = options
  const server = yield* Effect.try({ try: () => Server.make(limits, tls), catch: whyInvalid })

  /** The caller, as far as the proxies are believed. */
  const callerOf = (request: Http.IncomingMessage, peer = request.socket.remoteAddress) =>
    trustedProxies?.caller(peer, headersOf(request))
  /** Whether the caller speaks TLS, to this host or to a proxy that is believed. */
  const isSecure = (request: Http.IncomingMessage) => tls !== undefined || callerOf(request)?.isSecure === true
  const { maxTargetLength } = limits
  const respond = (pending: Connections.Pending) => {
    const { request } = pending
    // a socket forgets it when it closes, before its caller is counted and recorded
    const { remoteAddress } = request.socket
    const asked: HttpRequest = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: headersOf(request),
      address: () => (trustedProxies === undefined ? remoteAddress : callerOf(request, remoteAddress)?.address),
      content: () =>
        NodeStream.fromReadable({ evaluate: pending.content, onError: (error) => error, closeOnDone: false }),
      fault: () => pending.fault,
      maxTargetLength,
      source: request
    }
    return Effect.flatMap(handle(asked), (result) =>
      Responses.send(pending, result, isSecure(request) ? strictTransport : undefined)
    )
  }
  // a request begins a trace of its own, whatever span the host was built in
  const fork = Effect.runForkWith(Context.omit(Tracer.ParentSpan)(yield* Effect.context()))
  /** How many requests have a fiber. A count: a `Map` of them, which V8 copies often, keeps each for long. */
  let running = 0
  let onEnded = () => {}
  const connections = Connections.serve(server, {
    ...limits,
    silence: Server.millis(limits.silence),
    isSecure,
    handle: (pending) => {
      running++
      const fiber = fork(respond(pending))
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit)) pending.response.destroy()
        if (--running === 0) onEnded()
      })
      if (fiber.pollUnsafe() !== undefined) return
      // a const first: V8 puts a function written to the right of a property into its old space, with all that it holds
      const leave = () => fiber.interruptUnsafe()
      pending.leave = leave
    }
  })
  const ended = Effect.callback<void>((resume) => {
    if (running === 0) resume(Effect.void)
    else onEnded = () => resume(Effect.void)
  })

  const close = Effect.gen(function* () {
    yield* Effect.timeoutOption(Effect.interruptible(connections.close(withdraw)), limits.shutdown)
    yield* drain
    server.closeAllConnections()
    server.close()
    yield* ended
  })

  const address = yield* Effect.acquireRelease(
    Server.listen(server, options.host ?? "127.0.0.1", options.port ?? 0),
    () => close
  )
  if (server instanceof Https.Server && tls?.renewals !== undefined) {
    const renew = (certificate: Certificate) =>
      Effect.try({ try: () => server.setSecureContext(Server.secureContext(certificate)), catch: whyInvalid }).pipe(
        Effect.catch(({ message }) =>
          Effect.logWarning(`the new certificate cannot be used, so the previous one stays in use: ${message}`)
        )
      )
    yield* Effect.forkScoped(Stream.runForEach(tls.renewals, renew))
  }
  // without a listener, a connection that cannot be accepted would end the process
  server.on("error", (error) => fork(Effect.logWarning("a connection was not accepted", error)))
  const limit = yield* Descriptors.MaxConnections
  if (limit !== undefined) {
    const outages = yield* Outages.make(Outages.ofConnections)
    const why = `${limit.most} are open, and ${limit.reason}`
    // else the system refuses them without a word, and the process can open nothing any more
    server.maxConnections = limit.most
    server.on("drop", () => fork(outages.failed(why)))
    server.on("connection", () => fork(outages.recovered))
  }
  return HttpHost.of({ url: `${tls === undefined ? "http" : "https"}://${address}` })
})

/**
 * Serves a {@link Service} over HTTP/1.1 on node:http, hardened against slow, oversized and malformed requests.
 *
 * **Details**
 *
 * When its scope ends, it accepts no new connections, responds to `/ready` with 503, and ends each connection: after the
 * request in progress, if there is one, or after one that arrives within a tenth of a second. It cuts off what remains
 * after `limits.shutdown`.
 *
 * Throws a `RangeError` that names the option if one is invalid or does not exist.
 *
 * On Linux, it holds only as many connections as leave 64 of the files that the process may open, or half of them. Beyond
 * that, it closes new connections at once, and logs when this begins and when it ends.
 *
 * **Example** (Listening on port 8080)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as SecureRandom from "effect/crypto/SecureRandom"
 * import * as HttpHost from "@cloud-management/service/node/HttpHost"
 * import * as MemoryStore from "@cloud-management/service/MemoryStore"
 * import * as CloudService from "@cloud-management/service/CloudService"
 *
 * const host = HttpHost.layer({ port: 8080 }).pipe(
 *   Layer.provide(CloudService.layer()),
 *   Layer.provide(MemoryStore.layer),
 *   Layer.provide(SecureRandom.layerWebCrypto)
 * )
 * ```
 */
export const layer = (options: Options = {}): Layer.Layer<HttpHost, Server.ListenFailed | InvalidTls, Service> => {
  HostOptions.check("host", options, kinds)
  return Layer.effect(HttpHost, make(options))
}
