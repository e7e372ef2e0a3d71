import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * Whom to trust over TLS, and how to identify oneself; all texts are PEM (RFC 7468), and may hold several certificates.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tls {
  /**
   * The authorities to trust **instead of** those of Node.js. To trust these as well, add
   * `tls.getCACertificates("default")` of `node:tls`.
   */
  readonly ca?: string | ReadonlyArray<string>
  /** The certificate to present when the server asks for one, with its chain; needs `key`. */
  readonly cert?: string
  /** The private key of `cert`, without a passphrase. */
  readonly key?: string | Redacted.Redacted
  /** The host name to ask for (RFC 6066 §3) and to expect in the certificate. Default: that of the URL. */
  readonly servername?: string
}

/**
 * A forward proxy.
 *
 * @category models
 * @since 0.1.0
 */
export interface Proxy {
  /**
   * Its URL, `http` or `https`, with its credentials for Basic authentication (RFC 7617): as in
   * `http://user:password@proxy.example:3128`. Without a scheme it is `http`. Or `"env"`, see {@link Options.proxy}.
   */
  readonly url: string | Redacted.Redacted
  /** TLS to the proxy, if its URL is `https`; `tls` of the transport does not apply to it. */
  readonly tls?: Tls
  /**
   * Whether requests to `http` URLs go through a tunnel (CONNECT, RFC 9110 §9.3.6) too, as those to `https` URLs always
   * do, so that the proxy forwards bytes only. Default: `false`, the absolute form (RFC 9112 §3.2.2).
   */
  readonly tunnel?: boolean
}

/**
 * How the transport reaches a service.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * The proxy on the way, or its URL. Default: none.
   *
   * `"env"` takes it from the variables `HTTPS_PROXY`, for `https` URLs, and `HTTP_PROXY`, for `http` URLs, except for
   * hosts that `NO_PROXY` lists (`docs/transports.md` has its grammar). They are read when the layer is built, as the
   * `ConfigProvider` finds them. A name in lower case comes first; empty variables are treated as unset. `HTTP_PROXY` is
   * not read where `REQUEST_METHOD` is set: in a CGI program it is a header of the request (CVE-2016-5385).
   */
  readonly proxy?: string | Redacted.Redacted | Proxy
  /** TLS to the service. Default: the authorities of Node.js, and no certificate. */
  readonly tls?: Tls
  /** The path of a Unix socket that takes all connections, whatever host the URL names. Cannot be used with `proxy`. */
  readonly socketPath?: string
  /**
   * Most connections at a time to an origin, or to a proxy in the absolute form; further requests wait for one, within
   * the client's deadline. Default: no limit.
   */
  readonly connections?: number
  /**
   * How long an idle connection is kept for the next request, unless the server states another time (`Keep-Alive`); 0
   * closes each after its response. Default: 4 seconds.
   */
  readonly keepAlive?: Duration.Input
}

/**
 * An option that no transport can be built with: the error of `NodeTransport.layerOptions`, before anything is sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidTransportOption extends Data.TaggedError("InvalidTransportOption")<{
  /** Path of the option, as in `tls.cert` and `proxy.tls.ca`. */
  readonly option:
    | "connections"
    | "keepAlive"
    | "proxy"
    | "socketPath"
    | `${"" | "proxy."}tls${"" | ".ca" | ".cert" | ".key" | ".servername"}`
  /** What it has to be. Names variables of the environment; never repeats a value that can hold a secret. */
  readonly message: string
}> {}
