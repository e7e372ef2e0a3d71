import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { unusable } from "./Arguments.ts"

/** The files of a folder that was generated, with the line ends of Git's checkouts undone; `undefined` if there is none. */
export const read = (folder: string): ReadonlyMap<string, string> | undefined => {
  if (!existsSync(folder)) return undefined
  const names = globSync("**/*.{ts,json}", { cwd: folder }).map((name) => name.replaceAll("\\", "/"))
  return new Map(
    names.toSorted().map((name) => [name, readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n")])
  )
}

/** Replaces the folder by one with other files. Until the last step, the old one is whole; then the new one is. */
export const write = (folder: string, files: ReadonlyMap<string, string>): void => {
  const target = resolve(folder)
  const isOurs =
    !existsSync(target) || existsSync(join(target, "manifest.json")) || globSync("*", { cwd: target }).length === 0
  if (!isOurs) throw unusable(`${folder} has files but no manifest.json: name a folder of its own`)
  mkdirSync(dirname(target), { recursive: true })
  // only its owner may enter it: the folder in it is for all
  const room = mkdtempSync(join(dirname(target), `.${basename(target)}-`))
  const [next, old] = [join(room, "next"), join(room, "old")]
  try {
    for (const [name, content] of files) {
      mkdirSync(dirname(join(next, name)), { recursive: true })
      writeFileSync(join(next, name), content)
    }
    if (existsSync(target)) renameSync(target, old)
    renameSync(next, target)
  } finally {
    if (existsSync(old) && !existsSync(target)) renameSync(old, target)
    rmSync(room, { recursive: true, force: true })
  }
}
