import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Inspectable from "effect/Inspectable"
import { pipeArguments } from "effect/Pipeable"
import type * as Effects from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as HttpMethod from "effect/http/HttpMethod"

/**
 * What sends requests: the service `HttpClient` of Effect. A transport is a Layer that provides it.
 *
 * **When to use**
 *
 * In a transport for pages. `effect/http/HttpClient` has the same service, and brings 1.9 kB more into a page.
 *
 * @category services
 * @since 0.1.0
 */
export const HttpClient: Context.Service<Effects.HttpClient, Effects.HttpClient> = Context.Service("effect/HttpClient")

type Exchange = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

const send = (method: HttpMethod.HttpMethod) =>
  function (this: Effects.HttpClient, url: string | URL, options?: HttpClientRequest.Options.NoUrl): Exchange {
    return this.execute(HttpClientRequest.make(method)(url, options))
  }

/** What `HttpClient.makeWith` of Effect makes. */
class Sender extends Inspectable.Class implements Effects.HttpClient {
  readonly "~effect/http/HttpClient" = "~effect/http/HttpClient"
  readonly preprocess = Effect.succeed
  readonly postprocess: Effects.HttpClient["postprocess"]

  constructor(postprocess: Effects.HttpClient["postprocess"]) {
    super()
    this.postprocess = postprocess
  }

  readonly execute = (request: HttpClientRequest.HttpClientRequest): Exchange =>
    this.postprocess(Effect.succeed(request))

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

  pipe() {
    return pipeArguments(this, arguments)
  }
}

/**
 * Makes an `HttpClient` of what sends a request.
 *
 * **Details**
 *
 * It adds nothing: no span, no headers of a trace and no `AbortController`, which `HttpClient.make` of Effect adds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  execute: (request: HttpClientRequest.HttpClientRequest, fiber: Fiber.Fiber<unknown, unknown>) => Exchange
): Effects.HttpClient => new Sender(Effect.flatMap((request) => Effect.withFiber((fiber) => execute(request, fiber))))
