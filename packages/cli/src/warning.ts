import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import process from "node:process"
import * as Cli from "./Cli.ts"
import * as Format from "./Format.ts"
import * as Logging from "./Logging.ts"

const args = process.argv.slice(2)

/** Reports a warning of Node.js in the form of everything on stderr: a document of JSON, or an entry of the log. */
export const report = ({ message, name }: Error): void => {
  const line = Cli.isServe(args)
    ? Effect.flatMap(Logging.isJson(args), (isJson) =>
        Logging.as(Effect.logWarning(message), isJson ? "json" : "pretty")
      )
    : Format.warn(Format.ofArguments(args), name, message)
  Effect.runFork(Effect.provideService(line, Logger.LogToStderr, true))
}
