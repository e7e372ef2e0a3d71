import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { InvalidResponse, UnexpectedStatus, type Refusal, type RefusalInfo, type Refused } from "../CallError.ts"
import type * as Operation from "../Operation.ts"
import { type Mismatch, safeDecoder, utf8 } from "./content.ts"
import type { Sanitize } from "./redaction.ts"
import type { Head } from "./head.ts"
import { orUndefined, property } from "./property.ts"

/** The content of a response, or what is wrong with it, as the end of a sentence that begins with "the body". */
export type Content = Result.Result<Uint8Array, string>

/** A success with what came beside its content. */
export type Decoded = Omit<Operation.Exchange<unknown>, "attempts">

export interface Interpret {
  (
    head: Head,
    content: Content,
    sanitize: Sanitize
  ): Result.Result<Decoded, Refused | UnexpectedStatus | InvalidResponse>
}

/** A refusal as a rule reads it. */
type Recognized = Exclude<ReturnType<NonNullable<Refusal["rule"]>["recognize"]>, Mismatch | undefined>

export const refusedOf = (
  refusal: Refusal,
  info: RefusalInfo & { readonly status: number; readonly body?: unknown }
): Refused =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- its constructor takes what its own declaration says
  new refusal(info as never)

/** Prepares the interpretation of an operation's responses. The HTTP status decides, whatever the content says. */
export const compile = ({ errors, success }: Operation.Any): Interpret => {
  const decode = safeDecoder(success.form ?? success.schema)
  /** How the API says all of its refusals. */
  const common = errors.find(({ rule }) => rule?.isCommon)?.rule
  return (head, content, sanitize) => {
    const { headers, requestId: header, status } = head
    const info = (message: string, requestId: string | undefined) => ({
      message,
      ...(requestId && { requestId: sanitize(requestId) })
    })
    if (!((status >= 200 && status < 300) || success.takes?.(status))) {
      const text = Result.isSuccess(content) ? utf8(content.success) : ""
      const body = orUndefined((): unknown => JSON.parse(text))
      const start = sanitize(text)
      const problem = Result.isSuccess(content) ? (start ? `begins: ${start}` : "is empty") : content.failure
      let why = ""
      const say = (own: Recognized | undefined) => ({
        ...info(own ? sanitize(own.message) : `${why && `${why}: `}the body ${problem}`, own?.requestId || header),
        ...(head.retryAfter !== undefined && { retryAfter: Duration.millis(head.retryAfter) })
      })
      const recognize = (rule: Refusal["rule"]) => {
        const own = rule?.recognize(body, status, text, headers)
        if (!own || !("isOurs" in own)) return own
        const mismatch = sanitize(own.message, own.isOurs)
        why = rule?.isCommon ? why || mismatch : `not as declared: ${mismatch}`
        return undefined
      }
      // those for the status itself, then for its range, then for the rest
      const ranks = [status, `${String(status)[0]}XX`, "default"]
      for (const refusal of ranks.flatMap((rank) => errors.filter((refusal) => refusal.status === rank))) {
        const own = recognize(refusal.rule)
        // a gateway or a wrong base URL responds with 404 too: what no rule recognizes says nothing about the resource
        if (own || ((!refusal.rule || refusal.rule.isCommon) && status !== 404 && refusal.status === status)) {
          return Result.fail(
            refusedOf(refusal, { ...say(own), status, ...(own?.body !== undefined && { body: own.body }) })
          )
        }
      }
      return Result.fail(new UnexpectedStatus(say(recognize(common))))
    }
    const encoded =
      success.readHead?.(head, sanitize) ?? Result.flatMap(content, (body) => success.read(body, head, sanitize))
    const decoded: Result.Result<unknown, string | Mismatch> = Result.isSuccess(encoded)
      ? decode(encoded.success)
      : encoded
    if (Result.isFailure(decoded)) {
      const { failure } = decoded
      const problem = Predicate.isString(failure)
        ? failure
        : `does not match its schema: ${sanitize(failure.message, failure.isOurs)}`
      return Result.fail(new InvalidResponse(info(`the body ${problem}`, header)))
    }
    const value = decoded.success
    const own = success._tag === "Envelope" && property(value, "requestId")
    return Result.succeed({ value, status, headers, requestId: (Predicate.isString(own) && own) || header })
  }
}
