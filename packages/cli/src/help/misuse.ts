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

const explain = (error: CliError.NonShowHelpErrors, help: HelpDoc | undefined) => {
  const flags = [...(help?.flags ?? []), ...(help?.globalFlags ?? [])]
  switch (error._tag) {
    case "UnrecognizedOption": {
      const names = flags.map(({ name }) => `--${name}`)
      const where = error.command === undefined ? "" : ` in command ${error.command.join(" ")}`
      return { message: `Unrecognized flag: ${error.option}${where}`, meant: suggest(error.option, names) }
    }
    case "UnknownSubcommand":
      return {
        message: `Unknown subcommand ${JSON.stringify(error.subcommand)} for "${(error.parent ?? []).join(" ")}"`,
        meant: suggest(
          error.subcommand,
          (help?.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name))
        )
      }
    case "InvalidValue": {
      const [, times] = /^(\d+) occurrences$/.exec(error.value) ?? []
      if (times !== undefined && error.expected === "at most 1 value") {
        return { message: `--${error.option} is given ${times} times, but accepts one value`, meant: [] }
      }
      const flag = flags.find(({ name }) => name === error.option)
      // the library names the kind of value alone, as in "where"
      if (error.value === "" && flag !== undefined && error.expected === flag.type) {
        const description = Option.getOrElse(flag.description, () => error.expected)
        return { message: `Missing value for flag --${error.option}. Expected: ${description}`, meant: [] }
      }
      return { message: error.message, meant: suggest(error.value, choices(error.expected)) }
    }
    default:
      return { message: error.message, meant: [] }
  }
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
  if (error.errors.length === 0) {
    return error.commandPath.length > 1 ? Failure.usage(`${command} needs a subcommand`, advice) : undefined
  }
  // flags of a command that is not known are not known either
  const unknown = error.errors.filter(({ _tag }) => _tag === "UnknownSubcommand")
  const explained = (unknown.length > 0 ? unknown : error.errors).map((error) => explain(error, help))
  const meant = new Set(explained.flatMap(({ meant }) => meant))
  return Failure.usage(
    explained.map(({ message }) => message).join("\n"),
    [...didYouMean([...meant]), advice].join("\n")
  )
}
