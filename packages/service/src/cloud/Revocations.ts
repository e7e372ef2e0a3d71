import * as DateTime from "effect/DateTime"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import { events, type Record } from "../frame/Audit.ts"
import { Moment } from "./Moment.ts"
import * as Schema from "effect/Schema"
import type { ApiKey } from "../frame/KeyStore.ts"

/** The revocation of a key according to its audit records. */
export interface Revocation {
  /** Of the last creation, unless a deletion followed. */
  readonly createdAt?: DateTime.Utc | undefined
  /** A key that was created later is another one with the same ID. */
  readonly deletedAt?: DateTime.Utc | undefined
  readonly disabled?: boolean
  /** The expiry that the key was given. */
  readonly expiresAt?: DateTime.Utc | undefined
}

const decodeMoment = Schema.decodeOption(Moment)

const later = (a: DateTime.Utc | undefined, b: DateTime.Utc) => DateTime.max(a ?? b, b)

/** An act that is in doubt counts if it revoked, and not if it gave back. */
const next = (before: Revocation, { act, audit, expiresAt, time }: Record): Revocation => {
  const isSure = act === undefined
  switch (act ?? audit) {
    case events.keyCreated:
      // of an earlier key with this ID only the deletion counts
      return isSure ? { createdAt: time, deletedAt: before.deletedAt } : before
    case events.keyDeleted:
      // a creation that comes before is earlier, even if a clock that was ahead says otherwise
      return { ...before, createdAt: undefined, deletedAt: later(before.deletedAt, later(before.createdAt, time)) }
    case events.keyDisabled:
      return { ...before, disabled: true }
    case events.keyEnabled:
      return isSure ? { ...before, disabled: false } : before
  }
  if (expiresAt === undefined) return before
  const moment = Option.getOrUndefined(decodeMoment(expiresAt))
  // a rotation lets no key live longer
  if (isSure && audit !== events.keyRotated) return { ...before, expiresAt: moment }
  return moment === undefined ? before : { ...before, expiresAt: DateTime.min(before.expiresAt ?? moment, moment) }
}

const collect = (records: ReadonlyArray<Record>): ReadonlyMap<string, Revocation> => {
  const revocations = new Map<string, Revocation>()
  for (const record of records) {
    const { keyId } = record
    if (keyId !== undefined) revocations.set(keyId, next(revocations.get(keyId) ?? {}, record))
  }
  return revocations
}

/** The records in the order of their IDs; `undefined` if one has none, or two have the same, as those of two databases. */
const inOrder = (records: ReadonlyArray<Record>): ReadonlyArray<Record> | undefined => {
  const byId = new Map(records.map((record) => [record.id, record]))
  const isKnown = records.every((record) => record.id !== undefined && Equal.equals(byId.get(record.id), record))
  return isKnown ? records.toSorted(({ id: a = 0 }, { id: b = 0 }) => a - b) : undefined
}

/**
 * Collects revocations from audit records, by key ID.
 *
 * **Details**
 *
 * The last record counts: a key that was enabled again is not revoked. IDs tell the order of the records. If one has no
 * ID, as in a log, or if records of two databases have the same ID, their times tell it. An act that the database did
 * not confirm counts if it revoked, because it may have taken effect.
 */
export const fromRecords = (records: ReadonlyArray<Record>): ReadonlyMap<string, Revocation> =>
  collect(inOrder(records) ?? records.toSorted((a, b) => a.time.epochMilliseconds - b.time.epochMilliseconds))

/**
 * The IDs of keys whose revocation depends on clocks: without IDs, the times of their records tell an order that is not
 * the order of the records, and in which other acts count.
 */
export const doubtful = (records: ReadonlyArray<Record>): ReadonlyArray<string> => {
  if (inOrder(records) !== undefined) return []
  const written = collect(records)
  return Array.from(fromRecords(records)).flatMap(([id, byTime]) => (Equal.equals(byTime, written.get(id)) ? [] : [id]))
}

/**
 * The action that is still needed to revoke a key: none if it is already revoked, or if the records do not revoke it.
 *
 * **Details**
 *
 * A key that was created after another with its ID was deleted is kept, unless the clocks say otherwise.
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

/** Whether a key was created and has not been deleted since. */
export const isLeft = ({ createdAt }: Revocation): boolean => createdAt !== undefined
