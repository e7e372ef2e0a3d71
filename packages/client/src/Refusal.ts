import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Rule } from "./CallError.ts"
import { essence, safeDecoder } from "./internal/content.ts"
import * as Digits from "./internal/digits.ts"
import { jsonForm } from "./internal/jsonForm.ts"
import { orUndefined, property } from "./internal/property.ts"

/** The properties that services put their text into, the most telling one first. */
const textNames = ["message", "error_description", "detail", "error", "title", "msg", "description", "reason", "errors"]

/** The text in a refusal's body: at the top, in an `error`, or in the first of several. */
const textOf = (json: unknown, depth = 0): string | undefined => {
  if (Predicate.isString(json)) return json === "" ? undefined : json
  if (depth > 3) return undefined
  if (Array.isArray(json)) return textOf(json[0], depth + 1)
  const others = Object.keys(json ?? {}).filter(
    // no "messageId", "faultcode" or "default"
    (name) => /messag|fault|msg/i.test(name) && !/default|(code|id|key|type)$/i.test(name)
  )
  for (const name of [...textNames, ...others]) {
    const text = textOf(property(json, name), depth + 1)
    if (text !== undefined) return text
  }
  return undefined
}

/**
 * Recognizes a refusal by its body, which the error carries, decoded.
 *
 * **Details**
 *
 * Its message is the text that the body has in `message`, `detail`, `error` or a similar property, or the beginning of a
 * body without one. Otherwise the body is not shown where the error is printed, because a service can repeat the
 * credentials in it; a message that may repeat them is withheld.
 *
 * **Gotchas**
 *
 * A body that is not JSON, or does not fit the schema, is not recognized. A gateway can send JSON too: a schema that requires a
 * field that only the service has tells them apart. `Schema.Unknown` takes any JSON, so a 404 that it recognizes does not
 * prove a deletion.
 *
 * **Example** (Reading the code of a refusal)
 *
 * ```ts
 * import * as CallError from "@cloud-management/client/CallError"
 * import * as Refusal from "@cloud-management/client/Refusal"
 * import * as Schema from "effect/Schema"
 *
 * class Rejected extends CallError.refusal(
 *   "Rejected",
 *   "4XX",
 *   Refusal.body(Schema.Struct({ code: Schema.String, message: Schema.String }))
 * ) {}
 *
 * const isQuota = (rejected: Rejected) => rejected.body.code === "quota_exceeded"
 * ```
 */
export const body = <S extends Schema.Codec<unknown, unknown>>(schema: S): Rule<S> => ruleOf(schema, jsonForm(schema))

/**
 * The same for a body whose schema is its own JSON form, as generated ones are: a page does without the code that makes
 * one.
 *
 * @see `Body.jsonResponse`
 */
export const jsonBody = <S extends Schema.Codec<unknown, unknown>>(schema: S): Rule<S> => ruleOf(schema, schema)

const ruleOf = <S extends Schema.Codec<unknown, unknown>>(schema: S, form: Schema.Codec<unknown, unknown>): Rule<S> => {
  const decode = safeDecoder(form)
  const isAny = schema.ast._tag === "Unknown"
  return {
    body: schema,
    isVague: isAny,
    recognize: (json, _, text) => {
      // no JSON; and nothing, which fits wherever all fields are optional
      if (json === undefined || (!isAny && Predicate.isObject(json) && Object.keys(json).length === 0)) return undefined
      const decoded = decode(json)
      if (Result.isFailure(decoded)) return decoded.failure
      const requestId = property(json, "requestId") ?? property(json, "request_id")
      return {
        message: textOf(json) ?? text,
        requestId: Predicate.isString(requestId) && requestId !== "" ? requestId : undefined,
        body: decoded.success
      }
    }
  }
}

/**
 * The phrases of errors in the registry of statuses (RFC 9110 §16.2.1), and older ones, which proxies and frameworks send
 * by themselves.
 */
