import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"

/** A runtime can lack what is read, and a cause be anything: `undefined` where it throws. */
const read = <A>(evaluate: () => A): A | undefined => Result.getOrUndefined(Result.try(evaluate))

/** Whether the browser can reach this machine only (HTML standard, `navigator.onLine`). */
const isOffline = () => read(() => globalThis.navigator.onLine) === false
/** The names of this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
const loopback = /^(127\.[\d.]+|\[::1]|(.*\.)?localhost)$/

/** All browsers, and nothing else, start their name with `Mozilla/`; a page's `window` is no sign, since workers have none. */
export const isBrowser = () => read(() => globalThis.navigator.userAgent.startsWith("Mozilla/"))

/**
 * All that a browser lets a page know of a request that got no response. To the page a refusal by CORS or by a content
 * security policy is the same network error as an unreachable host (Fetch standard, "network error"). The causes that
 * are left, and where to look; empty outside browsers, whose errors speak for themselves.
 */
const describe = (origin: string): string => {
  if (isOffline()) return "the browser is offline"
  if (!isBrowser()) return ""
  const cors = origin === globalThis.location?.origin ? "" : ", or does not allow this page's origin (CORS)"
  return `no response: the host cannot be reached${cors}, or the page's CSP forbids it; the console says which`
}

/**
 * Deno's errors have messages in place of codes: hyper's, which name the stage that failed, and within them those of
 * rustls. At the stage "Connect" the request was not sent. Of Node's codes, one for a host that cannot be reached and one
 * for a certificate that is rejected, for whatever reason. Node names a port that `fetch` blocks in a message alone.
 */
const codeOf = (cause: unknown) => {
  const text = String(cause) + (Predicate.hasProperty(cause, "cause") && String(cause.cause))
  const [stage, certificate, port] = /\(Connect\): (invalid)?|bad (port)$/.exec(text) ?? []
  return stage && (certificate ? "CERT_REJECTED" : port ? "EPERM" : "EHOSTUNREACH")
}

/** Called before a request is sent: makes the error of a request that got no response from its cause. */
export const make = (
  request: HttpClientRequest.HttpClientRequest,
  parse: () => Result.Result<URL, unknown>
): ((cause: unknown) => HttpClientError.HttpClientError["reason"]) => {
  const wasOffline = isOffline()
  return (cause) => {
    const url = parse()
    if (Result.isFailure(url)) return new HttpClientError.InvalidUrlError({ request, cause })
    const { hostname, origin } = url.success
    const code = wasOffline && isOffline() && !loopback.test(hostname) ? "ENETUNREACH" : read(() => codeOf(cause))
    const description = describe(origin)
    return new HttpClientError.TransportError({ request, description, cause: code ? { code, cause } : cause })
  }
}

/** The failure of a request that was not sent, and never will be. */
export const unsendable = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  Effect.fail(
    new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request, description }) })
  )
