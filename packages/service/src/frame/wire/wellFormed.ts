import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { HttpRequest } from "../HttpRequest.ts"
import { Fault } from "./fault.ts"

/** Largest accepted request body, in bytes, unless its host says another. */
const maxBody = 65_536

const tooLarge = (limit: number) => new Fault(413, `CONTENT_TOO_LARGE: A request body may have at most ${limit} bytes`)
const broken = new Fault(400, "BAD_REQUEST: The request body is malformed")

/** Whether a text is a name or an address, maybe with a port (RFC 9112 §3.2). No http URL has an empty name. */
export const isAuthority = (text: string): boolean =>
  /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+)(?::\d*)?$/i.test(text)

export const targetTooLong = (limit: number) =>
  new Fault(414, `URI_TOO_LONG: A request target may have at most ${limit} characters`)

/** Two `Authorization` headers: which one would count? */
export const repeatedAuthorization = new Fault(400, "BAD_REQUEST: More than one Authorization header")

/** Repeated lines reach here joined by commas (RFC 9110 §5.3). */
const ofHead = ({ headers, maxBodyLength = maxBody, maxTargetLength = 2048, url }: HttpRequest): Fault | undefined => {
  if (url.length > maxTargetLength) return targetTooLong(maxTargetLength)
  if (Number(headers["content-length"] ?? 0) > maxBodyLength) return tooLarge(maxBodyLength)
  // no credentials of Basic hold a comma; those of other schemes may, and are nobody's here
  if (headers["authorization"]?.includes(",") === true && /^basic\b/i.test(headers["authorization"]))
    return repeatedAuthorization
  if (headers["host"] !== undefined && !isAuthority(headers["host"])) {
    return new Fault(400, "BAD_REQUEST: Host must be one name or address, with an optional port")
  }
  // RFC 9112 §6.1; how far the body goes is where two servers must not disagree
  if (headers["transfer-encoding"] !== undefined && !/^(chunked)?$/i.test(headers["transfer-encoding"])) {
    return new Fault(400, "BAD_REQUEST: The only supported transfer coding is chunked")
  }
  // RFC 9110 §10.1.1
  if (headers["expect"] !== undefined && !/^(100-continue)?$/i.test(headers["expect"])) {
    return new Fault(417, "EXPECTATION_FAILED: The only supported expectation is 100-continue")
  }
  return undefined
}

/** Whether a request announces a body (RFC 9112 §6.3). */
export const hasBody = ({ headers }: HttpRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Whether a request has a body to read, which HTTP/2 need not announce. */
export const hasContent = (request: HttpRequest): boolean => request.hasContent === true || hasBody(request)

export const head = (request: HttpRequest): Fault | undefined => request.fault?.() ?? ofHead(request)

/** The body, which has to end as it should within the limit. */
const read = ({ content, maxBodyLength = maxBody }: HttpRequest, onFailure: () => Fault) => {
  let size = 0
  const limited = Stream.tap(content(), ({ length }) =>
    (size += length) > maxBodyLength ? Effect.fail(tooLarge(maxBodyLength)) : Effect.void
  )
  return Effect.mapError(Stream.mkUint8Array(limited), (error) => (error instanceof Fault ? error : onFailure()))
}

const none: Effect.Effect<Uint8Array> = Effect.succeed(new Uint8Array())

/** To its end, used or not: one that breaks off has no effect. Who waits for `100 Continue` is asked for it now. */
export const body = (request: HttpRequest): Effect.Effect<Uint8Array, Fault> =>
  hasContent(request)
    ? Effect.suspend(() => {
        const found = request.fault?.()
        return found === undefined ? read(request, () => request.fault?.() ?? broken) : Effect.fail(found)
      })
    : none
