import * as Effect from "effect/Effect"

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
  serviceCreated: "service.created",
  serviceChanged: "service.changed",
  endpointCreated: "endpoint.created",
  endpointChanged: "endpoint.changed",
  endpointDeleted: "endpoint.deleted",
  keyCreated: "key.created",
  keyChanged: "key.changed",
  keyEnabled: "key.enabled",
  keyDisabled: "key.disabled",
  /** An empty database was filled. `actor`, `organizations`: how many. */
  databaseSeeded: "database.seeded",
  /** The whole content was read, digests included. `actor`, `organizations`: how many. */
  databaseExported: "database.exported"
} as const

/**
 * A name of {@link events}.
 *
 * @category models
 * @since 0.1.0
 */
export type Event = (typeof events)[keyof typeof events]

/**
 * Fields of a record; what is `undefined` is left out, and a secret is never one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Fields {
  /** Who: `key:` and its ID, or `operator:` and the name of the user of the operating system. */
  readonly actor?: string | undefined
  /** Where from. */
  readonly address?: string | undefined
  readonly requestId?: string | undefined
  /** Name of the operation that was asked for, as in `apiKeys.delete`. */
  readonly operation?: string | undefined
  readonly organizationId?: string | undefined
  readonly serviceId?: string | undefined
  readonly reversePrivateEndpointId?: string | undefined
  readonly keyId?: string | undefined
  /** The name that the record of an act would have had. */
  readonly act?: Event | undefined
  readonly reason?: string | undefined
  /** Names of fields, with commas. */
  readonly changed?: string | undefined
  readonly organizations?: number | undefined
  /** Of requests. */
  readonly count?: number | undefined
}

/**
 * Takes a record.
 *
 * @category models
 * @since 0.1.0
 */
export type Recorder = (event: Event, fields: Fields) => Effect.Effect<void>

const warnings = new Set<Event>([
  events.authenticationFailed,
  events.authenticationRejected,
  events.accessDenied,
  events.actUnconfirmed
])

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

const encodeField = (value: string | number | undefined) =>
  value === undefined ? [] : [typeof value === "string" ? encode(value) : value]

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
  const annotations = Object.entries(fields).flatMap(([name, value]: [string, string | number | undefined]) =>
    encodeField(value).map((encoded) => [name, encoded] as const)
  )
  return Effect.annotateLogs(warnings.has(event) ? Effect.logWarning(event) : Effect.logInfo(event), {
    audit: event,
    ...Object.fromEntries(annotations)
  })
}
