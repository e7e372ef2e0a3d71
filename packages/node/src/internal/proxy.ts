import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"
import { InvalidTransportOption } from "../TransportOptions.ts"
import type { TlsSettings } from "./tls.ts"

export interface Proxy {
  /** Its URL without credentials: the name that errors have for it. */
  readonly origin: string
  /** Where to connect to, as undici's connectors take it. */
  readonly address: {
    readonly protocol: string
    readonly host: string
    readonly hostname: string
    readonly port: string
  }
  readonly tls: TlsSettings
  /** The header `proxy-authorization`, if it has credentials. */
  readonly authorization: Readonly<Record<string, string>>
  /** Whether `http` URLs are asked through a tunnel. */
  readonly tunnel: boolean
}

/** No user and no password has one (RFC 7617 §2). */
const control = /[\u0000-\u001f\u007f]/

/** `undefined` for what does not decode, or is not for HTTP Basic. */
const authorize = ({ password, username }: URL): Proxy["authorization"] | undefined => {
  if (username === "" && password === "") return {}
  const decoded = Result.try(() => [decodeURIComponent(username), decodeURIComponent(password)] as const)
  if (Result.isFailure(decoded)) return undefined
  const [user, secret] = decoded.success
  if (user.includes(":") || control.test(user + secret)) return undefined
  return { "proxy-authorization": `Basic ${Base64.encode(`${user}:${secret}`)}` }
}

/** Reads the URL of a proxy. `name` is what an error has for it, which never repeats it. */
export const read = (
  name: string,
  text: string,
  options: Pick<Proxy, "tls" | "tunnel">
): Effect.Effect<Proxy, InvalidTransportOption> => {
  const invalid = (rule: string) =>
    Effect.fail(new InvalidTransportOption({ option: "proxy", message: `${name} must be ${rule}` }))
  const href = text.includes("://") ? text : `http://${text}`
  const url = URL.canParse(href) ? new URL(href) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.port === "0" ||
    url.pathname + url.search + url.hash !== "/"
  ) {
    return invalid(
      "an http or https URL without path, query and fragment, such as http://user:password@proxy.example:3128"
    )
  }
  const authorization = authorize(url)
  if (authorization === undefined) {
    return invalid("a URL whose user has no colon, with % in user and password as %25, and without control characters")
  }
  const { host, hostname, origin, port, protocol } = url
  const address = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ""), port }
  return Effect.succeed({ origin, address, authorization, ...options })
}

/**
 * A proxy that did not do its part, so that the service was not reached. The code says whether another attempt may fare
 * better: `UND_ERR_PRX_CONN`, as undici has it, or `ERR_PROXY_REFUSED`.
 */
export class ProxyFailed extends Error {
  override readonly name = "ProxyFailed"
  readonly code: "ERR_PROXY_REFUSED" | "UND_ERR_PRX_CONN"
  /** The URL of the proxy without credentials. The client's errors read it. */
  readonly proxyOrigin: string

  constructor(proxy: Proxy, what: string, options?: { readonly isRefusal?: boolean; readonly cause?: unknown }) {
    super(`the proxy ${proxy.origin} ${what}`, options)
    this.proxyOrigin = proxy.origin
    this.code = options?.isRefusal === true ? "ERR_PROXY_REFUSED" : "UND_ERR_PRX_CONN"
  }
}

/** The failure for a proxy that responds with 407. */
export const unauthenticated = (proxy: Proxy): ProxyFailed =>
  new ProxyFailed(
    proxy,
    "proxy-authorization" in proxy.authorization
      ? "does not accept its credentials (407)"
      : "requires credentials (407): put them before the host in its URL",
    { isRefusal: true }
  )
