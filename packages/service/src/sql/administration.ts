import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as String from "effect/String"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  Administration,
  AlreadyExists,
  InUse,
  KeyInactive,
  NotFound,
  type AuditRecords,
  type Collection
} from "../cloud/Administration.ts"
import { isActive } from "../frame/admission/authentication.ts"
import * as Content from "../cloud/content.ts"
import { dialect, orUnavailable } from "./dialect.ts"
import * as Time from "../frame/time.ts"
import * as SqlAudit from "./audit.ts"
import { apiKeys, organizations, reversePrivateEndpoints, services, type Table } from "./tables.ts"

type Path = Readonly<Record<string, string>>

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { beginReading, forUpdate, transaction } = dialect(sql)
  const trail = SqlAudit.make(sql)

  const where = (path: Path) =>
    sql.and(Object.entries(path).map(([field, id]) => sql`${sql(String.camelToSnake(field))} = ${id}`))

  /** By pages: a server ends a statement that takes long, and a transaction that pauses for long. */
  const all = Effect.fnUntraced(function* <A extends { readonly id: string }>(
    { name, owners, row }: Pick<Table<A, keyof A & string>, "name" | "owners" | "row">,
    path: Path = {}
  ) {
    const columns = sql.csv(row.columns)
    const ids = [...owners, "id"] as const
    const key = sql.csv(ids.map(String.camelToSnake))
    const found: Array<A> = []
    for (;;) {
      const last = found.at(-1)
      const after = last && sql`(${key}) > (${sql.csv(ids.map((field) => sql`${last[field]}`))})`
      const conditions = sql.and([where(path), ...(after === undefined ? [] : [after])])
      const rows =
        yield* sql`SELECT ${columns} FROM ${sql(name)} WHERE ${conditions} ORDER BY ${key} LIMIT ${trail.page}`.values
      for (const values of rows) found.push(row.read(values))
      if (rows.length < trail.page) return found
    }
  })

  const reading = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.provideService(sql.withTransaction(effect), SqlClient.BeginTransaction, beginReading)

  const isViolation = ({ reason }: SqlError) => reason._tag === "ConstraintError"
  /** A foreign key refuses it: a record without its owner, or the deletion of an owner of others. */
  const referring = <A, E>(statement: Effect.Effect<A, SqlError>, refused: () => E) =>
    Effect.catchIf(statement, isViolation, () => Effect.fail(refused()))

  const collection = <A extends Readonly<Record<Owner | "id", string>>, Owner extends keyof A & string>(
    table: Table<A, Owner>
  ): Collection<A, Owner> => {
    const { kind, name, parent, row } = table
    const owner = (record: Pick<A, Owner>): Path =>
      Object.fromEntries(table.owners.map((field) => [field, record[field]]))
    const pathOf = (record: Pick<A, Owner | "id">): Path => ({ ...owner(record), id: record.id })
    const last = table.owners.at(-1)
    const noOwner = (record: Pick<A, Owner>) =>
      new NotFound({ kind: parent?.kind ?? kind, id: last === undefined ? "" : record[last] })
    const needOwner = Effect.fnUntraced(function* (record: Pick<A, Owner>) {
      if (parent === undefined || last === undefined) return
      const { [last]: id = "", ...above } = owner(record)
      const found = yield* sql`SELECT 1 FROM ${sql(parent.name)} WHERE ${where({ ...above, id })}`
      if (!Array.isReadonlyArrayNonEmpty(found)) return yield* noOwner(record)
    })

    return {
      list: (record) => orUnavailable(reading(Effect.andThen(needOwner(record), all(table, owner(record))))),
      create: Effect.fnUntraced(function* (record, entry) {
        const values = sql.insert(row.write(record))
        const insertion = sql`INSERT INTO ${sql(name)} ${values} ON CONFLICT DO NOTHING RETURNING id`
        const made = yield* referring(insertion, () => noOwner(record))
        if (!Array.isReadonlyArrayNonEmpty(made)) return yield* new AlreadyExists({ kind, id: record.id })
        yield* trail.append(entry, record)
      }, transaction),
      update: Effect.fnUntraced(function* (path, f, entry) {
        const at = where(pathOf(path))
        const [found] = yield* sql`SELECT ${sql.csv(row.columns)} FROM ${sql(name)} WHERE ${at} ${forUpdate}`.values
        if (found === undefined) return yield* new NotFound({ kind, id: path.id })
        const current = row.read(found)
        const updated = { ...f(current), ...path }
        yield* sql`UPDATE ${sql(name)} SET ${sql.update(row.write(updated))} WHERE ${at}`
        yield* trail.append(entry, current)
        return updated
      }, transaction),
      delete: Effect.fnUntraced(function* (path, entry) {
        const deletion = sql`DELETE FROM ${sql(name)} WHERE ${where(pathOf(path))} RETURNING ${sql.csv(row.columns)}`
        const [gone] = yield* referring(deletion, () => new InUse({ kind, id: path.id }))
        if (gone === undefined) return yield* new NotFound({ kind, id: path.id })
        yield* trail.append(entry, gone)
      }, transaction)
    }
  }

  const audit: AuditRecords = {
    all: Stream.paginate(0, (after) => orUnavailable(trail.next(after))),
    list: (filter, most) => orUnavailable(trail.list(filter, most)),
    append: (entry) => orUnavailable(trail.append(entry)),
    prune: Effect.fnUntraced(function* (before, entry) {
      const last = yield* orUnavailable(trail.lastBefore(before))
      let [count, after] = [0, 0]
      for (let isFirst = true; ; isFirst = false) {
        // an interruption ends it here: the act is recorded, and what is left can be deleted another time
        if (!isFirst && Exit.isFailure(yield* Effect.exit(Effect.interruptible(Effect.yieldNow)))) return count
        const record = isFirst ? trail.append(entry) : Effect.void
        const deleted = yield* transaction(Effect.andThen(record, trail.pruneSome(before, after, last)))
        count += deleted.length
        if (deleted.length < trail.page) return count
        after = Math.max(...deleted)
      }
    })
  }

  const keys = collection(apiKeys)
  const content = Effect.all({
    organizations: all(organizations),
    services: all(services),
    reversePrivateEndpoints: all(reversePrivateEndpoints),
    apiKeys: all(apiKeys)
  })
  return Administration.of({
    organizations: collection(organizations),
    services: collection(services),
    reversePrivateEndpoints: collection(reversePrivateEndpoints),
    apiKeys: keys,
    apiKeysOf: (digest) => orUnavailable(all(apiKeys, { digest })),
    rotateApiKey: (path, successor, expiresAt, [created, rotated]) =>
      transaction(
        Effect.gen(function* () {
          const clock = yield* Clock.Clock
          yield* keys.create(successor, created)
          let wasActive = false
          yield* keys.update(
            path,
            (current) => {
              // only now, with the key locked: it may have been disabled in the meantime
              wasActive = isActive(current, Time.now(clock))
              return { ...current, expiresAt: DateTime.min(current.expiresAt ?? expiresAt, expiresAt) }
            },
            rotated
          )
          if (!wasActive) return yield* new KeyInactive({ id: path.id })
        })
      ),
    audit,
    export: Effect.map(orUnavailable(reading(content)), Content.toSeed)
  })
})
