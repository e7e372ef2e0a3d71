import type * as Cause from "effect/Cause"
import * as Transport from "@cloud-management/core/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constTrue, dual, identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Headers from "effect/http/Headers"
import type * as HttpClient from "effect/http/HttpClient"
import * as PageClient from "./internal/pageClient.ts"
import { awaited, PageResponse, redirected, toBytes } from "./internal/response.ts"

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

const responseHeaders = (xhr: XMLHttpRequest) =>
  Headers.fromInput(
    // React Native has null in place of none
    (xhr.getAllResponseHeaders() ?? "")
      .split(/\r?\n/)
      .map((line) => line.split(/: ?(.*)/, 2))
      .flatMap(([name, value]): Array<[string, string]> => (name && value !== undefined ? [[name, value]] : []))
  )

/** Whether a response is from another URL than the request's. A browser can secure a request by itself (HSTS, CSP). */
const isRedirected = ({ responseURL }: XMLHttpRequest, url: string) => {
  const asked = new URL(url, globalThis.location?.href)
  asked.hash = ""
  if (responseURL === asked.href) return false
  asked.protocol = "https:"
  return responseURL !== asked.href
}

/** Throws for requests that browsers must not send. */
const open = ({ headers, request, url }: PageClient.Sendable) => {
  const xhr = new XMLHttpRequest()
  xhr.open(request.method, url)
  xhr.responseType = "arraybuffer"
  for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
  return xhr
}

const client = PageClient.make<never>(
  "XHR",
  Effect.fnUntraced(function* (sendable, fiber) {
    const { body, request, url } = sendable
    if (!("XMLHttpRequest" in globalThis)) {
      // words, since names such as XMLHttpRequest look like a secret
      return yield* PageClient.unsendable(request, "this runtime has no XHR: use the fetch transport")
    }
    const listener = fiber.getRef(Listener)
    const xhr = yield* awaited(() => open(sendable), Effect.void, identity)
    const abort = Effect.sync(() => xhr.abort())
    const reports = yield* Queue.unbounded<Progress, Cause.Done>()
    yield* awaited(
      () =>
        new Promise<void>((resolve, reject) => {
          xhr.onreadystatechange = () => {
            if (xhr.status !== 0) resolve()
          }
          if (listener !== undefined) {
            xhr.onprogress = ({ lengthComputable, loaded, total }) =>
              Queue.offerUnsafe(reports, { loaded, ...(lengthComputable && { total }) })
          }
          // after a success, a failure, a browser's Stop, and whatever else ends a request
          xhr.onloadend = () => {
            Queue.endUnsafe(reports)
            reject(undefined)
          }
          xhr.send(body)
        }),
      abort,
      constTrue
    )
    if (isRedirected(xhr, url)) {
      yield* abort
      return redirected(request, "the browser followed a redirect, so its response is rejected")
    }
    // the listener runs where the body is read, so that the call ends as it does
    const report = (progress: Progress) => {
      const reported = listener?.(progress)
      // a listener without types can return anything
      return Effect.isEffect(reported) ? reported : Effect.void
    }
    const content = Stream.runForEach(Stream.fromQueue(reports), report).pipe(
      Effect.andThen(awaited(() => xhr.response, Effect.void, toBytes)),
      Effect.onError(() => abort)
    )
    const headers = yield* awaited(() => responseHeaders(xhr), Effect.void, identity)
    return new PageResponse(request, { status: xhr.status, url: xhr.responseURL, headers }, () => content)
  })
)

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
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.succeed(Transport.HttpClient, client)
