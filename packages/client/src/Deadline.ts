import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as LimitRules from "./internal/limitRules.ts"
import * as Region from "./internal/region.ts"
import * as OptionRules from "./OptionRules.ts"

/**
 * How long a call may take; `"Infinity"` means no limit.
 *
 * **Details**
 *
 * If a limit is negative or not a duration, building the client fails with `InvalidOption`.
 *
 * After a limit, the transport has a second to end the request. The call does not wait longer for one that cannot be
 * interrupted.
 */
export interface Deadline {
  /**
   * Limit of one attempt: connection, headers, body and decoding together. A stalled body counts; if the status is an
   * error, the reason is still that of the status.
   */
  readonly attempt: Duration.Input
  /**
   * Limit of the call: all attempts, and the waits between and before them. If a wait would end after the limit, the
   * call fails at once with the reason at hand.
   */
  readonly total: Duration.Input
  /**
   * Limit of each wait for the next part of a body that is read as it arrives (`Body.stream`, `Body.jsonLines`,
   * `Body.events`), and until the transport takes the next part of a stream that is sent (`Body.upload`). The other limits
   * end with the head of such a response.
   */
  readonly stall: Duration.Input
}

/**
 * 10 seconds per attempt, 60 seconds in total, and 60 seconds for each part of a stream.
 */
export const standard: Deadline = { attempt: "10 seconds", total: "60 seconds", stall: "60 seconds" }

/** Of a deadline inside another, the shorter limits apply. */
const nest = (outer: Partial<Deadline> | undefined, inner: Partial<Deadline>): Partial<Deadline> => {
  const shorter = (name: keyof Deadline) => {
    const [a, b] = [outer?.[name], inner[name]]
    return a !== undefined && b !== undefined && OptionRules.millis(a) < OptionRules.millis(b) && { [name]: a }
  }
  return { ...outer, ...inner, ...shorter("attempt"), ...shorter("total"), ...shorter("stall") }
}

/**
 * Sets the deadline of each call inside an effect; missing fields come from the operation's `limits`, then from the client.
 *
 * **Details**
 *
 * It can be longer than the client's own. Inside another `within`, it inherits missing fields, and can only shorten the
 * limits that the outer one sets.
 *
 * Throws a `RangeError` for a limit that is negative or not a duration.
 *
 * **Example** (Limiting each attempt to 500 ms)
 *
 * ```ts
 * import type * as Effect from "effect/Effect"
 * import * as Deadline from "@cloud-management/client/Deadline"
 *
 * declare const program: Effect.Effect<void>
 *
 * const quick = program.pipe(Deadline.within({ attempt: "500 millis" }))
 * ```
 */
export function within<A, E, R>(self: Effect.Effect<A, E, R>, deadline: Partial<Deadline>): Effect.Effect<A, E, R>
export function within(deadline: Partial<Deadline>): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
export function within<A, E, R>(
  ...args: [deadline: Partial<Deadline>] | [self: Effect.Effect<A, E, R>, deadline: Partial<Deadline>]
) {
  const deadline = args.length === 1 ? args[0] : args[1]
  OptionRules.check("deadline", deadline, LimitRules.deadline)
  const provide = Effect.updateService(Region.deadline, (outer) => nest(outer, deadline))
  return args.length === 1 ? provide : provide(args[0])
}
