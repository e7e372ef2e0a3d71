import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import type * as Layer from "effect/Layer"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Transport from "@cloud-management/core/Transport"
import * as Failure from "./internal/failure.ts"
import * as Headers from "./internal/headers.ts"
import { Redirected } from "./internal/redirected.ts"

/**
 * The progress of a response's body, in bytes after decompression.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress {
  readonly loaded: number
  /** Absent if the response does not state it, or is compressed. */
  readonly total?: number
}

/**
 * Receives the progress of the calls inside a region; the default, `undefined`, is no listener.
 *
 * @category references
 * @since 0.1.0
 */
export const Listener = Context.Reference<((progress: Progress) => Effect.Effect<void>) | undefined>(
  "@cloud-management/browser/XhrTransport/Listener",
  { defaultValue: () => undefined }
)

/**
 * Reports the progress of every response inside an effect, in order; the last report covers the whole body.
 *
 * **Details**
 *
 * For a Stream, offer to a queue.
 *
 * **Example** (Printing the bytes received)
 *
 * ```ts
 * import * as Console from "effect/Console"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Effect from "effect/Effect"
 * import * as XhrTransport from "@cloud-management/browser/XhrTransport"
 *
 * const program = CloudManagement.CloudManagement.pipe(
 *   Effect.flatMap((cloud) => cloud.organizations.list()),
 *   XhrTransport.onProgress(({ loaded }) => Console.log(`${loaded} bytes`))
 * )
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const onProgress: {
  (
    listener: (progress: Progress) => Effect.Effect<void>
  ): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, listener: (progress: Progress) => Effect.Effect<void>): Effect.Effect<A, E, R>
} = dual(2, <A, E, R>(self: Effect.Effect<A, E, R>, listener: (progress: Progress) => Effect.Effect<void>) =>
  Effect.provideService(self, Listener, listener)
)

const responseHeaders = (xhr: XMLHttpRequest, url: URL) => {
  const headers = new globalThis.Headers()
  for (const line of xhr.getAllResponseHeaders().split("\r\n").slice(0, -1)) {
    const colon = line.indexOf(": ")
    headers.append(line.slice(0, colon), line.slice(colon + 2))
  }
  // May be that of the compressed body: content-encoding is hidden from a page of another origin, and the client trusts
  // a length without one.
  if (url.origin !== location.origin) headers.delete("content-length")
  return headers
}

/** The body, in one chunk when all of it has arrived. */
const responseBody = (xhr: XMLHttpRequest): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      xhr.onload = () => {
        const bytes: unknown = xhr.response
        if (bytes instanceof ArrayBuffer) controller.enqueue(new Uint8Array(bytes))
        controller.close()
      }
      xhr.onerror = () => controller.error(new TypeError("the connection ended before the end of the body"))
    },
    cancel: () => xhr.abort()
  })

/** The response, as soon as its head has arrived. */
const toResponse = (xhr: XMLHttpRequest, url: URL): Response => {
  const { status } = xhr
  if (xhr.responseURL !== url.href.split("#", 1)[0]) {
    xhr.abort()
    return new Redirected("the browser followed a redirect, so its response is rejected")
  }
  const body = status === 204 || status === 205 || status === 304 ? null : responseBody(xhr)
  return new Response(body, { status, headers: responseHeaders(xhr, url) })
}

const requestBody = (body: HttpBody.HttpBody): Uint8Array<ArrayBuffer> | FormData | null | undefined => {
  switch (body._tag) {
    case "Empty":
      return null
    case "Uint8Array":
      return new Uint8Array(body.body)
    case "FormData":
      return body.formData
    case "Raw":
    case "Stream":
      return undefined
  }
}

/** Opens the request; throws for requests that browsers must not send. */
const open = (
  request: HttpClientRequest.HttpClientRequest,
  url: URL,
  failure: (cause: unknown) => HttpClientError.HttpClientError
) =>
  Effect.try({
    try: () => {
      const xhr = new XMLHttpRequest()
      xhr.open(request.method, url)
      xhr.responseType = "arraybuffer"
      for (const [name, value] of Object.entries(Headers.ofPage(request.headers))) xhr.setRequestHeader(name, value)
      return xhr
    },
    catch: failure
  })

const client = HttpClient.make((request, url, signal, fiber) => {
  const fail = (description: string) => {
    const reason = new HttpClientError.EncodeError({ request, description })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  }
  // words, since names such as XMLHttpRequest look like a secret
  if (!("XMLHttpRequest" in globalThis)) return fail("this runtime has no XHR: use the fetch transport")
  const body = requestBody(request.body)
  if (body === undefined) return fail(`XHR sends bytes and forms, not a ${request.body._tag}`)
  const failure = Failure.make(request, url)
  return Effect.flatMap(open(request, url, failure), (xhr) =>
    Effect.callback<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((resume) => {
      xhr.onerror = () => resume(Effect.fail(failure()))
      xhr.onreadystatechange = () => {
        if (xhr.readyState !== XMLHttpRequest.HEADERS_RECEIVED) return
        resume(
          Effect.try({
            try: () => HttpClientResponse.fromWeb(request, toResponse(xhr, url)),
            catch: failure
          })
        )
      }
      const listener = fiber.getRef(Listener)
      if (listener !== undefined) {
        xhr.onprogress = ({ lengthComputable, loaded, total }) =>
          Effect.runForkWith(fiber.context)(listener({ loaded, ...(lengthComputable && { total }) }))
      }
      signal.addEventListener("abort", () => xhr.abort())
      xhr.send(body)
    })
  )
})

/**
 * The transport over `XMLHttpRequest`.
 *
 * **When to use**
 *
 * For pages that show the progress of a response. For all others, use `FetchTransport`.
 *
 * **Details**
 *
 * Interrupting a call aborts its request. The transport adds no headers.
 *
 * **Gotchas**
 *
 * XMLHttpRequest cannot forbid everything that `FetchTransport` does. The browser sends a page's own cookies to its own
 * origin, and it follows redirects, without `authorization` to other origins. The response of a redirect's target is
 * not used: such a call fails with `UnexpectedStatus`, status 0 and the outcome `unknown`. The size of a body is
 * checked only after all of it has arrived.
 *
 * **Example** (Creating a client over XMLHttpRequest)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Credentials from "@cloud-management/core/Credentials"
 * import * as XhrTransport from "@cloud-management/browser/XhrTransport"
 *
 * declare const session: string
 * const cloud = CloudManagement.layer({
 *   baseUrl: "https://app.example.com/api",
 *   credentials: Credentials.make("session", session)
 * }).pipe(Layer.provide(XhrTransport.layer))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Transport.layer(Effect.succeed(client))
