import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Body from "@cloud-management/client/Body"
import * as CallError from "@cloud-management/client/CallError"
import * as Refusals from "@cloud-management/core/Refusals"
import { StoreUnavailable } from "../KeyStore.ts"
import type { Value } from "../telemetry/measures.ts"
import { Fault } from "./fault.ts"
import { jsonEncoder } from "./output.ts"
import { isCodec } from "./strict.ts"

export type Refused = CallError.Refused | Fault

export const isRefused = (error: Refused | StoreUnavailable): error is Refused => !(error instanceof StoreUnavailable)

export const internalError = new Refusals.InternalError({ message: "INTERNAL_ERROR: The service failed" })

export const unavailable = new Refusals.ServiceUnavailable({
  message: "SERVICE_UNAVAILABLE: The service is temporarily unavailable",
  retryAfter: Duration.seconds(1)
})

/** The challenge that goes with a 401 (RFC 7617 §2.1). */
export const challenge = 'Basic realm="Cloud Management", charset="UTF-8"'

export const close = { connection: "close" }

export const headersOf = (response: HttpServerResponse.HttpServerResponse, requestId: string) => ({
  "x-request-id": requestId,
  "x-content-type-options": "nosniff",
  "cache-control": response.headers["cache-control"] ?? "no-store"
})

type Bytes = Stream.Stream<Uint8Array, unknown>

/** The same response with another stream as its body, if that is one; the headers stay. */
export const mapStream = (response: HttpServerResponse.HttpServerResponse, map: (stream: Bytes) => Bytes) => {
  const { body, headers } = response
  if (body._tag !== "Stream") return response
  return HttpServerResponse.setHeaders(HttpServerResponse.setBody(response, HttpBody.stream(map(body.stream))), headers)
}

export const failure = (status: number, error: string, requestId: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe({ status, error, requestId }, { status, headers })

/** The body of a refusal whose class declares one (`Refusal.body`). */
const bodyOf = (refused: CallError.Refused): unknown => {
  const rule: unknown = Reflect.get(refused.constructor, "rule")
  const body = Predicate.hasProperty(rule, "body") ? rule.body : undefined
  return isCodec(body) ? jsonEncoder(body)(Predicate.hasProperty(refused, "body") && refused.body) : undefined
}

/** Of JSON, but for integers that keep all their digits (`Refusal.exact`). */
const { codec = JSON } = Body.exact(Body.json(Schema.Unknown))

/** A refusal as a response: `retry-after` in whole seconds, rounded up; the challenge with a 401. */
export const refusal = (refused: Refused, requestId: string) => {
  if (refused instanceof Fault) return failure(refused.status, refused.message, requestId, close)
  const { retryAfter: wait, status } = refused
  const headers = {
    ...(status === 401 && { "www-authenticate": challenge }),
    ...(wait !== undefined && { "retry-after": String(Math.max(1, Math.ceil(Duration.toSeconds(wait)))) })
  }
  const body = bodyOf(refused)
  return body === undefined
    ? failure(status, refused.message, requestId, headers)
    : HttpServerResponse.text(codec.stringify(body), { status, headers, contentType: "application/json" })
}

/** Statuses of faults that are not `malformed`. */
const rejections = new Map<number, Value<"rejections">>([
  [408, "too slow"],
  [413, "too large"],
  [414, "too large"],
  [431, "too large"],
  [501, "unknown method"]
])

/** Why a request was rejected, unless it was for its credentials, a limit, or by its operation. */
export const rejectionOf = (refused: Refused): Value<"rejections"> | undefined => {
  if (refused instanceof Fault) return rejections.get(refused.status) ?? "malformed"
  if (refused instanceof Refusals.BadRequest) return "invalid input"
  if (refused instanceof Refusals.Forbidden) return "foreign organization"
  return refused === unavailable ? "draining" : undefined
}
