import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Audit from "../Audit.ts"
import * as Rows from "./rows.ts"

const decodePage = Schema.decodeUnknownEffect(Schema.Array(Rows.AuditRecord))

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Rows.RecordId })))

/** Records of a page, or of a transaction that deletes some: few enough for the limit of a statement. */
const page = 1000

/** Audit records in a database whose tables are there. Nothing ever changes one. */
export const make = (sql: SqlClient.SqlClient) => {
  /** The statement that records an act at a moment. By hand, because a deletion waits for it. */
  const insert = (entry: Audit.Entry, nowMillis: number) => {
    const { audit, keyId = null, time: _time, ...fields } = Audit.fromEntry(entry, DateTime.makeUnsafe(nowMillis))
    const row = { time: nowMillis, event: audit, key_id: keyId, fields: JSON.stringify(fields) }
    return sql`INSERT INTO audit_records ${sql.insert(row)}`
  }
  const append = (entry: Audit.Entry): Effect.Effect<void, SqlError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => insert(entry, now))

  /** A page of those after an ID, in the order of the acts: an act on a key has its ID while it holds the key's lock. */
  const list = Effect.fnUntraced(function* ({ keyId, since }: Audit.Filter, after: number) {
    const conditions = [
      sql`id > ${after}`,
      ...(since === undefined ? [] : [sql`time >= ${since.epochMilliseconds}`]),
      ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`])
    ]
    const rows = yield* Effect.flatMap(
      sql`SELECT ${sql.csv(Rows.columns(Rows.AuditRecord))} FROM audit_records WHERE ${sql.and(conditions)} ORDER BY id LIMIT ${page}`,
      decodePage
    )
    const next = rows.length < page ? undefined : Array.last(rows).pipe(Option.getOrUndefined)?.id
    return [rows.map(Rows.recordOf), Option.fromUndefinedOr(next)] as const
  })

  /** Deletes the next of those of before a moment, after an ID so that no pass reads the rows that the one before deleted. */
  const pruneSome = (before: DateTime.Utc, after: number) =>
    Effect.flatMap(
      sql`DELETE FROM audit_records WHERE id IN (
        SELECT id FROM audit_records WHERE id > ${after} AND time < ${before.epochMilliseconds} ORDER BY id LIMIT ${page}
      ) RETURNING id`,
      decodeIds
    )

  return { append, insert, list, page, pruneSome }
}
