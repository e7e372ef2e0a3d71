import { existsSync } from "node:fs"
import { homedir, userInfo } from "node:os"
import { isAbsolute } from "node:path"

/**
 * The home of the user: the absolute path in `HOME`, or else that of the user's account. A user ID without an account, as
 * containers have it, has none, nor have those whose home does not exist, such as /nonexistent; what a home is for is then
 * left out.
 */
export const home = (chosen: string | undefined): string | undefined => {
  for (const find of [() => chosen, homedir, () => userInfo().homedir]) {
    try {
      const path = find()
      if (path !== undefined && isAbsolute(path)) return existsSync(path) ? path : undefined
    } catch {
      // there is no account
    }
  }
  return undefined
}
