import { describe, expect, it, layer, vi } from "../../../checks/fixtures/vitest.ts"
import { Clock, ConfigProvider, Context, DateTime, Deferred, Effect, Fiber, Layer, Metric, Option } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import { writeFile } from "node:fs/promises"
import * as Net from "node:net"
import { dirname, join, relative } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Database } from "@cloud-management/service/node"
import { Seed } from "@cloud-management/service"
import { Store } from "@cloud-management/service/Store"
import * as Corruption from "../src/frame/failure.ts"
import { pooler } from "../src/node/internal/invalidDatabase.ts"
import * as Client from "../src/node/internal/sqlClient.ts"
import * as Measures from "../src/frame/telemetry/measures.ts"
import * as SqlStore from "../src/sql/SqlStore.ts"
import { selfSigned } from "../../../checks/fixtures/certificate.ts"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Listener from "../../../checks/fixtures/Listener.ts"
import * as PostgresServer from "../../../checks/fixtures/PostgresServer.ts"
import * as Program from "../../../checks/fixtures/Program.ts"
import { tracing } from "../../../checks/fixtures/Spans.ts"
import * as SqliteFile from "./SqliteFile.ts"
import { keyId, organizationId, withKeys } from "../../../checks/fixtures/Tenants.ts"
import { logged } from "./Served.ts"
import { deletion } from "./StoreContract.ts"
import * as TcpProxy from "../../../checks/fixtures/TcpProxy.ts"

const list =
  "a list of servers is not supported: name one address that leads to the primary, such as HAProxy's, and add target_session_attrs=read-write"

// some wait for a server to start, or for the end of a limit
vi.setConfig({ testTimeout: 90_000 })

const [a, b] = [keyId("a", 0), keyId("a", 1)]

/** Variables of the environment, in which no other home is. */
const surroundings = (env: Readonly<Record<string, string>>) =>
  ConfigProvider.layer(ConfigProvider.fromEnv({ env: { HOME: "/nowhere", ...env } }))

const client = (where: string, limits?: Partial<Client.Limits>) =>
  Layer.build(Layer.fresh(Client.layer(where, limits))).pipe(
    Effect.map((context) => Context.get(context, SqlClient.SqlClient))
  )

const open = Effect.fnUntraced(function* (where: string, limits?: Partial<Client.Limits>) {
  const database = Layer.provide(SqlStore.layer, Client.layer(where, limits))
  const store = Context.get(yield* Layer.build(Layer.fresh(database)), Store)
  yield* store.seed(yield* Seed.fromDocument(withKeys("a", 2)))
  return {
    ...store,
    deleteB: store.deleteApiKey(organizationId("a"), b, a, deletion),
    hasB: Effect.map(store.apiKey(b), Option.isSome)
  }
})

/** Stores of one database that start and seed at once: the tables are built once, and one seed is taken, as a whole. */
const startTogether = Effect.fnUntraced(function* (where: string) {
  const store = Layer.fresh(Database.layer(where))
  const start = Effect.fnUntraced(function* (n: number) {
    const { apiKey, seed } = Context.get(yield* Layer.build(store), Store)
    const taken = yield* seed(yield* Seed.fromDocument(withKeys(String(n), 2)))
    return { apiKey, taken, key: keyId(String(n), 1) }
  })
  const started = yield* Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7], start, { concurrency: "unbounded" })
  expect(started.filter(({ taken }) => taken)).toHaveLength(1)
  for (const { apiKey } of started) {
    for (const { key, taken } of started) expect(Option.isSome(yield* apiKey(key))).toBe(taken)
  }
})

const unavailable = (tag: unknown) => ({ _tag: "StoreUnavailable", cause: { _tag: "SqlError", reason: { _tag: tag } } })
const away = unavailable(expect.stringMatching(/ConnectionError|UnknownError/))

const unknown =
  "is unknown; known parameters are host, hostaddr, port, user, password, passfile, dbname, sslmode, sslrootcert, sslcert, sslkey, sslpassword, sslcrl, sslsni, ssl_min_protocol_version, ssl_max_protocol_version, gssencmode, channel_binding, target_session_attrs, connect_timeout, application_name, options, pool_max_conns"
const slash = "the password has a / that ends the host before it begins: write / as %2F, ? as %3F and # as %23"

const mistyped =
  "neither a postgres:// URL nor a path: remove quotes and anything else around it; if it is a file, pass ./…"

const withParameters = (url: string, parameters: Record<string, string>) => `${url}?${new URLSearchParams(parameters)}`

describe("a SQLite file", () => {
  it.effect.each<[how: string, happen: (file: string) => void]>([
    ["removed", (file) => Fs.rmSync(file)],
    ["moved", (file) => Fs.renameSync(file, `${file}.old`)],
    [
      "replaced",
      (file) => {
        Fs.renameSync(file, `${file}.old`)
        Fs.copyFileSync(`${file}.old`, file)
      }
    ],
    ["truncated", (file) => Fs.truncateSync(file)],
    ["left without its log", (file) => Fs.rmSync(`${file}-wal`)],
    ["left with an empty log", (file) => Fs.truncateSync(`${file}-wal`)],
    ["left with a shorter log", (file) => Fs.truncateSync(`${file}-wal`, 100)],
    ["left without the index of its log", (file) => Fs.rmSync(`${file}-shm`)]
  ])("that was %s while it was open takes no deletion, which would be lost, and is not ready", function* ([, happen]) {
    const file = yield* SqliteFile.name
    const { deleteB, hasB, ping } = yield* open(` ${file}`)
    yield* ping
    happen(file)
    const message = `${file} was removed, replaced or truncated while it was open: put the right file there and restart the service`
    for (const write of [deleteB, ping, deleteB])
      expect(yield* Effect.flip(write)).toMatchObject({ _tag: "StoreUnavailable", message })
    yield* hasB
  })

  it.effect("takes deletions when it is back, and after other processes made it or its log shorter", function* () {
    const file = yield* SqliteFile.name
    const { deleteB, ping, recordUse } = yield* open(file)
    Fs.renameSync(file, `${file}.old`)
    expect(yield* Effect.flip(ping)).toMatchObject({ _tag: "StoreUnavailable" })
    Fs.renameSync(`${file}.old`, file)
    yield* ping
    for (const sql of [
      "CREATE TABLE large AS SELECT zeroblob(1000000) AS content; PRAGMA wal_checkpoint(TRUNCATE)",
      "DROP TABLE large; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"
    ]) {
      const other = new DatabaseSync(file)
      other.exec(sql)
      other.close()
      yield* ping
      yield* recordUse([a], DateTime.makeUnsafe(0))
    }
    expect(yield* deleteB).toBe("deleted")
  })

  it.effect("lets any number of stores start and seed at once", () => Effect.flatMap(SqliteFile.name, startTogether))
})

