import * as Transport from "@cloud-management/client/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Fetch } from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import type * as HttpBody from "effect/http/HttpBody"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Failure from "./internal/failure.ts"
import { awaited, PageResponse, redirected, toBytes } from "./internal/response.ts"
import * as Upload from "./internal/upload.ts"

/** workerd rejects `credentials` and `cache`, because it has neither cookies nor a cache. */
const isKnown = (option: "credentials" | "cache") =>
  typeof Request === "undefined" || option in new Request("http://localhost")

/** The `fetch` that a context provides, without the default. */
const provided = Context.getOrUndefined(Fetch)

const toResponse = (
  request: HttpClientRequest.HttpClientRequest,
  response: Response,
  abort: Effect.Effect<void>
): PageResponse => {
  // a mock can return anything, such as a network error
  if (!("arrayBuffer" in response && Number.isInteger(response.status)) || response.type === "error") {
    throw new TypeError("fetch returned no Response")
  }
  const { body, bodyUsed, headers, status, url } = response
  if (status === 0) return redirected(request, "redirects are not followed")
  // not a record whose prototype is changed at the end, which takes 1 % of a call
  const fields: Record<string, string> & Headers.Headers = Headers.fromInput([])
  // the iterator has each cookie by itself, and `get` all of them; a page sees none
  for (const [name, value] of headers) {
    fields[name.toLowerCase()] = String(name === "set-cookie" ? headers.get(name) : value)
  }
  let bytes: Promise<unknown> | undefined
  return new PageResponse(
    request,
    { status, url: url ?? "", headers: fields },
    (toError) => awaited(() => (bytes ??= response.arrayBuffer()), abort, toBytes, toError),
    // React Native has none, and another reader can have it
    body && (Symbol.asyncIterator in body || "getReader" in body) && !bodyUsed && !body.locked ? body : undefined,
    abort
  )
}

/** Without `instanceof`: every realm has its own class. */
const isBlob = (body: unknown): body is Blob => Predicate.hasProperty(body, "arrayBuffer")

/** A body that every browser sends; absent for another. */
const contentOf = (body: HttpBody.HttpBody): BodyInit | null | undefined => {
  if (body._tag === "Empty") return null
  if (body._tag === "FormData") return body.formData
  if (body._tag === "Uint8Array") return new Uint8Array(body.body)
  return body._tag === "Raw" && isBlob(body.body) ? body.body : undefined
}

/** `own` is the `fetch` that was provided to the layer. */
const make = (own: typeof globalThis.fetch | undefined, upload?: typeof Upload.upload): HttpClient.HttpClient => {
  let init: RequestInit | undefined
  return Transport.make((request, fiber) => {
    const { params } = request.urlParams
    const hash = Option.getOrUndefined(request.hash)
    // `Url.make` of Effect brings 0.1 kB more into a page
    const parse = () =>
      Result.try(() => {
        const url = new URL(request.url, globalThis.location?.href.replace(/[?#].*/s, ""))
        for (const [name, value] of params) {
          url.searchParams.append(name, Redacted.isRedacted(value) ? Redacted.value(value) : value)
        }
        if (hash !== undefined) url.hash = hash
        return url
      })
    // a text, since what wraps fetch, such as instrumentation and mocks, knows only texts and Requests; `fetch` parses it
    // too, and rejects an invalid one
    const url = ((hash || params.length > 0) && Result.getOrUndefined(parse())?.href) || request.url
    const failure = Failure.make(request, parse)
    // a page may not set these, or only with the consent of a preflight
    const {
      b3: _b3,
      "content-length": _length,
      traceparent: _trace,
      "user-agent": _agent,
      ...headers
    } = request.headers
    const toError = (cause: unknown) =>
      HttpClientError.isHttpClientError(cause) ? cause : new HttpClientError.HttpClientError({ reason: failure(cause) })
    const send = <E>(sending: Upload.Sending, toError: (cause: unknown) => E) => {
      const { controller = new AbortController(), ...more } = sending
      const abort = Effect.sync(() => controller.abort())
      return awaited(
        () => {
          init ??= {
            redirect: "manual",
            ...(isKnown("credentials") && { credentials: "omit" }),
            ...(isKnown("cache") && { cache: "no-store" })
          }
          return (provided(fiber.context) ?? own ?? fetch)(url, {
            ...init,
            method: request.method,
            headers,
            ...more,
            signal: controller.signal
          })
        },
        abort,
        (response) => toResponse(request, response, abort),
        toError
      )
    }
    const content = contentOf(request.body)
    if (upload) {
      const sent = upload(request, url, content, (sending) => send(sending, identity))
      return Effect.mapError(sent, toError)
    }
    return content === undefined
      ? Failure.unsendable(request, `fetch sends no ${request.body._tag}: send a Blob, or use layerStreams`)
      : send({ body: content }, toError)
  })
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
 * import * as Credentials from "@cloud-management/client/Credentials"
 * import * as FetchTransport from "@cloud-management/browser/FetchTransport"
 *
 * declare const secret: string
 * const cloud = CloudManagement.layer({
 *   baseUrl: "https://api.example.com",
 *   credentials: Credentials.make("12345678-1234-1234-1234-123456789012", secret)
 * }).pipe(Layer.provide(FetchTransport.layer))
 * ```
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  Transport.HttpClient,
  Effect.map(Effect.context<never>(), (context) => make(provided(context)))
)

/**
 * Like {@link layer}, and also sends streams (`HttpBody.stream`), and on Node large bodies in little memory.
 *
 * **When to use**
 *
 * To upload from a stream on Node, Deno, Bun and in workers. A `File` or `Blob`, alone (`HttpBody.raw`) or in a form,
 * needs only {@link layer}, and can be sent by every browser.
 *
 * **Details**
 *
 * The stream is read as fast as it is sent, without a `Content-Length`, because no runtime lets a program set it. If
 * its source fails, or does not have the length that it states, the request fails and is not completed. When a request
 * fails or is interrupted, the source is closed before the call ends; if the service responds early, once the response
 * was read.
 *
 * On Node, a redirect of a stream, a form or a Blob has the status 0, as in browsers: otherwise `fetch` would keep a copy
 * of the body for it.
 *
 * **Gotchas**
 *
 * Among browsers, only Chromium can send a stream, to an `https` URL of a server that speaks HTTP/2; it fails for any
 * other server. In other browsers, or to an `http` URL, the request fails with an `EncodeError` and is not sent.
 */
export const layerStreams: Layer.Layer<HttpClient.HttpClient> = /* @__PURE__ */ Layer.effect(
  Transport.HttpClient,
  /* @__PURE__ */ Effect.map(/* @__PURE__ */ Effect.context<never>(), (context) =>
    make(provided(context), Upload.upload)
  )
)
