import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Formatter from "effect/Formatter"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import process from "node:process"
import * as Foreign from "./foreign.ts"
import * as Setting from "./setting.ts"

/** The values of `--log-format`. */
export const formats = ["pretty", "json"] as const

/** `--log-format`: the form of the log on stderr. */
export const LogFormat = GlobalFlag.Setting("log-format")({
  flag: Setting.optional("log-format", {
    parse: (text) => Option.fromUndefinedOr(formats.find((format) => format === text)),
    expected: formats.join(" or "),
    metavar: formats.join("|"),
    description: "Format of the log on stderr [default: pretty on a terminal, otherwise json]"
  })
})

/** The default format. */
const standard = () => (process.stderr.isTTY ? "pretty" : "json")

const chosen = Effect.map(LogFormat, Option.getOrElse(standard))

/** One object a line: the time, the level and the message, and the annotations beside them. */
const json = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) =>
  Foreign.escaped(Formatter.formatJson({ time: timestamp, level, message, ...annotations, cause }))
)

const loggers = { json: Logger.withConsoleError(json), pretty: Logger.defaultLogger }

/** Maximum number of characters of the log that wait for its reader. */
const mostWaiting = 2 ** 20

/** The number of entries dropped since its reader last kept up. */
let dropped = 0
let droppedInAll = 0

/** The number of log entries that this process has dropped. */
export const droppedEntries = (): number => droppedInAll

/**
 * Writes an entry. Once too much waits for a reader that does not keep up, it drops entries until the reader has read
 * everything, and then logs their number, as the fiber of the first one would. Without this, Node.js would keep
 * everything that a pipe does not accept in memory, without a limit.
 */
export const bounded = (fiber: Fiber.Fiber<unknown, unknown>, write: () => void): void => {
  if (dropped === 0 && process.stderr.writableLength < mostWaiting) return write()
  droppedInAll++
  if (dropped++ > 0) return
  const { context } = fiber
  process.stderr.once("drain", () => {
    const line = Effect.logWarning(`${dropped} log entries were dropped because the reader was too slow`)
    dropped = 0
    // the annotations are those of the first entry that was dropped
    Effect.runForkWith(context)(Effect.provideService(line, References.CurrentLogAnnotations, {}))
  })
}

const boundedLogger = (logger: Logger.Logger<unknown, void>) =>
  Logger.make<unknown, void>((options) => bounded(options.fiber, () => logger.log(options)))

/** Runs an effect with the log in a format. */
export const as = <A, E, R>(effect: Effect.Effect<A, E, R>, format: (typeof formats)[number]) =>
  Effect.provide(effect, Logger.layer([boundedLogger(loggers[format])]))

/** Runs an effect with the log in the chosen format. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(chosen, (format) => as(effect, format))

/** Whether the log is JSON, by arguments, by the variable or by default, even if they are otherwise invalid. */
export const isJson = (args: ReadonlyArray<string>): Effect.Effect<boolean> => {
  const given = args.flatMap((arg, i) => {
    if (arg === "--log-format") return args[i + 1] ?? []
    return arg.startsWith("--log-format=") ? arg.slice("--log-format=".length) : []
  })
  return given.length > 0
    ? Effect.succeed(given.includes("json"))
    : Effect.map(Setting.value("log-format"), (text) => Option.getOrElse(text, standard) === "json")
}
