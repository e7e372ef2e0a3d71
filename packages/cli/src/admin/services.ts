import { Command } from "effect/cli"
import type { Service } from "@cloud-management/service/Administration"
import * as Confirm from "../terminal/confirm.ts"
import * as Id from "../input/id.ts"
import * as Arguments from "./arguments.ts"
import * as Collection from "./collection.ts"

const { create, list, remove, update } = Collection.make<Service, "organizationId">({
  kind: "service",
  owner: ["organizationId"],
  id: "serviceId",
  in: ({ services }) => services,
  columns: ["ID", "Name"]
})

const owner = { organizationId: Arguments.organizationId }
const path = { ...owner, id: Arguments.serviceId }

export const services = Command.make("services").pipe(
  Collection.describe("services list ORGANIZATION_ID", "Services of organizations"),
  Command.withSubcommands([
    Command.make("list", owner, list).pipe(
      Collection.describe("services list ORGANIZATION_ID", "Show the services of an organization")
    ),
    Command.make(
      "create",
      { id: Arguments.newId(Arguments.ids.service), ...owner, name: Arguments.newName },
      (service) => create(service)
    ).pipe(Collection.describe("services create ORGANIZATION_ID analytics", "Create a service")),
    Command.make("update", { ...path, name: Arguments.name }, ({ name, ...path }) =>
      update(path, Collection.given({ name }), "--name")
    ).pipe(
      Collection.describe("services update ORGANIZATION_ID SERVICE_ID --name analytics", "Change the name of a service")
    ),
    Command.make("delete", { ...owner, ids: Arguments.several.services, yes: Confirm.yes }, ({ ids, yes, ...owner }) =>
      Id.each(ids, (id) => remove({ ...owner, id }, yes))
    ).pipe(Collection.describe("services delete ORGANIZATION_ID SERVICE_ID", "Delete a service that has no endpoints"))
  ])
)
