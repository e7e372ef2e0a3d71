import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import { pipeArguments } from "effect/Pipeable"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as UrlParams from "effect/http/UrlParams"

const parse: (text: string) => Schema.Json = JSON.parse

/**
 * A response of `fetch`. Its body can be read in one piece, any number of times, or once as it arrives; an interruption
 * while it is read aborts the request.
 */
export class FetchResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly headers: Headers.Headers
  readonly #source: Response
  readonly #controller: AbortController
  #bytes: Promise<ArrayBuffer> | undefined

  constructor(request: HttpClientRequest.HttpClientRequest, source: Response, controller: AbortController) {
    super()
    this.request = request
    this.#source = source
    this.#controller = controller
    const headers = Headers.fromInput(source.headers)
    const cookies = source.headers.get("set-cookie")
    // May be that of the compressed body: a browser hides content-encoding from a page of another origin (Fetch standard,
    // CORS-safelisted response-header names), and the client trusts a length without one. Cookies, which no page sees, come
    // one by one, so the last would stay alone.
    this.headers =
      source.type === "cors"
        ? Headers.remove(headers, "content-length")
        : cookies
          ? Headers.set(headers, "set-cookie", cookies)
          : headers
  }

  get status(): number {
    return this.#source.status
  }

  get url(): string {
    return this.#source.url.split("#", 1)[0] ?? ""
  }

  /** None: no cookies are sent, and a browser shows none. */
  get cookies(): Cookies.Cookies {
    return Cookies.empty
  }

  get remoteAddress(): Option.Option<string> {
    return Option.none()
  }

  #read<A>(promise: () => Promise<A>): Effect.Effect<A, HttpClientError.HttpClientError> {
    return Effect.callback((resume) => {
      promise().then(
        (value) => resume(Effect.succeed(value)),
        (cause) => resume(Effect.fail(this.#unreadable(cause)))
      )
      return Effect.sync(() => this.#controller.abort())
    })
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpClientError.HttpClientError> {
    return this.#read(() => (this.#bytes ??= this.#source.arrayBuffer()))
  }

  get text(): Effect.Effect<string, HttpClientError.HttpClientError> {
    return Effect.map(this.arrayBuffer, (bytes) => new TextDecoder().decode(bytes))
  }

  get json(): Effect.Effect<Schema.Json, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({
        try: () => (text === "" ? null : parse(text)),
        catch: this.#unreadable
      })
    )
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpClientError.HttpClientError> {
    return Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
  }

  get formData(): Effect.Effect<FormData, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.arrayBuffer, (bytes) =>
      this.#read(() => new Response(bytes, { headers: this.headers }).formData())
    )
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError.HttpClientError> {
    const { body } = this.#source
    return body
      ? Stream.fromReadableStream({ evaluate: () => body, onError: this.#unreadable })
      : Stream.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.EmptyBodyError({ request: this.request, response: this })
          })
        )
  }

  get upgrade(): Effect.Effect<never, HttpClientError.HttpClientError> {
    return Effect.fail(
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.StatusCodeError({
          request: this.request,
          response: this,
          description: "fetch does not support upgrades"
        })
      })
    )
  }

  readonly #unreadable = (cause: unknown) =>
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.DecodeError({ request: this.request, response: this, cause })
    })

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, {
      _id: "HttpClientResponse",
      request: this.request.toJSON(),
      status: this.status
    })
  }

  pipe() {
    return pipeArguments(this, arguments)
  }
}
