import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { constVoid, identity } from "effect/Function"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { CallError, InvalidInput, type Outcome } from "../CallError.ts"
import type * as Deadline from "../Deadline.ts"
import type { Failed, Listener, Source } from "../Event.ts"
import * as Operation from "../Operation.ts"
import type { Pacing } from "../Pacing.ts"
import type * as Retry from "../Retry.ts"
import * as Attempt from "./attempt.ts"
import * as ResponseBody from "./responseBody.ts"
import { monotonicMillisOf } from "./clock.ts"
import { millis } from "../OptionRules.ts"
import type { Head, Release } from "./head.ts"
import type { Failure, OpenResponse } from "./openResponse.ts"
import * as Policy from "./policy.ts"
import * as Redaction from "./redaction.ts"
import * as Region from "./region.ts"
import * as Reporter from "./reporter.ts"
import * as Request from "./request.ts"
import * as Response from "./response.ts"
import * as RetryBudget from "./retryBudget.ts"
import type { Signer } from "./signer.ts"
import * as TimeLimit from "./timeLimit.ts"
import type { Sending } from "./upload.ts"

export interface Options {
  readonly client: HttpClient.HttpClient
  readonly baseUrl: string
  readonly signer: Signer
  readonly deadline: Deadline.Deadline
  readonly retry: Retry.Retry
  readonly pacing: Pacing | undefined
  readonly listener: Listener | undefined
  readonly maxResponseBytes: number
  /** In lower case. */
  readonly requestIdHeader: string
}

/** Prepares the calls of an operation; what does not change between calls is computed once. */
export type Prepare = <O extends Operation.Any>(
  operation: O
) => (input: Operation.Input<O>) => Effect.Effect<Operation.Exchange<Operation.Success<O>>, Operation.Error<O>>

/**
 * The success that a deletion stands for when, after an attempt of the same call that may have been applied, the service
 * says that there is nothing to delete (RFC 9110 §9.2.2: the intended effect is the same). None for a success that has a
 * result, and for a 404 that is not the operation's own.
 */
const assumeDeleted = (
  { errors, method, success }: Operation.Any,
  head: Head | undefined,
  reason: object,
  requestId: string | undefined
): Response.Decoded | undefined =>
  method === "DELETE" &&
  head?.status === 404 &&
  errors.some((refusal) => reason instanceof refusal && !refusal.rule?.isVague) &&
  success.deletedValue
    ? { value: success.deletedValue(requestId), status: head.status, headers: head.headers, requestId }
    : undefined

