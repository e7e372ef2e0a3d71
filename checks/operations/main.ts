/**
 * Each command of the document is run as it stands there, but for IDs, addresses and folders; so are statements and settings
 * of PostgreSQL. A block after `<!-- not run: why -->` is named with that reason.
 */
import { Effect } from "effect"
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { delimiter, join, resolve } from "node:path"
import bundle from "../fixtures/bundle.ts"
import { Child, PostgresServer, Program } from "../fixtures/index.ts"
import * as Sql from "../fixtures/Sql.ts"
import { blocks, type Block } from "./Document.ts"
import { meanwhile, outcomes, type Operator } from "./outcomes.ts"

const engines = ["SQLite", "PostgreSQL"] as const
type Engine = (typeof engines)[number]

const document = blocks(readFileSync("docs/service/operations.md", "utf8"))
const known = new Set(document.flatMap(({ commands }) => commands))
assert.deepEqual(
  Object.keys(outcomes).filter((command) => !known.has(command)),
  [],
  "outcomes of commands that the document does not have"
)
const where = ({ headings, line }: Block) => `docs/service/operations.md:${line}, ${headings.slice(1).join(" > ")}`

/** A block with one engine in a heading is for that one only. */
const isFor = (engine: Engine, { headings }: Block) =>
  engines.every((other) => other === engine || !headings.includes(other))

const settingBlocks = document.filter(({ language }) => language === "ini")

