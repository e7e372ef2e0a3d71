import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as LimitRules from "./internal/limitRules.ts"
import * as Region from "./internal/region.ts"
import * as OptionRules from "./OptionRules.ts"

/**
 * When and how often a failed call is sent again.
 *
 * **Details**
 *
 * The client retries connections that fail or break, attempts that time out, successes whose body breaks off or stalls,
 * and the statuses 408, 429, 500, 502, 503 and 504. A POST or PATCH without an idempotency key it sends again only after a
 * 429, or where nothing was sent. Of other statuses it retries a 401 once, if the credentials have changed, and a 409 with
 * `Retry-After`, if an attempt with an idempotency key may have been applied; never a success that does not decode, or an
 * interruption.
 *
 * The wait before attempt n+1 is random, between zero and `base · 2ⁿ⁻¹`, at most `cap` ("full jitter"). A wait that the
 * service asks for is a minimum. If that wait is longer than `maxHint`, or ends after the deadline, the call fails at
 * once with the reason at hand and its `retryAfter`.
 *
 * If a limit is negative or not a duration, or if `attempts` is not a whole number of at least 1, building the client fails with
 * `InvalidOption`.
 */
export interface Retry {
  /** Total number of attempts, including the first. */
  readonly attempts: number
  /** Upper bound of the first wait. */
  readonly base: Duration.Input
  /** Upper bound of the first wait after a 429. */
  readonly baseRateLimited: Duration.Input
  /** Upper bound of every wait, except waits that the service asks for. */
  readonly cap: Duration.Input
  /** Longest wait that is accepted when the service asks for one. */
  readonly maxHint: Duration.Input
  /**
   * A bucket of tokens that pays for retries and is shared by all calls of one client, so that retries do not multiply
   * the load on a broken service. Read when the client is built.
   */
  readonly budget: {
    /** Tokens in the full bucket. */
    readonly capacity: number
    /** Price of a retry; refunded when the retry succeeds. */
    readonly retry: number
    /** Price of a retry after a timeout, which has cost both sides more. */
    readonly timeout: number
    /** Tokens that a call earns when its first attempt succeeds. */
    readonly success: number
  }
}

/**
 * 3 attempts; waits from 100 ms (500 ms after a 429) up to 20 s; hints up to 60 s; 500 tokens, 5 per retry, 10 after a
 * timeout.
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
 * One attempt, as the client's option `retry`, or with `within` for calls that must not be sent again.
 *
 * **Example** (Making a client that does not retry)
 *
 * ```ts
 * import type * as Client from "@cloud-management/client/Client"
 * import * as Retry from "@cloud-management/client/Retry"
 *
 * const options: Partial<Client.Options> = { retry: Retry.none }
 * ```
 */
export const none: Partial<Retry> = { attempts: 1 }

/**
 * 10 attempts, a first wait of up to 500 ms and hints up to 5 minutes, for programs that can wait; set a longer total
 * deadline as well.
 *
 * **Example** (Giving calls 15 minutes)
 *
 * ```ts
 * import type * as Client from "@cloud-management/client/Client"
 * import * as Retry from "@cloud-management/client/Retry"
 *
 * const options: Partial<Client.Options> = { retry: Retry.patient, deadline: { total: "15 minutes" } }
 * ```
 */
export const patient: Partial<Retry> = { attempts: 10, base: "500 millis", maxHint: "5 minutes" }

/**
 * Sets the retry policy of the calls inside an effect.
 *
 * **Details**
 *
 * Missing fields come from an outer `within`, then from the operation's `limits`, then from the client; the budget is
 * always the client's.
 *
 * Throws a `RangeError` if a limit is negative or not a duration, or if `attempts` is not a whole number of at least 1.
 *
 * **Example** (Sending a call once)
 *
 * ```ts
 * import type * as Effect from "effect/Effect"
 * import * as Retry from "@cloud-management/client/Retry"
 *
 * declare const program: Effect.Effect<void>
 *
 * const once = program.pipe(Retry.within(Retry.none))
 * ```
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
  const { budget: _, ...policy } = args.length === 1 ? args[0] : args[1]
  OptionRules.check("retry", policy, LimitRules.retry)
  const provide = Effect.updateService(Region.retry, (outer) => ({ ...outer, ...policy }))
  return args.length === 1 ? provide : provide(args[0])
}
