import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Body from "../Body.ts"
import { InvalidResponse, UnexpectedStatus, type RefusalInfo } from "../CloudError.ts"
import * as Envelope from "../Envelope.ts"
import type * as Operation from "../Operation.ts"
import type { Head } from "./head.ts"

/** Makes a foreign text fit for an error message. */
export type Sanitize = (text: string) => string

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

const utf8 = new TextDecoder()

const parse = (bytes: Uint8Array, sanitize: Sanitize): Result.Result<unknown, string> => {
  const text = utf8.decode(bytes)
  return Result.try({ try: (): unknown => JSON.parse(text), catch: () => `is not JSON: ${sanitize(text)}` })
}

const decodeSuccess = Schema.decodeUnknownOption(Envelope.Success)
const decodeFailure = Schema.decodeUnknownOption(Envelope.Failure)

/** `CODE: message`, which a gateway's `Not Found` is not. */
const coded = /^[A-Z][A-Z\d_]*: /

/** 204 and 205 have no content (RFC 9110 §15.3.5). For an envelope without a result they are a whole success. */
const isBodiless = ({ status }: Head) => status === 204 || status === 205

const decodeJson = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (json: unknown, sanitize: Sanitize) =>
    Result.mapError(decode(json), ({ message }) => `is not what the operation declares: ${sanitize(message)}`)
}

/** The JSON of an envelope: with a status or a request ID in it, or the request ID in the head. */
const enveloped = (head: Head, content: Content, sanitize: Sanitize): Result.Result<unknown, string> =>
  isBodiless(head)
    ? Result.succeed({})
    : Result.flatMap(content, (bytes) =>
        Result.filterOrFail(
          parse(bytes, sanitize),
          (json) => {
            const envelope = Option.getOrUndefined(decodeSuccess(json))
            return [head.requestId, envelope?.requestId, envelope?.status].some((sign) => sign !== undefined)
          },
          () => `has neither a status nor a request ID, and begins: ${sanitize(utf8.decode(bytes))}`
        )
      )

/** Decodes the content of a success. */
type Decode = (head: Head, content: Content, sanitize: Sanitize) => Result.Result<Decoded<unknown>, string>

const decodeOf = (success: Body.Success): Decode => {
  const beside =
    ({ headers, requestId, status }: Head) =>
    (value: unknown) => ({ value, status, headers, requestId })
  switch (success._tag) {
    case "Envelope": {
      const decode = decodeJson(success.schema)
      return (head, content, sanitize) =>
        Result.map(
          Result.flatMap(enveloped(head, content, sanitize), (json) => decode(json, sanitize)),
          (envelope) => {
            const requestId = envelope.requestId ?? head.requestId
            return beside({ ...head, requestId })(requestId === undefined ? envelope : { ...envelope, requestId })
          }
        )
    }
    case "Json": {
      const decode = decodeJson(success.schema)
      return (head, content, sanitize) =>
        Result.flatMap(content, (bytes) => parse(bytes, sanitize)).pipe(
          Result.flatMap((json) => decode(json, sanitize)),
          Result.map(beside(head))
        )
    }
    case "Text":
      return (head, content) => Result.map(Result.map(content, (bytes) => utf8.decode(bytes)), beside(head))
    case "Bytes":
      return (head, content) => Result.map(content, beside(head))
    case "Empty":
      return (head) => Result.succeed(beside(head)(undefined))
  }
}

const refusalInfo = (
  head: Head,
  content: Content,
  sanitize: Sanitize
): { readonly enveloped: boolean; readonly info: RefusalInfo } => {
  const text = Result.map(content, (bytes) => utf8.decode(bytes))
  const json = Result.flatMap(content, (bytes) => parse(bytes, sanitize))
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
export function compile(operation: Operation.Any): Interpret<Operation.Any> {
  const decode = decodeOf(operation.success)
  return (head, content, sanitize) => {
    if (head.status >= 200 && head.status <= 299) {
      return Result.mapError(decode(head, content, sanitize), (problem) => {
        const { requestId } = head
        return new InvalidResponse({
          message: `the body ${problem}`,
          ...(requestId !== undefined && { requestId: sanitize(requestId) })
        })
      })
    }
    const { enveloped, info } = refusalInfo(head, content, sanitize)
    const refusal = operation.errors.find(({ status }) => status === head.status)
    // a gateway or a wrong base URL answers 404 too: without the service's envelope it says nothing about the resource
    return Result.fail(
      refusal === undefined || (head.status === 404 && !enveloped) ? new UnexpectedStatus(info) : new refusal(info)
    )
  }
}
