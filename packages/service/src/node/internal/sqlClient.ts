import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Net from "node:net"
import * as SqliteClient from "../SqliteClient.ts"
import * as DatabaseFile from "./databaseFile.ts"
import { InvalidDatabase } from "./invalidDatabase.ts"
import * as Passwords from "./passwords.ts"
import * as PostgresUrl from "./postgresUrl.ts"

/** How long PostgreSQL may take: each limit is longer than the one before it, which has more to say. */
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

const standard: Limits = {
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
      ? invalid("PostgreSQL requires the package @effect/sql-pg: npm install @effect/sql-pg")
      : invalid(`the package @effect/sql-pg cannot be loaded: ${String(error)}`)
})

/** In two halves, because after a pause of this process the first may be over before the result that came is read. */
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
  const url = yield* PostgresUrl.parse(where)
  const passwords = yield* Passwords.make(url.password, url.parameters.get("passfile"))
  const warnings = [...url.warnings, ...(passwords.warning === undefined ? [] : [passwords.warning])]
  yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })

  const { applicationName, connections, database, host, mustWrite, peer, port, ssl, user } = url
  const millis = (limit: Duration.Input) => Duration.toMillis(limit)
  const address: Net.NetConnectOpts = peer.startsWith("/") ? { path: `${peer}/.s.PGSQL.${port}` } : { host: peer, port }
  const config: PgPool.Config = {
    url: Redacted.make(url.href),
    host,
    port,
    database,
    password: passwords.of({ host, port, user, database: database ?? user }),
    // no interruption reaches a BEGIN or a COMMIT that never ends
    stream: () => endSilent(Net.connect({ ...address, noDelay: true }), millis(limits.silence)),
    ssl,
    maxConnections: connections,
    multiplex: true,
    applicationName,
    startupParameters: {
      // whatever the server's default is: after a wait for a lock, a statement has to see what was committed meanwhile
      default_transaction_isolation: "read committed",
      lock_timeout: String(millis(limits.lock)),
      statement_timeout: String(millis(limits.statement)),
      idle_in_transaction_session_timeout: String(millis(limits.idleTransaction))
    }
  }
  return Postgres.layer(config, mustWrite)
})

/** Not a path: `postgres://`, `sqlite:`, or `host=`. A drive of Windows has one letter. */
const prefix = /^(?:[a-z][a-z\d+.-]+:(?:\/\/)?|\w+ *=)/i

/** Only a path begins like this; two slashes also begin a URL that has lost its scheme. */
const rooted = /^(?:\.{0,2}[\\/](?!\/)|[a-z]:\\)/i

/** Whether a text has a URL or a password in it: within quotes, after a command, or without a scheme. */
const isMistyped = (where: string): boolean =>
  !rooted.test(where) && (where.includes("://") || /^[^:]*:[^]*@|password *=/i.test(where))

/** Whether a text is the path of a SQLite file, or `:memory:`, as far as its form tells. */
export const isPath = (where: string): boolean => !prefix.test(where.trim()) && !isMistyped(where.trim())

const open = Effect.fnUntraced(function* (text: string, limits: Limits) {
  const where = text.trim()
  const [kind] = prefix.exec(where) ?? []
  if (kind === undefined && isMistyped(where)) {
    return yield* invalid(
      "neither a postgres:// URL nor a path: remove quotes and anything else around it; if it is a file, pass ./…"
    )
  }
  // SQLite would leave out the slash, and make a file
  if (kind === undefined && where.endsWith("/")) return yield* invalid("a folder: pass the path of a file in it")
  const folder = kind === undefined ? DatabaseFile.folderOfMounted(where) : undefined
  if (folder !== undefined) {
    return yield* invalid(
      `the file is mounted alone: the log beside it (-wal), with the latest changes, would be lost with the container. Mount its folder, as in --volume=FOLDER:${folder}`
    )
  }
  if (kind === undefined) return SqliteClient.layer({ filename: where })
  if (/^postgres(ql)?:\/\/$/i.test(kind)) return yield* postgres(where, limits)
  const file = kind.endsWith("//") ? "" : `; if it is a file, pass ./${kind}…`
  return yield* invalid(`${kind} is not supported, only postgres://${file}`)
})

export const layer = (where: string, limits: Partial<Limits> = {}) =>
  Layer.unwrap(open(where, { ...standard, ...limits }))
