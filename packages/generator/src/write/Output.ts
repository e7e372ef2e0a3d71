import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as Digest from "../read/Digest.ts"
import { property } from "../read/Json.ts"
import * as Manifest from "../compare/Manifest.ts"
import { unusable } from "../read/Unusable.ts"

/** A folder as the last run left it. */
export interface Folder {
  readonly path: string
  /** The files that it generated, if they are still there. */
  readonly files: ReadonlyMap<string, string>
  /** `undefined` before the first run. */
  readonly manifest: Manifest.Locked | undefined
}

const manifestName = "manifest.json"

/**
 * Where new files are until all of them are written. It is in the folder, which is never replaced itself: it can be a mount
 * point, a symbolic link, or in a parent that is read-only.
 */
const room = ".cloud-management-generate"

const find = (path: string) => lstatSync(path, { throwIfNoEntry: false })

/** The text of a file, with the line ends of Git's checkouts undone; `undefined` if there is no file. */
const read = (file: string): string | undefined =>
  find(file)?.isFile() === true ? readFileSync(file, "utf8").replaceAll("\r\n", "\n") : undefined

const manifestOf = (folder: string) => {
  const text = read(join(folder, manifestName))
  return text === undefined ? undefined : Manifest.parse(text)
}

/** Fails if a file is in the way that none of these manifests lists as it is. */
const checkOwned = (target: string, names: Iterable<string>, owners: ReadonlyArray<Manifest.Locked | undefined>) => {
  for (const name of names) {
    const file = join(target, name)
    if (find(file) === undefined) continue
    const digest = Digest.digest(read(file) ?? "")
    if (owners.some((owner) => owner?.files[name] === digest)) continue
    throw unusable(`${file} was not generated, or was changed since: undo the change, or move the file away`)
  }
}

const staleOf = (old: Manifest.Locked | undefined, next: Manifest.Locked) =>
  Object.keys(old?.files ?? {}).filter((name) => next.files[name] === undefined)

const stagedIn = (target: string) =>
  readdirSync(join(target, room), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter(Manifest.isFile)

/** Removes the room with generated files in it, and nothing else. */
const discard = (target: string) => {
  for (const name of [...stagedIn(target), manifestName]) rmSync(join(target, room, name), { force: true })
  for (const name of ["operations", ""]) if (existsSync(join(target, room, name))) rmdirSync(join(target, room, name))
}

/** Moves a file. A folder in the target can be a mount point of another file system: a copy is moved there, for a kill leaves no half. */
const moveFile = (from: string, to: string) => {
  try {
    renameSync(from, to)
  } catch (error) {
    if (property(error, "code") !== "EXDEV") throw error
    copyFileSync(from, `${to}.new`)
    renameSync(`${to}.new`, to)
    rmSync(from)
  }
}

/** Moves all files into their places, the manifest last. Wherever it is killed, the next run moves the rest. */
const move = (target: string, old: Manifest.Locked | undefined, next: Manifest.Locked) => {
  for (const name of staleOf(old, next)) rmSync(join(target, name), { force: true })
  for (const name of [...stagedIn(target), manifestName]) {
    mkdirSync(dirname(join(target, name)), { recursive: true })
    moveFile(join(target, room, name), join(target, name))
  }
  discard(target)
}

/** The manifest of a folder; fails if the folder has files and none. */
const ownedBy = (path: string): Manifest.Locked | undefined => {
  const manifest = manifestOf(path)
  if (manifest?._tag === "Success") return manifest.success
  if (manifest !== undefined)
    throw unusable(
      `${join(path, manifestName)} is not what this command wrote: restore it, or name another folder: ${manifest.failure}`
    )
  return undefined
}

/**
 * Reads a folder. A run that was killed is finished first, if all that it generated had been written, else undone; a
 * check only reads.
 */
export const open = (path: string, isCheck: boolean): Folder => {
  const target = resolve(path)
  const folder = statSync(target, { throwIfNoEntry: false })
  if (folder?.isDirectory() === false || (folder === undefined && find(target) !== undefined))
    throw unusable(`${path} is not a folder: --out names the folder to write`)
  const isInterrupted = folder !== undefined && find(join(target, room))?.isDirectory() === true
  const old = ownedBy(path)
  if (isInterrupted && !isCheck) {
    const next = manifestOf(join(target, room))
    if (next?._tag === "Success") {
      checkOwned(target, [...stagedIn(target), ...staleOf(old, next.success)], [old, next.success])
      move(target, old, next.success)
    } else discard(target)
    return open(path, isCheck)
  }
  if (folder !== undefined && old === undefined && !isInterrupted && readdirSync(target).length > 0)
    throw unusable(`${path} has files but no ${manifestName}: name a folder of its own`)
  const names = old === undefined ? [] : [...Object.keys(old.files), manifestName]
  const files = names.flatMap((name) => {
    const text = read(join(target, name))
    return text === undefined ? [] : [[name, text] as const]
  })
  return { path, files: new Map(files), manifest: old }
}

/** Writes what was generated, and removes what no longer is. Nothing changes if a file of somebody else is in the way. */
export const write = (
  folder: Folder,
  { files, manifest }: { readonly files: ReadonlyMap<string, string>; readonly manifest: Manifest.Locked }
): void => {
  const target = resolve(folder.path)
  const changed = [...files].filter(([name, content]) => content !== folder.files.get(name))
  const names = changed.map(([name]) => name).filter((name) => name !== manifestName)
  checkOwned(target, [...names, ...staleOf(folder.manifest, manifest)], [folder.manifest])
  mkdirSync(join(target, room), { recursive: true })
  try {
    for (const name of [...names, manifestName]) {
      mkdirSync(dirname(join(target, room, name)), { recursive: true })
      writeFileSync(join(target, room, name), files.get(name) ?? "")
    }
  } catch (error) {
    discard(target)
    throw error
  }
  move(target, folder.manifest, manifest)
}
