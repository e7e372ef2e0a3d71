import * as Codec from "./write/Codec.ts"
import * as Contract from "./compare/Contract.ts"
import * as Digest from "./read/Digest.ts"
import type { Document } from "./read/Document.ts"
import type { IsIncluded } from "./model/Endpoint.ts"
import * as Equal from "./model/Equal.ts"
import * as Emit from "./write/Emit.ts"
import type { Side } from "./model/Facts.ts"
import * as Graph from "./model/Graph.ts"
import * as Layout from "./write/Layout.ts"
import * as Literal from "./model/Literal.ts"
import * as Manifest from "./compare/Manifest.ts"
import type { Applied } from "./read/Patch.ts"
import * as Names from "./model/Names.ts"
import * as Operations from "./model/Operations.ts"
import * as Refusals from "./write/Refusals.ts"
import { attempt, Refusal, type Refused, type Warning } from "./read/Refusal.ts"
import * as Schemas from "./model/Schemas.ts"
import * as Shape from "./model/Shape.ts"

/** What to generate. */
export interface Options {
  readonly isIncluded: IsIncluded
  /** `auto`, `none`, or the pointer to the property that is the result. */
  readonly envelope: string
  /** Whether date-times stay texts, where a service sends something else. */
  readonly areDatesText: boolean
  /** The manifest of the last time, whose names stay. */
  readonly locked: Manifest.Locked | undefined
  readonly patches: ReadonlyArray<Applied>
  /** What the API is called, in place of the title of the document. */
  readonly name: string | undefined
}

/** What was generated. */
export interface Generated {
  /** By path in the folder. */
  readonly files: ReadonlyMap<string, string>
  readonly manifest: Manifest.Manifest
  readonly refused: ReadonlyArray<Refused>
  readonly warnings: ReadonlyArray<Warning>
}

/** The shapes that an operation needs, of one side. */
const shapesOf = ({ failures, headers, params, payload, query, successes }: Operations.Model, side: Side) =>
  side === "answer"
    ? [...successes, ...failures].flatMap(({ shape }) => shape ?? [])
    : [...params, ...query, ...headers, ...(payload?.contents ?? []).filter((content) => "shape" in content)].map(
        ({ shape }) => shape
      )

const named = (shapes: ReadonlyArray<Shape.Shape>): Set<string> => {
  const found = new Set<string>()
  for (const shape of shapes) Shape.references(shape, found)
  return found
}

/** The references of a shape that are not within an object or an array. */
const aliases = (shape: Shape.Shape): ReadonlyArray<string> =>
  shape._tag === "Reference" ? [shape.name] : shape._tag === "Union" ? shape.members.flatMap(aliases) : []

/** The declarations of one side, with what each refers to. */
const sideOf = (
  { declarations, side }: Schemas.Reader,
  models: ReadonlyArray<Operations.Model>,
  give: (key: string, hint: string) => string
) => {
  const read = new Map<string, Shape.Shape>()
  const failures = new Map<string, Refusal>()
  for (const [name, { shape }] of declarations) {
    if (shape instanceof Refusal) failures.set(name, shape)
    else read.set(name, shape)
  }
  const shapes = Shape.closed(
    read,
    models.flatMap((model) => shapesOf(model, side)),
    (name) => read.get(name) ?? Shape.json,
    side
  )
  const shapeOf = (name: string): Shape.Shape => shapes.get(name) ?? Shape.json
  const references = new Map(Array.from(shapes, ([name, shape]) => [name, Shape.references(shape)]))
  const referencesOf = (name: string): ReadonlySet<string> => references.get(name) ?? new Set()
  const pointerOf = (name: string) => declarations.get(name)?.pointer ?? "#"
  const isOwn = (name: string) => /^#\/components\/schemas\/[^/]+$/.test(pointerOf(name))
  // the document's own first, in whose place none is declared
  const ordered = [...shapes.keys()].toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)))
  const { endings, firstOf } = Equal.make(shapeOf, Graph.order(ordered, referencesOf), isOwn)
  const shared = new Map(
    // several schemas can begin at one pointer
    Array.from(endings, ([name, ending]) => [name, give(`${name} and equal ones`, ending)])
  )
  const nameOf = (name: string) => shared.get(firstOf(name)) ?? firstOf(name)
  const edges = new Map(Array.from(references, ([name, found]) => [name, new Set(Array.from(found, firstOf))]))
  const edgesOf = (name: string): ReadonlySet<string> => edges.get(name) ?? new Set()
  const back = reversed(edges.keys(), edgesOf)
  // a type that is only itself
  const direct = Graph.order(shapes.keys(), (name) => new Set(aliases(shapes.get(name) ?? Shape.json)))
  for (const [name, late] of direct.late) {
    if (late.size === 0) continue
    const pointer = pointerOf(name)
    const message = "contains itself without an object or an array between"
    failures.set(name, new Refusal({ code: "schema", pointer, message }))
  }
  // what needs something refused is refused with it
  for (const [name, failure] of Array.from(failures)) {
    for (const other of Graph.reach([name], back)) if (!failures.has(other)) failures.set(other, failure)
  }
  const exact = Graph.reach(
    Array.from(shapes).flatMap(([name, shape]) => (Shape.has(shape, "Int64") ? [name] : [])),
    back
  )
  const inExact = Graph.reach(exact, edgesOf)
  return {
    declarations,
    edgesOf,
    failures,
    isExact: (name: string) => exact.has(name),
    isInExact: (name: string) => inExact.has(name),
    firstOf,
    nameOf,
    referencesOf,
    shapeOf,
    side
  }
}
type SideOf = ReturnType<typeof sideOf>

