import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Limits from "./internal/limits.ts"

/**
 * When and how often a failed call is sent again.
 *
 * **Details**
 *
 * Sent again are attempts that a later one can turn into a success: connections that fail or break, attempts that time
 * out, successes whose body breaks off or stalls, and the statuses 408, 429, 500, 502, 503 and 504; of operations whose
 * method is safe or idempotent (RFC 9110 §9.2), which all of the specification are. Never sent again: any other status,
 * whatever becomes of its body, a success that does not decode, an interruption.
 *
 * The wait before attempt n+1 is drawn evenly between zero and `base · 2ⁿ⁻¹`, at most `cap` ("full jitter"). A wait
 * that the service asks for is a floor for it; one that is longer than `maxHint`, or ends after the deadline, fails the
 * call at once with the reason at hand and its `retryAfter`.
 *
 * A client whose policy has a negative limit, one that is not a duration, or less than one attempt is refused when it
 * is built, with `InvalidOption`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Retry {
  /** Attempts in all, the first included. */
  readonly attempts: number
  /** Upper bound of the first wait. */
  readonly base: Duration.Input
  /** Upper bound of the first wait after a 429. */
  readonly baseRateLimited: Duration.Input
  /** Upper bound of every wait that the service did not ask for. */
  readonly cap: Duration.Input
  /** Longest wait asked for by the service that is honoured. */
  readonly maxHint: Duration.Input
  /**
   * A bucket of tokens, shared by all calls of one client, that retries are paid from: when a service is broken, its
   * load is not multiplied by the retries. Read when the client is built.
   */
  readonly budget: {
    /** Tokens in the full bucket. */
    readonly capacity: number
    /** Price of a retry; given back when that retry succeeds. */
    readonly retry: number
    /** Price of a retry after a timeout, which has cost both sides more. */
    readonly timeout: number
    /** Tokens that a call brings in when its first attempt succeeds. */
    readonly success: number
  }
}

/**
 * 3 attempts; waits from 100 ms (500 ms after a 429) up to 20 s; hints up to 60 s; 500 tokens, 5 a retry, 10 a timeout.
 *
 * @category constants
 * @since 0.1.0
 */
export const standard: Retry = {
  attempts: 3,
  base: "100 millis",
  baseRateLimited: "500 millis",
  cap: "20 seconds",
  maxHint: "60 seconds",
  budget: { capacity: 500, retry: 5, timeout: 10, success: 1 }
}

/**
 * One attempt: as the client's option `retry`, or around calls that are not to be sent again.
 *
 * **Example** (Making a client that does not retry)
 *
 * ```ts
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Retry from "@cloud-management/core/Retry"
 *
 * const cloud = CloudManagement.layerConfig({ retry: Retry.none })
 * ```
 *
 * @category constants
 * @since 0.1.0
 */
export const none: Partial<Retry> = { attempts: 1 }

/**
 * 10 attempts, a first wait of up to 500 ms and hints up to 5 minutes, for programs that have time; give them a longer
 * total deadline as well.
 *
 * **Example** (Giving calls 15 minutes)
 *
 * ```ts
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Retry from "@cloud-management/core/Retry"
 *
 * const cloud = CloudManagement.layerConfig({ retry: Retry.patient, deadline: { total: "15 minutes" } })
 * ```
 *
 * @category constants
 * @since 0.1.0
 */
export const patient: Partial<Retry> = { attempts: 10, base: "500 millis", maxHint: "5 minutes" }

/**
 * What {@link within} sets for the calls of a region; `undefined`, the default, leaves the client's policy as it is.
 *
 * @category references
 * @since 0.1.0
 */
export const Current = Context.Reference<Partial<Omit<Retry, "budget">> | undefined>(
  "@cloud-management/core/Retry/Current",
  { defaultValue: () => undefined }
)

/**
 * Sets the retry policy of the calls inside an effect.
 *
 * **Details**
 *
 * What it does not name stays as an outer `within`, or else the client, has it; the budget is always the client's.
 *
 * Throws a `RangeError` for a limit that is negative or not a duration, and for less than one attempt.
 *
 * **Example** (Sending a call once)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Retry from "@cloud-management/core/Retry"
 *
 * const once = CloudManagement.CloudManagement.pipe(
 *   Effect.flatMap((cloud) => cloud.organizations.list()),
 *   Retry.within(Retry.none)
 * )
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export function within<A, E, R>(
  self: Effect.Effect<A, E, R>,
  policy: Partial<Omit<Retry, "budget">>
): Effect.Effect<A, E, R>
export function within(
  policy: Partial<Omit<Retry, "budget">>
): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
export function within<A, E, R>(
  ...args: [policy: Partial<Retry>] | [self: Effect.Effect<A, E, R>, policy: Partial<Retry>]
) {
  const policy = args.length === 1 ? args[0] : args[1]
  Limits.check("retry", policy)
  const provide = Effect.updateService(Current, (outer) => ({ ...outer, ...policy }))
  return args.length === 1 ? provide : provide(args[0])
}
