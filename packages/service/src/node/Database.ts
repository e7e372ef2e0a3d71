import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Administration } from "../Administration.ts"
import type { UnsupportedSchema } from "../Migrations.ts"
import * as SqlStore from "../SqlStore.ts"
import { StoreUnavailable, type Store } from "../Store.ts"
import type { InvalidDatabase } from "./internal/invalidDatabase.ts"
import { standard, type Limits } from "./internal/sqlClient.ts"
import * as SqlClient from "./internal/sqlClient.ts"

export { InvalidDatabase } from "./internal/invalidDatabase.ts"
export { isPath, standard, type Limits } from "./internal/sqlClient.ts"

const open = (store: typeof SqlStore.layer | typeof SqlStore.layerExisting, where: string, limits: Limits) =>
  Layer.effectContext(
    Effect.mapError(Layer.build(store.pipe(Layer.provide(SqlClient.layer(where, limits)))), (error) =>
      error._tag === "InvalidDatabase" || error._tag === "UnsupportedSchema"
        ? error
        : new StoreUnavailable({ cause: error })
    )
  )

/**
 * The content of the database that a text names: `:memory:`, the path of a SQLite file, or the `postgres://` URL of a
 * PostgreSQL server, which needs the package `@effect/sql-pg`.
 *
 * **Details**
 *
 * `./` before the name of a file tells it from anything else. White space around the text does not count. The tables are brought up to date first (see
 * `Migrations`).
 *
 * A URL names a user. It takes libpq's parameters `sslmode`, `sslrootcert`, `channel_binding`, `target_session_attrs`,
 * `connect_timeout`, `application_name`, `options`, `host`, `port`, `user`, `password`, `passfile` and `dbname`, and
 * `pool_max_conns`: how many connections are open at most (10). Those that only tune, such as `keepalives`, are ignored
 * with a warning. Any other is refused. If it has no password, that is `PGPASSWORD`, or comes from `~/.pgpass`. If a
 * server does not answer, whatever waits for it fails within seconds, and what comes next tries anew.
 *
 * A URL may name several servers, `postgres://user@one:5432,two:5432/cloud`. The one that takes writes is used, and looked
 * for again when a connection is lost.
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
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  where: string,
  limits: Limits = standard
): Layer.Layer<Store | Administration, InvalidDatabase | UnsupportedSchema | StoreUnavailable> =>
  open(SqlStore.layer, where, limits)

/**
 * The same of a database that is not to be changed by being opened: it fails unless the tables are of this version.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerExisting = (
  where: string,
  limits: Limits = standard
): Layer.Layer<Store | Administration, InvalidDatabase | UnsupportedSchema | StoreUnavailable> =>
  open(SqlStore.layerExisting, where, limits)
