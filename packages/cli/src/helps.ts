import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import type { HelpDoc } from "effect/cli/HelpDoc"
import { builtIns, root } from "./Cli.ts"
import { version } from "./version.ts"

/** The paths of all commands, each before those below it. */
const paths = (
  command: Command.Command.Any,
  path: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> => [
  path,
  ...command.subcommands.flatMap(({ commands }) => commands.flatMap((below) => paths(below, [...path, below.name])))
]

/** The help of each command, from its own definition. */
export const helps: Effect.Effect<ReadonlyArray<HelpDoc>> = Effect.forEach(paths(root), (path) =>
  Effect.gen(function* () {
    const docs: Array<HelpDoc> = []
    const present = (event: CliOutput.Presenter.Event) =>
      Effect.sync(() => {
        if (event._tag === "Help") docs.push(event.helpDoc)
      })
    yield* Command.runWith(root, { version })([...path, "--help"]).pipe(
      Effect.provideService(CliOutput.Presenter, CliOutput.Presenter.of({ present }))
    )
    return docs
  })
).pipe(
  Effect.map((docs) => docs.flat()),
  Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns })),
  Effect.provide(NodeServices.layer),
  Effect.orDie
)
