import { DateTime, Effect } from "effect"
import { Command } from "effect/cli"
import type { Organization } from "@cloud-management/service/Administration"
import * as Confirm from "../terminal/confirm.ts"
import * as Id from "../input/id.ts"
import * as Arguments from "./arguments.ts"
import * as Collection from "./collection.ts"

const { create, list, remove, update } = Collection.make<Organization, never>({
  kind: "organization",
  owner: [],
  id: "organizationId",
  in: ({ organizations }) => organizations,
  json: ({ createdAt, ...organization }) => ({ ...organization, createdAt: DateTime.formatIso(createdAt) }),
  columns: ["ID", "Name", "Created"]
})

const { new: id, one, several } = Arguments.organization

export const organizations = Command.make("organizations").pipe(
  Collection.describe("Organizations", "list"),
  Command.withSubcommands([
    Command.make("list", {}, list).pipe(Collection.describe("Show all organizations")),
    Command.make("create", { id, name: Arguments.newName }, (given) =>
      Effect.flatMap(DateTime.now, (createdAt) => create({ ...given, createdAt, privateEndpoints: [], byocConfig: [] }))
    ).pipe(Collection.describe("Create an organization, and the database if it is new", "Acme")),
    Command.make("update", { id: one, name: Arguments.name }, ({ name, ...path }) =>
      update(path, Collection.given({ name }), "--name")
    ).pipe(Collection.describe("Change the name of an organization", "ORGANIZATION_ID --name Acme")),
    Command.make("delete", { ids: several, yes: Confirm.yes }, ({ ids, yes }) =>
      Id.each(ids, (id) => remove({ id }, yes))
    ).pipe(Collection.describe("Delete an organization that has no keys and no services", "ORGANIZATION_ID"))
  ])
)
