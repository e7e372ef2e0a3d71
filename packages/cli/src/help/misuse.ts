import { Option } from "effect"
import type { CliError } from "effect/cli"
import type { HelpDoc } from "effect/cli/HelpDoc"
import * as Failure from "../output/Failure.ts"
import { didYouMean, suggest } from "./suggest.ts"

/** A secret on the command line: nothing of it is quoted back. */
const isSecretFlag = (error: CliError.CliError) =>
  error._tag === "UnrecognizedOption" && /^--(key-?)?(secret|password)$/i.test(error.option)

/** The values that an expectation lists, as in `"table" | "json"`, `pretty or json` and `GET, HEAD`: each is one word. */
const choices = (expected: string): ReadonlyArray<string> => {
  const listed = expected.split(/ \| |, | or /).map((choice) => choice.replaceAll('"', ""))
  return listed.length > 1 && listed.every((choice) => /^\w+$/.test(choice)) ? listed : []
}

const commandsOf = (help: HelpDoc | undefined) =>
  (help?.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name))

/** The words that a command goes on with: its subcommands, or else its flags. */
export const wordsAfter = (help: HelpDoc): ReadonlyArray<string> =>
  help.subcommands ? commandsOf(help) : [...help.flags, ...(help.globalFlags ?? [])].map(({ name }) => `--${name}`)

const explain = (error: CliError.NonShowHelpErrors, help: HelpDoc | undefined) => {
  const flags = [...(help?.flags ?? []), ...(help?.globalFlags ?? [])]
  const said = (message: string, meant: ReadonlyArray<string> = []) => ({ message, meant })
  if (error._tag === "UnrecognizedOption") {
    const names = flags.map(({ name }) => `--${name}`)
    const command = (error.command ?? []).join(" ")
    const meant = suggest(error.option, names)
    return help?.subcommands !== undefined && meant.length === 0
      ? said(`${command} needs a subcommand: ${error.option} is not a flag of its own`)
      : said(`Unrecognized flag: ${error.option} in command ${command}`, meant)
  }
  if (error._tag === "UnknownSubcommand") {
    const problem = `Unknown subcommand ${JSON.stringify(error.subcommand)} for "${(error.parent ?? []).join(" ")}"`
    return said(problem, suggest(error.subcommand, commandsOf(help)))
  }
  if (error._tag !== "InvalidValue") return said(error.message)
  const { expected, message, option, value } = error
  const [, times] = /^(\d+) occurrences$/.exec(value) ?? []
  if (times !== undefined && expected === "at most 1 value")
    return said(`--${option} is given ${times} times, but accepts one value`)
  const flag = flags.find(({ name }) => name === option)
  // the library names the kind of value alone, as in "where"
  if (value !== "" || flag === undefined || expected !== flag.type)
    return said(message, suggest(value, choices(expected)))
  return said(`Missing value for flag --${option}. Expected: ${Option.getOrElse(flag.description, () => expected)}`)
}

/** The failure for an invalid command line; `undefined` if the user only asked for help. */
export const failure = (error: CliError.ShowHelp, help: HelpDoc | undefined): Failure.Failure | undefined => {
  const command = error.commandPath.join(" ")
  const advice = `See ${command} --help.`
  if (error.errors.some(isSecretFlag)) {
    const problem = "secrets are not accepted as flags, because process lists show flags"
    // with --api, neither variables nor profiles are used
    if (/ --api /.test(command)) return Failure.usage(`${problem}: pass --key-secret-file PATH`)
    return Failure.usage(
      `${problem}: set CLOUD_MANAGEMENT_KEY_SECRET, or pass --key-secret-file PATH`,
      "At a terminal, `cloud-management login` asks for it."
    )
  }
  const [first] = error.errors
  if (first === undefined) {
    return error.commandPath.length > 1 ? Failure.usage(`${command} needs a subcommand`, advice) : undefined
  }
  // a word for a command is first: flags of one that is not known are not known either, and what follows such a flag is its value
  const others = error.errors.filter(({ _tag }) => _tag !== "UnknownSubcommand")
  const errors = first._tag === "UnknownSubcommand" ? [first] : others
  const explained = errors.map((error) => explain(error, help))
  const meant = new Set(explained.flatMap(({ meant }) => meant))
  return Failure.usage(
    explained.map(({ message }) => message).join("\n"),
    [...didYouMean([...meant]), advice].join("\n")
  )
}
