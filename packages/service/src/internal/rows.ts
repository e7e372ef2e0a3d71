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
import * as Audit from "../Audit.ts"
import type { Lookup } from "../Store.ts"

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

const OptionalMillis = Schema.NullOr(Millis).pipe(
  Schema.decodeTo(Schema.UndefinedOr(Schema.DateTimeUtc), {
    decode: SchemaGetter.transform((moment) => moment ?? undefined),
    encode: SchemaGetter.transform((moment) => moment ?? null)
  })
)

/** A row of `api_keys`. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  organizationId: OrganizationId,
  name: Schema.String,
  digest: Schema.String,
  state: Schema.Literals(["enabled", "disabled"]),
  expiresAt: OptionalMillis,
  createdAt: OptionalMillis,
  lastUsedAt: OptionalMillis
}).pipe(
  Schema.encodeKeys({
    organizationId: "organization_id",
    expiresAt: "expires_at",
    createdAt: "created_at",
    lastUsedAt: "last_used_at"
  })
)

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

/** The ID of an audit record: a number of either kind, as the driver has it. */
export const RecordId = Schema.Union([Schema.Number, Schema.BigInt]).pipe(
  Schema.decodeTo(Schema.Number, {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform((id: number) => id)
  })
)

/** A row of `audit_records`. What is searched for has a column of its own. */
export const AuditRecord = Schema.Struct({
  id: RecordId,
  time: Millis,
  event: Schema.String,
  keyId: Schema.NullOr(Schema.String),
  fields: Schema.fromJsonString(Schema.Struct(Struct.omit(Audit.Record.fields, ["id", "time", "audit", "keyId"])))
}).pipe(Schema.encodeKeys({ keyId: "key_id" }))

/** The record of a row. */
export const recordOf = ({ event, fields, id, keyId, time }: typeof AuditRecord.Type): Audit.Record => ({
  id,
  time,
  audit: event,
  ...fields,
  ...(keyId !== null && { keyId })
})

/** A schema of the rows of a table. */
export type Row<A> = Schema.Codec<A, Record<string, unknown>> & { readonly from: { readonly fields: object } }

/**
 * The columns that a row is read from. By name, not by `*`: a column that a newer version adds while this one runs would
 * change what its prepared statements give, which PostgreSQL refuses.
 */
export const columns = ({ from }: Pick<Row<unknown>, "from">): ReadonlyArray<string> => Object.keys(from.fields)

/** The same in a join: from a table by another name. */
export const columnsOf = (row: Pick<Row<unknown>, "from">, table: string): string =>
  columns(row)
    .map((column) => `${table}.${column}`)
    .join(", ")

// The rows of a join are arrays, in the order of {@link columns}: an object for each would cost a third of the statement.

/** The key of a join, all `null` if there is none. */
export type CallerRow = readonly [
  id: ApiKeyId | null,
  organizationId: OrganizationId,
  name: string,
  digest: string,
  state: "enabled" | "disabled",
  expiresAt: number | bigint | null,
  createdAt: number | bigint | null,
  lastUsedAt: number | bigint | null
]

/** The organization of a join, all `null` if there is none. */
export type OrganizationRow = readonly [
  id: OrganizationId | null,
  name: string,
  createdAt: number | bigint,
  privateEndpoints: string,
  byocConfig: string
]

/** The endpoint of a join, all `null` if there is none. */
export type EndpointRow = readonly [
  organizationId: OrganizationId | null,
  serviceId: Endpoint.ServiceId,
  id: Endpoint.ReversePrivateEndpointId,
  description: string,
  type: Endpoint.Type,
  status: Endpoint.Status,
  dnsNames: string,
  privateDnsNames: string,
  details: string
]

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
  throw new TypeError("a row has unexpected content")
}

const moment = (millis: number | bigint) => DateTime.makeUnsafe(Number(millis))
const optionalMoment = (millis: number | bigint | null) => (millis === null ? undefined : moment(millis))

/** Reads the key of a join. */
export const callerOf = ([id, organizationId, name, digest, state, expiresAt, createdAt, lastUsedAt]: readonly [
  ...CallerRow,
  ...ReadonlyArray<unknown>
]): Option.Option<typeof ApiKey.Type> =>
  id === null
    ? Option.none()
    : Option.some({
        id,
        organizationId,
        name,
        digest,
        state,
        expiresAt: optionalMoment(expiresAt),
        createdAt: optionalMoment(createdAt),
        lastUsedAt: optionalMoment(lastUsedAt)
      })

/** Reads the key of a join and what is joined to it. */
export const lookupOf =
  <Found extends ReadonlyArray<unknown>, A>(foundOf: (row: readonly [...Found]) => A) =>
  (row: readonly [...CallerRow, ...Found]): Lookup<A> => {
    const [, , , , , , , , ...found] = row
    return { caller: callerOf(row), found: foundOf(found) }
  }

/** Reads the organization of a join. */
export const organizationOf = ([id, name, createdAt, privateEndpoints, byocConfig]: OrganizationRow): Option.Option<
  typeof Organization.Type
> =>
  id === null
    ? Option.none()
    : Option.some({
        id,
        name,
        createdAt: moment(createdAt),
        privateEndpoints: parse(privateEndpoints, isList),
        byocConfig: parse(byocConfig, isList)
      })

/** Reads the endpoint of a join. */
export const endpointOf = ([
  organizationId,
  serviceId,
  id,
  description,
  type,
  status,
  dnsNames,
  privateDnsNames,
  details
]: EndpointRow): Option.Option<Endpoint.ReversePrivateEndpoint> =>
  organizationId === null
    ? Option.none()
    : Option.some({
        id,
        serviceId,
        description,
        type,
        status,
        dnsNames: parse(dnsNames, isTexts),
        privateDnsNames: parse(privateDnsNames, isTexts),
        ...parse(details, isDetails)
      })
