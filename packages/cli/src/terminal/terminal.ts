import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Config, Effect, Layer, Option, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import process from "node:process"

/** Writes to stderr, where questions belong: stdout may be a file or a pipe, and holds the result alone. */
const display = (text: string) =>
  Effect.callback<void>((resume) => void process.stderr.write(text, () => resume(Effect.void)))

/** Questions, and lines that move, need a terminal at stderr; colours of results and of help need one at stdout. */
const capabilities = Effect.gen(function* () {
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const isDumb = Option.contains(yield* Effect.orDie(Config.option(Config.String("TERM"))), "dumb")
  const canAnimate = process.stderr.isTTY && !isDumb
  return { canColor, canAnimate, canPrompt: canAnimate && process.stdin.isTTY }
})

// a shell that continues a stopped command has set the terminal to show what is typed, also a secret
process.on("SIGCONT", () => {
  if (process.stdin.isRaw) process.stdin.setRawMode(false).setRawMode(true)
})

export const layer = Layer.mergeAll(
  Layer.effect(
    Terminal.Terminal,
    Effect.map(Terminal.Terminal, (terminal) => Terminal.make({ ...terminal, display }))
  ).pipe(Layer.provide(NodeTerminal.layer)),
  Layer.effect(TerminalCapabilities.TerminalCapabilities, capabilities)
)
