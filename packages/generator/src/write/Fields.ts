import * as Literal from "../model/Literal.ts"
import type { Parameter } from "../model/Parameter.ts"
import * as Shape from "../model/Shape.ts"
import type * as Codec from "./Codec.ts"
import * as Layout from "./Layout.ts"
import * as TextCodec from "./TextCodec.ts"

/** Where parameters are. */
type Place = "path" | "query" | "header" | "cookie" | "body" | "multipart"

const styleOf = ({ style }: Parameter, where: Place): TextCodec.Style => {
  if (style === "json") return where === "header" ? where : "content"
  if (style === "deepObject") return "deep"
  if (where === "body" || where === "multipart") return "json"
  if (where === "query" || where === "cookie") return spread(style) === "spread" ? "spread" : "flat"
  return style === "pairs" ? "pairs" : "simple"
}

/** The style of what is not a text under its own name, or several. */
const listed = ({ shape, style }: Parameter, where: Place, context: Codec.Context) => {
  // a cookie is one text, and what could end it is encoded
  if (where === "cookie") return style !== "json" && TextCodec.isScalar(shape, context) ? undefined : spread(style)
  if ((where !== "query" && where !== "body") || style === "json") return undefined
  // a query spreads an object over several parameters
  return where === "query" && Shape.canBe(shape, ["Struct", "Record", "Empty"], context.shapeOf) ? spread(style) : style
}

const spread = (style: Parameter["style"]) => (style === undefined || style === "json" ? "spread" : style)

/** Parameters of more parts are unsupported. */
const mostParts = 10_000

/** A struct of parameters or fields of a form, and the styles of its fields. `cookies` are a header. */
export const fields = (
  all: ReadonlyArray<Parameter>,
  where: Place,
  context: Codec.Context,
  { cookies = [], isOpen = false }: { readonly cookies?: ReadonlyArray<Parameter>; readonly isOpen?: boolean } = {}
) => {
  const hasFiles = where === "multipart"
  const budget = { left: mostParts }
  const styles: Array<Layout.Layout> = []
  const written = all.map((parameter) => {
    const { name, pointer } = parameter
    const style = listed(parameter, where, context)
    const code = style === undefined ? "" : `Style.${style}`
    if (parameter.isReserved === true) styles.push(`${Literal.key(name)}: Style.reserved(${code})`)
    else if (style !== undefined) styles.push(`${Literal.key(name)}: ${code}`)
    const options = { context, style: styleOf(parameter, where), hasFiles, pointer, budget }
    const isScalar = TextCodec.isScalar(parameter.shape, context)
    const separator = isScalar ? undefined : parameter.separator
    const isWild = where === "path" && isScalar && parameter.isReserved === true
    return separator === undefined && !isWild
      ? TextCodec.field(parameter, options)
      : TextCodec.parted(parameter, separator, { ...options, style: "flat" })
  })
  if (cookies.length > 0) {
    const { args, type } = fields(cookies, "cookie", context)
    const header = {
      name: "cookie",
      isRequired: cookies.some(({ isRequired }) => isRequired),
      comment: ["Left out by browsers, which send their own."]
    }
    const text = { type, encoded: "string | ReadonlyArray<string>", code: Layout.call("Wire.cookies", args) }
    written.push(TextCodec.keyed(header, text))
  }
  const struct = TextCodec.struct(written, isOpen ? TextCodec.othersOf(hasFiles) : undefined)
  return {
    type: struct.type,
    schema: Layout.generic("Schema.Codec", [struct.type, struct.encoded]),
    args: [struct.code, ...(styles.length === 0 ? [] : [Layout.object(styles)])]
  }
}
