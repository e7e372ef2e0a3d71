import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Document from "../Document.ts"
import { isObject } from "../Json.ts"
import * as Patch from "../Patch.ts"
import * as Selection from "../Selection.ts"
import * as Folder from "./Folder.ts"
import * as Report from "./Report.ts"
import * as Verify from "./Verify.ts"

/** Where the command writes. */
export interface Streams {
  readonly out: (text: string) => unknown
  readonly error: (text: string) => unknown
  readonly isTerminal: boolean | undefined
}

const usage = `Usage: cloud-management-generate verify DOCUMENT FOLDER [options]

Calls each generated operation of FOLDER through the client, against a server made from DOCUMENT (a file, or - for
stdin), which checks the requests and answers as the document says.

  --include PATTERN    only these operations, as when they were generated; repeatable
  --exclude PATTERN    not these operations; repeatable
  --patch FILE         a JSON Patch of the document; repeatable, in order
  --format FORMAT      text or json (default: text)
  --junit FILE         write a report for CI
  --help               print this

Exit codes: 0 all operations answer in every round; 1 some do not; 2 usage, or a file cannot be read
`

const options = {
  include: { type: "string", multiple: true },
  exclude: { type: "string", multiple: true },
  patch: { type: "string", multiple: true },
  format: { type: "string" },
  junit: { type: "string" },
  help: { type: "boolean", short: "h" }
} as const satisfies ParseArgsOptionsConfig

const isJson = Schema.is(Schema.Json)

const patched = (root: unknown, file: string): unknown =>
  isJson(root) ? Patch.apply(file, Patch.parse(file, JSON.parse(readFileSync(file, "utf8"))), root) : root

const documentOf = (name: string, patches: ReadonlyArray<string>): Document.Document => {
  const content = readFileSync(name === "-" ? 0 : name, "utf8")
  const root = patches.reduce(patched, Document.read({ name, content }))
  return Document.make(isObject(root) ? root : {})
}

const execute = async (args: ReadonlyArray<string>, streams: Streams): Promise<number> => {
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help === true) {
    streams.out(usage)
    return 0
  }
  const [name, path, ...others] = positionals
  const { exclude = [], format = "text", include = [], junit, patch = [] } = values
  if (name === undefined || path === undefined || others.length > 0)
    throw new Error("name one DOCUMENT and one FOLDER; verify --help shows how")
  if (format !== "text" && format !== "json") throw new Error("--format is text or json")
  const document = documentOf(name, patch)
  const folder = await Folder.load(path)
  const onOperation = (id: string) => (streams.isTerminal === true ? streams.error(`${id}\n`) : undefined)
  const isIncluded = Selection.make(include, exclude)
  const report = await Effect.runPromise(Verify.run(document, folder, { isIncluded, onOperation }))
  streams.out(format === "json" ? Report.json(report) : Report.text(report))
  if (junit !== undefined) writeFileSync(junit, Report.junit(report))
  return report.failures.length === 0 ? 0 : 1
}

/** Runs `verify`, and returns its exit code. */
export const run = async (args: ReadonlyArray<string>, streams: Streams): Promise<number> => {
  try {
    return await execute(args, streams)
  } catch (error) {
    streams.error(`error: ${error instanceof Error ? error.message : String(error)}\n`)
    return 2
  }
}
