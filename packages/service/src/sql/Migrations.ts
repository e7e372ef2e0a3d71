import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { codeOf, rootCause } from "../frame/failure.ts"
import { dialect } from "./dialect.ts"

/** In their order, each with its statements. A new one goes below the last; one that was published never changes. */
const stepsOf = (sql: SqlClient.SqlClient) => [
  [
    sql`CREATE TABLE organizations (
      id text PRIMARY KEY NOT NULL,
      name text NOT NULL,
      created_at bigint NOT NULL,
      private_endpoints text NOT NULL,
      byoc_config text NOT NULL
    )`,
    sql`CREATE TABLE api_keys (
      id text PRIMARY KEY NOT NULL,
      organization_id text NOT NULL REFERENCES organizations (id),
      name text NOT NULL,
      digest text NOT NULL,
      state text NOT NULL,
      expires_at bigint,
      created_at bigint,
      last_used_at bigint
    )`,
    sql`CREATE INDEX api_keys_organization ON api_keys (organization_id, id)`,
    // a primary key starts with the owner's, so that nothing is found but along its path
    sql`CREATE TABLE services (
      organization_id text NOT NULL REFERENCES organizations (id),
      id text NOT NULL,
      name text NOT NULL,
      PRIMARY KEY (organization_id, id)
    )`,
    sql`CREATE TABLE reverse_private_endpoints (
      organization_id text NOT NULL,
      service_id text NOT NULL,
      id text NOT NULL,
      description text NOT NULL,
      type text NOT NULL,
      status text NOT NULL,
      dns_names text NOT NULL,
      private_dns_names text NOT NULL,
      details text NOT NULL,
      PRIMARY KEY (organization_id, service_id, id),
      FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
    )`,
    sql`CREATE TABLE audit_records (
      id ${dialect(sql).generatedId},
      time bigint NOT NULL,
      event text NOT NULL,
      key_id text,
      actor text,
      successor_id text,
      name text,
      fields text NOT NULL
    )`,
    sql`CREATE INDEX audit_records_key ON audit_records (key_id, id)`,
    sql`CREATE INDEX audit_records_actor ON audit_records (actor, id)`,
    sql`CREATE INDEX audit_records_successor ON audit_records (successor_id, id) WHERE successor_id IS NOT NULL`,
    sql`CREATE INDEX audit_records_name ON audit_records (name, id) WHERE name IS NOT NULL`,
    sql`CREATE INDEX audit_records_time ON audit_records (time)`
  ]
]

/** A step failed, and neither it nor the steps run together with it changed anything. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly message: string
  readonly cause: unknown
}> {}

/**
 * The tables have a version that this one cannot use: newer, or older where upgrades are not allowed; 0 if there are no
 * tables.
 */
export class UnsupportedSchema extends Data.TaggedError("UnsupportedSchema")<{
  readonly version: number
  readonly supported: number
}> {
  override readonly message =
    this.version === 0
      ? "the database has no tables of the service"
      : `the tables of the database have version ${this.version}, but this program supports version ${this.supported}`
}

/** Tables of another program have names that the service needs. Nothing was changed. */
export class ForeignTables extends Data.TaggedError("ForeignTables")<{ readonly cause: SqlError }> {
  override readonly message = `this database holds another program's tables: ${rootCause(this.cause)}`
}

type Failure = ForeignTables | MigrationFailed | UnsupportedSchema | SqlError

/** The version of the tables; 0 if there are none. */
const version = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = sql`SELECT max(version) FROM cloud_management_migrations`.values
  // of any other failure, as of a server that does not respond, a second attempt would wait once more
  const [row] = yield* Effect.catchIf(rows, dialect(sql).isMissingTable, () => Effect.succeed([]))
  return Number(row?.[0] ?? 0)
})

/**
 * Upgrades the tables of a database to the newest version, never back: each step runs once, and all of them or none
 * take effect, however many processes start at once.
 *
 * **Details**
 *
 * If the tables have a newer version, it fails without changing them.
 *
 * If the tables are up to date, it reads one row and needs no right to create tables.
 *
 * It waits 3 seconds for a transaction that reads the tables, such as that of `pg_dump`, then fails.
 *
 * The process that first records a step runs it; other processes wait at that row. No table locks are used, because not
 * every engine with PostgreSQL's protocol has them.
 */
export const run: Effect.Effect<void, Failure, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { begin, limitLocks } = dialect(sql)
  const create = sql`CREATE TABLE IF NOT EXISTS cloud_management_migrations (
    version integer PRIMARY KEY NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT current_timestamp
  )`
  const steps = stepsOf(sql)
  const supported = steps.length
  const migrate = Effect.fnUntraced(function* (found: number) {
    yield* limitLocks
    if (found === 0) yield* create
    for (const [n, statements] of [...steps.entries()].slice(yield* version)) {
      yield* sql`INSERT INTO cloud_management_migrations ${sql.insert({ version: n + 1 })}`
      yield* Effect.mapError(Effect.all(statements, { discard: true }), (cause) =>
        // 42P07: `duplicate_table`
        codeOf(cause) === "42P07" || rootCause(cause).endsWith(" already exists")
          ? new ForeignTables({ cause })
          : new MigrationFailed({ message: `migration ${n + 1} failed`, cause })
      )
    }
  })
  const attempt = Effect.gen(function* () {
    const found = yield* version
    if (found > supported) return yield* new UnsupportedSchema({ version: found, supported })
    if (found === supported) return
    yield* Effect.provideService(sql.withTransaction(migrate(found)), SqlClient.BeginTransaction, begin)
  })
  yield* Effect.retry(attempt, {
    times: 3,
    // another process was faster: a row, or a table, is there by now
    while: (error) =>
      error._tag === "SqlError" && ["UniqueViolation", "ConstraintError", "SqlSyntaxError"].includes(error.reason._tag)
  })
})

/** Fails unless the tables of a database have this version, and changes nothing. */
export const check: Effect.Effect<void, UnsupportedSchema | SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const supported = stepsOf(yield* SqlClient.SqlClient).length
  const found = yield* version
  if (found !== supported) return yield* new UnsupportedSchema({ version: found, supported })
})
