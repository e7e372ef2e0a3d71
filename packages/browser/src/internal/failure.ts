import * as Option from "effect/Option"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"

/** All browsers, and nothing else, start their name so; a page's `window` is no sign, since workers have none. */
const inBrowser = () => globalThis.navigator?.userAgent?.startsWith("Mozilla/") === true

/**
 * What a browser lets a page know of a request that got no response. To the page a refusal by CORS or by a content
 * security policy is the same network error as an unreachable host (Fetch standard, "network error"). The causes that
 * are left, and where to look; `undefined` outside browsers, whose errors speak for themselves.
 */
const describe = (request: HttpClientRequest.HttpClientRequest): string | undefined => {
  if (!inBrowser()) return undefined
  if (!navigator.onLine) return "the browser is offline"
  const target = Option.getOrUndefined(HttpClientRequest.toUrl(request))?.origin
  const cause =
    target === location.origin
      ? "the host cannot be reached"
      : `the host cannot be reached, or does not allow the origin ${location.origin} (CORS)`
  return `no answer: ${cause}, or the page's CSP forbids it; the browser's console says which`
}

/** The failure of a request that got no response. */
export const make = (
  request: HttpClientRequest.HttpClientRequest,
  cause?: unknown
): HttpClientError.HttpClientError => {
  const description = describe(request)
  return new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request,
      ...(cause !== undefined && { cause }),
      ...(description !== undefined && { description })
    })
  })
}
