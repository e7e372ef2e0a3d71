import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * The authorities to trust over TLS, and the client's own certificate; all strings are PEM (RFC 7468) and may contain
 * several certificates.
 */
export interface Tls {
  /**
   * The authorities to trust **instead of** Node's own. To trust both, add `tls.getCACertificates("default")` of
   * `node:tls`.
   */
  readonly ca?: string | ReadonlyArray<string>
  /** The certificate to present when the server asks for one, with its chain; needs `key`. */
  readonly cert?: string
  /** The private key of `cert`, without a passphrase. */
  readonly key?: string | Redacted.Redacted
  /** The host name to request (RFC 6066 §3) and to expect in the certificate. Default: the host of the URL. */
  readonly servername?: string
}

/** A forward proxy. */
export interface Proxy {
  /**
   * Its URL, `http` or `https`, which may contain credentials for Basic authentication (RFC 7617), such as
   * `http://user:password@proxy.example:3128`. Without a scheme, it is `http`. Or `"env"`, see {@link Options.proxy}.
   */
  readonly url: string | Redacted.Redacted
  /** TLS to the proxy, if its URL is `https`; `tls` of the transport does not apply to it. */
  readonly tls?: Tls
  /**
   * Whether requests to `http` URLs also go through a tunnel (CONNECT, RFC 9110 §9.3.6), like those to `https` URLs, so
   * that the proxy only forwards bytes. Default: `false`, the absolute form (RFC 9112 §3.2.2).
   */
  readonly tunnel?: boolean
}

/** How the transport reaches a service. */
export interface Options {
  /**
   * The proxy, or its URL. Default: none.
   *
   * `"env"` takes it from the variables `HTTPS_PROXY`, for `https` URLs, and `HTTP_PROXY`, for `http` URLs, except for
   * hosts in `NO_PROXY` (`docs/library/transports.md` has its grammar). The variables are read through the `ConfigProvider`
   * when the layer is built. Lower-case names take precedence; empty variables are treated as unset. `HTTP_PROXY` is
   * ignored if `REQUEST_METHOD` is set, because in a CGI program its value comes from a request header (CVE-2016-5385).
   */
  readonly proxy?: string | Redacted.Redacted | Proxy
  /** TLS to the service. Default: Node's own authorities, and no client certificate. */
  readonly tls?: Tls
  /** The path of a Unix socket that takes all connections, whatever host the URL names. Cannot be used with `proxy`. */
  readonly socketPath?: string
  /**
   * Maximum number of concurrent connections to an origin, or to a proxy in absolute form. Further requests wait for
   * one, within the client's deadline. Default: no limit.
   */
  readonly connections?: number
  /**
   * How long an idle connection is kept for the next request, unless the server states another time (`Keep-Alive`).
   * With 0, each connection is closed after its response. Default: 4 seconds.
   */
  readonly keepAlive?: Duration.Input
}

/** An option is invalid: `NodeTransport.layerOptions` fails with this error before anything is sent. */
export class InvalidTransportOption extends Data.TaggedError("InvalidTransportOption")<{
  /** Path of the option, such as `tls.cert` or `proxy.tls.ca`. */
  readonly option: string
  /** States the valid values and names environment variables. Never repeats a value that may contain a secret. */
  readonly message: string
}> {}
