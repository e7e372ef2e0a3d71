import * as DateTime from "effect/DateTime"
import * as Audit from "../Audit.ts"

/** Audit records in memory. */
export interface Trail {
  readonly append: (entry: Audit.Entry, nowMillis: number) => void
  readonly all: () => ReadonlyArray<Audit.Record>
  /** The newest at most, newest first. */
  readonly list: (filter: Audit.Filter, most: number) => ReadonlyArray<Audit.Record>
  /** Deletes the records of before a moment, and returns how many there were. */
  readonly prune: (before: DateTime.Utc) => number
}

/** Audit records in memory, none at first. */
export const make = (): Trail => {
  let records: Array<Audit.Record> = []
  return {
    append: (entry, nowMillis) => void records.push(Audit.fromEntry(entry, DateTime.makeUnsafe(nowMillis))),
    all: () => records,
    list: ({ keyId, since }, most) =>
      records
        .filter(
          (record) =>
            (since === undefined || DateTime.isGreaterThanOrEqualTo(record.time, since)) &&
            (keyId === undefined || record.keyId === keyId)
        )
        .slice(-most)
        .toReversed(),
    prune: (before) => {
      const count = records.length
      records = records.filter(({ time }) => DateTime.isGreaterThanOrEqualTo(time, before))
      return count - records.length
    }
  }
}
