import type * as Completions from "effect/cli/Completions"
import { root } from "../Cli.ts"
import { all, contents } from "./descriptor.ts"

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
            : [
                "-x",
                ...(contents.has(name) ? ["-a", quote("(__cloud_management_content)")] : []),
                ...(type._tag === "Choice" ? ["-a", quote(type.values.join(" "))] : [])
              ]
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
export const fish = (command: Completions.CommandDescriptor): string => {
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
    "function __cloud_management_content",
    "  set -l token (string replace -r '^--[^=]*=' '' -- (commandline -ct))",
    "  string match -q '@*' -- $token; or return",
    "  set -l found (string sub -s 2 -- $token)*",
    "  printf '@%s\\n' $found",
    "end",
    `complete -c ${command.name} -f`,
    ...fishLines(command, [])
  ].join("\n")
}
