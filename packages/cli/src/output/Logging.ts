import { type Context, Effect, Formatter, Logger, Option, References } from "effect"
import { GlobalFlag } from "effect/cli"
import process from "node:process"
import * as Foreign from "./foreign.ts"
import * as Format from "./Format.ts"
import * as Setting from "../input/setting.ts"

export const formats = ["pretty", "json"] as const

export const LogFormat = GlobalFlag.Setting("log-format")({
  flag: Setting.optional("log-format", {
    parse: (text) => Option.fromUndefinedOr(formats.find((format) => format === text)),
    expected: formats.join(" or "),
    metavar: formats.join("|"),
    description: "Format of the log on stderr [default: pretty on a terminal, otherwise json]"
  })
})

const standard = () => (process.stderr.isTTY ? "pretty" : "json")

/** One object a line: the time, the level and the message, and the annotations beside them. */
const json = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) =>
  Foreign.escaped(Formatter.formatJson({ time: timestamp, level, message, ...annotations, cause }))
)

/** The number of entries dropped, that of those which a warning has reported, and why the others were. */
let dropped = 0
let reported = 0
let why = ""
/** The number of entries that may not have been written yet. */
let pending = 0
let isStalled = false
/** Whether the last entry may have been written in part. */
let isCut = false

export const droppedEntries = (): number => dropped

const drop = (entries: number) => void (dropped += entries)

/** Node.js drops everything that waits when a write fails. */
const fail = ({ message }: Error) => {
  drop(pending)
  pending = 0
  isStalled = false
  isCut = true
  why = `the log could not be written: ${message}`
}
process.stderr.on("error", fail)

/** Logs how many entries were dropped, in the context of one of them. */
const report = (context: Context.Context<never>) => {
  const count = dropped - reported
  if (count === 0) return
  reported = dropped
  const line = Effect.logWarning(`${count} log entries were dropped because ${why}`)
  // the annotations are those of that entry
  Effect.runForkWith(context)(Effect.provideService(line, References.CurrentLogAnnotations, {}))
  if (process.stderr.errored !== null) reported -= count
}

/**
 * Writes entries, and drops them while a reader does not keep up, or they cannot be written: Node.js would keep them all in
 * memory. The next entry that can be written follows a warning with their number, on a line of its own.
 */
export const bounded = (context: Context.Context<never>, write: () => void, entries = 1): void => {
  const { stderr } = process
  if (isStalled || stderr.errored !== null) return drop(entries)
  if (stderr.writableLength >= 2 ** 20) {
    isStalled = true
    why = "the reader was too slow"
    stderr.once("drain", () => {
      isStalled = false
      report(context)
    })
    return drop(entries)
  }
  report(context)
  // the warning was dropped, which counts for one of them
  if (stderr.errored !== null) return drop(entries - 1)
  pending = stderr.writableLength === 0 ? entries : pending + entries
  if (isCut) stderr.write("\n")
  isCut = false
  write()
  if (stderr.errored !== null) fail(stderr.errored)
}

export const as = <A, E, R>(effect: Effect.Effect<A, E, R>, format: (typeof formats)[number]) => {
  const logger = format === "json" ? Logger.withConsoleError(json) : Logger.defaultLogger
  const writing = Logger.make<unknown, void>((options) => bounded(options.fiber.context, () => logger.log(options)))
  return Effect.provide(effect, Logger.layer([writing]))
}

export const within = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const logged = (yield* Format.Quiet) ? Effect.provideService(effect, References.MinimumLogLevel, "Warn") : effect
  return yield* as(logged, Option.getOrElse(yield* LogFormat, standard))
})

/** Whether the log is JSON, by arguments, by the variable or by default, even if they are otherwise invalid. */
export const isJson = (args: ReadonlyArray<string>): Effect.Effect<boolean> => {
  const given = Setting.given(args, "log-format")
  return given.length > 0
    ? Effect.succeed(given.includes("json"))
    : Effect.map(Setting.value("log-format"), (text) => Option.getOrElse(text, standard) === "json")
}
