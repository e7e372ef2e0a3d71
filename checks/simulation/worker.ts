/** A thread that plays seeds. */
import { parentPort } from "node:worker_threads"
import { play } from "./portion.ts"

// the stacks of errors that the runs make are never seen, and take a third of the time
Error.stackTraceLimit = 0
parentPort?.on("message", ([from, to]: readonly [number, number]) => {
  void play(from, to).then((portion) => parentPort?.postMessage(portion))
})
