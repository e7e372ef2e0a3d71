import { Data, Duration, Predicate, Runtime } from "effect"
import { Advice } from "@cloud-management/core"
import type { CallError } from "@cloud-management/client/CallError"
import type { AlreadyExists, InUse, KeyInactive, NotFound } from "@cloud-management/service/Administration"
import type { StoreUnavailable } from "@cloud-management/service/KeyStore"
import * as Foreign from "./foreign.ts"
import * as Table from "./table.ts"

/** The exit codes of failures. The others are 0 for success, and 130 and 143 for an interruption (SIGINT, SIGTERM). */
export const exitCodes = {
  unexpected: 1,
  usage: 2,
  cancelled: 3,
  notAllowed: 4,
  notFound: 5,
  rejected: 6,
  transient: 7
} as const

export class Failure extends Data.TaggedError("Failure")<{
  /** The reason's tag for a failure of the service or the transport, otherwise the kind of failure. */
  readonly tag: string
  readonly message: string
  readonly advice?: string | undefined
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryable?: boolean | undefined
  /** The body that the service sent, where it says more than the message. */
  readonly body?: unknown
  readonly exit: keyof typeof exitCodes
}> {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCodes[this.exit]
}

export const make = (exit: Failure["exit"], tag: string, message: string, advice?: string): Failure =>
  new Failure({ tag, message, advice, exit, ...(exit === "transient" && { retryable: true }) })

export const usage = (message: string, advice?: string): Failure => make("usage", "Usage", message, advice)

export type AnyCloudError = CallError<{
  readonly _tag: string
  readonly message: string
  readonly requestId?: string
  readonly retryAfter?: Duration.Duration
  readonly code?: string
  readonly proxy?: string
  /** The status of a refusal that the operation declares. Any other status may come from a gateway. */
  readonly status?: number
  readonly body?: unknown
}>

/** The status of a refusal. Of another API, whose document may not declare it, any counts. */
const refusalOf = ({ reason, status }: AnyCloudError, { isForeign }: Call) =>
  reason.status ?? (isForeign === true && reason._tag === "UnexpectedStatus" ? status : undefined)

const exitOf = (error: AnyCloudError, call: Call): keyof typeof exitCodes => {
  const { isRetryable, reason, status } = error
  const refusal = refusalOf(error, call)
  if (refusal === 401 || refusal === 403) return "notAllowed"
  if (refusal === 404) return "notFound"
  if (reason._tag === "InvalidInput") return "usage"
  if (reason._tag === "TransportFailed") return isRetryable ? "transient" : "unexpected"
  if (["RateLimited", "Timeout", "Throttled"].includes(reason._tag)) return "transient"
  if (status === undefined || status < 400) return "unexpected"
  return status >= 500 || status === 408 ? "transient" : "rejected"
}

