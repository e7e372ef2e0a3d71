import * as Array from "effect/Array"
import type * as Cause from "effect/Cause"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as SqlSchema from "effect/sql/SqlSchema"
import type * as Statement from "effect/sql/Statement"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Administration } from "./Administration.ts"
import type * as Audit from "./Audit.ts"
import * as Content from "./internal/content.ts"
import { dialect } from "./internal/dialect.ts"
import { Prepared, type Read } from "./internal/prepared.ts"
import * as Rows from "./internal/rows.ts"
import * as SqlAdministration from "./internal/sqlAdministration.ts"
import * as Trail from "./internal/sqlTrail.ts"
import * as Migrations from "./Migrations.ts"
import type { Seed } from "./Seed.ts"
import { isActive, Store, StoreUnavailable } from "./Store.ts"

/** Also when the rollback failed too, which makes the failure a defect. A row that does not decode stays a defect. */
const orUnavailable = <A>(effect: Effect.Effect<A, SqlError | Schema.SchemaError | Cause.TimeoutError>) =>
  effect.pipe(
    Effect.catchTag("SchemaError", Effect.die),
    Effect.catchDefect((defect) => (isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect))),
    Effect.mapError((cause) => new StoreUnavailable({ cause }))
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { begin, forUpdate, forUpdateOfFree, inOne, tryWriting, within } = dialect(sql)
  const trail = Trail.make(sql)

  const transaction = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.provideService(sql.withTransaction(effect), SqlClient.BeginTransaction, begin)

  const apiKeyColumns = sql.csv(Rows.columns(Rows.ApiKey))
  const organizationColumns = sql.csv(Rows.columns(Rows.Organization))
  const endpointColumns = sql.csv(Rows.columns(Rows.ReversePrivateEndpoint))

  const read =
    (yield* Prepared) ??
    ((statement) => (params) => Effect.map(within(sql.unsafe(statement, params).values), ([row]) => row))
  /** A key, and what is joined to it; there is a row even if there is neither. Its parameters begin with the key's ID. */
  const lookup = (columns: string, joins: Statement.Fragment) => {
    const all = [Rows.columnsOf(Rows.ApiKey, "k"), columns].filter((part) => part !== "").join(", ")
    const [statement] = sql`
      SELECT ${sql.literal(all)} FROM (SELECT 1 AS one) AS one LEFT JOIN api_keys AS k ON k.id = ${""} ${joins}`.compile()
    return read(statement)
  }
  const keyRow = lookup("", sql.literal(""))
  const organizationRow = lookup(
    Rows.columnsOf(Rows.Organization, "o"),
    sql.literal("LEFT JOIN organizations AS o ON o.id = k.organization_id")
  )
  const endpointRow = lookup(
    Rows.columnsOf(Rows.ReversePrivateEndpoint, "e"),
    sql`LEFT JOIN reverse_private_endpoints AS e
      ON e.organization_id = ${""} AND e.service_id = ${""} AND e.id = ${""}`
  )
  /** In the order of their ids, so that two transactions over the same keys wait for one another, never in a circle. */
  const lockApiKeys = SqlSchema.findAll({
    Request: Schema.Array(ApiKeyId),
    Result: Rows.ApiKey,
    execute: (ids) => sql`SELECT ${apiKeyColumns} FROM api_keys WHERE id IN ${sql.in(ids)} ORDER BY id ${forUpdate}`
  })
  /** One seed after another: each waits here for the end of the one before it. */
  const lockSeeding = sql`SELECT 1 FROM effect_sql_migrations WHERE migration_id = 1 ${forUpdate}`
  /** Neither with content nor emptied since: a seed would bring back the keys that were deleted. */
  const isEmpty = Effect.map(
    sql`SELECT 1 FROM organizations UNION ALL SELECT 1 FROM audit_records LIMIT 1`,
    Array.isReadonlyArrayEmpty
  )

  /** From each table that requests need, through its primary key; of the records the last, past no deleted rows. */
  const readFirstRows = Effect.all([
    sql`SELECT ${apiKeyColumns} FROM api_keys ORDER BY id LIMIT 1`,
    sql`SELECT ${organizationColumns} FROM organizations ORDER BY id LIMIT 1`,
    sql`SELECT ${endpointColumns} FROM reverse_private_endpoints ORDER BY organization_id, service_id, id LIMIT 1`,
    sql`SELECT id FROM audit_records ORDER BY id DESC LIMIT 1`
  ])

  /** Row by row only when a statement takes it: a server ends a transaction that pauses for long. */
  const insert = Effect.fnUntraced(function* <V, A, I extends Record<string, unknown>>(
    table: string,
    row: Schema.Codec<A, I>,
    values: ReadonlyArray<V>,
    toRow: (value: V) => A
  ) {
    const encode = Schema.encodeEffect(Schema.NonEmptyArray(row))
    for (let from = 0; ; from += 500) {
      const chunk = values.slice(from, from + 500).map(toRow)
      if (!Array.isArrayNonEmpty(chunk)) return
      yield* sql`INSERT INTO ${sql(table)} ${sql.insert(yield* encode(chunk))}`
    }
  })
  const fill = Effect.fnUntraced(function* (seed: Seed) {
    yield* insert("organizations", Rows.Organization, Content.organizations(seed), identity)
    yield* insert("api_keys", Rows.ApiKey, Content.seededKeys(seed), Content.apiKeyOf)
    yield* insert("services", Rows.Service, Content.services(seed), identity)
    const endpoints = Content.reversePrivateEndpoints(seed)
    yield* insert("reverse_private_endpoints", Rows.ReversePrivateEndpoint, endpoints, Rows.fromEndpoint)
  })

  const fillIfEmpty = Effect.fnUntraced(function* (seed: Seed, entry: Audit.Entry | undefined) {
    yield* lockSeeding
    const empty = yield* isEmpty
    if (empty) yield* fill(seed)
    if (empty && entry !== undefined) yield* trail.append(entry)
    return empty
  })

  /** Of some of the keys. One statement: while it waited for a lock, deletions would wait for those that it has. */
  const recordUse = (ids: ReadonlyArray<ApiKeyId>, hour: DateTime.Utc) => {
    const millis = hour.epochMilliseconds
    const unrecorded = sql`
      SELECT id FROM api_keys WHERE ${sql.in("id", ids)} AND (last_used_at IS NULL OR last_used_at < ${millis}) ${forUpdateOfFree}`
    return sql`UPDATE api_keys SET last_used_at = ${millis} WHERE id IN (${unrecorded})`.unprepared
  }

  /** What the one row of a lookup holds. */
  const one = <Row, A>(row: ReturnType<Read>, read: (row: Row) => A) =>
    // oxlint-disable-next-line typescript/no-unsafe-argument -- a row has the columns that its statement names
    Effect.mapError(Effect.map(row, read), (cause) => new StoreUnavailable({ cause }))
  const answer = <A>(effect: Effect.Effect<A, SqlError | Schema.SchemaError>) => orUnavailable(within(effect))

  return Store.of({
    apiKey: (id) => one(keyRow([id]), Rows.callerOf),
    organization: (caller) => one(organizationRow([caller]), Rows.lookupOf(Rows.organizationOf)),
    reversePrivateEndpoint: (...path) => one(endpointRow(path), Rows.lookupOf(Rows.endpointOf)),
    deleteApiKey: Effect.fnUntraced(
      function* (organizationId, id, caller, entry) {
        const keys = yield* lockApiKeys([id, caller])
        // only now, with the keys locked: the caller may have been deleted, or have expired, in the meantime
        const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        if (!keys.some((key) => key.id === caller && isActive(key, now))) return "caller-inactive"
        if (!keys.some((key) => key.id === id && key.organizationId === organizationId)) return "not-found"
        yield* inOne(sql`DELETE FROM api_keys WHERE id = ${id}`, trail.insert(entry, now))
        return "deleted"
      },
      transaction,
      answer
    ),
    recordUse: (ids, hour) =>
      Effect.forEach(Array.chunksOf(ids, 500), (chunk) => answer(recordUse(chunk, hour)), { discard: true }),
    seed: (seed, entry) =>
      // what writes nothing waits for nobody
      seed.organizations.length === 0 && entry === undefined
        ? answer(isEmpty)
        : orUnavailable(transaction(fillIfEmpty(seed, entry))),
    ping: answer(Effect.andThen(readFirstRows, tryWriting))
  })
})

const merged = Layer.merge(Layer.effect(Store, make), Layer.effect(Administration, SqlAdministration.make))

/**
 * A store in a SQL database, SQLite or PostgreSQL.
 *
 * **Details**
 *
 * It upgrades its tables when it starts (see `Migrations`). Any number of processes may share them.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<
  Store | Administration,
  Migrations.MigrationFailed | Migrations.UnsupportedSchema | SqlError,
  SqlClient.SqlClient
> = merged.pipe(Layer.provide(Layer.effectDiscard(Migrations.run)))

/**
 * The same store without changing its tables: it fails unless they have this version.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerExisting: Layer.Layer<
  Store | Administration,
  Migrations.UnsupportedSchema | SqlError,
  SqlClient.SqlClient
> = merged.pipe(Layer.provide(Layer.effectDiscard(Migrations.check)))
