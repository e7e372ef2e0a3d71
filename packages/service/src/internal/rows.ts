import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Struct from "effect/Struct"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { ByocConfig, OrganizationId, PrivateEndpoint } from "@cloud-management/core/Organization"
import * as Endpoint from "@cloud-management/core/ReversePrivateEndpoint"

/** Milliseconds since 1970. A column of type `bigint` arrives as a number from SQLite, as a bigint from PostgreSQL. */
const Millis = Schema.Union([Schema.Number, Schema.BigInt]).pipe(
  Schema.decodeTo(Schema.DateTimeUtcFromMillis, {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform((millis: number) => millis)
  })
)

/** A row of `organizations`. */
export const Organization = Schema.Struct({
  id: OrganizationId,
  name: Schema.String,
  createdAt: Millis,
  privateEndpoints: Schema.fromJsonString(Schema.Array(PrivateEndpoint)),
  byocConfig: Schema.fromJsonString(Schema.Array(ByocConfig))
}).pipe(
  Schema.encodeKeys({ createdAt: "created_at", privateEndpoints: "private_endpoints", byocConfig: "byoc_config" })
)

/** A row of `api_keys`. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  organizationId: OrganizationId,
  name: Schema.String,
  digest: Schema.String,
  state: Schema.Literals(["enabled", "disabled"]),
  expiresAt: Schema.NullOr(Millis).pipe(
    Schema.decodeTo(Schema.UndefinedOr(Schema.DateTimeUtc), {
      decode: SchemaGetter.transform((moment) => moment ?? undefined),
      encode: SchemaGetter.transform((moment) => moment ?? null)
    })
  )
}).pipe(Schema.encodeKeys({ organizationId: "organization_id", expiresAt: "expires_at" }))

/** A row of `services`. */
export const Service = Schema.Struct({
  organizationId: OrganizationId,
  id: Endpoint.ServiceId,
  name: Schema.String
}).pipe(Schema.encodeKeys({ organizationId: "organization_id" }))

const inColumns = ["id", "serviceId", "description", "type", "status", "dnsNames", "privateDnsNames"] as const

/** A row of `reverse_private_endpoints`. The fields that only some types have are one JSON document, `details`. */
export const ReversePrivateEndpoint = Schema.Struct({
  organizationId: OrganizationId,
  serviceId: Endpoint.ServiceId,
  id: Endpoint.ReversePrivateEndpointId,
  description: Schema.String,
  type: Endpoint.Type,
  status: Endpoint.Status,
  dnsNames: Schema.fromJsonString(Schema.Array(Schema.String)),
  privateDnsNames: Schema.fromJsonString(Schema.Array(Schema.String)),
  details: Schema.fromJsonString(Schema.Struct(Struct.omit(Endpoint.ReversePrivateEndpoint.fields, inColumns)))
}).pipe(
  Schema.encodeKeys({
    organizationId: "organization_id",
    serviceId: "service_id",
    dnsNames: "dns_names",
    privateDnsNames: "private_dns_names"
  })
)

/** A schema of the rows of a table. */
export type Row<A> = Schema.Codec<A, Record<string, unknown>> & { readonly from: { readonly fields: object } }

/**
 * The columns that a row is read from. By name, not by `*`: a column that a newer version adds while this one runs would
 * change what its prepared statements give, which PostgreSQL refuses.
 */
export const columns = ({ from }: Pick<Row<unknown>, "from">): ReadonlyArray<string> => Object.keys(from.fields)
