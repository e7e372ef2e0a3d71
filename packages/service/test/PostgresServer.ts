import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { execFile, execFileSync, spawn } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { selfSigned } from "./certificate.ts"
import * as Program from "./Program.ts"
import * as ServerProcess from "./ServerProcess.ts"

const postgres = Program.find("postgres")

/** Where the programs of the server are. */
export const bin = postgres === undefined ? undefined : dirname(postgres)

/** Name and version of the server that {@link layer} starts, or nothing where none is installed. */
export const version =
  postgres === undefined
    ? undefined
    : /PostgreSQL\)? [\d.]+/.exec(execFileSync(postgres, ["--version"], { encoding: "utf8" }))?.[0].replace(")", "")

/** A server of a test's own. */
export class PostgresServer extends Context.Service<
  PostgresServer,
  {
    readonly port: number
    /** A folder in which the server may write; it goes with the server. */
    readonly folder: string
    /** A file with the certificate that it shows to whoever asks for TLS; no authority has signed it. */
    readonly certificate: string
    /** Makes an empty database, and gives the URL that opens it. */
    readonly database: Effect.Effect<string>
    /** Ends all its processes: as an administrator does (`SIGINT`), or at once, as in a crash (`SIGQUIT`). */
    readonly stop: (signal: "SIGINT" | "SIGQUIT") => Effect.Effect<void>
    /** Starts it again over the same data, on the same port. */
    readonly start: Effect.Effect<void>
  }
>()("test/PostgresServer") {}

/** The server refuses to run as root: root lends it the identity that Debian made for it, or that of nobody. */
const identity = (() => {
  if (process.getuid?.() !== 0) return undefined
  const number = (option: string, user: string) => Number(execFileSync("id", [option, user], { stdio: "pipe" }))
  for (const user of ["postgres", "nobody"]) {
    try {
      return { uid: number("-u", user), gid: number("-g", user) }
    } catch {}
  }
  return undefined
})()

/** Gives a file or a folder to that identity. */
export const own = (path: string) => {
  if (identity !== undefined) chownSync(path, identity.uid, identity.gid)
  return path
}

/** A command line under that identity, which the kernel ends with the process that started it. */
export const asServer = (command: string, args: ReadonlyArray<string>): [string, Array<string>] =>
  identity === undefined
    ? [command, [...args]]
    : [
        "setpriv",
        [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, "--clear-groups", "--pdeathsig=INT", command, ...args]
      ]

/** Runs one of the programs that come with the server, such as `pg_dump`; under its identity if it is to write files. */
export const program = (name: string, args: ReadonlyArray<string>, as: "caller" | "server" = "caller") =>
  run(as === "server" ? asServer(join(bin ?? "", name), args) : [join(bin ?? "", name), args])

const run = ([command, args]: readonly [string, ReadonlyArray<string>], env: Record<string, string> = {}) =>
  Effect.callback<void, ServerProcess.ServerFailed>((resume) => {
    execFile(command, args, { env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", ...env } }, (error, _, stderr) =>
      resume(error === null ? Effect.void : new ServerProcess.ServerFailed({ message: `${error.message}\n${stderr}` }))
    )
  })

const launch = (args: ReadonlyArray<string>) =>
  ServerProcess.start(
    () => spawn(...asServer(postgres ?? "", args), { stdio: ["ignore", "ignore", "pipe"] }),
    "stderr",
    "ready to accept connections"
  )

const password = "p@ss/wörd: 100%"

const toArgs = (settings: Readonly<Record<string, string | number>>) =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** Of every server; a restored one needs as many connections as that of its backup. */
const fixed = { listen_addresses: "127.0.0.1", max_connections: 200, fsync: "off" }

/** Starts a server over a data folder that another one left, such as a restored one, and gives the URL of a database. */
export const over = Effect.fnUntraced(function* (data: string, settings: Readonly<Record<string, string>>) {
  const port = yield* ServerProcess.freePort
  const all = { ...fixed, unix_socket_directories: data, ...settings, port }
  yield* Effect.acquireRelease(launch(["-D", data, ...toArgs(all)]), (child) => ServerProcess.end(child, "SIGINT"))
  return (name: string) => `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`
})

const make = Effect.fnUntraced(function* (more: (folder: string) => Readonly<Record<string, string>>) {
  if (bin === undefined) return yield* new ServerProcess.ServerFailed({ message: Program.absence("postgres") ?? "" })
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "postgres-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const file = (name: string, text: string, mode = 0o600) => {
    writeFileSync(join(folder, name), text, { mode })
    return own(join(folder, name))
  }
  own(folder)
  const data = join(folder, "data")
  const { cert, key } = selfSigned()
  const certificate = file("server.crt", cert, 0o644)
  const initdb = `-D ${data} -U postgres -A scram-sha-256 --pwfile=${file("password", password)} -E UTF8 --no-locale --no-sync`
  yield* run(asServer(join(bin, "initdb"), initdb.split(" ")))
  chmodSync(folder, 0o755) // for the certificate, whoever reads it

  const settings = {
    ...fixed,
    unix_socket_directories: folder,
    ssl: "on",
    ssl_cert_file: certificate,
    ssl_key_file: file("server.key", key),
    ...more(folder)
  }
  const launchOn = (port: number) => launch(["-D", data, ...toArgs({ ...settings, port })])
  // another process may have taken the port by the time that the server asks for it
  const [first, port] = yield* ServerProcess.freePort.pipe(
    Effect.flatMap((port) => Effect.map(launchOn(port), (child) => [child, port] as const)),
    Effect.retry({ times: 5 })
  )
  let server = first
  yield* Effect.addFinalizer(() => ServerProcess.end(server, "SIGINT"))

  let databases = 0
  const database = Effect.suspend(() => {
    const name = `test${databases++}`
    const connection = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", name]
    return Effect.as(
      Effect.orDie(run([join(bin, "createdb"), connection], { PGPASSWORD: password })),
      `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`
    )
  })
  return PostgresServer.of({
    port,
    folder,
    certificate,
    database,
    stop: (signal) => Effect.suspend(() => ServerProcess.end(server, signal)),
    // its port may be that of a connection at the moment
    start: launchOn(port).pipe(
      Effect.retry({ times: 50, schedule: Schedule.spaced("100 millis") }),
      Effect.orDie,
      Effect.map((child) => {
        server = child
      })
    )
  })
})

/**
 * Starts a server on a free port of 127.0.0.1, with its data in a folder of its own; both go with the scope. What it
 * acknowledged survives the end of its processes, not that of the machine.
 */
export const layer = Layer.effect(
  PostgresServer,
  make(() => ({}))
)

/** The same with more settings, which may name files in its folder. */
export const layerWith = (settings: (folder: string) => Readonly<Record<string, string>>) =>
  Layer.effect(PostgresServer, make(settings))

/** Tests that need the server, whose name and version they receive. */
export const suite = (tests: (version: string) => void): void =>
  Program.suite(["postgres"], () => tests(version ?? "PostgreSQL"))
