/** A run's leftovers go at its end: one folder, and the processes whose variables name it. Also Vitest's global setup. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const isInside = "TESTS_FOLDER"

const kill = (folder: string) => {
  for (const pid of readdirSync("/proc").filter((name) => Number(name) > 0 && Number(name) !== process.pid)) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder)) process.kill(Number(pid), "SIGKILL")
    } catch {
      // it has ended, or is that of another user
    }
  }
}

export default (): void => {
  if (process.env[isInside] !== undefined) return
  const folder = mkdtempSync(join(tmpdir(), "tests-"))
  chmodSync(folder, 0o1777) // as the one that it replaces: servers run as other users
  process.env[isInside] = folder
  process.env["TMPDIR"] = folder
  process.once("exit", () => {
    if (process.platform === "linux") kill(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
}
