/**
 * A registry of your own: four operations on keys, of which three are not in the specification. The client, the service's
 * handlers and their types follow from it.
 */
import {
  ApiKey,
  Body,
  Client,
  Envelope,
  Operation,
  Operations,
  Organization,
  Pagination,
  Refusals
} from "@cloud-management/core"
import { Context, Effect, Schema, Stream } from "effect"

const Key = Schema.Struct({ id: ApiKey.ApiKeyId, name: Schema.String })

/** Two keys of one organization cannot have one name. */
export class NameTaken extends Refusals.make("NameTaken", 409) {}

const shared = { group: "apiKeys", annotations: { scope: "organization", stability: "beta" } } as const

const create = Operation.make({
  ...shared,
  name: "create",
  method: "POST",
  path: "/v1/organizations/:organizationId/keys",
  summary: "Create an API key",
  params: Schema.Struct({ organizationId: Organization.OrganizationId }),
  payload: Body.json(Schema.Struct({ name: Schema.String })),
  success: Envelope.withResult(Key),
  errors: [...Refusals.commonRefusals, NameTaken],
  // a POST is sent again only if the service can tell that it is the same one
  repeat: Operation.idempotencyKey()
})

const list = Operation.make({
  ...shared,
  name: "list",
  method: "GET",
  path: "/v1/organizations/:organizationId/keys",
  summary: "List API keys by their names",
  params: Schema.Struct({ organizationId: Organization.OrganizationId }),
  query: Operation.query(
    Schema.Struct({ after: Schema.optionalKey(Schema.String), limit: Schema.optionalKey(Schema.FiniteFromString) })
  ),
  success: Envelope.withResult(Schema.Struct({ keys: Schema.Array(Key), next: Schema.optionalKey(Schema.String) })),
  errors: Refusals.commonRefusals,
  pagination: Operation.cursor({ query: "after", next: "result.next", items: "result.keys" })
})

const rename = Operation.make({
  ...shared,
  name: "rename",
  method: "PATCH",
  path: "/v1/organizations/:organizationId/keys/:keyId",
  summary: "Rename an API key",
  params: Schema.Struct({ organizationId: Organization.OrganizationId, keyId: ApiKey.ApiKeyId }),
  payload: Body.json(Schema.Struct({ name: Schema.String })),
  success: Envelope.withResult(Key),
  errors: [...Refusals.commonRefusals, ApiKey.ApiKeyNotFound, NameTaken],
  // the second time changes nothing more
  repeat: "idempotent"
})

export const operations = { apiKeys: { create, list, rename, delete: Operations.deleteApiKey } }

/** The client of these operations. */
export class Keys extends Context.Service<Keys, Client.Client<typeof operations>>()("Keys") {}

/** Creates three keys, lists them two a page, renames one, deletes another, and returns the names that are left. */
export const program = Effect.fnUntraced(function* (organizationId: Organization.OrganizationId) {
  const cloud = yield* Keys
  for (const name of ["ci", "laptop", "staging"]) yield* cloud.apiKeys.create({ organizationId, payload: { name } })

  const pages = Pagination.pages(cloud, list, { organizationId, query: { limit: 2 } })
  const [first, second] = yield* Stream.runCollect(pages)
  const [ci, laptop] = first?.items ?? []
  if (ci === undefined || laptop === undefined) return yield* Effect.die("there were three keys")

  yield* cloud.apiKeys.rename({ organizationId, keyId: laptop.id, payload: { name: "desktop" } })
  const taken = cloud.apiKeys.rename({ organizationId, keyId: ci.id, payload: { name: "desktop" } }).pipe(
    Effect.as("renamed"),
    Effect.catchReason("CallError", "NameTaken", () => Effect.succeed("taken"))
  )
  const again = yield* taken
  yield* cloud.apiKeys.delete({ organizationId, keyId: ci.id })

  const left = yield* Stream.runCollect(Pagination.items(cloud, list, { organizationId }))
  return { pages: [first, second].map((page) => page?.items.length), again, left: left.map(({ name }) => name) }
})
