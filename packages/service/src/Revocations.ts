import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { events, type Record } from "./Audit.ts"
import { Moment } from "./Moment.ts"
import * as Schema from "effect/Schema"
import type { ApiKey } from "./Store.ts"

/**
 * The revocation of a key according to its audit records.
 *
 * @category models
 * @since 0.1.0
 */
export interface Revocation {
  readonly createdAt?: DateTime.Utc | undefined
  readonly deletedAt?: DateTime.Utc | undefined
  readonly disabled?: boolean
  /** The expiry that the key was given. */
  readonly expiresAt?: DateTime.Utc | undefined
}

const decodeMoment = Schema.decodeOption(Moment)

const earlier = (a: DateTime.Utc | undefined, b: DateTime.Utc) => (a === undefined ? b : DateTime.min(a, b))

/** What a record adds. An act that is in doubt counts if it revoked, and not if it gave back. */
const next = (before: Revocation, { act, audit, expiresAt, time }: Record): Revocation => {
  const isSure = act === undefined
  switch (act ?? audit) {
    case events.keyCreated:
      // of an earlier key with this ID only the deletion counts
      return isSure ? { createdAt: time, deletedAt: before.deletedAt } : before
    case events.keyDeleted:
      return { ...before, deletedAt: time }
    case events.keyDisabled:
      return { ...before, disabled: true }
    case events.keyEnabled:
      return isSure ? { ...before, disabled: false } : before
  }
  if (expiresAt === undefined) return before
  const moment = Option.getOrUndefined(decodeMoment(expiresAt))
  // a rotation lets no key live longer
  if (isSure && audit !== events.keyRotated) return { ...before, expiresAt: moment }
  return moment === undefined ? before : { ...before, expiresAt: earlier(before.expiresAt, moment) }
}

/**
 * Collects revocations from audit records, by key ID.
 *
 * **Details**
 *
 * The latest record counts, by the times of the records: a key that was enabled again is not revoked. An act that the
 * database did not confirm counts if it revoked, because it may have taken effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromRecords = (records: ReadonlyArray<Record>): ReadonlyMap<string, Revocation> => {
  const revocations = new Map<string, Revocation>()
  for (const record of records.toSorted((a, b) => a.time.epochMilliseconds - b.time.epochMilliseconds)) {
    const { keyId } = record
    if (keyId !== undefined) revocations.set(keyId, next(revocations.get(keyId) ?? {}, record))
  }
  return revocations
}

/**
 * The action that is still needed to revoke a key: none if it is already revoked, or if the records do not revoke it.
 *
 * **Details**
 *
 * A key that was created after another with its ID was deleted is kept.
 *
 * @category predicates
 * @since 0.1.0
 */
export const pending = (
  { deletedAt, disabled = false, expiresAt }: Revocation,
  key: Pick<ApiKey, "createdAt" | "expiresAt" | "state">
): { readonly delete: boolean; readonly disable: boolean; readonly expiresAt: DateTime.Utc | undefined } => {
  const isDeleted =
    deletedAt !== undefined && (key.createdAt === undefined || DateTime.isLessThanOrEqualTo(key.createdAt, deletedAt))
  const isEarlier =
    expiresAt !== undefined && (key.expiresAt === undefined || DateTime.isLessThan(expiresAt, key.expiresAt))
  return {
    delete: isDeleted,
    disable: !isDeleted && disabled && key.state === "enabled",
    expiresAt: !isDeleted && isEarlier ? expiresAt : undefined
  }
}

/**
 * Whether a key was created and has not been deleted since.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isLeft = ({ createdAt, deletedAt }: Revocation): boolean =>
  createdAt !== undefined && (deletedAt === undefined || DateTime.isLessThan(deletedAt, createdAt))
