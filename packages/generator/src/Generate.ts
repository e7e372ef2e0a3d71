/** The way of a document: read, modelled, compared with the last time, written. */
import * as Manifest from "./compare/Manifest.ts"
import * as Naming from "./compare/Naming.ts"
import * as Signature from "./compare/Signature.ts"
import * as Declarations from "./model/Declarations.ts"
import type { IsIncluded } from "./model/Endpoint.ts"
import * as Literal from "./model/Literal.ts"
import * as Names from "./model/Names.ts"
import { readOperations } from "./model/OperationModel.ts"
import * as PaginationModel from "./model/PaginationModel.ts"
import * as Schemas from "./model/Schemas.ts"
import * as Digest from "./read/Digest.ts"
import type { Document } from "./read/Document.ts"
import type { Applied } from "./read/Patch.ts"
import { attempt, type Omitted, Unsupported, type Warning } from "./read/Unsupported.ts"
import type * as Codec from "./write/Codec.ts"
import * as Operation from "./write/Operation.ts"
import * as SourceFile from "./write/SourceFile.ts"
import * as Modules from "./write/Modules.ts"
import * as Refusals from "./write/Refusals.ts"

export interface Options {
  readonly isIncluded: IsIncluded
  /** `auto`, `none`, or the pointer to the property that is the result. */
  readonly envelope: string
  /** Whether date-times stay texts, where a service sends something else. */
  readonly areDatesText: boolean
  /** The manifest of the last time, whose names stay. */
  readonly locked: Manifest.Locked | undefined
  readonly patches: ReadonlyArray<Applied>
  /** The name of the API, in place of the title of the document. */
  readonly name: string | undefined
}

export interface Generated {
  /** By path in the folder. */
  readonly files: ReadonlyMap<string, string>
  readonly manifest: Manifest.Manifest
  readonly omitted: ReadonlyArray<Omitted>
  readonly warnings: ReadonlyArray<Warning>
}

export const generate = (document: Document, options: Options): Generated => {
  const { locked } = options
  const warnings: Array<Warning> = []
  const known = new Set<string>()
  const warn = (code: string, pointer: string, message: string) => {
    const key = `${code} ${pointer} ${message}`
    if (known.has(key)) return
    known.add(key)
    warnings.push({ code, pointer, message })
  }
  const lockedSchemas = new Map(Object.entries(locked?.schemas ?? {}))
  const schemaNames = new Map<string, string>()
  const allocator = Names.allocator(lockedSchemas.values())
  const nameOf = (key: string, hint: string) => {
    const wanted = Names.identifier(Names.pascal(hint.slice(0, 200)) || "Value")
    const name = schemaNames.get(key) ?? lockedSchemas.get(key) ?? allocator.take(wanted)
    schemaNames.set(key, name)
    return name
  }
  const { areDatesText } = options
  const responseReader = Schemas.make({ document, side: "response", nameOf, areDatesText, warn })
  const requestReader = Schemas.make({ document, side: "request", nameOf, areDatesText, warn })
  const { models, omit, omitted } = readOperations({
    document,
    responses: responseReader,
    requests: requestReader,
    warn,
    isIncluded: options.isIncluded,
    envelope: options.envelope
  })
  responseReader.finish()
  requestReader.finish()
  const responses = Declarations.make(responseReader, models, nameOf)
  const requests = Declarations.make(requestReader, models, nameOf)
  const readable = models.filter((model) => {
    const failure = Declarations.failureOf(model, responses) ?? Declarations.failureOf(model, requests)
    if (failure === undefined) return true
    omit(model.id, failure)
    return false
  })
  const names = Naming.make(readable, locked)
  const failures = Refusals.make(readable, new Map(Object.entries(locked?.refusals ?? {})))
  const sides: Codec.Sides = {
    responses: Modules.contextOf(responses, "A."),
    requests: Modules.contextOf(requests, "Q."),
    warn
  }
  const written = readable.flatMap((model) => {
    const named = names.get(model.key)
    if (named === undefined) return []
    const operation = attempt(() => Operation.operation(model, named, failures.of(model), sides))
    if (!(operation instanceof Unsupported)) return [{ model, named, ...operation }]
    omit(model.id, operation)
    return []
  })
  const accepted = written.map(({ model }) => model)
  const pagination = document.root["x-pagination"]
  if (pagination !== undefined && pagination !== false) {
    const isUsed = written.some(({ pagination }) => pagination?.origin === "document")
    const problem = PaginationModel.problemOf(pagination) ?? (isUsed ? undefined : "x-pagination fits no list")
    if (problem !== undefined) warn("pagination", "#/x-pagination", problem)
  }
  // only the service's own 404 shows that a deletion whose response was lost took effect
  const doubtful = accepted.filter(
    ({ failures, method, successes }) =>
      method === "DELETE" &&
      successes.every(({ kind }) => kind === "empty") &&
      !failures.some(({ shape, status }) => shape !== undefined && /^(?:404|4XX|default)$/i.test(status))
  )
  if (doubtful[0] !== undefined) {
    const [count, what] =
      doubtful.length === 1 ? ["", "deletion declares"] : [`${doubtful.length} `, "deletions declare"]
    warn(
      "deletion",
      doubtful[0].pointer,
      `${count}${what} no 404 with a body, so the outcome stays unknown where the response is lost: patch it if the service sends one`
    )
  }
  const files = new Map([["api.ts", SourceFile.api(document, options.name)]])
  const { responseCode, responseParts, requestCode, requestParts } = Modules.schemas(accepted, responses, requests)
  files.set("responses.ts", responseCode)
  files.set("requests.ts", requestCode)
  files.set(
    "refusals.ts",
    SourceFile.file(failures.code(sides.responses), [["A", `import * as A from "./responses.ts"`]])
  )
  const groups = Map.groupBy(written, ({ named }) => named.group)
  for (const [group, members] of groups) {
    const own = [
      ["A", `import * as A from "../responses.ts"`],
      ["R", `import * as R from "../refusals.ts"`],
      ["Q", `import * as Q from "../requests.ts"`]
    ] as const
    const code = [...members.map(({ code }) => code), Operation.methods(members)].join("\n")
    files.set(`operations/${group}.ts`, SourceFile.file(code, own, `import { api } from "../api.ts"\n`))
  }
  files.set("index.ts", Modules.index(groups, omitted))
  const entries = written.map(
    ({ model, named }) => [model.key, { id: model.id, ...named, ...Signature.make(model) }] as const
  )
  const manifest: Manifest.Manifest = {
    digest: Manifest.digestOf(document.root),
    files: Object.fromEntries(Array.from(files, ([name, content]) => [name, Digest.digest(content)])),
    patches: options.patches,
    operations: Object.fromEntries(entries),
    responses: responseParts,
    requests: requestParts,
    schemas: Object.fromEntries(schemaNames),
    refusals: Object.fromEntries(failures.names),
    omitted,
    warnings
  }
  files.set("manifest.json", `${Literal.json(manifest)}\n`)
  return { files, manifest, omitted, warnings }
}
