import { describe, expect, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Net from "node:net"
import { readFileSync } from "node:fs"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Invocation from "./Invocation.ts"

/** The service that all commands talk to, in a process of its own. */
class Served extends Context.Service<Served, { readonly url: string; readonly folder: string }>()("Served") {
  static readonly layer = Layer.effect(
    Served,
    Effect.gen(function* () {
      const folder = yield* Child.folder({
        "seed.json": JSON.stringify(Fixtures.seed),
        secret: `${Fixtures.deployKey.secret}\n`
      })
      const { url } = yield* Child.serve("--seed", `${folder}/seed.json`)
      return { url, folder }
    })
  )
}

const { acme, analytics, backupKey, deployKey, disabledKey, expiredKey, globex, readyEndpoint } = Fixtures
const list = ["organizations", "list"]
const get = ["endpoints", "get", acme, analytics, readyEndpoint]
const remove = (key: { readonly id: string }, organization: string = acme) => ["keys", "delete", organization, key.id]
const json = ["--format", "json"]

interface Case {
  readonly name: string
  readonly args: ReadonlyArray<string>
  /** Replaces variables of the environment; an empty one is as good as none. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly code: number
  readonly stdout?: RegExp
  readonly stderr?: RegExp
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

/** A failure as JSON: one line, and all six fields. */
const failure = (tag: string, status: number | null, message = ".*") =>
  new RegExp(
    `^\\{"error":\\{"tag":"${tag}","message":"${message}","status":${status},` +
      `"requestId":${status === null ? "null" : `"${uuid}"`},"retryable":(true|false),"advice":(null|".*")\\}\\}\\n$`
  )

const answered: ReadonlyArray<Case> = [
  {
    name: "list shows the organization of the key",
    args: list,
    code: 0,
    stdout: new RegExp(
      [
        `^ID                 ${acme}`,
        "Created            2026-01-01T00:00:00.000Z",
        "Name               Acme",
        "Private endpoints  pe-1 \\(office\\)",
        "BYOC config        byoc-1 \\(acme-aws\\)",
        "",
        `Request ID  ${uuid}\n$`
      ].join("\n")
    )
  },
  {
    name: "list gives the result as JSON",
    args: [...list, ...json],
    code: 0,
    stdout: /^\[\{"id":"a0.*"name":"Acme".*\}\]\n$/
  },
  {
    name: "get shows the endpoint, with a line for each DNS name",
    args: get,
    code: 0,
    stdout: new RegExp(
      `^ID +${readyEndpoint}\nService ID +${analytics}\n[^]*DNS names +vpce-[^]*Request ID  ${uuid}\n$`
    )
  },
  {
    name: "get gives the result as JSON",
    args: [...json, ...get],
    code: 0,
    stdout: /^\{"id":"a0.*"type":"VPC_ENDPOINT_SERVICE".*\}\n$/
  },
  {
    name: "delete says what it deleted",
    args: [...remove(backupKey), "--yes"],
    code: 0,
    stdout: new RegExp(`^Deleted     ${backupKey.id}\nRequest ID  ${uuid}\n$`)
  },
  {
    name: "delete gives the envelope as JSON",
    args: [...remove(disabledKey), "--yes", ...json],
    code: 0,
    stdout: new RegExp(`^\\{"status":200,"requestId":"${uuid}"\\}\n$`)
  },
  {
    name: "the secret comes from a file",
    args: [...list, "--key-secret-file", "FOLDER/secret"],
    env: { CLOUD_MANAGEMENT_KEY_SECRET: "" },
    code: 0,
    stdout: /Acme/
  },
  {
    name: "the secret comes from standard input",
    args: [...list, "--key-secret-file", "-"],
    env: { CLOUD_MANAGEMENT_KEY_SECRET: "" },
    input: `${deployKey.secret}\n`,
    code: 0,
    stdout: /Acme/
  },
  {
    name: "flags win over the environment",
    args: ["--base-url", "URL", ...list, "--key-id", deployKey.id],
    env: { CLOUD_MANAGEMENT_BASE_URL: "http://127.0.0.1:1", CLOUD_MANAGEMENT_KEY_ID: expiredKey.id },
    code: 0,
    stdout: /Acme/
  },
  {
    name: "a base URL of another machine without TLS is warned of",
    args: [...list, "--base-url", "ELSEWHERE"],
    code: 0,
    stdout: /Acme/,
    stderr: /^warning: the API key is sent to http:\/\/0\.0\.0\.0:\d+ without TLS, .*: use https\n$/
  },
  {
    name: "a base URL of another machine without TLS is warned of, as JSON",
    args: [...list, "--base-url", "ELSEWHERE", ...json],
    code: 0,
    stdout: /^\[.*\]\n$/,
    stderr: /^\{"warning":\{"tag":"InsecureBaseUrl","message":"the API key is sent to http:.*"\}\}\n$/
  },
  {
    name: "demo only reads a service of one's own",
    args: ["demo", "--service-id", analytics, "--endpoint-id", readyEndpoint],
    code: 0,
    stdout: /read-only[^]*1\. List organizations[^]*HTTP 200[^]*2\. Read a reverse private endpoint[^]*HTTP 200/
  }
]

const refused: ReadonlyArray<Case> = [
  {
    name: "wrong secret",
    args: list,
    env: { CLOUD_MANAGEMENT_KEY_SECRET: Child.wrongSecret },
    code: 4,
    stderr: new RegExp(
      "^error: Unauthorized \\(HTTP 401\\): UNAUTHORIZED: Key is not found\n" +
        " {7}Check the key ID .*CLOUD_MANAGEMENT_KEY_ID.* secret .*CLOUD_MANAGEMENT_KEY_SECRET.*\n" +
        ` {7}Request ID: ${uuid}\n$`
    )
  },
  {
    name: "wrong secret, as JSON",
    args: [...list, ...json],
    env: { CLOUD_MANAGEMENT_KEY_SECRET: Child.wrongSecret },
    code: 4,
    stderr: failure("Unauthorized", 401, "UNAUTHORIZED: Key is not found")
  },
  {
    name: "foreign organization",
    args: [...remove(expiredKey, globex), "--yes", ...json],
    code: 4,
    stderr: failure("Forbidden", 403)
  },
  {
    name: "no such key",
    args: ["keys", "delete", acme, acme, "-y", ...json],
    code: 5,
    stderr: failure("ApiKeyNotFound", 404)
  },
  {
    name: "no such endpoint",
    args: ["endpoints", "get", acme, analytics, acme],
    code: 5,
    stderr: /^error: ReversePrivateEndpointNotFound \(HTTP 404\)/
  },
  {
    name: "the key in use",
    args: [...remove(deployKey), "--yes", ...json],
    code: 6,
    stderr: failure("BadRequest", 400)
  },
  {
    name: "a base URL with a path too many",
    args: [...list, "--base-url", "URL/v2"],
    code: 6,
    stderr: /^error: UnexpectedStatus \(HTTP 404\)[^]*Check the base URL/
  },
  {
    name: "nothing listens",
    args: [...list, "--base-url", "http://127.0.0.1:1"],
    code: 7,
    stderr: /^error: nothing listens at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\)\n.*CLOUD_MANAGEMENT_BASE_URL/
  },
  {
    name: "nothing listens, as JSON",
    args: [...list, "--base-url", "http://127.0.0.1:1", ...json],
    code: 7,
    stderr: failure("TransportFailed", null, "nothing listens at .*")
  }
]

layer(Served.layer, { excludeTestServices: true, concurrent: true })("in a process of its own", (it) => {
  const check = ({ args, code, env, input, stderr, stdout }: Case) =>
    Effect.gen(function* () {
      const { folder, url } = yield* Served
      const ended = yield* Child.run(
        // an address that leads to this machine, and does not look it
        args.map((arg) =>
          arg.replace("URL", url).replace("ELSEWHERE", url.replace("127.0.0.1", "0.0.0.0")).replace("FOLDER", folder)
        ),
        {
          CLOUD_MANAGEMENT_BASE_URL: url,
          CLOUD_MANAGEMENT_KEY_ID: deployKey.id,
          CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret,
          ...env
        },
        input
      )
      expect(ended.stdout).toMatch(stdout ?? /^$/)
      expect(ended.stderr).toMatch(stderr ?? /^$/)
      expect(ended.code).toBe(code)
    })

  describe("a command", () => {
    for (const row of answered) it.effect(row.name, () => check(row))
  })
  describe("what the service refuses", () => {
    for (const row of refused) it.effect(row.name, () => check(row))
  })
})

describe.concurrent("the command itself", () => {
  it.live("has the version of its package", () =>
    Effect.gen(function* () {
      const { version } = JSON.parse(readFileSync("packages/cli/package.json", "utf8"))
      expect(yield* Child.run(["--version"])).toEqual({ code: 0, stdout: `cloud-management v${version}\n`, stderr: "" })
    })
  )

  it.live("names the Node.js that it needs to one that is older", () =>
    Effect.gen(function* () {
      const older = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'22.18.0'}})"
      expect(yield* Child.run(["--version"], { NODE_OPTIONS: `--import ${older}` })).toEqual({
        code: 1,
        stdout: "",
        stderr: "error: cloud-management needs Node.js 22.19 or later; this is 22.18.0\n"
      })
    })
  )

  it.live("says of warnings those that concern an operator", () =>
    Effect.gen(function* () {
      // SQLite is experimental to Node.js 22
      const warn = (name: string) =>
        `--import data:text/javascript,process.once('beforeExit',()=>process.emitWarning('of/a/test','${name}'))`
      const experimental = yield* Child.run(["--version"], { NODE_OPTIONS: warn("ExperimentalWarning") })
      expect(experimental).toMatchObject({ code: 0, stderr: "" })
      const other = yield* Child.run(["--version"], { NODE_OPTIONS: warn("OtherWarning") })
      expect(other.stderr).toContain("OtherWarning: of/a/test")
    })
  )

  it.live("says when its result cannot be written", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* Child.run(["--version"], {
        NODE_OPTIONS: "--import data:text/javascript,process.stdout._write=(a,b,done)=>done(new%20Error('full'))"
      })
      expect({ code, stderr }).toEqual({ code: 1, stderr: "error: the result cannot be written: full\n" })
    })
  )

  it.live.runIf(process.platform === "linux")("says when a file takes only a part of its result", () =>
    Effect.gen(function* () {
      const file = `${yield* Child.folder()}/completions`
      const { code, stderr } = yield* Child.runInto(file, ["--completions", "bash"], Child.fileLimit(1000))
      expect(stderr).toMatch(/^error: the result cannot be written: EFBIG: .*\n *Check where stdout goes/)
      expect(code).toBe(1)
      expect(readFileSync(file)).toHaveLength(1000)
    })
  )

  it.live.runIf(process.platform === "linux")("says as JSON that its result is lost, and keeps what it has done", () =>
    Effect.gen(function* () {
      const inDatabase = ["--database", `${yield* Child.folder()}/cloud.db`, "--format", "json"]
      const create = ["admin", "organizations", "create", "Acme", ...inDatabase]
      const { code, stderr } = yield* Child.runInto("/dev/full", create)
      expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "")).toEqual({
        error: {
          tag: "OutputFailed",
          message: "the result cannot be written: ENOSPC: no space left on device, write",
          status: null,
          requestId: null,
          retryable: false,
          advice: expect.stringContaining("Changes that the command has made remain.")
        }
      })
      expect(code).toBe(1)
      const { stdout } = yield* Child.run(["admin", "organizations", "list", ...inDatabase])
      expect(JSON.parse(stdout)).toMatchObject([{ name: "Acme" }])
    })
  )

  it.live("explains itself, to a reader who leaves early as well", () =>
    Effect.gen(function* () {
      const help = yield* Invocation.run(["--help"])
      expect(help).toMatchObject({ code: 0, stderr: "" })
      for (const command of [
        [],
        ["keys", "delete"],
        ["endpoints", "get"],
        ["admin"],
        ["admin", "keys", "create"],
        ["admin", "endpoints", "update"],
        ["serve"],
        ["demo"]
      ]) {
        const { stdout } = yield* Invocation.run([...command, "--help"])
        for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
      }
      expect(yield* Invocation.run([])).toEqual(help)
      const child = yield* Child.start(["--help"])
      child.process.stdout.destroy()
      expect(yield* child.end).toMatchObject({ code: 0, stderr: "" })
    })
  )

  it.live.each([
    { args: list, stderr: "" },
    {
      args: ["keys", "delete", acme, backupKey.id, "--yes"],
      stderr: "warning: interrupted: the DELETE request may have been applied\n"
    }
  ])("exits with 130 when it is interrupted: $args", ({ args, stderr }) =>
    Effect.gen(function* () {
      const { port, reached } = yield* Effect.acquireRelease(
        Effect.callback<{ server: Net.Server; port: number; reached: Promise<unknown> }>((resume) => {
          const server = Net.createServer()
          const reached = new Promise((done) => server.once("connection", done))
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            resume(Effect.succeed({ server, port, reached }))
          })
        }),
        ({ server }) => Effect.sync(() => server.close())
      )
      const child = yield* Child.start(args, {
        CLOUD_MANAGEMENT_BASE_URL: `http://127.0.0.1:${port}`,
        CLOUD_MANAGEMENT_KEY_ID: deployKey.id,
        CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret
      })
      yield* Effect.promise(() => reached)
      child.process.kill("SIGINT")
      expect(yield* child.end).toEqual({ code: 130, stdout: "", stderr })
    })
  )
})
