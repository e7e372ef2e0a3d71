import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Format from "../output/Format.ts"
import * as Profile from "./Profile.ts"
import * as Table from "../output/table.ts"

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
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
  })
).pipe(
  Command.withDescription("Show the saved profiles, without their secrets"),
  Command.withExamples([{ command: "cloud-management profiles list --format json" }])
)

/** `cloud-management profiles …` */
export const profiles = Command.make("profiles").pipe(
  Command.withDescription("Profiles: services and keys that `login` saves"),
  Command.withExamples([{ command: "cloud-management profiles list" }]),
  Command.withSubcommands([list]),
  Command.withGlobalFlags([Profile.Selected])
)
