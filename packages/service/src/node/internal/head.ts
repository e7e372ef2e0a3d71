import type * as Http from "node:http"
import { Fault } from "../../frame/wire/fault.ts"
import { isAuthority, repeatedAuthorization, targetTooLong } from "../../frame/wire/wellFormed.ts"

const version = new Fault(400, "BAD_REQUEST: The service supports only HTTP/1.1")
const noHost = new Fault(400, "BAD_REQUEST: An HTTP/1.1 request must have a Host header")
const noTarget = new Fault(400, "BAD_REQUEST: The request target must be a path, or an http or https URL")

const insecure = new Fault(421, "MISDIRECTED_REQUEST: An https URL must be requested over TLS")

/** Whether headers announce a body (RFC 9112 §6.3), even one of length 0: a listener too many does no harm. */
export const announcesBody = ({ headers }: Http.IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** HTTP/1.1, and HTTP/1.0 with the framing that it knows (RFC 9112 §6.1); Node's parser takes 0.9 as well. */
const isSpoken = ({ headers, httpVersion }: Http.IncomingMessage) =>
  httpVersion === "1.1" || (httpVersion === "1.0" && headers["transfer-encoding"] === undefined)

/** The path of a target that does not begin with it: of a URL (RFC 9112 §3.2.2); `*` is for OPTIONS alone (§3.2.4). */
const pathOf = (target: string, method: string | undefined): string | undefined => {
  if (target === "*" && method === "OPTIONS") return target
  const [, authority = "", path = ""] = /^https?:\/\/([^/?]*)([^]*)/i.exec(target) ?? []
  if (!isAuthority(authority)) return undefined
  return path.startsWith("/") ? path : `/${path}`
}

/** Reduces a target that is a URL to its path: the host makes no difference here. */
export const faultOf = (
  request: Http.IncomingMessage,
  maxTargetLength: number,
  isSecure: (request: Http.IncomingMessage) => boolean
): Fault | undefined => {
  const { headers, httpVersion, method, url: target = "" } = request
  if (!isSpoken(request)) return version
  // RFC 9112 §3.2
  if (httpVersion === "1.1" && headers.host === undefined) return noHost
  // Node has joined them with a comma, which other schemes than Basic have in one header too
  if (headers.authorization?.includes(",") === true && request.headersDistinct["authorization"]?.length !== 1) {
    return repeatedAuthorization
  }
  if (target.length > maxTargetLength) return targetTooLong(maxTargetLength)
  if (target.startsWith("/")) return undefined
  const path = pathOf(target, method)
  if (path === undefined) return noTarget
  // RFC 9110 §7.4
  if (/^https:/i.test(target) && !isSecure(request)) return insecure
  request.url = path
  return undefined
}
