import { Context, Effect, FileSystem, Layer, Predicate, Result } from "effect"
import { Audit } from "@cloud-management/service"
import { Administration } from "@cloud-management/service/Administration"
import { Database } from "@cloud-management/service/node"
import { Store } from "@cloud-management/service/Store"
import type { StoreUnavailable } from "@cloud-management/service/KeyStore"
import { statSync } from "node:fs"
import * as OperatingSystem from "node:os"
import process from "node:process"
import * as Failure from "../output/Failure.ts"
import * as Setting from "../input/setting.ts"

export const setting = Setting.named("database")

const advice = new Map([
  ["unable to open database file", "Check that its folder exists, and that this process can write to it."],
  [
    "attempt to write a readonly database",
    "Check that this process can write to the file, to those beside it (-wal, -shm), and to its folder."
  ],
  [
    "file is not a database",
    "Pass the path of a SQLite file, or of a new file. If this was a database, restore it from a backup."
  ]
])

export const isUrl = (database: string) => !Database.isPath(database)

/** A path in the form for messages: quoted only if it cannot be a URL with a password, given by mistake. */
export const shown = (path: string) => (/:\/\/|[@=]/.test(path) ? "the file" : path)

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** The names in a URL, as PostgreSQL quotes them. Messages have them in whatever language the server speaks. */
const named = (database: string) => {
  if (!URL.canParse(database)) return { user: "USER", name: "NAME" }
  const { pathname, searchParams, username } = new URL(database)
  const user = searchParams.get("user") ?? decodeURIComponent(username)
  return {
    user: quoted(user),
    name: quoted(searchParams.get("dbname") || decodeURIComponent(pathname.slice(1)) || user)
  }
}

/** The first in the search path of a URL, or what a message names, in most languages last; otherwise `public`. */
const schemaOf = (database: string, message: string): string => {
  const options = URL.canParse(database) ? (new URL(database).searchParams.get("options") ?? "") : ""
  const [, path] = /search_path=([^\s,]+)/.exec(options) ?? []
  if (path !== undefined) return path
  const words: ReadonlyArray<string> = message.match(/[a-z_][\w$]*/gi) ?? []
  return words.includes("public") ? "public" : (words.at(-1) ?? "public")
}

/** The statement that grants a right that PostgreSQL denies, as the owner would run it. */
const grant = ({ cause, message }: StoreUnavailable, database: string, code: string): string => {
  const { name, user } = named(database)
  const run = (rights: string, on: string) => `Run in PostgreSQL, as the owner: GRANT ${rights} ON ${on} TO ${user};`
  const reason = Predicate.hasProperty(cause, "reason") ? cause.reason : undefined
  if (Predicate.hasProperty(reason, "operation") && reason.operation === "connect")
    return run("CONNECT", `DATABASE ${name}`)
  const table = Database.tables.find((table) => message.split(/\W+/).includes(table))
  if (table === undefined) {
    const schema = schemaOf(database, code === "3F000" ? "" : message)
    const right = run("USAGE, CREATE", `SCHEMA ${schema === "public" ? schema : quoted(schema)}`)
    // the server names no schema, and each role can have a path of its own
    const other =
      code === "3F000" ? "\nIf SHOW search_path names another schema, create it if it is missing, and grant that." : ""
    return `To make the tables, run serve or admin once as the role that is to own them. Or let this one own them, but then it can change audit records.\n${right}${other}`
  }
  const others = Database.tables.filter((table) => table !== "audit_records").join(", ")
  // all at once: each start would find the next that is missing
  const all = `${run("SELECT, INSERT, UPDATE, DELETE", others)} GRANT SELECT, INSERT ON audit_records TO ${user};`
  return table === "audit_records"
    ? `Only the owner can prune audit records. Every other command needs these rights.\n${all}`
    : all
}

const rootOf = (error: unknown): unknown => {
  if (error instanceof AggregateError) return rootOf(error.errors[0])
  return Predicate.hasProperty(error, "cause") && error.cause !== undefined ? rootOf(error.cause) : error
}

const fieldOf = ({ cause }: StoreUnavailable, name: "code" | "routine" | "_tag"): string => {
  const root = rootOf(cause)
  return Predicate.hasProperty(root, name) && typeof root[name] === "string" ? root[name] : ""
}

