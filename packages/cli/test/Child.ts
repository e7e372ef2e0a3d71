import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Base64 from "effect/encoding/Base64"
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as ServerProcess from "../../service/test/ServerProcess.ts"
import * as Fixtures from "@cloud-management/testing/Fixtures"

/** The secret of the one who must not get in. */
export const wrongSecret = "secret-of-nobody"

const secrets = [Fixtures.deployKey, Fixtures.backupKey, Fixtures.disabledKey, Fixtures.expiredKey, Fixtures.globexKey]
  .flatMap(({ id, secret }) => [secret, Base64.encode(`${id}:${secret}`)])
  .concat(wrongSecret, Base64.encode(`${Fixtures.deployKey.id}:${wrongSecret}`))

/** The command: its source, or what was built from it and another Node.js, when a test of those names them. */
const node = resolve(process.env["COMMAND_NODE"] ?? "node_modules/.bin/node")
const command = process.env["COMMAND"] ?? "packages/cli/src/main.ts"

/** Where the command keeps what it compiled: tests start it often, and leave nothing in a home. */
const cache = resolve(import.meta.dirname, "../node_modules/.cache")

/** How a process ended, and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process that runs the command, or another script. */
export interface Child {
  readonly process: ChildProcessWithoutNullStreams
  /** Waits until a stream contains the pattern. */
  readonly until: (stream: "stdout" | "stderr", pattern: RegExp) => Effect.Effect<RegExpExecArray>
  /** Waits for the end. No secret may have been written by then. */
  readonly end: Effect.Effect<Ended>
}

/** What every process of a test has of this one's variables. */
export const surroundings = { PATH: process.env["PATH"], TMPDIR: tmpdir() }

const spawned = (
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.Effect<Child, never, Scope.Scope> =>
  ServerProcess.scoped(() =>
    spawn(program, args, { env: { ...surroundings, XDG_CONFIG_HOME: "/nowhere", XDG_CACHE_HOME: cache, ...env } })
  ).pipe(
    Effect.map((child) => {
      const output = { stdout: "", stderr: "" }
      const waiting = new Set<() => void>()
      const look = () => waiting.forEach((check) => check())
      for (const name of ["stdout", "stderr"] as const) {
        child[name].setEncoding("utf8").on("data", (chunk: string) => {
          output[name] += chunk
          look()
        })
      }
      let code: number | null | undefined
      child.once("close", (exit) => {
        code = exit
        look()
      })
      const wait = <A>(ready: () => A | undefined) =>
        Effect.callback<A>((resume) => {
          const check = () => {
            const value = ready()
            if (value === undefined && code === undefined) return
            waiting.delete(check)
            resume(
              value === undefined
                ? Effect.die(new Error(`ended with ${code}: ${output.stderr}`))
                : Effect.succeed(value)
            )
          }
          waiting.add(check)
          check()
        })
      return {
        process: child,
        until: (stream, pattern) => wait(() => pattern.exec(output[stream]) ?? undefined),
        end: Effect.map(
          wait(() => (code === undefined ? undefined : { code, ...output })),
          (ended) => {
            for (const secret of secrets) expect(ended.stdout + ended.stderr).not.toContain(secret)
            return ended
          }
        )
      }
    })
  )

/** Starts a script as a process of its own, whose standard input is no terminal; it ends with the scope. */
export const script = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  spawned(node, args, env)

/** Starts the command, as {@link script} does. */
export const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  script([command, ...args], env)

/** `serve` logs for people, as on a terminal, unless a test chooses a format. */
export const forPeople = ([command]: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  command === "serve" ? { CLOUD_MANAGEMENT_LOG_FORMAT: "pretty" } : {}

/** Runs the command to its end, {@link forPeople}. */
export const run = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  input = ""
): Effect.Effect<Ended> =>
  Effect.scoped(
    Effect.flatMap(start(args, { ...forPeople(args), ...env }), ({ end, process }) => {
      process.stdin.on("error", () => {})
      process.stdin.end(input)
      return end
    })
  )

/** Starts a script as {@link script} does, with the end of a file as its stdout or stderr. */
export const scriptInto = (
  stream: "stdout" | "stderr",
  file: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) => {
  const redirection = stream === "stdout" ? '>>"$0"' : '2>>"$0"'
  return spawned("sh", ["-c", `exec "$@" ${redirection}`, file, node, ...args], env)
}

/** Starts the command from a line of bash, in which it is `"$@"`. */
export const shell = (line: string, args: ReadonlyArray<string>) =>
  spawned("bash", ["-c", line, "bash", node, command, ...args], forPeople(args))

/** Starts the command, with the end of a file as its stderr. */
export const startInto = (file: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  scriptInto("stderr", file, [command, ...args], env)

/** Runs the command to its end, with a file as its stdout. */
export const runInto = (
  file: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<Ended> =>
  Effect.scoped(Effect.flatMap(scriptInto("stdout", file, [command, ...args], env), ({ end }) => end))

/** Starts `serve` on a free port, and waits until it listens. */
export const serve = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const child = yield* start(["serve", "--port", "0", "--format", "json", ...args])
  const [, url = ""] = yield* child.until("stdout", /^\{"url":"(.+)"\}\n$/)
  return { ...child, url }
})

/** The variable that has a process write no more than so many bytes to a file, as on a disk that is full. */
export const fileLimit = (bytes: number) => ({
  NODE_DISABLE_COMPILE_CACHE: "1",
  // the signal that comes with the limit would end the process
  NODE_OPTIONS: `--import data:text/javascript,import{execFileSync}from'node:child_process';process.on('SIGXFSZ',()=>{});execFileSync('prlimit',['--pid',String(process.pid),'--fsize=${bytes}:'])`
})

/** The variable that has a process run as a user without an account, as the user IDs of containers are. */
export const homeless = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(
    "import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; os.homedir = () => process.env.HOME ?? os.userInfo(); os.userInfo = () => { throw new Error('ENOENT') }; syncBuiltinESMExports()"
  )}`
}

/** A folder that goes with the scope, with files in it. */
export const folder = (files: Readonly<Record<string, string | Uint8Array>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "cli-"))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
