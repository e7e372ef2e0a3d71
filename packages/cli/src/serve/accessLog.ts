import { type Context, Effect } from "effect"
import process from "node:process"
import type { AccessLog } from "@cloud-management/service"
import * as Foreign from "../output/foreign.ts"
import * as Logging from "../output/Logging.ts"

/** The entries of this turn of the event loop, which are written together. */
let batch: { readonly context: Context.Context<never>; readonly lines: Array<string> } | undefined

const flush = () => {
  if (batch === undefined) return
  const { context, lines } = batch
  batch = undefined
  Logging.bounded(context, () => process.stderr.write(lines.join("")), lines.length)
}
process.once("exit", flush)

/** Writes an entry to stderr as one line of JSON, regardless of the format of the log. */
export const write: AccessLog.Recorder = ({ bytes, durationMillis, keyId, time, ...entry }) =>
  Effect.withFiber((fiber) => {
    if (batch === undefined) {
      batch = { context: fiber.context, lines: [] }
      setImmediate(flush)
    }
    const line = {
      time: new Date(time).toISOString(),
      level: "INFO",
      message: "request",
      ...entry,
      durationMs: Math.round(durationMillis * 1000) / 1000,
      bytes,
      keyId
    }
    batch.lines.push(`${Foreign.toJson(line)}\n`)
    return Effect.void
  })
