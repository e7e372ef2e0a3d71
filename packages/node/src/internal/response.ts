import * as Transport from "@cloud-management/client/Transport"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Cookies from "effect/http/Cookies"
import type * as Headers from "effect/http/Headers"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"

/** A body that can be read in one piece, any number of times, or once as it arrives. */
export interface Body {
  readonly bytes: Effect.Effect<Uint8Array<ArrayBuffer>, unknown>
  readonly stream: Stream.Stream<Uint8Array, unknown>
  /** Its chunks, up to the one that passes the limit. */
  readonly collect?: (limit: number) => Effect.Effect<ReadonlyArray<Uint8Array>, unknown>
}

/** A form keeps a byte order mark (URL standard, "UTF-8 decode without BOM"). */
const formDecoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A response whose head has arrived. */
export class Response extends Transport.Response implements Transport.Collector {
  // without #, which an object that inherits from a response cannot read
  private readonly setCookie: string | ReadonlyArray<string> | undefined
  private readonly body: Body

  constructor(
    request: HttpClientRequest.HttpClientRequest,
    head: Transport.Head,
    setCookie: string | ReadonlyArray<string> | undefined,
    body: Body
  ) {
    super(request, head)
    this.setCookie = setCookie
    this.body = body
  }

  [Transport.collect](limit: number): ReturnType<Transport.Collector[typeof Transport.collect]> {
    const chunks = this.body.collect?.(limit)
    return chunks && Effect.mapError(chunks, this.unreadable)
  }

  /** The same response with another body, and the headers that describe it. */
  withBody(headers: Headers.Headers, body: Body): Response {
    return new Response(this.request, { status: this.status, url: this.url, headers }, this.setCookie, body)
  }

  override get cookies(): Cookies.Cookies {
    return this.setCookie === undefined ? Cookies.empty : Cookies.fromSetCookie(this.setCookie)
  }

  get bytes(): Effect.Effect<Uint8Array<ArrayBuffer>, HttpClientError.HttpClientError> {
    return Effect.mapError(this.body.bytes, this.unreadable)
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError.HttpClientError> {
    return Stream.mapError(this.body.stream, this.unreadable)
  }

  override get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpClientError.HttpClientError> {
    // a "?" in front would be taken for the one that begins a query
    return Effect.map(this.bytes, (bytes) =>
      UrlParams.fromInput(new URLSearchParams(formDecoder.decode(bytes).replace(/^\?/, "%3F")))
    )
  }
}
