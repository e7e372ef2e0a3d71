import type * as Headers from "effect/http/Headers"
import * as Hint from "./hint.ts"

/** The head of a response, read once. */
export interface Head {
  readonly status: number
  readonly headers: Headers.Headers
  /** The header `x-request-id`. */
  readonly requestId: string | undefined
  /** How long the service asks to wait before the next request, in milliseconds. */
  readonly retryAfter: number | undefined
  /** What it says of a rate limit. */
  readonly rateLimit: Hint.RateLimit
  /** When it arrived, in milliseconds of a clock that only goes forward. */
  readonly at: number
}

/** Reads a head that arrived at `at`; `nowMillis` is the time of day then, for dates in it. */
export const read = (status: number, headers: Headers.Headers, at: number, nowMillis: number): Head => {
  const source = { status, headers, nowMillis }
  const rateLimit = Hint.rateLimit(source)
  return {
    status,
    headers,
    requestId: headers["x-request-id"],
    retryAfter: Hint.retryAfter(source, rateLimit),
    rateLimit,
    at
  }
}
