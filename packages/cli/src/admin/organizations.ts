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

const path = { id: Arguments.organizationId }

export const organizations = Command.make("organizations").pipe(
  Collection.describe("organizations list", "Organizations"),
  Command.withSubcommands([
    Command.make("list", {}, list).pipe(Collection.describe("organizations list", "Show all organizations")),
    Command.make("create", { id: Arguments.newId(Arguments.ids.organization), name: Arguments.newName }, (given) =>
      Effect.flatMap(DateTime.now, (createdAt) =>
        create({ ...given, createdAt, privateEndpoints: [], byocConfig: [] }, true)
      )
    ).pipe(Collection.describe("organizations create Acme", "Create an organization, and the database if it is new")),
    Command.make("update", { ...path, name: Arguments.name }, ({ name, ...path }) =>
      update(path, Collection.given({ name }), "--name")
    ).pipe(
      Collection.describe("organizations update ORGANIZATION_ID --name Acme", "Change the name of an organization")
    ),
    Command.make("delete", { ids: Arguments.several.organizations, yes: Confirm.yes }, ({ ids, yes }) =>
      Id.each(ids, (id) => remove({ id }, yes))
    ).pipe(
      Collection.describe(
        "organizations delete ORGANIZATION_ID",
        "Delete an organization that has no keys and no services"
      )
    )
  ])
)