/** The remedy for a refusal that lasts, by SQLSTATE (PostgreSQL, Appendix A): texts are in the server's language. */
const remedy = (error: StoreUnavailable, database: string): string | undefined => {
  const code = fieldOf(error, "code")
  const { name, user } = named(database)
  switch (code) {
    case "3D000":
      return `Correct the name of the database in the URL, or run in PostgreSQL, as a user with that right: CREATE DATABASE ${name};`
    case "28P01":
      return password
    case "28000":
      // what found out that the role may not log in; pg_hba.conf is looked at elsewhere
      return fieldOf(error, "routine") === "InitializeSessionUserId"
        ? `Run in PostgreSQL, as an administrator: ALTER ROLE ${user} LOGIN;`
        : "Correct the user in the URL, or allow it to connect from this machine in pg_hba.conf. If the server requires TLS, add sslmode=verify-full."
    case "42501":
    case "3F000":
      return grant(error, database, code)
    case "22P05":
      return "The encoding of the database cannot hold this text: use a database with the encoding UTF8."
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return "The certificate is for another host: put a host that it names in the URL, or use sslmode=verify-ca."
  }
  // the words of the driver
  if (error.message === "The server requested password authentication") return password
  if (error.message === "The server does not support TLS")
    return "Turn TLS on in the server, or correct sslmode in the URL."
  // a time that is over or to come needs nothing of this process, which is to start again
  if (!Failure.distrusted.test(code) || ofServer.has(code)) return error.remedy
  return "The server's certificate is not trusted: add sslrootcert=PATH to the URL, with the PEM file of its authority, or renew the certificate."
}

const password =
  "Correct the user and the password: in the URL, in PGPASSWORD, or in the password file (PGPASSFILE, ~/.pgpass)."

const away = (problem: string, ...advice: ReadonlyArray<string>) =>
  Failure.make("transient", "DatabaseUnavailable", `${setting}: ${problem}`, advice.join("\n") || undefined)

const refused = (problem: string, advice: string | undefined) => Failure.usage(`${setting}: ${problem}`, advice)

const ofServer = new Map([
  ["25006", "The server accepts no writes: it is a standby, or read-only. Put the primary's address into the URL."],
  ["53100", "Free space on the server's disk."],
  ["53300", "Raise max_connections of the server, or lower pool_max_conns in the URL of each process."],
  ["CERT_HAS_EXPIRED", "Renew the certificate of the server. Also check the clock of this machine."],
  ["CERT_NOT_YET_VALID", "Check the clock of this machine, and that of the server."]
])

const checkServer = (error: StoreUnavailable): string => {
  const code = fieldOf(error, "code")
  // a server that says so is there, unless it starts or stops
  const isThere = /^(?!08|57)\d[\dA-Z]{4}$/.test(code)
  const check = isThere
    ? "See the server's log."
    : "Check that the server is running, and the host and port in the URL."
  return ofServer.get(code) ?? check
}

/** SQLite's messages for SQLITE_IOERR and SQLITE_FULL (sqlite.org/rescode.html). */
const ofDisk = new Set(["disk I/O error", "database or disk is full"])
const checkDisk = "Check that the disk has free space, and look for disk errors in the system's log."

const found = (path: string) => Result.getOrUndefined(Result.try(() => statSync(path, { throwIfNoEntry: false })))

const ownerOf = (database: string): string | undefined => {
  const own = process.geteuid?.()
  for (const path of ["", "-wal", "-shm"].map((end) => database + end)) {
    const owner = found(path)?.uid
    if (own === undefined || owner === undefined || owner === own) continue
    return `User ${owner} owns ${shown(path)}, and this process runs as user ${own}. Run as an administrator: chown ${own} on the file and on those beside it (-wal, -shm).`
  }
  return undefined
}

/** A server can be unavailable, a file locked, a disk full: for now. A file that does not open otherwise stays so. */
const failure = (database: string) => (error: Layer.Error<ReturnType<typeof Database.layer>>) => {
  const { message } = error
  switch (error._tag) {
    case "UnsupportedSchema":
      return refused(
        message,
        error.version > error.supported
          ? "Use the version of cloud-management that upgraded it or a later one, or restore a backup from before the upgrade."
          : error.version > 0
            ? "To upgrade them, start `cloud-management serve` of this version once."
            : "Check the database, and that its role may use the schema of the tables. `cloud-management admin seed` and `cloud-management admin organizations create` create the tables."
      )
    case "ForeignTables":
      return refused(
        message,
        isUrl(database)
          ? "Nothing was changed. Give the service a database of its own, or a schema: options=-c search_path=NAME in the URL."
          : "No table was changed. Give the service a file of its own."
      )
    case "InvalidDatabase":
      return refused(
        message,
        /^postgres(ql)?:/i.test(database)
          ? "Correct this parameter in the URL, postgres://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE, or its variable, such as PGSSLMODE."
          : "Pass the path of a SQLite file, or the postgres:// URL of a server."
      )
  }
  // a URL is not quoted, since it can hold a password
  if (isUrl(database)) {
    if (error.isCorrupt) return Failure.corrupt(`${setting}: ${message}`)
    if (fieldOf(error, "_tag") === "PgProtocolParseError" || message.endsWith("in response to SSLRequest"))
      return refused("the server in the URL does not speak PostgreSQL", "Correct the host or the port.")
    if (fieldOf(error, "code") === "55P03") {
      return away(
        `the tables cannot be changed while another transaction uses them: ${message}`,
        "Nothing was changed. A running pg_dump uses them: try again when it has ended."
      )
    }
    const advice = remedy(error, database)
    return advice !== undefined ? refused(message, advice) : away(message, checkServer(error))
  }
  const problem = `${shown(database)}: ${message}`
  if (message === "database is locked")
    return away(problem, "Another process has held its lock for 5 seconds. Try again when that process has finished.")
  const there = found(database)
  if (there?.isDirectory() === true) return refused(`${shown(database)} is a folder`, "Pass the path of a file in it.")
  if (there?.isFile() === false) return refused(`${shown(database)} is not a file`, "Pass the path of a SQLite file.")
  if (ofDisk.has(message)) return away(problem, checkDisk)
  const known = advice.has(message) ? (ownerOf(database) ?? advice.get(message)) : undefined
  return known === undefined && error.isCorrupt ? Failure.corrupt(`${setting}: ${problem}`) : refused(problem, known)
}

