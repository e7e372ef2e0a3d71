import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as RateLimiter from "effect/persistence/RateLimiter"
import { RateLimited } from "@cloud-management/core/CloudError"
import type { RateLimit } from "../RateLimit.ts"
import { StoreUnavailable, type ApiKey } from "../Store.ts"

/** Where a key stands after a request: headers for every answer, and the refusal when this was one too many. */
export interface Standing {
  readonly headers: Readonly<Record<string, string>>
  readonly refused: RateLimited | undefined
}

/** A window divided by its limit can leave fractions of a millisecond, which the clock does not have. */
const wholeMillis = (duration: Duration.Duration) => Duration.millis(Math.ceil(Duration.toMillis(duration)))

/** Counts a request against its key. `x-ratelimit-reset` is in seconds from now, and may have a fraction. */
export const make = Effect.fnUntraced(function* ({ limit, window }: RateLimit) {
  const limiter = yield* RateLimiter.RateLimiter
  const period = Duration.format(Duration.fromInputUnsafe(window))
  return ({ id }: ApiKey): Effect.Effect<Standing, StoreUnavailable> =>
    limiter.consume({ key: id, limit, window }).pipe(
      Effect.map(({ remaining, resetAfter }) => ({ remaining, reset: wholeMillis(resetAfter), exceeded: false })),
      Effect.catchReason("RateLimiterError", "RateLimitExceeded", ({ retryAfter }) =>
        Effect.succeed({ remaining: 0, reset: wholeMillis(retryAfter), exceeded: true })
      ),
      Effect.mapBoth({
        onFailure: (cause) => new StoreUnavailable({ cause }),
        onSuccess: ({ exceeded, remaining, reset }) => ({
          headers: {
            "x-ratelimit-limit": String(limit),
            "x-ratelimit-remaining": String(remaining),
            "x-ratelimit-reset": String(Duration.toSeconds(reset))
          },
          refused: exceeded
            ? new RateLimited({ message: `TOO_MANY_REQUESTS: At most ${limit} in ${period}`, retryAfter: reset })
            : undefined
        })
      })
    )
})
