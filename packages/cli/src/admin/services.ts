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

const owner = { organizationId: Arguments.organization.one }
const { new: id, one, several } = Arguments.service

export const services = Command.make("services").pipe(
  Collection.describe("Services of organizations", "list ORGANIZATION_ID"),
  Command.withSubcommands([
    Command.make("list", owner, list).pipe(
      Collection.describe("Show the services of an organization", "ORGANIZATION_ID")
    ),
    Command.make("create", { id, ...owner, name: Arguments.newName }, create).pipe(
      Collection.describe("Create a service", "ORGANIZATION_ID analytics")
    ),
    Command.make("update", { ...owner, id: one, name: Arguments.name }, ({ name, ...path }) =>
      update(path, Collection.given({ name }), "--name")
    ).pipe(Collection.describe("Change the name of a service", "ORGANIZATION_ID SERVICE_ID --name analytics")),
    Command.make("delete", { ...owner, ids: several, yes: Confirm.yes }, ({ ids, yes, ...owner }) =>
      Id.each(ids, (id) => remove({ ...owner, id }, yes))
    ).pipe(Collection.describe("Delete a service that has no endpoints", "ORGANIZATION_ID SERVICE_ID"))
  ])
)
