import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import { listOrganizations } from "@cloud-management/core/Operations"
import type { Organization } from "@cloud-management/core/Organization"
import * as Connection from "./Connection.ts"
import * as Format from "./Format.ts"
import * as Table from "./table.ts"

const named = (id: string, name: string | undefined) => (name === undefined || name === "" ? id : `${id} (${name})`)

/** An organization as rows. */
export const rows = (organization: Organization): ReadonlyArray<Table.Row> => [
  ["ID", organization.id],
  ["Name", organization.name],
  ["Created", organization.createdAt === undefined ? undefined : DateTime.formatIso(organization.createdAt)],
  ["Private endpoints", organization.privateEndpoints?.map(({ description, id }) => named(id, description))],
  ["BYOC", organization.byocConfig?.map(({ accountName, id }) => named(id, accountName))]
]

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
    const envelope = yield* Connection.execute(listOrganizations, {})
    yield* Format.print({
      json: Effect.map(Effect.orDie(Schema.encodeEffect(listOrganizations.success)(envelope)), ({ result }) => result),
      table: () =>
        [
          ...envelope.result.map((organization) => Table.record(rows(organization))),
          Table.record([["Request ID", envelope.requestId]])
        ]
          .map((lines) => lines.join("\n"))
          .join("\n\n")
    })
  })
).pipe(Command.withDescription("Show the organization of the API key"))

/** `cloud-management organizations …` */
export const organizations = Command.make("organizations").pipe(
  Command.withDescription("Organizations"),
  Command.withSubcommands([list]),
  Command.withGlobalFlags(Connection.settings)
)
