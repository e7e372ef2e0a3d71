import * as Layout from "./Layout.ts"
import * as Literal from "../model/Literal.ts"
import type { Side } from "../model/Keywords.ts"
import * as Shape from "../model/Shape.ts"
import * as Variants from "../model/Variants.ts"
import type { Warn } from "../read/Unsupported.ts"

export interface Context {
  readonly side: Side
  /** A name as it is in the code: equal shapes have one, after the module that they are imported from. */
  readonly nameOf: (name: string) => string
  readonly shapeOf: Shape.ShapeOf
  /** Whether what a name stands for holds integers of 64 bits. */
  readonly isExact: (name: string) => boolean
  /** Whether it is part of a body that keeps the digits of all integers, where a large one is no `number`. */
  readonly isInExact?: boolean
  /** Names that are declared later, because they contain what is being declared. */
  readonly late?: ReadonlySet<string>
}

/** A value of the generated code, and its type. */
export interface Written {
  readonly type: Layout.Layout
  readonly code: Layout.Layout
}

/** Both sides of an operation. */
export interface Sides {
  readonly responses: Context
  readonly requests: Context
  readonly warn: Warn
}

/** Whether a shape holds integers of 64 bits. */
export const isExact = (shape: Shape.Shape, context: Context): boolean => Shape.isExact(shape, context.isExact)

/** The schema of a whole body, and its type. */
export const ofBody = (shape: Shape.Shape, context: Context): Written =>
  of(shape, { ...context, isInExact: isExact(shape, context) })

/** The formats of which a mock in memory makes texts: others would only make pages larger. */
const formats = new Set([
  "byte",
  "date",
  "date-time",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uri",
  "url",
  "uuid"
])

const checked = (code: string, checks: ReadonlyArray<string>): Layout.Layout =>
  checks.length === 0 ? code : Layout.call(`${code}.check`, checks)

/** The schema of a shape, and its type. */
export const of = (shape: Shape.Shape, context: Context): Written => {
  const isRead = context.side === "response"
  switch (shape._tag) {
    case "Json":
      return { type: "Schema.Json", code: isRead && context.isInExact === true ? "Wire.RoundedJson" : "Schema.Json" }
    case "Null":
      return { type: "null", code: "Schema.Null" }
    case "Boolean":
      return { type: "boolean", code: "Schema.Boolean" }
    case "Int64":
      return { type: "number | bigint", code: "Wire.Int64" }
    case "Timestamp":
      return { type: "DateTime.Utc", code: "Wire.Timestamp" }
    case "Binary":
      return { type: "string", code: "Schema.String" }
    case "Text": {
      const code =
        isRead && formats.has(shape.format ?? "")
          ? `Schema.String.annotate({ format: ${Literal.text(shape.format ?? "")} })`
          : checked("Schema.String", shape.checks)
      if (shape.brand === undefined) return { type: "string", code }
      const brand = Literal.text(shape.brand)
      return { type: `string & Brand.Brand<${brand}>`, code: [code, `.pipe(Schema.brand(${brand}))`] }
    }
    case "Number":
    case "Integer": {
      const read = context.isInExact === true ? "Wire.Rounded" : "Schema.Finite"
      const sent = checked(shape._tag === "Number" ? "Schema.Finite" : "Schema.Int", shape.checks)
      return { type: "number", code: isRead ? read : sent }
    }
    case "Literals":
      return isRead && !shape.closed ? openLiterals(shape) : literals(shape)
    case "Array": {
      const { code, type } = shape.tuple === undefined ? list(shape.item, context) : tuple(shape.tuple, context)
      return { type, code: shape.checks.length === 0 ? code : [code, Layout.call(".check", shape.checks)] }
    }
    case "Struct": {
      const fields = shape.fields.map((field) => fieldOf(field, context))
      const types = fields.map(({ type }) => type)
      const struct = Layout.call("Schema.Struct", [Layout.object(fields.map(({ code }) => code))])
      if (shape.open === false) return { type: Layout.members(types), code: struct }
      const rest = Layout.array(["Schema.Record(Schema.String, Schema.Unknown)"])
      return {
        type: Layout.members([...types, "readonly [name: string]: unknown"]),
        code: Layout.call("Schema.StructWithRest", [struct, rest])
      }
    }
    case "Record": {
      const { code, type } = of(shape.value, context)
      return {
        type: Layout.members([["readonly [name: string]: ", type]]),
        code: Layout.call("Schema.Record", ["Schema.String", code])
      }
    }
    case "Empty":
      return {
        type: Layout.members(["readonly [name: string]: never"]),
        code: "Schema.Record(Schema.String, Schema.Never)"
      }
    case "Union":
      return union(shape, context)
    case "Reference": {
      const name = context.nameOf(shape.name)
      const isLate = context.late?.has(name) === true
      return { type: name, code: isLate ? `Schema.suspend((): Schema.Codec<${name}, unknown> => ${name})` : name }
    }
  }
}

