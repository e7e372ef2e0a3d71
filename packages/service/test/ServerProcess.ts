import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { ChildProcess } from "node:child_process"
import { createServer } from "node:net"

/** It did not start, or a program of it failed. */
export class ServerFailed extends Data.TaggedError("ServerFailed")<{ readonly message: string }> {}

/** A port of an address that nobody has at the moment. */
export const freePortOf = (host: string) =>
  Effect.callback<number>((resume) => {
    const server = createServer().listen(0, host, () => {
      const address = server.address()
      server.close(() => resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0)))
    })
  })

/** A port of 127.0.0.1 that nobody has at the moment. */
export const freePort = freePortOf("127.0.0.1")

/** A process that is killed at the end of the scope, if it still runs. It is a defect if it cannot be started. */
export const scoped = <P extends ChildProcess>(spawn: () => P) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const child = spawn()
      if (child.pid !== undefined) return Effect.succeed(child)
      return Effect.callback<never>((resume) => {
        child.once("error", (error) => resume(Effect.die(error)))
      })
    }),
    (child) => end(child, "SIGKILL")
  )

/** Starts a server, and waits until it writes that it is ready. */
export const start = (spawn: () => ChildProcess, stream: "stdout" | "stderr", ready: string) =>
  Effect.callback<ChildProcess, ServerFailed>((resume) => {
    const child = spawn()
    let log = ""
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-10_000)
      if (log.includes(ready)) resume(Effect.succeed(child))
    })
    child.once("error", ({ message }) => resume(new ServerFailed({ message })))
    child.once("exit", () => resume(new ServerFailed({ message: `the server did not start:\n${log}` })))
    return Effect.sync(() => child.kill("SIGTERM"))
  })

/** Ends a process, and waits until it is gone; one that could not be started is. */
export const end = (child: ChildProcess, signal: NodeJS.Signals) =>
  Effect.callback<void>((resume) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill(signal)
  })
