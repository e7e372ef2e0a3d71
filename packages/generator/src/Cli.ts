import * as Predicate from "effect/Predicate"
import { exitCodes, isJson, parse, perOperation, sourceOf, type Streams } from "./Arguments.ts"
import * as Changes from "./compare/Changes.ts"
import * as Count from "./Count.ts"
import * as Document from "./read/Document.ts"
import * as Location from "./read/Location.ts"
import { type Generated, generate } from "./Generate.ts"
import * as Output from "./write/Output.ts"
import * as Selection from "./read/Selection.ts"
import { unusable } from "./read/Unusable.ts"
import * as Source from "./read/Source.ts"
import * as Terminal from "./Terminal.ts"
import { version } from "./internal/version.ts"

const usage = `Usage: cloud-management-generate DOCUMENT --out FOLDER [options]
       cloud-management-generate verify DOCUMENT FOLDER [options]
       cloud-management-generate mock DOCUMENT [options]

Generates operations from an OpenAPI document (3.0, 3.1 or 3.2; JSON or YAML; - for stdin).

  --out FOLDER         where the code is written; only what was generated there before is replaced
  --include PATTERN    only these operations: an operationId, tag:NAME or a path, with * for any text; repeatable
  --exclude PATTERN    not these operations; repeatable
  --patch FILE         a JSON Patch of the document, each change with a reason; repeatable, in order
  --envelope NAME      auto, none, or the pointer to the property that is the result (default: auto)
  --name NAME          what spans, metrics and user-agent call the API (default: the document's title)
  --dates utc|text     what date-times are: DateTime.Utc or texts (default: utc)
  --check              write nothing; exit with 1 if a file would change, and print the changes by operation
  --max-omitted N      exit with 3 if more operations are omitted (default: as many as the last time)
  --fetch              allow the network for DOCUMENT and for references to URLs
  --allow-private      let a public document lead to this machine and its network
  --allow-empty        let a document have no operations, or less than half of those that FOLDER has
  --format FORMAT      text or json (default: text)
  --help, --version    print this, or the version

Exit codes: 0 done; 1 differs (--check); 2 usage, or the document cannot be read; 3 too many omitted; 4 a patch does not fit
`

const options = {
  ...perOperation,
  out: { type: "string" },
  envelope: { type: "string" },
  name: { type: "string" },
  dates: { type: "string" },
  check: { type: "boolean" },
  "allow-empty": { type: "boolean" },
  "max-omitted": { type: "string" },
  version: { type: "boolean", short: "v" }
} as const

const describe = ({ details, id, isBreaking, kind }: Changes.Change) =>
  `${kind} ${id}${isBreaking ? " (breaking)" : ""}${details.length === 0 ? "" : `: ${details.join(", ")}`}`

/** Equal warnings as one, which names the first of their places. */
const together = (warnings: Generated["warnings"]) =>
  [...Map.groupBy(warnings, ({ code, message }) => `${code} ${message}`).values()].flatMap((same) => {
    const places = same.slice(0, 3).map(({ pointer }) => pointer)
    const more = same.length - places.length
    const pointer = [...places, ...(more > 0 ? [`${more} more`] : [])].join(", ")
    return same.slice(0, 1).map((one) => ({ ...one, pointer }))
  })

const report = ({ manifest, omitted, warnings }: Generated, notes: ReadonlyArray<string>) => {
  const count = Object.keys(manifest.operations).length
  const lines = [
    ...together(warnings).map(({ code, message, pointer }) => `warning ${code} ${pointer}: ${message}`),
    ...omitted.map(({ code, id, message, pointer }) => `omitted ${id}: ${code} ${pointer}: ${message}`),
    ...notes,
    `${Count.of(count, "operation")}, ${omitted.length} omitted, ${Count.of(warnings.length, "warning")}`
  ]
  return lines.map(Terminal.line).join("")
}

