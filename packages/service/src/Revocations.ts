import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { events, type Record } from "./Audit.ts"
import { Moment } from "./Moment.ts"
import * as Schema from "effect/Schema"
import type { ApiKey } from "./Store.ts"

/**
 * What audit records say was revoked of a key, at last.
 *
 * @category models
 * @since 0.1.0
 */
export interface Revocation {
  readonly createdAt?: DateTime.Utc | undefined
  readonly deletedAt?: DateTime.Utc | undefined
  readonly disabled?: boolean
  /** The expiry that it was given. */
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
 * What audit records say was revoked, by the ID of the key.
 *
 * **Details**
 *
 * The last word counts, by the times of the records: a key that was enabled again is not revoked. An act that the
 * database did not confirm counts if it revoked, since it may have been done.
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
 * What is left to do to a key so that it is revoked: nothing, if it is or was not.
 *
 * **Details**
 *
 * A key that was made after the deletion of another with its ID stays.
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
 * Whether a key was made and not deleted since.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isLeft = ({ createdAt, deletedAt }: Revocation): boolean =>
  createdAt !== undefined && (deletedAt === undefined || DateTime.isLessThan(deletedAt, createdAt))