const undelivered = ({ reason: { message, code, proxy }, status }: AnyCloudError, baseUrl: string): string => {
  if (status !== undefined) return `the response from ${baseUrl} breaks off: ${message}`
  if (proxy !== undefined) return `cannot connect to ${baseUrl}: ${message}`
  if (code === "ECONNREFUSED") return `nothing listens at ${baseUrl} (${code})`
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the host name in ${baseUrl} cannot be resolved (${code})`
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") return `the server at ${baseUrl} does not speak TLS (${code})`
  return `no response from ${baseUrl}: ${message}`
}

/** The call that an error ended. */
export interface Call {
  readonly baseUrl: string
  readonly path?: string
  readonly elapsed?: Duration.Duration | undefined
  readonly timeout?: Duration.Duration | undefined
  /** Whether it is of another API than the one whose keys and settings advice can name. */
  readonly isForeign?: boolean | undefined
  /** Whether a value repeats the credentials. Without it, no body is shown. */
  readonly repeats?: ((value: unknown) => boolean) | undefined
}

/** A duration for people, to at most tenths of a second. */
export const seconds = (duration: Duration.Duration): string => {
  const millis = Duration.toMillis(duration)
  return millis < 100 ? `${Math.round(millis)}ms` : `${Math.round(millis / 100) / 10}s`
}

/** The client's error names the limit of its last attempt, which got the time that was left: people set that of the call. */
const unfinished = ({ attempts, reason: { message } }: AnyCloudError, { elapsed, timeout = elapsed }: Call): string => {
  const limit = elapsed && timeout && seconds(Duration.min(elapsed, timeout))
  const what = limit === undefined ? message : `no complete response within ${limit}`
  return `${what} (${attempts} ${attempts === 1 ? "attempt" : "attempts"})`
}

const messageOf = (error: AnyCloudError, call: Call): string => {
  const { baseUrl } = call
  const { headers, reason, status = 0 } = error
  const { location } = headers
  // not followed: the credentials are for one address
  if (status >= 300 && status < 400 && location !== undefined) return `${baseUrl} redirects to ${location}`
  if (reason._tag === "TransportFailed") return undelivered(error, baseUrl)
  return reason._tag === "Timeout" ? `${baseUrl}: ${unfinished(error, call)}` : reason.message
}

const invalid: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED:
    "The certificate of the service has expired. Ask the operator of the service to renew it. Also check the clock of this machine.",
  CERT_NOT_YET_VALID: "The certificate of the service is not valid yet. Check the clock of this machine."
}

/** The codes of OpenSSL and Node for a certificate that is refused. */
export const distrusted = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/

const checks = {
  own: {
    baseUrl: "Check the base URL in --base-url, CLOUD_MANAGEMENT_BASE_URL, or the profile.",
    key: "Check the key ID (--key-id, or CLOUD_MANAGEMENT_KEY_ID) and its secret (--key-secret-file, or CLOUD_MANAGEMENT_KEY_SECRET). Disabled and expired keys are also refused. To replace the key in a profile, run `cloud-management login`.",
    right: "A key works only in its own organization: `cloud-management organizations list` shows which one."
  },
  foreign: {
    baseUrl: "Check the base URL in --base-url.",
    key: "Check the secret in --key-secret-file, and how it is sent: --key-id for HTTP Basic, --key-header, --key-query or --key-cookie; otherwise as a bearer token.",
    right: undefined
  }
}

const astray = (method: string, baseUrl: string, path: string): string => {
  let base = baseUrl
  while (base.endsWith("/")) base = base.slice(0, -1)
  const requested = `Requested: ${method} ${base}${path}`
  const version = path.slice(0, Math.max(0, path.indexOf("/", 1)))
  return version !== "" && base.endsWith(version)
    ? `${requested}\nThe base URL should probably be ${base.slice(0, -version.length)}, because each path already starts with ${version}.`
    : requested
}

/** A request of your own can have reasons for which the library has no advice. */
const general: Readonly<Record<string, string | undefined>> = Advice.byReason

const adviceOf = (error: AnyCloudError, call: Call) => {
  const { baseUrl, isForeign, path } = call
  const { method, outcome, reason, status } = error
  const { baseUrl: checkBaseUrl, key, right } = checks[isForeign === true ? "foreign" : "own"]
  if (method === "DELETE" && outcome === "unknown") {
    return "It may have been deleted anyway. It is safe to delete it again."
  }
  // neither is idempotent (RFC 9110 §9.2.2)
  if ((method === "POST" || method === "PATCH") && outcome === "unknown") {
    return "It may have been applied anyway: find out before you send it again."
  }
  if (reason.status === 404) return general[reason._tag] ?? "Check the IDs."
  const refusal = refusalOf(error, call)
  if (refusal === 401) return key
  if (refusal === 403) return right
  switch (reason._tag) {
    case "TransportFailed":
      if (reason.proxy !== undefined) {
        return "Check HTTPS_PROXY or HTTP_PROXY. To reach a host without a proxy, list it in NO_PROXY."
      }
      if (reason.code === "ERR_TLS_CERT_ALTNAME_INVALID") return `The certificate is for another host. ${checkBaseUrl}`
      if (invalid[reason.code ?? ""] !== undefined) return invalid[reason.code ?? ""]
      if (distrusted.test(reason.code ?? "")) {
        return "If you trust its certificate authority, set NODE_EXTRA_CA_CERTS or SSL_CERT_FILE to its PEM file."
      }
      // how a server that speaks TLS ends a connection on which HTTP comes
      return status === undefined && /^(UND_ERR_SOCKET|ECONNRESET)$/.test(reason.code ?? "") && /^http:/i.test(baseUrl)
        ? `${checkBaseUrl} For TLS, it must start with https.`
        : checkBaseUrl
    case "InvalidResponse":
    case "UnexpectedStatus":
      if (status === undefined || status >= 500) break
      // an error of the service itself, `CODE: message`; only a path that it does not know can be one of another base URL
      if (reason._tag === "UnexpectedStatus" && status !== 404 && /^[A-Z][A-Z\d_]*: /.test(reason.message)) break
      return path === undefined ? checkBaseUrl : `${astray(method, baseUrl, path)}\n${checkBaseUrl}`
    case "Timeout":
      return "Allow more time with --timeout, or pass --verbose to see what it waits for."
  }
  const wait = reason.retryAfter
  if (wait !== undefined) return `Try again in ${Duration.format(wait)}.`
  if (status === undefined) return undefined
  const fallback = status >= 500 ? "InternalError" : "BadRequest"
  return general[reason._tag === "UnexpectedStatus" ? fallback : reason._tag] ?? Advice.byReason[fallback]
}

/** The body of a refusal, where it says more than the message and the status; of a long one, the beginning. */
const bodyOf = ({ reason: { body, message }, status }: AnyCloudError, { repeats }: Call): unknown => {
  const parts = Predicate.isObjectKeyword(body) ? Object.values(body) : [body]
  if (repeats === undefined || parts.every((part) => part === undefined || part === message || part === status))
    return undefined
  const text = Foreign.toJson(body)
  // names are in the text alone
  if (repeats([body, text])) return "(withheld: it repeats the credentials)"
  return text.length > 2 ** 14 ? Foreign.brief(text) : body
}

export const fromCloudError = (error: AnyCloudError, call: Call): Failure => {
  const body = bodyOf(error, call)
  const advice = adviceOf(error, call)
  return new Failure({
    tag: error.reason._tag,
    message: messageOf(error, call),
    advice: body === undefined ? advice : advice?.replace("message says", "message and the body say"),
    body,
    status: error.status,
    requestId: error.reason.requestId,
    retryable: error.isRetryable,
    exit: exitOf(error, call)
  })
}

export const corrupt = (message: string): Failure =>
  make(
    "unexpected",
    "DatabaseCorrupt",
    message,
    'Restore it from a backup: see "Backup and restore" in docs/service/operations.md.'
  )

export const missing = (message: string, advice: string): Failure => make("notFound", "Missing", message, advice)

export type OfAdministration = NotFound | AlreadyExists | InUse | KeyInactive | StoreUnavailable

/** The failure for an act that the store refused, with advice. The tags are those that JSON output has always had. */
export const fromAdministration = (error: Exclude<OfAdministration, StoreUnavailable>): Failure => {
  const { _tag, message } = error
  if (_tag === "NotFound")
    return missing(message, `\`cloud-management admin ${error.kind}s list\` shows the existing ones.`)
  if (_tag === "AlreadyExists") return make("rejected", "Taken", message, "Omit --id to generate a new one.")
  if (_tag === "KeyInactive")
    return make("rejected", _tag, message, "Enable it or give it a later expiry first, or create another key.")
  const owned = error.kind === "organization" ? "keys and services" : "endpoints"
  return make("rejected", _tag, message, `Delete its ${owned} first.`)
}

export const toJson = ({ advice, body, message, requestId, retryable, status, tag }: Failure): string =>
  Foreign.toJson({
    error: {
      tag,
      message,
      status: status ?? null,
      requestId: requestId ?? null,
      retryable: retryable ?? false,
      advice: advice ?? null,
      ...(body !== undefined && { body })
    }
  })

const indent = " ".repeat("error: ".length)

export const toText = ({ advice, body, message, requestId, status, tag }: Failure, width = Infinity): string =>
  [
    `error: ${status === undefined ? message : `${tag} (HTTP ${status}): ${message}`}`,
    ...(body === undefined ? [] : [`Body: ${typeof body === "string" ? body : Foreign.toJson(body)}`]),
    ...(advice === undefined ? [] : [advice]),
    ...(requestId === undefined ? [] : [`Request ID: ${requestId}`])
  ]
    .flatMap((text) => text.split("\n"))
    .flatMap((text) => Table.wrap(Foreign.brief(text), width - indent.length))
    .join(`\n${indent}`)
