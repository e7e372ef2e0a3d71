import { Effect, FileSystem, Path } from "effect"
import process from "node:process"
import * as Failure from "../output/Failure.ts"
import * as Format from "../output/Format.ts"
import { codeOf } from "../input/input.ts"
import * as Home from "../process/home.ts"

export const shells = ["bash", "zsh", "fish", "powershell"] as const

/** Writes completions to where fish finds them, or to a file that the startup file of bash or zsh then loads. */
export const install = Effect.fnUntraced(
  function* (shell: (typeof shells)[number], script: string) {
    const files = yield* FileSystem.FileSystem
    const { dirname, isAbsolute, join } = yield* Path.Path
    const { HOME, XDG_CONFIG_HOME, XDG_DATA_HOME, ZDOTDIR } = process.env
    const home = Home.home(HOME)
    if (shell === "powershell")
      return yield* Failure.usage("--install does not know powershell", "Add what it prints to the file in $PROFILE.")
    if (home === undefined) return yield* Failure.usage("there is no home to install completions in", "Set HOME.")
    const chosen = (folder = "", usual = "") => (isAbsolute(folder) ? folder : join(home, usual))
    const write = (path: string, text: string, flag: "a" | "w") =>
      Effect.andThen(
        files.makeDirectory(dirname(path), { recursive: true }),
        files.writeFileString(path, text, { flag })
      )
    const path =
      shell === "fish"
        ? join(chosen(XDG_CONFIG_HOME, ".config"), "fish/completions/cloud-management.fish")
        : join(chosen(XDG_DATA_HOME, ".local/share"), `cloud-management/completions.${shell}`)
    yield* write(path, script, "w")
    const startup = { bash: join(home, ".bashrc"), zsh: join(chosen(ZDOTDIR), ".zshrc"), fish: undefined }[shell]
    if (startup !== undefined) {
      const before = shell === "zsh" ? "whence compdef >/dev/null || { autoload -U compinit && compinit; }\n" : ""
      const text = yield* Effect.orElseSucceed(files.readFileString(startup), () => "")
      const line = `source '${path.replaceAll("'", "'\\''")}'\n`
      if (!text.includes(line)) yield* write(startup, `\n${before}${line}`, "a")
    }
    yield* Format.printRecord({ file: path, startup: startup ?? null }, [
      ["Completions", path],
      ["Loaded by", startup],
      ["Take effect", "in each shell that starts from now on"]
    ])
  },
  Effect.catchTag("PlatformError", ({ reason }) =>
    Failure.usage(`the completions cannot be installed (${codeOf(reason)})`, "Check the permissions in your home.")
  )
)