/** A field of an object with its schema, which `optional` makes one that can be absent. */
export const keyed = (
  { comment, isRequired, name }: Omit<Shape.Field, "shape">,
  { code, type }: Written,
  optional = "Schema.optionalKey"
) => ({
  type: { comment, code: [`readonly ${Literal.typeKey(name)}${isRequired ? "" : "?"}: `, type] },
  code: [`${Literal.key(name)}: `, isRequired ? code : Layout.call(optional, [code])]
})

const fieldOf = (field: Shape.Field, context: Context) => {
  if (field.isRequired || context.side === "request") return keyed(field, of(field.shape, context))
  // it is there or absent, never null
  const [shape] = Shape.withoutNull(field.shape)
  const isAny = shape._tag === "Json" || shape._tag === "Null"
  return keyed(field, of(shape, context), isAny ? "Schema.optionalKey" : "Wire.nullishKey")
}

const list = (item: Shape.Shape, context: Context): Written => {
  const { code, type } = of(item, context)
  return { type: Layout.generic("ReadonlyArray", [type]), code: Layout.call("Schema.Array", [code]) }
}

const tuple = ({ first, least, rest }: Shape.Tuple, context: Context): Written => {
  const items = first.map((item, i): Written => {
    const { code, type } = of(item, context)
    if (i < least) return { type, code }
    return {
      type: flatten(type).length > 1 ? ["(", type, ")?"] : [type, "?"],
      code: Layout.call("Schema.optionalKey", [code])
    }
  })
  const types = items.map(({ type }) => type)
  const code = Layout.call("Schema.Tuple", [Layout.array(items.map(({ code }) => code))])
  if (rest === undefined) return { type: ["readonly ", Layout.array(types)], code }
  const others = of(rest, context)
  return {
    type: ["readonly ", Layout.array([...types, ["...", Layout.generic("ReadonlyArray", [others.type])]])],
    code: Layout.call("Schema.TupleWithRest", [code, Layout.array([others.code])])
  }
}

/** The members of a union in a union. */
const flatten = (code: Layout.Layout): ReadonlyArray<Layout.Layout> =>
  typeof code !== "string" && "prefix" in code ? code.items.map(({ code }) => code) : [code]

const literals = ({ values }: Shape.Literals): Written => {
  const known = values.map(Literal.primitive)
  const code =
    known.length === 1 ? `Schema.Literal(${known.join()})` : Layout.call("Schema.Literals", [Layout.array(known)])
  return { type: Layout.union(known), code }
}

