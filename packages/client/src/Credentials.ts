import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import { constTrue, identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Headers from "effect/http/Headers"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import { monotonicMillisOf } from "./internal/clock.ts"
import * as OptionRules from "./OptionRules.ts"
import { headerRule } from "./internal/parameters.ts"
import { authorization } from "./internal/redaction.ts"
import type * as Operation from "./Operation.ts"

/**
 * The signature of a client's requests: {@link make}, {@link basicKey}, {@link bearer}, {@link header}, {@link query},
 * {@link cookie}, and those that hold several.
 */
export interface Credentials {
  /** The secrets, which no error, log or span repeats. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Takes the secrets, in their order, and then adds them to each request; `security` is that of the operation. */
  readonly sign: (
    secrets: ReadonlyArray<string>
  ) => (
    request: HttpClientRequest.HttpClientRequest,
    security: Operation.Any["security"]
  ) => HttpClientRequest.HttpClientRequest
  /** Tells them apart from others with the same secrets. */
  readonly id?: string | undefined
  /** The option that is invalid, and what it must be; of a secret that was wiped, the text is `undefined`. */
  readonly problem?: ((secrets: ReadonlyArray<string | undefined>) => Problem | undefined) | undefined
  /** Names the secrets' places to whatever shows requests, such as a recorder (`CurrentRedactedNames` of Effect). */
  readonly redact?: ((context: Context.Context<never>) => Context.Context<never>) | undefined
  /** The credentials that an operation needs and these lack, as the end of a sentence that begins with "the credentials lack". */
  readonly lacks?: ((security: Operation.Any["security"]) => string | undefined) | undefined
  /** When others are to be read, on the clock's monotonic time in milliseconds; it is asked when they were read. */
  readonly renewAt?: ((clock: Clock.Clock) => number) | undefined
}

/** An option of a client, and what it must be. */
type Problem = readonly [option: "credentials" | "keyId" | "keySecret", rule: string]

/**
 * An API key: its ID and its secret, the user-id and the password of HTTP Basic.
 */
export interface Basic extends Credentials {
  readonly keyId: string
  readonly keySecret: Redacted.Redacted
}

/** Text that UTF-8 can carry, and HTTP Basic takes (RFC 7617 §2); a program without types can pass anything. */
const isText = (text: unknown): text is string =>
  typeof text === "string" && /^[^\u0000-\u001f\u007f\p{Surrogate}]+$/u.test(text)

const text = (others = "") => `non-empty text without ${others}control characters, such as a final line break`

/**
 * Creates the credentials of HTTP Basic from values.
 *
 * **Details**
 *
 * The key ID must not contain a colon, and neither part may contain a control character (RFC 7617 §2). With such
 * credentials, building the client fails before anything is sent.
 *
 * **Example** (Taking the secret from a vault)
 *
 * ```ts
 * import * as Credentials from "@cloud-management/client/Credentials"
 *
 * declare const secretFromAVault: string
 * const credentials = Credentials.make("12345678-1234-1234-1234-123456789012", secretFromAVault)
 * ```
 */
export const make = (keyId: string, keySecret: string | Redacted.Redacted): Basic => {
  const secret = redacted(keySecret)
  return {
    keyId,
    keySecret: secret,
    secrets: [secret],
    id: keyId,
    problem: ([secret]) =>
      !isText(keyId) || keyId.includes(":")
        ? ["keyId", text("colons and ")]
        : isText(secret)
          ? undefined
          : ["keySecret", text()],
    sign: signing((secret) => HttpClientRequest.setHeader("authorization", authorization(keyId, secret)))
  }
}

/**
 * An API key as the user-id of HTTP Basic, whose password is empty, as `curl --user KEY:` sends it (RFC 7617 §2).
 */
export const basicKey = (key: string | Redacted.Redacted): Credentials =>
  one(
    key,
    (key) => isText(key) && !key.includes(":"),
    text("colons and "),
    (key) => HttpClientRequest.setHeader("authorization", authorization(key, ""))
  )

const redacted = (secret: string | Redacted.Redacted): Redacted.Redacted =>
  Redacted.isRedacted(secret) ? secret : Redacted.make(secret)

type Sign = (secret: string) => (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest

/** With one secret, unless the operation needs none. */
const signing =
  (sign: Sign): Credentials["sign"] =>
  ([secret = ""]) => {
    const signed = sign(secret)
    return (request, security) => (security?.length === 0 ? request : signed(request))
  }

const one = (
  secret: string | Redacted.Redacted,
  isValid: (secret: string) => boolean,
  rule: string,
  sign: Sign
): Credentials => ({
  secrets: [redacted(secret)],
  problem: ([secret]) => (Predicate.isString(secret) && isValid(secret) ? undefined : ["credentials", rule]),
  sign: signing(sign)
})

/** Credentials with a name, if it can be one. */
const named = (isName: boolean, credentials: Credentials): Credentials => ({
  ...credentials,
  ...(!isName && {
    problem: () => ["credentials", "given a name that HTTP can carry, and that the client does not use itself"]
  })
})

/** Whether a header or a cookie can have a name. */
const isName = (name: string): boolean => headerRule(name, "a", {}) === undefined

/** Every header carries it unchanged (RFC 9110 §5.6.2, §11.2). */
const isToken = (text: string): boolean => /^[!-~]+$/.test(text)
const ascii = "made of non-empty printable ASCII without"

/**
 * A bearer token (RFC 6750), such as an access token of OAuth 2.0.
 */
export const bearer = (token: string | Redacted.Redacted): Credentials =>
  one(token, isToken, `${ascii} spaces`, (token) => HttpClientRequest.setHeader("authorization", `Bearer ${token}`))

/**
 * A key in a header of its own, or the whole value of `authorization` for a scheme that is neither Basic nor Bearer.
 *
 * **Gotchas**
 *
 * With a name that HTTP cannot carry, or that the client sets itself, building the client fails.
 *
 * **Example** (Sending a scheme of a service's own)
 *
 * ```ts
 * import * as Credentials from "@cloud-management/client/Credentials"
 *
 * declare const token: string
 * const credentials = Credentials.header("authorization", `Token ${token}`)
 * ```
 */
export const header = (name: string, key: string | Redacted.Redacted): Credentials =>
  named(isName(name) || /^authorization$/i.test(name), {
    ...one(
      key,
      (key) => /^[!-~](?:[\t -~]*[!-~])?$/.test(key),
      `${ascii} a space at either end`,
      (key) => HttpClientRequest.setHeader(name.toLowerCase(), key)
    ),
    id: `${name.toLowerCase()}:`,
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
 */
export const query = (name: string, key: string | Redacted.Redacted): Credentials =>
  named(isText(name), {
    // into the text: a parsed URL would be encoded again, and with it what has a style
    ...one(key, isText, text(), (key) => {
      const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`
      return (request) =>
        HttpClientRequest.setUrl(request, `${request.url}${request.url.includes("?") ? "&" : "?"}${parameter}`)
    }),
    id: `?${name}`,
    redact: adding(UrlParams.CurrentRedactedNames, name)
  })

/**
 * A key in a cookie, beside those that the request has.
 *
 * **Gotchas**
 *
 * Browsers send their own cookies, and leave this one out.
 */
export const cookie = (name: string, key: string | Redacted.Redacted): Credentials =>
  // any token, as a header has it
  named(isName(name && `x-${name}`), {
    // RFC 6265 §4.1.1; the header is redacted wherever requests are shown
    ...one(
      key,
      (key) => /^[!#-+\--:<-[\]-~]+$/.test(key),
      `${ascii} spaces, quotes, commas, semicolons and backslashes`,
      (key) => (request) => {
        const { cookie } = request.headers
        return HttpClientRequest.setHeader(request, "cookie", `${cookie ? `${cookie}; ` : ""}${name}=${key}`)
      }
    ),
    id: `${name}=`
  })

/** Several as one; `isUsed` says which of them, by its place, a request gets. */
const together = (
  parts: ReadonlyArray<Credentials>,
  isUsed: (part: number, security: Operation.Any["security"]) => boolean
): Credentials => {
  const starts = parts.map((_, i) => parts.slice(0, i).flatMap(({ secrets }) => secrets).length)
  const ownOf = <A>(secrets: ReadonlyArray<A>, i: number) => secrets.slice(starts[i], starts[i + 1])
  const first = <A>(of: (part: Credentials, i: number) => A | undefined): A | undefined =>
    parts.map(of).find(Predicate.isNotUndefined)
  return {
    secrets: parts.flatMap(({ secrets }) => secrets),
    id: parts.map(({ id }) => id).join("\n"),
    problem: (secrets) => first(({ problem }, i) => problem?.(ownOf(secrets, i))),
    redact: (context) => parts.reduce((context, { redact = identity }) => redact(context), context),
    lacks: (security) => first(({ lacks }, i) => (isUsed(i, security) ? lacks?.(security) : undefined)),
    renewAt: (clock) => Math.min(...parts.map(({ renewAt }) => renewAt?.(clock) ?? Infinity)),
    sign: (secrets) => {
      const signs = parts.map(({ sign }, i) => sign(ownOf(secrets, i)))
      return (request, security) =>
        signs.reduce((signed, sign, i) => (isUsed(i, security) ? sign(signed, security) : signed), request)
    }
  }
}

/**
 * Several credentials at once, for services that ask for two keys.
 */
export const all = (...parts: ReadonlyArray<Credentials>): Credentials => together(parts, constTrue)

/**
 * No credentials: for a public service, or a page whose browser sends a cookie by itself.
 */
export const none: Credentials = /* @__PURE__ */ all()

/**
 * Credentials by the names that operations have for them in their `security`.
 *
 * **Details**
 *
 * Of an operation's alternatives, the client uses the first of which it has all schemes; one without any scheme is the last
 * resort. A call of an operation without such an alternative fails with `InvalidInput`, and nothing is sent. An operation
 * without `security` gets the first scheme.
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
 */
export const schemes = (named: Readonly<Record<string, Credentials>>): Credentials => {
  const names = Object.keys(named)
  const chosen = (security: Operation.Any["security"] = [names.slice(0, 1)]) =>
    security.find((all) => all.length > 0 && all.every((name) => names.includes(name))) ??
    (security.length === 0 ? [] : security.find(({ length }) => length === 0))
  const all = together(Object.values(named), (i, security) => chosen(security)?.includes(names[i] ?? "") === true)
  return {
    ...all,
    lacks: (security) =>
      chosen(security) === undefined
        ? security?.map((names) => names.join(" and ")).join(", or ")
        : all.lacks?.(security)
  }
}

/**
 * Credentials that end: an access token with its lifetime, or with the moment of its end.
 *
 * **When to use**
 *
 * As the result of an Effect, or of a function with promises, that gets a token. The client runs it again before the token
 * ends, once for all calls.
 *
 * **Details**
 *
 * A lifetime is counted from when the Effect has ended. The token is renewed when a tenth of its lifetime is left, at most
 * a minute; calls that begin then wait for the new one. If it cannot be read, `log` receives a `RenewalFailed`, the calls
 * are sent with the old one, and a second later the next call tries again.
 *
 * **Example** (Getting a token with its lifetime)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Credentials from "@cloud-management/client/Credentials"
 *
 * declare const getToken: Effect.Effect<{ readonly access_token: string; readonly expires_in: number }>
 * const credentials = Effect.map(getToken, ({ access_token, expires_in }) =>
 *   Credentials.expiring(Credentials.bearer(access_token), { seconds: expires_in })
 * )
 * ```
 */
export const expiring = (credentials: Credentials, end: Duration.Input | Date): Credentials => {
  const at = Predicate.isDate(end) ? end.getTime() : undefined
  const [rule, isValid] = OptionRules.duration
  return {
    ...credentials,
    problem: (secrets) =>
      isValid(at ?? end) ? credentials.problem?.(secrets) : ["credentials", `given an end that is a Date, or ${rule}`],
    renewAt: (clock) => {
      const left =
        at === undefined ? OptionRules.millis(Predicate.isDate(end) ? 0 : end) : at - clock.currentTimeMillisUnsafe()
      return monotonicMillisOf(clock) + left - Math.min(left / 10, 60_000)
    }
  }
}
