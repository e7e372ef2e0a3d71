import * as Predicate from "effect/Predicate"
import type * as HttpClientError from "effect/http/HttpClientError"
import { TransportFailed, type Outcome } from "../CloudError.ts"
import { property } from "./property.ts"

/**
 * Codes of failures before the first byte left: name resolution and connecting, and certificates and proxies that were
 * refused or refuse. Names as in Node's documentation of errors, getaddrinfo(3), OpenSSL's
 * X509_verify_cert_error_string(3) and undici's documentation of errors; `ERR_PROXY_REFUSED` and
 * `INVALID_CONTENT_CODING` are `NodeTransport`'s.
 */
const unconnected = /^(E(CONNREFUSED|NOTFOUND|AI_|\w+UNREACH|ADDRNOTAVAIL)|UND_ERR_(CONN|PRX))/
const permanent = /^(CERT|CRL|DEPTH_ZERO|ERR_(PROXY|SSL_(D[^E]|[^BD])|TLS)|INVALID|PATH_LENGTH|SELF_SIGNED|UNABLE_TO)/

/** The causes of an error, outermost first. Bounded, since a cause can be cyclic. */
const causes = (error: unknown): ReadonlyArray<unknown> => {
  const links: Array<unknown> = []
  for (let link = property(error, "cause"); link !== undefined && links.length < 5; link = property(link, "cause")) {
    links.push(link)
  }
  return links
}

const texts = (
  links: ReadonlyArray<unknown>,
  key: "message" | "code" | "proxyOrigin" | "syscall"
): ReadonlyArray<string> =>
  links.map((link) => property(link, key)).filter((text): text is string => Predicate.isString(text) && text !== "")

/**
 * Reads an error of a transport: its texts only, since its objects can hold the request. Some runtimes put the URL into a
 * message, and ids are in it. A proxy is a setting, and named whatever its name looks like.
 */
export const classify = (
  { reason }: HttpClientError.HttpClientError,
  sanitize: (text: string) => string
): { readonly reason: TransportFailed; readonly outcome: Outcome } => {
  const links = causes(reason)
  const codes = texts(links, "code")
  const code = codes.at(-1)
  const proxy = texts(links, "proxyOrigin").at(-1)
  const text = [reason.description ?? [], texts(links, "message")].flat().join(": ").replaceAll(reason.request.url, "…")
  const malformed = reason._tag === "EncodeError" || reason._tag === "InvalidUrlError"
  const refused = codes.some((code) => permanent.test(code))
  // A proxy fails before the service is reached, however its own connection ends. A connection to the service can end with
  // the same codes: Node names the call of the system that failed.
  const wasNotSent =
    malformed ||
    refused ||
    proxy ||
    (codes.some((code) => unconnected.test(code)) && !/read|write/.test(texts(links, "syscall").join()))
  return {
    reason: new TransportFailed({
      message: proxy ? `${proxy}: ${sanitize(text.replaceAll(proxy, ""))}` : sanitize(text || "the connection failed"),
      transient: !malformed && !refused,
      ...(code && { code: sanitize(code) }),
      ...(proxy && { proxy })
    }),
    outcome: wasNotSent ? "not-sent" : "unknown"
  }
}
