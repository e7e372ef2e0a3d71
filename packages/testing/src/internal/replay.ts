import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Entry } from "./cassette.ts"
import * as Content from "./content.ts"
import * as Failures from "./failure.ts"
import * as Responses from "./response.ts"

/** Ends as the recorded attempt did. One that the program had aborted lasts until it is aborted again. */
export const respond = (
  { failure, response = { status: 0, headers: {} } }: Entry,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
  const { body, failure: end, headers, status } = response
  const received = Responses.make(
    request,
    { status, headers },
    Stream.concat(
      body === undefined ? Stream.empty : Stream.sync(() => Content.toBytes(body)),
      end === undefined ? Stream.empty : end.reason === "Aborted" ? Stream.never : Stream.fail(Failures.causeOf(end))
    )
  )
  if (failure === undefined) return Effect.succeed(received)
  const error = Failures.toError(failure, request, received)
  return error === undefined ? Effect.never : Effect.fail(error)
}