/** Why an operation cannot be generated, though it could be read. */
const failureOf = (model: Operations.Model, side: SideOf): Refusal | undefined => {
  if (side.failures.size === 0) return undefined
  for (const name of named(shapesOf(model, side.side))) {
    const failure = side.failures.get(name)
    if (failure !== undefined) return failure
  }
  return undefined
}

/** Group and name of each operation. A name that was given before stays; a new one gives way. */
const name = (models: ReadonlyArray<Operations.Model>, locked: Manifest.Locked | undefined) => {
  const found = new Map<string, Emit.Named>()
  const groups = new Map<string, Names.Allocator>()
  const group = (name: string) => {
    const known = groups.get(name) ?? Names.allocator()
    groups.set(name, known)
    return known
  }
  const spelled = new Map<string, string>()
  const lastOf = Manifest.last(locked, new Set(models.map(({ key }) => key)))
  for (const { id, key } of models) {
    const old = lastOf(key, id)?.entry
    if (old === undefined) continue
    spelled.set(old.group.toLowerCase(), old.group)
    found.set(key, { group: old.group, name: group(old.group).take(old.name) })
  }
  for (const model of models) {
    if (found.has(model.key)) continue
    const wanted = Names.member(Names.camel(model.tag) || "api")
    const groupName = spelled.get(wanted.toLowerCase()) ?? wanted
    spelled.set(wanted.toLowerCase(), groupName)
    const names = group(groupName)
    const all = Names.words(model.id.includes(" /") ? fromPath(model) : model.id)
    const short = memberOf(Names.without(all, Names.words(model.tag)))
    found.set(model.key, { group: groupName, name: names.take(names.has(short) ? memberOf(all) : short) })
  }
  return found
}

const memberOf = (words: ReadonlyArray<string>) => Names.member(Names.camelOf(words) || "operation")

/** The method and the words of the path, for an operation without an ID. */
const fromPath = ({ key, method }: Operations.Model) =>
  `${method.toLowerCase()} ${key.replace(/^\S+ /, "").replace(/\{[^{}]*\}/g, " ")}`

