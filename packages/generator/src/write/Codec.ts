import * as Layout from "./Layout.ts"
import * as Literal from "../model/Literal.ts"
import type { Side } from "../model/Keywords.ts"
import * as Shape from "../model/Shape.ts"
import * as Variants from "../model/Variants.ts"

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

const isText = (value: unknown) => typeof value === "string"
const isNumber = (value: unknown) => typeof value === "number"

/** Whether a shape holds integers of 64 bits. */
export const isExact = (shape: Shape.Shape, context: Context): boolean => Shape.isExact(shape, context.isExact)

/** The context of a whole body. */
export const ofBody = (shape: Shape.Shape, context: Context): Context => ({
  ...context,
  isInExact: isExact(shape, context)
})

/** The type of a shape. */
export const type = (shape: Shape.Shape, context: Context): Layout.Layout => {
  switch (shape._tag) {
    case "Json":
      return "Schema.Json"
    case "Null":
      return "null"
    case "Boolean":
      return "boolean"
    case "Int64":
      return "number | bigint"
    case "Timestamp":
      return "DateTime.Utc"
    case "Binary":
      return "string"
    case "Text":
      return shape.brand === undefined ? "string" : `string & Brand.Brand<${Literal.text(shape.brand)}>`
    case "Number":
    case "Integer":
      return "number"
    case "Literals": {
      const known = shape.values.map(Literal.primitive)
      if (context.side === "request" || shape.closed) return Layout.union(known)
      const open = [
        ...(shape.values.some(isText) ? ["(string & {})"] : []),
        ...(shape.values.some(isNumber) ? ["(number & {})"] : []),
        ...(shape.values.some((value) => typeof value === "boolean") ? ["boolean"] : [])
      ]
      return Layout.union([...known, ...open])
    }
    case "Array": {
      if (shape.tuple === undefined) return Layout.generic("ReadonlyArray", [type(shape.item, context)])
      const { first, least, rest } = shape.tuple
      return [
        "readonly ",
        Layout.array([
          ...first.map((item, i): Layout.Layout => {
            const code = type(item, context)
            return i < least ? code : flatten(code).length > 1 ? ["(", code, ")?"] : [code, "?"]
          }),
          ...(rest === undefined ? [] : [["...", Layout.generic("ReadonlyArray", [type(rest, context)])]])
        ])
      ]
    }
    case "Struct":
      return Layout.members([
        ...shape.fields.map((field) => ({
          comment: field.comment,
          code: [
            `readonly ${Literal.typeKey(field.name)}${field.isRequired ? "" : "?"}: `,
            type(fieldShape(field, context), context)
          ]
        })),
        ...(shape.open !== false ? [{ code: "readonly [name: string]: unknown" }] : [])
      ])
    case "Record":
      return Layout.members([{ code: ["readonly [name: string]: ", type(shape.value, context)] }])
    case "Empty":
      return Layout.members([{ code: "readonly [name: string]: never" }])
    case "Union": {
      const { fields } = Variants.of(shape, context.shapeOf)
      const members = shape.members.flatMap((member) =>
        flatten(
          openTags(member, fields, context).reduce<Layout.Layout>(
            (code, { name, shape }) =>
              Layout.generic("Wire.Tagged", [
                code,
                Literal.text(name),
                Layout.union(shape.values.map(Literal.primitive))
              ]),
            type(member, context)
          )
        )
      )
      const tags = unknownTags(shape, context)
      const names = (kind: boolean) => {
        const own = tags?.flatMap(([name, , isRequired]) => (isRequired === kind ? [Literal.text(name)] : [])) ?? []
        return own.length === 0 ? [] : [Layout.union(own)]
      }
      const [told, often] = [names(true), names(false)]
      const parameters = often.length === 0 ? told : [...(told.length === 0 ? ["never"] : told), ...often]
      const unknown = tags && (parameters.length === 0 ? "Wire.Unknown" : Layout.generic("Wire.Unknown", parameters))
      return Layout.union([...members, ...(unknown === undefined ? [] : [unknown])])
    }
    case "Reference":
      return context.nameOf(shape.name)
  }
}

