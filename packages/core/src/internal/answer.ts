import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Headers from "effect/http/Headers"
import { InvalidResponse, UnexpectedStatus } from "../CloudError.ts"
import * as Envelope from "../Envelope.ts"
import type * as Operation from "../Operation.ts"

/** A response, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers.Headers
  /** How long it asks to wait, in milliseconds. */
  readonly hint: number | undefined
  /** The text, or why there is none: "the body …". */
  readonly body: Result.Result<string, string>
}

const decodeSuccess = Schema.decodeUnknownResult(Envelope.Success)
const decodeFailure = Schema.decodeUnknownResult(Envelope.Failure)

/** `CODE: message`, which a gateway's `Not Found` is not. */
const coded = /^[A-Z][A-Z\d_]*: /

/** Whether a body shows that the service sent it as a success. */
const isSuccess = (json: unknown): boolean => {
  const envelope = Result.getOrUndefined(decodeSuccess(json))
  return envelope?.status !== undefined || envelope?.requestId !== undefined
}

/** What an answer means. The HTTP status decides, whatever the body says. */
export const interpret = <O extends Operation.Any>(
  operation: O,
  { body, headers, hint, status }: Answer,
  quote: (text: string) => string
): Result.Result<Operation.Success<O>, Operation.Refusals<O> | UnexpectedStatus | InvalidResponse> => {
  const header = headers["x-request-id"]
  const info = (message: string, requestId = header) => ({
    message,
    ...(requestId !== undefined && { requestId: quote(requestId) })
  })
  const text = Result.isSuccess(body) ? body.success : ""
  const parse = (text: string) =>
    Result.try({ try: (): unknown => JSON.parse(text), catch: () => `is not JSON: ${quote(text)}` })

  if (status < 200 || status > 299) {
    const failure = Result.getOrUndefined(Result.flatMap(Result.flatMap(body, parse), decodeFailure))
    const envelope = failure?.status === status && coded.test(failure.error) ? failure : undefined
    const problem = Result.isFailure(body) ? body.failure : quote(text) === "" ? "is empty" : `begins: ${quote(text)}`
    const refusal = operation.errors.find((refusal) => refusal.status === status)
    // a 404 that is not the service's own comes from a gateway or a wrong base URL: it says nothing about the resource
    return Result.fail(
      new (refusal === undefined || (status === 404 && envelope === undefined) ? UnexpectedStatus : refusal)({
        ...(envelope === undefined
          ? info(`no error envelope, the body ${problem}`)
          : info(quote(envelope.error), envelope.requestId)),
        ...(hint !== undefined && { retryAfter: Duration.millis(hint) })
      })
    )
  }
  const invalid = (problem: string) => Result.fail(new InvalidResponse(info(`the body ${problem}`)))
  // 204 and 205 cannot have a body (RFC 9110 §15.3.5); for an operation without a result that is a whole answer
  const isEmpty = status === 204 || status === 205
  const json = isEmpty ? Result.succeed({}) : Result.flatMap(body, parse)
  if (Result.isFailure(json)) return invalid(json.failure)
  if (!isEmpty && header === undefined && !isSuccess(json.success)) {
    return invalid(`has neither a status nor a request ID: ${quote(text)}`)
  }
  const envelope = Schema.decodeUnknownResult(operation.success)(json.success)
  if (Result.isFailure(envelope)) {
    return invalid(`is not what the operation declares: ${quote(envelope.failure.message)}`)
  }
  return envelope.success.requestId === undefined && header !== undefined
    ? Result.succeed({ ...envelope.success, requestId: header })
    : envelope
}
