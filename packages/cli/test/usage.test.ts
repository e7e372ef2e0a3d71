import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as SqliteFile from "../../service/test/SqliteFile.ts"
import * as Failure from "../src/Failure.ts"
import * as Database from "../src/database.ts"
import * as Child from "./Child.ts"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme, analytics, deployKey, expiredKey, readyEndpoint } = Fixtures
const list = ["organizations", "list"]
const get = ["endpoints", "get", acme, analytics, readyEndpoint]
const json = ["--format", "json"]
const environment = {
  CLOUD_MANAGEMENT_BASE_URL: "http://127.0.0.1:1",
  CLOUD_MANAGEMENT_KEY_ID: deployKey.id,
  CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret
}

interface Case {
  readonly name: string
  readonly args: ReadonlyArray<string>
  /** Replaces variables of the environment; an empty one is as good as none. */
  readonly env?: Readonly<Record<string, string>>
  readonly stderr: RegExp
}

const misused: ReadonlyArray<Case> = [
  {
    name: "no terminal and no --yes",
    args: ["keys", "delete", acme, expiredKey.id],
    stderr: /without a terminal: pass --yes/
  },
  { name: "a key ID that is none", args: ["keys", "delete", acme, "x"], stderr: /<KEY_ID>: "x"\. Expected: a UUID/ },
  {
    name: "an argument missing",
    args: ["keys", "delete", acme],
    stderr: /Missing required argument: KEY_ID\n.*--help/
  },
  {
    name: "an argument too many",
    args: [...list, "x", ...json],
    stderr:
      /^{"error":{"tag":"Usage","message":"Unexpected.*","status":null,"requestId":null,"retryable":false,"advice":"See .*--help\."}}\n$/
  },
  { name: "an unknown command", args: ["organisations"], stderr: /Unknown subcommand "organisations"/ },
  { name: "half a command", args: ["keys"], stderr: /cloud-management keys needs a subcommand/ },
  {
    name: "an unknown format",
    args: [...list, "--format", "yaml"],
    stderr: /--format: "yaml"\. Expected: "table" \| "json"/
  },
  {
    name: "a secret as a flag",
    args: ["--key-secret", deployKey.secret, ...list],
    stderr: /secrets are not accepted as flags.*CLOUD_MANAGEMENT_KEY_SECRET.*--key-secret-file/
  },
  {
    name: "a secret for the path of its file",
    args: [...list, "--key-secret-file", deployKey.secret],
    stderr: /--key-secret-file: the file cannot be read/
  },
  {
    name: "no base URL",
    args: list,
    env: { CLOUD_MANAGEMENT_BASE_URL: "" },
    stderr: /set CLOUD_MANAGEMENT_BASE_URL, or pass --base-url/
  },
  {
    name: "no key ID",
    args: [...list, ...json],
    env: { CLOUD_MANAGEMENT_KEY_ID: "" },
    stderr: /^{"error":{"tag":"Usage","message":".*set CLOUD_MANAGEMENT_KEY_ID, or pass --key-id ID".*}}\n$/
  },
  {
    name: "no secret",
    args: list,
    env: { CLOUD_MANAGEMENT_KEY_SECRET: "" },
    stderr: /set CLOUD_MANAGEMENT_KEY_SECRET, or pass --key-secret-file/
  },
  {
    name: "a base URL that is none",
    args: [...list, "--base-url", "localhost:80"],
    stderr: /--base-url \(CLOUD_MANAGEMENT_BASE_URL\) must be an absolute http or https URL/
  },
  {
    name: "a secret of two lines",
    args: list,
    env: { CLOUD_MANAGEMENT_KEY_SECRET: `${deployKey.secret}\n` },
    stderr: /--key-secret-file \(CLOUD_MANAGEMENT_KEY_SECRET\) must be non-empty text without control characters/
  },
  {
    name: "a period without --wait",
    args: [...get, "--every", "1s"],
    stderr: /--status, --any-status and --every need --wait: pass it/
  },
  {
    name: "a period without a unit",
    args: [...get, "--wait", "--every", "5"],
    stderr: /--every: "5"\. Expected: a duration such as 30s/
  },
  {
    name: "a status to wait for that is mistyped",
    args: [...get, "--wait", "--status", "Redy"],
    stderr: /^error: --status: "Redy" is not a known status\n {7}Did you mean Ready\?\n {7}Known: Ready, .*Expired\.\n/
  },
  { name: "no status to wait for", args: [...get, "--wait", "--status", ""], stderr: /--status\. Expected: a status/ },
  { name: "half an endpoint for demo", args: ["demo", "--service-id", analytics], stderr: /must be used together/ },
  {
    name: "an endpoint for demo, but no service",
    args: ["demo", "--service-id", analytics, "--endpoint-id", readyEndpoint],
    env: { CLOUD_MANAGEMENT_BASE_URL: "" },
    stderr: /CLOUD_MANAGEMENT_BASE_URL/
  }
]

