import { type ChildProcess, execFile, execSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import * as Kernel from "../fixtures/Kernel.ts"
import * as Program from "../fixtures/Program.ts"

export interface Process {
  readonly name: string
  readonly url: string
  /** CPU time of the process until now, in seconds. */
  readonly cpu: () => number
  /** Most memory that it ever had, in MB. */
  readonly memory: () => number
  /** Ends it, as an administrator does, and waits until it is gone. */
  readonly stop: () => Promise<unknown>
}

const running = new Set<ChildProcess>()

/** Ends all servers, as an administrator does. */
export const endAll = () => {
  for (const child of running) child.kill("SIGTERM")
}

export const start = async (name: string, args: ReadonlyArray<string>, env = process.env): Promise<Process> => {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"], env })
  running.add(child)
  const ended = once(child, "exit").finally(() => running.delete(child))
  const line = await Promise.race([once(child.stdout, "data"), ended])
  if (!running.has(child)) throw new Error(`${name} ended: node ${args.join(" ")}`)
  const { url }: { readonly url: string } = JSON.parse(String(line))
  const megabytes = (field: string) =>
    (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1024) /
    1e6
  return {
    name,
    url,
    cpu: () => Kernel.stat(child.pid ?? 0)?.cpu ?? NaN,
    memory: () => megabytes("VmHWM"),
    stop: () => {
      child.kill("SIGTERM")
      return ended
    }
  }
}

const millis = (text = "") => Number.parseFloat(text) * (text.endsWith("us") ? 0.001 : text.endsWith("ms") ? 1 : 1000)

/** A load of `wrk`: requests by second of the server's CPU, and latencies in milliseconds. */
export const measure = async (
  { cpu, name, url }: Process,
  path: string,
  authorization: string,
  { connections, seconds }: { readonly connections: number; readonly seconds: number }
) => {
  const before = cpu()
  const load = [
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    "--timeout",
    "30s",
    "--latency",
    "-H",
    `authorization: ${authorization}`
  ]
  const { stdout } = await promisify(execFile)(Program.find("wrk") ?? "wrk", [...load, `${url}${path}`])
  const spent = cpu() - before
  const [, count] = /(\d+) requests in/.exec(stdout) ?? []
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${name}: not every request succeeded\n${stdout}`)
  return {
    count: Number(count),
    spent,
    perSecond: Number(count) / spent,
    p50: millis(/50%\s+(\S+)/.exec(stdout)?.[1]),
    p99: millis(/99%\s+(\S+)/.exec(stdout)?.[1])
  }
}

/** Installs the packages of a folder, which the workspace does not have. */
export const install = (cwd: string) => {
  const pnpm = "npx --yes --loglevel=error pnpm@12.21.0 install --ignore-workspace --ignore-scripts --frozen-lockfile"
  execSync(`${pnpm} --prefer-offline --loglevel=error`, { cwd, stdio: "inherit" })
}
