/** The reference of the command as Markdown, from the definition that its help and its manual page come from. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import { allHelps } from "../../packages/cli/src/Cli.ts"

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ")

const table = (names: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.length === 0
    ? []
    : [[names, names.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")]

const flag = ({ aliases, description, name, type }: FlagDoc) => [
  `${[`--${name}`, ...aliases].map((name) => `\`${name}\``).join(", ")}${type === "boolean" ? "" : ` *${cell(type)}*`}`,
  cell(Option.getOrElse(description, () => ""))
]

const section = (doc: HelpDoc) => [
  `### ${doc.usage.replace(/ [[<].*$/, "").replace(/^cloud-management /, "")}`,
  doc.description,
  `\`\`\`sh\n${doc.usage}\n\`\`\``,
  ...table(
    ["argument", "meaning"],
    (doc.args ?? []).map(({ description, name }) => [`*${cell(name)}*`, cell(Option.getOrElse(description, () => ""))])
  ),
  ...table(["flag", "meaning"], doc.flags.map(flag)),
  ...(doc.examples ?? []).map(
    ({ command, description = "Example" }) => `${description}:\n\n\`\`\`sh\n${command}\n\`\`\``
  )
]

export const reference: Effect.Effect<string> = Effect.map(allHelps, (docs) => {
  // each global flag once, as the first command that has it explains it
  const globals = new Map(docs.flatMap(({ globalFlags = [] }) => globalFlags.map((doc) => [doc.name, doc] as const)))
  return [
    "## Every command with its flags",
    ...docs.filter(({ subcommands }) => subcommands === undefined).flatMap(section),
    "### Global flags",
    ...table(["flag", "meaning"], [...globals.values()].map(flag))
  ].join("\n\n")
})
