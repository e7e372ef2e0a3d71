import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import { builtIns, root } from "./Cli.ts"
import * as Failure from "./Failure.ts"
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

/** A text as man(7) takes it: no dash becomes a hyphen, and no line is a request. */
const escape = (text: string) => text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/gm, "\\&$&")

const flag = ({ aliases, description, name, type }: FlagDoc) => [
  ".TP",
  `${[`--${name}`, ...aliases].map((name) => `\\fB${escape(name)}\\fR`).join(", ")}${type === "boolean" ? "" : ` \\fI${escape(type)}\\fR`}`,
  escape(Option.getOrElse(description, () => ""))
]

const section = (doc: HelpDoc) => [
  `.SS ${escape(doc.usage)}`,
  escape(doc.description),
  ...(doc.args ?? []).flatMap(({ description, name }) => [
    ".TP",
    `\\fI${escape(name)}\\fR`,
    escape(Option.getOrElse(description, () => ""))
  ]),
  ...doc.flags.flatMap(flag),
  ...(doc.examples ?? []).flatMap(({ command, description }) => [
    ".PP",
    ...(description === undefined ? ["Example:"] : [`${escape(description)}:`]),
    ".PP",
    ".EX",
    `    ${escape(command)}`,
    ".EE"
  ])
]

const exits: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [0, "done"],
  [Failure.exitCodes.unexpected, "unexpected, a database that is corrupt, or a certificate that is refused"],
  [Failure.exitCodes.usage, "not understood or not usable: an argument, a setting"],
  [Failure.exitCodes.cancelled, "cancelled"],
  [Failure.exitCodes.notAllowed, "not authenticated or not allowed"],
  [Failure.exitCodes.notFound, "not found"],
  [Failure.exitCodes.rejected, "rejected, or a status that can no longer become the one waited for"],
  [Failure.exitCodes.transient, "for now; the same command can succeed later"],
  [130, "interrupted"]
]

/** The manual page of section 1, as man(7). */
export const page: Effect.Effect<string> = Effect.map(helps, (docs) => {
  const [first] = docs
  // each global flag once, as the first command that has it explains it
  const globals = new Map(docs.flatMap(({ globalFlags = [] }) => globalFlags.map((doc) => [doc.name, doc] as const)))
  const lines = [
    `.TH CLOUD\\-MANAGEMENT 1 "" "cloud\\-management ${version}" "User Commands"`,
    ".SH NAME",
    `cloud\\-management \\- ${escape(first?.description ?? "")}`,
    ".SH SYNOPSIS",
    `\\fB${escape(first?.usage ?? "")}\\fR`,
    ".SH COMMANDS",
    ...docs.filter(({ subcommands }) => subcommands === undefined).flatMap(section),
    ".SH GLOBAL FLAGS",
    "Which of them a command takes, its \\fB\\-\\-help\\fR shows.",
    ...[...globals.values()].flatMap(flag),
    ".SH EXIT STATUS",
    ...exits.flatMap(([code, meaning]) => [".TP", `\\fB${code}\\fR`, escape(meaning)])
  ]
  return `${lines.filter((line) => line !== "").join("\n")}\n`
})
