/** Loaded into a process before its program: at SIGUSR2 it collects garbage and says on stdout how much is in its heap. */
import process from "node:process"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")
let asked = 0
process.on("SIGUSR2", () => {
  if (typeof collect === "function") collect()
  process.stdout.write(`heap ${++asked}: ${process.memoryUsage().heapUsed}\n`)
})
