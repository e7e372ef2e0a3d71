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

/** How an attempt ended. */
export interface Ended<O extends Operation.Any> {
  /** HTTP status, once the head of a response was there. */
  readonly status: number | undefined
  /** How long that head asks to wait, in milliseconds, also when the body did not follow. */
  readonly hint: number
  readonly result: Result.Result<Operation.Success<O>, Operation.Failure<O>["reason"]>
  /** What is known of the effect of an attempt that failed. */
  readonly outcome: Outcome
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
  let head: Omit<Answer.Answer, "body"> | undefined
  // with the head of a response in hand the request did arrive
  let outcome: Outcome = "unknown"
  /** Without the whole answer, the status of a refusal still decides. */
  const cut = (reason: Operation.Failure<O>["reason"], problem: string): Ended<O>["result"] =>
    head === undefined || head.status < 300
      ? Result.fail(reason)
      : Answer.interpret(operation, { ...head, body: Result.fail(problem) }, quote)
  const request = HttpClientRequest.make(operation.method)(url, { headers: { ...headers, ...trace } })
  return Effect.flatMap(
    client.execute(request),
    Effect.fnUntraced(function* (response) {
      const { headers, status } = response
      const seen = { status, headers, nowMillis: yield* Clock.currentTimeMillis }
      head = { ...seen, hint: Hint.retryAfter(seen) }
      outcome = outcomeOf(status)
      if (settle !== undefined) settle({ ...seen, at: yield* monotonicMillis })
      const body = yield* Body.read(response, maxResponseBytes)
      return Answer.interpret(operation, { ...head, body }, quote)
    })
  ).pipe(
    Effect.catch((error) => {
      const failure = TransportFailure.classify(error, quote)
      if (head === undefined) outcome = failure.outcome
      return Effect.succeed(cut(failure.reason, "breaks off"))
    }),
    Effect.raceFirst(Effect.map(Effect.sleep(Duration.millis(limit)), () => cut(timeout(limit), "stalls"))),
    Effect.map((result) => ({ status: head?.status, hint: head?.hint ?? 0, result, outcome }))
  )
}
