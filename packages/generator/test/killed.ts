/** Writes what was generated, and is killed at a step: before a change of a file, or when a text is half written. */
import fs, { readFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const [out = "", step = ""] = process.argv.slice(2)
const { files, manifest } = JSON.parse(readFileSync(0, "utf8"))

let left = Number(step)
const isLast = () => left-- === 0
for (const name of ["mkdirSync", "renameSync", "rmSync", "rmdirSync"] as const) {
  const change: (...args: ReadonlyArray<never>) => unknown = fs[name]
  Object.assign(fs, {
    [name]: (...args: ReadonlyArray<never>) => (isLast() ? process.kill(process.pid, "SIGKILL") : change(...args))
  })
}
const { writeFileSync } = fs
Object.assign(fs, {
  writeFileSync: (path: string, text: string) => {
    if (isLast()) process.kill(process.pid, "SIGKILL")
    const isHalf = isLast()
    writeFileSync(path, isHalf ? text.slice(0, text.length / 2) : text)
    if (isHalf) process.kill(process.pid, "SIGKILL")
  }
})
syncBuiltinESMExports()

const Output = await import("../src/write/Output.ts")
Output.write(Output.open(out, false), { files: new Map(files), manifest })
