import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { RateLimited } from "@cloud-management/core/Refusals"
import { RateLimitStore, type RateLimit } from "../RateLimitStore.ts"
import type { ApiKey } from "../KeyStore.ts"

/** `x-ratelimit-reset` is in seconds from now, and may have a fraction. */
export const make = Effect.fnUntraced(function* ({ limit, window }: RateLimit) {
  // the number of keys is bounded, so no window needs to be dropped
  const count = (yield* RateLimitStore).counter("key", window, Infinity)
  const message = `TOO_MANY_REQUESTS: At most ${limit} requests in ${Duration.format(Duration.fromInputUnsafe(window))}`
  return ({ id }: Pick<ApiKey, "id">) =>
    Effect.map(count(id), ({ count, endsIn }) => {
      const reset = Duration.millis(Math.ceil(endsIn))
      return {
        headers: {
          "x-ratelimit-limit": String(limit),
          "x-ratelimit-remaining": String(Math.max(0, limit - count)),
          "x-ratelimit-reset": String(Duration.toSeconds(reset))
        },
        refused: count > limit ? new RateLimited({ message, retryAfter: reset }) : undefined
      }
    })
})
