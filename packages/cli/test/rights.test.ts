import { Child, exits, keyId, organizationId, PostgresServer, withKeys } from "../../../checks/fixtures/index.ts"
import { expect, it, layer } from "../../../checks/fixtures/vitest.ts"
import { Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { StoreUnavailable } from "@cloud-management/service/KeyStore"
import * as Client from "../../service/src/node/internal/sqlClient.ts"
import * as Migrations from "../../service/src/sql/Migrations.ts"
import * as Database from "../src/database/database.ts"
import * as Invocation from "./Invocation.ts"

const tables = "organizations, api_keys, services, reverse_private_endpoints, cloud_management_migrations"
it.each<[code: string, message: string, routine: string, remedy: string]>([
  ["42501", "keine Berechtigung für Tabelle audit_records", "", 'GRANT SELECT, INSERT ON audit_records TO "app";'],
  ["42501", "droit refusé pour la table api_keys", "", `GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO "app";`],
  ["42501", "スキーマ public へのアクセスが拒否されました", "", 'GRANT USAGE, CREATE ON SCHEMA public TO "app";'],
  ["42501", "droit refusé pour le schéma app", "", 'GRANT USAGE, CREATE ON SCHEMA "app" TO "app";'],
  ["3F000", "kein Schema für die Objekterzeugung ausgewählt", "", 'GRANT USAGE, CREATE ON SCHEMA public TO "app";'],
  ["3F000", "aucun schéma n'a été sélectionné pour cette création", "", "If SHOW search_path names another schema"],
  ["28000", "kein pg_hba.conf-Eintrag", "ClientAuthentication", "pg_hba.conf"],
  ["22P05", "Zeichen hat keine Entsprechung", "", "the encoding UTF8"]
])("a refusal with %s is one in whatever language: %s", (code, message, routine, remedy) => {
  const cause = Object.assign(new Error(message), { code, routine })
  const error = new StoreUnavailable({
    cause: new SqlError({ reason: new UnknownError({ cause, operation: "query" }) })
  })
  const failure = Database.failureOf("postgres://app:p4ss@db/cloud")(error)
  expect(failure).toMatchObject({ exit: "usage", advice: expect.stringContaining(remedy) })
})

it.each<[url: string, cause: object, exit: string, remedy: string]>([
  ["postgres://app@db", { code: "3D000" }, "usage", 'CREATE DATABASE "app";'],
  ["postgres://db/?user=app&dbname=", { code: "3D000" }, "usage", 'CREATE DATABASE "app";'],
  ["postgres://app:p4ss@db/cloud", { _tag: "ClocksDiffer" }, "transient", "NTP"],
  ["postgres://app:p4ss@db/cloud", { code: "53100" }, "transient", "Free space on the server's disk."],
  ["postgres://app:p4ss@db/cloud", { code: "53300" }, "transient", "pool_max_conns"],
  ["postgres://app:p4ss@db/cloud", { code: "CERT_HAS_EXPIRED" }, "transient", "Renew the certificate of the server"],
  ["postgres://app:p4ss@db/cloud", { code: "CERT_NOT_YET_VALID" }, "transient", "Check the clock of this machine"],
  ["postgres://app:p4ss@db/cloud", { code: "53200" }, "transient", "See the server's log."],
  ["postgres://app:p4ss@db/cloud", { code: "57P03" }, "transient", "Check that the server is running"],
  ["postgres://app:p4ss@db/cloud", { code: "EPERM" }, "transient", "Check that the server is running"]
])("a failure of %s, %j, is %s and names the remedy", (url, cause, exit, remedy) => {
  const failure = Database.failureOf(url)(new StoreUnavailable({ cause }))
  expect(failure).toMatchObject({ exit, advice: expect.stringContaining(remedy) })
})

/** The URL of a new database, as its owner, a way to run a statement there, and one to make a role and its URL. */
const newDatabase = Effect.gen(function* () {
  const { database } = yield* PostgresServer.PostgresServer
  const owner = yield* database
  const asOwner = (statement: string) =>
    SqlClient.SqlClient.use((sql) => sql.unsafe(statement)).pipe(Effect.provide(Client.layer(owner)))
  const role = Effect.fnUntraced(function* (name: string, login = "LOGIN") {
    yield* asOwner(`CREATE ROLE ${name} ${login} PASSWORD 'secret-of-${name}'`)
    return Object.assign(new URL(owner), { username: name, password: `secret-of-${name}` })
  })
  return { owner, asOwner, role }
})

const create = (where: string) =>
  Invocation.run(["admin", "organizations", "create", "Acme"], { CLOUD_MANAGEMENT_DATABASE: where, HOME: "/nowhere" })

const warned = Effect.fnUntraced(function* (where: string, text: string) {
  const { stop } = yield* Child.serve("--database", where)
  return (yield* stop).stderr.includes(text)
}, Effect.scoped)

PostgresServer.suite((version) => {
  layer(PostgresServer.layer, { excludeTestServices: true, timeout: "3 minutes" })(`a user of ${version}`, (it) => {
    it.effect("who may not connect, or not use the schema, is told the statement that lets it", function* () {
      const { asOwner, role } = yield* newDatabase
      const url = yield* role("guest")
      yield* asOwner(`REVOKE CONNECT ON DATABASE ${url.pathname.slice(1)} FROM PUBLIC`)
      yield* asOwner('CREATE SCHEMA "cloud"')
      url.searchParams.set("options", "-c search_path=cloud")
      for (const expected of [
        `GRANT CONNECT ON DATABASE "${url.pathname.slice(1)}" TO "guest";`,
        'GRANT USAGE, CREATE ON SCHEMA "cloud" TO "guest";'
      ]) {
        const denied = yield* create(url.href)
        const [statement] = /GRANT .*;/.exec(denied.stderr) ?? []
        expect({ code: denied.code, statement }).toEqual({ code: 2, statement: expected })
        yield* asOwner(expected)
      }
      expect(yield* create(url.href)).toMatchObject({ code: 0 })
    })

    it.effect("that serves is warned if it can change audit records, or if a crash can undo commits", function* () {
      const { asOwner, owner, role } = yield* newDatabase
      const right = "can change or delete audit records"
      // it makes the tables
      expect(yield* warned(owner, right)).toBe(true)
      expect(yield* warned(owner, "--database contains a password, which process lists show")).toBe(true)
      expect((yield* create(owner)).stderr).not.toContain("audit records")
      const url = yield* role("server")
      yield* asOwner("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO server")
      expect(yield* warned(url.href, right)).toBe(true)
      yield* asOwner("REVOKE UPDATE ON audit_records FROM server")
      expect(yield* warned(url.href, right)).toBe(true)
      yield* asOwner("REVOKE DELETE ON audit_records FROM server")
      expect(yield* warned(url.href, right)).toBe(false)

      const setting = "synchronous_commit is off"
      expect(yield* warned(owner, setting)).toBe(false)
      yield* asOwner(`ALTER DATABASE ${new URL(owner).pathname.slice(1)} SET synchronous_commit = off`)
      expect(yield* warned(owner, setting)).toBe(true)
    })

    it.effect("whose database takes no writes is told so at the start", function* () {
      const { asOwner, owner } = yield* newDatabase
      yield* asOwner(`ALTER DATABASE ${new URL(owner).pathname.slice(1)} SET default_transaction_read_only = on`)
      expect(yield* create(owner)).toMatchObject(exits(7, "it is a standby, or read-only"))
    })

    it.effect("that row security can hide rows from gets a warning", function* () {
      const { asOwner, owner, role } = yield* newDatabase
      expect(yield* create(owner)).toMatchObject({ code: 0 })
      const url = yield* role("partial")
      yield* asOwner("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO partial")
      const exported = Invocation.run(["admin", "export", "--database", url.href])
      expect((yield* exported).stderr).not.toContain("row security")
      yield* asOwner("ALTER TABLE organizations ENABLE ROW LEVEL SECURITY")
      expect((yield* exported).stderr).toContain("row security is active for the database's role")
    })

    it.effect("that lacks a right on a table learns the GRANT at the start, and no act is in doubt", function* () {
      const { asOwner, owner, role } = yield* newDatabase
      const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", 3)) })
      const seeded = yield* Invocation.run(["admin", "seed", `${folder}/seed.json`, "--database", owner])
      expect(seeded).toMatchObject({ code: 0 })
      const env = { CLOUD_MANAGEMENT_DATABASE: (yield* role("clerk")).href, HOME: "/nowhere" }
      const all = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk"
      const disable = ["admin", "keys", "disable", organizationId("a"), keyId("a", 1)]
      for (const [table, right] of [
        ["audit_records", "INSERT"],
        ["audit_records", "SELECT"],
        ["api_keys", "UPDATE"],
        ["api_keys", "DELETE"],
        ["organizations", "SELECT"]
      ] as const) {
        yield* asOwner(all)
        yield* asOwner(`REVOKE ${right} ON ${table} FROM clerk`)
        const refusal = new RegExp(`permission denied for table ${table}.*Run in PostgreSQL, as the owner: GRANT`, "s")
        const started = yield* Child.run(["serve", "--port", "0"], env)
        expect(started).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(refusal) })
        if (right !== "INSERT" && right !== "UPDATE") continue
        const acted = yield* Invocation.run(disable, env)
        expect(acted).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(refusal) })
        expect(acted.stderr).not.toContain("act.unconfirmed")
      }
      yield* asOwner("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM clerk")
      const { stderr } = yield* Child.run(["serve", "--port", "0"], { ...env, CLOUD_MANAGEMENT_LOG_FORMAT: "pretty" })
      const [, statements = ""] = /as the owner: ([^]*;)/.exec(stderr) ?? []
      for (const statement of statements.replace(/\s+/g, " ").split("; ")) yield* asOwner(statement)
      const granted = yield* Child.serveWith(env)
      expect((yield* granted.stop).stderr).not.toContain("audit records")
      expect(yield* Invocation.run(disable, env)).toMatchObject({ code: 0 })
      const pruned = yield* Invocation.run(["admin", "audit", "prune", "--before", "1d", "--yes"], env)
      expect(pruned.stderr).toMatch(
        /permission denied for table audit_records[^]*Only the owner can prune audit records\. Every other command needs these rights/
      )
      expect(pruned.code).toBe(2)
    })

    it.effect("that finds another program's tables, or its transaction that makes some, changes nothing", function* () {
      const { asOwner, owner } = yield* newDatabase
      const tables = () => asOwner("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
      yield* asOwner("CREATE TABLE effect_sql_migrations AS SELECT 9 AS migration_id")
      yield* asOwner("CREATE TABLE services (of_another_program text)")
      const before = yield* tables()
      const foreign =
        /holds another program's tables: relation "services" already exists\n +Nothing was changed\. Give /
      expect(yield* create(owner)).toMatchObject(exits(2, foreign))
      expect(yield* tables()).toEqual(before)
      yield* asOwner("DROP TABLE services")
      const hour = Duration.hours(1)
      const limits = { lock: hour, statement: hour, silence: hour, idleTransaction: hour }
      const sql = Context.get(yield* Layer.build(Client.layer(owner, limits)), SqlClient.SqlClient)
      yield* Effect.ignore(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`CREATE TABLE services (of_another_program text)`
            const inUse =
              /while another transaction uses them: .*lock timeout\n +Nothing was changed. A running pg_dump/
            expect(yield* create(owner)).toMatchObject(exits(7, inUse))
            // a pooler may have left out the limits of the session
            const failed = yield* Effect.flip(Effect.provide(Migrations.run, Client.layer(owner, limits)))
            expect(failed).toMatchObject({ _tag: "MigrationFailed" })
            return yield* Effect.fail("undone")
          })
        )
      )
      expect(yield* create(owner)).toMatchObject({ code: 0 })
      // as after a logical replication
      yield* asOwner(
        "INSERT INTO audit_records (id, time, event, fields) OVERRIDING SYSTEM VALUE VALUES (2, 0, 'x', '{}')"
      )
      expect(yield* create(owner)).toMatchObject(exits(2, /"audit_records_pkey"\n +Run in .* owner: SELECT setval/))
    })

    it.effect("that is refused learns the setting or the statement that lets it in, and exits with 2", function* () {
      const { owner, role } = yield* newDatabase
      const as = (parts: Partial<URL>) => Object.assign(new URL(owner), parts).href
      const cases: ReadonlyArray<readonly [url: string, message: string, remedy: string]> = [
        [as({ password: "p4ss" }), 'password authentication failed for user "postgres"', "in PGPASSWORD"],
        [as({ username: "nobody" }), 'password authentication failed for user "nobody"', "in the URL"],
        [as({ password: "" }), "", "PGPASSWORD"],
        [as({ pathname: "/none" }), 'database "none" does not exist', 'CREATE DATABASE "none";'],
        [(yield* role("idle", "")).href, 'role "idle" is not permitted to log in', 'ALTER ROLE "idle" LOGIN;'],
        [as({ search: "?sslmode=verify-full" }), "self-signed certificate", "sslrootcert=PATH"],
        [owner.replace("@127.0.0.1", "@127.0.0.1:1,127.0.0.1"), "a list of servers is not supported", "Correct"]
      ]
      for (const [url, message, remedy] of cases) {
        const ended = yield* create(url)
        expect(ended).toMatchObject({ code: 2, stdout: "" })
        expect(ended.stderr).toMatch(/^error: --database \(CLOUD_MANAGEMENT_DATABASE\): /)
        expect(ended.stderr).toContain(message)
        expect(ended.stderr).toContain(remedy)
        expect(ended.stderr).not.toMatch(/p4ss|secret-of-idle/)
      }
      expect(yield* create(as({ port: "1" }))).toMatchObject({ code: 7 })
    })
  })
})
