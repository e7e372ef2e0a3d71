import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidResponse, UnexpectedStatus, type RefusalInfo } from "../CloudError.ts"
import * as Envelope from "../Envelope.ts"
import type * as Operation from "../Operation.ts"
import { json as parseJson, utf8, type Sanitize } from "./content.ts"
import type { Head } from "./head.ts"

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

const decodeFailure = Schema.decodeUnknownOption(Envelope.Failure)

/** `CODE: message`, which a gateway's `Not Found` is not. */
const coded = /^[A-Z][A-Z\d_]*: /

/** The request ID in an envelope. */
const idIn = (envelope: unknown): string | undefined =>
  Predicate.hasProperty(envelope, "requestId") && Predicate.isString(envelope.requestId) ? envelope.requestId : undefined

const refusalInfo = (
  head: Head,
  content: Content,
  sanitize: Sanitize
): { readonly enveloped: boolean; readonly info: RefusalInfo } => {
  const text = Result.map(content, utf8)
  const json = Result.flatMap(content, (bytes) => parseJson(bytes, head, sanitize))
  const failure = Option.getOrUndefined(Option.flatMap(Result.getSuccess(json), decodeFailure))
  const envelope = failure?.status === head.status && coded.test(failure.error) ? failure : undefined
  const requestId = envelope?.requestId ?? head.requestId
  const problem = Result.match(text, {
    onSuccess: (text) => (sanitize(text) === "" ? "is empty" : `begins: ${sanitize(text)}`),
    onFailure: (problem) => problem
  })
  return {
    enveloped: envelope !== undefined,
    info: {
      message: envelope === undefined ? `no error envelope, the body ${problem}` : sanitize(envelope.error),
      ...(requestId !== undefined && { requestId: sanitize(requestId) }),
      ...(head.retryAfter !== undefined && { retryAfter: Duration.millis(head.retryAfter) })
    }
  }
}

/** Prepares the interpretation of an operation's responses. The HTTP status decides, whatever the content says. */
export function compile<O extends Operation.Any>(operation: O): Interpret<O>
export function compile({ errors, success }: Operation.Any): Interpret<Operation.Any> {
  const decode = Schema.decodeUnknownResult(success.schema)
  return (head, content, sanitize) => {
    const { headers, status } = head
    if (status >= 200 && status <= 299) {
      return content.pipe(
        Result.flatMap((bytes) => success.read(bytes, head, sanitize)),
        Result.flatMap((encoded) =>
          Result.mapError(decode(encoded), ({ message }) => `is not what the operation declares: ${sanitize(message)}`)
        ),
        Result.mapBoth({
          onSuccess: (decoded) => {
            const requestId = (success._tag === "Envelope" ? idIn(decoded) : undefined) ?? head.requestId
            const isWhole = success._tag !== "Envelope" || requestId === undefined
            const value = isWhole ? decoded : Object.assign({}, decoded, { requestId })
            return { value, status, headers, requestId }
          },
          onFailure: (problem) =>
            new InvalidResponse({
              message: `the body ${problem}`,
              ...(head.requestId !== undefined && { requestId: sanitize(head.requestId) })
            })
        })
      )
    }
    const { enveloped, info } = refusalInfo(head, content, sanitize)
    const refusal = errors.find((refusal) => refusal.status === status)
    // a gateway or a wrong base URL answers 404 too: without the service's envelope it says nothing about the resource
    return Result.fail(
      refusal === undefined || (status === 404 && !enveloped) ? new UnexpectedStatus(info) : new refusal(info)
    )
  }
}
