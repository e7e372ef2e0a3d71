import { Command } from "effect/cli"

/** What follows the name of a command on a line, with a comment unless the command's description says enough. */
type Example = string | readonly [line: string, comment?: string | undefined]

export const examples = (...all: ReadonlyArray<Example>) =>
  Command.withExamples(({ commandPath }) =>
    all.map((example) => {
      const [line, description] = [example].flat()
      const command = [...commandPath, line].join(" ").trim()
      return { command, ...(description !== undefined && { description }) }
    })
  )

export const described =
  (description: string, ...all: ReadonlyArray<Example>) =>
  <Name extends string, Input, ContextInput, E, R>(command: Command.Command<Name, Input, ContextInput, E, R>) =>
    command.pipe(Command.withDescription(description), examples(...all))
