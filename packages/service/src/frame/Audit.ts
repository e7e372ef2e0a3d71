import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/** The names of all audit records, each with the fields that it has in addition to its time. */
export const events = {
  /**
   * A request without valid credentials. `reason`, `operation`, `requestId`, `address`; `keyId` if the request named
   * one. Of others with the same address (for IPv6, the same /64) and key ID within a minute, one more record has the
   * number: `count`; `address` and `keyId` unless there are more than 1000 such pairs.
   */
  authenticationFailed: "authentication.failed",
  /**
   * Requests rejected with 429 after too many failed authentications from their address (for IPv6, from its /64); they
   * have no record of their own. One record for each minute that has any. `count`; `address` unless there are more than
   * 1000.
   */
  authenticationRejected: "authentication.rejected",
  /**
   * A valid key requested something of another organization. `actor`, `operation`, `organizationId`, `requestId`,
   * `address`. Of a key that does so again within a minute, one more record has the number of the others: `count`;
   * `actor` unless there are more than 1000.
   */
  accessDenied: "access.denied",
  /** By the API: `actor`, `keyId`, `organizationId`, `requestId`, `address`. By an operator: without the last two. */
  keyDeleted: "key.deleted",
  /** The database failed before it confirmed an act: `act` names the act's record, whose fields this one has. */
  actUnconfirmed: "act.unconfirmed",
  // Acts of an operator: `actor` and the ids that lead to the record; `changed` names the fields that were given.
  organizationCreated: "organization.created",
  organizationChanged: "organization.changed",
  organizationDeleted: "organization.deleted",
  serviceCreated: "service.created",
  serviceChanged: "service.changed",
  serviceDeleted: "service.deleted",
  endpointCreated: "endpoint.created",
  endpointChanged: "endpoint.changed",
  endpointDeleted: "endpoint.deleted",
  keyCreated: "key.created",
  keyChanged: "key.changed",
  keyEnabled: "key.enabled",
  keyDisabled: "key.disabled",
  /** A key was created to replace another, which expires: `keyId`, `expiresAt`, `successorId`. */
  keyRotated: "key.rotated",
  /** An empty database was filled. `actor`, `organizations` (their number). */
  databaseSeeded: "database.seeded",
  /** All content was exported, including digests. `actor`, `organizations` (their number). */
  databaseExported: "database.exported",
  /** Stored audit records were deleted. `actor`, `before`. */
  auditPruned: "audit.pruned"
} as const

/** A name of {@link events}. */
export type Event = (typeof events)[keyof typeof events]

const fields = {
  /** Who acted: `key:` and the key's ID, or `operator:` and the name of the operating system's user. */
  actor: Schema.String,
  /** The caller's address. */
  address: Schema.String,
  requestId: Schema.String,
  /** Name of the requested operation, such as `apiKeys.delete`. */
  operation: Schema.String,
  organizationId: Schema.String,
  serviceId: Schema.String,
  reversePrivateEndpointId: Schema.String,
  keyId: Schema.String,
  /** The ID of the key that replaces another. */
  successorId: Schema.String,
  /** The name of the record that the act would have had. */
  act: Schema.String,
  reason: Schema.String,
  /** Names of fields, separated by commas. */
  changed: Schema.String,
  /** The moment from which a key is refused, in ISO 8601, or `never`. */
  expiresAt: Schema.String,
  /** The moment before which audit records were deleted, in ISO 8601. */
  before: Schema.String,
  /** The number of organizations. */
  organizations: Schema.Finite,
  /** The number of requests or audit records. */
  count: Schema.Finite
}

/** Fields of a record; `undefined` fields are omitted, and no field is ever a secret. */
export type Fields = { readonly [Name in keyof typeof fields]?: (typeof fields)[Name]["Type"] | undefined }

/** The record of an act that a store writes in the transaction of the act. */
export interface Entry extends Fields {
  readonly event: Event
}

/** The result of an act: an `unknown` act may have taken effect. */
type Outcome = "success" | "failure" | "unknown"

const outcomes: { readonly [Name in Event]?: Outcome } = {
  [events.authenticationFailed]: "failure",
  [events.authenticationRejected]: "failure",
  [events.accessDenied]: "failure",
  [events.actUnconfirmed]: "unknown"
}

