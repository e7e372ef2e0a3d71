import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/**
 * What is recorded: the name of each record, and the fields that it has besides its time.
 *
 * @category constants
 * @since 0.1.0
 */
export const events = {
  /** A request without valid credentials. `reason`, `operation`, `requestId`, `address`; `keyId` when one was named. */
  authenticationFailed: "authentication.failed",
  /**
   * Requests answered with 429 after too many failed authentications of their address, of IPv6 of its /64; they have no
   * record of their own. One each minute in which there are any. `count`; `address` unless there are more than 1000.
   */
  authenticationRejected: "authentication.rejected",
  /** A valid key asked for what is not its own. `actor`, `operation`, `organizationId`, `requestId`, `address`. */
  accessDenied: "access.denied",
  /** By the API: `actor`, `keyId`, `organizationId`, `requestId`, `address`. By an operator: without the last two. */
  keyDeleted: "key.deleted",
  /** The database failed before it told whether an act was done: `act` names its record, whose fields this one has. */
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
  /** A key was made in place of another, which expires: `keyId`, `expiresAt`, `successorId`. */
  keyRotated: "key.rotated",
  /** An empty database was filled. `actor`, `organizations`: how many. */
  databaseSeeded: "database.seeded",
  /** The whole content was read, digests included. `actor`, `organizations`: how many. */
  databaseExported: "database.exported",
  /** Stored audit records were deleted. `actor`, `before`. */
  auditPruned: "audit.pruned"
} as const

/**
 * A name of {@link events}.
 *
 * @category models
 * @since 0.1.0
 */
export type Event = (typeof events)[keyof typeof events]

const fields = {
  /** Who: `key:` and its ID, or `operator:` and the name of the user of the operating system. */
  actor: Schema.String,
  /** Where from. */
  address: Schema.String,
  requestId: Schema.String,
  /** Name of the operation that was asked for, as in `apiKeys.delete`. */
  operation: Schema.String,
  organizationId: Schema.String,
  serviceId: Schema.String,
  reversePrivateEndpointId: Schema.String,
  keyId: Schema.String,
  /** The ID of the key that takes the place of another. */
  successorId: Schema.String,
  /** The name that the record of an act would have had. */
  act: Schema.String,
  reason: Schema.String,
  /** Names of fields, with commas. */
  changed: Schema.String,
  /** From when on a key is refused, in ISO 8601, or `never`. */
  expiresAt: Schema.String,
  /** The moment before which audit records were deleted, in ISO 8601. */
  before: Schema.String,
  /** How many. */
  organizations: Schema.Finite,
  /** Of requests, or of audit records. */
  count: Schema.Finite
}

/**
 * Fields of a record; what is `undefined` is left out, and a secret is never one.
 *
 * @category models
 * @since 0.1.0
 */
export type Fields = { readonly [Name in keyof typeof fields]?: (typeof fields)[Name]["Type"] | undefined }

/**
 * What a store records of an act, in the transaction of the act.
 *
 * @category models
 * @since 0.1.0
 */
export interface Entry extends Fields {
  readonly event: Event
}

/**
 * What became of an act: an act that is `unknown` may have been done.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = "success" | "failure" | "unknown"

const outcomes: { readonly [Name in Event]?: Outcome } = {
  [events.authenticationFailed]: "failure",
  [events.authenticationRejected]: "failure",
  [events.accessDenied]: "failure",
  [events.actUnconfirmed]: "unknown"
}

/**
 * A record as it is stored, exported and, in the format `json`, logged.
 *
 * **Details**
 *
 * `audit` names the {@link events event}. Newer versions may have other names and fields.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Record = Schema.Struct({
  time: Schema.DateTimeUtcFromString,
  audit: Schema.String,
  outcome: Schema.optionalKey(Schema.Literals(["success", "failure", "unknown"])),
  ...Struct.map(fields, Schema.optionalKey)
})
/**
 * A record as it is stored, exported and logged.
 *
 * @category models
 * @since 0.1.0
 */
export interface Record extends Schema.Schema.Type<typeof Record> {}

/**
 * Which stored records to list, all by default.
 *
 * @category models
 * @since 0.1.0
 */
export interface Filter {
  /** Only records of this moment and later. */
  readonly since?: DateTime.Utc | undefined
  /** Only records that name this key. */
  readonly keyId?: string | undefined
}

/**
 * Takes a record.
 *
 * @category models
 * @since 0.1.0
 */
export type Recorder = (event: Event, fields: Fields) => Effect.Effect<void>

/** Longest text of a field, in characters. */
const longest = 256

/**
 * On one line, and nothing that turns it around: control and format characters, halves of surrogate pairs and `%`
 * become `%` and hexadecimal digits.
 */
const encode = (text: string): string =>
  text
    .slice(0, longest)
    .replace(/[%\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
      character.length === 1 && /\p{Cs}/u.test(character) ? "%EF%BF%BD" : encodeURIComponent(character)
    )

type Value = string | number | undefined

/** Fields as they are logged and stored. */
const encodeFields = (fields: Fields): Readonly<globalThis.Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]: [string, Value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? encode(value) : value] as const]
    )
  )

/**
 * The record of an act that is done at a moment.
 *
 * @category constructors
 * @since 0.1.0
 */
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
 * What failed, was denied or is in doubt is a warning.
 *
 * **Example** (Recording that a key was disabled)
 *
 * ```ts
 * import * as Audit from "@cloud-management/service/Audit"
 *
 * const record = Audit.write("key.disabled", { actor: "operator:root", keyId: "12345678-1234-1234-1234-123456789012" })
 * ```
 *
 * @category logging
 * @since 0.1.0
 */
export const write: Recorder = (event, fields) => {
  const outcome = outcomes[event] ?? "success"
  return Effect.annotateLogs(outcome === "success" ? Effect.logInfo(event) : Effect.logWarning(event), {
    audit: event,
    ...encodeFields(fields),
    outcome
  })
}

/**
 * A line that has an audit record only in part, such as one that was cut off, or within something else.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRecord extends Data.TaggedError("InvalidRecord")<{
  readonly message: string
}> {}

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
const decodeRecord = Schema.decodeUnknownEffect(Record)

/** What a record has, also one in a string: Docker, journald and others write a line of their own around each. */
const mark = /"audit\\*" *:/

/**
 * Reads a line of an export, or of a log in the format `json`, whose other lines hold no record.
 *
 * @category decoding
 * @since 0.1.0
 */
export const parse = (line: string): Effect.Effect<Option.Option<Record>, InvalidRecord> => {
  const json = parseJson(line)
  if (Option.isNone(json)) {
    return mark.test(line)
      ? Effect.fail(new InvalidRecord({ message: "not a whole line of JSON" }))
      : Effect.succeedNone
  }
  if (json.value["audit"] === undefined) {
    return mark.test(line)
      ? Effect.fail(new InvalidRecord({ message: "a record within other JSON: extract it first, as in `jq -r .log`" }))
      : Effect.succeedNone
  }
  return Effect.mapBoth(decodeRecord(json.value), {
    onFailure: ({ message }) => new InvalidRecord({ message }),
    onSuccess: Option.some
  })
}

/**
 * A record as one line of JSON.
 *
 * @category converting
 * @since 0.1.0
 */
export const toLine: (record: Record) => string = Schema.encodeSync(Schema.fromJsonString(Record))
