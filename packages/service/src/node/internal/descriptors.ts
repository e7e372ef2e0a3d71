import * as Context from "effect/Context"
import { readFileSync } from "node:fs"

/** Descriptors for other use: databases, collectors, files, and what a library opens. */
const reserved = 64

/**
 * How many connections a server may hold, so that some of the descriptors that the process may open are left; at most half
 * of them go to other use. `undefined` where the system does not say, or has no limit.
 */
const maxConnections = (): number | undefined => {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    return soft === undefined ? undefined : Math.max(Number(soft) - reserved, Math.floor(Number(soft) / 2))
  } catch {
    return undefined
  }
}

/** How many connections a host holds; `undefined` for any number. */
export const MaxConnections = Context.Reference<number | undefined>("@cloud-management/service/MaxConnections", {
  defaultValue: maxConnections
})
