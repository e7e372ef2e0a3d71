import * as Effect from "effect/Effect"
import * as Completions from "effect/cli/Completions"
import { bash } from "./bash.ts"
import { descriptor } from "./descriptor.ts"
import { fish } from "./fish.ts"
import { zsh } from "./zsh.ts"

/**
 * The library's own scripts look at the words of a line without telling values and commands apart, and do not complete
 * `--flag=value`. These find the command past flags and their values.
 */
const scripts = { bash, zsh, fish }

/** The completions for a shell. */
export const script = (shell: Completions.Shell): Effect.Effect<string> =>
  Effect.map(descriptor, (command) =>
    shell === "powershell" ? Completions.generate(command.name, shell, command) : scripts[shell](command)
  )
