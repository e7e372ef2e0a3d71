import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { RateLimited } from "@cloud-management/core/Refusals"
import type * as Audit from "../Audit.ts"
import type { HttpRequest } from "../HttpRequest.ts"
import { RateLimitStore } from "../RateLimitStore.ts"
import type { Measures, Value } from "../telemetry/measures.ts"
import * as Address from "../wire/address.ts"
import * as Rejections from "./rejections.ts"
import * as Time from "../time.ts"
import * as Windows from "./windows.ts"

/** Failed authentications of an address, of IPv6 of a /64, in a minute. Beyond them each one more is rejected with 429. */
const perAddress = 100
/** Failed authentications of an address with one key ID in a minute. After them the pair is refused unseen. */
const perPair = 20
/** Most pairs of an address and a key ID that are refused at once. */
const capacity = 10_000

const tooMany = (by: string, wait: number) =>
  new RateLimited({
    message: `TOO_MANY_REQUESTS: Too many failed authentications ${by}`,
    retryAfter: Duration.millis(wait)
  })
const ofAddress = "from this address"
const ofPair = "with this key ID from this address"

/**
 * The limits of failed authentications, always on. Requests with a valid key are never counted, and only those of a pair
 * that failed too often are refused: a neighbour behind the same address locks out nobody. Such pairs are remembered here
 * as well, so that only failures ask a `RateLimitStore` that someone else provides.
 */
export const make = Effect.fnUntraced(function* (audit: Audit.Recorder, measures: Measures | undefined) {
  const { counter } = yield* RateLimitStore
  const countAddress = counter("address", "1 minute", capacity)
  const countPair = counter("address-key", "1 minute", capacity)
  const rejections = yield* Rejections.make(audit, "authentication.rejected", 0)
  const countRejection = (network: string, limit: Value<"limits">) => {
    measures?.rateLimited(limit)
    return rejections(network, { address: network })
  }
  const exhausted = Windows.make(capacity)
  /** When the last pair that is refused may try again. */
  let lastEnd = 0
  const pairOf = (network: string, keyId: ApiKeyId) => `${network} ${keyId}`

  return {
    /** Goes on, unless the request's pair of address and key ID has used up its limit: whatever its secret. */
    unlessExhausted: <A, E>(
      request: HttpRequest,
      keyId: ApiKeyId | undefined,
      clock: Clock.Clock,
      next: () => Effect.Effect<A, E>
    ): Effect.Effect<A, E | RateLimited> => {
      if (keyId === undefined || lastEnd === 0) return next()
      const now = Time.monotonic(clock)
      const address = now >= lastEnd ? undefined : Address.ofCaller(request)
      if (address === undefined) return next()
      const network = Address.network(address)
      const window = exhausted.get(pairOf(network, keyId), now)
      if (window === undefined) return next()
      const refused = Effect.fail(tooMany(ofPair, window.endsAt - now))
      return Effect.andThen(countRejection(network, "address and key"), refused)
    },

    /** Counts a failed authentication. The refusal, if it is one too many: those are recorded together. */
    count: Effect.fnUntraced(function* (address: string, keyId: ApiKeyId | undefined) {
      const network = Address.network(address)
      let refusal: RateLimited | undefined
      let limit: Value<"limits"> = "address"
      if (keyId !== undefined) {
        const { count, endsIn } = yield* countPair(pairOf(network, keyId))
        if (count >= perPair) {
          const now = yield* Effect.clockWith((clock) => Effect.succeed(Time.monotonic(clock)))
          exhausted.begin(pairOf(network, keyId), now, now + endsIn)
          lastEnd = Math.max(lastEnd, now + endsIn)
        }
        if (count > perPair) {
          refusal = tooMany(ofPair, endsIn)
          limit = "address and key"
        }
      }
      const { count, endsIn } = yield* countAddress(network)
      if (count > perAddress) refusal ??= tooMany(ofAddress, endsIn)
      if (refusal !== undefined) yield* countRejection(network, limit)
      return refusal
    })
  }
})
