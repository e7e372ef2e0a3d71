import { existsSync } from "node:fs"
import { homedir, userInfo } from "node:os"
import { isAbsolute, join } from "node:path"

/** The absolute path in `HOME`, or else that of the user's account; none if there is no account, or no such folder. */
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

const below: { readonly [platform: string]: ReadonlyArray<string> } = {
  darwin: ["Library", "Application Support"],
  win32: ["AppData", "Roaming"]
}

type Variables = { readonly [Name in "APPDATA" | "HOME" | "XDG_CONFIG_HOME"]?: string | undefined }

/** On Linux as the XDG Base Directory Specification says, which has a relative path ignored. */
export const profiles = ({ APPDATA, HOME, XDG_CONFIG_HOME }: Variables): string | undefined => {
  const chosen = [XDG_CONFIG_HOME, process.platform === "win32" ? APPDATA : undefined].find(
    (path) => path !== undefined && isAbsolute(path)
  )
  const own = home(HOME)
  const folder = chosen ?? (own && join(own, ...(below[process.platform] ?? [".config"])))
  return folder && join(folder, "cloud-management", "profiles.json")
}
