import { Console, Effect, Predicate, Terminal } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import process from "node:process"
import * as Known from "../process/known.ts"
import * as Flags from "../input/flag.ts"
import * as Setting from "../input/setting.ts"
import * as Foreign from "./foreign.ts"
import * as Table from "./table.ts"

export const formats = ["table", "json", "ids"] as const

export type Format = (typeof formats)[number]

export const Format = GlobalFlag.Setting("format")({
  flag: Flag.Literals("format", formats).pipe(
    Flag.withDefault("table"),
    Flag.withDescription("Format of the output: for people, one JSON document, or the IDs alone, a line each")
  )
})

export const Quiet = GlobalFlag.Setting("quiet")({
  flag: Flag.withAlias(Flags.on("quiet", "Report only warnings and failures on stderr"), "q")
})

/** The format that the arguments request, even if they are otherwise invalid. */
export const ofArguments = (args: ReadonlyArray<string>): Format =>
  Setting.given(args, "format").includes("json") ? "json" : "table"

export const tell = (format: Format, document: object, line: string): Effect.Effect<void> =>
  Console.error(format === "json" ? Foreign.toJson(document) : Foreign.clean(line))

export const warnAs = (format: Format, tag: string, message: string): Effect.Effect<void> =>
  tell(format, { warning: { tag, message } }, `warning: ${message}`)

export const warn = (tag: string, message: string) => Effect.flatMap(Format, (format) => warnAs(format, tag, message))

/** Writes as {@link tell} does, unless `--quiet` is given. */
export const progress = Effect.gen(function* () {
  const format = yield* Format
  const isQuiet = yield* Quiet
  return (document: object, line: string) => (isQuiet ? Effect.void : tell(format, document, line))
})

export const settings = [Format, Quiet] as const

/** The width of the terminal that shows the result, in columns; unlimited without a terminal. */
export const width = Effect.map(
  Terminal.Terminal.use(({ columns }) => columns),
  (columns) => (columns > 0 ? columns : Infinity)
)

const idsOf = (json: unknown): ReadonlyArray<string> =>
  [json].flat().flatMap((record) => {
    if (Predicate.hasProperty(record, "id")) return [Foreign.brief(String(record.id))]
    return Predicate.hasProperty(record, "deleted") && Predicate.isString(record.deleted) ? [record.deleted] : []
  })

/** IDs of a kind are kept, so that a shell can complete them. */
export const print = Effect.fnUntraced(function* (
  json: unknown,
  lines: (width: number) => ReadonlyArray<string>,
  kind?: string
) {
  const format = yield* Format
  if (kind !== undefined) Known.remember(kind, idsOf(json), process.env)
  if (format === "json") return yield* Console.log(Foreign.toJson(json))
  if (format === "table") return yield* Console.log(lines(yield* width).join("\n"))
  const ids = idsOf(json)
  if (ids.length > 0) return yield* Console.log(ids.join("\n"))
  if ([json].flat().some(Predicate.isNotNull))
    yield* warn("NoIds", "--format ids shows nothing of this result, which has no field id")
})

export const printRecord = (json: unknown, rows: ReadonlyArray<Table.Row>) =>
  print(json, (width) => Table.record(rows, width))
