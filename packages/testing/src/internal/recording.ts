import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Entry, Failure, Response } from "./cassette.ts"
import * as Content from "./content.ts"
import * as Failures from "./failure.ts"
import * as Responses from "./response.ts"
import { placeholder, type Secrets } from "./secrets.ts"
import * as Sent from "./sent.ts"

/** An attempt as far as it got. It counts as aborted until its end is known. */
export interface Attempt {
  readonly sent: Sent.Sent
  millis: number
  failure: Failure | undefined
  response: Received | undefined
}

interface Received {
  readonly status: number
  readonly headers: Headers.Headers
  chunks: Array<Uint8Array>
  /** `unread` until the program reads the body, and `whole` when it has read all of it. */
  state: "unread" | "whole" | Failure
}

export const make = (sent: Sent.Sent): Attempt => ({
  sent,
  millis: 0,
  failure: { reason: "Aborted" },
  response: undefined
})

const receive = ({ cookies, headers, status }: HttpClientResponse.HttpClientResponse): Received => {
  // of several cookies, the headers of some transports have the last one
  const set = [headers["set-cookie"] ?? [], ...Cookies.toSetCookieHeaders(cookies)].flat()
  return {
    status,
    headers: set.length > 0 ? Headers.set(headers, "set-cookie", set.join(", ")) : headers,
    chunks: [],
    state: "unread"
  }
}

/** The body of a response, kept while it is read. It can be read again once all of it is there; a second reader waits for that. */
const tap = (response: HttpClientResponse.HttpClientResponse, received: Received, measure: () => void) => {
  const turn = Semaphore.makeUnsafe(1)
  const read = Stream.suspend(() => {
    if (received.state === "whole") return Stream.fromIterable(received.chunks)
    received.chunks = []
    received.state = { reason: "Aborted" }
    return response.stream.pipe(
      Stream.tap((chunk) => Effect.sync(() => received.chunks.push(chunk))),
      // fetch has no stream for a response without a body
      Stream.catchIf(
        ({ reason }) => reason._tag === "EmptyBodyError",
        () => Stream.empty,
        Stream.fail
      ),
      Stream.onEnd(Effect.sync(() => (received.state = "whole"))),
      Stream.mapError((error) => {
        received.state = { ...Failures.fromError(error), reason: "DecodeError" }
        return error.reason.cause ?? error
      }),
      Stream.ensuring(Effect.sync(measure))
    )
  })
  const taken = Effect.acquireRelease(turn.take(1), () => turn.release(1), { interruptible: true })
  return Stream.unwrap(Effect.as(taken, read))
}

/** Sends a request, and keeps its response or failure. */
export const send = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  attempt: Attempt
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> =>
  Effect.clockWith((clock) => {
    const start = clock.monotonicTimeNanosUnsafe()
    const measure = () => {
      attempt.millis = Math.round(Number(clock.monotonicTimeNanosUnsafe() - start) / 1e6)
    }
    return client.execute(request).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          measure()
          if (Exit.isSuccess(exit)) attempt.failure = undefined
        })
      ),
      Effect.tapError((error) =>
        Effect.sync(() => {
          attempt.failure = Failures.fromError(error)
          if (error.response !== undefined) attempt.response = receive(error.response)
        })
      ),
      Effect.map((response) => {
        const received = receive(response)
        attempt.response = received
        const { cookies, headers, status } = response
        return Responses.make(request, { status, headers, cookies }, tap(response, received, measure))
      })
    )
  })

const redactFailure = ({ causes, description, reason }: Failure, { redact }: Secrets): Failure => ({
  reason,
  ...(description !== undefined && { description: redact(description) }),
  ...(causes !== undefined && {
    causes: causes.map((cause) => Object.fromEntries(Object.entries(cause).map(([key, text]) => [key, redact(text)])))
  })
})

/** The types of JSON (RFC 8259 §11, RFC 6839 §3.1). */
const jsonType = /[/+]json\s*(;|$)/i

const toResponse = ({ chunks, headers, state, status }: Received, secrets: Secrets): Response => {
  const bytes = Sent.join(chunks)
  const isJson = jsonType.test(headers["content-type"] ?? "")
  const body = bytes.length === 0 ? undefined : Sent.redactContent(Content.fromBytes(bytes, isJson), secrets)
  const redacted = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      // what it sets may be too short to be found
      name === "set-cookie" ? placeholder : secrets.redact(value)
    ])
  )
  if (body !== undefined && headers["content-length"] === String(bytes.length)) {
    // redaction and the removal of white space change the length
    redacted["content-length"] = String(Content.toBytes(body).length)
  }
  return {
    status,
    headers: redacted,
    ...(body !== undefined && { body }),
    ...(typeof state === "object" && { failure: redactFailure(state, secrets) })
  }
}

/** The entry of an attempt, without secrets. */
export const toEntry = (
  { failure, millis, response, sent }: Attempt,
  secrets: Secrets,
  names: ReadonlyArray<string>
): Entry => ({
  request: Sent.toRequest(sent, secrets, names),
  millis,
  ...(response !== undefined && { response: toResponse(response, secrets) }),
  ...(failure !== undefined && { failure: redactFailure(failure, secrets) })
})