const execute = async (args: ReadonlyArray<string>, streams: Streams): Promise<number> => {
  const { positionals, values } = parse(args, options)
  if (values.help === true) {
    streams.out(usage)
    return exitCodes.ok
  }
  if (values.version === true) {
    streams.out(`cloud-management-generate v${version}\n`)
    return exitCodes.ok
  }
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0) throw unusable("name one DOCUMENT; --help shows how")
  const { dates = "utc", out: folder } = values
  if (dates !== "utc" && dates !== "text") throw unusable("--dates is utc or text")
  if (values.name?.trim() === "") throw unusable("--name is what the API is called")
  if (folder === undefined || folder === "") throw unusable("--out names the folder to write")
  const areJson = isJson(values.format)
  const most = values["max-omitted"]
  if (most !== undefined && !/^\d+$/.test(most)) throw unusable("--max-omitted is a number")
  const progress = (text: string) => (streams.isTerminal === true ? streams.error(`${text}\n`) : undefined)
  progress(`Reading ${Location.shown(name)}`)
  const { exclude = [], include = [] } = values
  const { patches, root, unread } = await Source.read(sourceOf(name, values))
  const isCheck = values.check === true
  const before = Output.open(folder, isCheck)
  const locked = before.manifest
  progress(`Generating ${folder}`)
  const generated = generate(Document.make(root, unread), {
    isIncluded: Selection.make(include, exclude),
    envelope: values.envelope ?? "auto",
    areDatesText: dates === "text",
    locked,
    patches,
    name: values.name
  })
  const { files, omitted, warnings } = generated
  const changes = Changes.between(locked, generated.manifest)
  const staying = Changes.stays(locked, generated.manifest).map(
    (text) => `${text}: change it in ${folder}/manifest.json`
  )
  const names = new Set([...files.keys(), ...before.files.keys()])
  const differing = [...names].filter((name) => files.get(name) !== before.files.get(name))
  const operations = Object.keys(generated.manifest.operations).length
  if (operations + omitted.length === 0 && include.length + exclude.length > 0)
    throw unusable("--include and --exclude leave no operation of the document")
  streams.out(
    areJson
      ? Terminal.json({ operations, omitted, warnings, changes, files: differing })
      : report(generated, isCheck ? changes.map(describe) : staying)
  )
  const limit = most === undefined ? locked?.omitted.length : Number(most)
  if (limit !== undefined && omitted.length > limit) {
    streams.error(`error: ${Count.of(omitted.length, "operation")} omitted, more than ${limit}: see --max-omitted\n`)
    return exitCodes.omitted
  }
  if (isCheck) {
    if (differing.length === 0) return exitCodes.ok
    streams.error(`error: ${Count.of(differing.length, "file")} would change: ${differing.slice(0, 5).join(", ")}\n`)
    return exitCodes.differs
  }
  const old = Object.keys(locked?.operations ?? {}).length
  if (values["allow-empty"] !== true && (operations === 0 || operations < old / 2)) {
    const problem =
      old > 0
        ? `${folder} has ${Count.of(old, "operation")}, and would have ${operations}`
        : omitted.length > 0
          ? "all operations of the document are omitted, for the reasons above"
          : "the paths of the document have no operation: name a document that has some, such as one that refers to this"
    throw unusable(`${problem}; see --allow-empty`)
  }
  if (differing.length > 0) Output.write(before, generated)
  return exitCodes.ok
}

/** Runs the command, and returns its exit code. */
export const run = async (args: ReadonlyArray<string>, { error, isTerminal, out }: Streams): Promise<number> => {
  const streams: Streams = {
    out: (text) => out(Terminal.harmless(text)),
    error: (text) => error(Terminal.harmless(text)),
    isTerminal
  }
  try {
    const [command, ...others] = args
    // each command loads only what it needs
    if (command === "verify") return await (await import("./verify/Command.ts")).execute(others, streams)
    if (command === "mock") return await (await import("./served/Command.ts")).execute(others, streams)
    return await execute(args, streams)
  } catch (error) {
    // by their tags: those of `verify` and `mock` are of other copies of the classes where this is bundled
    const isMisfit = Predicate.isTagged(error, "Misfit")
    const isKnown = isMisfit || Predicate.isTagged(error, "Unusable") || Predicate.hasProperty(error, "code")
    // a defect shows where it is
    const text =
      error instanceof Error ? (isKnown ? Terminal.line(error.message) : `${error.stack}\n`) : `${String(error)}\n`
    streams.error(`error: ${text}`)
    return isMisfit ? exitCodes.patch : exitCodes.usage
  }
}