describe("a database is named by", () => {
  it.effect("the path of a SQLite file, or :memory:", function* () {
    const inside = yield* SqliteFile.name
    for (const where of [":memory:", inside, `${dirname(inside)}/a:b=c.db`]) {
      const sql = yield* client(where)
      expect(yield* sql`SELECT count(*) AS tables FROM sqlite_schema`).toEqual([{ tables: 0 }])
    }
  })

  it("a path of Windows, or one that says that it is a path", () => {
    for (const where of [
      "C:\\data\\cloud.db",
      "C:\\a@b\\cloud.db",
      "c:/data/cloud.db",
      "./sqlite:cloud.db",
      "../a:b@c",
      "/a:b@c",
      "./host=a",
      "a b=c.db",
      "a@b.db"
    ]) {
      expect(Database.isPath(where)).toBe(true)
    }
  })

  const url = "postgres://u:p4ss@h/x"
  const only = (scheme: string) => `${scheme} is not supported, only postgres://; if it is a file, pass ./${scheme}…`
  const verified =
    "channel_binding=require is supported only with sslmode=verify-full: add that, or omit channel_binding"
  const noUrl = "not the URL of a PostgreSQL server"
  const percent = "has a % that encodes nothing: write % as %25"
  it.effect.each<[what: string, where: string, message: string]>([
    ["a folder that is not there yet", "missing/", "a folder: pass the path of a file in it"],
    ["another kind of server", "mysql://root:p4ss@localhost/x", "mysql:// is not supported, only postgres://"],
    ["a scheme alone", "sqlite:foo.db", only("sqlite:")],
    ["a URI of SQLite", "file:foo.db?mode=ro", only("file:")],
    ["libpq's other form", "host = 127.0.0.1 password=p4ss", only("host =")],
    ["a URL in quotes", `"${url}"`, mistyped],
    ["a URL without a colon", "postgres//u:p4ss@h/x", mistyped],
    ["a URL without a scheme, but its slashes", "//u:p4ss@h/x", mistyped],
    ["libpq's other form in quotes", "'host=h password=p4ss/'", mistyped],
    ["a URL with white space around it", "\ufeff postgres://u:p4ss@:1/x\n", noUrl],
    ["no host", "postgres://u:p4ss@:1/x", noUrl],
    ["a host that is no text", "postgres://u:p4ss@%zz/x", `host ${percent}`],
    ["a user that is no text", "postgres://u%zz:p4ss@h/x", `user ${percent}`],
    ["a password that is no text", "postgres://u:p4ss%zz@h/x", `password ${percent}`],
    ["a name that is no text", "postgres://u:p4ss@h/%zz", `dbname ${percent}`],
    ["no user", "postgres://h/x", "the URL has no user"],
    ...`port=65536 port=1,2 connect_timeout=abc pool_max_conns=0 pool_max_conns=1.5 sslmode=maybe channel_binding=on
      target_session_attrs=master`
      .split(/\s+/)
      .map((given): [string, string, string] => {
        const [name] = given.split("=")
        return [given, `${url}?${given}`, expect.stringMatching(`^${name} must be (a number|one of) \\S`)]
      }),
    ["a parameter mistyped", `${url}?sslmod=verify-full`, `parameter sslmod ${unknown}`],
    ["a parameter in capitals", `${url}?SSLMODE=require`, `parameter SSLMODE ${unknown}`],
    ["a parameter after a #", `${url}?options=#&sslmod=require`, `parameter sslmod ${unknown}`],
    ["what may be a part of a password", "postgres://u@h/x?password=a&p4ss", `a parameter ${unknown}`],
    ["one that is not encoded at all", "postgres://u:a@1?p4ss=@h/x", `a parameter ${unknown}`],
    ["a / in a password", "postgres://u:a/p4ss@h/x", slash],
    ["a / and a ? in a password", "postgres://u:/p4ss?@h/x", slash],
    ["encryption by GSSAPI", `${url}?gssencmode=require`, "gssencmode must be one of disable, prefer"],
    ["a version of TLS that is none", `${url}?ssl_min_protocol_version=1.2`, expect.stringContaining("TLSv1.2")],
    ["a certificate without its key", `${url}?sslcert=/c`, "sslcert and sslkey are needed together"],
    ["a certificate that is not there", `${url}?sslcert=/no&sslkey=/no`, "sslcert: /no cannot be read"],
    ["a pooler by transaction", `${url}?pgbouncer=true`, expect.stringContaining("(pgbouncer=true) is not supported")],
    ["channel binding without verification", `${url}?channel_binding=require&sslmode=prefer`, verified],
    ["channel binding without a verified name", `${url}?channel_binding=require&sslmode=verify-ca`, verified],
    ["a standby", `${url}?target_session_attrs=standby`, expect.stringContaining("a server that accepts no writes")],
    ["several servers", "postgres://u:p4ss@h:1,i:2/x", list],
    ["several servers behind a comma in the password", "postgres://u:p4ss,@h,i", list],
    ["several servers as parameters", "postgres://u:p4ss@/x?host=h,i&port=1,2", list],
    ["the system's authorities", `${url}?sslrootcert=system&sslmode=prefer`, expect.stringContaining("verify-full")],
    ["an authority that is not there", `${url}?sslrootcert=/no`, "sslrootcert: /no cannot be read"],
    ["an empty authority", `${url}?sslrootcert=/dev/null`, "sslrootcert: /dev/null contains no certificate"]
  ])("but not by %s", function* ([, where, message]) {
    const error = yield* Effect.flip(client(where))
    expect(error).toMatchObject({ _tag: "InvalidDatabase", message })
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain("p4ss")
  })
})

it.effect.each<[parameters: string, warning?: string]>([
  [
    "sslmode=require&channel_binding=require",
    "channel_binding=require, which is ignored: its certificate and its name are verified"
  ],
  ["keepalives_idle=30", "the parameter keepalives_idle, which is ignored"],
  ["client_encoding=UTF8", "the parameter client_encoding, which is ignored"],
  ["gssencmode=disable"],
  [
    "target_session_attrs=prefer-standby",
    "target_session_attrs=prefer-standby, which is ignored: a server that accepts writes is used"
  ],
  ...[
    "channel_binding=prefer",
    ...["read-write", "primary", "any"].map((value) => `target_session_attrs=${value}`)
  ].map((parameter): [string] => [parameter])
])("a URL can have %s, with a warning about what has no effect: %s", function* ([parameters, warning]) {
  // nobody listens there
  const { lines, value } = yield* logged(Effect.flip(client(`postgres://u:p@127.0.0.1:1/x?${parameters}`)))
  expect(value).toMatchObject({ _tag: "SqlError" })
  expect(lines).toMatchObject(warning === undefined ? [] : [{ message: `the database's URL has ${warning}` }])
})

