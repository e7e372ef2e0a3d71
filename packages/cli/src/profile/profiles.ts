import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import * as Commands from "../commands.ts"
import * as Format from "../output/Format.ts"
import * as Profile from "./Profile.ts"
import * as Table from "../output/table.ts"

const list = Commands.make("list", {}, function* () {
  const selected = yield* Profile.selected
  const profiles = [...(yield* Profile.all)].map(([name, { baseUrl, keyId }]) => ({
    name,
    selected: name === selected,
    baseUrl,
    keyId
  }))
  const rows = profiles.map(({ baseUrl, keyId, name, selected }) => [name, selected ? "yes" : "", baseUrl, keyId])
  yield* Format.print(profiles, (width) =>
    rows.length === 0
      ? ["There are no profiles. `cloud-management login` creates one."]
      : Table.columns([["Name", "Selected", "Base URL", "Key ID"], ...rows], width)
  )
}).pipe(Commands.described("Show the saved profiles, without their secrets", "--format json"))

const name = Argument.String("PROFILE").pipe(Argument.withDescription("Name of the profile"))

const show = Commands.make("show", { name: Argument.optional(name) }, function* (given) {
  const name = Option.isSome(given.name) ? given.name.value : yield* Profile.selected
  const { baseUrl, keyId } = yield* Profile.get(name)
  yield* Format.printRecord({ name, baseUrl, keyId }, [
    ["Name", name],
    ["Base URL", baseUrl],
    ["Key ID", keyId],
    ["Saved in", yield* Profile.file]
  ])
}).pipe(Commands.described("Show a profile without its secret: by default, that in use", "staging"))

const use = Commands.make("use", { name }, function* ({ name }) {
  yield* Profile.use(name)
  yield* Format.print({ selected: name }, () => [`Commands now use the profile ${name}.`])
}).pipe(Commands.described("Use a profile for all commands that name none", "staging"))

const removed = Effect.fnUntraced(function* (name: string) {
  const next = yield* Profile.remove(name)
  yield* Format.print({ removed: name }, () => [
    `Removed the profile ${name}. The key itself still works.`,
    ...(next === undefined ? [] : [`Commands now use the profile ${next}.`])
  ])
})

const summary = "Remove a profile and its secret from this machine; the key itself still works"

const remove = Command.make("remove", { name }, ({ name }) => removed(name)).pipe(
  Commands.described(summary, "staging")
)

/** `cloud-management logout --profile NAME`, the same as `cloud-management profiles remove NAME`. */
export const logout = Command.make("logout", {}, () => Effect.flatMap(Profile.selected, removed)).pipe(
  Commands.described(summary, "--profile staging"),
  Command.withGlobalFlags([Profile.Selected])
)

export const command = Command.make("profiles").pipe(
  Commands.examples("list"),
  Command.withSubcommands([list, show, use, remove]),
  Command.withGlobalFlags([Profile.Selected])
)
