#!/usr/bin/env node
import { accessSync, constants, fstatSync, writeFileSync } from "node:fs"
import * as Module from "node:module"
import * as Authorities from "./process/authorities.ts"
import * as Compiled from "./process/compiled.ts"
import * as Known from "./process/known.ts"
import { version } from "./version.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`error: cloud-management needs Node.js 22.19 or later; this is ${process.versions.node}`)
  process.exit(1)
}

// SQLite is experimental to Node.js 22, which is no news to an operator; other warnings are JSON where all of stderr is
const listeners = process.listeners("warning")
process.removeAllListeners("warning").on("warning", (warning) => {
  if (listeners.length === 0 || warning.name === "ExperimentalWarning") return
  const plain = () => listeners.forEach((listener) => listener.call(process, warning))
  void import("./Cli.ts").then((cli) => cli.warning(warning, plain))
})

/** Starts this process anew, if it may be. A channel to the process that forked this one would end. */
const again = (flags: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  // Node.js closes the first descriptors that it inherited, of which one may be the pipe of a shell, as `<(…)` is one
  const isInherited = (text = "") => /\/(dev|proc\/self)\/fd\/[1-9]/.test(text)
  if ([...process.argv, ...Object.values(process.env)].some(isInherited)) return
  if (process.channel !== undefined) return
  try {
    // Node.js 22 and 24 end when this fails
    accessSync(process.execPath, constants.X_OK)
    process.execve?.(process.execPath, [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)], env)
  } catch {
    // a process that may not start another goes on all the same
  }
}

// Node.js itself writes a line of text about them, also where stderr is JSON
const { NODE_EXTRA_CA_CERTS: extra = "", ...others } = process.env
if (extra !== "" && !Authorities.has(extra)) again([], { ...others, NODE_EXTRA_CA_CERTS_IGNORED: extra })

/** Starts this process anew with the flags of docs/decisions/0013-a-command-in-one-piece.md, unless somebody chose a size. */
const restart = () => {
  if (/semi[-_]space/.test([...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].join(" "))) return
  const flags = ["--max-semi-space-size=4", "--no-allocation-site-pretenuring", "--heap-growing-percent=30"]
  again(flags, { MALLOC_MMAP_THRESHOLD_: "16384", ...process.env })
}
if (process.argv.includes("serve")) {
  restart()
  // no other program's signals end the service, in any phase, nor open a debugger; certificate.ts reloads on SIGHUP
  for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2"]) process.on(signal, () => {})
  // without a listener, the kernel withholds it from the first process of a container, which would be waited for
  process.on("SIGTERM", () => process.exit(0))
}

const { NODE_EXTRA_CA_CERTS_IGNORED: ignored } = process.env
if (ignored !== undefined) {
  process.emitWarning(`NODE_EXTRA_CA_CERTS is ignored: ${ignored} cannot be read, or contains no certificate`)
}

// what draws and logs looks at one variable alone
const { CLICOLOR, FORCE_COLOR } = process.env
if (FORCE_COLOR === undefined ? CLICOLOR === "0" : /^(?:0|false)$/i.test(FORCE_COLOR)) process.env["NO_COLOR"] = "1"

/** Node.js writes once, and ignores that a disk which is nearly full takes only a part. */
const writeWhole = (stream: NodeJS.WriteStream, file: 1 | 2) => {
  if (!fstatSync(file).isFile()) return
  stream._write = (chunk: Uint8Array, _, done) => {
    try {
      writeFileSync(file, chunk)
      done()
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  }
}
writeWhole(process.stdout, 1)
writeWhole(process.stderr, 2)
// nobody reads the result or the log any more: no reason to stop serving; other commands notice it in run.ts
process.stdout.on("error", () => {})
process.stderr.on("error", () => {})

const [asked, ...more] = process.argv.slice(2)
if (more.length === 0 && ["--version", "-v", "version"].includes(asked ?? "")) {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return
    console.error(`error: the result cannot be written: ${error.message}`)
    process.exitCode = 1
  })
  // scripts ask for it often: nothing else has to load
  console.log(`cloud-management v${version}`)
} else if (asked === "--known") {
  console.log(more.flatMap((kind) => Known.names(kind, process.env)).join("\n"))
} else {
  // the modules behind a command are many: from the second start on they load compiled, in two thirds of the time
  const isChosen = Module.getCompileCacheDir() !== undefined || process.env["NODE_DISABLE_COMPILE_CACHE"] !== undefined
  const folder = isChosen ? undefined : Compiled.folder(process.env)
  if (folder !== undefined) Module.enableCompileCache(folder)
  await import("./run.ts")
}
