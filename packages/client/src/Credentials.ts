import * as Context from "effect/Context"
import { identity } from "effect/Function"
import * as Redacted from "effect/Redacted"
import * as Headers from "effect/http/Headers"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import type * as Operation from "./Operation.ts"

/**
 * An API key: its ID and its secret, the user-id and the password of HTTP Basic.
 *
 * **Details**
 *
 * The key ID must not contain a colon, and neither part may contain a control character (RFC 7617 §2). With such
 * credentials, building the client fails before anything is sent.
 *
 * Source: specification, section 5.
 *
 * @category models
 * @since 0.1.0
 */
export interface Basic {
  readonly keyId: string
  readonly keySecret: Redacted.Redacted
}

/**
 * Credentials of another kind than HTTP Basic: {@link bearer}, {@link header}, {@link query}, and those that hold several.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scheme {
  /** The secrets, which no error, log or span repeats. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Adds the secrets, in their order, to a request; `security` is that of the operation. */
  readonly sign: (
    request: HttpClientRequest.HttpClientRequest,
    secrets: ReadonlyArray<string>,
    security: Operation.Any["security"]
  ) => HttpClientRequest.HttpClientRequest
  /** Names the secrets' places to whatever shows requests, such as a recorder (`CurrentRedactedNames` of Effect). */
  readonly redact?: ((context: Context.Context<never>) => Context.Context<never>) | undefined
  /** What an operation needs that it lacks, as the end of a sentence that begins with "the operation needs". */
  readonly lacks?: ((security: Operation.Any["security"]) => string | undefined) | undefined
}

/**
 * What signs the requests of a client.
 *
 * @category models
 * @since 0.1.0
 */
export type Credentials = Basic | Scheme

/**
 * Creates the credentials of HTTP Basic from values.
 *
 * **Example** (Taking the secret from a vault)
 *
 * ```ts
 * import * as Credentials from "@cloud-management/client/Credentials"
 *
 * declare const secretFromAVault: string
 * const credentials = Credentials.make("12345678-1234-1234-1234-123456789012", secretFromAVault)
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (keyId: string, keySecret: string | Redacted.Redacted): Basic => ({
  keyId,
  keySecret: redacted(keySecret)
})

const redacted = (secret: string | Redacted.Redacted): Redacted.Redacted =>
  Redacted.isRedacted(secret) ? secret : Redacted.make(secret)

const one = (
  secret: string | Redacted.Redacted,
  sign: (request: HttpClientRequest.HttpClientRequest, secret: string) => HttpClientRequest.HttpClientRequest
): Scheme => ({
  secrets: [redacted(secret)],
  sign: (request, [secret = ""], security) => (security?.length === 0 ? request : sign(request, secret))
})

/**
 * A bearer token (RFC 6750), such as an access token of OAuth 2.0.
 *
 * @category constructors
 * @since 0.1.0
 */
export const bearer = (token: string | Redacted.Redacted): Scheme =>
  one(token, (request, token) => HttpClientRequest.setHeader(request, "authorization", `Bearer ${token}`))

/**
 * A key in a header of its own.
 *
 * @category constructors
 * @since 0.1.0
 */
export const header = (name: string, key: string | Redacted.Redacted): Scheme => ({
  ...one(key, (request, key) => HttpClientRequest.setHeader(request, name.toLowerCase(), key)),
  redact: adding(Headers.CurrentRedactedNames, name.toLowerCase())
})

const adding =
  (names: Context.Reference<ReadonlyArray<string | RegExp>>, name: string) =>
  (context: Context.Context<never>): Context.Context<never> =>
    Context.add(context, names, [...Context.get(context, names), name])

/**
 * A key in a parameter of the query.
 *
 * **Gotchas**
 *
 * URLs are written into logs of servers and proxies. Use a header if the service takes one.
 *
 * @category constructors
 * @since 0.1.0
 */
export const query = (name: string, key: string | Redacted.Redacted): Scheme => ({
  // into the text: a parsed URL would be encoded again, and with it what has a style
  ...one(key, (request, key) => {
    const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`
    return HttpClientRequest.setUrl(request, `${request.url}${request.url.includes("?") ? "&" : "?"}${parameter}`)
  }),
  redact: adding(UrlParams.CurrentRedactedNames, name)
})

const redacting =
  (schemes: ReadonlyArray<Scheme>) =>
  (context: Context.Context<never>): Context.Context<never> =>
    schemes.reduce((context, { redact = identity }) => redact(context), context)

/**
 * Several credentials at once, for services that ask for two keys.
 *
 * @category combinators
 * @since 0.1.0
 */
export const all = (...schemes: ReadonlyArray<Scheme>): Scheme => ({
  redact: redacting(schemes),
  secrets: schemes.flatMap(({ secrets }) => secrets),
  sign: (request, secrets, security) => {
    let at = 0
    return schemes.reduce(
      (signed, scheme) => scheme.sign(signed, secrets.slice(at, (at += scheme.secrets.length)), security),
      request
    )
  }
})

/**
 * Credentials by the names that operations have for them in their `security`.
 *
 * **Details**
 *
 * Of an operation's alternatives, the client uses the first of which it has all schemes. A call of an operation without
 * such an alternative fails with `InvalidInput`, and nothing is sent. An operation without `security` gets the first scheme.
 *
 * **Example** (Choosing between two schemes)
 *
 * ```ts
 * import * as Credentials from "@cloud-management/client/Credentials"
 *
 * declare const token: string
 * declare const key: string
 * const credentials = Credentials.schemes({
 *   oauth: Credentials.bearer(token),
 *   apiKey: Credentials.header("x-api-key", key)
 * })
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const schemes = (named: Readonly<Record<string, Scheme>>): Scheme => {
  const entries = Object.entries(named)
  const chosen = (security: Operation.Any["security"] = [entries.slice(0, 1).map(([name]) => name)]) =>
    security.length === 0 ? [] : security.find((names) => names.every((name) => Object.hasOwn(named, name)))
  return {
    redact: redacting(Object.values(named)),
    secrets: entries.flatMap(([, { secrets }]) => secrets),
    lacks: (security) =>
      chosen(security) === undefined ? security?.map((names) => names.join(" and ")).join(", or ") : undefined,
    sign: (request, secrets, security) => {
      const names = chosen(security) ?? []
      let at = 0
      let signed = request
      for (const [name, scheme] of entries) {
        const own = secrets.slice(at, (at += scheme.secrets.length))
        if (names.includes(name)) signed = scheme.sign(signed, own, security)
      }
      return signed
    }
  }
}
