import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Headers from "effect/http/Headers"
import { InvalidResponse, UnexpectedStatus, type Info } from "../CloudError.ts"
import * as Envelope from "../Envelope.ts"
import type * as Operation from "../Operation.ts"
import * as Hint from "./hint.ts"

/** A response, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers.Headers
  /** The text, or why there is none: "the body …". */
  readonly body: Result.Result<string, string>
  /** The time of day when the head came, for dates in it. */
  readonly nowMillis: number
}

const parse = (text: string, quote: (text: string) => string) =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: () => `is not JSON: ${quote(text)}` })
const decodeFailure = Schema.decodeUnknownResult(Envelope.Failure)

const info = (
  { body, headers, nowMillis, status }: Answer,
  quote: (text: string) => string
): Info & { readonly enveloped: boolean } => {
  const json = Result.flatMap(body, (text) => parse(text, quote))
  const envelope = Result.getOrUndefined(Result.flatMap(json, decodeFailure))
  const requestId = envelope?.requestId ?? headers["x-request-id"]
  const retryAfter = Hint.retryAfter(status, headers, nowMillis)
  const problem = Result.match(body, {
    onSuccess: (text) => (quote(text) === "" ? "is empty" : `begins: ${quote(text)}`),
    onFailure: (problem) => problem
  })
  return {
    enveloped: envelope !== undefined,
    message: envelope !== undefined ? quote(envelope.error) : `no error envelope, the body ${problem}`,
    ...(requestId !== undefined && { requestId: quote(requestId) }),
    ...(retryAfter !== undefined && { retryAfter })
  }
}

/** What an answer means. The HTTP status decides, whatever the body says. */
export const interpret = <O extends Operation.Any>(
  operation: O,
  answer: Answer,
  quote: (text: string) => string
): Result.Result<Operation.Success<O>, Operation.Refusals<O> | UnexpectedStatus | InvalidResponse> => {
  const { status } = answer
  const requestId = answer.headers["x-request-id"]
  if (status < 200 || status > 299) {
    const { enveloped, ...rest } = info(answer, quote)
    const refusal = operation.errors.find((refusal) => refusal.status === status)
    // a 404 that is not the service's own comes from a gateway or a wrong base URL: it says nothing about the resource
    return Result.fail(
      refusal === undefined || (status === 404 && !enveloped) ? new UnexpectedStatus(rest) : new refusal(rest)
    )
  }
  // 204 and 205 cannot have a body (RFC 9110 §15.3.5); for an operation without a result that is a whole answer
  const json =
    status === 204 || status === 205 ? Result.succeed({}) : Result.flatMap(answer.body, (text) => parse(text, quote))
  return json.pipe(
    Result.flatMap(Schema.decodeUnknownResult(operation.success)),
    Result.mapBoth({
      onSuccess: (envelope) =>
        envelope.requestId === undefined && requestId !== undefined ? { ...envelope, requestId } : envelope,
      onFailure: (problem) =>
        new InvalidResponse({
          message: `the body ${typeof problem === "string" ? problem : `is not what the operation declares: ${quote(problem.message)}`}`,
          ...(requestId !== undefined && { requestId: quote(requestId) })
        })
    })
  )
}
