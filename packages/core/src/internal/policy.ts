import type { Outcome } from "../CloudError.ts"
import type * as Deadline from "../Deadline.ts"
import type * as Operation from "../Operation.ts"
import type * as Retry from "../Retry.ts"
import { millis } from "./limits.ts"

/** The limits of one call. All times are in milliseconds. */
export interface Policy {
  /** Attempts in all. */
  readonly attempts: number
  /** Upper bound of the first wait, and of the first one after a 429. */
  readonly base: number
  readonly baseRateLimited: number
  /** Upper bound of every wait that the service did not ask for. */
  readonly cap: number
  /** Longest wait asked for by the service that is honoured. */
  readonly maxHint: number
  /** Prices of retries, in tokens of the budget. */
  readonly prices: { readonly retry: number; readonly timeout: number }
  /** Limits of an attempt and of the whole call. */
  readonly attempt: number
  readonly total: number
}

/** The policy of a client, or of a call with overrides of its own. */
export const make = (retry: Retry.Retry, deadline: Deadline.Deadline): Policy => ({
  attempts: retry.attempts,
  base: millis(retry.base),
  baseRateLimited: millis(retry.baseRateLimited),
  cap: millis(retry.cap),
  maxHint: millis(retry.maxHint),
  prices: retry.budget,
  attempt: millis(deadline.attempt),
  total: millis(deadline.total)
})

/** Whether a request that may have been applied can be sent again (RFC 9110 §9.2.2). */
export const isRepeatable = ({ method, repeat }: Operation.Any): boolean =>
  repeat === undefined ? method !== "POST" && method !== "PATCH" : repeat !== "not-idempotent"

/** Where a call stands after an attempt that failed. */
export interface Standing {
  /** Attempts so far. */
  readonly attempts: number
  /** Whether another attempt can turn the failure into a success. */
  readonly isRetryable: boolean
  /** Whether the operation's request can be sent again although it may have been applied. */
  readonly isRepeatable: boolean
  readonly outcome: Outcome
  readonly status: number | undefined
  readonly isTimeout: boolean
  /** How long the service asks to wait, in milliseconds; 0 when it does not. */
  readonly hint: number
  /** Tokens in the retry budget. */
  readonly tokens: number
  /** What is left of the call's time, in milliseconds. */
  readonly timeLeft: number
}

/** What follows an attempt that failed. */
export type Decision =
  /** The call fails. `hintDeclined`: because the service asks for a longer wait than the call has time for. */
  | { readonly _tag: "Fail"; readonly hintDeclined: boolean }
  /** The call waits so many milliseconds, pays for the retry, and is sent again. */
  | {
      readonly _tag: "Retry"
      readonly wait: number
      readonly cause: "backoff" | "hint"
      readonly hinted: boolean
      readonly price: number
    }

const fail: Decision = { _tag: "Fail", hintDeclined: false }

/**
 * Decides what follows an attempt that failed. `random`, from 0 to 1, draws the wait ("full jitter"). It has no effects
 * and reads no clock.
 */
export const decide = (policy: Policy, standing: Standing, random: number): Decision => {
  const { attempts, hint, isTimeout, status, timeLeft, tokens } = standing
  if (!standing.isRetryable || attempts >= policy.attempts) return fail
  if (standing.outcome === "unknown" && !standing.isRepeatable) return fail
  const base = status === 429 ? policy.baseRateLimited : policy.base
  const jitter = random * Math.min(policy.cap, base * 2 ** (attempts - 1))
  const wait = Math.max(hint, jitter)
  if (hint > policy.maxHint || wait >= timeLeft) return { _tag: "Fail", hintDeclined: hint > 0 }
  const price = isTimeout ? policy.prices.timeout : policy.prices.retry
  return tokens < price
    ? fail
    : { _tag: "Retry", wait, cause: hint > jitter ? "hint" : "backoff", hinted: hint > 0, price }
}
