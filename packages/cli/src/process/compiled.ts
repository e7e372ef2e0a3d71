import { existsSync, mkdirSync, statSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { home } from "./home.ts"

/** Makes a folder that is missing, and returns whether it is this user's, and no other can put files into it. */
const isOwn = (folder: string): boolean => {
  // not recursively: in a folder that takes none, such as /proc, Node.js would try for ever
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  // Windows has no such numbers, and keeps others out of a user's folders
  if (process.getuid === undefined) return true
  const { mode, uid } = statSync(folder)
  return uid === process.getuid() && (mode & 0o022) === 0
}

/** The user's own folder for compiled modules, which Node.js runs unchecked; none if another user could put files there. */
export const folder = ({ HOME, XDG_CACHE_HOME: chosen = "" }: NodeJS.ProcessEnv): string | undefined => {
  const base = isAbsolute(chosen) ? chosen : home(HOME)
  if (base === undefined) return undefined
  // `sudo` can leave the home of another user in the environment
  const above = base === chosen ? [chosen] : [base, join(base, ".cache")]
  const own = join(...above.slice(-1), "cloud-management")
  try {
    return [...above, own].every(isOwn) ? own : undefined
  } catch {
    // without it, the command only starts more slowly
    return undefined
  }
}
