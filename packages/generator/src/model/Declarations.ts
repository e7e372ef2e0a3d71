/** The declarations of one side, what they refer to, and which of them are written. */
import * as Equal from "./Equal.ts"
import type { Side } from "./Keywords.ts"
import * as Names from "./Names.ts"
import type { OperationModel } from "./OperationModel.ts"
import * as References from "./References.ts"
import type * as Schemas from "./Schemas.ts"
import * as Shape from "./Shape.ts"
import * as Variants from "./Variants.ts"
import { Unsupported, unsupported } from "../read/Unsupported.ts"

/** The shapes that an operation needs, of one side. */
const shapesOf = ({ cookies, failures, headers, params, payload, query, successes }: OperationModel, side: Side) =>
  side === "response"
    ? [...successes, ...failures].flatMap(({ shape }) => shape ?? [])
    : [
        ...params,
        ...query,
        ...headers,
        ...cookies,
        ...(payload?.contents ?? []).filter((content) => "shape" in content)
      ].map(({ shape }) => shape)

/** The names that operations refer to, of one side. */
export const rootsOf = (models: ReadonlyArray<OperationModel>, side: Side): Set<string> => {
  const found = new Set<string>()
  for (const model of models) for (const shape of shapesOf(model, side)) Shape.references(shape, found)
  return found
}

/** The references of a shape that are not within an object or an array. */
const aliases = (shape: Shape.Shape): ReadonlyArray<string> =>
  shape._tag === "Reference" ? [shape.name] : shape._tag === "Union" ? shape.members.flatMap(aliases) : []

/** The declarations of one side, with what each refers to. */
export const make = (
  { declarations, side }: Schemas.Reader,
  models: ReadonlyArray<OperationModel>,
  give: (key: string, hint: string) => string
) => {
  const read = new Map<string, Shape.Shape>()
  const failures = new Map<string, Unsupported>()
  for (const [name, { shape }] of declarations) {
    if (shape instanceof Unsupported) failures.set(name, shape)
    else read.set(name, shape)
  }
  const shapes = Variants.closed(
    read,
    models.flatMap((model) => shapesOf(model, side)),
    (name) => read.get(name) ?? Shape.json
  )
  const shapeOf = (name: string): Shape.Shape => shapes.get(name) ?? Shape.json
  const references = new Map(Array.from(shapes, ([name, shape]) => [name, Shape.references(shape)]))
  const referencesOf = (name: string): ReadonlySet<string> => references.get(name) ?? new Set()
  const pointerOf = (name: string) => declarations.get(name)?.pointer ?? "#"
  const isOwn = (name: string) => Names.isOfDocument(pointerOf(name))
  // the document's own first, in whose place none is declared
  const ordered = [...shapes.keys()].toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)))
  const { endings, firstOf } = Equal.make(shapeOf, References.order(ordered, referencesOf), isOwn)
  const shared = new Map(
    // several schemas can begin at one pointer
    Array.from(endings, ([name, ending]) => [name, give(`${name} and equal ones`, ending)])
  )
  const nameOf = (name: string) => shared.get(firstOf(name)) ?? firstOf(name)
  const edges = new Map(Array.from(references, ([name, found]) => [name, new Set(Array.from(found, firstOf))]))
  const edgesOf = (name: string): ReadonlySet<string> => edges.get(name) ?? new Set()
  const back = References.reversed(edges.keys(), edgesOf)
  // a type that is only itself
  const direct = References.order(shapes.keys(), (name) => new Set(aliases(shapes.get(name) ?? Shape.json)))
  for (const [name, late] of direct.late) {
    if (late.size === 0) continue
    const pointer = pointerOf(name)
    const message = "contains itself without an object or an array between"
    failures.set(name, unsupported("schema", pointer, message))
  }
  // what needs something unsupported is unsupported with it
  for (const [name, failure] of Array.from(failures)) {
    for (const other of References.reach([name], back)) if (!failures.has(other)) failures.set(other, failure)
  }
  const exact = References.reach(
    Array.from(shapes).flatMap(([name, shape]) => (Shape.isExact(shape, () => false) ? [name] : [])),
    back
  )
  const inExact = References.reach(exact, edgesOf)
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

export type Declarations = ReturnType<typeof make>

/** Why an operation cannot be generated, though it could be read. */
export const failureOf = (model: OperationModel, side: Declarations): Unsupported | undefined => {
  if (side.failures.size === 0) return undefined
  for (const name of rootsOf([model], side.side)) {
    const failure = side.failures.get(name)
    if (failure !== undefined) return failure
  }
  return undefined
}
