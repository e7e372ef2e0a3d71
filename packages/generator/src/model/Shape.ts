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

/** A text. */
export interface Text {
  readonly _tag: "Text"
  readonly checks: ReadonlyArray<string>
  readonly brand?: string
  /** Whether its format is that of a URL, which can lead to another page. */
  readonly isUrl?: true
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
  /** Whether it keeps fields that have no name here. */
  readonly open: boolean
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

/** A URL is generated as any text. */
const keyOf = (shape: Shape) => JSON.stringify({ ...shape, isUrl: undefined })

const kindOf = (all: ReadonlyArray<Kind>): Kind => ({
  ...(all.some(({ isAny }) => isAny) && { isAny: true }),
  ...(all.some(({ discriminators }) => discriminators) && {
    discriminators: [...new Set(all.flatMap(({ discriminators = [] }) => discriminators))]
  })
})

/** A union without unions in it, without repeated members, and with the known values of texts together. */
export const union = (all: ReadonlyArray<Shape>, own: Kind = {}): Shape => {
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

/** A shape without null, and whether it had it. */
export const withoutNull = (shape: Shape): readonly [Shape, boolean] => {
  if (shape._tag !== "Union") return [shape, false]
  const members = shape.members.filter(({ _tag }) => _tag !== "Null")
  return members.length === shape.members.length ? [shape, false] : [union(members, kindOf([shape])), true]
}

/** The parts of a shape. */
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

/** The shape of a name. */
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

/** Whether a shape, or a part of it without a name, is one of these. */
export const has = (shape: Shape, tag: Shape["_tag"]): boolean =>
  shape._tag === tag || parts(shape).some((part) => has(part, tag))

/** The names that a shape refers to. */
export const references = (shape: Shape, found = new Set<string>()): Set<string> => {
  if (shape._tag === "Reference") found.add(shape.name)
  for (const part of parts(shape)) references(part, found)
  return found
}

/** Whether a shape has fields of its own, which read better under a name. */
export const isLarge = (shape: Shape): boolean => has(shape, "Struct")

/** Alternatives that are objects. */
export interface Variants {
  /** The names of those that have one. */
  readonly names: ReadonlySet<string>
  /** The fields whose values tell some of them apart. */
  readonly fields: ReadonlySet<string>
  /** The known values of those that tell all of them apart. */
  readonly tags: ReadonlyArray<readonly [name: string, values: Literals["values"], isRequired: boolean]>
  /** Whether there can be others. */
  readonly canGrow: boolean
}

const isLiterals = (field: Field): field is Field & { readonly shape: Literals } => field.shape._tag === "Literals"
const isTag = ({ shape }: { readonly shape: Literals }) => shape.closed || shape.values.length === 1

/** The alternatives of a union that are objects, with those of unions in it. */
export const variants = (union: Union, shapeOf: ShapeOf): Variants => {
  const names = new Set<string>()
  const objects: Array<Extract<Shape, { readonly _tag: "Struct" | "Record" }>> = []
  const pending = [...union.members]
  for (let member = pending.shift(); member !== undefined; member = pending.shift()) {
    if (member._tag === "Reference" && !names.has(member.name)) {
      names.add(member.name)
      pending.unshift(shapeOf(member.name))
    } else if (member._tag === "Union") pending.unshift(...member.members)
    else if (member._tag === "Struct" || member._tag === "Record") objects.push(member)
  }
  const found = new Map<string, Array<Field & { readonly shape: Literals }>>()
  for (const field of objects.flatMap((object) => (object._tag === "Struct" ? object.fields : [])))
    if (isLiterals(field)) found.set(field.name, [...(found.get(field.name) ?? []), field])
  const apart = Array.from(found).filter(
    ([name, tags]) =>
      union.discriminators?.includes(name) === true ||
      new Set(tags.filter(isTag).map(({ shape }) => JSON.stringify(shape.values))).size > 1
  )
  return {
    names,
    fields: new Set(apart.map(([name]) => name)),
    tags: apart.flatMap(([name, tags]) => {
      const values = [...new Set(tags.flatMap(({ shape }) => shape.values))]
      const isRequired = tags.every(({ isRequired }) => isRequired)
      const isOfAll = tags.length === objects.length && (isRequired || union.discriminators?.includes(name) === true)
      return isOfAll && new Set(values.map((value) => typeof value)).size === 1
        ? [[name, values, isRequired] as const]
        : []
    }),
    canGrow:
      objects.length > (union.discriminators === undefined ? 1 : 0) &&
      // one that takes every object
      !objects.some((object) => object._tag === "Record" && object.value._tag === "Json")
  }
}

const withTags = (shape: Shape, tags: ReadonlySet<string>): Shape =>
  shape._tag !== "Struct" || tags.size === 0
    ? shape
    : {
        ...shape,
        fields: shape.fields.map((field) =>
          field.shape._tag === "Literals" && tags.has(field.name)
            ? { ...field, shape: { ...field.shape, closed: true } }
            : field
        )
      }

/** The tags of an object that takes other values of them where it is not one of several alternatives. */
export const openTags = (
  shape: Shape,
  fields: ReadonlySet<string>,
  shapeOf: ShapeOf
): ReadonlyArray<Field & { readonly shape: Literals }> => {
  const inner = shape._tag === "Reference" ? resolved(shape, shapeOf) : shape
  return inner._tag === "Struct"
    ? inner.fields.filter(isLiterals).filter(({ name, shape }) => fields.has(name) && !shape.closed)
    : []
}

/** The names that shapes refer to where they are not one of several alternatives. */
const alone = (all: Iterable<Shape>, shapeOf: ShapeOf): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (shape: Shape): void => {
    if (shape._tag === "Reference") found.add(shape.name)
    const isApart = shape._tag === "Union" && variants(shape, shapeOf).fields.size > 0
    for (const part of parts(shape)) if (!isApart || part._tag !== "Reference") visit(part)
  }
  for (const shape of all) visit(shape)
  return found
}

/**
 * Shapes whose values that tell alternatives apart are closed, unless they stand alone somewhere too: services add values
 * there. `others` contain shapes too.
 */
export const closed = (
  shapes: ReadonlyMap<string, Shape>,
  others: ReadonlyArray<Shape>,
  shapeOf: ShapeOf,
  side: "request" | "response"
): ReadonlyMap<string, Shape> => {
  const open = side === "response" ? alone([...shapes.values(), ...others], shapeOf) : new Set<string>()
  const tags = new Map<string, Set<string>>()
  const close = (shape: Shape): Shape => {
    switch (shape._tag) {
      case "Array":
        return {
          ...shape,
          item: close(shape.item),
          ...(shape.tuple && {
            tuple: {
              ...shape.tuple,
              first: shape.tuple.first.map(close),
              rest: shape.tuple.rest && close(shape.tuple.rest)
            }
          })
        }
      case "Record":
        return { ...shape, value: close(shape.value) }
      case "Struct":
        return { ...shape, fields: shape.fields.map((field) => ({ ...field, shape: close(field.shape) })) }
      case "Union": {
        const { fields, names } = variants(shape, shapeOf)
        for (const name of names) tags.set(name, new Set([...(tags.get(name) ?? []), ...fields]))
        return { ...shape, members: shape.members.map((member) => withTags(close(member), fields)) }
      }
      default:
        return shape
    }
  }
  others.forEach(close)
  const all = Array.from(shapes, ([name, shape]) => [name, close(shape)] as const)
  return new Map(
    all.map(([name, shape]) => [name, open.has(name) ? shape : withTags(shape, tags.get(name) ?? new Set())])
  )
}

/** A digest of a shape itself, whatever its comments say. */
export const digestOf = (shape: Shape): string =>
  digest(JSON.stringify(shape, (key, value: unknown) => (key === "comment" ? undefined : value)))
