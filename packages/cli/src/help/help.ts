import { Effect } from "effect"
import { CliOutput, type Command } from "effect/cli"
import type { HelpDoc } from "effect/cli/HelpDoc"
import { styleText } from "node:util"
import * as Foreign from "../output/foreign.ts"
import * as Table from "../output/table.ts"

const formatter = CliOutput.defaultFormatter({ colors: false })

export const render = (
  doc: HelpDoc,
  { colour, width: columns }: { readonly colour: boolean; readonly width: number }
): string => {
  const width = Math.max(40, Math.min(80, columns))
  const wrap = (text: string, indent: number) =>
    Table.wrap(text, width - indent).map((line) => " ".repeat(indent) + line)
  const [head = "", examples = ""] = formatter
    .formatHelpDoc({
      ...doc,
      description: doc.description.replace(/\n(?!\n)/g, "\n  "),
      args: (doc.args ?? []).map((arg) => ({ ...arg, type: "" })),
      examples: (doc.examples ?? []).map(({ command, description }) => ({
        // as a shell takes it, so that it can be copied: not even a long word is broken
        command: Table.wrap(command, Math.max(width - 4, ...command.split(" ").map(({ length }) => length))).join(
          " \\\n    "
        ),
        ...(description !== undefined && { description: Table.wrap(description, width - 4).join("\n  ") })
      }))
    })
    .split(/(?=^EXAMPLES$)/m)
  const lines = head.split("\n").flatMap((line) => {
    // two spaces stand between a name and its description alone
    const [, ...more] = line.trim().split("  ")
    const text = more.at(-1)?.trim()
    if (text === undefined) return line.startsWith(" ") ? wrap(line.trim(), 2) : [line]
    const name = line.slice(0, -text.length)
    // a description without room beside its name begins below it
    if (width - name.length < 36) return [name.trimEnd(), ...wrap(text, 4)]
    const [first = "", ...rest] = wrap(text, name.length)
    return [name + first.trimStart(), ...rest]
  })
  // words of a document of others, with --api
  const text = (lines.join("\n") + examples).replace(/[^\n]+/g, Foreign.clean)
  return colour
    ? text.replace(/^[A-Z][A-Z ]*$/gm, (title) => styleText("bold", title, { validateStream: false }))
    : text
}

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
  for (const path of paths(command)) {
    yield* Effect.provideService(run([...path, "--help"]), CliOutput.Presenter, { present })
  }
  return docs
})
