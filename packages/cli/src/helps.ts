import * as Effect from "effect/Effect"
import * as CliOutput from "effect/cli/CliOutput"
import type * as Command from "effect/cli/Command"
import type { HelpDoc } from "effect/cli/HelpDoc"

/** The paths of all commands, each before those below it. */
const paths = (
  command: Command.Command.Any,
  path: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> => [
  path,
  ...command.subcommands.flatMap(({ commands }) => commands.flatMap((below) => paths(below, [...path, below.name])))
]

/** The help of a command and of each below it, as it presents them when it runs. */
export const helps = Effect.fnUntraced(function* <E, R>(
  command: Command.Command.Any,
  run: (args: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const docs: Array<HelpDoc> = []
  const present = (event: CliOutput.Presenter.Event) =>
    Effect.sync(() => {
      if (event._tag === "Help") docs.push(event.helpDoc)
    })
  const presenter = CliOutput.Presenter.of({ present })
  for (const path of paths(command)) {
    yield* Effect.provideService(run([...path, "--help"]), CliOutput.Presenter, presenter)
  }
  return docs
})
