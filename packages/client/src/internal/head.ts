import type * as Headers from "effect/http/Headers"
import * as Hint from "./hint.ts"

/**
 * The head of a response, read once.
 */
export interface Head extends Hint.Stated {
  readonly status: number
  readonly headers: Headers.Headers
  /** The time of day when it arrived, for dates in the headers. */
  readonly nowMillis: number
  /** When it arrived, in milliseconds of a clock that only goes forward. */
  readonly at: number
  /** The header that names the request. */
  readonly requestId: string | undefined
  /** How long the service asks to wait before the next request, in milliseconds. */
  readonly retryAfter: number | undefined
}

/** Reads a head; `requestIdHeader` in lower case. */
export const read = (stated: Hint.Stated & { readonly at: number }, requestIdHeader: string): Head => ({
  ...stated,
  // an empty one names no request
  requestId: stated.headers[requestIdHeader] || undefined,
  retryAfter: Hint.retryAfter(stated)
})
