import * as Effect from "effect/Effect"
import { RateLimitStore } from "../RateLimitStore.ts"
import * as Address from "./address.ts"

const limit = 100

/**
 * Counts failed authentications per address, of IPv6 per /64: 100 a minute, always on. The answer is the time in
 * milliseconds until the address may fail again, 0 while it may. Requests with a valid key are never counted and never
 * held up, so a neighbour behind the same address cannot lock anyone out.
 */
export const make = Effect.map(RateLimitStore, (store) => {
  const count = store.counter("address", "1 minute")
  return (address: string): Effect.Effect<number> =>
    Effect.map(count(Address.network(address)), ({ count, endsIn }) => (count <= limit ? 0 : endsIn))
})
