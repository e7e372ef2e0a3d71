/**
 * What can be completed. Effect's command library describes the commands for completions, and falls short in these
 * points, for which this module makes up:
 *
 * - it leaves global flags out: they are added here, to the commands that take them;
 * - it knows no values of a flag that is a text with a check: {@link values} and {@link files} name them.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Completions from "effect/cli/Completions"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import { root } from "../Cli.ts"
import * as Format from "../Format.ts"
import { helps } from "../helps.ts"
import * as Known from "../known.ts"
import * as Logging from "../Logging.ts"
import { methods } from "../request/command.ts"

/** The values of flags and arguments, by name. */
export const values: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["format", Format.formats],
  ["log-format", Logging.formats],
  ["completions", ["bash", "zsh", "fish", "powershell"]],
  ["status", Known.values.status],
  ["type", Known.values.type],
  ["msk-authentication", Known.values["msk-authentication"]],
  ["METHOD", Object.keys(methods)]
])

/** The flags and arguments that accept the path of a file. */
export const files: ReadonlySet<string> = new Set([
  "key-secret-file",
  "seed",
  "database",
  "tls-cert",
  "tls-key",
  "FILE"
])

/** The flags that take a text, or the path of a file after `@`. */
export const contents: ReadonlySet<string> = new Set(["data"])

const typed = <Type extends Completions.FlagType | Completions.ArgumentType>(
  name: string,
  type: Type
): Type | Extract<Completions.FlagType, { readonly _tag: "Choice" | "Path" }> => {
  const known = values.get(name)
  if (known !== undefined) return { _tag: "Choice", values: known }
  return files.has(name) ? { _tag: "Path", pathType: "file" } : type
}

const globalFlag = ({ aliases, description, name, type }: FlagDoc): Completions.FlagDescriptor => ({
  name,
  aliases: aliases.map((alias) => alias.replace(/^-+/, "")),
  description: Option.getOrUndefined(description),
  type: typed(name, { _tag: type === "boolean" ? "Boolean" : "String" }),
  negation: false
})

/** A command with its global flags and all values. */
const complete = (
  command: Completions.CommandDescriptor,
  path: ReadonlyArray<string>,
  docs: ReadonlyMap<string, HelpDoc>
): Completions.CommandDescriptor => ({
  ...command,
  flags: [
    ...command.flags.map((flag) => ({ ...flag, type: typed(flag.name, flag.type) })),
    ...(docs.get(path.join(" "))?.globalFlags ?? []).map(globalFlag)
  ],
  arguments: command.arguments.map((argument) => ({ ...argument, type: typed(argument.name, argument.type) })),
  subcommands: command.subcommands.map((below) => complete(below, [...path, below.name], docs))
})

/** `help` takes the names of commands as words: below it are all commands, with the flags of `help`. */
const explained = (
  help: Completions.CommandDescriptor,
  subcommands: ReadonlyArray<Completions.CommandDescriptor>
): Completions.CommandDescriptor => ({
  ...help,
  arguments: [],
  subcommands: subcommands.map((below) =>
    explained({ ...help, name: below.name, description: below.description }, below.subcommands)
  )
})

/** All commands, as completions need them. */
export const descriptor = Effect.map(helps, (docs) => {
  const command = complete(
    Completions.fromCommand(root),
    [root.name],
    new Map(docs.map((doc) => [(doc.commandPath ?? []).join(" "), doc]))
  )
  return {
    ...command,
    subcommands: command.subcommands.map((below) =>
      below.name === "help" ? explained(below, command.subcommands) : below
    )
  }
})

/** A command and all below it. */
export const all = (command: Completions.CommandDescriptor): ReadonlyArray<Completions.CommandDescriptor> => [
  command,
  ...command.subcommands.flatMap(all)
]
