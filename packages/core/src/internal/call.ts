import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { CloudError } from "../CloudError.ts"
import * as Deadline from "../Deadline.ts"
import type { Log } from "../Log.ts"
import type { Metrics } from "../Metrics.ts"
import type * as Operation from "../Operation.ts"
import type { Pacing, Settle } from "../Pacing.ts"
import * as Retry from "../Retry.ts"
import { attributes } from "../Telemetry.ts"
import * as Attempt from "./attempt.ts"
import { monotonicMillis } from "./clock.ts"
import { millis } from "./limits.ts"
import * as Request from "./request.ts"
import * as RetryBudget from "./retryBudget.ts"
import * as Telemetry from "./telemetry.ts"

/** What the calls of one client share. */
export interface Options extends Attempt.Channel {
  readonly baseUrl: string
  readonly deadline: Deadline.Deadline
  readonly retry: Retry.Retry
  readonly pacing: Pacing | undefined
  readonly log: Log
  readonly metrics: Metrics | undefined
}

/**
 * The success that a deletion stands for when, after an attempt of the same call that may have been applied, the
 * service says that there is nothing to delete (RFC 9110 §9.2.2: the intended effect is the same). None for a success
 * that has a result, and for a 404 that is not the operation's own.
 */
const assumeDeleted = <O extends Operation.Any>(
  operation: O,
  status: number | undefined,
  reason: object
): Operation.Success<O> | undefined =>
  operation.method === "DELETE" && status === 404 && operation.errors.some((refusal) => reason instanceof refusal)
    ? Result.getOrUndefined(
        Schema.decodeUnknownResult(operation.success)("requestId" in reason ? { requestId: reason.requestId } : {})
      )
    : undefined

/** What the log hears of a failed attempt. No header is in it beside the request's ID. */
const failed = <R extends { readonly _tag: string; readonly message: string }>({
  attempts,
  operation,
  reason,
  status
}: CloudError<R>) => ({
  operation,
  attempts,
  reason: reason._tag,
  ...(status !== undefined && { status }),
  ...("requestId" in reason && Predicate.isString(reason.requestId) && { requestId: reason.requestId })
})

/**
 * Makes the one loop of a call: a turn, an attempt, and then a success, an error, or a wait and another attempt. It
 * sits above the decoded, typed error, so that statuses, broken connections and timeouts are counted together.
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const telemetry = Telemetry.make(options.baseUrl, options.metrics)
  const { budget: prices } = options.retry
  const budget = RetryBudget.make(prices)
  const admit = options.pacing === undefined ? undefined : yield* options.pacing.make

  const give = (tokens: number) =>
    Effect.suspend(() => {
      const before = budget.available()
      budget.give(tokens)
      return budget.available() === before ? Effect.void : telemetry.budget(budget.available())
    })

  /** Waits for a turn, and then makes the attempt. */
  const paced = <O extends Operation.Any>(
    operation: O,
    admit: (timeLeft: number) => ReturnType<Effect.Success<Pacing["make"]>>,
    timeLeft: () => Effect.Effect<number>,
    attempt: (settle: Settle, timeLeft: number) => Effect.Effect<Attempt.Ended<O> | undefined>
  ) =>
    Effect.flatMap(timeLeft(), (before) =>
      // no turn is lost: only the wait for it and what it is for can be interrupted
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(admit(before), (settle) =>
          restore(
            Effect.flatMap(timeLeft(), (left) =>
              Effect.andThen(
                // reading the clock takes time too
                before - left >= 1 ? telemetry.wait(operation, "pacing", before - left) : Effect.void,
                attempt(settle, left)
              )
            )
          ).pipe(Effect.onExit(() => Effect.sync(() => settle(undefined))))
        )
      )
    )

  const call = Effect.fnUntraced(function* <O extends Operation.Any>(operation: O, params: Operation.Params<O>) {
    const url = options.baseUrl + (yield* Request.path(operation, params))
    const retry = { ...options.retry, ...(yield* Retry.Override) }
    const deadline = { ...options.deadline, ...(yield* Deadline.Override) }
    const [perAttempt, total] = [millis(deadline.attempt), millis(deadline.total)]
    const started = yield* monotonicMillis
    const timeLeft = () => Effect.map(monotonicMillis, (now) => started + total - now)

    let attempts = 0
    /** Tokens that a success gives to the budget. */
    let refund = prices.success
    /** Whether an attempt may have been applied; whether one left at all. */
    let ambiguous = false
    let sent = false
    /** What the last attempt failed with. */
    let error: Operation.Failure<O> | undefined

    // a turn or a timer can come late; less than a millisecond is no time, since timers are no finer
    const attempt = (settle: Settle | undefined, left: number) =>
      left >= 1
        ? telemetry.attempt(operation, attempts++, url, (trace) =>
            Attempt.run(options, operation, url, trace, Math.min(perAttempt, left), settle)
          )
        : Effect.undefined
    const fail = (reason: Operation.Failure<O>["reason"], status: number | undefined): Operation.Failure<O> =>
      new CloudError({
        operation: Telemetry.nameOf(operation),
        method: operation.method,
        path: operation.path,
        ...(status !== undefined && { status }),
        attempts,
        outcome: ambiguous ? "unknown" : sent ? "refused" : "not-sent",
        reason
      })

    for (;;) {
      const begun = yield* timeLeft()
      const ended = yield* admit === undefined
        ? attempt(undefined, begun)
        : Effect.catch(paced(operation, admit, timeLeft, attempt), (reason) => fail(reason, undefined))
      if (ended === undefined) return yield* error ?? fail(Attempt.timeout(total), undefined)
      const { hint, outcome, result, status } = ended
      const left = yield* timeLeft()
      if (Result.isSuccess(result)) {
        yield* give(refund)
        return result.success
      }

      const reason = result.failure
      const deleted = ambiguous ? assumeDeleted(operation, status, reason) : undefined
      ambiguous ||= outcome === "unknown"
      sent ||= outcome !== "not-sent"
      error = fail(reason, status)
      if (deleted !== undefined) {
        yield* give(refund)
        yield* telemetry.assumed
        yield* options.log({ _tag: "AssumedDeleted", ...failed(error) })
        return deleted
      }
      if (!error.isRetryable || attempts >= retry.attempts) return yield* error

      const base = millis(status === 429 ? retry.baseRateLimited : retry.base)
      const jitter = (yield* Random.next) * Math.min(millis(retry.cap), base * 2 ** (attempts - 1))
      const wait = Math.max(hint, jitter)
      const tooLong = hint > millis(retry.maxHint) || wait >= left
      if (hint > 0) yield* telemetry.hint(operation, !tooLong)
      if (tooLong) return yield* error
      const price = reason._tag === "Timeout" ? prices.timeout : prices.retry
      if (!budget.take(price)) return yield* error
      refund = price

      yield* telemetry.budget(budget.available())
      yield* telemetry.retry(operation, reason._tag)
      yield* telemetry.wait(operation, hint > jitter ? "hint" : "backoff", wait, {
        [attributes.errorType]: reason._tag,
        [attributes.budget]: budget.available()
      })
      yield* options.log({ _tag: "Retrying", ...failed(error), wait: Duration.millis(Math.ceil(wait)) })
      yield* Effect.sleep(Duration.millis(wait))
    }
  })

  return <O extends Operation.Any>(
    operation: O,
    params: Operation.Params<O>
  ): Effect.Effect<Operation.Success<O>, Operation.Failure<O>> => telemetry.call(operation, call(operation, params))
})
