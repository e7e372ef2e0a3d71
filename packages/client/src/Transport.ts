import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import { pipeArguments } from "effect/Pipeable"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type * as Cookies from "effect/http/Cookies"
import type * as Headers from "effect/http/Headers"
import type * as Effects from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type * as HttpMethod from "effect/http/HttpMethod"
import * as UrlParams from "effect/http/UrlParams"
import { utf8 } from "./internal/content.ts"

export { formContent, type FormContent } from "./internal/formContent.ts"

/**
 * Sends requests: the service `HttpClient` of Effect. A transport is a Layer that provides it.
 *
 * **When to use**
 *
 * In a transport for pages. `effect/http/HttpClient` has the same service, and brings 1.9 kB more into a page.
 */
export const HttpClient: Context.Service<Effects.HttpClient, Effects.HttpClient> = Context.Service("effect/HttpClient")

/** The cause of the failure of a request whose body failed, with that problem as its own cause. */
export class BodyFailed extends Error {
  override readonly name = "BodyFailed"
  /** The request was writing: a source can fail with the error of another request, which says that nothing was sent. */
  readonly syscall = "write"

  constructor(problem: unknown) {
    super(`the body of the request failed${Predicate.isString(problem) ? `: ${problem}` : ""}`, { cause: problem })
  }
}

type Sent = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

const send = (method: HttpMethod.HttpMethod) =>
  function (this: Effects.HttpClient, url: string | URL, options?: HttpClientRequest.Options.NoUrl): Sent {
    return this.execute(HttpClientRequest.make(method)(url, options))
  }

abstract class Piped extends Inspectable.Class {
  pipe() {
    return pipeArguments(this, arguments)
  }
}

/** Equals what `HttpClient.makeWith` of Effect makes. */
class Sender extends Piped implements Effects.HttpClient {
  readonly "~effect/http/HttpClient" = "~effect/http/HttpClient"
  readonly preprocess = Effect.succeed
  readonly postprocess: Effects.HttpClient["postprocess"]
  readonly execute: Effects.HttpClient["execute"]

  constructor(execute: Effects.HttpClient["execute"]) {
    super()
    this.postprocess = Effect.flatMap(execute)
    // `postprocess` of a request, in fewer steps
    this.execute = execute
  }

  readonly get = send("GET")
  readonly query = send("QUERY")
  readonly head = send("HEAD")
  readonly post = send("POST")
  readonly patch = send("PATCH")
  readonly put = send("PUT")
  readonly del = send("DELETE")
  readonly options = send("OPTIONS")
  readonly trace = send("TRACE")

  toJSON(): unknown {
    return { _id: "effect/HttpClient" }
  }
}

/**
 * Makes an `HttpClient` from a function that sends a request.
 *
 * **Details**
 *
 * It adds nothing: no span, no headers of a trace and no `AbortController`, which `HttpClient.make` of Effect adds.
 */
export const make = (
  execute: (request: HttpClientRequest.HttpClientRequest, fiber: Fiber.Fiber<unknown, unknown>) => Sent
): Effects.HttpClient => new Sender((request) => Effect.withFiber((fiber) => execute(request, fiber)))

const parse: (text: string) => Schema.Json = JSON.parse

/** `Cookies.empty` of Effect, whose module would bring the writing of cookies. */
class NoCookies extends Piped implements Cookies.Cookies {
  readonly "~effect/http/Cookies" = "~effect/http/Cookies"
  readonly cookies = {}

  toJSON(): unknown {
    return { _id: "effect/Cookies", cookies: {} }
  }
}

/** The method of a {@link Collector}. */
export const collect = "~client/collect"

/**
 * A response whose body the client can read at less cost than by its stream.
 */
export interface Collector {
  /**
   * The chunks of the body, up to the one that passes the limit in bytes, after which the request is aborted; `undefined` if
   * there is only the stream. A method of a class: V8 puts a function that is written to the right of a property into its old
   * space, with all that it holds.
   */
  [collect](limit: number): Effect.Effect<ReadonlyArray<Uint8Array>, HttpClientError.HttpClientError> | undefined
}

/** A response before its body. */
export interface Head {
  readonly status: number
  readonly url: string
  readonly headers: Headers.Headers
}

/**
 * A response whose transport says how its body is read: `bytes`, in one piece, any number of times, and `stream`, as it
 * arrives. `text`, `json` and the other forms of a body are derived from `bytes`.
 *
 * **Details**
 *
 * A body that cannot be read is a `DecodeError`. Unless a transport overrides `cookies`, there are none.
 */
export abstract class Response extends Piped implements HttpClientResponse.HttpClientResponse {
  readonly "~effect/http/HttpClientResponse" = "~effect/http/HttpClientResponse"
  readonly "~effect/http/HttpIncomingMessage" = "~effect/http/HttpIncomingMessage"
  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  readonly url: string
  readonly headers: Headers.Headers

  constructor(request: HttpClientRequest.HttpClientRequest, { headers, status, url }: Head) {
    super()
    this.request = request
    this.status = status
    this.url = url
    this.headers = headers
  }

  /** All bytes of the body. */
  abstract get bytes(): Effect.Effect<Uint8Array<ArrayBuffer>, HttpClientError.HttpClientError>
  abstract get stream(): Stream.Stream<Uint8Array, HttpClientError.HttpClientError>

  get cookies(): Cookies.Cookies {
    return new NoCookies()
  }

  get remoteAddress(): Option.Option<string> {
    return Option.none()
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpClientError.HttpClientError> {
    return Effect.map(this.bytes, ({ buffer }) => buffer)
  }

  get text(): Effect.Effect<string, HttpClientError.HttpClientError> {
    return Effect.map(this.bytes, utf8)
  }

  get json(): Effect.Effect<Schema.Json, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({ try: () => (text === "" ? null : parse(text)), catch: this.unreadable })
    )
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpClientError.HttpClientError> {
    return Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
  }

  get formData(): Effect.Effect<FormData, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.bytes, (bytes) =>
      Effect.tryPromise({
        try: () => new globalThis.Response(bytes, { headers: this.headers }).formData(),
        catch: this.unreadable
      })
    )
  }

  get upgrade(): Effect.Effect<never, HttpClientError.HttpClientError> {
    return Effect.fail(this.unreadable("no upgrade"))
  }

  protected readonly unreadable = (cause: unknown): HttpClientError.HttpClientError =>
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
}
