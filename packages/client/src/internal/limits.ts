import type { Deadline } from "../Deadline.ts"
import * as OptionRules from "../OptionRules.ts"
import type { Retry } from "../Retry.ts"
import * as LimitRules from "./limitRules.ts"

/**
 * Limits of the calls of one operation, created by {@link limits}.
 */
export interface Limits {
  readonly _tag: "Limits"
  /** How long a call may take. */
  readonly deadline?: Partial<Deadline>
  /** When and how often a call is sent again. */
  readonly retry?: Partial<Omit<Retry, "budget">>
  /** Largest response body that is read, in bytes after decompression. */
  readonly maxResponseBytes?: number
}

/**
 * Declares limits of an operation's calls.
 *
 * **Details**
 *
 * Throws a `RangeError` if a limit is negative or not a duration, or if `attempts` or `maxResponseBytes` is not a whole
 * number of at least 1.
 *
 * **Example** (Giving a large report more time)
 *
 * ```ts
 * import * as Operation from "@cloud-management/client/Operation"
 *
 * const limits = Operation.limits({ deadline: { attempt: "30 seconds" }, maxResponseBytes: 8 * 1024 * 1024 })
 * ```
 */
export const limits = (options: Omit<Limits, "_tag">): Limits => {
  const own = OptionRules.options(options)
  OptionRules.check("limits", own, {
    deadline: OptionRules.object,
    retry: OptionRules.object,
    maxResponseBytes: LimitRules.countOrInfinity
  })
  // not undefined, which would come before the client's limit
  const deadline = OptionRules.options(own.deadline ?? {})
  const retry = OptionRules.options(own.retry ?? {})
  OptionRules.check("limits.deadline", deadline, LimitRules.deadline)
  OptionRules.check("limits.retry", retry, LimitRules.retry)
  return { _tag: "Limits", ...own, deadline, retry }
}
