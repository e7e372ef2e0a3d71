import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type * as Audit from "../Audit.ts"
import type { KeyStore, Lookup, StoreUnavailable } from "../KeyStore.ts"
import * as Address from "../wire/address.ts"
import * as Authentication from "./authentication.ts"
import type { Exchange } from "../wire/exchange.ts"
import * as Time from "../time.ts"
import * as FailedAuthentications from "./failedAuthentications.ts"
import * as Recording from "../recording.ts"
import * as Rejections from "./rejections.ts"
import type { Measures } from "../telemetry/measures.ts"
import * as Uses from "./uses.ts"

export type Find<A> = (caller: ApiKeyId) => Effect.Effect<Lookup<A>, StoreUnavailable>

const nobody: ReturnType<Find<never>> = Effect.succeed({
  caller: Option.none(),
  get found(): never {
    throw new Error("without a key, nothing is found")
  }
})

export const make = Effect.fnUntraced(function* (
  store: KeyStore["Service"],
  audit: Audit.Recorder,
  measures: Measures | undefined,
  whenRead: (clock: Clock.Clock) => Effect.Effect<unknown> | undefined
) {
  const failures = yield* FailedAuthentications.make(audit, measures)
  const guesses = yield* Rejections.make(audit, "authentication.failed", 1)
  const uses = yield* Uses.make(store)

  // Once, not within `refuse`: of each function* that runs, V8 keeps a class in its old generation, and with it the function and
  // its request until the next full collection.
  const countFailure = Effect.fnUntraced(function* (
    exchange: Exchange,
    operation: string,
    keyId: ApiKeyId | undefined,
    { reason, refusal: unauthorized }: Authentication.Refusal
  ) {
    const address = Address.ofCaller(exchange.request)
    const refusal = address === undefined ? undefined : yield* failures.count(address, keyId)
    if (refusal !== undefined) return refusal
    measures?.unauthenticated(reason)
    const network = address === undefined ? undefined : Address.network(address)
    if (yield* guesses(`${network} ${keyId}`, { address: network, keyId })) {
      yield* audit("authentication.failed", Recording.fieldsOf(exchange, { operation, reason, keyId }))
    }
    return unauthorized
  })
  /** Counted and recorded also when the caller leaves. */
  const refuse = (...failure: Parameters<typeof countFailure>) =>
    Effect.flatMap(Effect.uninterruptible(countFailure(...failure)), Effect.fail)

  return <A>(exchange: Exchange, operation: string, find: Find<A>) =>
    Effect.clockWith((clock) => {
      const { request } = exchange
      const credentials = Authentication.read(request.headers["authorization"])
      const { keyId } = credentials
      const lookup = (): ReturnType<Find<A>> => (keyId === undefined ? nobody : find(keyId))
      const judge = (looked: Lookup<A>) => {
        const result = Authentication.verify(credentials, Option.getOrUndefined(looked.caller), Time.now(clock))
        if (Result.isFailure(result)) return refuse(exchange, operation, keyId, result.failure)
        const { success: key } = result
        exchange.keyId = keyId
        uses.note(key, clock)
        // many guesses can be under way at once: one that was right after too many wrong ones comes too late
        return failures.unlessExhausted(request, keyId, clock, () => Effect.succeed({ key, found: looked.found }))
      }
      return Effect.flatMap(failures.unlessExhausted(request, keyId, clock, lookup), (looked) => {
        const check = keyId === undefined ? undefined : whenRead(clock)
        return check === undefined ? judge(looked) : Effect.andThen(check, judge(looked))
      })
    })
})

export type Gate = Effect.Success<ReturnType<typeof make>>
