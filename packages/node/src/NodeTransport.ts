import * as Transport from "@cloud-management/client/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Decompression from "./internal/decompression.ts"
import * as Dispatcher from "./internal/dispatcher.ts"
import * as RequestBody from "./internal/requestBody.ts"
import { Response } from "./internal/response.ts"
import * as Settings from "./internal/settings.ts"
import * as Target from "./internal/target.ts"
import { withoutStacks } from "./internal/withoutStacks.ts"
import type { InvalidTransportOption, Options } from "./TransportOptions.ts"

const fail = (reason: HttpClientError.HttpClientError["reason"]) =>
  Effect.fail(new HttpClientError.HttpClientError({ reason }))

const make = Effect.fnUntraced(function* (settings: Settings.Settings) {
  const { makeFormData, send } = yield* Dispatcher.make(settings)
  const targetOf = Target.make()

  const execute = (
    request: HttpClientRequest.HttpClientRequest,
    signal?: AbortSignal
  ): Effect.Effect<Response, HttpClientError.HttpClientError> => {
    const target = targetOf(request)
    if (Result.isFailure(target)) return fail(new HttpClientError.InvalidUrlError({ request, cause: target.failure }))
    const foreign = RequestBody.ofPage(request.body)
    if (foreign !== undefined) {
      const { bytes, contentType } = foreign
      return Effect.flatMap(Effect.promise(bytes), (bytes) =>
        execute(HttpClientRequest.setBody(request, HttpBody.uint8Array(bytes, contentType)), signal)
      )
    }
    const { origin, path } = target.success
    return Effect.flatMap(RequestBody.make(request.body, makeFormData), (body) => {
      if (body === undefined) {
        const description = "this transport sends only text, bytes, forms and streams that were not read"
        return fail(new HttpClientError.EncodeError({ request, description }))
      }
      const headers: Record<string, string> = {
        // a part of compressed content cannot be read, as `fetch` knows too (Fetch standard, HTTP-network-or-cache fetch)
        "accept-encoding": "range" in request.headers ? "identity" : "gzip, deflate",
        ...request.headers
      }
      RequestBody.describe(request.body, headers)
      const sent = RequestBody.closing(
        send({ origin, path, method: request.method, headers, body }),
        request.body,
        body
      )
      return Effect.matchEffect(sent, {
        onFailure: (cause) => withoutStacks(() => fail(new HttpClientError.TransportError({ request, cause }))),
        onSuccess: (exchange) => {
          const { headers, status } = exchange
          const head = { status, url: origin + path, headers: Headers.fromInput(headers) }
          const received = new Response(request, head, headers["set-cookie"], exchange)
          signal?.addEventListener("abort", () => exchange.abort(), { once: true })
          const response = Decompression.decompress(received, exchange)
          exchange.abortWhenUnreachable(response)
          return Effect.succeed(response)
        }
      })
    })
  }
  /** The span of a request, and the headers that continue its trace, are those of every `HttpClient`. */
  const traced = HttpClient.make((request, _, signal) => execute(request, signal))
  return Transport.make((request, fiber) =>
    fiber.getRef(Tracer.DisablePropagation) || fiber.getRef(HttpClient.TracerDisabledWhen)(request)
      ? execute(request)
      : traced.execute(request)
  )
})

/**
 * The transport for Node: undici with a keep-alive pool per origin, gzip and deflate, and a `user-agent`.
 *
 * **Details**
 *
 * Redirects are not followed, so credentials never reach another origin. Interrupting a call destroys its socket, even
 * while it connects; the pool closes with the layer. HTTP/1.1 only.
 *
 * A stream is sent as fast as the service takes it, with its length if that is known. If its source fails, or has another
 * length, the request fails, and the service never receives a complete one. When a request fails or is interrupted, the
 * source is closed before the call ends; if the service responds early, once the response is complete. A response that
 * arrives before the service closes the connection is read, although the body could not be sent.
 *
 * The client decides how long to wait (`deadline`). The transport has no limits for the connection, the head of a
 * response or its body.
 *
 * Any user of `HttpClient` can use it. Without the `HttpClient` span, a request costs little more than undici's
 * `dispatch`. The client turns this span off with `HttpClient.TracerDisabledWhen`, because it has its own.
 *
 * **Gotchas**
 *
 * A request asks for gzip and deflate, and one with `range` for neither, unless it has an `accept-encoding` of its own. A
 * body in another coding is not read: reading it fails with a `DecodeError` whose cause names the coding. A request with
 * `upgrade` fails, because connections are not handed over. Without the span, `HttpClient.withScope` does not end a
 * request; an interruption does.
 *
 * **Example** (Creating a client over undici)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as NodeTransport from "@cloud-management/node/NodeTransport"
 *
 * const cloud = CloudManagement.layerConfig().pipe(Layer.provide(NodeTransport.layer))
 * ```
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(HttpClient.HttpClient, make({}))

/**
 * Like {@link layer}, with options for a proxy, your own authorities and certificate, a Unix socket, or the pool.
 *
 * **Details**
 *
 * Fails with `InvalidTransportOption` if options are invalid or exclude each other. If a proxy fails, the request's
 * error names it, without its credentials, and nothing was sent to the service. A request may be sent again if the
 * proxy cannot be reached or responds to CONNECT with 429 or 5xx, but not after any other response, such as 407.
 *
 * `docs/library/transports.md` has recipes.
 *
 * **Example** (Connecting through a proxy)
 *
 * ```ts
 * import * as Config from "effect/Config"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as NodeTransport from "@cloud-management/node/NodeTransport"
 *
 * const fromEnvironment = NodeTransport.layerOptions({ proxy: "env" })
 *
 * const fixed = Layer.unwrap(
 *   Effect.map(Config.Redacted("PROXY_URL"), (url) => NodeTransport.layerOptions({ proxy: url, connections: 8 }))
 * )
 * ```
 */
export const layerOptions = (options: Options): Layer.Layer<HttpClient.HttpClient, InvalidTransportOption> =>
  Layer.effect(HttpClient.HttpClient, Effect.flatMap(Settings.read(options), make))
