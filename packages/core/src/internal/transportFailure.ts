import * as Predicate from "effect/Predicate"
import type * as HttpClientError from "effect/http/HttpClientError"
import { TransportFailed, type Outcome } from "../CloudError.ts"

/**
 * Codes of failures before the first byte left: name resolution, connecting, TLS. Names as in Node's `errors`
 * documentation, getaddrinfo(3) and undici's `errors.js`.
 */
const notSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/** An error and its causes, outermost first. Bounded, since a cause can be cyclic. */
const chain = (error: unknown): ReadonlyArray<unknown> => {
  const links: Array<unknown> = []
  for (let link = error; link !== undefined && links.length < 5;) {
    links.push(link)
    link = Predicate.hasProperty(link, "cause") ? link.cause : undefined
  }
  return links
}

/** Reads an error of a transport: its codes and messages only, since its objects can hold the request. */
export const classify = (
  error: HttpClientError.HttpClientError,
  quote: (text: string) => string
): { readonly reason: TransportFailed; readonly outcome: Outcome } => {
  const { reason } = error
  const links = "cause" in reason ? chain(reason.cause) : []
  const messages = links.flatMap((link) =>
    Predicate.hasProperty(link, "message") && Predicate.isString(link.message) && link.message !== ""
      ? [link.message]
      : []
  )
  const codes = links.flatMap((link) =>
    Predicate.hasProperty(link, "code") && Predicate.isString(link.code) ? [link.code] : []
  )
  const code = codes.at(-1)
  const text = [...(reason.description === undefined ? [] : [reason.description]), ...messages].join(": ")
  return {
    reason: new TransportFailed({
      message: quote(text === "" ? "the connection failed" : text),
      ...(code !== undefined && { code: quote(code) })
    }),
    outcome:
      reason._tag === "EncodeError" || reason._tag === "InvalidUrlError" || codes.some((code) => notSent.test(code))
        ? "not-sent"
        : "unknown"
  }
}
