import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { deleteApiKey } from "@cloud-management/core/operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import * as Connection from "./Connection.ts"
import * as Failure from "./Failure.ts"
import * as Format from "./Format.ts"
import * as Id from "./id.ts"
import * as Table from "./table.ts"

const confirm = Effect.fnUntraced(function* (keyId: ApiKeyId) {
  const { canPrompt } = yield* TerminalCapabilities
  if (!canPrompt) {
    return yield* Failure.usage("there is no terminal to confirm the deletion on: pass --yes to delete without it")
  }
  const message = `Delete the key ${keyId} for good?`
  const confirmed = yield* Effect.catchTag(
    Prompt.run(Prompt.Confirm({ message, initial: false })),
    "QuitError",
    () => Effect.interrupt
  )
  if (confirmed) return
  return yield* new Failure.Failure({ tag: "Cancelled", message: "cancelled, nothing was deleted", exit: "cancelled" })
})

const remove = Command.make(
  "delete",
  {
    organizationId: Id.argument("ORGANIZATION_ID", OrganizationId, "Organization that owns the key"),
    keyId: Id.argument("KEY_ID", ApiKeyId, "Key to delete; not the one in use"),
    yes: Flag.Boolean("yes").pipe(Flag.withAlias("y"), Flag.withDefault(false), Flag.withDescription("Do not ask"))
  },
  Effect.fnUntraced(function* ({ yes, ...params }) {
    if (!yes) yield* confirm(params.keyId)
    const envelope = yield* Connection.execute(deleteApiKey, params)
    yield* Format.print({
      json: Effect.orDie(Schema.encodeEffect(deleteApiKey.success)(envelope)),
      table: () =>
        Table.record([
          ["Deleted", params.keyId],
          ["Request ID", envelope.requestId]
        ]).join("\n")
    })
  })
).pipe(Command.withDescription("Delete an API key for good"))

/** `cloud-management keys …` */
export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([remove]),
  Command.withGlobalFlags(Connection.settings)
)
