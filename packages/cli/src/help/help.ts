import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliOutput from "effect/cli/CliOutput"
import type * as Command from "effect/cli/Command"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import { styleText } from "node:util"
import * as Table from "../output/table.ts"

/** A name, and what it stands for. */
interface Entry {
  readonly left: string
  readonly right: string
}

/** The most columns that names get; what stands for a longer one begins below it. */
const mostLeft = 26
/** Lines end here also where the terminal is wider. */
const mostWidth = 80
/** The narrowest terminal that lines fit. */
const leastWidth = 40

const flagEntry = ({ aliases, description, name, type }: FlagDoc): Entry => ({
  left: [[`--${name}`, ...aliases].join(", "), ...(type === "boolean" ? [] : [type])].join(" "),
  right: Option.getOrElse(description, () => "")
})

/** The entries of a help, section by section. */
const entries = ({ args = [], flags, globalFlags = [], subcommands = [] }: HelpDoc) => ({
  SUBCOMMANDS: subcommands.flatMap(({ commands }) =>
    commands.map(({ description, name, shortDescription }) => ({ left: name, right: shortDescription ?? description }))
  ),
  ARGUMENTS: args.map(({ description, name, required, variadic }) => ({
    left: variadic ? `${name}...` : name,
    right: `${Option.getOrElse(description, () => "")}${required ? "" : " (optional)"}`
  })),
  FLAGS: flags.map(flagEntry),
  "GLOBAL FLAGS": globalFlags.map(flagEntry)
})

/** Renders help as text for a terminal of the given width. */
export const render = (
  doc: HelpDoc,
  { colour, width: columns }: { readonly colour: boolean; readonly width: number }
): string => {
  const width = Math.max(leastWidth, Math.min(mostWidth, columns))
  const bold = (text: string) => (colour ? styleText("bold", text, { validateStream: false }) : text)
  const paragraph = (text: string, indent: number) =>
    text
      .split("\n")
      .flatMap((line) => Table.wrap(line, width - indent))
      .map((line) => (" ".repeat(indent) + line).trimEnd())
  const list = (all: ReadonlyArray<Entry>) => {
    const widest = Math.min(
      mostLeft,
      all.reduce((most, { left }) => Math.max(most, CliOutput.displayWidth(left)), 0)
    )
    // beside long names, a narrow terminal has no room for each word
    const fits = all.every(({ right }) =>
      right.split(" ").every((word) => CliOutput.displayWidth(word) <= width - widest - 4)
    )
    const left = fits ? widest : 2
    return all.flatMap((entry) => {
      const lines = paragraph(entry.right, left + 4)
      const name = `  ${entry.left}`
      if (CliOutput.displayWidth(entry.left) > left) return [name, ...lines]
      const [first = "", ...rest] = lines
      return [(name.padEnd(left + 4) + first.trimStart()).trimEnd(), ...rest]
    })
  }
  const sections: Array<readonly [title: string, lines: ReadonlyArray<string>]> = [
    ["DESCRIPTION", paragraph(doc.description, 2)],
    ["USAGE", paragraph(doc.usage, 2)],
    ...Object.entries(entries(doc)).map(([title, all]) => [title, list(all)] as const),
    [
      "EXAMPLES",
      (doc.examples ?? []).flatMap(({ command, description }, i) => [
        ...(i === 0 ? [] : [""]),
        ...(description === undefined ? [] : paragraph(`# ${description}`, 2)),
        // as a shell takes it, so that it can be copied: not even a long word is broken
        Table.wrap(command, Math.max(width - 4, ...command.split(" ").map(CliOutput.displayWidth)))
          .map((line) => `  ${line}`)
          .join(" \\\n  ")
      ])
    ]
  ]
  return sections
    .flatMap(([title, lines]) => (lines.join("").trim() === "" ? [] : [[bold(title), ...lines].join("\n")]))
    .join("\n\n")
}

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
