import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import * as Prompt from "effect/cli/Prompt"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Failure from "./Failure.ts"
import * as Foreign from "./foreign.ts"

/** Asks on the terminal; Ctrl+C, Ctrl+D and Escape end the command. */
export const run = <A>(prompt: Prompt.Prompt<A>) =>
  Effect.catchTag(Prompt.run(prompt), "QuitError", () =>
    // the line of the question ends, as that of an answer does
    Effect.andThen(Effect.ignore(Terminal.Terminal.use(({ display }) => display("\n"))), Effect.interrupt)
  )

/** Asks for text; Enter accepts the current one. */
export const text = (message: string, current: string | undefined) =>
  run(
    Prompt.String({
      message,
      ...(current !== undefined && { default: Foreign.clean(current) }),
      validate: (text) => (text.trim() === "" ? Effect.fail("Enter a value.") : Effect.succeed(text.trim()))
    })
  )

/** Asks for a secret without showing it. */
export const secret = Effect.map(
  run(
    Prompt.Hidden({
      message: "Secret of the API key (not shown)",
      validate: (text) => (text === "" ? Effect.fail("Enter a value.") : Effect.succeed(text))
    })
  ),
  (secret) => Redacted.make(Redacted.value(secret), { label: "keySecret" })
)

/** Whether a question can be asked. Fails if answers could be typed but not hidden. */
export const can = Effect.gen(function* () {
  const { canPrompt } = yield* TerminalCapabilities
  if (canPrompt || !(yield* Stdio.Stdio.use(({ stdinIsTerminal }) => stdinIsTerminal))) return canPrompt
  return yield* Failure.usage(
    "this terminal cannot hide typed text",
    "Pass the secret in a file with --key-secret-file PATH, or through a pipe with --key-secret-file -."
  )
})
