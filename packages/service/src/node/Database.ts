import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Administration } from "../cloud/Administration.ts"
import type { Store } from "../cloud/Store.ts"
import { ForeignTables, UnsupportedSchema } from "../sql/Migrations.ts"
import * as Tables from "../sql/tables.ts"
import * as SqlStore from "../sql/SqlStore.ts"
import { StoreUnavailable } from "../frame/KeyStore.ts"
import type { InvalidDatabase } from "./internal/invalidDatabase.ts"
import * as SqlClient from "./internal/sqlClient.ts"

export { ForeignTables, UnsupportedSchema }
export { InvalidDatabase } from "./internal/invalidDatabase.ts"
export { IsService } from "./internal/isService.ts"
export { isPath } from "./internal/sqlClient.ts"

/** The names of the tables. */
export const tables: ReadonlyArray<string> = [
  ...Tables.all.map(({ name }) => name),
  "audit_records",
  "cloud_management_migrations"
]

const open =
  (store: typeof SqlStore.layer | typeof SqlStore.layerExisting) =>
  (
    where: string
  ): Layer.Layer<Store | Administration, InvalidDatabase | ForeignTables | UnsupportedSchema | StoreUnavailable> =>
    Layer.effectContext(
      Effect.mapError(Layer.build(store.pipe(Layer.provide(SqlClient.layer(where)))), (error) =>
        error._tag === "InvalidDatabase" || error._tag === "UnsupportedSchema" || error._tag === "ForeignTables"
          ? error
          : new StoreUnavailable({ cause: error })
      )
    )

/**
 * The stores over a database: `:memory:`, the path of a SQLite file, or the `postgres://` URL of a PostgreSQL server,
 * which needs the package `@effect/sql-pg`.
 *
 * **Details**
 *
 * A leading `./` marks a value as the path of a file. White space around the value is ignored. The tables are upgraded
 * first.
 *
 * A URL must name a user. It accepts libpq's parameters, but those of GSSAPI, of replication and of services; and
 * `pool_max_conns`, the maximum number of open connections (default 10). Parameters that only tune, such as
 * `keepalives`, are ignored with a warning. A parameter that is not known is rejected. A URL without a
 * password uses `PGPASSWORD` or `~/.pgpass`. If a server does not respond, everything that waits for it fails within
 * seconds, and later requests try again.
 *
 * A URL names one address; a list of servers is rejected. With `target_session_attrs=read-write`, each new connection is
 * asked whether its server accepts writes.
 *
 * **Gotchas**
 *
 * `sslmode=require` verifies the certificate as `verify-full` does.
 *
 * **Example** (Listing the organizations of a SQLite file)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Administration } from "@cloud-management/service/Administration"
 * import * as Database from "@cloud-management/service/node/Database"
 *
 * const organizations = Administration.pipe(
 *   Effect.flatMap(({ organizations }) => organizations.list({})),
 *   Effect.provide(Database.layer("cloud.db"))
 * )
 * ```
 */
export const layer = open(SqlStore.layer)

/** The same without changing the database: it fails unless the tables have this version. */
export const layerExisting = open(SqlStore.layerExisting)
