import * as Predicate from "effect/Predicate"
import type * as HttpClientError from "effect/http/HttpClientError"
import { TransportFailed, type Outcome } from "../CallError.ts"
import type { Sanitize } from "./redaction.ts"
import { property } from "./property.ts"

/**
 * Codes of a connection that could not be made, so that nothing was sent: name resolution and connecting, with whatever code
 * the system's `connect` ends. Names as in Node's documentation of errors, getaddrinfo(3) and undici's documentation of errors.
 */
const unconnected = /(^|,)(E(CONNREFUSED|NOTFOUND|AI_|(HOST|NET)UNREACH|ADDRNOTAVAIL)|UND_ERR_(CONN|PRX)|connect$)/
/**
 * Codes of failures that another attempt would meet again: certificates, proxies that reject, connections that the runtime
 * or the system does not permit, which a name (Deno, browsers) or a code (Node, errno(3)) states, and bodies in a wrong
 * coding. Names also as in OpenSSL's X509_verify_cert_error_string(3); `ERR_PROXY_REFUSED` and `ERR_TRANSPORT_CLOSED` are
 * `NodeTransport`'s.
 *
 * OpenSSL's codes that begin with `ERR_SSL_B` (`BAD_RECORD_TYPE`) or `ERR_SSL_DE` (`DECRYPTION_FAILED_OR_BAD_RECORD_MAC`)
 * are left out: a record can break on a connection that worked, after the request was sent. zlib's `Z_DATA_ERROR` and
 * `Z_NEED_DICT` (its manual, "Return codes") are for bytes that are not compressed as the response says; with
 * `Z_BUF_ERROR`, only the end is missing. `Asser`: an `AssertionError` of a test, in a `fetch` of its own.
 */
const permanent =
  /(^|,)(Not(Allowed|Capable)|PermissionDenied|Secu|Asser|E(ACCES|PERM)\b|CERT|CRL|DEPTH_ZERO|ERR_(ACCESS|PROXY|SSL_(D[^E]|[^BD])|T(LS|RANSPORT))|(UND_ERR_)?INVALID|PATH_LENGTH|SELF_SIGNED|UNABLE_TO|Z_[DN])/

/**
 * The causes of an error, outermost first, each with those that an `AggregateError` holds, such as one for each address of
 * a host. Bounded, since a cause can be cyclic.
 */
const causes = (error: unknown): ReadonlyArray<ReadonlyArray<unknown>> => {
  const links: Array<ReadonlyArray<unknown>> = []
  for (let link = property(error, "cause"); link !== undefined && links.length < 5; link = property(link, "cause")) {
    const errors = property(link, "errors")
    const several: ReadonlyArray<unknown> = Array.isArray(errors) ? errors : []
    links.push([link, ...several.slice(0, 5)])
  }
  return links
}

const texts = (
  links: ReadonlyArray<unknown>,
  key: "message" | "name" | "code" | "proxyOrigin" | "syscall"
): ReadonlyArray<string> =>
  links.map((link) => property(link, key)).filter((text): text is string => Predicate.isString(text) && text !== "")

/** The end of an attempt, as its error states it. */
interface Read {
  readonly reason: TransportFailed
  readonly outcome: Outcome
  /**
   * An error with React's `digest`, which a framework throws from `fetch` to control its own work, such as Next.js when it
   * prerenders a page. It is not a failure, and the framework must receive it.
   */
  readonly signal: unknown
  /** Whose secrets were withheld. */
  readonly sanitize: Sanitize
}

/** The causes that were read before: a transport that is closed ends all of its requests with one. */
const known = new WeakMap<WeakKey, Read>()

/**
 * Reads an error of a transport: its texts only, since its objects can hold the request. The URL, which some runtimes put
 * into a message, is left out, because it contains IDs. A proxy is a setting: its name is never withheld.
 */
export const classify = ({ reason }: HttpClientError.HttpClientError, sanitize: Sanitize): Read => {
  const { cause, description } = reason
  const malformed = reason._tag === "EncodeError" || reason._tag === "InvalidUrlError"
  const key = !malformed && !description && Predicate.isObject(cause) ? cause : reason
  const before = known.get(key)
  if (before?.sanitize === sanitize) return before
  const groups = causes(reason)
  const links = groups.flat()
  const codes = texts(links, "code")
  const code = codes.at(-1)
  const proxy = texts(links, "proxyOrigin").at(-1)
  const messages = groups.map((group) => texts(group, "message").join(", "))
  const text = [description, ...messages].filter(Boolean).join(": ").replaceAll(reason.request.url, "…")
  // A proxy fails before the service is reached, however its own connection ends. A connection to the service can end with
  // the same codes: Node names the call of the system that failed. A body in the wrong coding has arrived.
  const marks = [...texts(links, "name"), ...codes, ...texts(links, "syscall")].join()
  const isLasting = malformed || permanent.test(marks)
  const wasNotSent =
    malformed || proxy || ((isLasting || unconnected.test(marks)) && !/read|write|Z_|CODING/.test(marks))
  const read: Read = {
    reason: new TransportFailed({
      message: proxy ? `${proxy}: ${sanitize(text.replaceAll(proxy, ""))}` : sanitize(text || "the connection failed"),
      transient: !isLasting,
      ...(code && { code: sanitize(code) }),
      ...(proxy && { proxy })
    }),
    outcome: wasNotSent ? "not-sent" : "unknown",
    signal: links.find((link) => Predicate.isString(property(link, "digest"))),
    sanitize
  }
  known.set(key, read)
  return read
}
