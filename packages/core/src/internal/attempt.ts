import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { Timeout, type Outcome } from "../CloudError.ts"
import type * as Operation from "../Operation.ts"
import type { Release } from "../Pacing.ts"
import * as Body from "./body.ts"
import { monotonicMillis } from "./clock.ts"
import type { Sanitize } from "./content.ts"
import * as Head from "./head.ts"
import type * as Response from "./response.ts"
import * as TransportFailure from "./transportFailure.ts"

/** Why an attempt failed, and what is known of its effect. */
export interface Failure<O extends Operation.Any> {
  readonly reason: Operation.Failure<O>["reason"]
  readonly outcome: Outcome
}

/** How an attempt ended. */
export interface AttemptResult<O extends Operation.Any> {
  /** Absent when no response began. */
  readonly head: Head.Head | undefined
  readonly result: Result.Result<Response.Decoded<Operation.Success<O>>, Failure<O>>
}

/** What the attempts of one client share. */
export interface AttemptContext {
  readonly client: HttpClient.HttpClient
  readonly maxResponseBytes: number
  readonly sanitize: Sanitize
}

/**
 * What the status of a response says of the request's effect. A refusal changed nothing; but a 408 can come from a gateway
 * that waited for the service, and a 303 from a service that did the work (RFC 9110 §15.4.4).
 */
const outcomeOf = (status: number): Outcome =>
  status >= 300 && status < 500 && status !== 303 && status !== 408 ? "refused" : "unknown"

/** A timeout after so many milliseconds, rounded up to whole ones. */
export const timeout = (limit: number): Timeout => {
  const millis = Math.ceil(limit)
  return new Timeout({ message: `no complete answer within ${millis / 1000} s`, limit: Duration.millis(millis) })
}

/** One request and its response: sent, read and interpreted within `limit` milliseconds. */
export const run = <O extends Operation.Any>(
  { client, maxResponseBytes, sanitize }: AttemptContext,
  request: HttpClientRequest.HttpClientRequest,
  interpret: Response.Interpret<O>,
  limit: number,
  release: Release | undefined
): Effect.Effect<AttemptResult<O>> => {
  let head: Head.Head | undefined
  const settle = (head: Head.Head, content: Response.Content): AttemptResult<O>["result"] =>
    Result.mapError(interpret(head, content, sanitize), (reason) => ({ reason, outcome: outcomeOf(head.status) }))
  /** Without a whole response, the status of a refusal still decides. With any head, the request did arrive. */
  const fail = (reason: Failure<O>["reason"], outcome: Outcome, problem: string) =>
    Effect.sync(() =>
      head === undefined
        ? Result.fail({ reason, outcome })
        : head.status < 300
          ? Result.fail({ reason, outcome: outcomeOf(head.status) })
          : settle(head, Result.fail(problem))
    )
  return Effect.gen(function* () {
    const response = yield* client.execute(request)
    const { headers, status } = response
    head = Head.read({ status, headers, at: yield* monotonicMillis, nowMillis: yield* Clock.currentTimeMillis })
    if (release !== undefined) release(head)
    return settle(head, yield* Body.read(response, maxResponseBytes))
  }).pipe(
    Effect.catch((error) => {
      const { outcome, reason } = TransportFailure.classify(error, sanitize)
      return fail(reason, outcome, "breaks off")
    }),
    Effect.timeoutOrElse({
      duration: Duration.millis(limit),
      orElse: () => fail(timeout(limit), "unknown", "stalls")
    }),
    Effect.map((result) => ({ head, result }))
  )
}
