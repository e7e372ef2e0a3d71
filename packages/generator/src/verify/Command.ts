import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import * as Effect from "effect/Effect"
import * as Document from "../Document.ts"
import * as Manifest from "../Manifest.ts"
import * as Patch from "../Patch.ts"
import * as Selection from "../Selection.ts"
import * as Source from "../Source.ts"
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

Calls each generated operation of FOLDER through the client, against a server made from DOCUMENT (a file, a URL, or - for
stdin), which checks the requests and answers as the document says.

  --include PATTERN    only these operations, as when they were generated; repeatable
  --exclude PATTERN    not these operations; repeatable
  --patch FILE         a JSON Patch of the document, as when it was generated; repeatable, in order
  --fetch              allow the network for DOCUMENT and for references to URLs
  --format FORMAT      text or json (default: text)
  --junit FILE         write a report for CI
  --help               print this

Exit codes: 0 all operations answer in every round; 1 some do not; 2 usage, or a file cannot be read;
4 a patch does not fit
`

const options = {
  include: { type: "string", multiple: true },
  exclude: { type: "string", multiple: true },
  patch: { type: "string", multiple: true },
  fetch: { type: "boolean" },
  format: { type: "string" },
  junit: { type: "string" },
  help: { type: "boolean", short: "h" }
} as const satisfies ParseArgsOptionsConfig

/** Fails if the folder was generated with other patches than these. */
const checkPatches = (folder: string, given: ReadonlyArray<Manifest.Patch>) => {
  const file = join(folder, "manifest.json")
  if (!existsSync(file)) return
  const read = Manifest.parse(readFileSync(file, "utf8"))
  if (read._tag === "Failure")
    throw new Error(`${file} is invalid: restore it, or generate ${folder} again: ${read.failure}`)
  const { patches } = read.success
  const digests = (all: ReadonlyArray<Manifest.Patch>) => all.map(({ digest }) => digest).join()
  if (digests(patches) === digests(given)) return
  const options = patches.map(({ file }) => `--patch ${file}`).join(" ")
  throw new Error(`${folder} was generated ${options === "" ? "without a patch" : `with ${options}`}: do the same here`)
}

const execute = async (args: ReadonlyArray<string>, streams: Streams): Promise<number> => {
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help === true) {
    streams.out(usage)
    return 0
  }
  const [name, path, ...others] = positionals
  const { exclude = [], fetch: isFetching = false, format = "text", include = [], junit, patch = [] } = values
  if (name === undefined || path === undefined || others.length > 0)
    throw new Error("name one DOCUMENT and one FOLDER; verify --help shows how")
  if (format !== "text" && format !== "json") throw new Error("--format is text or json")
  const { patches, root } = await Source.read({ name, isFetching, patches: patch })
  const folder = await Folder.load(path)
  checkPatches(path, patches)
  const onOperation = (id: string) => (streams.isTerminal === true ? streams.error(`${id}\n`) : undefined)
  const isIncluded = Selection.make(include, exclude)
  const report = await Effect.runPromise(Verify.run(Document.make(root), folder, { isIncluded, onOperation }))
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
    // the codes of generating
    return error instanceof Patch.Misfit ? 4 : 2
  }
}
