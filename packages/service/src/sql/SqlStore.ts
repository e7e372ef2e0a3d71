import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Statement from "effect/sql/Statement"
import { Administration } from "../cloud/Administration.ts"
import * as Content from "../cloud/content.ts"
import { dialect, orUnavailable } from "./dialect.ts"
import * as Time from "../frame/time.ts"
import { Prepared } from "./prepared.ts"
import { isRefusedByServer } from "./failure.ts"
import * as Skew from "./skew.ts"
import * as SqlAdministration from "./administration.ts"
import * as SqlAudit from "./audit.ts"
import * as Tables from "./tables.ts"
import * as Migrations from "./Migrations.ts"
import { layerKeys, Store } from "../cloud/Store.ts"
import { type KeyStore, StoreUnavailable } from "../frame/KeyStore.ts"
import { isActive } from "../frame/admission/authentication.ts"

const unavailable = (cause: unknown) => new StoreUnavailable({ cause })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { forUpdate, forUpdateOfFree, now, transaction, tryRecording, tryWriting, within, writing } = dialect(sql)
  const trail = SqlAudit.make(sql)

  const { apiKeys, organizations, reversePrivateEndpoints, services } = Tables
  const columnsOf = ({ row }: { readonly row: Pick<Tables.Row<never>, "columns"> }) => sql.csv(row.columns)

  const read =
    (yield* Prepared) ??
    ((statement) => (params) => Effect.map(within(sql.unsafe(statement, params).values), ([row]) => row))
  const from = apiKeys.row.columns.length
  /** Reads the row of a key, by its ID and more parameters. There is always one row; what is missing is NULL. */
  const find = <A>(
    more: ReadonlyArray<string>,
    joins: Statement.Fragment,
    decode: (row: ReadonlyArray<unknown>) => A
  ) => {
    const columns = [...apiKeys.row.columns.map((column) => `k.${column}`), ...more]
    const [statement] = sql`SELECT ${sql.literal(columns.join(", "))} FROM (SELECT 1 AS one) AS one
      LEFT JOIN api_keys AS k ON k.id = ${""} ${joins}`.compile()
    const one = read(statement)
    // called where the effect runs: what SQLite has at once takes no step of the fiber
    return (...params: ReadonlyArray<string>) =>
      // oxlint-disable-next-line typescript/no-unsafe-argument -- a row, as the driver has it
      Effect.mapEager(Effect.mapErrorEager(one(params), unavailable), decode)
  }
  const callerOf = (row: ReadonlyArray<unknown>) =>
    row[0] === null ? Option.none() : Option.some(apiKeys.row.read(row))
  const apiKey = find([], sql.literal(""), callerOf)
  const lookup = <A>(table: string, row: Tables.Row<A>, condition: Statement.Fragment) => {
    const id = from + row.columns.indexOf("id")
    return find(
      row.columns.map((column) => `found.${column}`),
      sql`LEFT JOIN ${sql(table)} AS found ON ${condition}`,
      (values) => ({
        caller: callerOf(values),
        found: values[id] === null ? Option.none() : Option.some(row.read(values, from))
      })
    )
  }
  const organization = lookup(organizations.name, organizations.row, sql.literal("found.id = k.organization_id"))
  /** Only in the key's own organization: no row of another one is read. */
  const endpoint = lookup(
    reversePrivateEndpoints.name,
    Tables.foundEndpoint,
    sql`found.organization_id = k.organization_id AND found.service_id = ${""} AND found.id = ${""}`
  )
  /** One seed after another: each waits here for the end of the one before it. */
  const lockSeeding = sql`SELECT 1 FROM cloud_management_migrations WHERE version = 1 ${forUpdate}`
  /** Neither with content nor emptied since: a seed would bring back the keys that were deleted. */
  const isEmpty = Effect.map(
    sql`SELECT 1 FROM organizations UNION ALL SELECT 1 FROM audit_records LIMIT 1`,
    Array.isReadonlyArrayEmpty
  )

  /** From each table that requests need, through its primary key; of the records the last, past no deleted rows. */
  const readFirstRows = sql<{
    readonly now: number | null
  }>`${writing} SELECT *, ${now} AS now FROM (SELECT 1 AS one) AS one
    LEFT JOIN (SELECT ${columnsOf(apiKeys)} FROM api_keys ORDER BY id LIMIT 1) AS k ON true
    LEFT JOIN (SELECT ${columnsOf(organizations)} FROM organizations ORDER BY id LIMIT 1) AS o ON true
    LEFT JOIN (SELECT ${columnsOf(reversePrivateEndpoints)} FROM reverse_private_endpoints
      ORDER BY organization_id, service_id, id LIMIT 1) AS e ON true
    LEFT JOIN (SELECT id FROM audit_records ORDER BY id DESC LIMIT 1) AS r ON true`

  /** Acts are recorded, as far as is known: tried at the start, and after the database refused one. */
  let isRecording = false
  const recorded = Effect.tap(tryRecording, () => Effect.sync(() => (isRecording = true)))
  const doubted = ({ remedy }: StoreUnavailable) => Effect.sync(() => (isRecording &&= remedy === undefined))

  /** Whether the tables can be read and written, and the clocks agree: without a round trip for each. */
  const ping = Effect.clockWith((clock) =>
    Effect.suspend(() => {
      const before = clock.currentTimeMillisUnsafe()
      const read = Effect.flatMap(readFirstRows, ([row]) =>
        typeof row?.now === "number" ? Skew.check(clock, before, row.now) : Effect.void
      )
      return Effect.andThen(Effect.andThen(read, tryWriting), isRecording ? Effect.void : recorded)
    })
  )

  /** Row by row only when a statement takes it: a server ends a transaction that pauses for long. */
  const insert = Effect.fnUntraced(function* <V, A>(
    { name, row }: Pick<Tables.Table<A>, "name" | "row">,
    values: ReadonlyArray<V>,
    toRecord: (value: V) => A
  ) {
    for (const chunk of Array.chunksOf(values, 500)) {
      yield* sql`INSERT INTO ${sql(name)} ${sql.insert(Array.map(chunk, (value) => row.write(toRecord(value))))}`
    }
  })

  const fillIfEmpty = Effect.fnUntraced(function* (...[seed, entry]: Parameters<Store["Service"]["seed"]>) {
    yield* lockSeeding
    if (!(yield* isEmpty)) return false
    yield* insert(organizations, Content.organizations(seed), identity)
    yield* insert(apiKeys, Content.seededKeys(seed), Content.apiKeyOf)
    yield* insert(services, Content.services(seed), identity)
    yield* insert(reversePrivateEndpoints, Content.reversePrivateEndpoints(seed), identity)
    if (entry !== undefined) yield* trail.append(entry)
    return true
  })

  /** Of some of the keys. One statement: while it waited for a lock, deletions would wait for those that it has. */
  const recordUse = (...[ids, hour]: Parameters<Store["Service"]["recordUse"]>) => {
    const millis = hour.epochMilliseconds
    const unrecorded = sql`
      SELECT id FROM api_keys WHERE ${sql.in("id", ids)} AND (last_used_at IS NULL OR last_used_at < ${millis}) ${forUpdateOfFree}`
    return sql`UPDATE api_keys SET last_used_at = ${millis} WHERE id IN (${unrecorded})`.unprepared
  }

  type Deletion = Parameters<Store["Service"]["deleteApiKey"]>

  /** SQLite: nobody else writes meanwhile. No row of another organization is read. */
  const deleteInSteps = Effect.fnUntraced(function* (...[organizationId, id, caller, entry]: Deletion) {
    const [row] = yield* sql`SELECT ${columnsOf(apiKeys)} FROM api_keys WHERE id = ${caller}`.values
    const key = row && apiKeys.row.read(row)
    // only now, since it may have waited: the caller may have been deleted, or have expired, in the meantime
    const clock = yield* Clock.Clock
    if (key === undefined || !isActive(key, Time.now(clock))) return "caller-inactive"
    const deleted = yield* sql`
      DELETE FROM api_keys WHERE id = ${id} AND organization_id = ${organizationId} RETURNING name`
    if (deleted[0] === undefined) return "not-found"
    yield* sql`INSERT INTO audit_records ${sql.insert(trail.rowOf(entry, clock.currentTimeMillisUnsafe(), deleted[0]))}`
    return "deleted"
  })
  /**
   * PostgreSQL: in one statement, so that no lock is held for a round trip. The keys are locked in the order of their
   * ids: two deletions of the same keys wait for one another, never in a circle. Only then the caller is looked at, by
   * the time that it is by then.
   */
  const deleteInOne = Effect.fnUntraced(function* (...[organizationId, id, caller, entry]: Deletion) {
    const clock = yield* Clock.Clock
    const { actor, event, fields, key_id, time } = trail.rowOf(entry, clock.currentTimeMillisUnsafe())
    // waits below 0.1 s count as none: the network delays as much
    const waited = sql.literal(
      "100 * floor(10 * extract(epoch FROM clock_timestamp() - statement_timestamp()))::bigint"
    )
    const statement = sql<{ readonly callers: number; readonly deleted: number }>`
      WITH keys AS (
        SELECT id, state, expires_at FROM api_keys
        WHERE id IN ${sql.in([id, caller])} AND (organization_id = ${organizationId} OR id = ${caller}) ORDER BY id ${forUpdate}
      ), active AS (
        SELECT ${time}::bigint + ${waited} AS now FROM keys
        WHERE id = ${caller} AND state = 'enabled' AND (expires_at IS NULL OR ${Time.now(clock)}::bigint + ${waited} < expires_at)
      ), deleted AS (
        DELETE FROM api_keys WHERE id = ${id} AND organization_id = ${organizationId}
          AND (SELECT count(*) FROM active) = 1 RETURNING name
      ), recorded AS (
        INSERT INTO audit_records (time, event, key_id, actor, name, fields)
        SELECT now, ${event}::text, ${key_id}::text, ${actor}::text, name, ${fields}::text FROM active, deleted
      )
      SELECT (SELECT count(*) FROM active)::int AS callers, (SELECT count(*) FROM deleted)::int AS deleted`
    const [counts] = yield* statement
    if (counts?.callers !== 1) return "caller-inactive"
    return counts.deleted === 1 ? "deleted" : "not-found"
  })
  /** Reads that share a connection would wait. `transactionService` only pins the statement; no transaction begins. */
  const alone = <A>(effect: Effect.Effect<A, SqlError>) =>
    Effect.suspend(() => {
      let isSent = false
      const sent = Effect.flatMap(sql.reserve, (connection) => {
        isSent = true
        return Effect.provideService(effect, sql.transactionService, [connection, 0])
      })
      return orUnavailable(within(Effect.scoped(sent)), (cause) => !isSent || isRefusedByServer(cause))
    })

  const inTime = <A>(effect: Effect.Effect<A, SqlError | Skew.ClocksDiffer>) => orUnavailable(within(effect))

  return Store.of({
    apiKey: (id) => Effect.suspend(() => apiKey(id)),
    organization: (caller) => Effect.suspend(() => organization(caller)),
    reversePrivateEndpoint: (caller, organizationId, serviceId, id) =>
      Effect.suspend(() =>
        Effect.mapEager(endpoint(caller, serviceId, id), (looked) =>
          Option.isNone(looked.caller) || looked.caller.value.organizationId === organizationId
            ? looked
            : { caller: looked.caller, found: Option.none() }
        )
      ),
    deleteApiKey: (...args) =>
      sql.onDialectOrElse({
        pg: () => Effect.tapError(alone(deleteInOne(...args)), doubted),
        orElse: () => transaction(deleteInSteps(...args))
      }),
    recordUse: (ids, hour) =>
      Effect.forEach(Array.chunksOf(ids, 500), (chunk) => inTime(recordUse(chunk, hour)), { discard: true }),
    seed: (seed, entry) =>
      // what writes nothing waits for nobody
      seed.organizations.length === 0 && entry === undefined ? inTime(isEmpty) : transaction(fillIfEmpty(seed, entry)),
    ping: inTime(ping)
  })
})

const merged = Layer.mergeAll(
  Layer.provideMerge(layerKeys, Layer.effect(Store, make)),
  Layer.effect(Administration, SqlAdministration.make)
)

/**
 * A store in a SQL database, SQLite or PostgreSQL.
 *
 * **Details**
 *
 * It upgrades its tables when it starts (see `Migrations`). Any number of processes may share them.
 */
export const layer: Layer.Layer<
  Store | KeyStore | Administration,
  Migrations.ForeignTables | Migrations.MigrationFailed | Migrations.UnsupportedSchema | SqlError,
  SqlClient.SqlClient
> = Layer.provide(merged, Layer.effectDiscard(Migrations.run))

/** The same store without changing its tables: it fails unless they have this version. */
export const layerExisting: Layer.Layer<
  Store | KeyStore | Administration,
  Migrations.UnsupportedSchema | SqlError,
  SqlClient.SqlClient
> = Layer.provide(merged, Layer.effectDiscard(Migrations.check))
