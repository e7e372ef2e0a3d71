import * as DateTime from "effect/DateTime"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as String from "effect/String"
import * as Struct from "effect/Struct"
import { ByocConfig, PrivateEndpoint } from "@cloud-management/core/Organization"
import * as Endpoint from "@cloud-management/core/ReversePrivateEndpoint"
import type { Kind, Organization, ReversePrivateEndpoint, Service } from "../cloud/Administration.ts"
import * as Audit from "../frame/Audit.ts"
import type { ApiKey } from "../frame/KeyStore.ts"

// Read and written by hand, because a request waits for it: schemas take ten times as long, a tenth of a request.

type Stored = string | number | null

/** How a field is kept in a column. `read` throws for what was not written by `write`. */
interface Column<A> {
  read(this: void, stored: unknown): A
  write(this: void, value: A): Stored
}

export interface Row<A> {
  /** By name: a column of a newer version would change what prepared statements give, which PostgreSQL refuses. */
  readonly columns: ReadonlyArray<string>
  /** From values in the order of the columns, which begin at a place: an object would cost a third of the statement. */
  readonly read: (values: ReadonlyArray<unknown>, from?: number) => A
  readonly write: (record: A) => Readonly<Record<string, Stored>>
}

const unexpected = () => new TypeError("a row has unexpected content")

const text = <A extends string>(): Column<A> => ({
  read: (stored) => {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- an ID or a state, as it was written
    if (Predicate.isString(stored)) return stored as A
    throw unexpected()
  },
  write: identity
})

/** Milliseconds since 1970. A column of type `bigint` arrives as a number from SQLite, as a bigint from PostgreSQL. */
const moment: Column<DateTime.Utc> = {
  read: (stored) => DateTime.makeUnsafe(Number(stored)),
  write: DateTime.toEpochMillis
}

const optional = <A>({ read, write }: Column<A>): Column<A | undefined> => ({
  read: (stored) => (stored === null ? undefined : read(stored)),
  write: (value) => (value === undefined ? null : write(value))
})

const { read: readText } = text()

const json = <A>(is: (value: unknown) => value is A): Column<A> => ({
  read: (stored) => {
    const value: unknown = JSON.parse(readText(stored))
    if (is(value)) return value
    throw unexpected()
  },
  write: JSON.stringify
})

const texts = json(
  (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(Predicate.isString)
)

/** `rest`: one more column, with the fields that only some records have. */
const row = <A extends object, Name extends keyof A & string = keyof A & string>(
  fields: { readonly [N in Name]-?: Column<A[N]> },
  rest?: Column<Omit<A, Name>> & { readonly column: string }
): Row<A> => {
  const all = Object.entries<Column<unknown>>(fields).map(([name, column]) => ({
    ...column,
    name,
    column: String.camelToSnake(name)
  }))
  const columns = all.map(({ column }) => column)
  return {
    columns: rest === undefined ? columns : [...columns, rest.column],
    read: (values, from = 0) => {
      const record: Record<string, unknown> = {}
      let at = from
      for (const { name, read } of all) record[name] = read(values[at++])
      if (rest !== undefined) Object.assign(record, rest.read(values[at]))
      // oxlint-disable-next-line typescript/consistent-type-assertions -- each field is there, read by its column
      return record as A
    },
    write: (record) => ({
      ...Object.fromEntries(all.map(({ column, name, write }) => [column, write(Reflect.get(record, name))])),
      ...(rest !== undefined && { [rest.column]: rest.write(Struct.omit(record, Struct.keys(fields))) })
    })
  }
}

export interface Table<A, Owner extends keyof A = keyof A> {
  readonly kind: Kind
  readonly name: string
  readonly row: Row<A>
  /** The ids above a record: the last is that of its owner, which is under the others. */
  readonly owners: ReadonlyArray<Owner>
  readonly parent?: { readonly kind: Kind; readonly name: string }
}

export const organizations: Table<Organization, never> = {
  kind: "organization",
  name: "organizations",
  row: row({
    id: text(),
    name: text(),
    createdAt: moment,
    privateEndpoints: json(Schema.is(Schema.Array(PrivateEndpoint))),
    byocConfig: json(Schema.is(Schema.Array(ByocConfig)))
  }),
  owners: []
}

export const apiKeys: Table<ApiKey, "organizationId"> = {
  kind: "key",
  name: "api_keys",
  row: row({
    id: text(),
    organizationId: text(),
    name: text(),
    digest: text(),
    state: text(),
    expiresAt: optional(moment),
    createdAt: optional(moment),
    lastUsedAt: optional(moment)
  }),
  owners: ["organizationId"],
  parent: organizations
}

export const services: Table<Service, "organizationId"> = {
  kind: "service",
  name: "services",
  row: row({ id: text(), organizationId: text(), name: text() }),
  owners: ["organizationId"],
  parent: organizations
}

const endpoint = {
  id: text<Endpoint.ReversePrivateEndpointId>(),
  serviceId: text<Endpoint.ServiceId>(),
  description: text(),
  type: text<Endpoint.Type>(),
  status: text<Endpoint.Status>(),
  dnsNames: texts,
  privateDnsNames: texts
}
type Found = Omit<ReversePrivateEndpoint, "organizationId">
type Details = Omit<Found, keyof typeof endpoint>
const isDetails = (value: unknown): value is Details =>
  Predicate.isObject(value) && Object.values(value).every(Predicate.isString)
const details = { column: "details", ...json(isDetails) }

/** An endpoint as its caller reads it, who knows the organization. */
export const foundEndpoint: Row<Found> = row(endpoint, details)

export const reversePrivateEndpoints: Table<ReversePrivateEndpoint, "organizationId" | "serviceId"> = {
  kind: "endpoint",
  name: "reverse_private_endpoints",
  row: row({ organizationId: text(), ...endpoint }, details),
  owners: ["organizationId", "serviceId"],
  parent: services
}

export const all = [organizations, apiKeys, services, reversePrivateEndpoints]

const term = optional(text())
const searched = { keyId: term, actor: term, successorId: term, name: term }
const names = Struct.keys(searched)
const fields = json(Schema.is(Schema.Struct(Struct.omit(Audit.Record.fields, ["id", "time", "audit", ...names]))))
const entry = row({ time: moment, event: text(), ...searched, fields })

/** A row of `audit_records`. What is searched for has a column of its own; the database makes the ID. */
export const auditRecord: Row<Audit.Record> = {
  columns: ["id", ...entry.columns],
  read: ([id, ...values]) => {
    const { event, fields, time, ...found } = entry.read(values)
    return { id: Number(id), time, audit: event, ...fields, ...Record.filter(found, Predicate.isNotUndefined) }
  },
  write: ({ actor, audit, keyId, name, successorId, time, ...fields }) =>
    entry.write({ time, event: audit, actor, keyId, name, successorId, fields })
}
