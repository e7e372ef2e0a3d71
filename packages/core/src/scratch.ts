import * as Schema from "effect/Schema"
import * as Body from "./Body.ts"
import type { Client } from "./Client.ts"
import { commonRefusals } from "./CloudError.ts"
import * as Envelope from "./Envelope.ts"
import * as Operation from "./Operation.ts"
import { operations } from "./Operations.ts"
import { OrganizationId } from "./Organization.ts"
import { ApiKeyId } from "./ApiKey.ts"

const Key = Schema.Struct({ id: ApiKeyId, name: Schema.String })
export const createKey = Operation.make({
  group: "apiKeys", name: "create", method: "POST", path: "/v1/organizations/:organizationId/keys", summary: "x",
  params: Schema.Struct({ organizationId: OrganizationId }),
  payload: Body.json(Schema.Struct({ name: Schema.String })),
  success: Envelope.withResult(Key),
  errors: [...commonRefusals],
  repeat: Operation.idempotencyKey(),
  scope: "organization", stability: "stable"
})
export const listKeys = Operation.make({
  group: "apiKeys", name: "list", method: "GET", path: "/v1/organizations/:organizationId/keys", summary: "x",
  params: Schema.Struct({ organizationId: OrganizationId }),
  query: Schema.Struct({ cursor: Schema.optionalKey(Schema.String), limit: Schema.optionalKey(Schema.FiniteFromString), name: Schema.optionalKey(Schema.Array(Schema.String)) }),
  success: Envelope.withResult(Schema.Struct({ keys: Schema.Array(Key), nextCursor: Schema.optionalKey(Schema.String) })),
  errors: [...commonRefusals],
  pagination: Operation.cursor({ query: "cursor", next: "result.nextCursor", items: "result.keys" }),
  scope: "organization", stability: "stable"
})
export const bad1 = Operation.make({
  group: "apiKeys", name: "list", method: "GET", path: "/v1/organizations/:organizationId/keys/:keyId", summary: "x",
  params: Schema.Struct({ organizationId: OrganizationId }),
  success: Body.text(), errors: [], scope: "organization", stability: "stable"
})
export const bad2 = Operation.make({
  group: "apiKeys", name: "list", method: "GET", path: "/v1/organizations/:organizationId/keys", summary: "x",
  params: Schema.Struct({ organizationId: OrganizationId }), payload: Body.text(),
  success: Body.text(), errors: [], scope: "organization", stability: "stable"
})
export const bad3 = Operation.make({
  group: "apiKeys", name: "list", method: "HEAD", path: "/v1/keys", summary: "x",
  success: Body.text(), errors: [], scope: "organization", stability: "stable"
})
export const bad4 = Operation.make({
  group: "apiKeys", name: "list", method: "GTE", path: "/v1/keys", summary: "x",
  success: Body.text(), errors: [], scope: "organization", stability: "stable"
})
const api = { ...operations, apiKeys: { ...operations.apiKeys, create: createKey, list: listKeys } }
declare const cloud: Client<typeof api>
export const a = cloud.organizations.list()
export const b = cloud.apiKeys.create({ organizationId: OrganizationId.make(""), payload: { name: "x" } })
export const c = cloud.apiKeys.list({ organizationId: OrganizationId.make("") })
export const d = cloud.apiKeys.list({ organizationId: OrganizationId.make(""), query: { limit: 3 } })
export const e = cloud.execute(createKey, { organizationId: OrganizationId.make(""), payload: { name: "x" } })
export const f = cloud.apiKeys.delete({ organizationId: OrganizationId.make(""), keyId: ApiKeyId.make("") })
export type I = Operation.Item<typeof listKeys>
export const i: I = 3
export const g: string = a
export const h: string = d

export const bad5 = Operation.make({ ...listKeys, pagination: Operation.cursor({ query: "cursr", next: "result.nextCursor", items: "result.keys" }) })
export const bad6 = Operation.make({ ...listKeys, pagination: Operation.cursor({ query: "cursor", next: "result.nextCursr", items: "result.keys" }) })
export const bad7 = Operation.make({ ...listKeys, pagination: Operation.offset({ query: "cursor", items: "result.keyss" }) })
export const good = Operation.make({ ...listKeys, pagination: Operation.link({ items: "result.keys" }) })
