import { Child, describe, exits, expect, Host, it } from "../../../checks/fixtures/index.ts"
import { Effect, Schedule } from "effect"
import { Base64 } from "effect/encoding"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import * as Http from "node:http"
import { DatabaseSync } from "node:sqlite"
import { Fixtures } from "@cloud-management/testing"
import * as Invocation from "./Invocation.ts"
import * as Seeded from "./Seeded.ts"

const seed = JSON.stringify(Fixtures.seed)
const { deployKey } = Fixtures

const list = (url: string, origin = "https://app.example.com") =>
  Effect.promise(() =>
    fetch(`${url}/v1/organizations`, {
      headers: { authorization: `Basic ${Base64.encode(`${deployKey.id}:${deployKey.secret}`)}`, origin }
    })
  )

describe.concurrent("serve", () => {
  it.live("writes its URL to stdout and everything else to stderr, until it is told to stop", function* () {
    const child = yield* Child.start(["serve", "--port", "0"], { CLOUD_MANAGEMENT_DATABSE: Child.wrongSecret })
    const [, url = ""] = yield* child.until("stdout", /^Listening on (http:\/\/127\.0\.0\.1:\d+)\n$/)
    expect((yield* list(url)).status).toBe(401)
    const { code, stderr, stdout } = yield* child.stop
    expect(stdout).toBe(`Listening on ${url}\n`)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Child.documents(stderr)).toEqual([
      { time, level: "WARN", message: expect.stringContaining("Did you mean CLOUD_MANAGEMENT_DATABASE?") },
      { time, level: "WARN", message: expect.stringMatching(/:memory:, so all content is lost when/) },
      { time, level: "WARN", message: expect.stringMatching(/the database is empty, .*--seed$/) },
      {
        time,
        level: "INFO",
        message: "listening",
        version: "0.1.0",
        url,
        database: "memory",
        limits: expect.objectContaining({ headersTimeout: "5s", maxHeaderSize: 16_384 }),
        trustedProxies: [],
        corsOrigins: [],
        tls: false,
        docs: true,
        accessLog: false
      },
      {
        time,
        level: "WARN",
        message: "authentication.failed",
        audit: "authentication.failed",
        outcome: "failure",
        operation: "organizations.list",
        reason: "unknown key",
        keyId: deployKey.id,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        address: "127.0.0.1"
      },
      { time, level: "INFO", message: expect.stringMatching(/^stopping/) }
    ])
    expect(code).toBe(0)
  })

  /** `serve` with a deletion in progress, which waits for a lock on the database. */
  const deleting = Effect.gen(function* () {
    const { file } = yield* Seeded.seeded()
    const child = yield* Child.serve("--database", file)
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(file)),
      (other) => Effect.sync(() => other.close())
    )
    other.exec("BEGIN IMMEDIATE")
    const connection = yield* Host.connect(child.url)
    const target = `/v1/organizations/${Fixtures.acme}/keys/${Fixtures.backupKey.id}`
    yield* connection.send(Host.request("GET /health") + Host.request(`DELETE ${target}`, Host.authorization()))
    yield* connection.until("ok")
    return { child, connection }
  })

  it.live("ends at once at a second Ctrl-C, whatever is in progress", function* () {
    const { child, connection } = yield* deleting
    const press = Effect.sync(() => child.process.kill("SIGINT"))
    yield* press
    yield* child.until("stderr", /stopping after/)
    // what comes at once is the same Ctrl-C, passed on by npm
    const { code } = yield* Effect.raceFirst(child.end, Effect.repeat(press, Schedule.spaced("50 millis"))).pipe(
      Effect.andThen(child.end)
    )
    expect(code).toBe(130)
    expect((yield* connection.end).match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  it.live("goes on when nobody reads its result any more", function* () {
    const { process, stop, until } = yield* Child.start(["serve", "--port", "0", "--log-format", "json"])
    process.stdout.destroy()
    const [, url = ""] = yield* until("stderr", /"message":"listening".*"url":"([^"]+)"/)
    expect((yield* Effect.promise(() => fetch(`${url}/health`))).status).toBe(200)
    expect(yield* stop).toMatchObject(exits(0, "stopping after the requests in progress"))
  })

  it.live("keeps the young generation of its heap small, unless a size is chosen", function* () {
    const tell = "--import data:text/javascript,console.error('flags:'+process.execArgv)"
    for (const [options, ...flags] of [
      ["", "--max-semi-space-size=4,--no-allocation-site-pretenuring,--heap-growing-percent=30"],
      ["--max-semi-space-size=2"],
      ["--max_semi_space_size=2"],
      // Node.js 24 ends when there is no such program
      ["--import data:text/javascript,process.execPath='/nowhere/node'"],
      // a channel to a parent, which would end
      ["--import data:text/javascript,process.channel??={}"],
      // a process that may not start another
      ["--import data:text/javascript,process.execve=()=>{throw%20new%20Error('denied')}"]
    ]) {
      const child = yield* Child.start(["serve", "--port", "0"], { NODE_OPTIONS: `${tell} ${options}` })
      yield* child.until("stdout", /^Listening/)
      const { code, stderr } = yield* child.stop
      expect([options, code, stderr.match(/(?<=^flags:).*$/gm)]).toEqual([options, 0, ["", ...flags]])
    }
    expect((yield* Child.run(["--version"], { NODE_OPTIONS: tell })).stderr).toBe("flags:\n")
  })

  it.live("listens on a Unix socket, whose proxy is trusted, also after a crash, and not beside another", function* () {
    const socketPath = `${yield* Child.folder()}/s`
    const args = ["--host", socketPath, "--trusted-proxy", "unix"]
    const ask = Effect.callback<number | undefined>((resume) => {
      const headers = { "x-forwarded-for": "203.0.113.9" }
      Http.get({ socketPath, path: "/v1/organizations", headers }, ({ statusCode }) =>
        resume(Effect.succeed(statusCode))
      )
    })
    const first = yield* Child.serve(...args)
    expect(first.url).toBe(`http://unix:${socketPath}`)
    expect(yield* ask).toBe(401)
    yield* first.until("stderr", /"address":"203\.0\.113\.9"/)
    expect(yield* Child.run(["serve", ...args])).toMatchObject(exits(7, `${socketPath} is used by another`))
    yield* Child.end(first.process, "SIGKILL")
    const second = yield* Child.serve(...args)
    expect(yield* ask).toBe(401)
    expect(yield* second.stop).toMatchObject({ code: 0 })
    writeFileSync(socketPath, "kept")
    expect(yield* Child.run(["serve", ...args])).toMatchObject({ code: 2 })
    expect(readFileSync(socketPath, "utf8")).toBe("kept")
  })

  const mayMount = spawnSync("unshare", ["--map-root-user", "--mount", "true"]).status === 0
  it.live.runIf(mayMount || process.env["CI"] === "true")(
    "refuses a file that is mounted without its folder",
    function* () {
      const folder = yield* Child.folder({ "a.db": "", "alone b.db": "" })
      symlinkSync(`${folder}/alone b.db`, `${folder}/link`)
      const mount = `cd ${folder} && mount --bind a.db 'alone b.db' && cd "$OLDPWD" && exec "$@"`
      for (const name of ["alone b.db", "link"]) {
        const args = ["serve", "--port", "0", "--database", `${folder}/${name}`]
        const { end } = yield* Child.shell(
          `exec unshare --map-root-user --mount sh -c "${mount.replaceAll(/["$]/g, "\\$&")}" sh "$@"`,
          args
        )
        expect(yield* end).toMatchObject(exits(2, `Mount its folder, as in --volume=FOLDER:${folder}\n`))
      }
      expect(readdirSync(folder).toSorted()).toEqual(["a.db", "alone b.db", "link"])
    }
  )

  it.live("keeps what a file holds, and leaves a seed for it aside", function* () {
    const folder = yield* Child.folder({ "seed.json": seed, "empty.json": `{ "organizations": [] }` })
    const first = yield* Child.serve("--database", `${folder}/cloud.db`, "--seed", `${folder}/seed.json`)
    yield* first.until("stderr", /"audit":"database\.seeded","actor":"operator:[^"]+","organizations":2/)
    first.process.kill("SIGINT")
    expect(yield* first.end).toMatchObject({ code: 130, stdout: `{"url":"${first.url}"}\n` })
    const second = yield* Child.serve("--database", `${folder}/cloud.db`, "--seed", `${folder}/empty.json`)
    yield* second.until("stderr", /"WARN".*already has content, so .*empty\.json was ignored/)
    expect((yield* list(second.url)).status).toBe(200)
    expect((yield* second.stop).stderr).not.toMatch(/database\.seeded|:memory:/)
  })

  it.live("neither ends nor opens a debugger on the signals of other programs, until it has ended", function* () {
    const { end, process, until } = yield* Child.serve()
    const signals = ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const
    for (const signal of signals) process.kill(signal)
    yield* until("stderr", /"level":"INFO","message":"SIGHUP changes nothing/)
    process.kill("SIGTERM")
    yield* until("stderr", /stopping/)
    for (const signal of signals) process.kill(signal)
    expect(yield* end).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Debugger") })
  })

  it.live("ends at a SIGTERM that comes while it loads, also as the first process of a container", function* () {
    const early = `process.on("newListener", (signal) => {
      if (signal === "SIGHUP") queueMicrotask(() => process.kill(process.pid, "SIGTERM"))
    })`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(early)}` }
    expect(yield* Child.run(["serve", "--port", "0", "--database", ":memory:"], env)).toMatchObject({ code: 0 })
  })

  it.live("takes every setting from the environment as well, and records how it was started", function* () {
    const folder = yield* Child.folder({ "seed.json": seed })
    const { until, url } = yield* Child.serveWith({
      CLOUD_MANAGEMENT_DATABASE: `${folder}/cloud.db`,
      CLOUD_MANAGEMENT_SEED: `${folder}/seed.json`,
      CLOUD_MANAGEMENT_RATE_LIMIT: "2/1h",
      CLOUD_MANAGEMENT_CORS_ORIGIN: "https://app.example.com, http://localhost:3000",
      CLOUD_MANAGEMENT_HOST: "[::1]",
      CLOUD_MANAGEMENT_TRUSTED_PROXY: "127.0.0.1,::1",
      CLOUD_MANAGEMENT_MAX_REQUESTS: "7",
      CLOUD_MANAGEMENT_LOG_FORMAT: "json"
    })
    const [line] = yield* until("stderr", /^.*"listening".*$/m)
    expect(JSON.parse(line)).toMatchObject({
      url,
      database: "sqlite",
      rateLimit: "2/1h",
      limits: { maxRequestsPerConnection: 7 },
      trustedProxies: ["127.0.0.1", "::1"],
      corsOrigins: ["https://app.example.com", "http://localhost:3000"]
    })
    expect(line).not.toContain("cloud.db")
    const response = yield* list(url, "http://localhost:3000")
    expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:3000")
    expect(response.headers.get("x-ratelimit-limit")).toBe("2")
    yield* Effect.promise(() => fetch(`${url}/v1/organizations`, { headers: { "x-forwarded-for": "203.0.113.9" } }))
    yield* until("stderr", /WARN.*"address":"203\.0\.113\.9"/)
  })

  it.live("fails in its log when a program reads that, which is the default without a terminal", function* () {
    const { stderr, ...ended } = yield* Effect.flatMap(Child.start(["serve", "--port", "x"]), ({ end }) => end)
    expect(ended).toEqual({ code: 2, stdout: "" })
    expect(JSON.parse(stderr)).toEqual({
      time: expect.any(String),
      level: "FATAL",
      message: expect.stringContaining("--port"),
      tag: "Usage",
      advice: "See cloud-management serve --help.",
      exitCode: 2
    })
    const wrong = ["serve", "--port", "x"]
    const creating = ["admin", "organizations", "create", "serve", "--database", "/nonexistent/cloud.db"]
    for (const [format, args, start] of [
      ["pretty", [...wrong, "--log-format=json"], '{"time":'],
      ["json", [...wrong, "--log-format", "pretty"], "error: "],
      ["json", creating, "error: "],
      // what else was asked for
      ["json", [...wrong, "--format", "json"], '{"error":']
    ] as const) {
      const { stderr } = yield* Invocation.run(args, { CLOUD_MANAGEMENT_LOG_FORMAT: format })
      expect(stderr.slice(0, start.length)).toBe(start)
    }
  })
})
