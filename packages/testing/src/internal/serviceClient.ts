import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as HttpBody from "effect/http/HttpBody"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Url from "effect/http/Url"
import * as Operation from "@cloud-management/client/Operation"
import * as Transport from "@cloud-management/client/Transport"
import { pathOf, type HttpRequest } from "@cloud-management/service/HttpRequest"
import * as RequestInput from "@cloud-management/service/RequestInput"
import type * as Service from "@cloud-management/service/Service"
import * as Foreign from "./foreign.ts"

/** The content of a request and the headers that describe it, which are those of HTTP/1.1. */
export const contentOf = (request: HttpClientRequest.HttpClientRequest): Pick<HttpRequest, "content" | "headers"> => {
  const { body, headers } = request
  if (body._tag === "FormData") {
    const form = Transport.formContent(body.formData)
    const bytes = Effect.runSync(Effect.cached(Effect.promise(form.bytes)))
    return {
      content: () => Stream.fromEffect(bytes),
      headers: { ...headers, "content-type": form.contentType, "transfer-encoding": "chunked" }
    }
  }
  if (body._tag === "Raw" && Foreign.isBlob(body.body)) {
    const blob = body.body
    return {
      content: () => Stream.fromEffect(Effect.promise(async () => new Uint8Array(await blob.arrayBuffer()))),
      headers: { ...headers, "content-length": String(blob.size) }
    }
  }
  const isChunked = (body._tag === "Stream" || body._tag === "Raw") && headers["content-length"] === undefined
  return {
    content: () => HttpServerRequest.fromClientRequest(request).stream,
    headers: isChunked ? { ...headers, "transfer-encoding": "chunked" } : headers
  }
}

/** A request as the service receives it, and how its body failed, which no service can read. */
const send = (request: HttpClientRequest.HttpClientRequest, url: URL) => {
  const { body } = request
  const { content, headers } = contentOf(request)
  const read: Array<Uint8Array> = []
  let isEnded = false
  let failure: Error | undefined
  /** Reads a stream once, although the handle reads the content of a request again. */
  const once = ({ stream }: HttpBody.Stream) =>
    Stream.suspend((): Stream.Stream<Uint8Array, unknown> => {
      if (isEnded) return Stream.fromIterable(read)
      return stream.pipe(
        Stream.tap((chunk) => Effect.sync(() => read.push(chunk))),
        Stream.catchCause((cause) => {
          failure = new Transport.BodyFailed(Cause.squash(cause))
          return Stream.fail(failure)
        })
      )
    })
  const received: HttpRequest = {
    method: request.method,
    url: url.pathname + url.search,
    headers,
    address: () => undefined,
    content: body._tag === "Stream" ? () => once(body) : content,
    source: request
  }
  const end = Effect.sync(() => (isEnded = true))
  return { received, failure: () => failure, end }
}

export const fail = (reason: HttpClientError.HttpClientError["reason"]) =>
  Effect.fail(new HttpClientError.HttpClientError({ reason }))

const toClient = (request: HttpClientRequest.HttpClientRequest, response: HttpServerResponse.HttpServerResponse) => {
  const { body } = response
  const received = HttpServerResponse.toClientResponse(response, { request })
  return body._tag === "Uint8Array"
    ? Object.assign(received, { [Transport.collect]: () => Effect.succeed([body.body]) })
    : received
}

const urlOf = (request: HttpClientRequest.HttpClientRequest) =>
  Url.make(request.url, request.urlParams, Option.getOrUndefined(request.hash))

type OperationOf = (received: HttpRequest) => string | undefined

/** The operations behind clients that know them: a path alone does not tell `/pets/:id` from `/pets/latest`. */
const known = new WeakMap<HttpClient.HttpClient, OperationOf>()

/** The request below each path that the base URL can have. */
export const below = (received: HttpRequest): ReadonlyArray<HttpRequest> =>
  Array.from(pathOf(received).matchAll(/\//g), ({ index }) => ({ ...received, url: received.url.slice(index) }))

/**
 * Recognises the requests for an operation, whatever the base URL is. A client that knows its operations tells those apart
 * whose paths a request fits.
 */
export const isFor = (operation: Operation.Any, client: HttpClient.HttpClient) => {
  const decode = RequestInput.decode(operation)
  const name = Operation.nameOf(operation)
  const operationOf = known.get(client)
  return (request: HttpClientRequest.HttpClientRequest): boolean => {
    const url = urlOf(request)
    if (Result.isFailure(url)) return false
    const { received } = send(request, url.success)
    return below(received).some((one) => decode(one) !== undefined) && (operationOf?.(received) ?? name) === name
  }
}

/** Passes what a client knows of its operations on to one that is made of it. */
export const inherit = (client: HttpClient.HttpClient, made: HttpClient.HttpClient): HttpClient.HttpClient => {
  const operationOf = known.get(client)
  if (operationOf !== undefined) known.set(made, operationOf)
  return made
}

/** A client whose requests go to a service. `HttpClient.make` would abort each request at its end, which costs as much. */
export const make = (
  handle: Service.Service["Service"]["handle"],
  operationOf?: OperationOf
): HttpClient.HttpClient => {
  const client = Transport.make((request) => {
    const url = urlOf(request)
    if (Result.isFailure(url)) return fail(new HttpClientError.InvalidUrlError({ request, cause: url.failure }))
    const { end, failure, received } = send(request, url.success)
    return Effect.flatMap(Effect.ensuring(handle(received), end), (response) => {
      const cause = failure()
      if (cause !== undefined) return fail(new HttpClientError.TransportError({ request, cause }))
      // without the content, but with the headers that speak of it (RFC 9110 §9.3.2)
      const sent =
        request.method === "HEAD"
          ? HttpServerResponse.setHeaders(HttpServerResponse.setBody(response, HttpBody.empty), response.headers)
          : response
      return Effect.succeed(toClient(request, sent))
    })
  })
  if (operationOf !== undefined) known.set(client, operationOf)
  return client
}
