import * as Effect from "effect/Effect"
import * as Audit from "@cloud-management/service/Audit"
import * as OperatingSystem from "node:os"

/** Records an act of whoever runs this command. */
export const record = (event: Audit.Event, fields: Audit.Fields) =>
  Effect.flatMap(
    // a user ID without a name, as containers have them, is told by its number
    Effect.orElseSucceed(
      Effect.try(() => OperatingSystem.userInfo().username),
      () => String(process.getuid?.() ?? "unknown")
    ),
    (user) => Audit.write(event, { actor: `operator:${user}`, ...fields })
  )
