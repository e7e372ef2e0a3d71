/**
 * Completions for shells. Effect's command library writes them from the definition of the commands, and falls short in
 * three points, for which this module makes up:
 *
 * - it leaves global flags out: they are added here, to the commands that take them;
 * - it knows no values of a flag that is a text with a check: {@link values} and {@link files} name them;
 * - its script for fish looks only at which words occur in a line, so that `admin keys` is completed as `keys` is: fish
 *   has a script of its own here.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Completions from "effect/cli/Completions"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import { root } from "./Cli.ts"
import * as Format from "./Format.ts"
import { helps } from "./helps.ts"
import * as Known from "./known.ts"
import * as Logging from "./Logging.ts"
import { methods } from "./request/command.ts"

/** The values of flags and arguments, by name. */
export const values: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["format", Format.formats],
  ["log-format", Logging.formats],
  ["completions", ["bash", "zsh", "fish", "powershell"]],
  ["status", Known.values.status],
  ["type", Known.values.type],
  ["msk-authentication", Known.values["msk-authentication"]],
  ["METHOD", Object.keys(methods)],
  ["COMMAND", root.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))]
])

/** The flags and arguments that are the path of a file. */
export const files: ReadonlySet<string> = new Set([
  "key-secret-file",
  "seed",
  "database",
  "tls-cert",
  "tls-key",
  "FILE"
])

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

/** All commands, as completions need them. */
export const descriptor = Effect.map(helps, (docs) =>
  complete(
    Completions.fromCommand(root),
    [root.name],
    new Map(docs.map((doc) => [(doc.commandPath ?? []).join(" "), doc]))
  )
)

/** A text between single quotes of fish. */
const quote = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`

/** The lines of fish for a command and those below it. */
const fishLines = (command: Completions.CommandDescriptor, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = (...parts: ReadonlyArray<string>) =>
    [`complete -c ${root.name} -n ${quote(`__cloud_management_at ${quote(path.join(" "))}`)}`, ...parts].join(" ")
  const [positional] = command.arguments
  return [
    ...command.subcommands.map(({ description = "", name }) => line("-a", name, "-d", quote(description))),
    ...command.flags.flatMap(({ aliases, description = "", name, negation, type }) => {
      const value =
        type._tag === "Boolean"
          ? []
          : type._tag === "Path"
            ? ["-r", "-F"]
            : ["-x", ...(type._tag === "Choice" ? ["-a", quote(type.values.join(" "))] : [])]
      const names = [`-l ${name}`, ...aliases.map((alias) => (alias.length === 1 ? `-s ${alias}` : `-l ${alias}`))]
      return [
        line(...names, "-d", quote(description), ...value),
        ...(type._tag === "Boolean" && negation !== false ? [line(`-l no-${name}`, "-d", quote(`Not --${name}`))] : [])
      ]
    }),
    ...(positional?.type._tag === "Choice" ? [line("-a", quote(positional.type.values.join(" ")))] : []),
    ...(positional?.type._tag === "Path" ? [line("-F")] : []),
    ...command.subcommands.flatMap((below) => fishLines(below, [...path, below.name]))
  ]
}

/** The script for fish: it finds the command in the words of the line, past the flags and their values. */
const fish = (command: Completions.CommandDescriptor): string => {
  const all = (command: Completions.CommandDescriptor): ReadonlyArray<Completions.CommandDescriptor> => [
    command,
    ...command.subcommands.flatMap(all)
  ]
  const paths = (command: Completions.CommandDescriptor, path: ReadonlyArray<string> = []): ReadonlyArray<string> => [
    path.join(" "),
    ...command.subcommands.flatMap((below) => paths(below, [...path, below.name]))
  ]
  const flags = all(command).flatMap(({ flags }) => flags)
  const withValue = new Set(flags.flatMap(({ name, type }) => (type._tag === "Boolean" ? [] : [`--${name}`])))
  return [
    `# Completions of ${command.name} for fish.`,
    `# ${command.name} --completions fish >~/.config/fish/completions/${command.name}.fish`,
    "function __cloud_management_at",
    `  set -l paths ${paths(command).map(quote).join(" ")}`,
    "  set -l path",
    "  set -l is_value 0",
    "  for word in (commandline -opc)[2..-1]",
    "    if test $is_value = 1",
    "      set is_value 0",
    `    else if contains -- $word ${[...withValue].join(" ")}`,
    "      set is_value 1",
    "    else if string match -q -- '-*' $word",
    "      continue",
    '    else if contains -- "$path $word" " "$paths',
    '      set path "$path $word"',
    "    end",
    "  end",
    `  test "$path" = (test -z "$argv[1]"; and echo ''; or echo " $argv[1]")`,
    "end",
    `complete -c ${command.name} -f`,
    ...fishLines(command, [])
  ].join("\n")
}

/** The completions for a shell. */
export const script = (shell: Completions.Shell): Effect.Effect<string> =>
  Effect.map(descriptor, (command) =>
    shell === "fish" ? fish(command) : Completions.generate(command.name, shell, command)
  )
