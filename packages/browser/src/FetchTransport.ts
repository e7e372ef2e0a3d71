import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Fetch } from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Failure from "./internal/failure.ts"
import * as Headers from "./internal/headers.ts"
import { Redirected } from "./internal/redirected.ts"

/** workerd refuses `credentials` and `cache`: it has neither cookies nor a cache for them to govern. */
const init: RequestInit = {
  redirect: "manual",
  ...("credentials" in Request.prototype && { credentials: "omit" as const }),
  ...("cache" in Request.prototype && { cache: "no-store" as const })
}

/** Says that it was a redirect, where the browser hides its status. */
const reveal = (response: Response): Response =>
  response.status === 0 ? new Redirected("a redirect, which is not followed") : response

const client = HttpClient.make((request, url, signal, fiber) => {
  const { body, method } = request
  if (body._tag === "Stream" || body._tag === "Raw") {
    const description = `the fetch transport sends bytes and forms, not a ${body._tag}`
    const reason = new HttpClientError.EncodeError({ request, description })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  }
  const sent = body._tag === "FormData" ? body.formData : body._tag === "Empty" ? null : new Uint8Array(body.body)
  const fetch = fiber.getRef(Fetch)
  const failure = Failure.make(request, url)
  return Effect.tryPromise({
    try: () => fetch(url, { ...init, method, headers: Headers.ofPage(request.headers), body: sent, signal }),
    catch: failure
  }).pipe(Effect.map((response) => HttpClientResponse.fromWeb(request, reveal(response))))
})

/**
 * The transport over the platform's `fetch`: browsers, workers, edge runtimes, and Node, Bun and Deno too.
 *
 * It sends no cookies, uses no cache, follows no redirect, and adds no header that needs a preflight beside
 * `authorization`. Interrupting a call aborts its request. `FetchHttpClient.Fetch` swaps the function itself.
 *
 * Effect's own `FetchHttpClient.layer` is not a substitute: it follows redirects and sends the headers of a trace.
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
export const layer: Layer.Layer<HttpClient.HttpClient> = HttpClient.layerMergedContext(Effect.succeed(client))
