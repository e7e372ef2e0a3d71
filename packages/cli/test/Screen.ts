import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Child, Program } from "../../../checks/fixtures/index.ts"

const command = resolve(process.env["COMMAND"] ?? "packages/cli/src/main.ts")
const node = resolve(process.env["COMMAND_NODE"] ?? "node_modules/.bin/node")

/** Tests that need a terminal, and perhaps more programs. */
export const suite = (tests: () => void, ...programs: ReadonlyArray<Program.Name>): void =>
  Program.suite(["tmux", ...programs], tests)

/**
 * Opens a terminal of so many columns in which a shell runs, with `cloud-management` in its path: tmux draws it, and gives
 * it back as text. It closes with the scope.
 */
export const open = Effect.fnUntraced(function* (options: {
  readonly columns: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  readonly shell?: ReadonlyArray<string>
  readonly files?: Readonly<Record<string, string>>
}) {
  const { columns, env = {}, files = {}, rows = 40, shell = ["sh"] } = options
  const folder = yield* Child.folder({ ...files, "cloud-management": `#!/bin/sh\nexec '${node}' '${command}' "$@"\n` })
  chmodSync(join(folder, "cloud-management"), 0o755)
  const program = Program.find("tmux") ?? expect.unreachable("the test is not in Screen.suite")
  const socket = join(folder, "tmux")
  const tmux = (...args: ReadonlyArray<string>) => execFileSync(program, ["-S", socket, ...args], { encoding: "utf8" })
  const variables = {
    PATH: `${folder}:${process.env["PATH"]}`,
    HOME: folder,
    HISTFILE: "", // or bash writes its history when the terminal closes, while its folder is removed
    LANG: "C.UTF-8",
    TERM: "screen-256color",
    PS1: "$ ",
    XDG_CONFIG_HOME: join(folder, "config"),
    ...env
  }
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  writeFileSync(join(folder, "tmux.conf"), "set -g status off\nset -g escape-time 0\n")
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      execFileSync(
        program,
        ["-u", "-S", socket, "-f", join(folder, "tmux.conf"), "new-session", "-d"].concat(
          ["-x", `${columns}`, "-y", `${rows}`, "-c", folder, "env", "-i", ...assignments],
          shell
        ),
        { env: { ...Child.surroundings, LANG: "C.UTF-8" } }
      )
    ),
    () => Effect.sync(() => tmux("kill-server"))
  )
  /** The text that is shown now, with the codes of its colours if they are asked for, or with lines whole that were too long. */
  const show = ({ colours = false, joined = false } = {}) =>
    Effect.sync(() =>
      tmux("capture-pane", "-p", ...(colours ? ["-e"] : []), ...(joined ? ["-J"] : []))
        .replace(/ +$/gm, "")
        .trimEnd()
    )
  const until = (pattern: RegExp): Effect.Effect<string> =>
    Effect.filterOrElse(
      show(),
      (text) => pattern.test(text),
      () => Effect.delay(until(pattern), "50 millis")
    ).pipe(
      Effect.timeoutOrElse({
        duration: "60 seconds",
        orElse: () => Effect.map(show(), (text) => expect.fail(`no ${pattern} in:\n${text}`))
      })
    )
  yield* until(/./)
  const type = (text: string) => Effect.sync(() => void tmux("send-keys", "-l", "--", text))
  /** Presses keys, as tmux names them: Enter, Tab, C-c. */
  const press = (...keys: ReadonlyArray<string>) => Effect.sync(() => void tmux("send-keys", ...keys))
  const enter = (text: string) => Effect.andThen(type(text), press("Enter"))
  const reply = (question: RegExp, text: string) => Effect.andThen(until(question), enter(text))
  return { folder, type, press, enter, reply, show, until }
})
