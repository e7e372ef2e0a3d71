import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type { Administration } from "@cloud-management/service/Administration"
import * as Database from "@cloud-management/service/node/Database"
import type { Store, StoreUnavailable } from "@cloud-management/service/Store"
import { statSync } from "node:fs"
import * as Failure from "./Failure.ts"
import * as Setting from "./setting.ts"

/** The start of messages. */
export const setting = Setting.named("database")

/** What to do about what SQLite says of a file. */
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

/** Whether a value of `--database` is not a path. */
export const isUrl = (database: string) => !Database.isPath(database)

/** A path in the form for messages: quoted only if it cannot be a URL with a password, given by mistake. */
export const shown = (path: string) => (/:\/\/|[@=]/.test(path) ? "the file" : path)

/** What to do about a right that PostgreSQL denies: the statement that grants it, as the owner would run it. */
const grant = (words: string, database: string): string | undefined => {
  const [, kind = "", name = ""] = /^permission denied for (schema|database|table|sequence) (\S+)$/.exec(words) ?? []
  const user = URL.canParse(database) ? decodeURIComponent(new URL(database).username) : ""
  const rights = new Map([
    ["schema", "USAGE, CREATE"],
    ["database", "CONNECT, CREATE"],
    ["table", name === "audit_records" ? "SELECT, INSERT" : "SELECT, INSERT, UPDATE, DELETE"],
    ["sequence", "USAGE"]
  ]).get(kind)
  if (rights === undefined) return undefined
  const quoted = user === "" ? "USER" : `"${user.replaceAll('"', '""')}"`
  const statement = `Run in PostgreSQL, as the owner: GRANT ${rights} ON ${kind.toUpperCase()} ${name} TO ${quoted};`
  return name === "audit_records"
    ? `Only the owner can prune audit records. Every other command needs a right.\n${statement}`
    : statement
}

/** The root cause of a failure. */
const rootOf = (error: unknown): unknown => {
  if (error instanceof AggregateError) return rootOf(error.errors[0])
  return Predicate.hasProperty(error, "cause") && error.cause !== undefined ? rootOf(error.cause) : error
}

/** The codes of OpenSSL and Node for a certificate that is refused. */
const distrusted = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/

/** What to do about a refusal of PostgreSQL that lasts until someone changes a setting; nothing for one that may pass. */
const remedy = (error: StoreUnavailable, database: string): string | undefined => {
  const { message } = error
  const root = rootOf(error.cause)
  const code = Predicate.hasProperty(root, "code") ? String(root.code) : ""
  const [, quoted = ""] = /"([^"]*)"/.exec(message) ?? []
  const name = `"${quoted.replaceAll('"', '""')}"`
  if (code === "3D000") {
    return `Correct the name of the database in the URL, or run in PostgreSQL, as a user with that right: CREATE DATABASE ${name};`
  }
  if (code === "28P01" || message === "The server requested password authentication") {
    return "Correct the user and the password: in the URL, in PGPASSWORD, or in the password file (PGPASSFILE, ~/.pgpass)."
  }
  if (code === "28000" && message.endsWith("is not permitted to log in")) {
    return `Run in PostgreSQL, as an administrator: ALTER ROLE ${name} LOGIN;`
  }
  if (code === "28000") {
    return "Correct the user in the URL, or allow it to connect from this machine in pg_hba.conf. If the server requires TLS, add sslmode=verify-full."
  }
  if (message === "The server does not support TLS") return "Turn TLS on in the server, or correct sslmode in the URL."
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return "The certificate is for another host: put a host that it names in the URL, or use sslmode=verify-ca."
  }
  if (distrusted.test(code)) {
    return "The server's certificate is not trusted: add sslrootcert=PATH to the URL, with the PEM file of its authority, or renew the certificate."
  }
  if (code === "42501" && message.startsWith("must be owner of")) {
    return "This version upgrades the tables: run `cloud-management serve` once as their owner."
  }
  return grant(message, database)
}

/** Whether something else than PostgreSQL answers. */
const isForeign = (error: StoreUnavailable) => {
  const root = rootOf(error.cause)
  return (
    (Predicate.hasProperty(root, "_tag") && root._tag === "PgProtocolParseError") ||
    error.message.endsWith("in response to SSLRequest")
  )
}

