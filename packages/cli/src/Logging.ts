import * as Effect from "effect/Effect"
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

/** `--log-format`: what the log on stderr looks like. */
export const LogFormat = GlobalFlag.Setting("log-format")({
  flag: Setting.optional("log-format", {
    parse: (text) => Option.fromUndefinedOr(formats.find((format) => format === text)),
    expected: formats.join(" or "),
    metavar: formats.join("|"),
    description: "Log on stderr [default: pretty on a terminal]"
  })
})

const chosen = Effect.map(
  LogFormat,
  Option.getOrElse(() => (process.stderr.isTTY ? "pretty" : "json"))
)

/** One object a line: the time, the level and the message, and the annotations beside them. */
const json = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) =>
  Foreign.escaped(Formatter.formatJson({ time: timestamp, level, message, ...annotations, cause }))
)

const loggers = { json: Logger.withConsoleError(json), pretty: Logger.defaultLogger }

/** Most characters of the log that wait for its reader. */
const mostWaiting = 2 ** 20

let droppedInAll = 0
/** How many entries of the log this process has dropped. */
export const dropped = (): number => droppedInAll

/**
 * Drops entries from the moment on at which too many wait for a reader that does not follow, until it has read them all,
 * and then logs how many. Node.js keeps what a pipe does not take in memory, without a limit.
 */
const bounded = (logger: Logger.Logger<unknown, void>) => {
  let dropped = 0
  return Logger.make<unknown, void>((options) => {
    if (dropped === 0 && process.stderr.writableLength < mostWaiting) return logger.log(options)
    droppedInAll++
    if (dropped++ > 0) return
    const { context } = options.fiber
    process.stderr.once("drain", () => {
      const line = Effect.logWarning(`${dropped} entries of the log were dropped: its reader was too slow`)
      dropped = 0
      // the annotations are those of the first entry that was dropped
      Effect.runForkWith(context)(Effect.provideService(line, References.CurrentLogAnnotations, {}))
    })
  })
}

/** With the log in the format that was chosen. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(chosen, (format) => Effect.provide(effect, Logger.layer([bounded(loggers[format])])))
