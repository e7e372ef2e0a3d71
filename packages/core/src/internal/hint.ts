import * as Duration from "effect/Duration"
import type * as Headers from "effect/http/Headers"
import * as Timestamp from "./timestamp.ts"

/** What a response says about a rate limit. `reset` is in milliseconds from the response on. */
export interface RateLimit {
  readonly limit: number | undefined
  readonly remaining: number | undefined
  readonly reset: number | undefined
}

const number = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined

/** A parameter of a structured field: `r=5` in `"default";r=5;t=3`, `remaining=5` in `limit=10, remaining=5`. */
const parameter = (field: string | undefined, name: string): number | undefined =>
  number(new RegExp(`(?:^|[;,\\s])${name}=(\\d+(?:\\.\\d+)?)`).exec(field ?? "")?.[1])

/** The limits of a list, by name, as in `"burst";r=0;t=2, "daily";r=90;t=9000`. */
const limits = (field: string | undefined) =>
  (field ?? "").split(",").map((text) => ({ text, name: text.split(";", 1)[0]?.trim() }))

/**
 * The limit that binds: the one with the fewest requests left, and of several used up the one that is reset last.
 */
const binding = (field: string | undefined) =>
  limits(field)
    .map(({ name, text }) => ({ name, remaining: parameter(text, "r") ?? Infinity, reset: parameter(text, "t") }))
    .reduce((a, b) =>
      b.remaining < a.remaining || (b.remaining === a.remaining && (b.reset ?? 0) > (a.reset ?? 0)) ? b : a
    )

/** A value under its own name, in a header of its own or as a parameter of the field that has all. */
const value = (headers: Headers.Headers, name: string): number | undefined =>
  number(headers[`x-ratelimit-${name}`]) ??
  number(headers[`ratelimit-${name}`]) ??
  parameter(headers["ratelimit"], name)

const reset = (headers: Headers.Headers): number | undefined => {
  const seconds = value(headers, "reset") ?? binding(headers["ratelimit"]).reset
  return seconds === undefined ? undefined : seconds * 1000
}

/**
 * Reads `X-RateLimit-*` (reset as delta seconds, which may have a fraction) and the `RateLimit` fields of
 * draft-ietf-httpapi-ratelimit-headers, in the spellings of its revisions: `RateLimit-Remaining: 5`,
 * `RateLimit: limit=10, remaining=5, reset=3` and `RateLimit: "default";r=5;t=3`. Of several limits in a list it is the
 * one that binds.
 */
export const rateLimit = (headers: Headers.Headers): RateLimit => {
  const listed = binding(headers["ratelimit"])
  const policies = limits(headers["ratelimit-policy"])
  const policy = policies.find(({ name }) => name === listed.name) ?? policies[0]
  return {
    limit: value(headers, "limit") ?? parameter(policy?.text, "q"),
    remaining: value(headers, "remaining") ?? (listed.remaining === Infinity ? undefined : listed.remaining),
    reset: reset(headers)
  }
}

/** All three forms of an HTTP date begin with the name of a day, without which JavaScript finds a year in any number. */
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/

/** An HTTP date (RFC 9110 §5.6.7) counts from the response's own `date`, so that a clock that is off does not matter. */
const untilDate = (headers: Headers.Headers, nowMillis: number): number | undefined => {
  // the oldest of the three forms names no zone, and means the same
  const at = (text = "") => (httpDate.test(text) ? Timestamp.parse(text.replace(/( GMT)?$/, " GMT")) : NaN)
  const date = at(headers["retry-after"])
  const from = at(headers["date"])
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(from) ? nowMillis : from))
}

/** How long the service asks to wait: `Retry-After` (RFC 9110 §10.2.3), else the reset of an exhausted rate limit. */
export const retryAfter = (
  status: number,
  headers: Headers.Headers,
  nowMillis: number
): Duration.Duration | undefined => {
  const seconds = number(headers["retry-after"])
  const millis =
    seconds !== undefined
      ? seconds * 1000
      : (untilDate(headers, nowMillis) ?? (status === 429 ? reset(headers) : undefined))
  return millis === undefined ? undefined : Duration.millis(millis)
}
