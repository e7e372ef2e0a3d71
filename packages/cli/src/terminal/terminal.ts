import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Context, Effect, Layer, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"
import process from "node:process"

/** Writes to stderr, where questions belong: stdout may be a file or a pipe, and holds the result alone. */
const display = (text: string) =>
  Effect.callback<void>((resume) => void process.stderr.write(text, () => resume(Effect.void)))

/** A terminal that opens stdin only to read it: most commands do not. */
const terminal = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const opened = yield* Effect.cached(Layer.buildWithScope(NodeTerminal.layer, scope))
  const opening = Effect.map(opened, Context.get(Terminal.Terminal))
  return Terminal.make({
    columns: Effect.sync(() => process.stdout.columns ?? 0),
    rows: Effect.sync(() => process.stdout.rows ?? 0),
    size: Effect.flatMap(opening, ({ size }) => size),
    readInput: Effect.flatMap(opening, ({ readInput }) => readInput),
    readLine: Effect.flatMap(opening, ({ readLine }) => readLine),
    display
  })
})

/** Questions, and lines that move, need a terminal at stderr; colours of results and of help need one at stdout. */
const capabilities = Effect.sync(() => {
  const { FORCE_COLOR = "", NO_COLOR = "", TERM } = process.env
  const canColor = TERM !== "dumb" && NO_COLOR === "" && (FORCE_COLOR !== "" || process.stdout.isTTY)
  const canAnimate = TERM !== "dumb" && process.stderr.isTTY
  return { canColor, canAnimate, canPrompt: canAnimate && process.stdin.isTTY }
})

/** Stops this process, which then shares its terminal with a shell: not every shell sets it for itself. */
const suspend = () => {
  const { isRaw } = process.stdin
  if (isRaw) process.stdin.setRawMode(false)
  // stops it, since `once` has taken this listener away; nothing happens where nobody could continue it
  process.kill(process.pid, "SIGTSTP")
  if (isRaw) process.stdin.setRawMode(true)
  process.once("SIGTSTP", suspend)
}
process.once("SIGTSTP", suspend)

// a shell that continues a stopped command has set the terminal to show what is typed, also a secret
process.on("SIGCONT", () => {
  if (process.stdin.isRaw) process.stdin.setRawMode(false).setRawMode(true)
})

export const layer = Layer.mergeAll(
  Layer.effect(Terminal.Terminal, terminal),
  Layer.effect(TerminalCapabilities.TerminalCapabilities, capabilities),
  NodeStdio.layer,
  NodeFileSystem.layer,
  NodePath.layer,
  // what Effect's commands may need, and none of these does
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => Effect.die("no command starts a process"))
  )
)
