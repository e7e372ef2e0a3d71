import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Failure from "./Failure.ts"

/** `--yes`: {@link deletion} is not asked for. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDefault(false),
  Flag.withDescription("Do not ask")
)

/** Asks on the terminal, and fails when the answer is no or there is none to ask on. */
export const deletion = Effect.fnUntraced(function* (what: string) {
  const { canPrompt } = yield* TerminalCapabilities
  if (!canPrompt) {
    return yield* Failure.usage("there is no terminal to confirm the deletion on: pass --yes to delete without it")
  }
  const message = `Delete ${what} for good?`
  const confirmed = yield* Effect.catchTag(
    Prompt.run(Prompt.Confirm({ message, initial: false })),
    "QuitError",
    () => Effect.interrupt
  )
  if (confirmed) return
  return yield* new Failure.Failure({ tag: "Cancelled", message: "cancelled, nothing was deleted", exit: "cancelled" })
})
