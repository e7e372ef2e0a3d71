import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import * as Struct from "effect/Struct"
import * as Audit from "../frame/Audit.ts"
import { auditRecord } from "./tables.ts"

/** Records of a page of any table, or of a transaction that deletes some: few enough for the limit of a statement. */
const page = 1000

export const make = (sql: SqlClient.SqlClient) => {
  /** The row that records an act at a moment, on a record that may have a name. */
  const rowOf = (entry: Audit.Entry, nowMillis: number, subject: object = {}) => {
    const record: Audit.Record = Audit.fromEntry(entry, DateTime.makeUnsafe(nowMillis))
    const name: unknown = Reflect.get(subject, "name")
    return auditRecord.write(Predicate.isString(name) ? Struct.assign(record, { name }) : record)
  }
  const append = (entry: Audit.Entry, subject?: object) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => sql`INSERT INTO audit_records ${sql.insert(rowOf(entry, now, subject))}`
    )

  const columns = sql.csv(auditRecord.columns)
  const read = ({ values }: Statement.Statement<unknown>) =>
    Effect.map(values, (rows) => rows.map((row) => auditRecord.read(row)))

  /** A page of those after an ID, in the order of the acts: an act on a key has its ID while it holds the key's lock. */
  const next = Effect.fnUntraced(function* (after: number) {
    const records = yield* read(sql`SELECT ${columns} FROM audit_records WHERE id > ${after} ORDER BY id LIMIT ${page}`)
    return [records, Option.fromUndefinedOr(records.length < page ? undefined : records.at(-1)?.id)] as const
  })

  /** The newest, newest first, found through the index of what is filtered by. */
  const list = ({ involved, keyId, name, since }: Audit.Filter, most: number) => {
    const rest = [
      ...(since === undefined ? [] : [sql`time >= ${since.epochMilliseconds}`]),
      ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
      ...(name === undefined ? [] : [sql`name = ${name}`])
    ]
    const order = sql.literal(since !== undefined && rest.length === 1 && involved === undefined ? "time" : "id")
    const latest = (conditions: ReadonlyArray<Statement.Fragment>) => sql`SELECT ${columns} FROM
      (SELECT ${columns} FROM audit_records WHERE ${sql.and(conditions)} ORDER BY ${order} DESC LIMIT ${most}) AS latest`
    const by = (column: string, value: string) => latest([sql`${sql(column)} = ${value}`, ...rest])
    const found =
      involved === undefined
        ? latest(rest)
        : sql`${by("key_id", involved)} UNION ${by("successor_id", involved)} UNION ${by("actor", `key:${involved}`)}`
    return read(sql`${found} ORDER BY id DESC LIMIT ${most}`)
  }

  /** The ID of the last of those of before a moment, through the index of the time. */
  const lastBefore = (before: DateTime.Utc) => {
    const last = sql`SELECT max(id) FROM audit_records WHERE time < ${before.epochMilliseconds}`
    return Effect.map(last.values, ([row]) => Number(row?.[0] ?? 0))
  }

  /** From an ID on, so that no pass reads what the one before deleted, and up to the last that there is. */
  const pruneSome = (before: DateTime.Utc, after: number, last: number) =>
    Effect.map(
      sql`DELETE FROM audit_records WHERE id IN (
        SELECT id FROM audit_records
        WHERE id > ${after} AND id <= ${last} AND time < ${before.epochMilliseconds} ORDER BY id LIMIT ${page}
      ) RETURNING id`.values,
      (rows) => rows.map(([id]) => Number(id))
    )

  return { append, lastBefore, list, next, page, pruneSome, rowOf }
}
