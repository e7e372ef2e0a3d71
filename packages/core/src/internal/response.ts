import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidResponse, UnexpectedStatus } from "../CloudError.ts"
import * as Envelope from "../Envelope.ts"
import type * as Operation from "../Operation.ts"
import { json, utf8, type Sanitize } from "./content.ts"
import type { Head } from "./head.ts"
import { property } from "./property.ts"

/** The content of a response, or what is wrong with it, as the end of a sentence that begins with "the body". */
export type Content = Result.Result<Uint8Array, string>

/** A success with what came beside its content. */
export type Decoded<A> = Omit<Operation.Exchange<A>, "attempts">

/** What a response means. */
export interface Interpret<O extends Operation.Any> {
  (
    head: Head,
    content: Content,
    sanitize: Sanitize
  ): Result.Result<Decoded<Operation.Success<O>>, Operation.Refusals<O> | UnexpectedStatus | InvalidResponse>
}

const decodeFailure = Schema.decodeUnknownResult(Envelope.Failure)

/** `CODE: message`, which a gateway's `Not Found` is not. */
const coded = /^[A-Z][A-Z\d_]*: /

/** Prepares the interpretation of an operation's responses. The HTTP status decides, whatever the content says. */
export function compile<O extends Operation.Any>(operation: O): Interpret<O>
export function compile({ errors, success }: Operation.Any): Interpret<Operation.Any> {
  const decode = Schema.decodeUnknownResult(success.schema)
  return (head, content, sanitize) => {
    const { headers, requestId: header, status } = head
    const info = (message: string, requestId: string | undefined) => ({
      message,
      ...(requestId && { requestId: sanitize(requestId) })
    })
    if (status < 200 || status > 299) {
      const failure = Result.getOrUndefined(
        Result.flatMap(content, (body) => Result.flatMap(json(body, head, sanitize), decodeFailure))
      )
      const envelope = failure?.status === status && coded.test(failure.error) ? failure : undefined
      const problem = Result.merge(
        Result.map(content, (body) => {
          const text = sanitize(utf8(body))
          return text ? `begins: ${text}` : "is empty"
        })
      )
      // a gateway or a wrong base URL answers 404 too: without the service's envelope it says nothing about the resource
      const refusal = (envelope || status !== 404) && errors.find((refusal) => refusal.status === status)
      return Result.fail(
        new (refusal || UnexpectedStatus)({
          ...info(
            envelope ? sanitize(envelope.error) : `no error envelope: the body ${problem}`,
            envelope?.requestId || header
          ),
          ...(head.retryAfter !== undefined && { retryAfter: Duration.millis(head.retryAfter) })
        })
      )
    }
    const decoded = Result.flatMap(
      Result.flatMap(content, (body) => success.read(body, head, sanitize)),
      (encoded) => Result.mapError(decode(encoded), ({ message }) => `does not match its schema: ${sanitize(message)}`)
    )
    if (Result.isFailure(decoded)) return Result.fail(new InvalidResponse(info(`the body ${decoded.failure}`, header)))
    const value = decoded.success
    const own = success._tag === "Envelope" && property(value, "requestId")
    return Result.succeed({ value, status, headers, requestId: (Predicate.isString(own) && own) || header })
  }
}