/**
 * A record as stored, exported and, in the format `json`, logged.
 *
 * **Details**
 *
 * `audit` names the {@link events event}. Newer versions may have other names and fields. `id` grows with each act on a
 * key, whatever the clocks say. Only records from a database have one, and the `name` at the time of the act.
 */
export const Record = Schema.Struct({
  id: Schema.optionalKey(Schema.Int),
  name: Schema.optionalKey(Schema.String),
  time: Schema.DateTimeUtcFromString,
  audit: Schema.String,
  outcome: Schema.optionalKey(Schema.Literals(["success", "failure", "unknown"])),
  ...Struct.map(fields, Schema.optionalKey)
})
/** A record as stored, exported and logged. */
export interface Record extends Schema.Schema.Type<typeof Record> {}

/** Selects the stored records to list; by default all of them. */
export interface Filter {
  /** Only records from this moment on. */
  readonly since?: DateTime.Utc | undefined
  /** Only acts on this key. */
  readonly keyId?: string | undefined
  /** Only acts on this key, by it, or that made it the successor of another. */
  readonly involved?: string | undefined
  /** Only acts on what had this name by then: a key, a service or an organization. */
  readonly name?: string | undefined
}

/** Receives a record. */
export type Recorder = (event: Event, fields: Fields) => Effect.Effect<void>

/** Longest text of a field, in characters. */
const longest = 256

/** Nothing ends the line or turns it around: control and format characters, halves of pairs and `%` become `%` and digits. */
const encode = (text: string): string =>
  text
    .slice(0, longest)
    .replace(/[%\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
      character.length === 1 && /\p{Cs}/u.test(character) ? "%EF%BF%BD" : encodeURIComponent(character)
    )

/** Fields as they are logged and stored. */
const encodeFields = (fields: Fields): Readonly<globalThis.Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries<string | number | undefined>(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? encode(value) : value]]
    )
  )

/** The record of an act at a given moment. */
export const fromEntry = ({ event, ...fields }: Entry, time: DateTime.Utc): Record => ({
  time,
  audit: event,
  ...encodeFields(fields),
  outcome: outcomes[event] ?? "success"
})

/**
 * Writes an audit record: a log entry with the annotation `audit`, which names the {@link events event}, and an
 * annotation for each field.
 *
 * **Details**
 *
 * Failures, denials and unconfirmed acts are logged as warnings.
 *
 * **Example** (Recording that a key was disabled)
 *
 * ```ts
 * import * as Audit from "@cloud-management/service/Audit"
 *
 * const record = Audit.write("key.disabled", { actor: "operator:root", keyId: "12345678-1234-1234-1234-123456789012" })
 * ```
 */
export const write: Recorder = (event, fields) => {
  const outcome = outcomes[event] ?? "success"
  const line = outcome === "success" ? Effect.logInfo(event) : Effect.logWarning(event)
  return Effect.annotateLogs(line, { audit: event, ...encodeFields(fields), outcome })
}

/** A line that contains only part of an audit record, such as a truncated one, or a record inside other text. */
export class InvalidRecord extends Data.TaggedError("InvalidRecord")<{ readonly message: string }> {}

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
const decodeRecord = Schema.decodeUnknownEffect(Record)

/** Every record has it, also one in a string: Docker, journald and others write a line of their own around each. */
const mark = /"audit\\*" *:/

/** Reads a line of an export, or of a log in the format `json`, whose other lines contain no record. */
export const parse = (line: string): Effect.Effect<Option.Option<Record>, InvalidRecord> => {
  const json = parseJson(line)
  if (Option.isNone(json) || json.value["audit"] === undefined) {
    if (!mark.test(line)) return Effect.succeedNone
    const inside = "a record inside other JSON: extract it, as with `jq -r .log`"
    return new InvalidRecord({ message: Option.isNone(json) ? "not a complete line of JSON" : inside })
  }
  return Effect.mapBoth(decodeRecord(json.value), {
    onFailure: ({ message }) => new InvalidRecord({ message }),
    onSuccess: Option.some
  })
}

/** A record as one line of JSON. */
export const toLine: (record: Record) => string = Schema.encodeSync(Schema.fromJsonString(Record))
