import type * as Http from "node:http"
import type { TrustedProxies } from "../TrustedProxies.ts"

/** What is known of who sent a request. */
export interface Callers {
  /** The caller's address, as far as the proxies are believed. */
  readonly addressOf: (request: Http.IncomingMessage) => string | undefined
  /** Whether the caller speaks TLS, to this host or to a proxy that is believed. */
  readonly isSecure: (request: Http.IncomingMessage) => boolean
  /** Headers that ask a caller over TLS to stay with it. */
  readonly strictTransport: (request: Http.IncomingMessage) => Readonly<Record<string, string>> | undefined
}

/** A year, as RFC 6797 §6.1.1 counts. */
const year = { "strict-transport-security": "max-age=31536000" }

/** The header fields of a request, repeated lines joined by commas; `set-cookie`, which no request has, is left out. */
export const headersOf = ({ headers }: Http.IncomingMessage): Readonly<Record<string, string | undefined>> => {
  if (isJoined(headers)) return headers
  const { "set-cookie": _, ...others } = headers
  return isJoined(others) ? others : {}
}

/** With `joinDuplicateHeaders`, Node joins every header but this one. */
const isJoined = (
  headers: Http.IncomingHttpHeaders
): headers is Http.IncomingHttpHeaders & Readonly<Record<string, string | undefined>> =>
  headers["set-cookie"] === undefined

export const make = (isTls: boolean, proxies: TrustedProxies | undefined): Callers => {
  const callerOf = (request: Http.IncomingMessage) => proxies?.caller(request.socket.remoteAddress, headersOf(request))
  const isSecure = (request: Http.IncomingMessage) => isTls || callerOf(request)?.isSecure === true
  return {
    isSecure,
    addressOf: (request) => (proxies === undefined ? request.socket.remoteAddress : callerOf(request)?.address),
    strictTransport: (request) => (isSecure(request) ? year : undefined)
  }
}
