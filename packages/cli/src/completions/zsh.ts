import type * as Completions from "effect/cli/Completions"
import { reader } from "./reader.ts"

/** The script for zsh. */
export const zsh = (command: Completions.CommandDescriptor): string =>
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
