import { Effect } from "effect"
import { Flag, Prompt } from "effect/cli"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Ask from "./ask.ts"
import * as Flags from "../input/flag.ts"
import * as Failure from "../output/Failure.ts"

export const yes = Flag.withAlias(Flags.on("yes", "Do not ask for confirmation"), "y")

const confirm = Effect.fnUntraced(function* (message: string, act: string, verb: string, done: string) {
  if (!(yield* TerminalCapabilities).canPrompt) {
    const problem = `the ${act} cannot be confirmed without a terminal`
    return yield* Failure.usage(`${problem}: pass --yes to ${verb} without asking`)
  }
  // Enter ends it: one key that was meant for something else is no yes
  const typed = yield* Ask.run(Prompt.String({ message: `${message} [y/N]` }))
  if (/^y(es)?$/i.test(typed.trim())) return
  return yield* Failure.make("cancelled", "Cancelled", `cancelled: nothing was ${done}`)
})

export const deletion = (what: string) => confirm(`Delete ${what} for good?`, "deletion", "delete", "deleted")

export const replacement = (what: string) => confirm(`Replace ${what}?`, "login", "save it", "saved")

export const change = (request: string) => confirm(`Send ${request}?`, "request", "send it", "sent")