/** The members of a union in a union. */
const flatten = (code: Layout.Layout): ReadonlyArray<Layout.Layout> =>
  typeof code !== "string" && "prefix" in code ? code.items.map(({ code }) => code) : [code]

/** An optional field of a response is there or absent, never null. */
const fieldShape = (field: Shape.Field, { side }: Context): Shape.Shape =>
  side === "response" && !field.isRequired ? Shape.withoutNull(field.shape)[0] : field.shape

const checked = (code: string, checks: ReadonlyArray<string>): Layout.Layout =>
  checks.length === 0 ? code : Layout.call(`${code}.check`, checks)

/** Whether values of a shape can be objects, also in lists, of which several alternatives can be true. */
const isObjects = (shape: Shape.Shape, context: Context, seen = new Set<string>()): boolean => {
  if (shape._tag === "Reference")
    return !seen.has(shape.name) && isObjects(context.shapeOf(shape.name), context, seen.add(shape.name))
  if (shape._tag === "Array" || shape._tag === "Union")
    return Shape.parts(shape).some((part) => isObjects(part, context, seen))
  return shape._tag === "Struct" || shape._tag === "Record" || shape._tag === "Json"
}

/** The fields that tell apart the alternatives of a union to which a service can add others; `undefined` if it adds none. */
const unknownTags = (shape: Shape.Union, { shapeOf, side }: Context): Variants.Variants["tags"] | undefined => {
  if (side === "request") return undefined
  const { canGrow, tags } = Variants.of(shape, shapeOf)
  return canGrow ? tags : undefined
}

/** The tags of an alternative that are not closed where it stands alone. */
const openTags = (shape: Shape.Shape, fields: Variants.Variants["fields"], { shapeOf, side }: Context) =>
  side === "response" ? Variants.openTags(shape, fields, shapeOf) : []

/** The known values of tags. */
const known = (tags: Variants.Variants["tags"]) =>
  Layout.object(
    tags.map(([name, values, isRequired]) => ({
      code: [
        `${Literal.key(name)}: `,
        Layout.array([...values.map(Literal.primitive), ...(isRequired ? [] : ["undefined"])])
      ]
    }))
  )

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

/** The schema of a shape. */
export const code = (shape: Shape.Shape, context: Context): Layout.Layout => {
  const inner = (part: Shape.Shape) => code(part, context)
  switch (shape._tag) {
    case "Json":
      return context.isInExact === true && context.side === "response" ? "Wire.RoundedJson" : "Schema.Json"
    case "Null":
      return "Schema.Null"
    case "Boolean":
      return "Schema.Boolean"
    case "Int64":
      return "Wire.Int64"
    case "Timestamp":
      return "Wire.Timestamp"
    case "Binary":
      return "Schema.String"
    case "Text": {
      const isShown = context.side === "response" && formats.has(shape.format ?? "")
      const text = isShown
        ? `Schema.String.annotate({ format: ${Literal.text(shape.format ?? "")} })`
        : checked("Schema.String", shape.checks)
      return shape.brand === undefined ? text : [text, `.pipe(Schema.brand(${Literal.text(shape.brand)}))`]
    }
    case "Number":
    case "Integer": {
      if (context.side === "response") return context.isInExact === true ? "Wire.Rounded" : "Schema.Finite"
      return checked(shape._tag === "Number" ? "Schema.Finite" : "Schema.Int", shape.checks)
    }
    case "Literals":
      return literals(shape, context)
    case "Array": {
      const array =
        shape.tuple === undefined ? Layout.call("Schema.Array", [inner(shape.item)]) : tuple(shape.tuple, inner)
      return shape.checks.length === 0 ? array : [array, Layout.call(".check", shape.checks)]
    }
    case "Struct": {
      const fields = shape.fields.map((field) => ({
        code: [`${Literal.key(field.name)}: `, fieldCode(field, context)]
      }))
      const struct = Layout.call("Schema.Struct", [Layout.object(fields)])
      if (shape.open === false) return struct
      const rest = Layout.array(["Schema.Record(Schema.String, Schema.Unknown)"])
      return Layout.call("Schema.StructWithRest", [struct, rest])
    }
    case "Record":
      return Layout.call("Schema.Record", ["Schema.String", inner(shape.value)])
    case "Empty":
      return "Schema.Record(Schema.String, Schema.Never)"
    case "Union": {
      const objects = shape.members.filter((member) => isObjects(member, context))
      // other numbers would take an integer of 64 bits, and round it; an object would take a date-time
      const rank = (member: Shape.Shape) =>
        Shape.canBe(member, ["Timestamp"], context.shapeOf)
          ? -1
          : Number(["Integer", "Number"].includes(Shape.resolved(member, context.shapeOf)._tag))
      const { fields } = Variants.of(shape, context.shapeOf)
      const alternative = (member: Shape.Shape) => {
        const tags = openTags(member, fields, context)
        return tags.length === 0
          ? inner(member)
          : Layout.call("Wire.tagged", [
              inner(member),
              known(tags.map(({ name, shape }) => [name, shape.values, true]))
            ])
      }
      const members = Layout.array(shape.members.toSorted((one, other) => rank(one) - rank(other)).map(alternative))
      // a request is one of its alternatives
      const isPlain = objects.length < 2 || (context.side === "request" && shape.isAny !== true)
      const union = Layout.call(isPlain ? "Schema.Union" : shape.isAny === true ? "Wire.anyOf" : "Wire.oneOf", [
        members
      ])
      const tags = unknownTags(shape, context)
      if (tags === undefined) return union
      return Layout.call("Wire.orUnknown", [union, ...(tags.length === 0 ? [] : [known(tags)])])
    }
    case "Reference": {
      const name = context.nameOf(shape.name)
      return context.late?.has(name) === true ? `Schema.suspend((): Schema.Codec<${name}, unknown> => ${name})` : name
    }
  }
}

