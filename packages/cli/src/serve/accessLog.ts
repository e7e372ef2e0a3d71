import * as Effect from "effect/Effect"
import process from "node:process"
import type * as AccessLog from "@cloud-management/service/AccessLog"
import * as Foreign from "../foreign.ts"
import * as Logging from "../Logging.ts"

/** What was recorded in this turn of the event loop: it is written at once. */
let lines = ""

const flush = () => {
  if (lines === "") return
  process.stderr.write(lines)
  lines = ""
}
process.once("exit", flush)

/** Writes an entry to stderr as one line of JSON, regardless of the format of the log. */
export const write: AccessLog.Recorder = ({ bytes, durationMillis, keyId, time, ...entry }) =>
  Effect.withFiber((fiber) => {
    Logging.bounded(fiber, () => {
      if (lines === "") setImmediate(flush)
      const line = {
        time: new Date(time).toISOString(),
        level: "INFO",
        message: "request",
        ...entry,
        durationMs: Math.round(durationMillis * 1000) / 1000,
        bytes,
        keyId
      }
      lines += `${Foreign.toJson(line)}\n`
    })
    return Effect.void
  })
