import { Effect, Option } from "effect"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Failure from "../output/Failure.ts"
import { allHelps } from "../Cli.ts"
import { version } from "../version.ts"

/** A text as man(7) takes it: no dash becomes a hyphen, and no line is a request. */
const escape = (text: string) => text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/gm, "\\&$&")

const item = (head: string, text: Option.Option<string>) => [".TP", head, escape(Option.getOrElse(text, () => ""))]

const flag = ({ aliases, description, name, type }: FlagDoc) => {
  const names = [`--${name}`, ...aliases].map((name) => `\\fB${escape(name)}\\fR`).join(", ")
  return item(type === "boolean" ? names : `${names} \\fI${escape(type)}\\fR`, description)
}

const section = (doc: HelpDoc) => [
  `.SS ${escape(doc.usage)}`,
  escape(doc.description),
  ...(doc.args ?? []).flatMap(({ description, name }) => item(`\\fI${escape(name)}\\fR`, description)),
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

export const exits: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [0, "done"],
  [Failure.exitCodes.unexpected, "unexpected error, corrupt database, or refused certificate"],
  [Failure.exitCodes.usage, "invalid argument or setting"],
  [Failure.exitCodes.cancelled, "cancelled"],
  [Failure.exitCodes.notAllowed, "not authenticated or not allowed"],
  [Failure.exitCodes.notFound, "not found"],
  [Failure.exitCodes.rejected, "rejected, or the status can no longer become the one waited for"],
  [Failure.exitCodes.transient, "temporary failure; the same command can succeed later"],
  [130, "interrupted"],
  [143, "terminated by SIGTERM"]
]

export const page: Effect.Effect<string> = Effect.map(allHelps, (docs) => {
  const [first] = docs
  // each global flag once, as the first command that has it explains it
  const globals = new Map(docs.flatMap(({ globalFlags = [] }) => globalFlags.map((doc) => [doc.name, doc] as const)))
  const lines = [
    `.TH CLOUD\\-MANAGEMENT 1 "" "cloud\\-management ${version}" "User Commands"`,
    // words stay whole, because they are copied
    ".nr HY 0",
    ".nh",
    ".SH NAME",
    `cloud\\-management \\- ${escape(first?.description ?? "")}`,
    ".SH SYNOPSIS",
    `\\fB${escape(first?.usage ?? "")}\\fR`,
    ".SH COMMANDS",
    ...docs.filter(({ subcommands }) => subcommands === undefined).flatMap(section),
    ".SH GLOBAL FLAGS",
    "\\fB\\-\\-help\\fR shows which of them a command accepts.",
    ...[...globals.values()].flatMap(flag),
    ".SH EXIT STATUS",
    ...exits.flatMap(([code, meaning]) => item(`\\fB${code}\\fR`, Option.some(meaning)))
  ]
  return `${lines.filter((line) => line !== "").join("\n")}\n`
})
