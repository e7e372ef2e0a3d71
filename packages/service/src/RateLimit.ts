import type * as Duration from "effect/Duration"

/**
 * The number of requests that a key may make in a window.
 *
 * @category models
 * @since 0.1.0
 */
export interface RateLimit {
  readonly limit: number
  readonly window: Duration.Input
}