const tuple = ({ first, least, rest }: Shape.Tuple, inner: (shape: Shape.Shape) => Layout.Layout): Layout.Layout => {
  const items = first.map((item, i) => (i < least ? inner(item) : Layout.call("Schema.optionalKey", [inner(item)])))
  const code = Layout.call("Schema.Tuple", [Layout.array(items)])
  return rest === undefined ? code : Layout.call("Schema.TupleWithRest", [code, Layout.array([inner(rest)])])
}

const fieldCode = (field: Shape.Field, context: Context): Layout.Layout => {
  const shape = fieldShape(field, context)
  const schema = code(shape, context)
  if (field.isRequired) return schema
  const isAny = shape._tag === "Json" || shape._tag === "Null"
  return Layout.call(context.side === "request" || isAny ? "Schema.optionalKey" : "Wire.nullishKey", [schema])
}

/** A schema that takes others than the known values. */
const open = (schema: string, known: ReadonlyArray<string | number | boolean>): ReadonlyArray<Layout.Layout> =>
  known.length === 0
    ? []
    : [
        [
          schema,
          Layout.call(".annotate", [
            Layout.object([{ code: ["examples: ", Layout.array(known.map(Literal.primitive))] }])
          ])
        ]
      ]

const literals = (shape: Shape.Literals, context: Context): Layout.Layout => {
  const [first = ""] = shape.values
  if (shape.values.length === 1 && (context.side === "request" || shape.closed))
    return `Schema.Literal(${Literal.primitive(first)})`
  const known = Layout.array(shape.values.map(Literal.primitive))
  if (context.side === "request" || shape.closed) return Layout.call("Schema.Literals", [known])
  const texts = shape.values.filter(isText)
  const parts = [
    ...(texts.length > 0 ? [Layout.call("Wire.openEnum", [Layout.array(texts.map(Literal.primitive))])] : []),
    ...open("Schema.Finite", shape.values.filter(isNumber)),
    ...open(
      "Schema.Boolean",
      shape.values.filter((value) => typeof value === "boolean")
    )
  ]
  const [only = "Schema.Json"] = parts
  return parts.length === 1 ? only : Layout.call("Schema.Union", [Layout.array(parts)])
}
