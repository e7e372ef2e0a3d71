import * as DateTime from "effect/DateTime"
import * as Command from "effect/cli/Command"
import { listOrganizations } from "@cloud-management/core/Operations"
import type { Organization } from "@cloud-management/core/Organization"
import * as Connection from "../Connection.ts"
import type * as Table from "../table.ts"

const named = (id: string, name: string | undefined) => (name === undefined || name === "" ? id : `${id} (${name})`)

/** An organization as rows. */
export const rows = (organization: Organization): ReadonlyArray<Table.Row> => [
  ["ID", organization.id],
  ["Name", organization.name],
  ["Created", organization.createdAt === undefined ? undefined : DateTime.formatIso(organization.createdAt)],
  ["Private endpoints", organization.privateEndpoints?.map(({ description, id }) => named(id, description))],
  ["BYOC", organization.byocConfig?.map(({ accountName, id }) => named(id, accountName))]
]

const list = Command.make("list", {}, () =>
  Connection.show(listOrganizations, {}, ({ result }) => result.map(rows))
).pipe(
  Command.withDescription("Show the organization of the API key"),
  Command.withExamples([
    { command: "cloud-management organizations list" },
    { command: "cloud-management organizations list --format json", description: "For a program" }
  ])
)

/** `cloud-management organizations …` */
export const organizations = Command.make("organizations").pipe(
  Command.withDescription("Organizations"),
  Command.withExamples([{ command: "cloud-management organizations list" }]),
  Command.withSubcommands([list]),
  Command.withGlobalFlags(Connection.settings)
)
