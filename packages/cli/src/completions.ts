/**
 * Completions for shells. Effect's command library writes them from the definition of the commands, and falls short in
 * these points, for which this module makes up:
 *
 * - it leaves global flags out: they are added here, to the commands that take them;
 * - it knows no values of a flag that is a text with a check: {@link values} and {@link files} name them;
 * - its scripts look at the words of a line without telling values and commands apart, and do not complete
 *   `--flag=value`: bash, zsh and fish have scripts of their own here, which find the command past flags and their values.
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
const contents: ReadonlySet<string> = new Set(["data"])

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
const reader = (command: Completions.CommandDescriptor): ReadonlyArray<string> => {
  const all = (command: Completions.CommandDescriptor): ReadonlyArray<Completions.CommandDescriptor> => [
    command,
    ...command.subcommands.flatMap(all)
  ]
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

const bash = (command: Completions.CommandDescriptor): string =>
  [
    `# Completions of ${command.name} for bash.`,
    `# source <(${command.name} --completions bash)`,
    ...reader(command),
    "_cloud_management() {",
    "  local at count flag kind below flags choices words word",
    "  # COMP_WORDS would be split at = and @",
    "  local line=${COMP_LINE:0:COMP_POINT}",
    '  read -a words <<<"${line#*"$1"}"',
    "  [[ $line == *[[:space:]] ]] && words+=('')",
    "  word=${words[${#words[@]} - 1]}",
    '  __cloud_management_read "${words[@]:0:${#words[@]} - 1}"',
    "  if [[ -n $flag ]]; then",
    '    __cloud_management_value "$flag"',
    "  elif [[ $word == -*=* ]]; then",
    '    __cloud_management_value "${word%%=*}"',
    "    word=${word#*=}",
    "  else",
    "    __cloud_management_at",
    "    if [[ $word == -* ]]; then",
    '      kind= choices=("${flags[@]%%:*}")',
    "    else",
    '      choices+=("${below[@]%%:*}")',
    "    fi",
    "  fi",
    "  COMPREPLY=()",
    "  case $kind in",
    "    file) compopt -o default ;;",
    "    content)",
    "      [[ $word == @* ]] || return",
    "      compopt -o filenames",
    "      local IFS=$'\\n'",
    '      COMPREPLY=($(compgen -P @ -f -- "${word#@}"))',
    "      ;;",
    '    *) COMPREPLY=($(compgen -W "${choices[*]}" -- "$word")) ;;',
    "  esac",
    "}",
    `complete -F _cloud_management ${command.name}`
  ].join("\n")

const zsh = (command: Completions.CommandDescriptor): string =>
  [
    `#compdef ${command.name}`,
    `# Completions of ${command.name} for zsh.`,
    `# source <(${command.name} --completions zsh)`,
    ...reader(command),
    "_cloud_management() {",
    "  local at count flag kind",
    "  local -a below flags choices",
    '  __cloud_management_read "${(@)words[2,CURRENT-1]}"',
    "  if [[ -n $flag ]]; then",
    '    __cloud_management_value "$flag"',
    "  elif [[ $PREFIX == -*=* ]]; then",
    '    __cloud_management_value "${PREFIX%%=*}"',
    "    compset -P 1 '*='",
    "  else",
    "    __cloud_management_at",
    "    if [[ $PREFIX == -* ]]; then",
    "      _describe -o flag flags",
    "      return",
    "    fi",
    "    (( $#below )) && _describe command below",
    "  fi",
    "  case $kind in",
    "    file) _files ;;",
    "    content) compset -P @ && _files ;;",
    "    *) (( $#choices )) && compadd -a choices ;;",
    "  esac",
    "}",
    "if [[ $funcstack[1] == _cloud_management ]]; then",
    '  _cloud_management "$@"',
    "else",
    `  compdef _cloud_management ${command.name}`,
    "fi"
  ].join("\n")

const scripts = { bash, zsh, fish }

/** The completions for a shell. */
export const script = (shell: Completions.Shell): Effect.Effect<string> =>
  Effect.map(descriptor, (command) =>
    shell === "powershell" ? Completions.generate(command.name, shell, command) : scripts[shell](command)
  )
