import * as Predicate from "effect/Predicate"
import type * as HttpClientError from "effect/http/HttpClientError"
import { TransportFailed, type Outcome } from "../CloudError.ts"

/**
 * Codes of failures before the first byte left: name resolution and connecting, and certificates that were refused.
 * Names as in Node's documentation of errors, getaddrinfo(3), OpenSSL's X509_verify_cert_error_string(3) and undici's
 * documentation of errors.
 */
const unconnected = /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)/
const distrusted = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

const read = (value: unknown, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

/** The causes of an error, outermost first. Bounded, since a cause can be cyclic. */
const causes = (error: unknown): ReadonlyArray<unknown> => {
  const links: Array<unknown> = []
  for (let link = read(error, "cause"); link !== undefined && links.length < 5; link = read(link, "cause")) {
    links.push(link)
  }
  return links
}

const texts = (links: ReadonlyArray<unknown>, key: "message" | "code"): ReadonlyArray<string> =>
  links
    .map((link) => read(link, key))
    .filter(Predicate.isString)
    .filter((text) => text !== "")

/**
 * Reads an error of a transport: its codes and messages only, since its objects can hold the request. Some runtimes put
 * the URL into a message, and ids are in it.
 */
export const classify = (
  { reason }: HttpClientError.HttpClientError,
  sanitize: (text: string) => string
): { readonly reason: TransportFailed; readonly outcome: Outcome } => {
  const links = causes(reason)
  const codes = texts(links, "code")
  const code = codes.at(-1)
  const text = [reason.description ?? [], texts(links, "message")].flat().join(": ").replaceAll(reason.request.url, "…")
  const malformed = reason._tag === "EncodeError" || reason._tag === "InvalidUrlError"
  const refused = codes.some((code) => distrusted.test(code))
  return {
    reason: new TransportFailed({
      message: sanitize(text === "" ? "the connection failed" : text),
      transient: !malformed && !refused,
      ...(code !== undefined && { code: sanitize(code) })
    }),
    outcome: malformed || refused || codes.some((code) => unconnected.test(code)) ? "not-sent" : "unknown"
  }
}
