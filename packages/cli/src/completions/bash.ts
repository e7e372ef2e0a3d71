import type * as Completions from "effect/cli/Completions"
import { reader } from "./reader.ts"

/** The script for bash. */
export const bash = (command: Completions.CommandDescriptor): string =>
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
