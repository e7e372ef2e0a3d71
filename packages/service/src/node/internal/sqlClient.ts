import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { readFileSync } from "node:fs"
import * as Net from "node:net"
import type { ConnectionOptions } from "node:tls"
import * as SqliteClient from "../SqliteClient.ts"

/**
 * What names no database that can be used; the message never quotes a URL, which can hold a password.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidDatabase extends Data.TaggedError("InvalidDatabase")<{
  readonly message: string
}> {}

/**
 * How long PostgreSQL may take.
 *
 * **Details**
 *
 * Each limit is longer than the one before it, which has more to say.
 *
 * @category models
 * @since 0.1.0
 */
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

/**
 * 3 seconds for a lock, 5 for a statement, 6 of silence, 10 between the statements of a transaction.
 *
 * @category constants
 * @since 0.1.0
 */
export const standard: Limits = {
  lock: "3 seconds",
  statement: "5 seconds",
  silence: "6 seconds",
  idleTransaction: "10 seconds"
}

const invalid = (message: string) => new InvalidDatabase({ message })

const driver = Effect.tryPromise({
  try: () => import("./postgres.ts"),
  catch: (error) =>
    Predicate.hasProperty(error, "code") && error.code === "ERR_MODULE_NOT_FOUND"
      ? invalid("PostgreSQL needs the package @effect/sql-pg: npm install @effect/sql-pg")
      : invalid(`the package @effect/sql-pg does not load: ${String(error)}`)
})

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** As libpq names the settings of TLS; what asks for it also verifies the certificate. */
const tls = Effect.fnUntraced(function* (parameters: ReadonlyMap<string, string>) {
  const [mode, authority] = [parameters.get("sslmode"), parameters.get("sslrootcert")]
  if (mode !== undefined && !modes.includes(mode)) return yield* invalid(`sslmode: one of ${modes.join(", ")}`)
  if (authority === undefined || mode === "disable") return undefined // left to the driver
  const ca = yield* Effect.try({
    try: () => readFileSync(authority, "utf8"),
    catch: () => invalid(`sslrootcert: ${authority} cannot be read`)
  })
  return { ca, ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }) } satisfies ConnectionOptions
})

/** The driver ignores any other, and so would leave TLS off where `sslmode` is mistyped. */
const known =
  "host, port, user, password, dbname, sslmode, sslrootcert, connect_timeout, application_name, options, pool_max_conns"

const decode = (part: string, text: string) =>
  Effect.try({ try: () => decodeURIComponent(text), catch: () => invalid(`${part}: a % that encodes nothing`) })

const whole = (problem: string, text: string, least: number, most = Infinity) =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most ? Effect.succeed(Number(text)) : invalid(problem)

/** What a URL says; the driver reads user, password and some of the parameters out of it once more. */
const parse = Effect.fnUntraced(function* (where: string) {
  // what libpq takes and a URL does not: a # in any place, and a user without a host
  const text = where.replaceAll("#", "%23").replace(/^(\w+:\/\/[^/?]*@)([/?]|$)/, "$1localhost$2")
  const url = yield* Effect.try({ try: () => new URL(text), catch: () => invalid("no URL of one PostgreSQL server") })
  const parameters: ReadonlyMap<string, string> = new Map(url.searchParams)
  const user = yield* decode("user", url.username)
  yield* decode("password", url.password)
  const host = yield* decode("host", url.hostname)
  const database = yield* decode("dbname", url.pathname.slice(1))
  if ((parameters.get("user") ?? user) === "") return yield* invalid("user: the URL has none")
  for (const name of parameters.keys()) {
    if (known.split(", ").includes(name)) continue
    // which can be what follows a ? or a & in a password
    const shown =
      /[?&]password=/.test(where) || where.includes("@", where.indexOf("?")) ? "a parameter" : `parameter ${name}`
    return yield* invalid(`${shown} is unknown; known: ${known}`)
  }
  yield* whole("connect_timeout: not a number of seconds", parameters.get("connect_timeout") ?? "5", 0)
  return {
    url: url.href,
    parameters,
    host: parameters.get("host") ?? (host.replace(/^\[|\]$/g, "") || "localhost"),
    port: yield* whole("port: not from 1 to 65535", parameters.get("port") ?? (url.port || "5432"), 1, 65_535),
    database: parameters.get("dbname") ?? (database || undefined),
    connections: yield* whole(
      "pool_max_conns: not a number of connections",
      parameters.get("pool_max_conns") ?? "10",
      1
    ),
    ssl: yield* tls(parameters)
  }
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

const postgres = Effect.fnUntraced(function* (where: string, limits: Limits) {
  const Postgres = yield* driver
  const { connections, database, host, parameters, port, ssl, url } = yield* parse(where)

  const millis = (limit: Duration.Input) => Duration.toMillis(limit)
  const address: Net.NetConnectOpts = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  // no interruption reaches a BEGIN or a COMMIT that is never answered
  const connect = () => endSilent(Net.connect({ ...address, noDelay: true }), millis(limits.silence))
  return Postgres.layer({
    url: Redacted.make(url),
    host,
    port,
    database,
    stream: connect,
    ssl,
    maxConnections: connections,
    multiplex: true,
    applicationName: parameters.get("application_name") ?? "cloud-management",
    startupParameters: {
      lock_timeout: String(millis(limits.lock)),
      statement_timeout: String(millis(limits.statement)),
      idle_in_transaction_session_timeout: String(millis(limits.idleTransaction))
    }
  })
})

/** How begins what is no path: `postgres://`, `sqlite:`, or `host=`. A drive of Windows has one letter. */
const prefix = /^(?:[a-z][a-z\d+.-]+:(?:\/\/)?|\w+ *=)/i

/**
 * Whether a text is the path of a SQLite file, or `:memory:`, as far as its form tells.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isPath = (where: string): boolean => !prefix.test(where)

const open = (
  where: string,
  limits: Limits
): Effect.Effect<Layer.Layer<SqlClient.SqlClient, SqlError>, InvalidDatabase> => {
  const [kind] = prefix.exec(where) ?? []
  if (kind === undefined) return Effect.succeed(SqliteClient.layer({ filename: where }))
  if (/^postgres(ql)?:\/\/$/i.test(kind)) return postgres(where, limits)
  const file = kind.endsWith("//") ? "" : `; if it is a file, pass ./${kind}…`
  return invalid(`${kind} is not supported, only postgres://${file}`)
}

/** A client of the database that a text names, as `Database.layer` does. */
export const layer = (
  where: string,
  limits: Limits = standard
): Layer.Layer<SqlClient.SqlClient, SqlError | InvalidDatabase> => Layer.unwrap(open(where, limits))
