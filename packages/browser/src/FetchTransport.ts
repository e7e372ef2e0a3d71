import * as Layer from "effect/Layer"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"

/** workerd refuses `credentials` and `cache`: it has neither cookies nor a cache for them to govern. */
const init: RequestInit = {
  redirect: "manual",
  ...("credentials" in Request.prototype && { credentials: "omit" as const }),
  ...("cache" in Request.prototype && { cache: "no-store" as const })
}

/**
 * The transport over the platform's `fetch`: browsers, workers, edge runtimes, and Node, Bun and Deno too.
 *
 * It sends no cookies, uses no cache, follows no redirect, and adds no header that needs a preflight beside
 * `authorization`. Interrupting a call aborts its request. `FetchHttpClient.Fetch` swaps the function itself.
 *
 * @example
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Credentials from "@cloud-management/core/Credentials"
 * import * as FetchTransport from "@cloud-management/browser/FetchTransport"
 *
 * declare const secret: string
 * const cloud = CloudManagement.layer({
 *   baseUrl: "https://api.example.com",
 *   credentials: Credentials.make("12345678-1234-1234-1234-123456789012", secret)
 * }).pipe(Layer.provide(FetchTransport.layer))
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, init)),
  // `traceparent` and `b3` would need the consent of a preflight
  Layer.provide(Layer.succeed(HttpClient.TracerPropagationEnabled, false))
)
