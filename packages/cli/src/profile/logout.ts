import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Format from "../output/Format.ts"
import * as Profile from "./Profile.ts"

export const removeProfile = Effect.fnUntraced(function* (name: string) {
  const next = yield* Profile.remove(name)
  yield* Format.print({ removed: name }, () => [
    `Removed the profile ${name}. The key itself still works.`,
    ...(next === undefined ? [] : [`Commands now use the profile ${next}.`])
  ])
})

export const logout = Command.make("logout", {}, () => Effect.flatMap(Profile.selected, removeProfile)).pipe(
  Command.withDescription("Remove a profile and its secret from this machine; the key itself still works"),
  Command.withExamples([{ command: "cloud-management logout --profile staging" }]),
  Command.withGlobalFlags([Profile.Selected])
)
