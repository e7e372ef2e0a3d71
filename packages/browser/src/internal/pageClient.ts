import * as Transport from "@cloud-management/client/Transport"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as HttpBody from "effect/http/HttpBody"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Failure from "./failure.ts"
import type { PageResponse } from "./response.ts"

type Content = Uint8Array<ArrayBuffer> | FormData | Blob | null

export type Controller = Pick<AbortController, "abort" | "signal">

/** A body to send, or a stream if the transport makes one. */
interface Own<S> {
  readonly body: Content | S
  /** Options that the body needs, and the signal that aborts the request. */
  readonly options?: Readonly<Record<string, unknown>>
  readonly controller?: Controller | undefined
  /** In place of the request's. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Sendable<S> extends Own<S> {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: string
  /** Without those of a trace, which would need the consent of a preflight, and without the length, which the browser sets. */
  readonly headers: Readonly<Record<string, string>>
}

type Sent = Effect.Effect<PageResponse, unknown>

/** Sends a body that the transport looks at first; `content` is absent if it cannot be sent as it is. */
export type Upload<S> = (
  request: HttpClientRequest.HttpClientRequest,
  url: string,
  content: Content | undefined,
  send: (own: Own<S>) => Sent
) => Sent

/** Without `instanceof`: every realm has its own class. */
const isBlob = (body: unknown): body is Blob => Predicate.hasProperty(body, "arrayBuffer")

const contentOf = (body: HttpBody.HttpBody): Content | undefined => {
  if (body._tag === "Empty") return null
  if (body._tag === "FormData") return body.formData
  if (body._tag === "Uint8Array") return new Uint8Array(body.body)
  return body._tag === "Raw" && isBlob(body.body) ? body.body : undefined
}

/** The failure of a request that was not sent, and never will be. */
export const unsendable = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  Effect.fail(
    new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request, description }) })
  )

/** Makes an `HttpClient` from a function that sends a request, whose other failures become causes of an `HttpClientError`. */
export const make = <S>(
  send: <E>(
    sendable: Sendable<S>,
    fiber: Fiber.Fiber<unknown, unknown>,
    toError: (cause: unknown) => E
  ) => Effect.Effect<PageResponse, E>,
  upload?: Upload<S>
): HttpClient.HttpClient =>
  Transport.make((request, fiber) => {
    const { body } = request
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
    // `fetch` parses it too, and rejects an invalid one
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
    const content = contentOf(body)
    if (upload) {
      const go = (own: Own<S>) => send({ request, url, headers, ...own }, fiber, identity)
      return Effect.mapError(upload(request, url, content, go), toError)
    }
    return content === undefined
      ? unsendable(request, `fetch sends no ${body._tag}: send a Blob, or use layerStreams`)
      : send({ request, url, headers, body: content }, fiber, toError)
  })
