import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Dispatcher from "./internal/dispatcher.ts"
import { version } from "./internal/version.ts"

/** Statuses whose responses have no body (RFC 9110 §6.4.1), whatever their headers say. */
const bodiless = [204, 205, 304]

/**
 * The response with its body decompressed, and without the headers that spoke of the compressed one. undici's own
 * interceptor for this prints a warning that it is experimental; the platform's `DecompressionStream` is not.
 */
const decompress = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const encoding = response.headers["content-encoding"]
  if ((encoding !== "gzip" && encoding !== "deflate") || bodiless.includes(response.status)) return response
  const bytes = Stream.map(response.stream, (chunk) => new Uint8Array(chunk))
  const compressed = yield* Stream.toReadableStreamEffect(bytes)
  const body = compressed.pipeThrough(new DecompressionStream(encoding))
  const headers = Headers.removeMany(response.headers, ["content-encoding", "content-length"])
  return HttpClientResponse.fromWeb(response.request, new Response(body, { status: response.status, headers }))
})

/**
 * The transport for Node: undici with a keep-alive pool per origin, gzip and deflate, and a `user-agent`. Redirects are
 * not followed, so credentials never reach another origin. Interrupting a call destroys its socket, also one that is
 * being connected; the pool closes with the layer. HTTP/1.1 only.
 *
 * @example
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as NodeTransport from "@cloud-management/node/NodeTransport"
 *
 * const cloud = CloudManagement.layerConfig().pipe(Layer.provide(NodeTransport.layer))
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.unwrap(
  Effect.map(Dispatcher.make, ({ dispatcher, whileWaiting }) =>
    Layer.effect(
      HttpClient.HttpClient,
      Effect.map(
        HttpClient.HttpClient,
        flow(
          HttpClient.mapRequest(
            HttpClientRequest.setHeaders({
              "accept-encoding": "gzip, deflate",
              "user-agent": `cloud-management/${version}`
            })
          ),
          HttpClient.transformResponse(whileWaiting),
          HttpClient.transformResponse(Effect.flatMap(decompress))
        )
      )
    ).pipe(
      Layer.provide(NodeHttpClient.layerUndiciNoDispatcher),
      Layer.provide(Layer.succeed(NodeHttpClient.Dispatcher, dispatcher))
    )
  )
)