it.effect("an authority can come through a pipe, whose writer is waited for beside all else", function* () {
  const pipe = join(yield* Child.folder(), "authority")
  execFileSync("mkfifo", [pipe])
  const [error] = yield* Effect.all(
    [Effect.flip(client(`postgres://u:p4ss@h/x?sslrootcert=${pipe}`)), Effect.promise(() => writeFile(pipe, "none"))],
    { concurrency: 2 }
  )
  expect(error).toMatchObject({ _tag: "InvalidDatabase", message: `sslrootcert: ${pipe} contains no certificate` })
})

it.effect.each(["takes the connection and says nothing", "ends the connection"])(
  "a server that %s is asked once at the start",
  function* (what) {
    let connections = 0
    const server = Net.createServer((socket) => {
      connections++
      if (what.startsWith("ends")) socket.destroy()
    })
    const url = `postgres://u:p4ss@127.0.0.1:${yield* Listener.port(server)}/x`
    expect(yield* Effect.flip(open(url, { silence: "100 millis" }))).toMatchObject({
      reason: { _tag: "ConnectionError" }
    })
    expect(connections).toBe(1)
  }
)

/** Makes the sessions of a database read only, or not: all that there are end, since they keep what they began with. */
const setReadOnly = Effect.fnUntraced(function* (where: string, value: "on" | "off") {
  const [url = ""] = where.split("?")
  const owner = yield* client(withParameters(url, { options: "-c default_transaction_read_only=off" }))
  yield* owner`ALTER DATABASE ${owner(new URL(where).pathname.slice(1))} SET default_transaction_read_only = ${owner.literal(value)}`
  yield* owner`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
}, Effect.scoped)

/** In how many writes an effect sends what it has to say to a port. */
const writesTo = <A, E, R>(port: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const write = yield* Effect.acquireRelease(
      Effect.sync(() => vi.spyOn(Net.Socket.prototype, "write")),
      (write) => Effect.sync(() => write.mockRestore())
    )
    yield* effect
    const isToPort = (socket: unknown) => socket instanceof Net.Socket && socket.remotePort === port
    return write.mock.contexts.filter(isToPort).length
  }).pipe(Effect.scoped)

PostgresServer.suite((version) => {
  layer(PostgresServer.layer, { excludeTestServices: true, timeout: "3 minutes" })(version, (it) => {
    const database = Effect.flatMap(PostgresServer.PostgresServer, ({ database }) => database)
    const proxied = Effect.fnUntraced(function* (tampering?: Parameters<typeof TcpProxy.open>[2]) {
      const { database, port } = yield* PostgresServer.PostgresServer
      const proxy = yield* TcpProxy.open(port, undefined, tampering)
      const direct = yield* database
      return { proxy, direct, url: direct.replace(`:${port}/`, `:${proxy.port}/`) }
    })

    it.effect("has the limits of the service in its sessions", function* () {
      const sql = yield* client(yield* database)
      expect(
        yield* sql`SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
          current_setting('idle_in_transaction_session_timeout') AS idle,
          current_setting('application_name') AS name, current_setting('transaction_isolation') AS isolation`
      ).toEqual([{ lock: "3s", statement: "5s", idle: "10s", name: "cloud-management", isolation: "read committed" }])
    })

    it.effect("is reached over a Unix socket", function* () {
      const { certificate, port } = yield* PostgresServer.PostgresServer
      const url = new URL(yield* database)
      const parameters = { host: dirname(certificate), port: String(port) }
      const name = url.pathname.slice(1)
      for (const [place, and] of [
        [`@ignored/${name}`, {}],
        [`@/${name}`, {}],
        ["@", { dbname: name }]
      ] as const) {
        const sql = yield* client(
          withParameters(`postgresql://postgres:${url.password}${place}`, { ...parameters, ...and })
        )
        const rows = yield* sql`SELECT inet_client_addr() AS address, current_database() AS name`
        expect(rows).toStrictEqual([{ address: null, name }])
      }
    })

    it.effect("takes each parameter that is known, the last of a name", function* () {
      const { certificate, port } = yield* PostgresServer.PostgresServer
      const { password, pathname } = new URL(yield* database)
      const parameters = new URLSearchParams({
        host: "127.0.0.1",
        port: String(port),
        user: "postgres",
        password: decodeURIComponent(password),
        dbname: pathname.slice(1),
        sslmode: "verify-full",
        sslrootcert: certificate,
        connect_timeout: "3",
        application_name: "named #1",
        options: "-c work_mem=65kB",
        pool_max_conns: "1",
        // with a warning
        channel_binding: "require",
        keepalives_idle: "30",
        target_session_attrs: "prefer-standby"
      })
      // as in libpq, a + in a password is one
      const text = String(parameters).replaceAll("+", "%20")
      const sql = yield* client(`postgres://nobody:wrong@192.0.2.1:1/none?sslmode=disable&${text}`)
      const rows = yield* sql`SELECT current_user AS user, current_database() AS dbname, ssl,
        current_setting('application_name') AS name, current_setting('work_mem') AS options
        FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
      expect(rows).toStrictEqual([
        { user: "postgres", dbname: pathname.slice(1), ssl: true, name: "named #1", options: "65kB" }
      ])
    })

    /** Puts a rule before those by which the server lets roles in, until the test ends. */
    const admit = Effect.fnUntraced(function* (owner: SqlClient.SqlClient, rule: string) {
      const [setting] = yield* owner`SHOW hba_file`
      const path = String(setting?.["hba_file"])
      const rules = Fs.readFileSync(path, "utf8")
      yield* Effect.addFinalizer(() => Effect.sync(() => Fs.writeFileSync(path, rules)))
      Fs.writeFileSync(path, `${rule}\n${rules}`)
      yield* owner`SELECT pg_reload_conf()`
    })

    const usesTls = (sql: SqlClient.SqlClient) =>
      Effect.map(sql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`, ([row]) => row?.["ssl"])

    it.effect("is spoken to over TLS when the URL says so, and only with a certificate that is trusted", function* () {
      const url = yield* database
      const { certificate } = yield* PostgresServer.PostgresServer
      const open = (parameters: Record<string, string>) => client(withParameters(url, parameters))
      for (const sslmode of ["require", "verify-ca", "verify-full", "prefer"]) {
        expect(yield* usesTls(yield* open({ sslmode, sslrootcert: certificate }))).toBe(true)
        const error = yield* Effect.flip(open({ sslmode }))
        expect(error).toMatchObject({ reason: { cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } } })
      }
      const untrusted = yield* Effect.flip(open({ sslrootcert: "system" }))
      expect(untrusted).toMatchObject({ reason: { cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } } })
      expect(yield* usesTls(yield* open({ sslmode: "disable", sslrootcert: certificate }))).toBe(false)
      expect(yield* usesTls(yield* client(url))).toBe(false)
    })

    it.effect("is spoken to as the variables of libpq say, where the URL does not", function* () {
      const url = yield* database
      const { certificate } = yield* PostgresServer.PostgresServer
      const open = (env: Readonly<Record<string, string>>, parameters = {}) =>
        Effect.provide(client(withParameters(url, parameters)), surroundings(env))
      const trusting = { PGSSLMODE: "verify-full", PGSSLROOTCERT: certificate }
      expect(yield* usesTls(yield* open(trusting))).toBe(true)
      expect(yield* usesTls(yield* open(trusting, { sslmode: "disable" }))).toBe(false)
      expect(yield* usesTls(yield* open({ PGSSLMODE: "", PGSSLROOTCERT: "" }))).toBe(false)
      expect(yield* Effect.flip(open({ PGSSLMODE: "verify-full" }))).toMatchObject({ _tag: "SqlError" })
      expect(yield* Effect.flip(open({ PGSSLMODE: "on" }))).toMatchObject({
        message: expect.stringMatching(/^sslmode must be one of/)
      })
      const sql = yield* open({ PGOPTIONS: "-c work_mem=65kB", PGTARGETSESSIONATTRS: "read-write" })
      expect(yield* sql`SHOW work_mem`).toEqual([{ work_mem: "65kB" }])
    })

    it.effect("is opened with PGPASSWORD, or a password file that only its owner can read", function* () {
      const { port } = yield* PostgresServer.PostgresServer
      const full = new URL(yield* database)
      const password = decodeURIComponent(full.password)
      const escaped = password.replace(/[\\:]/g, "\\$&")
      const folder = yield* Child.folder()
      const file = (name: string, mode: number, ...lines: ReadonlyArray<string>) => {
        Fs.writeFileSync(join(folder, name), lines.join("\n"), { mode })
        return join(folder, name)
      }
      const url = `postgres://postgres@127.0.0.1:${port}${full.pathname}`
      const login = Effect.fnUntraced(function* (env: Record<string, string>, where = url) {
        return yield* Effect.match(Effect.provide(client(where), surroundings(env)), {
          onFailure: (error) => (error._tag === "SqlError" ? error.reason._tag : error._tag),
          onSuccess: () => "connected"
        })
      })
      const entry = `127.0.0.1:${port}:*:postgres:${escaped}`
      expect(yield* login({ PGPASSWORD: password })).toBe("connected")
      expect(yield* login({ PGPASSWORD: "wrong" })).toBe("AuthenticationError")
      // that of the URL comes first
      expect(yield* login({ PGPASSWORD: "wrong" }, full.href)).toBe("connected")

      file(".pgpass", 0o600, "127.0.0.1:1:*:postgres:wrong", entry)
      expect(yield* login({ HOME: folder })).toBe("connected")
      expect(yield* login({ HOME: folder, PGPASSWORD: "wrong" })).toBe("AuthenticationError")
      // in whatever folder this process happens to run
      expect(yield* login({ HOME: relative(process.cwd(), folder) })).toBe("AuthenticationError")
      expect(yield* login({ PGPASSFILE: file("others", 0o644, entry) })).toBe("AuthenticationError")
      Fs.symlinkSync("loop", join(folder, "loop"))
      expect(yield* login({ PGPASSFILE: join(folder, "loop") })).toBe("AuthenticationError")
      expect(yield* login({}, withParameters(url, { passfile: join(folder, ".pgpass") }))).toBe("connected")
      expect(yield* login({})).toBe("AuthenticationError")
    })

    it.effect("is opened with passwords that SCRAM prepares, as they are for MD5", function* () {
      const { database, port } = yield* PostgresServer.PostgresServer
      const owner = yield* client(yield* database)
      // asks for what the role's password is stored for
      yield* admit(owner, "host all prepared 127.0.0.1/32 md5")
      const url = `postgres://prepared@127.0.0.1:${port}/postgres`
      const pid = (url: string, password = "") =>
        Effect.provide(client(url), surroundings({ PGPASSWORD: password })).pipe(
          Effect.flatMap((sql) => sql`SELECT pg_backend_pid() AS pid`),
          Effect.scoped
        )
      for (const [encryption, set, given] of [
        ["scram-sha-256", "pässwörd", "pa\u0308sswo\u0308rd"],
        // these cannot be prepared: a control character, and one that no version of Unicode had then
        ["scram-sha-256", "é\u0007\u00a0", "é\u0007\u00a0"],
        ["scram-sha-256", "\u{1f600}\u2122", "\u{1f600}\u2122"],
        ["md5", "a\u0308\u00a0\u2122", "a\u0308\u00a0\u2122"]
      ] as const) {
        yield* owner.unsafe("DROP ROLE IF EXISTS prepared")
        yield* owner.unsafe(`SET password_encryption = '${encryption}'`)
        yield* owner.unsafe(`CREATE ROLE prepared LOGIN PASSWORD '${set}'`)
        for (const password of new Set([set, given])) {
          yield* pid(url.replace("@", `:${encodeURIComponent(password)}@`))
          yield* pid(url, password)
        }
        expect(yield* Effect.flip(pid(url, "ẃ\u00a0"))).toMatchObject({ reason: { _tag: "AuthenticationError" } })
      }
    })

    it.effect("is reached by each URL that psql takes, with a certificate, TLS and any password", function* () {
      const { certificate, database, port } = yield* PostgresServer.PostgresServer
      const owner = yield* client(yield* database)
      const folder = yield* Child.folder()
      const { cert, key } = selfSigned("ec", undefined, { host: "certified" })
      const file = (name: string, text: string, mode = 0o600) => {
        Fs.writeFileSync(join(folder, name), text, { mode })
        return join(folder, name)
      }
      const [sslcert, sslkey] = [file("client.crt", cert), file("client.key", key)]
      const authority = PostgresServer.own(file("authority.crt", cert))
      Fs.chmodSync(folder, 0o755)
      // the server starts again later, when the folder is gone
      yield* Effect.addFinalizer(() => Effect.orDie(owner.unsafe("ALTER SYSTEM RESET ssl_ca_file")))
      yield* owner.unsafe(`ALTER SYSTEM SET ssl_ca_file = '${authority}'`)
      yield* admit(owner, "hostssl all certified 127.0.0.1/32 cert")
      yield* owner.unsafe("CREATE ROLE certified LOGIN")
      yield* owner.unsafe("CREATE ROLE hard LOGIN PASSWORD 'a?b#c:d+e'")
      const tls = { sslmode: "verify-full", sslrootcert: certificate, sslcert, sslkey }
      const at = `127.0.0.1:${port}/postgres`
      const certified = (parameters: Record<string, string>, host = "127.0.0.1") =>
        withParameters(`postgres://certified@${host}:${port}/postgres`, parameters)
      for (const [url, version] of [
        [certified(tls), "TLSv1.3"],
        [certified({ ...tls, hostaddr: "127.0.0.1", sslsni: "0" }, "localhost"), "TLSv1.3"],
        [certified({ ...tls, ssl_max_protocol_version: "TLSv1.2", gssencmode: "disable" }), "TLSv1.2"],
        [certified({ ...tls, ssl_min_protocol_version: "TLSv1.3", client_encoding: "UTF8" }), "TLSv1.3"],
        [`postgres://hard:a?b#c:d+e@${at}?sslmode=disable`, null],
        [`postgres://${at}?user=hard&password=a%3Fb%23c:d+e&sslmode=disable`, null]
      ] as const) {
        const sql = yield* client(url)
        const question = "SELECT coalesce(version, 'none') AS tls FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        const psql = execFileSync(join(PostgresServer.bin ?? "", "psql"), ["--no-psqlrc", "-Atc", question, url], {
          encoding: "utf8"
        })
        expect([url, yield* sql.unsafe(question)]).toEqual([url, [{ tls: version ?? "none" }]])
        expect(psql.trim()).toBe(version ?? "none")
      }
      const without = certified({ sslmode: "require", sslrootcert: certificate })
      expect(yield* Effect.flip(client(without))).toMatchObject({ reason: { cause: { code: "28000" } } })
      expect(yield* Effect.flip(client(certified({ ...tls, sslcrl: sslkey })))).toMatchObject({
        message: `sslcrl: ${sslkey} contains no list of revoked certificates`
      })
    })

    it.effect("is asked on each new connection, and after failures, whether it takes writes", function* () {
      const where = yield* database
      const sql = yield* client(withParameters(where, { target_session_attrs: "read-write", pool_max_conns: "1" }))
      const ask = "SELECT 1"
      const reserved = Effect.scoped(Effect.flatMap(sql.reserve, (held) => held.executeValues(ask, [])))
      const refused = { reason: { cause: { message: "the server accepts no writes: it is a standby, or read-only" } } }
      for (const way of [sql.unsafe(ask).values, reserved]) {
        yield* setReadOnly(where, "on")
        // the end of the connection that was lost comes to someone
        yield* Effect.ignore(way)
        expect(yield* Effect.flip(way)).toMatchObject(refused)
        yield* setReadOnly(where, "off")
        expect(yield* Effect.retry(way, { times: 20 })).toEqual([[1]])
      }
      yield* sql`CREATE TABLE t (a int)`
      yield* sql`SET default_transaction_read_only = on`
      expect(yield* Effect.flip(sql`INSERT INTO t VALUES (1)`)).toMatchObject({ reason: { cause: { code: "25006" } } })
      expect(yield* Effect.flip(sql`SELECT 1`)).toMatchObject(refused)
    })

    it.effect("lets any number of stores start and seed at once", () => Effect.flatMap(database, startTogether))

    it.effect("is asked for nothing that other engines with its protocol lack", function* () {
      const texts: Array<string> = []
      const record: Statement.Transformer = (statement) =>
        Effect.sync(() => {
          texts.push(statement.compile()[0])
          return statement
        })
      yield* Effect.gen(function* () {
        const { deleteB, hasB } = yield* open(yield* database)
        yield* hasB
        yield* deleteB
      }).pipe(Effect.provideService(Statement.CurrentTransformer, record))
      expect(texts.length).toBeGreaterThan(10)
      expect(texts.join("\n")).not.toMatch(/LOCK TABLE|advisory|LISTEN|EXTENSION|PROCEDURE|FUNCTION/i)
    })

    it.effect("locks the two keys of a deletion in the order of their ids, not in that of the table", function* () {
      const url = withParameters(yield* database, { options: "-c enable_indexscan=off -c enable_bitmapscan=off" })
      const { deleteB } = yield* open(url)
      const sql = yield* client(url)
      yield* sql`UPDATE api_keys SET name = 'now behind b' WHERE id = ${a}`
      const deletion = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT id FROM api_keys WHERE id = ${a} FOR UPDATE`
          const deletion = yield* Effect.forkChild(deleteB)
          yield* Effect.repeat(sql`SELECT 1 FROM pg_locks WHERE NOT granted`, { until: (rows) => rows.length > 0 })
          // it waits for a, and has not locked b before
          expect(yield* sql`SELECT id FROM api_keys WHERE id = ${b} FOR UPDATE NOWAIT`).toStrictEqual([{ id: b }])
          return deletion
        })
      )
      expect(yield* Fiber.join(deletion)).toBe("deleted")
    })

    it.effect("does not take the end of an aborted transaction for a commit", function* () {
      const sql = yield* client(yield* database)
      const aborted = sql.withTransaction(Effect.ignore(sql`SELECT 1 / 0`))
      expect(yield* Effect.flip(aborted)).toMatchObject({ _tag: "SqlError", reason: { operation: "commit" } })
    })

    it.effect("is asked in a span, if there is a tracer", function* () {
      const { hasB } = yield* open(yield* database)
      const { spans, tracer } = tracing()
      yield* Effect.withTracer(hasB, tracer)
      expect(spans.map(({ kind }) => kind)).toStrictEqual(["client"])
    })

    it.effect("has its connections back after reads, also those that were interrupted", function* () {
      const { deleteB, hasB } = yield* open(withParameters(yield* database, { pool_max_conns: "1" }))
      yield* Effect.gen(function* () {
        const reads = Effect.replicateEffect(hasB, 100, { concurrency: "unbounded" })
        yield* Fiber.interrupt(yield* Effect.forkChild(reads, { startImmediately: true }))
        expect(yield* reads).toHaveLength(100)
        expect(yield* deleteB).toBe("deleted")
        // without the time in which they are given up
      }).pipe(Effect.provide(TestClock.layer()))
    })

    it.effect("closes a session whose transaction did not end", function* () {
      const sql = yield* client(withParameters(yield* database, { pool_max_conns: "1" }))
      const pid = "SELECT pg_backend_pid() AS pid"
      const begun = Effect.flatMap(sql.reserve, (held) =>
        Effect.andThen(held.executeRaw("BEGIN", []), held.executeValues(pid, []))
      )
      const [left] = yield* Effect.scoped(begun)
      const [next] = yield* sql.unsafe(pid).values
      expect(next).not.toEqual(left)
      // one that ended goes on
      yield* sql.withTransaction(sql`SELECT 1`)
      yield* Effect.flip(sql.withTransaction(sql`SELECT 1 / 0`))
      expect(yield* sql.unsafe(pid).values).toEqual([next])
    })

    const withoutRollback = proxied({
      alter: (chunk) => Buffer.from(chunk.toString("latin1").replace("ROLLBACK", "ROLLBUCK"), "latin1")
    })
    it.effect("closes a session whose ROLLBACK failed, also if it is the only one", function* () {
      const { url } = yield* withoutRollback
      const sql = yield* client(withParameters(url, { pool_max_conns: "1" }))
      const pid = sql`SELECT pg_backend_pid() AS pid`
      const first = yield* pid
      yield* Effect.flip(Effect.sandbox(sql.withTransaction(sql`SELECT 1 / 0`)))
      const next = yield* pid
      expect(next).not.toEqual(first)
      expect(yield* sql.withTransaction(pid)).toEqual(next)
    })

    it.effect("is ready where the connection breaks as a record that was tried is taken back", function* () {
      const { url } = yield* withoutRollback
      const { ping } = yield* open(url)
      yield* ping
    })

    it.effect("goes on in a session that has lost its prepared statements", function* () {
      const sql = yield* client(withParameters(yield* database, { pool_max_conns: "1" }))
      const pid = sql`SELECT pg_backend_pid() AS pid`
      const first = yield* pid
      for (const read of [pid, sql.withTransaction(pid)]) {
        yield* sql.withTransaction(sql`DEALLOCATE ALL`.raw)
        // a statement that is not there is prepared anew the next time
        yield* Effect.exit(read)
        expect(yield* read).toEqual(first)
      }
    })

    it.effect("warns of a role that may open fewer connections than the pool", function* () {
      const url = yield* database
      const owner = yield* client(url)
      yield* owner`CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 3`
      yield* owner`GRANT CREATE ON SCHEMA public TO few`
      const asFew = url.replace(/\/\/.+@/, "//few:few@")
      const message = expect.stringContaining("may open only 3 connections, and each process up to 10")
      expect((yield* logged(open(asFew))).lines).toMatchObject([{ message }])
      expect((yield* logged(open(withParameters(asFew, { pool_max_conns: "3" })))).lines).toEqual([])
    })

    Program.suite(["pgbouncer"], (path) => {
      const settings =
        "default_transaction_isolation, lock_timeout, statement_timeout, idle_in_transaction_session_timeout"
      it.effect.each([
        ["session", settings, "deleted"],
        ["transaction", settings, pooler.message],
        ["statement", settings, pooler.message],
        ["session", "", `the pooler must have ignore_startup_parameters = ${settings}`]
      ])(
        "starts behind PgBouncer only if each session is its own: pool_mode=%s, settings: %s",
        function* ([mode, ignored, outcome]) {
          const server = yield* PostgresServer.PostgresServer
          const url = new URL(yield* server.database)
          const folder = yield* Child.folder()
          const file = join(folder, "pgbouncer.ini")
          const listening = Effect.gen(function* () {
            const port = yield* Child.freePort
            Fs.writeFileSync(
              file,
              `[databases]
* = host=127.0.0.1 port=${server.port} user=postgres password='${decodeURIComponent(url.password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = ${ignored}
`
            )
            for (const path of [folder, file]) PostgresServer.own(path)
            const { until } = yield* Child.program(...PostgresServer.asServer(path("pgbouncer"), [file]), {}, "SIGTERM")
            yield* until("stderr", /process up/)
            return port
          })
          // another process may have taken the port by then
          const port = yield* Effect.retry(listening, { times: 5 })
          const started = Effect.flatMap(
            open(`postgres://postgres:x@127.0.0.1:${port}${url.pathname}`),
            (store) => store.deleteB
          )
          expect(yield* Effect.match(started, { onFailure: ({ message }) => message, onSuccess: String })).toBe(outcome)
        }
      )
    })

    it.effect("is sent in one write: a deletion, a ping, and the reads of one turn of the event loop", function* () {
      const { proxy, url } = yield* proxied()
      const { apiKey, deleteB, ping } = yield* open(url)
      // the first one also tries to record an act
      yield* ping
      const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      const reads = [a, b].map((key) => Effect.andThen(turn, apiKey(key)))
      // of a read whose caller has left by then, nothing is sent
      const left = Effect.flatMap(Effect.forkChild(apiKey(a), { startImmediately: true }), Fiber.interrupt)
      const after = Effect.andThen(Effect.andThen(left, turn), apiKey(b))
      for (const act of [ping, Effect.all(reads, { concurrency: "unbounded" }), after, deleteB]) {
        expect(yield* writesTo(proxy.port, act)).toBe(1)
      }
    })

    it.effect("serves reads while forty deletions wait for a key that another transaction keeps", function* () {
      const { direct, url } = yield* proxied()
      const { deleteB, hasB } = yield* open(url)
      const other = yield* client(direct)
      const outcomes = yield* other.withTransaction(
        Effect.gen(function* () {
          yield* other`SELECT 1 FROM api_keys WHERE id = ${b} FOR UPDATE`
          const deletions = Effect.replicateEffect(Effect.option(deleteB), 40, { concurrency: "unbounded" })
          const fiber = yield* Effect.forkChild(deletions, { startImmediately: true })
          // five of ten connections
          const waiting = other`SELECT DISTINCT pid FROM pg_locks WHERE NOT granted`
          yield* Effect.repeat(waiting, { until: (rows) => rows.length === 5 })
          expect(yield* Effect.replicateEffect(hasB, 200, { concurrency: "unbounded" })).not.toContain(false)
          expect(yield* waiting).toHaveLength(5)
          return fiber
        })
      )
      expect(yield* Fiber.join(outcomes)).toContainEqual(Option.some("deleted"))
    })

    it.effect("neither finds, nor locks, nor reads what belongs to another organization", function* () {
      const url = yield* database
      const store = yield* open(url, { lock: "50 millis" })
      const foreign = keyId("b", 0)
      const owner = yield* client(url)
      yield* owner`INSERT INTO organizations SELECT ${organizationId("b")}::text, name, created_at, private_endpoints, byoc_config
        FROM organizations`
      yield* owner`INSERT INTO api_keys SELECT ${foreign}::text, ${organizationId("b")}::text, name, digest, state FROM api_keys WHERE id = ${a}`
      const deletions = Effect.gen(function* () {
        yield* owner`SELECT 1 FROM api_keys WHERE id = ${foreign} FOR UPDATE`
        return yield* store.deleteApiKey(organizationId("a"), foreign, a, deletion)
      })
      expect(yield* owner.withTransaction(deletions)).toBe("not-found")
    })

    it.effect("keeps the last use of a key once, and holds nobody up for a key that is locked", function* () {
      const url = yield* database
      const sql = yield* client(url)
      const [first, second, third] = [yield* open(url), yield* open(url), yield* open(url)]
      yield* sql`CREATE TABLE writes (id text, hour bigint)`
      yield* sql.unsafe(`CREATE FUNCTION note() RETURNS trigger AS $$
      BEGIN INSERT INTO writes VALUES (NEW.id, NEW.last_used_at); RETURN NEW; END $$ LANGUAGE plpgsql`)
      yield* sql`CREATE TRIGGER note AFTER UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION note()`
      const writes = Effect.map(sql`SELECT id, hour FROM writes ORDER BY hour, id`.values, (rows) =>
        rows.map(([id, hour]) => [id, Number(hour)])
      )
      const record = (hour: number) =>
        Effect.all(
          [first, second, third, first, second].map(({ recordUse }) => recordUse([a, b], DateTime.makeUnsafe(hour))),
          { concurrency: "unbounded" }
        )
      yield* record(1)
      const locked = Effect.andThen(sql`SELECT id FROM api_keys WHERE id = ${a} FOR UPDATE`, record(2))
      yield* sql.withTransaction(locked)
      expect(yield* writes).toEqual([
        [a, 1],
        [b, 1],
        [b, 2]
      ])
      yield* record(2)
      expect((yield* writes).slice(2)).toEqual([
        [a, 2],
        [b, 2]
      ])
    })

    it.effect("reports how many of its connections are in use, and how many calls wait for one", function* () {
      const context = Context.make(Metric.MetricRegistry, new Map())
      const single = client(withParameters(yield* database, { pool_max_conns: "1" }))
      const sql = yield* Effect.provideService(single, Measures.Measures, Measures.make(context))
      const until = (used: number, waiting: number) =>
        Effect.provide(Metric.snapshot, context).pipe(
          Effect.map((all) =>
            all.map(({ attributes, id, state }) => [[id, ...Object.values(attributes ?? {})].join(" "), state] as const)
          ),
          Effect.tap((gauges) =>
            Effect.sync(() =>
              expect(Object.fromEntries(gauges)).toMatchObject({
                "db.client.connection.count postgresql used {connection}": { value: used },
                "db.client.connection.max postgresql {connection}": { value: 1 },
                "db.client.connection.pending_requests postgresql {request}": { value: waiting }
              })
            )
          ),
          Effect.sandbox,
          Effect.eventually
        )
      yield* until(0, 0)
      const held = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(sql.withTransaction(Effect.andThen(sql`SELECT 1`, Deferred.await(held))))
      yield* until(1, 0)
      const waiting = yield* Effect.forkChild(sql`SELECT 1`)
      const leaving = yield* Effect.forkChild(sql.withTransaction(sql`SELECT 1`))
      yield* until(1, 2)
      yield* Fiber.interrupt(leaving)
      yield* until(1, 1)
      yield* Deferred.succeed(held, undefined)
      yield* Fiber.join(holder)
      yield* Fiber.join(waiting)
      yield* until(0, 0)
    })

    describe("fails a statement, and goes on with the next, when", () => {
      it.effect("another transaction keeps a lock", function* () {
        const url = yield* database
        const { apiKey, deleteB } = yield* open(url, { lock: "50 millis" })
        const other = yield* client(url)
        const locked = other.withTransaction(
          Effect.andThen(
            other`SELECT 1 FROM api_keys WHERE id = ${b} FOR UPDATE`,
            Effect.all([Effect.flip(deleteB), apiKey(b)])
          )
        )
        const [error, key] = yield* locked
        expect(error).toMatchObject({ ...unavailable("LockTimeoutError"), isUndone: true })
        expect(Option.isSome(key)).toBe(true)
        expect(yield* deleteB).toBe("deleted")
      })

      it.effect("another node fills the database, unless there is nothing to fill it with", function* () {
        const url = yield* database
        const { seed } = yield* open(url, { lock: "50 millis" })
        const other = yield* client(url)
        const locked = other.withTransaction(
          Effect.andThen(
            other`SELECT 1 FROM cloud_management_migrations WHERE version = 1 FOR UPDATE`,
            Effect.all([Effect.flip(seed(yield* Seed.fromDocument(withKeys("b", 1)))), seed({ organizations: [] })])
          )
        )
        const [error, isFilled] = yield* locked
        expect(error).toMatchObject(unavailable("LockTimeoutError"))
        expect(isFilled).toBe(false)
      })
    })

    it.effect("is ready only if it can be written: a standby that lets one read only is not", function* () {
      const url = withParameters(yield* database, { pool_max_conns: "1" })
      const { hasB, ping } = yield* open(url)
      yield* setReadOnly(url, "on")
      // the end of the connection that was lost comes to someone
      yield* Effect.retry(hasB, { times: 100 })
      expect(yield* Effect.flip(ping)).toMatchObject({ cause: { reason: { cause: { code: "25006" } } } })
      yield* setReadOnly(url, "off")
      yield* Effect.retry(hasB, { times: 100 })
      yield* ping
    })

    it.effect("that refuses what is written says what mends it, and is ready only once that is done", function* () {
      const url = yield* database
      const sql = yield* client(url)
      const { deleteB } = yield* open(url)
      const started = () => Effect.map(open(url), ({ ping }) => ping)
      yield* sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not today''; END'`
      // as after a logical replication
      const taken =
        "INSERT INTO audit_records (id, time, event, fields) OVERRIDING SYSTEM VALUE SELECT n, 0, '', '{}' FROM generate_series(1, 9) n"
      const trigger = (when: string) => `CREATE TRIGGER refuse BEFORE ${when} EXECUTE FUNCTION refuse()`
      for (const [breaks, words, remedy, isSeen] of [
        [taken, /audit_records_pkey/, /SELECT setval/, true],
        [trigger("INSERT ON audit_records"), /not today/, /remove it/, true],
        [trigger("DELETE ON api_keys FOR EACH ROW"), /not today/, /remove it/, false],
        ["ALTER TABLE audit_records ADD CONSTRAINT c CHECK (event = 'x') NOT VALID", /"c"/, /remove it/, true]
      ] as const) {
        yield* sql.unsafe(breaks)
        const refused = {
          _tag: "StoreUnavailable",
          message: expect.stringMatching(words),
          remedy: expect.stringMatching(remedy),
          isUndone: true
        }
        if (isSeen) expect(yield* Effect.flip(yield* started())).toMatchObject(refused)
        expect(yield* Effect.flip(deleteB)).toMatchObject(refused)
        const [mend] = /SELECT setval[^;]+/.exec((yield* Effect.flip(deleteB)).remedy ?? "") ?? []
        yield* sql.unsafe(mend ?? "DROP TRIGGER IF EXISTS refuse ON audit_records")
        yield* sql`DROP TRIGGER IF EXISTS refuse ON api_keys`
        yield* sql`ALTER TABLE audit_records DROP CONSTRAINT IF EXISTS c`
        yield* yield* started()
      }
      expect(yield* deleteB).toBe("deleted")
    })

    it.effect("is ready only if its clock and that of the machine are within half a minute", function* () {
      const { ping } = yield* open(yield* database)
      const clock = yield* TestClock.make()
      const pingAt = Effect.fnUntraced(function* (seconds: number) {
        yield* clock.setTime((yield* Clock.currentTimeMillis) + seconds * 1000)
        return yield* Effect.provideService(ping, Clock.Clock, clock)
      })
      for (const seconds of [60, -60]) {
        yield* pingAt(seconds / 6)
        const { message } = yield* Effect.flip(pingAt(seconds))
        expect(message).toMatch(/^the clocks are \d\d s apart: \d{4}\S+Z here, \d{4}\S+Z in the database$/)
      }
      yield* pingAt(0)
    })

    it.effect("says whether its content is damaged", function* () {
      const sql = yield* client(yield* database)
      const isDamage = (code: string) =>
        Effect.map(
          Effect.flip(sql.unsafe(`DO $$ BEGIN RAISE EXCEPTION 'damaged' USING ERRCODE = '${code}'; END $$`)),
          Corruption.isCorrupt
        )
      expect(yield* Effect.filter(["XX000", "XX001", "XX002", "53100"], isDamage)).toEqual(["XX001", "XX002"])
    })

    it.effect("goes on after a pause of its own, however long", function* () {
      const sql = yield* client(withParameters(yield* database, { pool_max_conns: "1" }), { silence: "800 millis" })
      const pause = Effect.andThen(
        // this thread stands still
        Effect.sync(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200)),
        // once around the event loop, with all timers that are due
        Effect.replicateEffect(
          Effect.promise(() => new Promise(setImmediate)),
          2
        )
      )
      const pid = Effect.map(sql`SELECT pg_backend_pid() AS pid`, ([row]) => row?.["pid"])
      const before = yield* pid
      expect(yield* Effect.andThen(pause, pid)).toBe(before)
      expect(yield* sql.withTransaction(Effect.andThen(Effect.andThen(pid, pause), pid))).toBe(before)
    })

    it.effect.each(["SIGINT", "SIGQUIT"] as const)(
      "is unavailable while the server is down after %s",
      function* (signal) {
        const server = yield* PostgresServer.PostgresServer
        const { deleteB, hasB, ping } = yield* open(yield* server.database)
        yield* Effect.replicateEffect(ping, 50, { concurrency: "unbounded" })
        yield* server.stop(signal)
        for (let attempt = 0; attempt < 20; attempt++) {
          expect(yield* Effect.flip(hasB)).toMatchObject(away)
          expect(yield* Effect.flip(deleteB)).toMatchObject(away)
        }
        yield* server.start
        expect(yield* hasB).toBe(true)
        expect(yield* deleteB).toBe("deleted")
        yield* Effect.replicateEffect(ping, 50, { concurrency: "unbounded" })
      }
    )

    it.effect("fails what waits for a lock after 7 seconds, however many wait before it", function* () {
      const url = yield* database
      // here statements wait for it longer than reads do
      const { hasB } = yield* open(url, { lock: "20 seconds", statement: "20 seconds" })
      const admin = yield* client(url)
      const errors = yield* admin.withTransaction(
        Effect.gen(function* () {
          yield* admin`LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE`
          const clock = yield* TestClock.make()
          const waiting = yield* Effect.forkChild(
            Effect.replicateEffect(Effect.flip(hasB), 3, { concurrency: "unbounded" }).pipe(
              Effect.provideService(Clock.Clock, clock)
            )
          )
          yield* Effect.repeat(admin`SELECT 1 FROM pg_locks WHERE NOT granted`, { until: (rows) => rows.length > 0 })
          yield* clock.adjust("6900 millis")
          expect(waiting.pollUnsafe()).toBeUndefined()
          yield* clock.adjust("100 millis")
          return yield* Fiber.join(waiting)
        })
      )
      for (const error of errors) {
        expect(error).toMatchObject({ _tag: "StoreUnavailable", cause: { _tag: "TimeoutError" } })
      }
      expect(yield* hasB).toBe(true)
    })

    describe("behind a network that breaks", () => {
      it.effect.each(["disable", "verify-full"])("is unavailable within its limits: sslmode=%s", function* (sslmode) {
        const { certificate } = yield* PostgresServer.PostgresServer
        const { proxy, url } = yield* proxied()
        const parameters = { sslmode, sslrootcert: certificate, pool_max_conns: "30" }
        // long enough for thirty connections at once on a busy machine
        const { deleteB, hasB, ping } = yield* open(withParameters(url, parameters), { silence: "3 seconds" })
        // the failure of each connection that was sought while the network was broken still comes to someone
        // sixteen statements share a connection before the next is opened
        const connect = Effect.replicateEffect(Effect.retry(ping, { times: 100 }), 600, { concurrency: "unbounded" })
        yield* connect
        yield* proxy.block
        const operations: ReadonlyArray<Effect.Effect<unknown, unknown>> = [deleteB, hasB, ping]
        const asked = Array.from({ length: 10 }, () => operations.map(Effect.flip)).flat()
        for (const error of yield* Effect.all(asked, { concurrency: "unbounded" })) expect(error).toMatchObject(away)
        yield* proxy.unblock
        yield* connect
        // a deletion is one statement: it may have been on its way, and arrive with the network
        const outcome = (yield* hasB) ? "deleted" : "not-found"
        expect(yield* deleteB).toBe(outcome)
        expect(yield* hasB).toBe(false)
      })

      it.effect("fails what waits for a connection after 7 seconds, however many wait", function* () {
        const { proxy, url } = yield* proxied()
        const { hasB, ping } = yield* open(withParameters(url, { pool_max_conns: "1" }), { silence: "1 second" })
        yield* proxy.block
        const errors = yield* Effect.gen(function* () {
          const waiting = yield* Effect.forkChild(
            Effect.replicateEffect(Effect.flip(hasB), 100, { concurrency: "unbounded" })
          )
          yield* TestClock.adjust("6900 millis")
          expect(waiting.pollUnsafe()).toBeUndefined()
          yield* TestClock.adjust("100 millis")
          return yield* Fiber.join(waiting)
        }).pipe(Effect.provide(TestClock.layer()))
        for (const error of errors) expect(error._tag).toBe("StoreUnavailable")
        yield* proxy.unblock
        yield* Effect.retry(ping, { times: 100 })
      })
    })
  })
})
