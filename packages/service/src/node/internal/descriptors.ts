import * as Context from "effect/Context"
import { readFileSync } from "node:fs"

/** The most connections that a host holds, and the reason, as the log continues "… are open, and". */
interface Limit {
  readonly most: number
  readonly reason: string
}

/** Leaves 64 descriptors for databases, collectors and files, at most half of them. `undefined` where the system states no limit. */
const maxConnections = (): Limit | undefined => {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    if (soft === undefined) return undefined
    return {
      most: Math.max(Number(soft) - 64, Math.floor(Number(soft) / 2)),
      reason: "the process may not open many more files (ulimit -n, LimitNOFILE)"
    }
  } catch {
    return undefined
  }
}

/** How many connections a host holds; `undefined` for any number. */
export const MaxConnections = Context.Reference<Limit | undefined>("@cloud-management/service/MaxConnections", {
  defaultValue: maxConnections
})
