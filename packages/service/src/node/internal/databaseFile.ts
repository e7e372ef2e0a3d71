import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"

/** Of a file that is mounted alone (proc(5)): the log beside it, with the latest commits, would be lost. */
export const folderOfMounted = (path: string): string | undefined => {
  try {
    const file = realpathSync(path)
    const mounted = file.replace(/[ \t\n\\]/g, (character) => `\\0${character.charCodeAt(0).toString(8)}`)
    const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n")
    return mounts.some((line) => line.split(" ")[4] === mounted) ? dirname(file) : undefined
  } catch {
    return undefined
  }
}

const find = (path: string) => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && { id: `${found.dev} ${found.ino}`, size: found.size }
}

/** Whether the log begins as one (sqlite.org/fileformat2.html §4.1). SQLite has no lock on it that closing it would end. */
const isLog = (path: string) => {
  const file = openSync(path, "r")
  try {
    const magic = new DataView(new ArrayBuffer(4))
    return readSync(file, magic) === 4 && (magic.getUint32(0) | 1) === 0x377f0683
  } finally {
    closeSync(file)
  }
}

/** Throws once a file is gone, replaced or truncated: SQLite would go on to write what nobody could ever read. */
export const watch = (db: DatabaseSync, filename: string): (() => void) => {
  const location = db.location()
  if (location === null) return () => {}
  // a path can be a link, which may lead to another file by now
  const path = filename.startsWith("file:") ? location : filename
  const content = db.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
  const log = `${location}-wal`
  // the index is where processes find each other's commits and locks: one that makes another would overwrite this one's
  const paths = [path, log, `${location}-shm`]
  let last = paths.map(find)

  const isIntact = () => {
    const found = paths.map(find)
    if (last.some((before, n) => before !== undefined && found[n]?.id !== before.id)) return false
    const [[file, logFile], [lastFile, lastLog]] = [found, last]
    if (file === undefined || lastFile === undefined) return false
    // VACUUM shortens a file too, but never below its content
    if (file.size < lastFile.size && file.size < Number(content.get()?.["bytes"])) return false
    // a checkpoint may empty the log, and never shortens it
    const logSize = logFile?.size ?? 0
    if (logSize > 0 && (logSize < (lastLog?.size ?? 0) || !isLog(log))) return false
    last = found
    return true
  }
  return () => {
    if (isIntact()) return
    throw new Error(
      `${path} was removed, replaced or truncated while it was open: put the right file there and restart the service`
    )
  }
}
