import { Option } from "effect"
import { type Command, Completions } from "effect/cli"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Format from "../output/Format.ts"
import * as Known from "../input/known.ts"
import * as Logging from "../output/Logging.ts"
import { methods } from "../request/command.ts"

/** The values of flags and arguments that are texts with a check, by name; `undefined` where it is the path of a file. */
export const values: ReadonlyMap<string, ReadonlyArray<string> | undefined> = new Map([
  ["format", Format.formats],
  ["log-format", Logging.formats],
  ["METHOD", Object.keys(methods)],
  ["profile", ["@profiles"]],
  ["PROFILE", ["@profiles"]],
  ...["organization", "service", "endpoint", "key"].map((kind) => [`${kind.toUpperCase()}_ID`, [`@${kind}`]] as const),
  ...["service", "endpoint"].map((kind) => [`${kind}-id`, [`@${kind}`]] as const),
  ...Object.entries(Known.values),
  ...["key-secret-file", "seed", "database", "tls-cert", "tls-key", "api", "FILE"].map(
    (name) => [name, undefined] as const
  )
])

const typed = <Type extends Completions.FlagType | Completions.ArgumentType, Of extends { name: string; type: Type }>(
  of: Of
) => {
  const known = values.get(of.name)
  if (known !== undefined) return { ...of, type: { _tag: "Choice" as const, values: known } }
  return values.has(of.name) ? { ...of, type: { _tag: "Path" as const, pathType: "file" as const } } : of
}

const globalFlag = ({ aliases, description, name, type }: FlagDoc): Completions.FlagDescriptor => ({
  name,
  aliases: aliases.map((alias) => alias.replace(/^-+/, "")),
  description: Option.getOrUndefined(description),
  type: { _tag: type === "boolean" ? "Boolean" : "String" },
  negation: false
})

/** `help` takes the names of commands as words: below it are all commands, with the flags of `help`. */
const explained = (
  help: Completions.CommandDescriptor,
  subcommands: ReadonlyArray<Completions.CommandDescriptor>
): Completions.CommandDescriptor => ({
  ...help,
  arguments: [],
  subcommands: subcommands.flatMap(({ description, name, subcommands }) =>
    name === help.name ? [] : [explained({ ...help, name, description }, subcommands)]
  )
})

/** After a folder of `--api`, the words that the command itself names. */
const ofFolder: Readonly<Record<string, string>> = {
  bash: String.raw`  [[ " ${"$"}{words[*]:1:cword-1}" =~ \ --api(=|\ .) ]] &&
    { COMPREPLY=( $(compgen -W "$(cloud-management "${"$"}{words[@]:1:cword-1}" --known 2>/dev/null)" -- "$cur") ); return; }`,
  zsh: String.raw`  [[ " ${"$"}{words[2,CURRENT-1]}" == *' --api'(=|' '?)* ]] &&
    { compadd -- ${"$"}{(f)"$(cloud-management "${"$"}{(@Q)words[2,CURRENT-1]}" --known 2>/dev/null)"}; return }`,
  fish: `function __cloud_management_api; string match -qr -- ' --api(=| .)' (commandline -opc | string join " "); end
complete -c cloud-management -n __cloud_management_api -f -a '(cloud-management (commandline -opc)[2..] --known 2>/dev/null)'`
}

/** Effect's library leaves global flags out, and would take their values for commands. */
export const script = (shell: Completions.Shell, root: Command.Command.Any, docs: ReadonlyArray<HelpDoc>): string => {
  const complete = (
    command: Completions.CommandDescriptor,
    path: ReadonlyArray<string>
  ): Completions.CommandDescriptor => {
    const below = docs.filter(({ commandPath = [] }) => path.every((name, i) => commandPath[i] === name))
    const globals = new Map(
      below.flatMap(({ globalFlags = [] }) => globalFlags.map((doc) => [doc.name, globalFlag(doc)]))
    )
    return {
      ...command,
      flags: [...command.flags, ...globals.values()].map(typed),
      arguments: command.arguments.map(typed),
      subcommands: command.subcommands.map((below) => complete(below, [...path, below.name]))
    }
  }
  const all = complete(Completions.fromCommand(root), [root.name])
  const subcommands = all.subcommands.map((below) =>
    below.name === "help" ? explained(below, all.subcommands) : below
  )
  const known = (name: string) => `${shell === "fish" ? "" : "$"}(${all.name} --known ${name} 2>/dev/null)`
  return (
    Completions.generate(all.name, shell, { ...all, subcommands })
      // its zsh takes the values of flags after a command for those of the command above, unless it stops at the first word
      .replace("--completions", "completions")
      .replaceAll("_arguments -C", "$& -A '-*'")
      // fish keeps the quotes, or it would run all of these as it loads
      .replaceAll(shell === "fish" ? /@([a-z]+)/g : /'?@([a-z]+)'?/g, (_, name: string) => known(name))
      // names of functions, and substitutions of processes, that bash 3.2 and POSIX lack
      .replaceAll(/(_cloud_management)--(choices|paths)/g, "$1_$2")
      .replace("read -r _path; do", '$&\n    [[ -n "$_path" ]] || continue')
      .replace('< <(compgen "$_kind" -- "$_prefix")', '<<< "$$(compgen "$_kind" -- "$_prefix")"')
      .replace(/^complete -c \S+ -n/gm, "$& 'not __cloud_management_api' -n")
      .replace(/^ +local _comp_word=.*|^ +typeset -A opt_args|^###-end.*/m, (at) => `${at}\n${ofFolder[shell] ?? ""}`)
  )
}
