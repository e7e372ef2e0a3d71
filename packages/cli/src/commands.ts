import { Effect } from "effect"
import { Command } from "effect/cli"

/** A command with the scope of its run. */
export const make = <
  const Name extends string,
  const Config extends Command.Command.Config,
  Eff extends Effect.Effect<unknown, unknown, unknown>
>(
  name: Name,
  config: Config,
  run: (input: Command.Command.Config.Infer<Config>) => Generator<Eff, void, never>
) => Command.make(name, config, Effect.fnUntraced(run, Effect.scoped))

/** The rest of a line after the command's name, with a comment unless the command's description says enough. */
type Example = string | readonly [line: string, comment?: string | undefined]

export const examples = (...all: ReadonlyArray<Example>) =>
  Command.withExamples(({ commandPath }) =>
    all.map((example) => {
      const [line, description] = [example].flat()
      return { command: [...commandPath, line].join(" ").trim(), ...(description !== undefined && { description }) }
    })
  )

export const described =
  (description: string, ...all: ReadonlyArray<Example>) =>
  <Name extends string, Input, ContextInput, E, R>(command: Command.Command<Name, Input, ContextInput, E, R>) =>
    command.pipe(Command.withDescription(description), examples(...all))
