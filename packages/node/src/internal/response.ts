import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import { pipeArguments } from "effect/Pipeable"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Cookies from "effect/http/Cookies"
import type * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as UrlParams from "effect/http/UrlParams"

/** A body that can be read in one piece, any number of times, or once as it arrives. */
export interface Body {
  readonly bytes: Effect.Effect<Uint8Array<ArrayBuffer>, unknown>
  readonly text: Effect.Effect<string, unknown>
  readonly stream: Stream.Stream<Uint8Array, unknown>
  /** Its chunks, up to the one that passes the limit. */
  readonly collect?: (limit: number) => Effect.Effect<ReadonlyArray<Uint8Array>, unknown>
}

const parse: (text: string) => Schema.Json = JSON.parse
/** A form keeps a byte order mark (URL standard, "UTF-8 decode without BOM"). */
const formDecoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A response whose head is there. */
export class Response extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: string
  readonly status: number
  readonly headers: Headers.Headers
  // without #, which what inherits from a response cannot read
  private readonly setCookie: string | ReadonlyArray<string> | undefined
  private readonly body: Body

  constructor(
    request: HttpClientRequest.HttpClientRequest,
    url: string,
    status: number,
    headers: Headers.Headers,
    setCookie: string | ReadonlyArray<string> | undefined,
    body: Body
  ) {
    super()
    this[HttpClientResponse.TypeId] = HttpClientResponse.TypeId
    this[HttpIncomingMessage.TypeId] = HttpIncomingMessage.TypeId
    this.request = request
    this.url = url
    this.status = status
    this.headers = headers
    this.setCookie = setCookie
    this.body = body
  }

  /**
   * With this the client reads a body at less cost than its stream; `undefined` if there is only that. A
   * method: V8 puts a function that is written to the right of a property into its old space, with all that it holds.
   */
  "~cloud-management/collect"(
    limit: number
  ): Effect.Effect<ReadonlyArray<Uint8Array>, HttpClientError.HttpClientError> | undefined {
    const chunks = this.body.collect?.(limit)
    return chunks && Effect.mapError(chunks, this.unreadable)
  }

  /** The same response with another body, and the headers that describe it. */
  withBody(headers: Headers.Headers, body: Body): Response {
    return new Response(this.request, this.url, this.status, headers, this.setCookie, body)
  }

  get cookies(): Cookies.Cookies {
    return this.setCookie === undefined ? Cookies.empty : Cookies.fromSetCookie(this.setCookie)
  }

  get remoteAddress(): Option.Option<string> {
    return Option.none()
  }

  private get bytes(): Effect.Effect<Uint8Array<ArrayBuffer>, HttpClientError.HttpClientError> {
    return Effect.mapError(this.body.bytes, this.unreadable)
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpClientError.HttpClientError> {
    return Effect.map(this.bytes, ({ buffer }) => buffer)
  }

  get text(): Effect.Effect<string, HttpClientError.HttpClientError> {
    return Effect.mapError(this.body.text, this.unreadable)
  }

  get json(): Effect.Effect<Schema.Json, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({
        try: () => (text === "" ? null : parse(text)),
        catch: this.unreadable
      })
    )
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpClientError.HttpClientError> {
    // a "?" in front would be taken for the one that begins a query
    return Effect.map(this.bytes, (bytes) =>
      UrlParams.fromInput(new URLSearchParams(formDecoder.decode(bytes).replace(/^\?/, "%3F")))
    )
  }

  get formData(): Effect.Effect<FormData, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.bytes, (bytes) =>
      Effect.tryPromise({
        try: () => new globalThis.Response(bytes, { headers: this.headers }).formData(),
        catch: this.unreadable
      })
    )
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError.HttpClientError> {
    return Stream.mapError(this.body.stream, this.unreadable)
  }

  get upgrade(): Effect.Effect<never, HttpClientError.HttpClientError> {
    const description = "this transport does not support upgrades"
    const reason = new HttpClientError.StatusCodeError({ request: this.request, response: this, description })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  }

  private readonly unreadable = (cause: unknown) =>
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
