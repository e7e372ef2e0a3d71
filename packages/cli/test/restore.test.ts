import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { execFileSync } from "node:child_process"
import { copyFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as Client from "../../service/src/node/internal/sqlClient.ts"
import * as PostgresServer from "../../../checks/fixtures/PostgresServer.ts"
import { keyId, organizationId, withKeys } from "../../../checks/fixtures/Tenants.ts"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Http from "../../../checks/fixtures/Http.ts"
import * as Invocation from "./Invocation.ts"

// The recipes of "Backup and restore" in docs/service/operations.md, as they stand there.

const organization = organizationId("a")
const caller = keyId("a", 0)
const key = (n: number) => keyId("a", n)

const admin = Effect.fnUntraced(function* (database: string, ...args: ReadonlyArray<string>) {
  const env = { CLOUD_MANAGEMENT_DATABASE: database, CLOUD_MANAGEMENT_LOG_FORMAT: "json" }
  const ended = yield* Invocation.run(["admin", ...args, "--format", "json"], env)
  expect(ended).toMatchObject({ code: 0 })
  return ended
})
const serve = (database: string, ...args: ReadonlyArray<string>) =>
  Child.start(["serve", "--port", "0", "--format", "json", ...args], {
    CLOUD_MANAGEMENT_DATABASE: database,
    CLOUD_MANAGEMENT_LOG_FORMAT: "json"
  }).pipe(
    Effect.flatMap((child) =>
      Effect.map(child.until("stdout", /^\{"url":"(.+)"\}\n$/), ([, url = ""]) => ({ ...child, url }))
    )
  )
const stop = Effect.fnUntraced(function* (node: Child.Child) {
  node.process.kill("SIGTERM")
  return yield* node.end
})

/** A database with 10 keys. */
const fill = Effect.fnUntraced(function* (database: string) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", 10)) })
  yield* admin(database, "seed", `${folder}/seed.json`)
})

/** What happens after a backup, and all that was logged of it. */
const afterwards = Effect.fnUntraced(function* (database: string) {
  const node = yield* serve(database)
  expect(yield* Http.remove(node.url, key(1), caller)).toBe(200)
  const logs: Array<string> = []
  const act = (...args: ReadonlyArray<string>) =>
    Effect.map(admin(database, ...args), (ended) => {
      logs.push(ended.stderr)
      return JSON.parse(ended.stdout)
    })
  yield* act("keys", "delete", "--yes", organization, key(2))
  yield* act("keys", "disable", organization, key(3))
  yield* act("keys", "disable", organization, key(4))
  yield* act("keys", "enable", organization, key(4))
  yield* act("keys", "update", organization, key(5), "--expires", "2100-01-01")
  yield* act("keys", "update", organization, key(6), "--name", "renamed")
  const { id } = yield* act("keys", "create", organization, "made since")
  const { stderr } = yield* stop(node)
  return { log: logs.join("") + stderr, made: String(id) }
})

/** The statuses of keys 1 to 6 at a service over a restored database, and when the fifth expires. */
const statuses = Effect.fnUntraced(function* (database: string) {
  const node = yield* serve(database)
  const read = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => Http.read(node.url, key(n)))
  yield* stop(node)
  const keys: ReadonlyArray<{ id: string; expiresAt: string | null }> = JSON.parse(
    (yield* admin(database, "keys", "list", organization)).stdout
  )
  return [...read, keys.find(({ id }) => id === key(5))?.expiresAt]
}, Effect.scoped)

const revived = [200, 200, 200, 200, 200, 200, null]
const revoked = [401, 401, 401, 200, 200, 200, "2100-01-01T00:00:00.000Z"]

/** A restored database, in which revoked keys work until the records are reapplied; once is enough. */
const recover = Effect.fnUntraced(function* (database: string, records: string, made: string) {
  expect(yield* statuses(database)).toEqual(revived)
  const folder = yield* Child.folder({ "audit.jsonl": records })
  const reapply = Effect.map(admin(database, "audit", "reapply", `${folder}/audit.jsonl`), ({ stdout }) =>
    JSON.parse(stdout)
  )
  const lines = records.split("\n").filter((line) => line.includes('"audit":'))
  const times = lines.map((line): string => JSON.parse(line).time).toSorted()
  const read = { read: times.length, from: times[0], to: times.at(-1) }
  expect(yield* reapply).toEqual({
    ...read,
    deleted: [key(1), key(2)].toSorted(),
    disabled: [key(3)],
    expiring: [key(5)],
    missing: [made]
  })
  expect(yield* statuses(database)).toEqual(revoked)
  expect(yield* reapply).toEqual({ ...read, deleted: [], disabled: [], expiring: [], missing: [made] })
})

/** A SQLite file with keys, and a backup of it. */
const backedUp = Effect.gen(function* () {
  const folder = yield* Child.folder()
  const [database, backup] = [`${folder}/cloud.db`, `${folder}/backup.db`]
  yield* fill(database)
  const live = new DatabaseSync(database)
  live.exec(`VACUUM INTO '${backup}'`)
  live.close()
  return { database, backup }
})

