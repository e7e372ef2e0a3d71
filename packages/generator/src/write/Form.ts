import * as Literal from "../model/Literal.ts"
import * as Media from "../model/Media.ts"
import type { Parameter } from "../model/Parameter.ts"
import type { Content } from "../model/Payload.ts"
import * as Shape from "../model/Shape.ts"
import { object, text } from "../read/Json.ts"
import type * as Codec from "./Codec.ts"
import { fields } from "./Fields.ts"
import * as Layout from "./Layout.ts"
import * as TextCodec from "./TextCodec.ts"

type Form = Extract<Content, { readonly encoding: unknown }>

/** The alternatives of a shape but null. */
const alternativesOf = (
  shape: Shape.Shape,
  context: Codec.Context,
  seen = new Set<Shape.Shape>()
): ReadonlyArray<Shape.Shape> => {
  const found = Shape.resolved(shape, context.shapeOf)
  if (seen.has(found)) return []
  if (found._tag !== "Union") return [found]
  seen.add(found)
  const members = found.members.filter(({ _tag }) => _tag !== "Null")
  return members.flatMap((member) => alternativesOf(member, context, seen))
}

/** The fields of an object; those of all alternatives together, of which each needs what all of them need. */
const fieldsOf = (shape: Shape.Shape, context: Codec.Context): ReadonlyArray<Shape.Field> => {
  const all = alternativesOf(shape, context)
  const objects = all.filter((one) => one._tag === "Struct")
  if (objects.length < all.length) return []
  const fields = Map.groupBy(
    objects.flatMap(({ fields }) => fields),
    ({ name }) => name
  )
  return [...fields.values()].flatMap((same) =>
    same
      .slice(0, 1)
      .map((field) => ({
        ...field,
        shape: Shape.union(same.map(({ shape }) => shape)),
        isRequired: same.length === all.length && same.every(({ isRequired }) => isRequired)
      }))
  )
}

/** Whether a form takes fields that are not described: where any are, or where it is not an object with fields. */
const takesOthers = (shape: Shape.Shape, context: Codec.Context): boolean =>
  alternativesOf(shape, context).some((one) => (one._tag === "Struct" ? one.open !== false : one._tag !== "Empty"))

/** A text, a list of them, or either, as files. */
const withFiles = (shape: Shape.Shape, context: Codec.Context, depth = 0): Shape.Shape => {
  const [own] = Shape.withoutNull(shape)
  const [whole] = Shape.withoutNull(Shape.resolved(own, context.shapeOf))
  const inner = (part: Shape.Shape) => withFiles(part, context, depth + 1)
  // what contains itself is JSON
  if (depth > 4) return shape
  if (whole._tag === "Array") return { ...whole, item: inner(whole.item) }
  if (whole._tag === "Union") return Shape.union(whole.members.map(inner))
  return whole._tag === "Text" ? { _tag: "Binary" } : shape
}

/** The fields of a form. */
const formFields = (payload: Form, context: Codec.Context): ReadonlyArray<Parameter> =>
  fieldsOf(payload.shape, context).map((field) => {
    const own = object(payload.encoding, field.name)
    const [type = ""] = (text(own, "contentType") ?? "").split(/[;,]/)
    const isFile = payload.kind === "multipart" && type !== "" && Media.isBytes(type)
    const shape = isFile ? withFiles(field.shape, context) : field.shape
    const style = text(own, "style")
    const known = style === "deepObject" || style === "spaceDelimited" || style === "pipeDelimited" ? style : undefined
    const isComma = (style === "form" || style === undefined) && own["explode"] === false
    const isReserved = own["allowReserved"] === true
    return { ...field, shape, pointer: payload.pointer, style: known ?? (isComma ? "form" : undefined), isReserved }
  })

/** The media types of parts: the document's, which a file can have itself, and JSON of objects (OpenAPI 3.1 §4.8.15.1). */
const partTypes = (all: ReadonlyArray<Parameter>, payload: Form, { requests, warn }: Codec.Sides) =>
  all.flatMap(({ name, shape }): ReadonlyArray<Layout.Layout> => {
    const own = object(payload.encoding, name)
    const given = text(own, "contentType")
    if (Object.keys(object(own, "headers")).length > 0) {
      warn("part-headers", payload.pointer, `${name} is sent without headers of its own`)
    }
    const parts = alternativesOf(shape, requests).flatMap((one) =>
      one._tag === "Array" ? alternativesOf(one.item, requests) : [one]
    )
    // a text beside objects is sent as it is
    const isJson = parts.every((part) => !TextCodec.isScalar(part, requests))
    const [essence = "", ...parameters] = (given ?? "").split(";")
    const isUsable =
      given !== undefined &&
      Media.isWritable({ kind: "text", type: essence, full: essence }) &&
      /^[!-+\--~ ]*$/.test(parameters.join(";"))
    if (isJson && given !== undefined && !/[/+]json *(?:[;,]|$)/i.test(given)) {
      warn("part-type", payload.pointer, `${name} is sent as JSON, not as ${given}`)
    }
    const type =
      isJson && !(isUsable && /[/+]json *(?:;|$)/i.test(given)) ? "application/json" : isUsable ? given : undefined
    return type === undefined ? [] : [`${Literal.key(name)}: ${Literal.text(type)}`]
  })

export const form = (payload: Form, sides: Codec.Sides): Codec.Written => {
  const { requests, warn } = sides
  const [name, type] = payload.kind === "form" ? ["Body.form", "Body.Form"] : ["Body.multipart", "Body.Multipart"]
  const all = formFields(payload, requests)
  const hasFiles = payload.kind === "multipart"
  const plain = hasFiles ? all.map((field) => ({ ...field, style: undefined, isReserved: false })) : all
  const isOpen = takesOthers(payload.shape, requests)
  if (Shape.canBe(payload.shape, ["Array"], requests.shapeOf))
    warn("form-names", payload.pointer, "a list has no names: the fields of the form are any that callers give")
  const { args, schema } = fields(plain, hasFiles ? "multipart" : "body", requests, { isOpen })
  const types = hasFiles ? partTypes(all, payload, sides) : []
  const more = types.length === 0 ? [] : [Layout.call("Body.partTypes", [Layout.object(types)])]
  return { type: Layout.generic(type, [schema]), code: Layout.call(name, [...args, ...more]) }
}
