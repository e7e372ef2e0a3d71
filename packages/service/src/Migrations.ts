import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { dialect } from "./internal/dialect.ts"

const initial = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE organizations (
    id text PRIMARY KEY NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL,
    private_endpoints text NOT NULL,
    byoc_config text NOT NULL
  )`
  yield* sql`CREATE TABLE api_keys (
    id text PRIMARY KEY NOT NULL,
    organization_id text NOT NULL REFERENCES organizations (id),
    name text NOT NULL,
    digest text NOT NULL,
    state text NOT NULL,
    expires_at bigint
  )`
  // a primary key starts with the owner's, so that nothing is found but along its path
  yield* sql`CREATE TABLE services (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (organization_id, id)
  )`
  yield* sql`CREATE TABLE reverse_private_endpoints (
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
  )`
})

const migrate = Migrator.make({})({ loader: Migrator.fromRecord({ "0001_initial": initial }) })

/**
 * Brings the tables of a database to the newest form, forward only: each step once and all of them or none, however
 * many processes start at once. New steps go below the last one; one that was published never changes.
 */
export const run: Effect.Effect<void, Migrator.MigrationError | SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.provideService(migrate, SqlClient.BeginTransaction, dialect(sql).begin)
)
