import { digest } from "../read/Digest.ts"

/** A schema of a document on one side of the wire, before it is code. */
export type Shape =
  | { readonly _tag: "Json" | "Null" | "Boolean" | "Int64" | "Timestamp" | "Binary" }
  | Text
  | Numeric
  | Literals
  | List
  | Struct
  | { readonly _tag: "Record"; readonly value: Shape }
  | { readonly _tag: "Empty" }
  | Union
  | Reference

export interface Text {
  readonly _tag: "Text"
  readonly checks: ReadonlyArray<string>
  readonly brand?: string
  /** Its format, which tells no texts apart. */
  readonly format?: string
}

/** A number, or only integers. */
export interface Numeric {
  readonly _tag: "Number" | "Integer"
  readonly checks: ReadonlyArray<string>
}

/** Known values. A response takes others too, unless they are closed, or tell alternatives apart. */
export interface Literals {
  readonly _tag: "Literals"
  readonly values: ReadonlyArray<string | number | boolean>
  readonly closed: boolean
}

/** A list; the places of a tuple have items of their own. */
export interface List {
  readonly _tag: "Array"
  readonly item: Shape
  readonly checks: ReadonlyArray<string>
  readonly tuple?: Tuple
}

export interface Tuple {
  readonly first: ReadonlyArray<Shape>
  /** How many of the first have to be there. */
  readonly least: number
  /** `undefined`: there are no others. */
  readonly rest: Shape | undefined
}

/** An object with named fields. */
export interface Struct {
  readonly _tag: "Struct"
  readonly fields: ReadonlyArray<Field>
  /** Whether it keeps fields that have no name here; `exact` if these hold integers of 64 bits. */
  readonly open: boolean | "exact"
}

export interface Field {
  readonly name: string
  readonly shape: Shape
  readonly isRequired: boolean
  readonly comment: ReadonlyArray<string>
}

export interface Union extends Kind {
  readonly _tag: "Union"
  readonly members: ReadonlyArray<Shape>
}

/** How alternatives are told apart. */
export interface Kind {
  /** A value can be several of them at once. */
  readonly isAny?: true
  /** The fields that are discriminators, even if there is only one alternative yet. */
  readonly discriminators?: ReadonlyArray<string>
}

/** A shape with a name, in the declarations of the same side. */
export interface Reference {
  readonly _tag: "Reference"
  readonly name: string
}

export const json: Shape = { _tag: "Json" }
export const nothing: Shape = { _tag: "Null" }
const literal = (values: Literals["values"], closed: boolean): Shape => ({ _tag: "Literals", values, closed })

/** Texts are told apart by what they are checked for. */
const keyOf = (shape: Shape) => JSON.stringify({ ...shape, format: undefined })

const kindOf = (all: ReadonlyArray<Kind>): Kind => ({
  ...(all.some(({ isAny }) => isAny) && { isAny: true }),
  ...(all.some(({ discriminators }) => discriminators) && {
    discriminators: [...new Set(all.flatMap(({ discriminators = [] }) => discriminators))]
  })
})

/** A union without unions in it, without repeated members, and with the known values of texts together. */
export const union = (all: ReadonlyArray<Shape>, own: Kind = {}): Shape => {
  const [only] = all
  if (only !== undefined && all.length === 1 && only._tag !== "Union" && own.discriminators === undefined) return only
  const kind = kindOf([own, ...all.filter((shape) => shape._tag === "Union")])
  const given = all.flatMap((shape) => (shape._tag === "Union" ? shape.members : [shape]))
  // a text beside a date-time can be a date, which would become another text
  const isText = given.some(({ _tag }) => _tag === "Text")
  const flat = given.map((shape): Shape =>
    isText && shape._tag === "Timestamp" ? { _tag: "Text", checks: [] } : shape
  )
  if (flat.some(({ _tag }) => _tag === "Json")) return json
  const enums = flat.filter((shape) => shape._tag === "Literals")
  const values = [...new Set(enums.flatMap(({ values }) => values))]
  const merged = literal(
    values,
    enums.some(({ closed }) => closed)
  )
  const isFirst = (shape: Shape) => shape === enums[0]
  const members = flat.flatMap((shape) => (shape._tag === "Literals" ? (isFirst(shape) ? [merged] : []) : [shape]))
  const unique = [...new Map(members.map((shape) => [keyOf(shape), shape])).values()]
  const ordered = [...unique.filter(({ _tag }) => _tag !== "Null"), ...unique.filter(({ _tag }) => _tag === "Null")]
  const [first] = ordered
  return first === undefined
    ? json
    : ordered.length === 1 && kind.discriminators === undefined
      ? first
      : { _tag: "Union", members: ordered, ...kind }
}