describe("after a restore, keys that were revoked since the backup stay revoked", () => {
  it.live("of SQLite, by the records of the old database", () =>
    Effect.gen(function* () {
      const { backup, database } = yield* backedUp
      const { made } = yield* afterwards(database)
      const { stdout: records } = yield* admin(database, "audit", "export")
      // rm -f cloud.db-wal cloud.db-shm; install -m 600 /backups/cloud.db cloud.db
      for (const suffix of ["-wal", "-shm"]) rmSync(database + suffix, { force: true })
      copyFileSync(backup, database)
      yield* recover(database, records, made)
    })
  )

  it.live("of SQLite, by the log, when the old database is lost", () =>
    Effect.gen(function* () {
      const { backup, database } = yield* backedUp
      const { log, made } = yield* afterwards(database)
      yield* recover(backup, log, made)
    })
  )

  PostgresServer.suite((version) => {
    const execute = (database: string, ...statements: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const statement of statements) yield* sql.unsafe(statement)
      }).pipe(Effect.provide(Client.layer(database)))
    const rights = [
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app",
      "REVOKE UPDATE, DELETE ON audit_records FROM app"
    ]
    const createApp = "CREATE ROLE app LOGIN PASSWORD 'app'"
    const asApp = (url: string) => url.replace(/\/\/.+@/, "//app:app@")

    it.live(
      `of ${version}, from a dump, on a server that has no role of the service yet`,
      () =>
        Effect.gen(function* () {
          const folder = yield* Child.folder()
          const dump = `${folder}/cloud.dump`
          const old = yield* PostgresServer.PostgresServer
          const database = yield* old.database
          yield* fill(database)
          yield* execute(database, createApp, ...rights)
          yield* PostgresServer.program("pg_dump", ["--format=custom", `--file=${dump}`, database])
          // as the role with the least rights
          const { log, made } = yield* afterwards(asApp(database))

          const context = yield* Layer.build(Layer.fresh(PostgresServer.layer))
          const fresh = Context.get(context, PostgresServer.PostgresServer)
          const restored = yield* fresh.database
          const restore = (...options: ReadonlyArray<string>) =>
            PostgresServer.program("pg_restore", [
              "--no-owner",
              ...options,
              "--exit-on-error",
              `--dbname=${restored}`,
              dump
            ])
          expect((yield* Effect.flip(restore())).message).toContain('role "app" does not exist')
          yield* execute(restored, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
          yield* restore("--no-privileges")
          yield* execute(restored, createApp, "GRANT USAGE ON SCHEMA public TO app", ...rights)
          yield* recover(asApp(restored), log, made)
        }).pipe(Effect.scoped, Effect.provide(PostgresServer.layer)),
      180_000
    )

    const archive = PostgresServer.layerWith((folder) => ({
      archive_mode: "on",
      archive_command: `mkdir -p ${folder}/wal && test ! -f ${folder}/wal/%f && cp %p ${folder}/wal/%f`
    }))
    it.live(
      `of ${version}, at a point in time, from a base backup and the WAL since`,
      () =>
        Effect.gen(function* () {
          const server = yield* PostgresServer.PostgresServer
          const database = yield* server.database
          const name = new URL(database).pathname.slice(1)
          const base = `${server.folder}/base`
          yield* fill(database)
          const backup = [`--pgdata=${base}`, "--checkpoint=fast", `--dbname=${database}`]
          yield* PostgresServer.program("pg_basebackup", backup, "server")
          // what came before the moment is in the WAL, and needs no record
          yield* admin(database, "keys", "delete", "--yes", organization, key(7))
          const query = <A>(statement: string) =>
            Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ value: A }>(statement)).pipe(
              Effect.map(([row]) => row?.value),
              Effect.provide(Client.layer(database))
            )
          const moment = yield* query<string>("SELECT clock_timestamp()::text AS value")
          const { log, made } = yield* afterwards(database)
          const segment = yield* query<string>("SELECT pg_walfile_name(pg_switch_wal()) AS value")
          yield* Effect.repeat(query<string>("SELECT last_archived_wal AS value FROM pg_stat_archiver"), {
            until: (archived) => archived != null && segment != null && archived >= segment
          })
          yield* server.stop("SIGQUIT")

          const restored = yield* recoverTo(base, `${server.folder}/wal`, moment ?? "")
          yield* recover(restored(name), log, made)
          const { stdout } = yield* admin(restored(name), "keys", "list", organization)
          expect(stdout).not.toContain(key(7))
        }).pipe(Effect.scoped, Effect.provide(archive)),
      180_000
    )
  })
})

/** Starts a server over a base backup, with the WAL up to a moment. */
const recoverTo = (base: string, wal: string, moment: string) =>
  Effect.suspend(() => {
    const { gid, uid } = statSync(base)
    writeFileSync(`${base}/recovery.signal`, "")
    execFileSync("chown", [`${uid}:${gid}`, `${base}/recovery.signal`])
    return PostgresServer.over(base, {
      restore_command: `cp ${wal}/%f %p`,
      recovery_target_time: moment,
      recovery_target_action: "promote"
    })
  })
