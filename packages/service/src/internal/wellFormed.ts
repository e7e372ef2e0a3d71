import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"

/** Largest accepted request body, in bytes. No operation has one. */
const maxBody = 65_536

/** Why a request is refused, whatever it asks for. Its connection ends with the answer. */
export class Fault extends Data.TaggedError("Fault")<{ readonly status: number; readonly message: string }> {}

/** What the host of a service knows about the form of requests. */
export interface Rules {
  /** Longest accepted request target, in characters. The longest of the specification has 156. */
  readonly maxTargetLength: number
  /** What the host has found wrong with a request so far. */
  readonly fault: (request: HttpServerRequest.HttpServerRequest) => Fault | undefined
}

/** The host's rules. Those of a host that has none are for a `Request` of the Fetch standard, which is well-formed. */
export const HostRules = Context.Reference<Rules>("@cloud-management/service/HostRules", {
  defaultValue: () => ({ maxTargetLength: 2048, fault: () => undefined })
})

const tooLarge = new Fault({ status: 413, message: `CONTENT_TOO_LARGE: A request body has at most ${maxBody} bytes` })
const broken = new Fault({ status: 400, message: "BAD_REQUEST: The request body is malformed" })

/** Whether a text is a name or an address, maybe with a port (RFC 9112 §3.2). No http URL has an empty name. */
export const isAuthority = (text: string): boolean =>
  /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+)(?::\d*)?$/i.test(text)

/** A target beyond the limit. */
export const targetTooLong = (limit: number): Fault =>
  new Fault({ status: 414, message: `URI_TOO_LONG: A request target has at most ${limit} characters` })

/** Two `Authorization` headers: which one would count? */
export const repeatedAuthorization: Fault = new Fault({
  status: 400,
  message: "BAD_REQUEST: More than one Authorization header"
})

/** What is wrong with the head of a request. Repeated lines reach here joined by commas (RFC 9110 §5.3). */
const ofHead = ({ headers, url }: HttpServerRequest.HttpServerRequest, maxTargetLength: number): Fault | undefined => {
  if (url.length > maxTargetLength) return targetTooLong(maxTargetLength)
  if (Number(headers["content-length"] ?? 0) > maxBody) return tooLarge
  // no credentials of Basic hold a comma; those of other schemes may, and are nobody's here
  if (/^basic\b.*,/is.test(headers["authorization"] ?? "")) return repeatedAuthorization
  if (headers["host"] !== undefined && !isAuthority(headers["host"])) {
    return new Fault({ status: 400, message: "BAD_REQUEST: Host has to be one name or address, maybe with a port" })
  }
  // RFC 9112 §6.1; how far the body goes is where two servers must not disagree
  if (!/^(chunked)?$/i.test(headers["transfer-encoding"] ?? "")) {
    return new Fault({ status: 400, message: "BAD_REQUEST: The only transfer coding is chunked" })
  }
  // RFC 9110 §10.1.1
  if (!/^(100-continue)?$/i.test(headers["expect"] ?? "")) {
    return new Fault({ status: 417, message: "EXPECTATION_FAILED: The only expectation is 100-continue" })
  }
  return undefined
}

/** Whether a request announces a body (RFC 9112 §6.3). */
export const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  "transfer-encoding" in headers || Number(headers["content-length"] ?? 0) > 0

/** Fails when the head of a request alone condemns it. */
export const head = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Fault> =>
  Effect.flatMap(HostRules, ({ fault, maxTargetLength }) => {
    const found = fault(request) ?? ofHead(request, maxTargetLength)
    return found === undefined ? Effect.void : Effect.fail(found)
  })

const read = ({ stream }: HttpServerRequest.HttpServerRequest, onFailure: () => Fault) =>
  stream.pipe(
    Stream.scan(
      () => 0,
      (total, { length }) => total + length
    ),
    Stream.takeUntil((total) => total > maxBody),
    Stream.runLast,
    Effect.mapError(onFailure),
    Effect.flatMap((total) => (Option.getOrElse(total, () => 0) > maxBody ? Effect.fail(tooLarge) : Effect.void))
  )

/**
 * Waits for the end of the body, which nothing uses: a request that does not end as it should must have no effect. A
 * caller that expects `100 Continue` is asked for its body here, and no sooner.
 */
export const body = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Fault> =>
  hasBody(request)
    ? Effect.flatMap(HostRules, ({ fault }) => {
        const found = fault(request)
        return found === undefined ? read(request, () => fault(request) ?? broken) : Effect.fail(found)
      })
    : Effect.void