const ofAct =
  (...doubt: ReadonlyArray<string>) =>
  (database: string) =>
  (error: Failure.OfAdministration): Failure.Failure => {
    if (error._tag !== "StoreUnavailable") return Failure.fromAdministration(error)
    if (error.isCorrupt) return Failure.corrupt("the database is corrupt")
    if (Predicate.isTagged(error.cause, "ClocksDiffer"))
      return away(error.message, "Set both clocks right, for example with NTP: keys expire by them.")
    const isServer = isUrl(database)
    if (isServer && remedy(error, database) !== undefined) return failure(database)(error)
    if (error.remedy !== undefined) return refused(`${shown(database)}: ${error.message}`, error.remedy)
    const checks = isServer ? [checkServer(error)] : ofDisk.has(error.message) ? [checkDisk] : []
    const problem = isServer ? error.message : `${shown(database)}: ${error.message}`
    return away(problem, ...checks, ...(error.isUndone === true ? [] : doubt))
  }

export const failureOf = ofAct("The change may have been made: list the records to find out.")

export const failureOfReading = ofAct()

export const layer = (database: string): Layer.Layer<Store | Administration, Failure.Failure> =>
  Layer.effectContext(Effect.mapError(Layer.build(Database.layer(database)), failure(database)))

export const layerOfService = (database: string): Layer.Layer<Store | Administration, Failure.Failure> =>
  Layer.provide(layer(database), Layer.succeed(Database.IsService, true))

/** A missing file would be created as an empty database, which would hide a mistyped path. */
const mustExist = Effect.fnUntraced(function* (database: string) {
  if (isUrl(database)) return
  const isThere = FileSystem.FileSystem.use((files) => files.exists(database))
  if (yield* Effect.orElseSucceed(isThere, () => true)) return
  return yield* refused(
    `${shown(database)} does not exist`,
    "Check the path. `cloud-management admin seed` and `cloud-management admin organizations create` create a new database."
  )
})

// a user ID without a name, as containers have them, is told by its number
const user = Effect.orElseSucceed(
  Effect.try(() => OperatingSystem.userInfo().username),
  () => String(process.getuid?.() ?? "unknown")
)

/** Logged even if the database does not confirm it. Interruption waits, so that no act lacks its record. */
export const logged = Effect.fnUntraced(function* <A, E extends Failure.OfAdministration>(
  event: Audit.Event,
  given: Audit.Fields,
  act: (entry: Audit.Entry) => Effect.Effect<A, E>,
  isDone: (result: A) => boolean = () => true
) {
  const fields = { actor: `operator:${yield* user}`, ...given }
  return yield* act({ event, ...fields }).pipe(
    Effect.tap((result) => (isDone(result) ? Audit.write(event, fields) : Effect.void)),
    Effect.tapError((error) =>
      error._tag === "StoreUnavailable" && error.isUndone !== true
        ? Audit.write("act.unconfirmed", { ...fields, act: event })
        : Effect.void
    )
  )
}, Effect.uninterruptible)

const ports = Effect.fnUntraced(function* (
  database: string,
  make: typeof Database.layer,
  failureOfAct: ReturnType<typeof ofAct>
) {
  const context = yield* Effect.mapError(Layer.build(make(database)), failure(database))
  const [administration, store] = [Context.get(context, Administration), Context.get(context, Store)]
  return { administration, store, logged, failure: failureOfAct(database) }
})

/** Opens a database for changes: its tables are created or upgraded. */
export const open = (database: string, mayBeNew: boolean) =>
  Effect.andThen(mayBeNew ? Effect.void : mustExist(database), ports(database, Database.layer, failureOf))

export const existing = (database: string) =>
  Effect.andThen(mustExist(database), ports(database, Database.layerExisting, failureOfReading))