/** Known values, beside which a service can send others of their types. */
const openLiterals = ({ values }: Shape.Literals): Written => {
  const knownOf = (type: string) => values.filter((value) => typeof value === type).map(Literal.primitive)
  const [texts, numbers, booleans] = [knownOf("string"), knownOf("number"), knownOf("boolean")]
  const annotated = (schema: string, known: ReadonlyArray<string>): Layout.Layout => [
    schema,
    Layout.call(".annotate", [Layout.object([["examples: ", Layout.array(known)]])])
  ]
  const parts = [
    { known: texts, type: "(string & {})", code: Layout.call("Wire.openEnum", [Layout.array(texts)]) },
    { known: numbers, type: "(number & {})", code: annotated("Schema.Finite", numbers) },
    { known: booleans, type: "boolean", code: annotated("Schema.Boolean", booleans) }
  ].filter(({ known }) => known.length > 0)
  const [first = "", ...others] = parts.map(({ code }) => code)
  return {
    type: Layout.union([...values.map(Literal.primitive), ...parts.map(({ type }) => type)]),
    code: others.length === 0 ? first : Layout.call("Schema.Union", [Layout.array([first, ...others])])
  }
}

/** Whether values of a shape can be objects, also in lists, of which several alternatives can be true. */
const isObjects = (shape: Shape.Shape, context: Context, seen = new Set<string>()): boolean => {
  if (shape._tag === "Reference")
    return !seen.has(shape.name) && isObjects(context.shapeOf(shape.name), context, seen.add(shape.name))
  if (shape._tag === "Array" || shape._tag === "Union")
    return Shape.parts(shape).some((part) => isObjects(part, context, seen))
  return shape._tag === "Struct" || shape._tag === "Record" || shape._tag === "Json"
}

/** The known values of tags. */
const known = (tags: Variants.Variants["tags"]) =>
  Layout.object(
    tags.map(([name, values, isRequired]) => [
      `${Literal.key(name)}: `,
      Layout.array([...values.map(Literal.primitive), ...(isRequired ? [] : ["undefined"])])
    ])
  )

const union = (shape: Shape.Union, context: Context): Written => {
  const { shapeOf, side } = context
  const { canGrow, fields, tags } = Variants.of(shape, shapeOf)
  const isRead = side === "response"
  const members = shape.members.map((member) => {
    const written = of(member, context)
    // those that are not closed where it stands alone
    const open = isRead ? Variants.openTags(member, fields, shapeOf) : []
    const type = open.reduce<Layout.Layout>(
      (code, { name, shape }) =>
        Layout.generic("Wire.Tagged", [code, Literal.text(name), Layout.union(shape.values.map(Literal.primitive))]),
      written.type
    )
    const told = known(open.map(({ name, shape }) => [name, shape.values, true]))
    return { member, type, code: open.length === 0 ? written.code : Layout.call("Wire.tagged", [written.code, told]) }
  })
  // other numbers would take an integer of 64 bits, and round it; an object would take a date-time
  const rank = (member: Shape.Shape) =>
    Shape.canBe(member, ["Timestamp"], shapeOf)
      ? -1
      : Number(["Integer", "Number"].includes(Shape.resolved(member, shapeOf)._tag))
  const ordered = members.toSorted((one, other) => rank(one.member) - rank(other.member))
  const hasObjects = shape.members.filter((member) => isObjects(member, context)).length > 1
  // a request is one of its alternatives
  const isPlain = !hasObjects || (!isRead && shape.isAny !== true)
  const code = Layout.call(isPlain ? "Schema.Union" : shape.isAny === true ? "Wire.anyOf" : "Wire.oneOf", [
    Layout.array(ordered.map(({ code }) => code))
  ])
  const types = members.flatMap(({ type }) => flatten(type))
  if (!isRead || !canGrow) return { type: Layout.union(types), code }
  const namesOf = (isTold: boolean) => {
    const own = tags.flatMap(([name, , isRequired]) => (isRequired === isTold ? [Literal.text(name)] : []))
    return own.length === 0 ? "never" : Layout.union(own)
  }
  const often = namesOf(false)
  const names = [namesOf(true), ...(often === "never" ? [] : [often])]
  return {
    type: Layout.union([...types, tags.length === 0 ? "Wire.Unknown" : Layout.generic("Wire.Unknown", names)]),
    code: Layout.call("Wire.orUnknown", [code, ...(tags.length === 0 ? [] : [known(tags)])])
  }
}
