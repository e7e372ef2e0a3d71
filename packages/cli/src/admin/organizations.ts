import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { Organization } from "@cloud-management/service/Administration"
import * as Confirm from "../confirm.ts"
import * as Format from "../Format.ts"
import * as Table from "../table.ts"
import * as Arguments from "./arguments.ts"
import * as Session from "./session.ts"

const json = ({ createdAt, ...organization }: Organization) => ({
  ...organization,
  createdAt: DateTime.formatIso(createdAt)
})
const show = (organization: Organization) =>
  Format.print({
    json: Effect.succeed(json(organization)),
    table: (width) =>
      Table.record(
        [
          ["ID", organization.id],
          ["Name", organization.name],
          ["Created", DateTime.formatIso(organization.createdAt)]
        ],
        width
      ).join("\n")
  })

const create = Command.make(
  "create",
  {
    name: Arguments.newName,
    id: Arguments.newId(Arguments.ids.organization)
  },
  Effect.fnUntraced(function* ({ id, name }) {
    const organization = {
      id: yield* Arguments.orGenerated(Arguments.ids.organization, id),
      name,
      createdAt: yield* DateTime.now,
      privateEndpoints: [],
      byocConfig: []
    }
    yield* Session.change(
      "organization.created",
      { organizationId: organization.id },
      ({ organizations }, entry) => organizations.create(organization, entry),
      { mayBeNew: true }
    )
    yield* show(organization)
  })
).pipe(
  Command.withDescription("Create an organization, and the database if it is new"),
  Command.withExamples([{ command: "cloud-management admin organizations create Acme --database cloud.db" }])
)

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
    const organizations = yield* Session.read(({ organizations }) => organizations.list({}))
    yield* Format.print({
      json: Effect.succeed(organizations.map(json)),
      table: (width) =>
        Table.columns(
          [
            ["ID", "Name", "Created"],
            ...organizations.map(({ createdAt, id, name }) => [id, name, DateTime.formatIso(createdAt)])
          ],
          width
        ).join("\n")
    })
  })
).pipe(
  Command.withDescription("Show all organizations"),
  Command.withExamples([{ command: "cloud-management admin organizations list --database cloud.db" }])
)

const update = Command.make(
  "update",
  { organizationId: Arguments.organizationId, name: Arguments.name },
  Effect.fnUntraced(function* ({ name, organizationId: id }) {
    const changed = yield* Arguments.given({ name }, "--name")
    const organization = yield* Session.change(
      "organization.changed",
      { organizationId: id, changed },
      ({ organizations }, entry) =>
        organizations.update({ id }, (current) => ({ ...current, name: Arguments.or(name, current.name) }), entry)
    )
    yield* show(organization)
  })
).pipe(
  Command.withDescription("Change the name of an organization"),
  Command.withExamples([
    { command: "cloud-management admin organizations update ORGANIZATION_ID --name Acme --database cloud.db" }
  ])
)

const remove = Command.make(
  "delete",
  { organizationId: Arguments.organizationId, yes: Confirm.yes },
  Effect.fnUntraced(function* ({ organizationId, yes }) {
    if (!yes) yield* Confirm.deletion(`the organization ${organizationId}`)
    yield* Session.change("organization.deleted", { organizationId }, ({ organizations }, entry) =>
      organizations.delete({ id: organizationId }, entry)
    )
    yield* Session.deleted(organizationId)
  })
).pipe(
  Command.withDescription("Delete an organization that has no keys and no services"),
  Command.withExamples([{ command: "cloud-management admin organizations delete ORGANIZATION_ID --database cloud.db" }])
)

/** `cloud-management admin organizations …` */
export const organizations = Command.make("organizations").pipe(
  Command.withDescription("Organizations"),
  Command.withExamples([{ command: "cloud-management admin organizations list --database cloud.db" }]),
  Command.withSubcommands([list, create, update, remove])
)
