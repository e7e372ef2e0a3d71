import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Fetch } from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Url from "effect/http/Url"
import * as Transport from "@cloud-management/core/Transport"
import * as Failure from "./internal/failure.ts"
import * as Headers from "./internal/headers.ts"
import { Redirected } from "./internal/redirected.ts"
import { FetchResponse } from "./internal/response.ts"

/** workerd rejects `credentials` and `cache`, because it has neither cookies nor a cache. */
const init: RequestInit = {
  redirect: "manual",
  ...("credentials" in Request.prototype && { credentials: "omit" as const }),
  ...("cache" in Request.prototype && { cache: "no-store" as const })
}

const fail = (reason: HttpClientError.HttpClientError["reason"]) =>
  Effect.fail(new HttpClientError.HttpClientError({ reason }))

/** The `fetch` that a context provides, without the default. */
const provided = Context.getOrUndefined(Fetch)

/** Marks a response as a redirect if the browser hides its status. */
const reveal = (response: Response): Response =>
  response.status === 0 ? new Redirected("redirects are not followed") : response

/** `own` is the `fetch` that was provided to the layer. */
const make = (own: typeof globalThis.fetch | undefined): HttpClient.HttpClient => {
  const execute = (
    request: HttpClientRequest.HttpClientRequest,
    fetch: typeof globalThis.fetch
  ): Effect.Effect<FetchResponse, HttpClientError.HttpClientError> => {
    const { body, hash, method, urlParams } = request
    const parsed = Url.make(request.url, urlParams, Option.getOrUndefined(hash))
    if (Result.isFailure(parsed)) return fail(new HttpClientError.InvalidUrlError({ request, cause: parsed.failure }))
    const url = parsed.success
    if (body._tag === "Stream" || body._tag === "Raw") {
      const description = `the fetch transport sends bytes and forms, not a ${body._tag}`
      return fail(new HttpClientError.EncodeError({ request, description }))
    }
    const sent = body._tag === "FormData" ? body.formData : body._tag === "Empty" ? null : new Uint8Array(body.body)
    const failure = Failure.make(request, url)
    return Effect.callback((resume) => {
      const controller = new AbortController()
      // what throws, rejects
      const send = async () => {
        const response = await fetch(url, {
          ...init,
          method,
          headers: Headers.ofPage(request.headers),
          body: sent,
          signal: controller.signal
        })
        // a mock can return anything
        if (!("arrayBuffer" in response)) throw new TypeError("fetch returned no Response")
        return new FetchResponse(request, reveal(response), controller)
      }
      send().then(
        (response) => resume(Effect.succeed(response)),
        (cause) => resume(Effect.fail(failure(cause)))
      )
      return Effect.sync(() => controller.abort())
    })
  }
  return HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
    Effect.flatMap((request) => Effect.withFiber((fiber) => execute(request, provided(fiber.context) ?? own ?? fetch))),
    Effect.succeed
  )
}

/**
 * The transport over the platform's `fetch`, for browsers, workers, edge runtimes, Node, Bun and Deno.
 *
 * **Details**
 *
 * It sends no cookies, bypasses the cache, does not follow redirects, and adds no header that needs a preflight except
 * `authorization`. Interrupting a call aborts its request. `FetchHttpClient.Fetch` replaces the function itself.
 *
 * A request creates no `HttpClient` span, because the client has its own. `HttpClient.withScope` does not end a
 * request; an interruption does. Responses show no cookies.
 *
 * **Gotchas**
 *
 * Effect's own `FetchHttpClient.layer` is not a substitute: it follows redirects and sends trace headers.
 *
 * **Example** (Creating a client over fetch)
 *
 * ```ts
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
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Transport.layer(
  Effect.map(Effect.context<never>(), (context) => make(provided(context)))
)
