import * as Transport from "@cloud-management/client/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { constVoid } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import { isBrowser, unsendable } from "./failure.ts"
import { PageResponse, redirected } from "./response.ts"

type Controller = Pick<AbortController, "abort" | "signal">

/** A body for `fetch`, with the options that it needs, and headers in place of the request's. */
export interface Sending extends Pick<RequestInit, "body" | "headers" | "redirect" | "window"> {
  readonly duplex?: "half"
  /** Aborts the request. */
  readonly controller?: Controller | undefined
}

/** A response whose request still sends its body: nobody needs the rest once the response was read, or given up. */
class EarlyResponse extends PageResponse {
  readonly #response: PageResponse
  readonly #end: Effect.Effect<void>

  constructor(response: PageResponse, end: Effect.Effect<void>) {
    super(response.request, response, () => Effect.ensuring(response.bytes, end))
    this.#response = response
    this.#end = end
  }

  override get stream(): Stream.Stream<Uint8Array, HttpClientError.HttpClientError> {
    return Stream.ensuring(this.#response.stream, this.#end)
  }
}

/** Writes a stream, and fails if its source does. */
const write = ({ stream }: HttpBody.Stream, writer: WritableStreamDefaultWriter<Uint8Array>) =>
  Stream.runForEachArray(stream, (chunks) =>
    Effect.andThen(
      Effect.promise(async () => {
        for (const chunk of chunks) await writer.write(chunk)
      }),
      // lets Node.js read an early response before it writes to a connection that is closed, and drops both
      Effect.yieldNow
    )
  )

/**
 * A `fetch` of Node that could follow a redirect, or ask a page for a password, keeps a copy of the whole body in memory,
 * to send it again (Fetch standard, "HTTP-network-or-cache fetch").
 */
const once = { window: null, redirect: "error" } as const

const isNode = () => globalThis.navigator?.userAgent.startsWith("Node.js")

/**
 * A form as the Blob that it is on the wire. `fetch` of Node.js reads a form as fast as it can, and one that is aborted
 * meanwhile throws where nobody can catch it, which ends the process.
 */
const blobOf = (form: FormData): Blob => {
  const { contentType, parts } = Transport.formContent(form)
  return new Blob([...parts], { type: contentType })
}

/** Whether a form is of another realm than `fetch`, as in jsdom. */
const isForeign = (form: FormData) => new Response(form).headers.get("content-type")?.startsWith("multipart/") === false

/** How `fetch` of Node says that there was a redirect, without its status and target. */
const isRedirect = (cause: unknown) =>
  Predicate.hasProperty(cause, "cause") &&
  Predicate.hasProperty(cause.cause, "message") &&
  cause.cause.message === "unexpected redirect"

const transportError = (options: ConstructorParameters<typeof HttpClientError.TransportError>[0]) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError(options) })

/** To a page, all of these are the same network error. */
const noResponse =
  "no response: the server does not speak HTTP/2, which a stream needs (send a Blob or a form), cannot be reached, " +
  "or is forbidden by CORS or the page's CSP; the console says which"

/**
 * Sends a stream as the runtime's own, as fast as that is read. The source is closed before a request that failed or was
 * interrupted ends.
 */
const sendStream = (
  body: HttpBody.Stream,
  request: HttpClientRequest.HttpClientRequest,
  send: (body: ReadableStream<Uint8Array<ArrayBuffer>>, controller: Controller) => Effect.Effect<PageResponse, unknown>
) =>
  Effect.suspend(() => {
    let stream: TransformStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined
    const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      start: (controller) => void (stream = controller)
    })
    const writer = writable.getWriter()
    const aborting = new AbortController()
    let isWritten = false
    let failure: Transport.BodyFailed | undefined
    /**
     * workerd completes a request whose stream fails, and Chromium one that is aborted before its stream fails. Node.js
     * cancels the stream of one that is aborted, and throws what that rejects with where nobody can catch it.
     */
    const abort = (reason: unknown = new Error("the request was aborted")) => {
      if (isNode()) stream?.error(reason)
      if (isWritten || !isBrowser()) aborting.abort(reason)
      stream?.error(reason)
    }
    const written = Effect.matchCause(write(body, writer), {
      onSuccess: () => {
        isWritten = true
        void writer.close().catch(constVoid)
      },
      onFailure: (cause) => abort((failure = new Transport.BodyFailed(Cause.squash(cause))))
    })
    return Effect.flatMap(
      Effect.forkDetach(Effect.onInterrupt(written, () => Effect.sync(() => abort()))),
      (upload) => {
        const end = Fiber.interrupt(upload)
        return send(readable, { signal: aborting.signal, abort }).pipe(
          Effect.mapError((cause) => {
            if (failure !== undefined) return transportError({ request, cause: failure })
            return isBrowser() && globalThis.navigator.onLine
              ? transportError({ request, cause, description: noResponse })
              : cause
          }),
          Effect.map((response) => new EarlyResponse(response, end)),
          Effect.onError(() => end)
        )
      }
    )
  })

/**
 * Sends streams too, and large bodies in little memory. A browser that sends no streams would send the name of their
 * class. Chromium, which alone has `duplex`, sends them over HTTP/2 only, which browsers speak only over TLS.
 */
export const upload = (
  request: HttpClientRequest.HttpClientRequest,
  url: string,
  content: Sending["body"],
  send: (sending: Sending) => Effect.Effect<PageResponse, unknown>
): Effect.Effect<PageResponse, unknown> => {
  const { body } = request
  const isLarge = body._tag !== "Empty" && body._tag !== "Uint8Array"
  const options = { duplex: "half", ...(isLarge && isNode() && once) } as const
  const go = (body: BodyInit | null, controller?: Controller) =>
    Effect.catch(send({ ...options, body, controller }), (cause) =>
      isRedirect(cause) ? Effect.succeed(redirected(request, "redirects are not followed")) : Effect.fail(cause)
    )
  if (body._tag === "FormData") {
    if (isNode()) return go(blobOf(body.formData))
    if (isForeign(body.formData)) {
      const { bytes, contentType } = Transport.formContent(body.formData)
      const headers = { ...request.headers, "content-type": contentType }
      return Effect.flatMap(Effect.promise(bytes), (body) => send({ ...options, body, headers }))
    }
  }
  if (content !== undefined) return go(content)
  if (body._tag !== "Stream")
    return unsendable(request, `fetch sends bytes, forms, Blobs and streams, not this ${body._tag}`)
  const scheme = /^[a-z]+:/i.exec(url)?.[0] ?? globalThis.location?.protocol
  if (isBrowser() && !(scheme?.toLowerCase() === "https:" && "duplex" in Request.prototype)) {
    const way = "send a Blob or a form; only Chromium sends streams, to https URLs over HTTP/2"
    return unsendable(request, `this browser cannot send this stream: ${way}`)
  }
  return sendStream(body, request, go)
}
