/** The modules of schemas, and the index. */
import * as Signature from "../compare/Signature.ts"
import * as Comment from "../model/Comment.ts"
import * as Declarations from "../model/Declarations.ts"
import * as Literal from "../model/Literal.ts"
import * as Names from "../model/Names.ts"
import type { OperationModel } from "../model/OperationModel.ts"
import * as References from "../model/References.ts"
import type { Omitted } from "../read/Unsupported.ts"
import * as Codec from "./Codec.ts"
import * as Constant from "./Constant.ts"
import * as Layout from "./Layout.ts"
import * as SourceFile from "./SourceFile.ts"

/** The context of code in a module where the declarations of a side have a prefix. */
export const contextOf = (
  { isExact, nameOf, shapeOf, side }: Declarations.Declarations,
  prefix = ""
): Codec.Context => ({ side, nameOf: (name) => prefix + nameOf(name), shapeOf, isExact })

/** A declaration: its type, and its schema. */
const codeOf = (side: Declarations.Declarations, { late }: References.Order, key: string, isSame = false): string => {
  const doc = Comment.render(side.declarations.get(key)?.comment ?? [], "")
  const [name, shape] = [side.nameOf(key), side.shapeOf(key)]
  const { code, type } = Codec.of(shape, {
    ...contextOf(side),
    late: new Set(Array.from(late.get(key) ?? [], side.nameOf)),
    isInExact: side.isInExact(key)
  })
  const isInterface = shape._tag === "Struct" || shape._tag === "Record" || shape._tag === "Empty"
  const isBody = isInterface && typeof type === "object" && "items" in type
  const declared = isSame
    ? `export type ${name} =${name.length > 51 ? "\n " : ""} A.${name}\n`
    : `${doc}${Layout.render(isBody ? [`export interface ${name} `, Layout.body(type.items)] : [`export type ${name} = `, type])}\n`
  const value = Constant.write(name, Layout.generic("Schema.Codec", [name, "unknown"]), code)
  // one text: pieces of 100,000 declarations would fill the memory
  return [declared, doc, value].join("")
}

/** The modules of schemas; what is the same on both sides is written once. */
export const schemas = (
  models: ReadonlyArray<OperationModel>,
  responses: Declarations.Declarations,
  requests: Declarations.Declarations
) => {
  const rootsOf = (side: Declarations.Declarations) => Declarations.rootsOf(models, side.side)
  const needed = (side: Declarations.Declarations) =>
    References.order(References.reach(Array.from(rootsOf(side), side.firstOf), side.edgesOf), side.edgesOf)
  const ofResponses = needed(responses)
  const ofRequests = needed(requests)
  const back = References.reversed(ofRequests.names, requests.edgesOf)
  const responseNames = new Set(ofResponses.names)
  /** The names that are the same on both sides, with all that they refer to. */
  const common = (isSame: (name: string) => boolean) => {
    const others = References.reach(
      ofRequests.names.filter(
        (name) => !responseNames.has(name) || responses.nameOf(name) !== requests.nameOf(name) || !isSame(name)
      ),
      back
    )
    return new Set(ofRequests.names.filter((name) => !others.has(name)))
  }
  const typeOf = (name: string, side: Declarations.Declarations) =>
    Layout.render(Codec.of(side.shapeOf(name), contextOf(side)).type)
  const types = common((name) => typeOf(name, responses) === typeOf(name, requests))
  const responseCodes = new Map(ofResponses.names.map((name) => [name, codeOf(responses, ofResponses, name)]))
  const shared = common((name) => responseCodes.get(name) === codeOf(requests, ofRequests, name))
  const own = ofRequests.names.filter((name) => !shared.has(name))
  const used = new Set(own.flatMap((name) => [...requests.edgesOf(name)]))
  const from = (keyword: string, names: ReadonlyArray<string>) => {
    if (names.length === 0) return ""
    return `${Layout.render([`${keyword} `, Layout.object(names.map((name) => responses.nameOf(name))), ` from "./responses.ts"`])}\n`
  }
  const imported = from(
    "import",
    [...shared].filter((name) => used.has(name))
  )
  const exported = from("export", [...shared])
  const lines = `${imported}${exported === "" ? "" : `\n${exported}`}`
  const code = own.map((name) => codeOf(requests, ofRequests, name, types.has(name))).join("\n")
  // also those that have no declaration of their own, and can have one the next time
  const partsOf = (side: Declarations.Declarations) =>
    Object.fromEntries(
      Array.from(References.reach(rootsOf(side), side.referencesOf), (name) => [
        name,
        Signature.parts(side.shapeOf(name))
      ])
    )
  const responseParts = partsOf(responses)
  const requestParts = Object.entries(partsOf(requests)).filter(
    ([name, parts]) => JSON.stringify(parts) !== JSON.stringify(responseParts[name])
  )
  return {
    responseParts,
    requestParts: Object.fromEntries(requestParts),
    responseCode: SourceFile.file([...responseCodes.values()].join("\n")),
    requestCode: SourceFile.file(code, [["A", `import type * as A from "./responses.ts"`]], lines)
  }
}

/** The name of a group's module in the registry, which has names of its own. */
const local = (group: string) => (["operations", "omitted"].includes(group) ? `${group}_` : Names.identifier(group))

export const index = (groups: ReadonlyMap<string, unknown>, omitted: ReadonlyArray<Omitted>): string => {
  const imports = Array.from(groups.keys(), (group) => {
    const path = Literal.text(`./operations/${group}.ts`)
    return `import * as ${local(group)} from ${path}\n`
  }).join("")
  const names = Array.from(groups.keys(), (group) => [group, local(group)] as const)
  const operations = Layout.render([
    "export type Operations = ",
    Layout.members(names.map(([group, name]) => `readonly ${group}: typeof ${name}`))
  ])
  const values = Layout.render([
    "export const operations: Operations = ",
    Layout.object(names.map(([group, name]) => (group === name ? name : `${group}: ${name}`)))
  ])
  const left = omitted.map(({ code, id, message, pointer }) =>
    Layout.object(Object.entries({ id, code, pointer, message }).map(([key, text]) => [`${key}: `, Literal.text(text)]))
  )
  return `// generated: change the document, or a patch of it
${imports}${imports === "" ? "" : "\n"}/** The operations by group and name. */
${operations}

/** Every operation of the document, by group and name: what a client is made of. */
${values}

/** Why an operation is not generated. */
export interface Omitted {
  readonly id: string
  readonly code: string
  readonly pointer: string
  readonly message: string
}

/** The operations of the document that are not generated. */
${Layout.render(["export const omitted: ReadonlyArray<Omitted> = ", Layout.array(left)])}
`
}
