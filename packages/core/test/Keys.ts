import * as Schema from "effect/Schema"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as Body from "@cloud-management/core/Body"
import { commonRefusals, refusal } from "@cloud-management/core/CloudError"
import * as Envelope from "@cloud-management/core/Envelope"
import * as Operation from "@cloud-management/core/Operation"
import { operations } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"

// Operations of a user's own, one of each kind: nothing of them is in the specification.

export class Conflict extends refusal("Conflict", 409) {}

export const Key = Schema.Struct({ id: ApiKeyId, name: Schema.String })

const shared = {
  group: "apiKeys",
  path: "/v1/organizations/:organizationId/keys",
  summary: "About keys",
  params: Schema.Struct({ organizationId: OrganizationId }),
  errors: [...commonRefusals, Conflict],
  scope: "organization",
  stability: "stable"
} as const

export const createKey = Operation.make({
  ...shared,
  name: "create",
  method: "POST",
  payload: Body.json(
    Schema.Struct({ name: Schema.String, expiresAt: Schema.optionalKey(Schema.DateTimeUtcFromString) })
  ),
  success: Envelope.withResult(Key),
  repeat: Operation.idempotencyKey()
})

export const listKeys = Operation.make({
  ...shared,
  name: "list",
  method: "GET",
  query: Operation.query(
    Schema.Struct({
      cursor: Schema.optionalKey(Schema.String),
      limit: Schema.optionalKey(Schema.FiniteFromString),
      state: Schema.optionalKey(Schema.Array(Schema.String))
    })
  ),
  success: Envelope.withResult(
    Schema.Struct({ keys: Schema.Array(Key), nextCursor: Schema.optionalKey(Schema.NullOr(Schema.String)) })
  ),
  pagination: Operation.cursor({ query: "cursor", next: "result.nextCursor", items: "result.keys" })
})

export const renameKey = Operation.make({
  ...shared,
  name: "rename",
  method: "PATCH",
  path: "/v1/organizations/:organizationId/keys/:keyId",
  params: Schema.Struct({ organizationId: OrganizationId, keyId: ApiKeyId }),
  headers: Operation.headers(Schema.Struct({ "if-match": Schema.optionalKey(Schema.String) })),
  payload: Body.form(Schema.Struct({ name: Schema.String, tag: Schema.optionalKey(Schema.Array(Schema.String)) })),
  success: Body.json(Key)
})

export const noteKey = Operation.make({
  ...shared,
  name: "note",
  method: "PUT",
  payload: Body.text(),
  success: Body.text()
})

export const sealKeys = Operation.make({
  ...shared,
  name: "seal",
  method: "PUT",
  payload: Body.bytes(),
  success: Body.bytes()
})

export const purgeKeys = Operation.make({ ...shared, name: "purge", method: "DELETE", success: Body.empty })

export const probeKeys = Operation.make({ ...shared, name: "probe", method: "HEAD", success: Body.empty })

export const api = {
  ...operations,
  apiKeys: {
    ...operations.apiKeys,
    create: createKey,
    list: listKeys,
    rename: renameKey,
    note: noteKey,
    seal: sealKeys,
    purge: purgeKeys,
    probe: probeKeys
  }
}
