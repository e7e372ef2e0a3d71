import { Data, Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { delimiter, join } from "node:path"
import * as Child from "../fixtures/Child.ts"

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

/** The oldest Node.js that a package takes, where the machine has that, and not the one of this folder's packages. */
export const oldestNode = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .map((folder) => join(folder, "node"))
  .find((file) => existsSync(file) && execFileSync(file, ["--version"], { encoding: "utf8" }).startsWith("v20."))

const start = (command: string, args: ReadonlyArray<string>) =>
  Child.program(
    command,
    args.map((arg) => (arg.startsWith("inside/") ? join(import.meta.dirname, arg) : arg)),
    { HOME: process.env["HOME"] ?? "", PORT: "0" }
  )

/** Runs a command to its end: what it wrote to stdout. The modules of this folder are named from here. */
export const run = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.flatMap(
      Effect.flatMap(start(command, args), ({ end }) => end),
      ({ code, stderr, stdout }) =>
        code === 0 ? Effect.succeed(stdout) : new ProcessFailed({ message: `${code}: ${stdout}${stderr}` })
    )
  )

/** Starts a server: the URL that it says it listens on. */
export const serve = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(start(command, args), ({ until }) =>
    Effect.map(
      Effect.raceFirst(until("stdout", /http:\/\/[\w.:]+/), until("stderr", /http:\/\/[\w.:]+/)),
      ([url]) => url
    )
  )
