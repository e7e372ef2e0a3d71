import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Struct from "effect/Struct"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { ByocConfig, OrganizationId, PrivateEndpoint } from "@cloud-management/core/Organization"
import * as Endpoint from "@cloud-management/core/ReversePrivateEndpoint"
import type * as Administration from "../Administration.ts"

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

/** An endpoint as a row. */
export const fromEndpoint = ({
  description,
  dnsNames,
  id,
  organizationId,
  privateDnsNames,
  serviceId,
  status,
  type,
  ...details
}: Administration.ReversePrivateEndpoint): typeof ReversePrivateEndpoint.Type => ({
  organizationId,
  serviceId,
  id,
  description,
  type,
  status,
  dnsNames,
  privateDnsNames,
  details
})

/** A schema of the rows of a table. */
export type Row<A> = Schema.Codec<A, Record<string, unknown>> & { readonly from: { readonly fields: object } }

/**
 * The columns that a row is read from. By name, not by `*`: a column that a newer version adds while this one runs would
 * change what its prepared statements give, which PostgreSQL refuses.
 */
export const columns = ({ from }: Pick<Row<unknown>, "from">): ReadonlyArray<string> => Object.keys(from.fields)

/** The same in a join: from a table by another name, each under a name that begins with `prefix`. */
export const columnsAs = (row: Pick<Row<unknown>, "from">, table: string, prefix = ""): string =>
  columns(row)
    .map((column) => `${table}.${column} AS ${prefix}${column}`)
    .join(", ")

/** The key of a join; no key has all of it `null`. */
export interface CallerRow {
  readonly caller_id: ApiKeyId | null
  readonly caller_organization_id: OrganizationId
  readonly caller_name: string
  readonly caller_digest: string
  readonly caller_state: "enabled" | "disabled"
  readonly caller_expires_at: number | bigint | null
}

/** The organization of a join, if there is one. */
export interface OrganizationRow {
  readonly id: OrganizationId | null
  readonly name: string
  readonly created_at: number | bigint
  readonly private_endpoints: string
  readonly byoc_config: string
}

/** The endpoint of a join, if there is one. */
export interface EndpointRow {
  readonly id: Endpoint.ReversePrivateEndpointId | null
  readonly service_id: Endpoint.ServiceId
  readonly description: string
  readonly type: Endpoint.Type
  readonly status: Endpoint.Status
  readonly dns_names: string
  readonly private_dns_names: string
  readonly details: string
}

// By hand, because a request waits for it: a schema takes ten times as long. What is in a table was encoded by the
// schemas above; a test shows that both read the same out of it.

type Details = Omit<Endpoint.ReversePrivateEndpoint, (typeof inColumns)[number]>

const isText = Predicate.isString
const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)
const isDetails = (value: unknown): value is Details => Predicate.isObject(value) && Object.values(value).every(isText)
const isList = (
  value: unknown
): value is (typeof Organization.Type)["privateEndpoints"] & (typeof Organization.Type)["byocConfig"] =>
  Array.isArray(value) && value.every((item) => isDetails(item) && "id" in item)

const parse = <A>(text: string, is: (value: unknown) => value is A): A => {
  const value: unknown = JSON.parse(text)
  if (is(value)) return value
  throw new TypeError("a row does not hold what it should")
}

const moment = (millis: number | bigint) => DateTime.makeUnsafe(Number(millis))

/** Reads the key of a join. */
export const callerOf = (row: CallerRow): Option.Option<typeof ApiKey.Type> =>
  row.caller_id === null
    ? Option.none()
    : Option.some({
        id: row.caller_id,
        organizationId: row.caller_organization_id,
        name: row.caller_name,
        digest: row.caller_digest,
        state: row.caller_state,
        expiresAt: row.caller_expires_at === null ? undefined : moment(row.caller_expires_at)
      })

/** Reads the organization of a join. */
export const organizationOf = (row: OrganizationRow): Option.Option<typeof Organization.Type> =>
  row.id === null
    ? Option.none()
    : Option.some({
        id: row.id,
        name: row.name,
        createdAt: moment(row.created_at),
        privateEndpoints: parse(row.private_endpoints, isList),
        byocConfig: parse(row.byoc_config, isList)
      })

/** Reads the endpoint of a join. */
export const endpointOf = (row: EndpointRow): Option.Option<Endpoint.ReversePrivateEndpoint> =>
  row.id === null
    ? Option.none()
    : Option.some({
        id: row.id,
        serviceId: row.service_id,
        description: row.description,
        type: row.type,
        status: row.status,
        dnsNames: parse(row.dns_names, isTexts),
        privateDnsNames: parse(row.private_dns_names, isTexts),
        ...parse(row.details, isDetails)
      })
