import * as Effect from "effect/Effect"
import type * as Audit from "./Audit.ts"
import * as Address from "./wire/address.ts"
import type { Exchange } from "./wire/exchange.ts"

export const fieldsOf = ({ request, requestId }: Exchange, fields: Audit.Fields): Audit.Fields => ({
  ...fields,
  requestId,
  address: Address.ofCaller(request)
})

/** A request may have done its work, and its response must reach the caller, whatever becomes of the record. */
export const guarded =
  <Args extends ReadonlyArray<unknown>>(receive: (...args: Args) => Effect.Effect<void>, problem: string) =>
  (...args: Args): Effect.Effect<void> =>
    Effect.catchCause(
      Effect.suspend(() => {
        const received = receive(...args)
        // of a program without types, it can be anything
        return Effect.isEffect(received) ? received : Effect.void
      }),
      (cause) => Effect.logError(problem, cause)
    )
