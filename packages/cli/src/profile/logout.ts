import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Commands from "../commands.ts"
import * as Format from "../output/Format.ts"
import * as Profile from "./Profile.ts"

export const remove = Effect.fnUntraced(function* (name: string) {
  const next = yield* Profile.remove(name)
  yield* Format.print({ removed: name }, () => [
    `Removed the profile ${name}. The key itself still works.`,
    ...(next === undefined ? [] : [`Commands now use the profile ${next}.`])
  ])
})

export const summary = "Remove a profile and its secret from this machine; the key itself still works"

export const command = Command.make("logout", {}, () => Effect.flatMap(Profile.selected, remove)).pipe(
  Commands.described(summary, "--profile staging"),
  Command.withGlobalFlags([Profile.Selected])
)