const serve = (...args: ReadonlyArray<string>) => ["serve", "--port", "0", ...args]
const missing = "/nowhere/file"

const misserved: ReadonlyArray<Case> = [
  {
    name: "a port too high",
    args: ["serve", "--port", "99999"],
    stderr: /--port: "99999"\. Expected: a port from 0 to 65535/
  },
  { name: "a port in words", args: ["serve", "--port", "http"], stderr: /--port: "http"\. Expected: a port/ },
  {
    name: "a port of the environment",
    args: ["serve"],
    env: { CLOUD_MANAGEMENT_PORT: "http" },
    stderr: /--port \(CLOUD_MANAGEMENT_PORT\): "http"\. Expected: a port from 0 to 65535/
  },
  {
    name: "one of several origins of the environment",
    args: serve(),
    env: { CLOUD_MANAGEMENT_CORS_ORIGIN: "https://a.example, a.example" },
    stderr: /--cors-origin \(CLOUD_MANAGEMENT_CORS_ORIGIN\): "a\.example"\. Expected: an origin/
  },
  {
    name: "a proxy by its name",
    args: serve("--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "proxy.example"),
    stderr: /--trusted-proxy: "proxy\.example"\. Expected: an address or a range/
  },
  {
    name: "a certificate without a key",
    args: serve("--tls-cert", "LICENSE"),
    stderr: /--tls-cert \(CLOUD_MANAGEMENT_TLS_CERT\) and --tls-key .* must be used together/
  },
  {
    name: "a certificate that is none",
    args: serve("--tls-cert", "LICENSE", "--tls-key", missing),
    stderr: /--tls-cert \(CLOUD_MANAGEMENT_TLS_CERT\): LICENSE contains no certificate/
  },
  {
    name: "a certificate that is not there",
    args: serve("--tls-cert", missing, "--tls-key", "LICENSE"),
    stderr: /--tls-cert \(CLOUD_MANAGEMENT_TLS_CERT\): \/nowhere\/file cannot be read/
  },
  {
    name: "a collector without a scheme",
    args: serve(),
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" },
    stderr: /OTEL_EXPORTER_OTLP_ENDPOINT: expected an http or https URL/
  },
  {
    name: "an address of another machine",
    args: serve("--host", "192.0.2.1"),
    stderr:
      /^error: 192\.0\.2\.1:0 is not an address of this machine \(EADDRNOTAVAIL\)\n *Pass an address of this machine with --host/
  },
  {
    name: "a host that has no address",
    args: serve("--host", "nowhere.invalid"),
    stderr:
      /^error: nowhere\.invalid:0 cannot be resolved to an address \((ENOTFOUND|EAI_AGAIN)\)\n *Pass an address of this machine with --host/
  },
  { name: "no host", args: serve("--host", ""), stderr: /--host\. Expected: an address/ },
  {
    name: "a rate without a window",
    args: serve("--rate-limit", "10"),
    stderr: /--rate-limit: "10"\. Expected: .*10\/10s/
  },
  { name: "a rate of nothing", args: serve("--rate-limit", "0/10s"), stderr: /--rate-limit: "0\/10s"/ },
  { name: "a unit of its own", args: serve("--rate-limit", "1/1w"), stderr: /--rate-limit: "1\/1w"/ },
  {
    name: "an origin with a path",
    args: serve("--cors-origin", "https://a.example/b"),
    stderr: /--cors-origin: .*an origin/
  },
  {
    name: "a limit without a unit",
    args: serve("--headers-timeout", "5"),
    stderr: /--headers-timeout: "5"\. Expected: a duration such as 30s/
  },
  {
    name: "a limit of nothing",
    args: serve(),
    env: { CLOUD_MANAGEMENT_MAX_HEADER_SIZE: "0" },
    stderr: /--max-header-size \(CLOUD_MANAGEMENT_MAX_HEADER_SIZE\): "0"\. Expected: a whole number from 1/
  },
  {
    name: "documentation that is neither on nor off",
    args: serve(),
    env: { CLOUD_MANAGEMENT_DOCS: "no" },
    stderr: /--docs \(CLOUD_MANAGEMENT_DOCS\): "no"\. Expected: true or false/
  },
  { name: "a flag of another command", args: serve("--key-id", "x"), stderr: /Unrecognized flag: --key-id/ },
  {
    name: "a seed that is not there",
    args: serve("--seed", missing),
    stderr: /--seed: \/nowhere\/file cannot be read/
  },
  { name: "a seed that is no JSON", args: serve("--seed", "LICENSE"), stderr: /--seed: LICENSE: not JSON/ },
  {
    name: "a seed that is another document",
    args: serve("--seed", "package.json"),
    stderr: /--seed: package\.json: .*\n? *at \["name"\]/
  },
  {
    name: "a database that cannot be made",
    args: serve("--database", missing),
    stderr: /--database .*nowhere.*unable to open.*\n.*folder exists/
  },
  {
    name: "a database that is none",
    args: serve("--database", "package.json"),
    stderr: /--database .*package\.json.*not a database\n.*of a SQLite file, or of a new file/
  },
  {
    name: "a database of another kind",
    args: serve(),
    env: { CLOUD_MANAGEMENT_DATABASE: `mysql://user:${deployKey.secret}@127.0.0.1/cloud` },
    stderr: /--database \(CLOUD_MANAGEMENT_DATABASE\): mysql:\/\/ is not supported/
  },
  {
    name: "a database in libpq's other form",
    args: serve(),
    env: { CLOUD_MANAGEMENT_DATABASE: `host=127.0.0.1 password=${deployKey.secret}` },
    stderr: /host= is not supported, only postgres:.*\n *Pass the path of a SQLite file, or the postgres:/
  },
  {
    name: "a database in libpq's other form, to an operator",
    args: ["admin", "organizations", "list"],
    env: { CLOUD_MANAGEMENT_DATABASE: `host=127.0.0.1 password=${deployKey.secret}` },
    stderr: /host= is not supported, only postgres:/
  },
  {
    name: "a parameter of a database mistyped",
    args: serve(),
    env: { CLOUD_MANAGEMENT_DATABASE: `postgres://u:${deployKey.secret}@127.0.0.1:1/cloud?sslmod=verify-full` },
    stderr:
      /--database \(CLOUD_MANAGEMENT_DATABASE\): parameter sslmod is unknown; known parameters are host, .*sslmode/
  },
  {
    name: "a database that begins like the name of a server, but is a file",
    args: serve("--database", "postgres/nowhere/file"),
    stderr: /--database .*postgres\/nowhere\/file: unable to open/
  },
  {
    name: "a store of rate limits of another kind",
    args: serve(),
    env: { CLOUD_MANAGEMENT_RATE_LIMIT_STORE: `memcached://user:${deployKey.secret}@127.0.0.1` },
    stderr: /--rate-limit-store \(CLOUD_MANAGEMENT_RATE_LIMIT_STORE\): not a redis:.*\n.*Pass :memory:, or the URL/
  },
  {
    name: "no store of rate limits",
    args: serve("--rate-limit-store", ""),
    stderr: /--rate-limit-store\. Expected: :memory:, or a redis:\/\/ URL/
  }
]

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

describe("a database that is damaged exits with 1 and says so", () => {
  it.live.each<[when: string, args: ReadonlyArray<string>, part: string, stderr: RegExp]>([
    ["when it is opened", serve(), "sqlite_schema", /^error: --database .*cloud\.db: .*malformed\n *Restore it from a/],
    ["when it is filled", serve(), "sqlite_autoindex_organizations_1", /^error: the database is corrupt\n *Restore it/],
    [
      "to an operator",
      ["admin", "organizations", "list"],
      "organizations",
      /^error: the database is corrupt\n *Restore/
    ]
  ])("%s", ([, args, part, stderr]) =>
    Effect.gen(function* () {
      const folder = yield* Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
      const database = join(folder, "cloud.db")
      const run = (...args: ReadonlyArray<string>) => Invocation.run([...args, "--database", database])
      expect(yield* run("admin", "seed", join(folder, "seed.json"))).toMatchObject({ code: 0 })
      yield* SqliteFile.corrupt(database, part)
      const ended = yield* run(...args)
      expect(ended).toMatchObject({ code: 1, stdout: "" })
      expect(ended.stderr).toMatch(stderr)
      const json = yield* run(...args, "--format", "json")
      expect(JSON.parse(json.stderr)).toMatchObject({ error: { tag: "DatabaseCorrupt", retryable: false } })
    })
  )
})

it.live("a database whose disk fails exits with 7, and is named", () =>
  Effect.gen(function* () {
    const database = join(yield* Child.folder(), "cloud.db")
    // SQLite cannot read at a position of it
    execFileSync("mkfifo", [database])
    expect(yield* Invocation.run(["admin", "organizations", "list", "--database", database])).toEqual({
      code: 7,
      stdout: "",
      stderr:
        `error: --database (CLOUD_MANAGEMENT_DATABASE): ${database}: disk I/O error\n` +
        "       Check that the disk has free space, and look for disk errors in the system's log.\n"
    })
  })
)

it.effect("a database that another process keeps locked exits with 7 after 5 seconds, and is named", () =>
  Effect.gen(function* () {
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
)

it.live("a database URL at whose port a server speaks HTTP exits with 2 and says so, with TLS as well", () =>
  Effect.gen(function* () {
    const { url } = yield* Server.answering(() => undefined)
    for (const search of ["", "?sslmode=require"]) {
      const ended = yield* Invocation.run(["admin", "organizations", "list"], {
        CLOUD_MANAGEMENT_DATABASE: `${url.replace("http://", "postgres://u:p4ss@")}/cloud${search}`
      })
      expect(ended).toEqual({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(
          /^error: --database .*: the server in the URL does not speak PostgreSQL\n *Correct the host or the port\.\n$/
        )
      })
    }
  })
)

describe("what is not accepted exits with 2 and names the setting", () => {
  it.live.each([...misused, ...misserved])("$name", ({ args, env, stderr }) =>
    Effect.gen(function* () {
      const ended = yield* Invocation.run(args, { ...environment, ...env })
      expect(ended.stderr).toMatch(stderr)
      expect(ended.stderr + ended.stdout).not.toContain(deployKey.secret)
      expect(ended).toMatchObject({ code: 2, stdout: "" })
    })
  )

  it.live.each([serve(), ["admin", "organizations", "create", "Acme"], ["admin", "organizations", "list"]])(
    "a database of someone else: %s %s",
    (args) =>
      Effect.gen(function* () {
        const folder = yield* Child.folder()
        const database = join(folder, "cloud.db")
        yield* Effect.provide(Effect.void, Database.layer(database))
        chmodSync(folder, 0o777)
        chmodSync(database, 0o444)
        yield* asNobody
        const ended = yield* Invocation.run([...args, "--database", database])
        expect(ended).toMatchObject({ code: 2, stdout: "" })
        expect(ended.stderr).toMatch(
          /--database .*cloud\.db: attempt to write a readonly.*\n.*can write to the file.*-shm.*folder/
        )
      })
  )
})

describe("a warning of Node.js", () => {
  it.live.each([
    [["organizations", "list", "--format", "json"], { FORCE_COLOR: "1", NO_COLOR: "1" }],
    [
      ["organizations", "list", "--format", "json", "--base-url", "https://127.0.0.1:1"],
      { NODE_TLS_REJECT_UNAUTHORIZED: "0" }
    ],
    [
      ["serve", "--host", "192.0.2.1", "--port", "0", "--log-format", "json"],
      { NODE_OPTIONS: "--import data:text/javascript,process.emitWarning('w')" }
    ]
  ] as const)("is JSON where all of stderr is: %j", ([args, env]) =>
    Effect.gen(function* () {
      const { stderr } = yield* Child.run([...args], {
        CLOUD_MANAGEMENT_BASE_URL: "http://127.0.0.1:1",
        CLOUD_MANAGEMENT_KEY_ID: Fixtures.deployKey.id,
        CLOUD_MANAGEMENT_KEY_SECRET: Fixtures.deployKey.secret,
        ...env
      })
      const lines = stderr
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(lines.length).toBeGreaterThan(1)
    })
  )
})

describe("a base URL", () => {
  it.live("with white space around it is refused with the reason", () =>
    Effect.gen(function* () {
      for (const command of [["organizations", "list"], ["login"], ["whoami"]]) {
        const { code, stderr } = yield* Invocation.run(command, { CLOUD_MANAGEMENT_BASE_URL: " https://a.example\r" })
        expect({ code, stderr }).toEqual({
          code: 2,
          stderr: expect.stringMatching(/^error: CLOUD_MANAGEMENT_BASE_URL: there is white space around the URL\n/)
        })
      }
    })
  )
})
