import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Url from "effect/http/Url"
import * as Failure from "./failure.ts"

/** A request as a page sends it. */
export interface Sendable {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: string
  /** Without those of a trace, which would need the consent of a preflight, and without the length, which the browser sets. */
  readonly headers: Headers.Headers
  readonly body: Uint8Array<ArrayBuffer> | FormData | null
}

type Exchange = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

const fail = (reason: HttpClientError.HttpClientError["reason"]) =>
  Effect.fail(new HttpClientError.HttpClientError({ reason }))

/** The failure of a request that was not sent, and never will be. */
export const unsendable = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  fail(new HttpClientError.EncodeError({ request, description }))

/** Makes a client of what sends a request; other failures than those of a client are causes of one. */
export const make = (
  name: string,
  send: (
    sendable: Sendable,
    fiber: Fiber.Fiber<unknown, unknown>
  ) => Effect.Effect<HttpClientResponse.HttpClientResponse, unknown>
): HttpClient.HttpClient => {
  const execute = (request: HttpClientRequest.HttpClientRequest, fiber: Fiber.Fiber<unknown, unknown>): Exchange => {
    const { body, hash, urlParams } = request
    const url = Url.make(request.url, urlParams, Option.getOrUndefined(hash))
    if (Result.isFailure(url)) return fail(new HttpClientError.InvalidUrlError({ request, cause: url.failure }))
    if (body._tag === "Stream" || body._tag === "Raw") {
      return unsendable(request, `${name} sends bytes and forms, not a ${body._tag}`)
    }
    const sendable: Sendable = {
      request,
      url: url.success.href,
      headers: Headers.removeMany(request.headers, ["b3", "content-length", "traceparent"]),
      body: body._tag === "FormData" ? body.formData : body._tag === "Empty" ? null : new Uint8Array(body.body)
    }
    const failure = Failure.make(request, url.success)
    return Effect.mapError(send(sendable, fiber), (cause) =>
      HttpClientError.isHttpClientError(cause) ? cause : failure(cause)
    )
  }
  return HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
    Effect.flatMap((request) => Effect.withFiber((fiber) => execute(request, fiber))),
    Effect.succeed
  )
}

/** What a promise comes to. What throws, rejects; an interruption aborts. */
export const awaited = <A>(start: () => Promise<A>, abort: () => void): Effect.Effect<A, unknown> =>
  Effect.callback((resume) => {
    const started = async () => start()
    started().then(
      (value) => resume(Effect.succeed(value)),
      (cause) => resume(Effect.fail(cause))
    )
    return Effect.sync(abort)
  })
