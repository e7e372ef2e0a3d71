import { Effect } from "effect"
import { Audit } from "@cloud-management/service"
import * as OperatingSystem from "node:os"
import type * as Failure from "../output/Failure.ts"

// a user ID without a name, as containers have them, is told by its number
const user = Effect.orElseSucceed(
  Effect.try(() => OperatingSystem.userInfo().username),
  () => String(process.getuid?.() ?? "unknown")
)

/** Logged even if the database does not confirm it. Interruption waits, so that no act lacks its record. */
export const logged = Effect.fnUntraced(function* <A, E extends Failure.OfAdministration>(
  event: Audit.Event,
  given: Audit.Fields,
  act: (entry: Audit.Entry) => Effect.Effect<A, E>,
  isDone: (result: A) => boolean = () => true
) {
  const fields = { actor: `operator:${yield* user}`, ...given }
  return yield* act({ event, ...fields }).pipe(
    Effect.tap((result) => (isDone(result) ? Audit.write(event, fields) : Effect.void)),
    Effect.tapError((error) =>
      error._tag === "StoreUnavailable" && error.isUndone !== true
        ? Audit.write("act.unconfirmed", { ...fields, act: event })
        : Effect.void
    )
  )
}, Effect.uninterruptible)
