import * as Codec from "./Codec.ts"
import * as Layout from "./Layout.ts"
import * as Literal from "../model/Literal.ts"
import { unsupported } from "../read/Unsupported.ts"
import * as Shape from "../model/Shape.ts"

/** A schema whose encoded side is text, and the type of that side. */
export interface Text extends Codec.Written {
  readonly encoded: Layout.Layout
}

/**
 * How an object or a list is written: `deep`, `flat` and `spread` as fields and repeated names, of which `spread` has lists
 * in an object too; `json` in one text, `simple` and `pairs` with commas between. With `content`, all is JSON: a text too; `header` has only
 * characters of ASCII.
 */
export type Style = "deep" | "flat" | "spread" | "json" | "simple" | "pairs" | "content" | "header"

/** Where a text comes from and what it may hold. */
export interface Options {
  readonly context: Codec.Context
  readonly style: Style
  /** Whether bytes can be sent, as in a multipart form. */
  readonly hasFiles: boolean
  readonly pointer: string
  /** How many parts it may still have: references are written out. */
  readonly budget: { left: number }
}

const scalar = (type: Layout.Layout, code: Layout.Layout): Text => ({ type, encoded: "string", code })

/** A schema of what the text is decoded to. */
const decoded = (codec: string, schema: Layout.Layout): Layout.Layout => [
  codec,
  Layout.call(".pipe", [Layout.call("Schema.decodeTo", [schema])])
]

const number = (shape: Shape.Numeric, context: Codec.Context): Text =>
  scalar(
    "number",
    shape._tag === "Number" && shape.checks.length === 0
      ? "Wire.NumberText"
      : decoded("Wire.NumberText", Codec.of(shape, context).code)
  )

const literals = (shape: Shape.Literals, context: Codec.Context): Text => {
  const { code, type } = Codec.of({ ...shape, closed: true }, context)
  const are = (kind: string) => shape.values.every((value) => typeof value === kind)
  if (are("string")) return scalar(type, code)
  if (are("number")) return scalar(type, decoded("Wire.NumberText", code))
  return are("boolean") ? scalar(type, decoded("Wire.BooleanText", code)) : scalar("string", "Schema.String")
}

const inJson = (shape: Shape.Shape, { context }: Options): Text => {
  const { code, type } = Codec.of(shape, context)
  return scalar(type, Layout.call(Codec.isExact(shape, context) ? "Wire.exactJsonText" : "Wire.jsonText", [code]))
}

/** For a shape that contains itself: the texts in it have brackets as other objects, or it is JSON. */
const recursive = (shape: Shape.Shape, options: Options): Text => {
  if (options.style !== "deep") return inJson(shape, options)
  const { code, type } = Codec.of(shape, options.context)
  return { type, encoded: "NonNullable<Body.Fields[string]>", code: Layout.call("Wire.textTree", [code]) }
}

export const isScalar = (shape: Shape.Shape, { shapeOf }: Codec.Context): boolean =>
  !Shape.canBe(shape, ["Array", "Struct", "Record", "Empty"], shapeOf)

const scalars = ["Text", "Literals", "Boolean", "Integer", "Number", "Int64", "Timestamp", "Binary"] as const

const canBeScalar = (shape: Shape.Shape, { shapeOf }: Codec.Context): boolean => Shape.canBe(shape, scalars, shapeOf)

const isObject = (shape: Shape.Shape, { shapeOf }: Codec.Context): boolean =>
  ["Struct", "Record", "Empty"].includes(Shape.resolved(shape, shapeOf)._tag)

/** The schema of a field of a struct of texts. */
export const field = (field: Shape.Field, options: Options, depth = 0, inside: ReadonlySet<string> = new Set()) =>
  keyed(field, of(field.shape, options, depth, inside))

/** The same of a path, with a separator between the parts of what is not one text, or with slashes in the text. */
export const parted = (field: Shape.Field, separator: string | undefined, options: Options) => {
  const { code, type } = of(field.shape, options, 0, new Set())
  const whole =
    separator === undefined
      ? Layout.call("Wire.segments", [code])
      : Layout.call("Wire.exploded", [code, Literal.text(separator)])
  return keyed(field, { type, encoded: "ReadonlyArray<string>", code: whole })
}

export const keyed = (field: Omit<Shape.Field, "shape">, text: Text) => ({
  ...Codec.keyed(field, text),
  encoded: Codec.keyed({ ...field, comment: [] }, { type: text.encoded, code: "" }).type
})

/** A struct of texts; `others`: of what type the encoded side of others is, if it takes some. */
export const struct = (parts: ReadonlyArray<ReturnType<typeof field>>, others?: Layout.Layout): Text => {
  const code = Layout.call("Schema.Struct", [Layout.object(parts.map(({ code }) => code))])
  const rest = (type: Layout.Layout) => (others === undefined ? [] : [["readonly [name: string]: ", type]])
  return {
    type: Layout.members([...parts.map(({ type }) => type), ...rest("unknown")]),
    encoded: Layout.members([...parts.map(({ encoded }) => encoded), ...rest(others ?? "")]),
    code: others === undefined ? code : Layout.call("Wire.withOthers", [code])
  }
}

/** The type of fields that are not described. */
export const othersOf = (hasFiles: boolean): Layout.Layout =>
  hasFiles ? "Body.Part | ReadonlyArray<Body.Part> | undefined" : "Body.Fields[string]"

