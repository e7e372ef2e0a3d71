import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Runtime } from "effect"
import process from "node:process"
import * as Cli from "./Cli.ts"
import * as Output from "./output/output.ts"
import * as Terminal from "./terminal/terminal.ts"

let isStopped = false
// in place of that in main.ts, which ends at once
process.removeAllListeners("SIGTERM").once("SIGTERM", () => (isStopped = true))
// a second Ctrl-C ends at once; npm passes on what the terminal has already sent, which is none
process.once("SIGINT", () => setTimeout(() => process.once("SIGINT", () => process.exit(130)), 200).unref())

const isServe = Cli.isServe(process.argv.slice(2))
// main.ts went by the word alone, which was not the command
if (!isServe) for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2"]) process.removeAllListeners(signal)

/** The command. Only `serve` goes on when nobody reads what it prints: its result is the service. */
const main = Effect.gen(function* () {
  if (isServe) return yield* Cli.program
  const failure = yield* Output.deliver(Cli.program)
  if (failure === undefined) return
  yield* Cli.report(failure)
  return yield* failure
})

/** Ends this process even if a look-up or a file hangs: the process that takes its place has no thread for it. */
const leave = (code: number) => {
  if (!process.getActiveResourcesInfo().some((name) => /^(GetAddrInfo|FSReq)/.test(name))) return
  try {
    const env = { ...process.env, NODE_OPTIONS: "" }
    process.execve?.(process.execPath, [process.execPath, "-e", `process.exit(${code})`], env)
  } catch {
    // a process that may not start another ends when the thread does
  }
}

main.pipe(
  Effect.provide(Terminal.layer),
  NodeRuntime.runMain({
    // a service that was told to stop, and did, has done what it was asked for
    teardown: (exit, onExit) =>
      Runtime.defaultTeardown(exit, (code) => {
        const status = code !== 130 || !isStopped ? code : isServe ? 0 : 143
        leave(status)
        onExit(status)
      })
  })
)
