import { Effect, Redacted, Stdio, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Failure from "../output/Failure.ts"
import * as Foreign from "../output/foreign.ts"

/** Asks on the terminal; Ctrl+C, Ctrl+D and Escape end the command. */
export const run = <A>(prompt: Prompt.Prompt<A>) =>
  Effect.catchTag(Prompt.run(prompt), "QuitError", () =>
    // the line of the question ends, as that of a reply does
    Effect.andThen(Effect.ignore(Terminal.Terminal.use(({ display }) => display("\n"))), Effect.interrupt)
  )

/** A question for text; Enter accepts the current one, and any other text replaces it. */
export const text = (message: string, current: string | undefined) =>
  Prompt.String({
    message: current === undefined ? message : `${message} [${Foreign.clean(current)}]`,
    validate: (text) => {
      const reply = text.trim()
      if (/^(y|yes|n|no)$/i.test(reply)) return Effect.fail("Enter the value itself.")
      return reply === ""
        ? Effect.fromNullishOr(current).pipe(Effect.mapError(() => "Enter a value."))
        : Effect.succeed(reply)
    }
  })

export const hidden = Prompt.Hidden({
  message: "Secret of the API key (not shown)",
  validate: (text) => (text === "" ? Effect.fail("Enter a value.") : Effect.succeed(text))
}).pipe(Prompt.map((secret) => Redacted.make(Redacted.value(secret), { label: "keySecret" })))

export const secret = run(hidden)

/** Whether a question can be asked. Fails if replies could be typed but not hidden. */
export const can = Effect.gen(function* () {
  const { canPrompt } = yield* TerminalCapabilities
  if (canPrompt || !(yield* Stdio.Stdio.use(({ stdinIsTerminal }) => stdinIsTerminal))) return canPrompt
  return yield* Failure.usage(
    "this terminal cannot hide typed text",
    "Pass the secret in a file with --key-secret-file PATH, or through a pipe with --key-secret-file -."
  )
})
