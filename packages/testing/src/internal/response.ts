import type * as Stream from "effect/Stream"
import type * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** A response whose body is a stream; a failure of the stream becomes the cause of a `DecodeError`. */
export const make = (
  request: HttpClientRequest.HttpClientRequest,
  head: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly cookies?: Cookies.Cookies
  },
  body: Stream.Stream<Uint8Array, unknown>
): HttpClientResponse.HttpClientResponse => {
  const headers = Headers.fromInput(head.headers)
  const response = HttpServerResponse.stream(body, { ...head, headers })
  return HttpServerResponse.toClientResponse(
    // a stream is given a type of content where the response has none
    headers["content-type"] === undefined ? HttpServerResponse.removeHeader(response, "content-type") : response,
    { request }
  )
}
