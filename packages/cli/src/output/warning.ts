import { Effect, Logger } from "effect"
import process from "node:process"
import * as Cli from "../Cli.ts"
import * as Format from "./Format.ts"
import * as Logging from "./Logging.ts"

const args = process.argv.slice(2)

/** Reports a warning of Node.js: as a document or an entry of the log where stderr is JSON, and otherwise as Node.js does. */
export const report = ({ message, name }: Error, plain: () => void): void => {
  const isServe = Cli.isServe(args)
  const isJson = isServe ? Logging.isJson(args) : Effect.succeed(Format.ofArguments(args) === "json")
  const line = isServe ? Logging.as(Effect.logWarning(message), "json") : Format.warn("json", name, message)
  const reported = Effect.flatMap(isJson, (isJson) => (isJson ? line : Effect.sync(plain)))
  Effect.runFork(Effect.provideService(reported, Logger.LogToStderr, true))
}
