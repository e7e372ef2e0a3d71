import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import { version } from "./internal/version.ts"

/** A keep-alive pool per origin that decompresses what it receives. undici follows no redirect unless told to. */
const dispatcher = Layer.effect(
  NodeHttpClient.Dispatcher,
  Effect.acquireRelease(
    Effect.sync(() => new Undici.Agent().compose(Undici.interceptors.decompress())),
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )
)

/**
 * The transport for Node: undici with a keep-alive pool, compression and a `user-agent`. Redirects are not followed,
 * so credentials never reach another origin. Interrupting a call destroys its socket; the pool closes with the layer.
 *
 * @example
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as NodeTransport from "@cloud-management/node/NodeTransport"
 *
 * const cloud = CloudManagement.layerConfig().pipe(Layer.provide(NodeTransport.layer))
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.mapRequest(
      HttpClientRequest.setHeaders({
        "accept-encoding": "gzip, deflate, br",
        "user-agent": `cloud-management/${version}`
      })
    )
  )
).pipe(Layer.provide(NodeHttpClient.layerUndiciNoDispatcher), Layer.provide(dispatcher))
