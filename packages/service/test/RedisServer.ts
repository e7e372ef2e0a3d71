import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { selfSigned } from "./certificate.ts"
import * as Program from "./Program.ts"
import * as ServerProcess from "./ServerProcess.ts"

const binary = Program.find("redis-server")

/** Name and version of the server that {@link layer} starts, or nothing where none is installed. */
export const version =
  binary === undefined
    ? undefined
    : `Redis ${/v=([\d.]+)/.exec(execFileSync(binary, ["--version"], { encoding: "utf8" }))?.[1]}`

/** A server of a test's own, which keeps nothing. */
export class RedisServer extends Context.Service<
  RedisServer,
  {
    readonly port: number
    /** URLs with the password: plain, over TLS, over a Unix socket. */
    readonly urls: { readonly plain: string; readonly tls: string; readonly unix: string }
    readonly password: string
    /** What it shows over TLS; no authority has signed it. */
    readonly certificate: string
    /** Ends it at once, as in a crash. */
    readonly kill: Effect.Effect<void>
    /** Starts it again, empty, on the same ports. */
    readonly start: Effect.Effect<void, ServerProcess.ServerFailed>
  }
>()("test/RedisServer") {}

const password = "p@ss/wörd: 100%"

const launch = (config: string) =>
  ServerProcess.start(
    () => {
      // the kernel ends it with the process that started it
      const child = spawn("setpriv", ["--pdeathsig=KILL", binary ?? "", "-"], { stdio: ["pipe", "pipe", "inherit"] })
      child.stdin.end(config)
      return child
    },
    "stdout",
    "Ready to accept connections"
  )

const make = Effect.gen(function* () {
  if (binary === undefined)
    return yield* new ServerProcess.ServerFailed({ message: Program.absence("redis-server") ?? "" })
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "redis-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { cert: certificate, key } = selfSigned()
  const settings = {
    bind: "127.0.0.1",
    unixsocket: join(folder, "redis.sock"),
    requirepass: JSON.stringify(password),
    dir: folder,
    save: `""`,
    appendonly: "no",
    "tls-cert-file": file("server.crt", certificate),
    "tls-key-file": file("server.key", key),
    "tls-auth-clients": "no"
  }
  const launchOn = (port: number, tlsPort: number) =>
    launch(
      Object.entries({ ...settings, port, "tls-port": tlsPort })
        .map(([name, value]) => `${name} ${value}\n`)
        .join("")
    )
  // another process may have taken a port by the time that the server asks for it
  const [first, port, tlsPort] = yield* Effect.all([ServerProcess.freePort, ServerProcess.freePort]).pipe(
    Effect.flatMap(([port, tls]) => Effect.map(launchOn(port, tls), (child) => [child, port, tls] as const)),
    Effect.retry({ times: 5 })
  )
  let server = first
  yield* Effect.addFinalizer(() => ServerProcess.end(server, "SIGKILL"))

  const user = `:${encodeURIComponent(password)}`
  return RedisServer.of({
    port,
    urls: {
      plain: `redis://${user}@127.0.0.1:${port}`,
      tls: `rediss://${user}@localhost:${tlsPort}/1`,
      unix: `unix://${user}@${settings.unixsocket}?db=2`
    },
    password,
    certificate,
    kill: Effect.suspend(() => ServerProcess.end(server, "SIGKILL")),
    // its ports may be those of connections at the moment
    start: launchOn(port, tlsPort).pipe(
      Effect.retry({ times: 50, schedule: Schedule.spaced("100 millis") }),
      Effect.map((child) => {
        server = child
      })
    )
  })
})

/** Starts a server on free ports of 127.0.0.1; it goes with the scope. */
export const layer = Layer.effect(RedisServer, make)

/** Tests that need the server, whose name and version they receive. */
export const suite = (tests: (version: string) => void): void =>
  Program.suite(["redis-server"], () => tests(version ?? "Redis"))
