import { Child, exits, ForwardProxy, isLinux, Listener } from "../../../checks/fixtures/index.ts"
import { describe, expect, it, layer } from "../../../checks/fixtures/vitest.ts"
import { Effect } from "effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Fixtures } from "@cloud-management/testing"
import * as Invocation from "./Invocation.ts"
import * as Machine from "./Machine.ts"
import * as Seeded from "./Seeded.ts"
import * as Server from "./Server.ts"

const { acme, analytics, backupKey, disabledKey, readyEndpoint } = Fixtures
const list = ["organizations", "list"]
const get = ["endpoints", "get", acme, analytics, readyEndpoint]
const remove = (key: { readonly id: string }, organization: string = acme) => ["keys", "delete", organization, key.id]
const json = ["--format", "json"]

/** For Node.js: a signal that comes while SQLite commits the first act that changes keys. */
const interruptingCommit = `
import { DatabaseSync } from "node:sqlite"
const { prepare } = DatabaseSync.prototype
let changes = 0
DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  if (/api_keys/.test(sql) && /^ *(INSERT|UPDATE)/.test(sql)) changes++
  if (sql !== "COMMIT") return statement
  for (const name of ["run", "all"]) {
    const execute = statement[name]
    statement[name] = (...values) => {
      const result = execute.apply(statement, values)
      if (changes > 0) process.emit("SIGINT")
      changes = -Infinity
      return result
    }
  }
  return statement
}
`

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const requestId = `Request ID  ${uuid}\n$`
const elsewhere = [...list, "--base-url", "ELSEWHERE"]

