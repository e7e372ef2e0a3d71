import { Child, exits, expect, isLinux, it } from "../../../checks/fixtures/index.ts"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as SqliteFile from "../../service/test/SqliteFile.ts"
import * as Failure from "../src/output/Failure.ts"
import * as Database from "../src/database/database.ts"
import * as Invocation from "./Invocation.ts"
import * as Machine from "./Machine.ts"
import * as Seeded from "./Seeded.ts"
import * as Server from "./Server.ts"

const serve = (...args: ReadonlyArray<string>) => ["serve", "--port", "0", ...args]

/** Until the scope ends: root may write what it likes. */
const asNobody = Effect.acquireRelease(
  Effect.sync(() => {
    if (process.geteuid?.() === 0) process.seteuid?.("nobody")
  }),
  () =>
    Effect.sync(() => {
      if (process.getuid?.() === 0) process.seteuid?.(0)
    })
)

it.live.each<[when: string, args: ReadonlyArray<string>, part: string, stderr: RegExp]>([
  ["when it is opened", serve(), "sqlite_schema", /^error: --database .*cloud\.db: .*malformed\n *Restore it from a/],
  ["when it is filled", serve(), "sqlite_autoindex_organizations_1", /^error: the database is corrupt\n *Restore it/],
  ["to an operator", ["admin", "organizations", "list"], "organizations", /^error: the database is corrupt\n *Restore/]
])("a database that is damaged exits with 1 and says so %s", function* ([, args, part, stderr]) {
  const { file } = yield* Seeded.seeded()
  yield* SqliteFile.corrupt(file, part)
  const run = (...more: ReadonlyArray<string>) => Invocation.run([...args, "--database", file, ...more])
  const ended = yield* run()
  expect(ended).toMatchObject({ code: 1, stdout: "" })
  expect(ended.stderr).toMatch(stderr)
  const json = yield* run("--format", "json")
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { tag: "DatabaseCorrupt", retryable: false } })
})

it.effect("a database that another process keeps locked exits with 7 after 5 seconds, and is named", function* () {
  const folder = yield* Child.folder()
  const database = join(folder, "cloud.db")
  yield* SqliteFile.lock(database)
  const opening = yield* Effect.forkChild(Effect.flip(Layer.build(Database.layer(database))), {
    startImmediately: true
  })
  yield* TestClock.adjust("5 seconds")
  const failure = yield* Fiber.join(opening)
  expect(failure).toMatchObject({ exit: "transient", retryable: true })
  expect(Failure.toText(failure)).toMatch(/--database .*cloud\.db: database is locked\n *Another process has held/)
})

it.live.each([serve(), ["admin", "organizations", "create", "Acme"], ["admin", "organizations", "list"]])(
  "a database of someone else exits with 2, and is named: %s %s",
  function* (args) {
    const folder = yield* Child.folder()
    const database = join(folder, "cloud.db")
    yield* Effect.provide(Effect.void, Database.layer(database))
    chmodSync(folder, 0o777)
    chmodSync(database, 0o444)
    yield* asNobody
    const ended = yield* Invocation.run([...args, "--database", database])
    expect(ended).toMatchObject({ code: 2, stdout: "" })
    expect(ended.stderr).toMatch(/--database .*cloud\.db: attempt to write a readonly/)
    const [root, own] = [process.getuid?.(), process.geteuid?.()]
    expect(ended.stderr).toMatch(
      root === 0
        ? new RegExp(`User 0 owns .*cloud\\.db, and this process runs as user ${own}\\. .*: chown ${own} on the file`)
        : /can write to the file.*-shm.*folder/
    )
  }
)

it.live("a file with another program's tables exits with 2, stays as it is, and is not told of schemas", function* () {
  const file = join(yield* Child.folder(), "cloud.db")
  const database = new DatabaseSync(file)
  yield* Effect.addFinalizer(() => Effect.sync(() => database.close()))
  database.exec("CREATE TABLE organizations (of_another_program TEXT)")
  const schema = database.prepare("SELECT sql FROM sqlite_schema")
  const before = schema.all()
  const bytes = readFileSync(file)
  expect(yield* Invocation.run(["admin", "organizations", "create", "Acme", "--database", file])).toMatchObject(
    exits(2, /this database holds another program's tables: .*\n +No table was changed\. Give the service a file/)
  )
  expect(schema.all()).toEqual(before)
  const listed = yield* Invocation.run(["admin", "organizations", "list", "--database", file])
  expect(listed.code).toBe(2)
  expect(readFileSync(file).equals(bytes)).toBe(true)
})

it.live("with --quiet, an act that succeeds writes nothing on stderr, and one that fails its failure", function* () {
  const inDatabase = ["--database", join(yield* Child.folder(), "cloud.db"), "--format", "json", "--quiet"]
  const create = (...args: ReadonlyArray<string>) =>
    Invocation.run(["admin", "organizations", "create", "Acme", ...args, ...inDatabase])
  const { stderr, stdout } = yield* create()
  expect(stderr).toBe("")
  const again = yield* create("--id", JSON.parse(stdout).id)
  expect(JSON.parse(again.stderr)).toMatchObject({ error: { tag: "Taken" } })
})

it.live.runIf(isLinux)("a service whose disk rejects what it writes does not start", function* () {
  const file = `${yield* Child.folder()}/cloud.db`
  expect(yield* Child.run(["serve", "--port", "0", "--database", file], Machine.fileLimit(1))).toMatchObject({
    code: 7,
    stderr:
      `error: --database (CLOUD_MANAGEMENT_DATABASE): ${file}: disk I/O error\n` +
      "       Check that the disk has free space, and look for disk errors in the system's log.\n"
  })
})

const list = ["organizations", "list", "--format", "json"]
const warning = "data:text/javascript,process.emitWarning('w')"
it.live.each<[args: ReadonlyArray<string>, env: Readonly<Record<string, string>>]>([
  [list, { FORCE_COLOR: "1", NO_COLOR: "1" }],
  [[...list, "--base-url", "https://127.0.0.1:1"], { NODE_TLS_REJECT_UNAUTHORIZED: "0" }],
  [serve("--host", "192.0.2.1", "--log-format", "json"), { NODE_OPTIONS: `--import ${warning}` }]
])("a warning of Node.js is JSON where all of stderr is: %j", function* ([args, env]) {
  const { stderr } = yield* Child.run(args, { ...Server.client("http://127.0.0.1:1"), ...env })
  expect(Child.documents(stderr).length).toBeGreaterThan(1)
})
