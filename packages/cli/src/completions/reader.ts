import type * as Completions from "effect/cli/Completions"
import { all, contents } from "./descriptor.ts"

/** A text between single quotes of bash and zsh. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A name, and what it stands for, as `_describe` of zsh takes them; bash cuts the name off. */
const entry = (name: string, description = "") => quoted(`${name}:${description}`)

const option = (name: string) => `${name.length === 1 ? "-" : "--"}${name}`

/** What completes a value: words, a file, or nothing. */
const valueOf = (name: string, type: Completions.FlagType | Completions.ArgumentType): string => {
  if (contents.has(name)) return "kind=content"
  if (type._tag === "Path") return "kind=file"
  return type._tag === "Choice" ? `choices=(${type.values.join(" ")})` : ":"
}

/** A branch of `case` for a command and for each below it. */
const branches = (command: Completions.CommandDescriptor, at: string): ReadonlyArray<string> => [
  `    ${quoted(at)})`,
  `      below=(${command.subcommands.map(({ description, name }) => entry(name, description)).join(" ")})`,
  `      flags=(${command.flags
    .flatMap(({ aliases, description, name, negation, type }) => [
      ...[name, ...aliases].map((name) => entry(option(name), description)),
      ...(type._tag === "Boolean" && negation !== false ? [entry(`--no-${name}`, `Not --${name}`)] : [])
    ])
    .join(" ")})`,
  ...command.arguments.map(
    ({ name, type, variadic }, i) => `      [[ $count -${variadic ? "ge" : "eq"} ${i} ]] && ${valueOf(name, type)}`
  ),
  "      ;;",
  ...command.subcommands.flatMap((below) => branches(below, `${at} ${below.name}`))
]

/** What bash and zsh have in common: functions that read the words of a line, and say what may follow. */
export const reader = (command: Completions.CommandDescriptor): ReadonlyArray<string> => {
  const values = new Map(
    all(command)
      .flatMap(({ flags }) => flags)
      .filter(({ type }) => type._tag !== "Boolean")
      .map(({ aliases, name, type }) => [[name, ...aliases].map(option).join("|"), valueOf(name, type)])
  )
  return [
    "# what completes the value of a flag; fails if it takes none",
    "__cloud_management_value() {",
    "  case $1 in",
    ...Array.from(values, ([names, value]) => `    ${names}) ${value} ;;`),
    "    *) return 1 ;;",
    "  esac",
    "}",
    "# what may follow a command and so many arguments",
    "__cloud_management_at() {",
    "  case $at in",
    ...branches(command, ""),
    "  esac",
    "}",
    "# finds the command, the number of its arguments, and the flag whose value comes next",
    "__cloud_management_read() {",
    "  local word names",
    "  at= count=0 flag= kind= below=() flags=() choices=()",
    '  for word in "$@"; do',
    "    if [[ -n $flag ]]; then",
    "      flag=",
    "    elif [[ $word == -* ]]; then",
    '      __cloud_management_value "$word" && flag=$word',
    "    else",
    "      kind= below=() choices=()",
    "      __cloud_management_at",
    '      names=("${below[@]%%:*}")',
    '      case " ${names[*]} " in',
    '        *" $word "*) at="$at $word" ;;',
    "        *) count=$((count + 1)) ;;",
    "      esac",
    "    fi",
    "  done",
    "  kind= below=() flags=() choices=()",
    "}"
  ]
}
