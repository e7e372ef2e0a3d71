import * as Headers from "effect/http/Headers"

/**
 * The headers of a request as a page sends them: without those of a trace, which would need the consent of a preflight,
 * and without the length, which is the browser's own to set.
 */
export const ofPage = (headers: Headers.Headers): Headers.Headers =>
  Headers.removeMany(headers, ["b3", "content-length", "traceparent"])
