import * as Schema from "effect/Schema"
import { nullishKey, Timestamp } from "@cloud-management/client/Wire"
import { identifier, Uuid } from "./internal/uuid.ts"

/** Identifies an organization: a UUID of any version, such as `12345678-1234-1234-1234-123456789012`. */
export const OrganizationId = Uuid.pipe(Schema.brand("OrganizationId"), identifier)
/** Identifies an organization; to obtain one, decode a string or call `OrganizationId.make`. */
export type OrganizationId = typeof OrganizationId.Type

/** A private endpoint of an organization. */
export class PrivateEndpoint extends Schema.Opaque<PrivateEndpoint>()(
  Schema.Struct({
    /** ID of the private endpoint, in the form of the cloud provider; not a UUID. */
    id: Schema.String,
    /** Free text. */
    description: nullishKey(Schema.String)
  }).annotate({ identifier: "PrivateEndpoint" })
) {}

/** A bring-your-own-cloud configuration of an organization. */
export class ByocConfig extends Schema.Opaque<ByocConfig>()(
  Schema.Struct({
    /** ID of the configuration; not a UUID. */
    id: Schema.String,
    /** Name of the account at the cloud provider. */
    accountName: nullishKey(Schema.String)
  }).annotate({ identifier: "ByocConfig" })
) {}

/**
 * An organization: the tenant that owns API keys and services.
 *
 * **Details**
 *
 * Source: specification, section 2.2. It does not state which fields are always present, so only `id` is required. An
 * absent field and `null` both decode to an absent key.
 *
 * **Example** (Decoding an organization)
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import { Organization } from "@cloud-management/core/Organization"
 *
 * const organization = Schema.decodeUnknownSync(Organization)({
 *   id: "12345678-1234-1234-1234-123456789012",
 *   createdAt: "2026-01-01T00:00:00Z",
 *   name: null
 * })
 * // organization.name is absent, organization.createdAt is a DateTime.Utc
 * ```
 */
export class Organization extends Schema.Opaque<Organization>()(
  Schema.Struct({
    /** Organization ID. */
    id: OrganizationId,
    /** When the organization was created. ISO 8601 in UTC on the wire. */
    createdAt: nullishKey(Timestamp),
    /** Name of the organization, as its owner chose it. */
    name: nullishKey(Schema.String),
    /** Private endpoints of the organization. */
    privateEndpoints: nullishKey(Schema.Array(PrivateEndpoint)),
    /** Bring-your-own-cloud configurations of the organization. */
    byocConfig: nullishKey(Schema.Array(ByocConfig))
  }).annotate({ identifier: "Organization" })
) {}