/** An object with commas between its parts, in a path or a header. */
const simple = (object: Text, { style }: Options): Text =>
  style === "simple" || style === "pairs"
    ? {
        type: object.type,
        encoded: "ReadonlyArray<string>",
        code: Layout.call("Wire.simple", [object.code, ...(style === "pairs" ? ["true"] : [])])
      }
    : object

const of = (shape: Shape.Shape, options: Options, depth: number, inside: ReadonlySet<string>): Text => {
  const { budget, context, hasFiles, pointer, style } = options
  if (--budget.left < 0) throw unsupported("parameter-object", pointer, "has too many parts")
  if (style === "content") return inJson(shape, options)
  if (style === "header") {
    const json = inJson(shape, options)
    return { ...json, code: Layout.call("Wire.headerJson", [json.code]) }
  }
  switch (shape._tag) {
    case "Json":
      // of a form's part without a type not even the media type is known (OpenAPI 3.1 §4.8.15.1)
      return hasFiles
        ? { type: "string | Blob", encoded: "string | Blob", code: "Schema.Union([Schema.String, Body.File])" }
        : scalar("string", "Schema.String")
    case "Null":
      return scalar(`""`, `Schema.Literal("")`)
    case "Binary":
      return hasFiles ? { type: "Blob", encoded: "Blob", code: "Body.File" } : scalar("string", "Schema.String")
    case "Text": {
      const { code, type } = Codec.of(shape, context)
      return scalar(type, code)
    }
    case "Boolean":
      return scalar("boolean", "Wire.BooleanText")
    case "Int64":
      return scalar("number | bigint", "Wire.Int64Text")
    case "Timestamp":
      return scalar("DateTime.Utc", "Wire.Timestamp")
    case "Number":
    case "Integer":
      return number(shape, context)
    case "Literals":
      return literals(shape, context)
    case "Reference": {
      const found = Shape.resolved(shape, context.shapeOf)
      // each item of a list is a part of a form, and each text a value of its name
      const isParts =
        found._tag === "Array"
          ? depth === 0 && (hasFiles || isScalar(found.item, context))
          : found._tag === "Union" && !found.members.every((member) => isObject(member, context))
      if (isScalar(shape, context) || style !== "json" || isParts) {
        if (inside.has(shape.name)) return recursive(shape, options)
        return of(context.shapeOf(shape.name), options, depth, new Set([...inside, shape.name]))
      }
      return inJson(shape, options)
    }
    case "Array": {
      if (style === "json" && !isScalar(shape.item, context) && !hasFiles) return inJson(shape, options)
      const isRepeated = depth === 0 || (depth === 1 && style === "spread" && isScalar(shape.item, context))
      if (style !== "deep" && !isRepeated) return inJson(shape, options)
      const isText = isScalar(shape.item, context) || canBeScalar(shape.item, context)
      const item =
        isText || style === "deep"
          ? // a list in a list is not repeated
            of(shape.item, options, depth + (style === "deep" ? 1 : 2), inside)
          : inJson(shape.item, options)
      return {
        type: Layout.generic("ReadonlyArray", [item.type]),
        encoded: Layout.generic("ReadonlyArray", [item.encoded]),
        code: Layout.call("Schema.Array", [item.code])
      }
    }
    case "Struct": {
      if (style === "json" || (style !== "deep" && depth > 0)) return inJson(shape, options)
      if (depth > 12) throw unsupported("parameter-object", pointer, "is nested too deep")
      const others = shape.open === false ? undefined : othersOf(false)
      const fields = struct(
        shape.fields.map((one) => field(one, options, depth + 1, inside)),
        others
      )
      return simple(fields, options)
    }
    case "Record":
    case "Empty": {
      if (style === "json" || (style !== "deep" && depth > 0)) return inJson(shape, options)
      const value =
        shape._tag === "Record" ? of(shape.value, options, depth + 1, inside) : scalar("string", "Schema.String")
      const record = {
        type: Layout.members([["readonly [name: string]: ", value.type]]),
        encoded: Layout.members([["readonly [name: string]: ", value.encoded]]),
        code: Layout.call("Schema.Record", ["Schema.String", value.code])
      }
      return simple(record, options)
    }
    case "Union": {
      // an absent parameter is all that null can be
      const members = shape.members.filter(({ _tag }) => _tag !== "Null")
      const [only] = members
      if (only !== undefined && members.length === 1) return of(only, options, depth, inside)
      // known values take the least, and text takes everything: an empty one is a number too; an object takes a date-time
      const rank = (member: Shape.Shape) =>
        member._tag === "Literals" || Shape.canBe(member, ["Timestamp"], context.shapeOf)
          ? 0
          : member._tag === "Text"
            ? 2
            : 1
      const ordered = members.toSorted((one, other) => rank(one) - rank(other))
      const objects = ordered.filter((member) => isObject(member, context))
      const areJson = objects.length > 1 && (style === "json" || (style !== "deep" && depth > 0))
      const json = areJson ? inJson({ ...shape, members: objects }, options) : undefined
      if (json !== undefined && objects.length === members.length) return json
      const texts = ordered.flatMap((member) => {
        if (json === undefined || !objects.includes(member)) return [of(member, options, depth, inside)]
        return member === objects[0] ? [json] : []
      })
      const isAny = shape.isAny === true && objects.length > 1 && !areJson
      return {
        type: Layout.union(texts.map(({ type }) => type)),
        encoded: Layout.union(texts.map(({ encoded }) => encoded)),
        code: Layout.call(isAny ? "Wire.anyOf" : "Schema.Union", [Layout.array(texts.map(({ code }) => code))])
      }
    }
  }
}
