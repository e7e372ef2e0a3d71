import { Effect } from "effect"
import { Flag, Prompt } from "effect/cli"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Ask from "./ask.ts"
import * as Flags from "../input/flag.ts"
import * as Failure from "../output/Failure.ts"

export const yes = Flag.withAlias(Flags.on("yes", "Do not ask for confirmation"), "y")

const confirm = Effect.fnUntraced(function* (
  message: string,
  words: { readonly act: string; readonly verb: string; readonly done: string }
) {
  const { canPrompt } = yield* TerminalCapabilities
  if (!canPrompt) {
    return yield* Failure.usage(
      `the ${words.act} cannot be confirmed without a terminal: pass --yes to ${words.verb} without asking`
    )
  }
  // Enter ends it: one key that was meant for something else is no yes
  const typed = yield* Ask.run(Prompt.String({ message: `${message} [y/N]` }))
  if (/^y(es)?$/i.test(typed.trim())) return
  return yield* new Failure.Failure({
    tag: "Cancelled",
    message: `cancelled: nothing was ${words.done}`,
    exit: "cancelled"
  })
})

export const deletion = (what: string) =>
  confirm(`Delete ${what} for good?`, { act: "deletion", verb: "delete", done: "deleted" })

export const replacement = (what: string) =>
  confirm(`Replace ${what}?`, { act: "login", verb: "save it", done: "saved" })

export const change = (request: string) =>
  confirm(`Send ${request}?`, { act: "request", verb: "send it", done: "sent" })
