import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { exitCodes, isJson, parse, perOperation, sourceOf, type Streams } from "../Arguments.ts"
import * as Manifest from "../compare/Manifest.ts"
import type { Applied } from "../read/Patch.ts"
import * as Selection from "../read/Selection.ts"
import * as Source from "../read/Source.ts"
import * as Terminal from "../Terminal.ts"
import { unusable } from "../read/Unusable.ts"
import * as Folder from "./Folder.ts"
import * as Report from "./Report.ts"
import * as Verify from "./Verify.ts"

const usage = `Usage: cloud-management-generate verify DOCUMENT FOLDER [options]

Calls each generated operation of FOLDER through the client, against a server made from DOCUMENT (a file, a URL, or - for
stdin), which checks the requests and responds as the document says.

  --include PATTERN    only these operations; repeatable
  --exclude PATTERN    not these operations, such as those that were not generated; repeatable
  --patch FILE         a JSON Patch of the document, as when it was generated; repeatable, in order
  --fetch              allow the network for DOCUMENT and for references to URLs
  --allow-private      let a public document lead to this machine and its network
  --format FORMAT      text or json (default: text)
  --junit FILE         write a report for CI
  --help               print this

Exit codes: 0 all operations pass every round; 1 some do not; 2 usage, or a file cannot be read;
4 a patch does not fit
`

/** The digest of the document that a folder was generated from. Fails if that was with other patches than these. */
const digestOf = (folder: string, given: ReadonlyArray<Applied>): string | undefined => {
  const file = join(folder, "manifest.json")
  if (!existsSync(file)) return undefined
  const read = Manifest.parse(readFileSync(file, "utf8"))
  if (read._tag === "Failure")
    throw unusable(`${file} is invalid: restore it, or generate ${folder} again: ${read.failure}`)
  const { digest, patches } = read.success
  const digests = (all: ReadonlyArray<Applied>) => all.map(({ digest }) => digest).join()
  if (digests(patches) === digests(given)) return digest
  const options = patches.map(({ file }) => `--patch ${file}`).join(" ")
  throw unusable(`${folder} was generated ${options === "" ? "without a patch" : `with ${options}`}: do the same here`)
}

/** Runs `verify`, and returns its exit code. */
export const execute = async (args: ReadonlyArray<string>, streams: Streams): Promise<number> => {
  const { positionals, values } = parse(args, { ...perOperation, junit: { type: "string" } })
  if (values.help === true) {
    streams.out(usage)
    return exitCodes.ok
  }
  const [name, path, ...others] = positionals
  const { exclude = [], include = [], junit } = values
  if (name === undefined || path === undefined || others.length > 0)
    throw unusable("name one DOCUMENT and one FOLDER; verify --help shows how")
  const areJson = isJson(values.format)
  const { patches, root } = await Source.read(sourceOf(name, values))
  const folder = await Folder.load(path)
  const digest = digestOf(path, patches)
  let begun = 0
  const onOperation = (id: string, total: number) => {
    begun++
    if (streams.isTerminal === true) streams.error(Terminal.line(id))
    // a log of CI shows that a large document is under way
    else if (begun % 100 === 0) streams.error(`${begun} of ${total} operations begun\n`)
  }
  const isIncluded = Selection.make(include, exclude)
  const report = await Effect.runPromise(Verify.run(root, folder, { isIncluded, onOperation }))
  if (report.excluded > 0 && report.outcomes.length + report.failures.length + report.unjudged.length === 0)
    throw unusable("--include and --exclude leave no operation of the folder")
  streams.out(areJson ? Report.json(report) : Report.text(report))
  if (junit !== undefined) writeFileSync(junit, Report.junit(report))
  if (report.failures.length > 0 && digest !== undefined && digest !== Manifest.digestOf(root))
    streams.error(`${path} was generated from another document: generate it again, or see what changed with --check`)
  return report.failures.length === 0 ? exitCodes.ok : exitCodes.differs
}