/** Generates all files. */
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
  const answerReader = Schemas.make({ document, side: "answer", nameOf, areDatesText, warn })
  const requestReader = Schemas.make({ document, side: "request", nameOf, areDatesText, warn })
  const { models, refuse, refused } = Operations.read({
    document,
    answers: answerReader,
    requests: requestReader,
    warn,
    isIncluded: options.isIncluded,
    envelope: options.envelope
  })
  answerReader.finish()
  requestReader.finish()
  const answers = sideOf(answerReader, models, nameOf)
  const requests = sideOf(requestReader, models, nameOf)
  const written: Array<{ readonly model: Operations.Model; readonly code: string; readonly named: Emit.Named }> = []
  const readable = models.filter((model) => {
    const failure = failureOf(model, answers) ?? failureOf(model, requests)
    if (failure === undefined) return true
    refuse(model.id, failure)
    return false
  })
  const names = name(readable, locked)
  const failures = Refusals.make(readable, new Map(Object.entries(locked?.refusals ?? {})))
  const context: Emit.Context = {
    answers: contextOf(answers, "A."),
    requests: contextOf(requests, "Q."),
    failures,
    warn
  }
  for (const model of readable) {
    const named = names.get(model.key)
    if (named === undefined) continue
    const code = attempt(() => Emit.operation(model, named, context))
    if (code instanceof Refusal) refuse(model.id, code)
    else written.push({ model, named, code })
  }
  const accepted = written.map(({ model }) => model)
  const files = new Map([["api.ts", Emit.api(document, options.name)]])
  const { answerCode, answerParts, requestCode, requestParts } = schemas(accepted, answers, requests)
  files.set("answers.ts", answerCode)
  files.set("requests.ts", requestCode)
  files.set("refusals.ts", Emit.file(failures.code(context.answers), [["A", `import * as A from "./answers.ts"`]]))
  const groups = Map.groupBy(written, ({ named }) => named.group)
  for (const [group, members] of groups) {
    const own = [
      ["A", `import * as A from "../answers.ts"`],
      ["R", `import * as R from "../refusals.ts"`],
      ["Q", `import * as Q from "../requests.ts"`]
    ] as const
    const code = [...members.map(({ code }) => code), Emit.methods(members, context)].join("\n")
    files.set(`operations/${group}.ts`, Emit.file(code, own, `import { api } from "../api.ts"\n`))
  }
  files.set("index.ts", index(groups, refused))
  const entries = written.map(
    ({ model, named }) => [model.key, { id: model.id, ...named, ...Contract.make(model) }] as const
  )
  const manifest: Manifest.Manifest = {
    digest: Digest.digest(JSON.stringify(document.root)),
    files: Object.fromEntries(Array.from(files, ([name, content]) => [name, Digest.digest(content)])),
    patches: options.patches,
    operations: Object.fromEntries(entries),
    answers: answerParts,
    requests: requestParts,
    schemas: Object.fromEntries(schemaNames),
    refusals: Object.fromEntries(failures.names),
    refused,
    warnings
  }
  files.set("manifest.json", `${Literal.json(manifest)}\n`)
  return { files, manifest, refused, warnings }
}

/** What code of a side depends on, in a module where its declarations have a prefix. */
const contextOf = ({ isExact, nameOf, shapeOf, side }: SideOf, prefix = ""): Codec.Context => ({
  side,
  nameOf: (name) => prefix + nameOf(name),
  shapeOf,
  isExact
})

