import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { deleteApiKey } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import * as Confirm from "../confirm.ts"
import * as Connection from "../Connection.ts"
import * as Id from "../id.ts"

const remove = Command.make(
  "delete",
  {
    organizationId: Id.argument("ORGANIZATION_ID", OrganizationId, "Organization that owns the key"),
    keyId: Id.argument("KEY_ID", ApiKeyId, "Key to delete, other than the one in use"),
    yes: Confirm.yes
  },
  Effect.fnUntraced(function* ({ yes, ...params }) {
    if (!yes) yield* Confirm.deletion(`the key ${params.keyId}`)
    yield* Connection.show(deleteApiKey, params, () => [[["Deleted", params.keyId]]])
  })
).pipe(
  Command.withDescription("Delete an API key for good"),
  Command.withExamples([
    { command: "cloud-management keys delete ORGANIZATION_ID KEY_ID" },
    {
      command: "cloud-management keys delete ORGANIZATION_ID KEY_ID --yes",
      description: "In a script, without confirmation"
    }
  ])
)

/** `cloud-management keys …` */
export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withExamples([{ command: "cloud-management keys delete ORGANIZATION_ID KEY_ID" }]),
  Command.withSubcommands([remove]),
  Command.withGlobalFlags(Connection.settings)
)
