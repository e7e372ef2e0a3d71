import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { Timeout, type Outcome } from "../CloudError.ts"
import type * as Operation from "../Operation.ts"
import type { Settle } from "../Pacing.ts"
import * as Answer from "./answer.ts"
import * as Body from "./body.ts"
import { monotonicMillis } from "./clock.ts"
import * as Hint from "./hint.ts"
import * as TransportFailure from "./transportFailure.ts"

/** Why an attempt failed, and what is known of its effect. */
export interface Failed<O extends Operation.Any> {
  readonly reason: Operation.Failure<O>["reason"]
  readonly outcome: Outcome
}

/** How an attempt ended. */
export interface Ended<O extends Operation.Any> {
  /** HTTP status, once the head of a response was there. */
  readonly status: number | undefined
  /** How long that head asks to wait, in milliseconds, also when the body did not follow. */
  readonly hint: number
  readonly result: Result.Result<Operation.Success<O>, Failed<O>>
}

/** What attempts of one client share. */
export interface Channel {
  readonly client: HttpClient.HttpClient
  readonly headers: Readonly<Record<string, string>>
  readonly maxResponseBytes: number
  readonly quote: (text: string) => string
}

/**
 * What the status of an answer says of the request's effect. A refusal changed nothing; but a 408 can come from a gateway
 * that waited for the service, and a 303 from a service that did the work (RFC 9110 §15.4.4).
 */
const outcomeOf = (status: number): Outcome =>
  status >= 300 && status < 500 && status !== 303 && status !== 408 ? "refused" : "unknown"

/** Whether the status tells all by itself. That of a 404 does not: a gateway's is not the service's. */
const isRefusal = (status: number) => status >= 300 && status !== 404

/** No answer within so many milliseconds, told in whole ones: what is left of a call's time can be any part of one. */
export const timeout = (limit: number) => {
  const millis = Math.ceil(limit)
  return new Timeout({ message: `no complete answer within ${millis / 1000} s`, limit: Duration.millis(millis) })
}

/** One request and its answer: sent, read and decoded within `limit` milliseconds. */
export const run = <O extends Operation.Any>(
  { client, headers, maxResponseBytes, quote }: Channel,
  operation: O,
  url: string,
  trace: Readonly<Record<string, string>>,
  limit: number,
  settle: Settle | undefined
): Effect.Effect<Ended<O>> => {
  let status: number | undefined
  let hint = 0
  const fail = (reason: Failed<O>["reason"], outcome: Outcome): Effect.Effect<Ended<O>["result"]> =>
    // with a response's head in hand the request did arrive
    Effect.succeed(Result.fail({ reason, outcome: status === undefined ? outcome : outcomeOf(status) }))
  return Effect.gen(function* () {
    const request = HttpClientRequest.make(operation.method)(url, { headers: { ...headers, ...trace } })
    const response = yield* client.execute(request)
    status = response.status
    const nowMillis = yield* Clock.currentTimeMillis
    const retryAfter = Hint.retryAfter(status, response.headers, nowMillis)
    if (retryAfter !== undefined) hint = Duration.toMillis(retryAfter)
    if (settle !== undefined) settle({ status, headers: response.headers, at: yield* monotonicMillis, nowMillis })
    const body = yield* Body.read(response, maxResponseBytes).pipe(
      Effect.map(Result.succeed),
      Effect.catch((error) =>
        error === Body.tooLarge
          ? Effect.succeed(Result.fail(`exceeds ${maxResponseBytes} bytes`))
          : isRefusal(response.status)
            ? Effect.succeed(Result.fail("breaks off"))
            : Effect.fail(error)
      )
    )
    const answer = { status, headers: response.headers, body, nowMillis }
    const outcome = outcomeOf(status)
    return Result.mapError(Answer.interpret(operation, answer, quote), (reason) => ({ reason, outcome }))
  }).pipe(
    Effect.catch((error) => {
      const { outcome, reason } = TransportFailure.classify(error, quote)
      return fail(reason, outcome)
    }),
    Effect.timeoutOrElse({ duration: Duration.millis(limit), orElse: () => fail(timeout(limit), "unknown") }),
    Effect.map((result) => ({ status, hint, result }))
  )
}