/** A shape that may also be null. */
export const nullable = (shape: Shape): Shape => (shape._tag === "Json" ? shape : union([shape, nothing]))

/** A shape, or else any JSON: what it reads and writes otherwise than JSON stays. */
export const orJson = (shape: Shape): Shape =>
  shape._tag === "Json"
    ? shape
    : { _tag: "Union", members: [...(shape._tag === "Union" ? shape.members : [shape]), json] }

/** A shape without null, and whether it had it. */
export const withoutNull = (shape: Shape): readonly [Shape, boolean] => {
  if (shape._tag !== "Union") return [shape, false]
  const members = shape.members.filter(({ _tag }) => _tag !== "Null")
  return members.length === shape.members.length ? [shape, false] : [union(members, kindOf([shape])), true]
}

export const parts = (shape: Shape): ReadonlyArray<Shape> => {
  switch (shape._tag) {
    case "Array":
      // of a tuple, that is one of its parts
      return shape.tuple === undefined
        ? [shape.item]
        : [...shape.tuple.first, ...(shape.tuple.rest ? [shape.tuple.rest] : [])]
    case "Struct":
      return shape.fields.map(({ shape }) => shape)
    case "Record":
      return [shape.value]
    case "Union":
      return shape.members
    default:
      return []
  }
}

export type ShapeOf = (name: string) => Shape

/** The shape that references lead to. */
export const resolved = (shape: Shape, shapeOf: ShapeOf): Shape => {
  let found = shape
  for (let i = 0; i < 20 && found._tag === "Reference"; i++) found = shapeOf(found.name)
  return found
}

/** Whether a shape, or one of its alternatives, is one of these. */
export const canBe = (
  shape: Shape,
  tags: ReadonlyArray<Shape["_tag"]>,
  shapeOf: ShapeOf,
  seen = new Set<string>()
): boolean => {
  if (shape._tag === "Reference")
    return !seen.has(shape.name) && canBe(shapeOf(shape.name), tags, shapeOf, seen.add(shape.name))
  if (shape._tag === "Union") return shape.members.some((member) => canBe(member, tags, shapeOf, seen))
  return tags.includes(shape._tag)
}

/** Whether a shape holds integers of 64 bits; `ofName`: whether what a name stands for does. */
export const isExact = (shape: Shape, ofName: (name: string) => boolean): boolean =>
  shape._tag === "Int64" ||
  (shape._tag === "Struct" && shape.open === "exact") ||
  (shape._tag === "Reference" && ofName(shape.name)) ||
  parts(shape).some((part) => isExact(part, ofName))

export const references = (shape: Shape, found = new Set<string>()): Set<string> => {
  if (shape._tag === "Reference") found.add(shape.name)
  for (const part of parts(shape)) references(part, found)
  return found
}

/** Whether a shape has fields of its own, which read better under a name. */
export const isLarge = (shape: Shape): boolean => shape._tag === "Struct" || parts(shape).some(isLarge)

/** A digest of a shape itself, whatever its comments and formats say. */
export const digestOf = (shape: Shape): string =>
  digest(JSON.stringify(shape, (key, value: unknown) => (key === "comment" || key === "format" ? undefined : value)))
