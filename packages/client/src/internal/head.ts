import type * as Headers from "effect/http/Headers"
import * as Timestamp from "./timestamp.ts"

/** The parts of a head that state a wait. */
export interface Stated {
  readonly status: number
  readonly headers: Headers.Headers
  /** The time of day when it arrived, for dates in the headers. */
  readonly nowMillis: number
}

/**
 * The head of a response, read once.
 */
export interface Head extends Stated {
  /** When it arrived, in milliseconds of a clock that only goes forward. */
  readonly at: number
  /** The header that names the request. */
  readonly requestId: string | undefined
  /** How long the service asks to wait before the next request, in milliseconds. */
  readonly retryAfter: number | undefined
}

/**
 * Called when an admitted request has received the head of its response, or has ended without one; further calls do
 * nothing.
 */
export type Release = (head: Head | undefined) => void

/** `reset` is in milliseconds from the response on. */
export interface RateLimit {
  readonly limit: number | undefined
  readonly remaining: number | undefined
  readonly reset: number | undefined
}

const number = (text = ""): number | undefined => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined)

/** A parameter of a structured field: `r=5` in `"default";r=5;t=3`, `remaining=5` in `limit=10, remaining=5`. */
const parameter = (field: string | undefined, name: string): number | undefined =>
  number(new URLSearchParams(field?.replace(/[;,\s]/g, "&")).get(name) ?? "")

/**
 * The limit that binds, in a list as in `"burst";r=0;t=2, "daily";r=90;t=9000`: the one with the fewest requests left, and
 * of several used up the one that is reset last.
 */
const binding = (field = "") =>
  field
    .split(",")
    .map((text) => ({ text, remaining: parameter(text, "r") ?? Infinity, reset: parameter(text, "t") }))
    // two without a number are as many
    .sort((a, b) => a.remaining - b.remaining || (b.reset ?? 0) - (a.reset ?? 0))[0]

/** A value under its own name, in a header of its own or as a parameter of the field that has all. */
const value = (headers: Headers.Headers, name: string): number | undefined =>
  number(headers[`x-ratelimit-${name}`]) ??
  number(headers[`ratelimit-${name}`]) ??
  parameter(headers["ratelimit"], name)

/** All three forms of an HTTP date begin with the name of a day, without which JavaScript finds a year in any number. */
const httpDate = /^[FMSTW][a-z]{2}/

/** An HTTP date (RFC 9110 §5.6.7). The oldest of its three forms names no zone, and means the same. */
const date = (text = ""): number => (httpDate.test(text) ? Timestamp.parse(text.replace(/( GMT)?$/, " GMT")) : NaN)

/** Milliseconds until a moment, counted from the response's own `date`, so that a clock that is off does not matter. */
const until = (millis: number, { headers, nowMillis }: Stated): number =>
  Math.max(0, millis - (date(headers["date"]) || nowMillis))

/**
 * The milliseconds of a number of seconds. Some services send a moment instead, in seconds or milliseconds since 1970:
 * nobody asks to wait for the 31 years that the smallest of them would be.
 */
const wait = (seconds: number, head: Stated): number =>
  seconds < 1e9 ? seconds * 1000 : until(seconds < 1e11 ? seconds * 1000 : seconds, head)

const reset = (head: Stated): number | undefined => {
  const seconds = value(head.headers, "reset") ?? binding(head.headers["ratelimit"])?.reset
  return seconds === undefined ? undefined : wait(seconds, head)
}

/** The name of a limit or of its policy, as in `"burst";q=10;w=2`. */
const nameOf = (text = "") => text.split(";", 1)[0]?.trim()

/**
 * Reads `X-RateLimit-*` (reset as delta seconds, which may have a fraction, or as a moment since 1970) and the `RateLimit`
 * fields of draft-ietf-httpapi-ratelimit-headers, in the spellings of its revisions: `RateLimit-Remaining: 5`,
 * `RateLimit: limit=10, remaining=5, reset=3` and `RateLimit: "default";r=5;t=3`. Of several limits in a list it is the
 * one that binds.
 */
export const rateLimit = (head: Stated): RateLimit => {
  const { headers } = head
  const listed = binding(headers["ratelimit"])
  const policies = (headers["ratelimit-policy"] ?? "").split(",")
  const policy = policies.find((policy) => nameOf(policy) === nameOf(listed?.text)) ?? policies[0]
  return {
    limit: value(headers, "limit") ?? parameter(policy, "q"),
    remaining: value(headers, "remaining") ?? (listed?.remaining === Infinity ? undefined : listed?.remaining),
    reset: reset(head)
  }
}

/**
 * How long the service asks to wait, in milliseconds: `retry-after-ms`, which is the finer one of services that send both,
 * else `Retry-After` (RFC 9110 §10.2.3), else the reset of an exhausted rate limit.
 */
export const retryAfter = (head: Stated): number | undefined => {
  const { headers, status } = head
  const retry = headers["retry-after"]
  // it can come twice, from a gateway and the service behind it
  const asked = retry && [...new Set(retry.split(", "))].join(", ")
  const seconds = number(asked)
  const at = date(asked)
  return (
    number(headers["retry-after-ms"]) ??
    // without a date, `at` is not above 0
    (seconds !== undefined ? wait(seconds, head) : at > 0 ? until(at, head) : status === 429 ? reset(head) : undefined)
  )
}

/** Reads a head; `requestIdHeader` in lower case. */
export const read = (stated: Stated & { readonly at: number }, requestIdHeader: string): Head => ({
  ...stated,
  // an empty one names no request
  requestId: stated.headers[requestIdHeader] || undefined,
  retryAfter: retryAfter(stated)
})