const away = (message: string, ...advice: ReadonlyArray<string>) =>
  new Failure.Failure({
    tag: "DatabaseUnavailable",
    message,
    advice: advice.length === 0 ? undefined : advice.join("\n"),
    retryable: true,
    exit: "transient"
  })

/** What SQLite says of a disk that fails or is full: SQLITE_IOERR and SQLITE_FULL (sqlite.org/rescode.html). */
const ofDisk = new Set(["disk I/O error", "database or disk is full"])
const checkDisk = "Check that the disk has free space, and look for disk errors in the system's log."

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * A server may be away for now, a file be locked, or a disk be full; a file that does not open for another reason stays
 * so.
 */
const failure = (database: string) => (error: Layer.Error<ReturnType<typeof Database.layer>>) => {
  if (error._tag === "UnsupportedSchema") {
    const { supported, version } = error
    return Failure.usage(
      `${setting}: ${error.message}`,
      version > supported
        ? "Use the version of cloud-management that upgraded it or a later one, or restore a backup from before the upgrade."
        : version > 0
          ? "To upgrade them, start `cloud-management serve` of this version once."
          : "Check the database. `cloud-management admin seed` and `cloud-management admin organizations create` create the tables."
    )
  }
  if (error._tag === "InvalidDatabase") {
    return Failure.usage(
      `${setting}: ${error.message}`,
      /^postgres(ql)?:/i.test(database)
        ? "Correct this parameter in the URL: postgres://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE."
        : "Pass the path of a SQLite file, or the postgres:// URL of a server."
    )
  }
  if (isUrl(database)) {
    // a URL is not quoted, since it can hold a password
    const message = `${setting}: ${error.message}`
    if (error.isCorrupt) return Failure.corrupt(message)
    if (isForeign(error)) {
      return Failure.usage(
        `${setting}: the server in the URL does not speak PostgreSQL`,
        "Correct the host or the port."
      )
    }
    const root = rootOf(error.cause)
    if (Predicate.hasProperty(root, "code") && root.code === "55P03") {
      return away(
        `${setting}: the tables cannot be changed while another transaction uses them: ${error.message}`,
        "Nothing was changed. A running pg_dump uses them: try again when it has ended."
      )
    }
    const advice = remedy(error, database)
    return advice !== undefined
      ? Failure.usage(message, advice)
      : away(message, "Check that the server is running, and the host and port in the URL.")
  }
  const message = `${setting}: ${shown(database)}: ${error.message}`
  if (error.message === "database is locked") {
    return away(message, "Another process has held its lock for 5 seconds. Try again when that process has finished.")
  }
  if (ofDisk.has(error.message)) return away(message, checkDisk)
  if (isFolder(database))
    return Failure.usage(`${setting}: ${shown(database)} is a folder`, "Pass the path of a file in it.")
  const known = advice.get(error.message)
  return known === undefined && error.isCorrupt ? Failure.corrupt(message) : Failure.usage(message, known)
}

const ofAct =
  (...doubt: ReadonlyArray<string>) =>
  (database: string) =>
  (error: Failure.OfAdministration): Failure.Failure => {
    if (error._tag !== "StoreUnavailable") return Failure.fromAdministration(error)
    if (error.isCorrupt) return Failure.corrupt("the database is corrupt")
    if (error.isDenied) return failure(database)(error)
    const isServer = isUrl(database)
    const checks = isServer ? ["Check that the server is running."] : ofDisk.has(error.message) ? [checkDisk] : []
    const name = isServer ? setting : `${setting}: ${shown(database)}`
    return away(`${name}: ${error.message}`, ...checks, ...doubt)
  }

/** The failure of an act that changes the database in a value of `--database`. */
export const failureOf = ofAct("The change may have been made: list the records to find out.")

/** The failure of an act that only reads it. */
export const failureOfReading = ofAct()

/** The store for a value of `--database`; it closes with the scope. */
export const layer = (database: string): Layer.Layer<Store | Administration, Failure.Failure> =>
  Layer.effectContext(Effect.mapError(Layer.build(Database.layer(database)), failure(database)))

/** The same store without changing its tables. */
export const layerExisting = (database: string): Layer.Layer<Store | Administration, Failure.Failure> =>
  Layer.effectContext(Effect.mapError(Layer.build(Database.layerExisting(database)), failure(database)))