const moved = (text: string, root: string) =>
  text.replace(/(?<=^|[\s'"=])\/(?=(?:backups|restored|wal)\b)/g, () => `${root}/`)

const settingsOf = ({ commands }: Block, root: string): Readonly<Record<string, string>> => {
  const settings = moved(commands.join("\n"), root).matchAll(/^(\w+) = '?(.*?)'?$/gm)
  return Object.fromEntries(Array.from(settings, ([, name = "", value = ""]) => [name, value]))
}

const execute = (line: string, env: Readonly<Record<string, string>>, during: Effect.Effect<unknown> | undefined) =>
  Effect.scoped(
    Effect.gen(function* () {
      // a group of its own, so that an interruption reaches each process of a pipe
      const { end, process: shell, until } = yield* Child.program("setsid", ["sh", "-c", `cd "$HOME"\n${line}`], env)
      shell.stdin.end()
      if (during !== undefined && shell.pid !== undefined) {
        yield* Effect.all([during, until("stdout", /\n/)], { concurrency: "unbounded" })
        process.kill(-shell.pid, "SIGINT")
      }
      return yield* Effect.timeout(end, "2 minutes")
    })
  )

const installed = Effect.gen(function* () {
  const command = resolve(process.env["COMMAND"] ?? "packages/cli/src/main.ts")
  const script = `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`
  const folder = yield* Child.folder({ "cloud-management": script })
  chmodSync(join(folder, "cloud-management"), 0o755)
  return folder
})

const executeAll = (database: string, { commands }: Block) =>
  Effect.forEach(
    commands.flatMap((text) => text.split(";")).filter((statement) => statement.trim() !== ""),
    (statement) => Sql.values(database, statement)
  )

const as = ({ database }: Operator, role: "owner" | "app") => {
  const url = new URL(database)
  url.username = role
  url.password = `the password of ${role}`
  url.pathname = "/cloud"
  return url.href
}

const postgres = (server: PostgresServer.PostgresServer["Service"], operator: Operator, root: string) => {
  const name = (key: string) => operator.names.get(key) ?? assert.fail(`${key} is not known yet`)
  const admin = (...args: ReadonlyArray<string>) => operator.admin(...args, "--database", name("live"))
  const give = (path: string) => {
    const { gid, uid } = statSync(server.folder)
    execFileSync("chown", ["-R", `${uid}:${gid}`, path])
  }
  return {
    /** Makes the owner of a database, who follows the document from then on, and the role that serves. */
    roles: Effect.fnUntraced(function* (block: Block) {
      yield* executeAll(operator.database, block)
      const administrator = new URL(operator.database)
      administrator.pathname = "/cloud"
      operator.names.set("live", administrator.href)
      operator.database = as(operator, "owner")
    }),
    /** Runs the statements of the document as the owner: afterwards a user serves, but cannot change records. */
    grant: Effect.fnUntraced(function* (block: Block) {
      yield* executeAll(as(operator, "owner"), block)
      const app = as(operator, "app")
      yield* Effect.scoped(Child.serve("--database", `${app}?application_name=app`))
      for (const statement of ["DELETE FROM audit_records", "UPDATE audit_records SET event = 'x'"]) {
        const failed = yield* Effect.exit(Sql.values(app, statement))
        assert.match(JSON.stringify(failed), /AuthorizationError/)
      }
    }),
    /** After the base backup: an act before a moment, one after it, and both in the archive. */
    goOn: Effect.gen(function* () {
      const organization = name("ORGANIZATION_ID")
      const { id }: { readonly id: string } = JSON.parse(yield* admin("keys", "create", organization, "earlier"))
      operator.names.set("BEFORE", id)
      operator.names.set("MOMENT", yield* Sql.value(name("live"), "SELECT clock_timestamp()::text"))
      yield* admin("keys", "delete", organization, id, "--yes")
      const segment = yield* Sql.value(name("live"), "SELECT pg_walfile_name(pg_switch_wal())")
      yield* Effect.repeat(Sql.value(name("live"), "SELECT last_archived_wal FROM pg_stat_archiver"), {
        until: (archived) => archived !== "null" && archived >= segment
      })
    }),
    recover: Effect.fnUntraced(function* (block: Block) {
      give(`${root}/restored`)
      const settings = settingsOf(block, root)
      assert.ok("recovery_target_time" in settings)
      const at = { ...settings, recovery_target_time: name("MOMENT") }
      const restored = yield* PostgresServer.over(`${root}/restored`, at)
      const database = restored(new URL(name("live")).pathname.slice(1))
      const keys = yield* operator.admin("keys", "list", name("ORGANIZATION_ID"), "--database", database)
      assert.ok(keys.includes(name("BEFORE")))
    })
  }
}

type Server = PostgresServer.PostgresServer["Service"]

const follow = Effect.fnUntraced(function* (engine: Engine, server: Server, root: string) {
  const bin = yield* installed
  const folder = yield* Child.folder()
  // an address of its own, so that no connection takes the port meanwhile
  const host = "127.0.0.16"
  const port = yield* Child.freePortOf(host)
  const env: Record<string, string> = {
    PATH: `${bin}${delimiter}${process.env["PATH"]}`,
    HOME: folder,
    CLOUD_MANAGEMENT_HOST: host,
    CLOUD_MANAGEMENT_PORT: String(port)
  }
  const operator: Operator = {
    folder,
    backups: `${root}/backups`,
    names: new Map(),
    keys: new Map(),
    database: engine === "SQLite" ? join(folder, "cloud.db") : yield* server.database,
    url: `http://${host}:${port}`,
    admin: (...args) =>
      Child.execute(`${bin}/cloud-management`, ["admin", ...args, "--format", "json"], {
        CLOUD_MANAGEMENT_DATABASE: operator.database
      })
  }
  operator.names.set("live", operator.database)
  operator.names.set("copy.db", engine === "SQLite" ? join(folder, "copy.db") : yield* server.database)
  operator.names.set("postgres://…/cloud", yield* server.database)
  const authority = (yield* server.database).replace(/\/[^/]*$/, "")
  const ofPostgres = postgres(server, operator, root)

  const fill = (command: string) => {
    const filled = moved(command, root)
      .replaceAll(/postgres:\/\/…\/cloud(?= )/g, () => operator.names.get("postgres://…/cloud") ?? "")
      .replaceAll("postgres://owner@…", () => as({ ...operator, database: authority }, "owner").replace(/\/cloud$/, ""))
      .replaceAll(/postgres:\/\/(?:postgres@)?…/g, () => authority)
      .replaceAll(/\b[A-Z]+_ID\b/g, (name) => operator.names.get(name) ?? assert.fail(`${name} is not known yet`))
    if (engine === "SQLite") return filled
    return filled
      .replaceAll(/(?<=[ =])cloud\.db\b/g, () => operator.database)
      .replaceAll(/(?<= )copy\.db\b/g, () => operator.names.get("copy.db") ?? "")
  }

  let commands = 0
  for (const block of document) {
    if (block.notRun !== undefined || !isFor(engine, block)) continue
    if (block.language === "sql" && engine === "PostgreSQL") {
      const text = block.commands.join()
      if (text.includes("CREATE ROLE")) yield* ofPostgres.roles(block)
      else yield* ofPostgres.grant(block)
    }
    if (block.language === "ini" && block !== settingBlocks[0]) yield* ofPostgres.recover(block)
    for (const command of block.language === "sh" ? block.commands : []) {
      const outcome = outcomes[command]
      const line = fill(command)
      const [, name, exported] = /^export (\w+)=(.*)$/.exec(line) ?? []
      if (name !== undefined && exported !== undefined) env[name] = exported
      else if (engine === "PostgreSQL") env["CLOUD_MANAGEMENT_DATABASE"] = operator.database
      const during = meanwhile[command]?.(operator)
      const ended = yield* execute(line, env, during)
      assert.ok(
        ended.code === 0 || during !== undefined,
        `${where(block)}: ${command} ended with ${ended.code}: ${ended.stderr}`
      )
      yield* Effect.suspend(() => outcome?.(operator, ended) ?? Effect.void).pipe(
        Effect.catchDefect((cause) => Effect.die(new Error(`${where(block)}: ${command}`, { cause })))
      )
      if (command.startsWith("pg_basebackup")) yield* ofPostgres.goOn
      commands++
    }
  }
  return commands
}, Effect.scoped)

const run = Effect.gen(function* () {
  const root = yield* Child.folder()
  chmodSync(root, 0o755)
  const [archive] = settingBlocks
  assert.ok(archive !== undefined, "the document has no settings for an archive")
  const settings = settingsOf(archive, root)
  yield* Effect.gen(function* () {
    const server = yield* PostgresServer.PostgresServer
    mkdirSync(`${root}/backups`)
    mkdirSync(`${root}/wal`)
    PostgresServer.own(`${root}/wal`)
    for (const engine of engines) {
      const commands = yield* follow(engine, server, root)
      console.log(`${engine}: ${commands} commands of docs/service/operations.md worked`)
    }
  }).pipe(Effect.provide(PostgresServer.layerWith(settings)))
  for (const block of document) {
    if (block.notRun !== undefined) console.log(`not run: ${where(block)}: ${block.notRun}`)
  }
}).pipe(Effect.scoped)

await bundle()
if (Program.isThere("postgres", "curl", "jq", "sqlite3")) await Effect.runPromise(run)