const printed: ReadonlyArray<[name: string, args: ReadonlyArray<string>, stdout: RegExp, stderr?: RegExp]> = [
  [
    "list shows the organization of the key",
    list,
    new RegExp(
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
  ],
  ["list gives the result as JSON", [...list, ...json], /^\[\{"id":"a0.*"name":"Acme".*\}\]\n$/],
  ["get shows the endpoint", get, new RegExp(`^ID +${readyEndpoint}\n[^]*DNS names +vpce-[^]*${requestId}`)],
  ["get gives the result as JSON", [...json, ...get], /^\{"id":"a0.*"type":"VPC_ENDPOINT_SERVICE".*\}\n$/],
  ["delete says what is gone", [...remove(backupKey), "--yes"], new RegExp(`^Deleted +${backupKey.id}\n${requestId}`)],
  ["delete as JSON", [...remove(disabledKey), "--yes", ...json], new RegExp(`^\\{"status":200,"requestId":"${uuid}"`)],
  ["a base URL of another machine is warned of", elsewhere, /Acme/, /^warning: .* sent to http:\S+ without TLS, /],
  ["a base URL of another machine is, as JSON", [...elsewhere, ...json], /^\[/, /^\{"warning":\{"tag":"InsecureBase/],
  [
    "demo only reads a service of one's own",
    ["demo", "--service-id", analytics, "--endpoint-id", readyEndpoint],
    /read-only[^]*1\. List organizations[^]*HTTP 200[^]*2\. Read a reverse private endpoint[^]*HTTP 200/
  ]
]

layer(Server.Served.layer, { excludeTestServices: true })("a command", (it) => {
  it.effect.each(printed)("%s", function* ([, args, stdout, stderr = /^$/]) {
    const { url } = yield* Server.Served
    // an address that leads to this machine, and does not look it
    const elsewhere = url.replace("127.0.0.1", "0.0.0.0")
    const words = args.map((arg) => arg.replace("ELSEWHERE", elsewhere))
    expect(yield* Invocation.run(words, Server.client(url))).toEqual({
      code: 0,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr)
    })
  })

  it.effect("takes IDs from stdin, and the organization from the key, and goes on after one that fails", function* () {
    const env = Server.client((yield* Server.Served).url)
    const { caller, concurrent, once } = Fixtures.spareKeys
    const ids = [once.id, disabledKey.id.replace("0c", "ff"), concurrent.id]
    expect(yield* Child.run(["keys", "delete", "-", "--yes"], env, `${ids.join("\n")}\n`)).toMatchObject({
      code: 5,
      stdout: expect.stringMatching(new RegExp(`^Deleted +${once.id}\n[^]*\nDeleted +${concurrent.id}\n`)),
      stderr: expect.stringMatching(/^error: .*not found/)
    })
    expect(yield* Child.run(["keys", "delete", "-", "--yes"], env, "")).toMatchObject({ code: 0, stdout: "" })
    const deletion = yield* Invocation.run(["keys", "delete", caller.id, "--yes", "--format", "ids"], env)
    expect(deletion).toEqual({ code: 0, stderr: "", stdout: `${caller.id}\n` })
    const shown = yield* Invocation.run(["endpoints", "get", analytics, readyEndpoint, "--format", "ids"], env)
    expect(shown).toEqual({ code: 0, stderr: "", stdout: `${readyEndpoint}\n` })
    const warning = "warning: --format ids shows nothing of this result, which has no field id\n"
    expect(yield* Invocation.run(["whoami", "--format", "ids"], env)).toEqual({ code: 0, stderr: warning, stdout: "" })
  })

  it.effect("names a proxy that does not do its part, and never its credentials", function* () {
    // this machine too, but no address of its loopback, which no proxy of the environment is for
    const url = (yield* Server.Served).url.replace("127.0.0.1", "0.0.0.0")
    const env = Server.client(url)
    const proxy = yield* ForwardProxy.make({ credentials: "user:other" })
    const variables = { ...env, http_proxy: proxy.url.replace("://", "://user:sesame@") }
    const { code, stderr, stdout } = yield* Invocation.run(list, variables)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(
      `cannot connect to ${url}: ${proxy.url}: the proxy does not accept its credentials (407)\n       Check HTTPS_PROXY or`
    )
    expect(stderr).not.toContain("sesame")
    expect(proxy.requests).toEqual([`GET ${url}/v1/organizations`])
    expect(yield* Invocation.run(list, { ...variables, no_proxy: "0.0.0.0" })).toMatchObject({ code: 0 })
  })
})

describe.concurrent("the command itself", () => {
  it.live("has the version of its package, as the command version says too, for programs as well", function* () {
    const { version } = JSON.parse(readFileSync("packages/cli/package.json", "utf8"))
    const said = { code: 0, stdout: `cloud-management v${version}\n`, stderr: "" }
    for (const args of [["--version"], ["version"]]) {
      expect(yield* Child.run(args)).toEqual(said)
      expect(yield* Invocation.run(args)).toEqual(said)
    }
    expect(JSON.parse((yield* Invocation.run(["version", ...json])).stdout)).toEqual({ version })
  })

  it.live("names the Node.js that it needs to one that is older", function* () {
    const older = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'22.18.0'}})"
    expect(yield* Child.run(["--version"], { NODE_OPTIONS: `--import ${older}` })).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: cloud-management needs Node.js 22.19 or later; this is 22.18.0\n"
    })
  })

  it.live("says of warnings those that concern an operator", function* () {
    // SQLite is experimental to Node.js 22
    const warn = (name: string) =>
      `--import data:text/javascript,process.once('beforeExit',()=>process.emitWarning('of/a/test','${name}'))`
    const experimental = yield* Child.run(["--version"], { NODE_OPTIONS: warn("ExperimentalWarning") })
    expect(experimental).toMatchObject({ code: 0, stderr: "" })
    const other = yield* Child.run(["--version"], { NODE_OPTIONS: warn("OtherWarning") })
    expect(other.stderr).toContain("OtherWarning: of/a/test")
  })

  it.live.runIf(isLinux)("says when a file takes only a part of its result", function* () {
    const file = `${yield* Child.folder()}/completions`
    const child = yield* Child.shell(`exec "$@" >>'${file}'`, ["completions", "bash"], Machine.fileLimit(1000))
    expect(yield* child.end).toMatchObject(exits(1, /^error: the result cannot be written: EFBIG: .*\n *Check where/))
    expect(readFileSync(file)).toHaveLength(1000)
  })

  it.live.runIf(isLinux)("says as JSON that its result is lost, and keeps what it has done", function* () {
    const inDatabase = ["--database", `${yield* Child.folder()}/cloud.db`, "--format", "json"]
    const create = ["admin", "organizations", "create", "Acme", ...inDatabase]
    const { code, stderr } = yield* (yield* Child.shell('exec "$@" >/dev/full', create)).end
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
    const { stdout } = yield* Invocation.run(["admin", "organizations", "list", ...inDatabase])
    expect(JSON.parse(stdout)).toMatchObject([{ name: "Acme" }])
  })

  it.live.each<[what: string, script: string, exit: number]>([
    ["is closed", 'exec "$@" >&-', 2],
    ["is /dev/null", 'exec "$@" >/dev/null', 2],
    ["is full", 'exec "$@" >/dev/full', 1],
    ["has no reader", '{ "$@"; echo "exit $?" >&2; } | true', 1]
  ])("keeps no key whose secret nobody got, and says that a backup has not arrived: stdout %s", function* (row) {
    const [, script, exit] = row
    const { file } = yield* Seeded.seeded()
    const admin = (line: string) => ["admin", ...line.split(" "), "--database", file]
    const list = Effect.map(Invocation.run(admin(`keys list ${acme}`)), ({ stdout }) => stdout)
    const before = yield* list
    for (const line of [`keys create ${acme} lost`, `keys rotate ${acme} ${backupKey.id}`, "export", "audit export"]) {
      const { code, stderr } = yield* (yield* Child.shell(script, admin(line))).end
      expect(script.includes("exit") ? Number(/exit (\d)/.exec(stderr)?.[1]) : code).toBe(exit)
      expect(yield* list).toBe(before)
    }
  })

  it.live.each([`create ${acme} lost`, `rotate ${acme} ${backupKey.id}`])(
    "keeps no key whose secret nobody got, because it is interrupted as the database commits: %s",
    function* (line) {
      const { file } = yield* Seeded.seeded()
      const admin = (line: string) => ["admin", "keys", ...line.split(" "), "--database", file]
      const list = Effect.map(Invocation.run(admin(`list ${acme}`)), ({ stdout }) => stdout)
      const before = yield* list
      const interrupting = `${yield* Child.folder({ "interrupting.mjs": interruptingCommit })}/interrupting.mjs`
      const interrupted = yield* Child.run(admin(line), { NODE_OPTIONS: `--import ${interrupting}` })
      expect(interrupted).toMatchObject({ code: 130, stdout: "" })
      expect(yield* list).toBe(before)
      expect((yield* Invocation.run(["admin", "audit", "list", "--database", file])).stdout).toContain("key.deleted")
    }
  )

  it.live("explains itself, to a reader who leaves early as well", function* () {
    const help = yield* Invocation.run(["--help"])
    expect(help).toMatchObject({ code: 0, stderr: "" })
    expect(yield* Invocation.run([])).toEqual(help)
    const child = yield* Child.start(["--help"])
    child.process.stdout.destroy()
    expect(yield* child.end).toMatchObject({ code: 0, stderr: "" })
  })

  it.live.each([
    { args: list, stderr: "" },
    {
      args: ["keys", "delete", acme, backupKey.id, "--yes"],
      stderr: "warning: interrupted: the DELETE request may have been applied\n"
    }
  ])("exits with 130 when it is interrupted: $args", function* ({ args, stderr }) {
    const { server, url } = yield* Listener.replying(() => undefined)
    const reached = once(server, "request")
    const child = yield* Child.start(args, Server.client(url))
    yield* Effect.promise(() => reached)
    child.process.kill("SIGINT")
    expect(yield* child.end).toEqual({ code: 130, stdout: "", stderr })
  })
})
