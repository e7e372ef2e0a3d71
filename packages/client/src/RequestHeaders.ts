import * as Effect from "effect/Effect"
import { headerRule } from "./internal/parameters.ts"
import * as Region from "./internal/region.ts"

export { headerRule as rule } from "./internal/parameters.ts"

/**
 * Adds headers to each request of the calls inside an effect.
 *
 * **When to use**
 *
 * For what is known outside the call, such as a tenant or the ID of the request that is being served, and for headers that
 * the operation does not declare.
 *
 * **Details**
 *
 * Headers of the call's own input come first, then those of an inner `within`. A header with an idempotency key replaces the
 * one that the client would make.
 *
 * Throws a `RangeError` for a header that HTTP cannot carry unchanged, or that the client sets itself: `accept`,
 * `authorization`, `content-type` and those of the connection.
 *
 * **Gotchas**
 *
 * Two calls inside it have the same headers. Give each call with an idempotency key its own `within`. Pages of a list are
 * calls too, and take none.
 *
 * **Example** (Repeating a payment after a crash)
 *
 * ```ts
 * import type * as Effect from "effect/Effect"
 * import * as RequestHeaders from "@cloud-management/client/RequestHeaders"
 *
 * // the key is stored with the order, before it is paid
 * const once = <A, E>(order: { readonly key: string }, pay: Effect.Effect<A, E>) =>
 *   RequestHeaders.within(pay, { "idempotency-key": order.key })
 * ```
 */
export function within<A, E, R>(
  self: Effect.Effect<A, E, R>,
  headers: Readonly<Record<string, string>>
): Effect.Effect<A, E, R>
export function within(
  headers: Readonly<Record<string, string>>
): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
export function within<A, E, R>(
  ...args:
    | [headers: Readonly<Record<string, string>>]
    | [self: Effect.Effect<A, E, R>, headers: Readonly<Record<string, string>>]
) {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(args.length === 1 ? args[0] : args[1])) {
    const rule = headerRule(name, value, own)
    if (rule !== undefined) throw new RangeError(`headers.${name} must be ${rule}`)
    own[name.toLowerCase()] = value
  }
  const provide = Effect.updateService(Region.headers, (outer) => ({ ...outer, ...own }))
  return args.length === 1 ? provide : provide(args[0])
}
