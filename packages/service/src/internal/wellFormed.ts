import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"

/** Longest accepted request target, in characters. The longest of the specification has 156. */
const maxTarget = 2048
/** Largest accepted request body, in bytes. No operation has one. */
const maxBody = 65_536

/** Why a request is not looked at, whatever it asks for. Its connection ends with the answer. */
export interface Fault {
  readonly status: number
  readonly error: string
}

const tooLarge = { status: 413, error: `CONTENT_TOO_LARGE: A request body has at most ${maxBody} bytes` }
const broken = { status: 400, error: "BAD_REQUEST: The request body is malformed" }

/** What is wrong with the head of a request. Repeated lines reach here joined by commas (RFC 9110 §5.3). */
const ofHead = ({ headers, url }: HttpServerRequest.HttpServerRequest): Fault | undefined => {
  if (url.length > maxTarget) {
    return { status: 414, error: `URI_TOO_LONG: A request target has at most ${maxTarget} characters` }
  }
  if (Number(headers["content-length"] ?? 0) > maxBody) return tooLarge
  // no credentials of HTTP Basic hold a comma
  if (headers["authorization"]?.includes(",") === true) {
    return { status: 400, error: "BAD_REQUEST: More than one Authorization header" }
  }
  // RFC 9112 §3.2
  if (headers["host"]?.includes(",") === true) {
    return { status: 400, error: "BAD_REQUEST: More than one Host header" }
  }
  // RFC 9112 §6.1; how far the body goes is where two servers must not disagree
  if (!/^(chunked)?$/i.test(headers["transfer-encoding"] ?? "")) {
    return { status: 400, error: "BAD_REQUEST: The only transfer coding is chunked" }
  }
  return undefined
}

/** Waits for the end of the body, which nobody reads: what does not end as it should must have no effect. */
const ofBody = ({ stream }: HttpServerRequest.HttpServerRequest): Effect.Effect<Fault | undefined> =>
  stream.pipe(
    Stream.scan(
      () => 0,
      (total, { length }) => total + length
    ),
    Stream.takeUntil((total) => total > maxBody),
    Stream.runLast,
    Effect.match({
      onFailure: () => broken,
      onSuccess: (total) => (Option.getOrElse(total, () => 0) > maxBody ? tooLarge : undefined)
    })
  )

/** What is wrong with a request, if anything is. */
export const check = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Fault | undefined> => {
  const fault = ofHead(request)
  const hasBody = "transfer-encoding" in request.headers || Number(request.headers["content-length"] ?? 0) > 0
  return fault === undefined && hasBody ? ofBody(request) : Effect.succeed(fault)
}
