import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { readFileSync } from "node:fs"
import * as Net from "node:net"
import type { ConnectionOptions } from "node:tls"
import * as SqliteClient from "./SqliteClient.ts"

/** What names no database that can be used. The message never quotes a URL, which can hold a password. */
export class InvalidDatabase extends Schema.TaggedError<InvalidDatabase>()("InvalidDatabase", {
  message: Schema.String
}) {}

/** How long PostgreSQL may take. Each limit is longer than the one before it, which has more to say. */
export interface Limits {
  /** For a lock that another transaction holds. */
  readonly lock: Duration.Input
  /** For a statement. */
  readonly statement: Duration.Input
  /** Of a connection on which nothing moves: its other end is gone, or it is idle and as well closed. */
  readonly silence: Duration.Input
  /** Between two statements of a transaction: frees what a node that is gone had locked. */
  readonly idleTransaction: Duration.Input
}

/** 3 seconds for a lock, 5 for a statement, 6 of silence, 10 between the statements of a transaction. */
export const standard: Limits = {
  lock: "3 seconds",
  statement: "5 seconds",
  silence: "6 seconds",
  idleTransaction: "10 seconds"
}

const driver = Effect.tryPromise({
  try: () => import("@effect/sql-pg/PgClient"),
  catch: (error) =>
    Predicate.hasProperty(error, "code") && error.code === "ERR_MODULE_NOT_FOUND"
      ? new InvalidDatabase({ message: "PostgreSQL needs the package @effect/sql-pg: npm install @effect/sql-pg" })
      : new InvalidDatabase({ message: `the package @effect/sql-pg does not load: ${String(error)}` })
})

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** As libpq names the settings of TLS; what asks for it also verifies the certificate. */
const tls = Effect.fnUntraced(function* (parameters: URLSearchParams) {
  const [mode, authority] = [parameters.get("sslmode"), parameters.get("sslrootcert")]
  if (mode !== null && !modes.includes(mode)) {
    return yield* new InvalidDatabase({ message: `sslmode: one of ${modes.join(", ")}` })
  }
  if (authority === null || mode === "disable") return undefined // left to the driver
  const ca = yield* Effect.try({
    try: () => readFileSync(authority, "utf8"),
    catch: () => new InvalidDatabase({ message: `sslrootcert: ${authority} cannot be read` })
  })
  return { ca, ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }) } satisfies ConnectionOptions
})

/** Where a URL points to. */
const parse = (url: string) =>
  Effect.try({
    try: () => {
      const { hostname, pathname, port, searchParams } = new URL(url)
      return {
        parameters: searchParams,
        host: searchParams.get("host") ?? (decodeURIComponent(hostname).replace(/^\[|\]$/g, "") || "localhost"),
        port: Number(searchParams.get("port") ?? (port || 5432)),
        database: searchParams.get("dbname") ?? (decodeURIComponent(pathname.slice(1)) || undefined)
      }
    },
    catch: () => new InvalidDatabase({ message: "no URL of one PostgreSQL server" })
  })

/** In two halves, because after a pause of this process the first may be over before the answer that came is read. */
const endSilent = (socket: Net.Socket, millis: number) => {
  let before = -1
  return socket.setTimeout(millis / 2).on("timeout", () => {
    const moved = socket.bytesRead + socket.bytesWritten
    if (moved === before) return socket.destroy()
    before = moved
    socket.setTimeout(millis / 2)
  })
}

const postgres = Effect.fnUntraced(function* (url: string, limits: Limits) {
  const { database, host, parameters, port } = yield* parse(url)
  const connections = Number(parameters.get("pool_max_conns") ?? 10)
  if (!Number.isInteger(connections) || connections < 1) {
    return yield* new InvalidDatabase({ message: "pool_max_conns: not a number of connections" })
  }
  const ssl = yield* tls(parameters)
  const PgClient = yield* driver

  const millis = (limit: Duration.Input) => Duration.toMillis(limit)
  const address: Net.NetConnectOpts = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  // no interruption reaches a BEGIN or a COMMIT that is never answered
  const connect = () => endSilent(Net.connect({ ...address, noDelay: true }), millis(limits.silence))
  return PgClient.layer({
    url: Redacted.make(url),
    host,
    port,
    database,
    stream: connect,
    ssl,
    maxConnections: connections,
    applicationName: parameters.get("application_name") ?? "cloud-management",
    startupParameters: {
      lock_timeout: String(millis(limits.lock)),
      statement_timeout: String(millis(limits.statement)),
      idle_in_transaction_session_timeout: String(millis(limits.idleTransaction))
    }
  })
})

const open = (
  where: string,
  limits: Limits
): Effect.Effect<Layer.Layer<SqlClient.SqlClient, SqlError>, InvalidDatabase> => {
  const [scheme] = /^[a-z][a-z\d+.-]*(?=:\/\/)/i.exec(where) ?? []
  if (scheme === undefined) return Effect.succeed(SqliteClient.layer({ filename: where }))
  return /^postgres(ql)?$/i.test(scheme)
    ? postgres(where, limits)
    : new InvalidDatabase({ message: `no database is known by ${scheme}://, only by postgres://` })
}

/**
 * The database that a text names: `:memory:`, the path of a SQLite file, or the `postgres://` URL of a PostgreSQL
 * server, which needs the package `@effect/sql-pg`.
 *
 * A URL takes libpq's parameters `sslmode`, `sslrootcert`, `connect_timeout`, `application_name`, `options`, `host`,
 * `port`, `user`, `password` and `dbname`, and `pool_max_conns`: how many connections are open at most (10).
 * `sslmode=require` verifies the certificate as `verify-full` does. Of a server that does not answer, whatever waits
 * for it fails within seconds, and what comes next tries anew.
 */
export const layer = (
  where: string,
  limits: Limits = standard
): Layer.Layer<SqlClient.SqlClient, SqlError | InvalidDatabase> => Layer.unwrap(open(where, limits))
