import type { Outcome } from "../CallError.ts"
import type * as Operation from "../Operation.ts"
import type * as Retry from "../Retry.ts"
import { millis } from "../OptionRules.ts"

/** Whether a request that may have been applied can be sent again (RFC 9110 §9.2.2). */
export const isRepeatable = ({ method, repeat }: Operation.Any): boolean =>
  repeat === undefined ? method !== "POST" && method !== "PATCH" : repeat !== "not-idempotent"

/** Where a call stands after an attempt that failed. */
export interface CallState {
  /** Attempts so far; one that is repeated with renewed credentials does not count. */
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
  /** The rest of the call's time, in milliseconds. */
  readonly timeLeft: number
}

/** The step after an attempt that failed. */
export type Decision =
  /** The call fails. `hintDeclined`: because the service asks for a longer wait than `maxHint`, or than the call has time for. */
  | { readonly _tag: "Fail"; readonly hintDeclined: boolean }
  /** The call waits so many milliseconds, pays for the retry, and is sent again. */
  | {
      readonly _tag: "Retry"
      readonly wait: number
      readonly cause: "backoff" | "hint" | "credentials"
      readonly hinted: boolean
      readonly cost: number
    }

const fail: Decision = { _tag: "Fail", hintDeclined: false }

/** After a 401, with other credentials: at once, and it costs nothing. */
export const renewed: Decision = { _tag: "Retry", wait: 0, cause: "credentials", hinted: false, cost: 0 }

/**
 * Decides what follows an attempt that failed. `random`, from 0 to 1, draws the wait ("full jitter"). It has no effects
 * and reads no clock.
 */
export const decide = (retry: Retry.Retry, state: CallState, random: number): Decision => {
  const { attempts, hint, isTimeout, status, timeLeft, tokens } = state
  if (!state.isRetryable || attempts >= retry.attempts) return fail
  if (state.outcome === "unknown" && !state.isRepeatable) return fail
  const base = millis(status === 429 ? retry.baseRateLimited : retry.base)
  const jitter = random * Math.min(millis(retry.cap), base * 2 ** (attempts - 1))
  const wait = Math.max(hint, jitter)
  const hintDeclined = hint > 0 && (hint > millis(retry.maxHint) || hint >= timeLeft)
  if (hintDeclined || wait >= timeLeft) return { _tag: "Fail", hintDeclined }
  const cost = isTimeout ? retry.budget.timeout : retry.budget.retry
  return tokens < cost
    ? fail
    : { _tag: "Retry", wait, cause: hint > jitter ? "hint" : "backoff", hinted: hint > 0, cost }
}