const phrases = `bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable
|proxy authentication required|request timeout|request time out|conflict|gone|length required|precondition failed
|content too large|payload too large|request entity too large|uri too long|request uri too long|request uri too large
|unsupported media type|range not satisfiable|requested range not satisfiable|expectation failed|i m a teapot
|misdirected request|unprocessable content|unprocessable entity|locked|failed dependency|too early|upgrade required
|precondition required|too many requests|request header fields too large|unavailable for legal reasons
|internal server error|internal error|not implemented|bad gateway|service unavailable|service temporarily unavailable
|gateway timeout|gateway time out|http version not supported|variant also negotiates|insufficient storage
|loop detected|bandwidth limit exceeded|not extended|network authentication required`

/** Whether a text says no more than a status does. */
const isPhrase = (text: string): boolean => {
  const words = text
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim()
  return words === "" || phrases.replaceAll("\n", "").split("|").includes(words)
}

/**
 * Recognizes a refusal of `{ status, error, requestId }`, with free text in `error`.
 *
 * **Details**
 *
 * The body has `status`, `error` and `requestId`, of which the last may be absent, and no other field. `status` is the HTTP
 * status. There is a request ID, or `error` says more than the standard phrase of a status, such as `Not Found`: that is
 * what frameworks and gateways send when nothing of the service has run.
 */
export const text: Rule<undefined> = {
  body: undefined,
  recognize: (json, status) => {
    if (!Predicate.isObject(json) || property(json, "status") !== status) return undefined
    if (Object.keys(json).some((name) => !["status", "error", "requestId"].includes(name))) return undefined
    const message = property(json, "error")
    if (!Predicate.isString(message)) return undefined
    const id = property(json, "requestId")
    const requestId = Predicate.isString(id) && id !== "" ? id : undefined
    if (requestId === undefined && isPhrase(message)) return undefined
    return { message, requestId }
  }
}

/**
 * Recognizes a refusal by its status alone, whatever the body is. Its message is the body, if that is text.
 *
 * **When to use**
 *
 * For services whose refusals have no content, or no JSON.
 *
 * **Gotchas**
 *
 * The responses of gateways are recognized too. After an attempt that may have been applied, such a 404 is therefore not
 * taken for a deletion that was done.
 */
export const status: Rule<undefined> = {
  body: undefined,
  isVague: true,
  recognize: (json, status, text) => ({
    message: textOf(json) ?? (text.trim() === "" || text.trim().startsWith("<") ? `HTTP ${status}` : text)
  })
}

/**
 * A refusal whose body is JSON, or text of a media type, which then is its message too.
 *
 * **Gotchas**
 *
 * A gateway can send text as well: as for {@link status}, a 404 does not prove a deletion.
 */
export const orText = <S extends Schema.Codec<unknown, unknown>>(
  rule: Rule<S>,
  contentType: string
): Rule<Schema.Union<readonly [S, Schema.String]>> => ({
  body: Schema.Union([rule.body, Schema.String]),
  isVague: true,
  recognize: (json, status, text, headers) =>
    essence(headers["content-type"]) === contentType && text.trim() !== ""
      ? { message: text, body: text }
      : rule.recognize(json, status, text, headers)
})

/**
 * A refusal whose body keeps all digits of its integers: those beyond 2^53 are read as `bigint`.
 *
 * @see `Wire.Int64`, the schema of such a number
 */
export const exact = <S extends Schema.Codec<unknown, unknown>>(rule: Rule<S>): Rule<S> => {
  const decode = Schema.decodeUnknownResult(jsonForm(rule.body, true))
  return {
    ...rule,
    recognize: (json, status, text, headers) => {
      const found = rule.recognize(json, status, text, headers)
      if (!Predicate.isObject(found)) return found
      const decoded = orUndefined(() => decode(Digits.parse(text)))
      return decoded !== undefined && Result.isSuccess(decoded) ? { ...found, body: decoded.success } : found
    }
  }
}
