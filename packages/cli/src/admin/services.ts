import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { Service } from "@cloud-management/service/Administration"
import * as Confirm from "../confirm.ts"
import * as Format from "../Format.ts"
import * as Table from "../table.ts"
import * as Arguments from "./arguments.ts"
import * as Session from "./session.ts"

const show = (service: Service) =>
  Format.print({
    json: Effect.succeed(service),
    table: (width) =>
      Table.record(
        [
          ["ID", service.id],
          ["Organization ID", service.organizationId],
          ["Name", service.name]
        ],
        width
      ).join("\n")
  })

const list = Command.make(
  "list",
  { organizationId: Arguments.organizationId },
  Effect.fnUntraced(function* (owner) {
    const services = yield* Session.read(({ services }) => services.list(owner))
    yield* Format.print({
      json: Effect.succeed(services),
      table: (width) => Table.columns([["ID", "Name"], ...services.map(({ id, name }) => [id, name])], width).join("\n")
    })
  })
).pipe(
  Command.withDescription("Show the services of an organization"),
  Command.withExamples([{ command: "cloud-management admin services list ORGANIZATION_ID --database cloud.db" }])
)

const create = Command.make(
  "create",
  {
    organizationId: Arguments.organizationId,
    name: Arguments.newName,
    id: Arguments.newId(Arguments.ids.service)
  },
  Effect.fnUntraced(function* ({ id, name, organizationId }) {
    const service = { id: yield* Arguments.orGenerated(Arguments.ids.service, id), organizationId, name }
    yield* Session.change("service.created", { organizationId, serviceId: service.id }, ({ services }, entry) =>
      services.create(service, entry)
    )
    yield* show(service)
  })
).pipe(
  Command.withDescription("Create a service"),
  Command.withExamples([
    { command: "cloud-management admin services create ORGANIZATION_ID analytics --database cloud.db" }
  ])
)

const update = Command.make(
  "update",
  { organizationId: Arguments.organizationId, serviceId: Arguments.serviceId, name: Arguments.name },
  Effect.fnUntraced(function* ({ name, organizationId, serviceId: id }) {
    const changed = yield* Arguments.given({ name }, "--name")
    const service = yield* Session.change(
      "service.changed",
      { organizationId, serviceId: id, changed },
      ({ services }, entry) =>
        services.update(
          { organizationId, id },
          (current) => ({ ...current, name: Arguments.or(name, current.name) }),
          entry
        )
    )
    yield* show(service)
  })
).pipe(
  Command.withDescription("Change the name of a service"),
  Command.withExamples([
    {
      command: "cloud-management admin services update ORGANIZATION_ID SERVICE_ID --name analytics --database cloud.db"
    }
  ])
)

const remove = Command.make(
  "delete",
  { organizationId: Arguments.organizationId, serviceId: Arguments.serviceId, yes: Confirm.yes },
  Effect.fnUntraced(function* ({ organizationId, serviceId, yes }) {
    if (!yes) yield* Confirm.deletion(`the service ${serviceId}`)
    yield* Session.change("service.deleted", { organizationId, serviceId }, ({ services }, entry) =>
      services.delete({ organizationId, id: serviceId }, entry)
    )
    yield* Session.deleted(serviceId)
  })
).pipe(
  Command.withDescription("Delete a service that has no endpoints"),
  Command.withExamples([
    { command: "cloud-management admin services delete ORGANIZATION_ID SERVICE_ID --database cloud.db" }
  ])
)

/** `cloud-management admin services …` */
export const services = Command.make("services").pipe(
  Command.withDescription("Services of organizations"),
  Command.withExamples([{ command: "cloud-management admin services list ORGANIZATION_ID --database cloud.db" }]),
  Command.withSubcommands([list, create, update, remove])
)