/**
 * Makes the one loop of a call: a turn, an attempt, and then a success, a failure, or a wait and another attempt. It sits
 * above the decoded, typed error, so that statuses, broken connections and timeouts are counted together.
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { signer } = options
  const budget = RetryBudget.make(options.retry.budget)
  const withTurn = options.pacing && (yield* options.pacing.make)

  const prepare: Prepare = <O extends Operation.Any>(operation: O) => {
    const build = Request.compile(operation, options.baseUrl, signer.current)
    const { limits, repeat, security, success } = operation
    const run = Attempt.compile(
      options.client,
      options.requestIdHeader,
      ResponseBody.reader(limits?.maxResponseBytes ?? options.maxResponseBytes),
      Response.compile(operation)
    )
    const isRepeatable = Policy.isRepeatable(operation)
    const reporter = Reporter.make(operation, options.baseUrl, options.listener)
    const { operation: name, method, path } = reporter.source

    const deposit = (tokens: number) =>
      budget.deposit(tokens) ? reporter.emit({ _tag: "BudgetRefilled", tokens: budget.available() }) : Effect.void

    /** `A` is the result of `open`, for a response whose body is read after the call, or else what its body decodes to. */
    const call = <A>(
      built: Result.Result<HttpClientRequest.HttpClientRequest, InvalidInput>,
      fiber: Fiber.Fiber<unknown, unknown>,
      open: ((response: OpenResponse) => unknown) | undefined
    ): Effect.Effect<Operation.Exchange<A>, Operation.Error<O>> => {
      const deadline = { ...options.deadline, ...limits?.deadline, ...fiber.getRef(Region.deadline) }
      const retry = { ...options.retry, ...limits?.retry, ...fiber.getRef(Region.retry) }
      const total = millis(deadline.total)
      const clock = fiber.getRef(Clock.Clock)
      const end = monotonicMillisOf(clock) + total
      const timeLeft = () => end - monotonicMillisOf(clock)

      let attempts = 0
      let signature = signer.current()
      /** Attempts that were sent again with other credentials. */
      let renewals = 0
      /** Of all attempts together. */
      let outcomeSoFar: Outcome = "not-sent"
      /** Tokens that a success returns to the budget: the price of the last retry that had one, else what a call earns. */
      let refund = options.retry.budget.success
      /** Tokens that were paid for the attempt that is due. */
      let paid = 0
      let error: Failure | undefined

      const attempt = (release: Release | undefined, left: number) => {
        // a turn or a timer can come late; less than a millisecond is no time, since timers are no finer
        if (left < 1) return Effect.succeed(undefined)
        paid = 0
        // others can have renewed it while this call waited
        signature = signer.newest(signature)
        return reporter.attempt(fiber, ++attempts, request.url, signature.sanitize, (trace) =>
          run(
            clock,
            // last, so that an operation cannot send other credentials
            signature.sign(trace === undefined ? request : HttpClientRequest.setHeaders(request, trace), security),
            signature,
            deadline,
            left,
            release,
            open &&
              ((response, head) => {
                outcomeSoFar = "unknown"
                return open({
                  response,
                  deadline,
                  retry,
                  budget,
                  emit: reporter.emit,
                  sanitize: signature.sanitize,
                  errorOf: (reason) => errorOf(reason, head),
                  request: isRepeatable && request,
                  begin: (request) =>
                    reporter.call((fiber) =>
                      call<OpenResponse>(
                        Result.succeed(request),
                        fiber,
                        (response) => success.open?.(response) && response
                      )
                    )
                })
              })
          )
        )
      }
      const errorOf = <Reason extends Failure["reason"]>(reason: Reason, head?: Head): CallError<Reason> =>
        new CallError({
          operation: name,
          method,
          path,
          baseUrl: options.baseUrl,
          status: head?.status,
          requestId: head?.requestId && signature.sanitize(head.requestId),
          headers: head && Redaction.headers(head.headers, fiber, signature.sanitize),
          attempts,
          outcome: outcomeSoFar,
          reason
        })

      if (Result.isFailure(built)) return Effect.fail(errorOf(built.failure))
      const request: Sending = built.success
      const { close } = request.body
      const lacks = signature.lacks?.(security)

      /** Ends the call without the attempt that is due, and returns what was paid for it. */
      const giveUp = (error: Failure) => Effect.andThen(deposit(paid), Effect.fail(error))

      /** The same for a wait that is interrupted. */
      const refundUnsent = <A, E>(wait: Effect.Effect<A, E>) =>
        Effect.onExit(wait, (exit) => (Reporter.isCancelled(exit) ? deposit(paid) : Effect.void))

      /** Waits for a turn, if there is pacing, and then makes an attempt with the time that is left. */
      const paced = (began = monotonicMillisOf(clock)) => {
        const before = end - began
        if (!withTurn || before < 1) return attempt(undefined, before)
        const turn = withTurn(before, (release) =>
          Effect.suspend(() => {
            const wait = monotonicMillisOf(clock) - began
            const run = attempt(release, timeLeft())
            // reading the clock takes time too
            return wait < 1 ? run : Effect.andThen(reporter.emit({ _tag: "Paced", wait: Duration.millis(wait) }), run)
          })
        )
        return Effect.catch(refundUnsent(turn), (throttled) => giveUp(errorOf(throttled)))
      }

      const renew = () => TimeLimit.within(signer.renew(signature), timeLeft(), constVoid)

      /** Decides what follows a failure. Made at the first one: most calls have none. */
      const afterFailure = () =>
        Effect.fnUntraced(function* (head: Head | undefined, outcome: Outcome, reason: Failure["reason"]) {
          const appliedBefore = outcomeSoFar === "unknown"
          if (!appliedBefore && outcome !== "not-sent") outcomeSoFar = outcome
          error = errorOf(reason, head)
          const failed: Omit<Failed, keyof Source> = {
            attempts,
            reason: reason._tag,
            status: head?.status,
            requestId: error.requestId
          }
          const deleted = appliedBefore ? assumeDeleted(operation, head, reason, error.requestId) : undefined
          if (deleted !== undefined) {
            yield* deposit(refund)
            yield* reporter.emit({ _tag: "AssumedDeleted", ...failed })
            return Effect.succeed({ ...deleted, attempts })
          }

          // the service still does what an attempt of this call asked for, and says when it may have done it
          const isInProgress =
            appliedBefore && head?.status === 409 && head.retryAfter !== undefined && typeof repeat === "object"
          const refused = signature
          if (head?.status === 401 && renewals === 0) {
            yield* renew()
            signature = signer.newest(signature)
            if (signature !== refused) renewals++
          }
          // drawn before the tokens are read: nothing may come between that and the payment
          const random = fiber.getRef(Random.Random).nextDoubleUnsafe()
          const decision =
            signature === refused || request.body.isSpent
              ? Policy.decide(
                  retry,
                  {
                    attempts: attempts - renewals,
                    isRetryable: (error.isRetryable || isInProgress) && !request.body.isSpent,
                    isRepeatable,
                    outcome,
                    status: head?.status,
                    isTimeout: reason._tag === "Timeout",
                    hint: head?.retryAfter ?? 0,
                    tokens: budget.available(),
                    timeLeft: timeLeft()
                  },
                  random
                )
              : Policy.renewed
          if (decision._tag === "Fail") {
            if (decision.hintDeclined) yield* reporter.emit({ _tag: "HintDeclined" })
            return yield* error
          }
          const { cause, cost, hinted } = decision
          paid = cost
          refund = cost || refund
          budget.withdraw(cost)
          const wait = Duration.millis(decision.wait)
          const report = reporter.emit({ _tag: "Retrying", ...failed, wait, cause, hinted, tokens: budget.available() })
          yield* refundUnsent(Effect.andThen(report, clock.sleep(wait)))
          return next()
        })

      /** Makes an attempt. A success ends the call there and then. */
      const next = (): Effect.Effect<Operation.Exchange<unknown>, Failure> => {
        const now = monotonicMillisOf(clock)
        return Effect.flatMap(
          now < signer.current().renewAt ? paced(now) : Effect.flatMap(refundUnsent(renew()), () => paced()),
          (ended) => {
            if (ended === undefined) return giveUp(error ?? errorOf(TimeLimit.timeout(total)))
            const { head, outcome, result } = ended
            return Result.isSuccess(result)
              ? Effect.map(deposit(refund), () => ({ ...result.success, attempts }))
              : Effect.flatMap(afterFailure()(head, outcome, result.failure), identity)
          }
        )
      }
      const work = lacks
        ? Effect.fail(errorOf(new InvalidInput({ path: "credentials", message: `the credentials lack ${lacks}` })))
        : next()
      // oxlint-disable-next-line typescript/consistent-type-assertions -- the schema and `open` say what it is, and no type follows them
      return (close ? Effect.ensuring(work, close) : work) as Effect.Effect<Operation.Exchange<A>, Operation.Error<O>>
    }
    return (input) =>
      reporter.call((fiber) => {
        const begin = (key: string) =>
          call<Operation.Success<O>>(build(input, key, fiber.getRef(Region.headers)), fiber, success.open)
        return typeof repeat === "object" ? Effect.flatMap(repeat.make, begin) : begin("")
      })
  }
  return prepare
})
