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

/** The codings that are undone, by their names in lower case (RFC 9110 §8.4.1). */
const formats: ReadonlyMap<string, "gzip" | "deflate"> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"]
])

/** As many as `fetch` of Node.js undoes: each costs memory and time, and two are rare. */
const mostCodings = 5

/**
 * The response with its body decompressed, and without the headers that spoke of the compressed one. undici's own
 * interceptor for this prints a warning that it is experimental; the platform's `DecompressionStream` is not.
 */
const decompress = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const codings = (response.headers["content-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")
  const { request, status } = response
  // RFC 9110 §9.3.2
  if (codings.length === 0 || request.method === "HEAD" || bodiless.includes(status)) return response
  const bytes = Stream.map(response.stream, (chunk) => new Uint8Array(chunk))
  const compressed = yield* Stream.toReadableStreamEffect(bytes)
  const headers = Headers.removeMany(response.headers, ["content-encoding", "content-length"])
  const make = (body: ReadableStream | string) =>
    HttpClientResponse.fromWeb(response.request, new Response(body, { status: response.status, headers }))
  const unknown = codings.length > mostCodings ? codings.join(", ") : codings.find((coding) => !formats.has(coding))
  if (unknown !== undefined) {
    yield* Effect.promise(() => compressed.cancel())
    return make(`encoded as ${unknown}, which this transport does not decode`)
  }
  // what was done last is undone first
  return make(
    codings
      .flatMap((coding) => formats.get(coding) ?? [])
      .reduceRight((body, format) => body.pipeThrough(new DecompressionStream(format)), compressed)
  )
})

/**
 * The transport for Node: undici with a keep-alive pool per origin, gzip and deflate, and a `user-agent`. Redirects are
 * not followed, so credentials never reach another origin. Interrupting a call destroys its socket, also one that is
 * being connected; the pool closes with the layer. HTTP/1.1 only.
 *
 * How long to wait is for the client to say (`deadline`): the transport itself gives up on a connection or a body never, on
 * the head of a response after an hour.
 *
 * A body in another coding than gzip and deflate is not read: a text that names the coding stands in its place.
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