/** The modules of schemas; what is the same on both sides is written once. */
const schemas = (models: ReadonlyArray<Operations.Model>, answers: SideOf, requests: SideOf) => {
  const rootsOf = (side: SideOf) => named(models.flatMap((model) => shapesOf(model, side.side)))
  const needed = (side: SideOf) =>
    Graph.order(Graph.reach(Array.from(rootsOf(side), side.firstOf), side.edgesOf), side.edgesOf)
  const codeOf = (side: SideOf, { late }: Graph.Order, name: string, isSame = false) => {
    const declaration = side.declarations.get(name)
    if (declaration === undefined) return ""
    const context = {
      ...contextOf(side),
      late: new Set(Array.from(late.get(name) ?? [], side.nameOf)),
      isInExact: side.isInExact(name)
    }
    return Emit.declaration({ ...declaration, name: side.nameOf(name) }, side.shapeOf(name), context, isSame)
  }
  const ofAnswers = needed(answers)
  const ofRequests = needed(requests)
  const back = reversed(ofRequests.names, requests.edgesOf)
  const answerNames = new Set(ofAnswers.names)
  /** The names that are the same on both sides, with all that they refer to. */
  const common = (isSame: (name: string) => boolean) => {
    const others = Graph.reach(
      ofRequests.names.filter(
        (name) => !answerNames.has(name) || answers.nameOf(name) !== requests.nameOf(name) || !isSame(name)
      ),
      back
    )
    return new Set(ofRequests.names.filter((name) => !others.has(name)))
  }
  const typeOf = (name: string, side: SideOf) => Layout.render(Codec.type(side.shapeOf(name), contextOf(side)))
  const types = common((name) => typeOf(name, answers) === typeOf(name, requests))
  const answerCodes = new Map(ofAnswers.names.map((name) => [name, codeOf(answers, ofAnswers, name)]))
  const shared = common((name) => answerCodes.get(name) === codeOf(requests, ofRequests, name))
  const own = ofRequests.names.filter((name) => !shared.has(name))
  const used = new Set(own.flatMap((name) => [...requests.edgesOf(name)]))
  const from = (keyword: string, names: ReadonlyArray<string>) => {
    if (names.length === 0) return ""
    return `${Layout.render([`${keyword} `, Layout.object(names.map((name) => ({ code: answers.nameOf(name) }))), ` from "./answers.ts"`])}\n`
  }
  const imported = from(
    "import",
    [...shared].filter((name) => used.has(name))
  )
  const exported = from("export", [...shared])
  const lines = `${imported}${exported === "" ? "" : `\n${exported}`}`
  const code = own.map((name) => codeOf(requests, ofRequests, name, types.has(name))).join("\n")
  // also those that have no declaration of their own, and can have one the next time
  const partsOf = (side: SideOf) =>
    Object.fromEntries(
      Array.from(Graph.reach(rootsOf(side), side.referencesOf), (name) => [name, Contract.parts(side.shapeOf(name))])
    )
  const answerParts = partsOf(answers)
  const requestParts = Object.entries(partsOf(requests)).filter(
    ([name, parts]) => JSON.stringify(parts) !== JSON.stringify(answerParts[name])
  )
  return {
    answerParts,
    requestParts: Object.fromEntries(requestParts),
    answerCode: Emit.file([...answerCodes.values()].join("\n")),
    requestCode: Emit.file(code, [["A", `import type * as A from "./answers.ts"`]], lines)
  }
}

const reversed = (names: Iterable<string>, edgesOf: (name: string) => ReadonlySet<string>) => {
  const back = new Map<string, Set<string>>()
  for (const name of names) {
    for (const next of edgesOf(name)) {
      const known = back.get(next) ?? new Set<string>()
      known.add(name)
      back.set(next, known)
    }
  }
  return (name: string): ReadonlySet<string> => back.get(name) ?? new Set()
}

/** The name of a group's module in the registry, which has names of its own. */
const local = (group: string) => (["operations", "refused"].includes(group) ? `${group}_` : Names.identifier(group))

/** The registry. */
const index = (groups: ReadonlyMap<string, unknown>, refused: ReadonlyArray<Refused>): string => {
  const imports = Array.from(groups.keys(), (group) => {
    const path = Literal.text(`./operations/${group}.ts`)
    return `import * as ${local(group)} from ${path}\n`
  }).join("")
  const names = Array.from(groups.keys(), (group) => [group, local(group)] as const)
  const operations = Layout.render([
    "export type Operations = ",
    Layout.members(
      names.map(([group, name]) => ({
        code: `readonly ${group}: Operation.Documented<typeof ${name}, ${name}.Methods>`
      }))
    )
  ])
  const values = Layout.render([
    "export const operations: Operations = ",
    Layout.object(names.map(([group, name]) => ({ code: group === name ? name : `${group}: ${name}` })))
  ])
  const left = refused.map(({ code, id, message, pointer }) =>
    Layout.object(
      Object.entries({ id, code, pointer, message }).map(([key, text]) => ({ code: [`${key}: `, Literal.text(text)] }))
    )
  )
  return `// generated: change the document, or a patch of it
${imports === "" ? "" : `import type * as Operation from "@cloud-management/client/Operation"\n`}${imports}${imports === "" ? "" : "\n"}/** The operations by group and name. */
${operations}

/** Every operation of the document, by group and name: what a client is made of. */
${values}

/** Why an operation is not generated. */
export interface Refused {
  readonly id: string
  readonly code: string
  readonly pointer: string
  readonly message: string
}

/** The operations of the document that are not generated. */
${Layout.render(["export const refused: ReadonlyArray<Refused> = ", Layout.array(left)])}
`
}
