import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

const require = createRequire(import.meta.url)

export class ProcessFailed extends Data.TaggedError("ProcessFailed")<{ readonly message: string }> {}

/** A file of the package in which an npm package keeps its binary for this platform, if there is one. */
export const binary = (name: string, path: string): string | undefined => {
  const manifest = require.resolve(`${name}/package.json`)
  const { optionalDependencies }: { readonly optionalDependencies: Record<string, string> } = JSON.parse(
    readFileSync(manifest, "utf8")
  )
  const folders = createRequire(manifest).resolve.paths(name) ?? []
  return Object.keys(optionalDependencies)
    .flatMap((platform) => folders.map((folder) => join(folder, platform, path)))
    .find((file) => existsSync(file))
}

/** A process whose output is gathered, and which ends with the scope. */
const start = (command: string, args: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(command, args, {
          cwd: import.meta.dirname,
          stdio: ["ignore", "pipe", "pipe"],
          env: { ...process.env, PORT: "0" }
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      const output = { stdout: "", all: "" }
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output.stdout += text
        output.all += text
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => (output.all += text))
      return { child, output }
    }
  )

/** Runs a command to its end: what it wrote to stdout. */
export const run = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.flatMap(start(command, args), ({ child, output }) =>
      Effect.callback<string, ProcessFailed>((resume) => {
        child.on("close", (code) =>
          resume(code === 0 ? Effect.succeed(output.stdout) : new ProcessFailed({ message: `${code}: ${output.all}` }))
        )
      })
    )
  )

/** Starts a server: the URL that it says it listens on. */
export const serve = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(start(command, args), ({ child, output }) =>
    Effect.callback<string, ProcessFailed>((resume) => {
      const look = () => {
        const url = /http:\/\/[\w.:]+/.exec(output.all)?.[0]
        if (url !== undefined) resume(Effect.succeed(url))
      }
      child.stdout.on("data", look)
      child.stderr.on("data", look)
      child.on("close", (code) => resume(new ProcessFailed({ message: `${code}: ${output.all}` })))
    })
  )
