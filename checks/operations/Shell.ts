import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"

/** How a command ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where commands run. */
export interface Surroundings {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** Most time of one command, in milliseconds. */
const patience = 120_000

/**
 * Runs a command in a shell to its end, without a terminal. With `until` it is interrupted, as by Ctrl+C, once its stderr
 * and stdout satisfy that.
 */
export const run = (
  command: string,
  { env, folder }: Surroundings,
  until?: (output: string) => boolean
): Effect.Effect<Ended> =>
  Effect.promise(async () => {
    // a group of its own, so that an interruption reaches each process of a pipe
    const child = spawn("sh", ["-c", command], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    const kill = (signal: NodeJS.Signals) => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal)
    }
    let [stdout, stderr] = ["", ""]
    const look = () => {
      if (until?.(stdout + stderr) === true) kill("SIGINT")
    }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      look()
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
      look()
    })
    const timer = setTimeout(() => kill("SIGKILL"), patience)
    const [code] = await once(child, "close")
    clearTimeout(timer)
    return { code: typeof code === "number" ? code : null, stdout, stderr }
  })
