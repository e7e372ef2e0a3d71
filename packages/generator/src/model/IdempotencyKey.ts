import { property, text } from "../read/Json.ts"
import type { Context } from "./Context.ts"
import type { Declared } from "./Parameter.ts"
import * as Pattern from "./Pattern.ts"

const keyName = /^(?:x-)?idempoten(?:cy|ce|t)[-_]?key$/i

/** The forms of the keys that the client makes, each with an example. */
const keys = { uuid: "1b4e28ba-2fa1-4d2b-883f-0016d3cca427", hex: "1b4e28ba2fa14d2b883f0016d3cca427" }
type KeyFormat = keyof typeof keys

/** The header of an idempotency key, in lower case, and the form of a key that the document allows. */
export interface IdempotencyKey {
  readonly header: string
  readonly format: KeyFormat
}

export const of = ({ method, warn }: Context, parameters: ReadonlyArray<Declared>): IdempotencyKey | undefined => {
  if (method === "get" || method === "head") return undefined
  const declared = parameters.find(({ parameter, where }) => where === "header" && keyName.test(parameter.name))
  if (declared === undefined) return undefined
  const second = parameters.find(({ parameter, where }) => where === "query" && keyName.test(parameter.name))
  if (second !== undefined) {
    const { name, pointer } = second.parameter
    warn("idempotency-key", pointer, `the client sends the key in ${declared.parameter.name}: leave ${name} out`)
  }
  const format = keyFormat(declared)
  if (format !== undefined) return { header: declared.parameter.name.toLowerCase(), format }
  warn("idempotency-key", declared.parameter.pointer, "the client makes no key of this form: only callers give it")
  return undefined
}

/** The form of a key that a document allows, if the client can make one. */
const keyFormat = ({ parameter: { shape }, schema }: Declared): KeyFormat | undefined => {
  const format = text(schema, "format")
  const pattern = text(schema, "pattern") ?? ""
  const [least, most] = [property(schema, "minLength"), property(schema, "maxLength")]
  // the name of a text has its form, but for one of known values
  const isText =
    shape._tag === "Text" ||
    (shape._tag === "Reference" && text(schema, "type") === "string" && property(schema, "enum") === undefined)
  if (!isText || !/^$|uuid|guid|string|key/i.test(format ?? "")) return undefined
  const formats = format === "uuid" ? (["uuid"] as const) : (["uuid", "hex"] as const)
  return formats.find((format) => {
    const { length } = keys[format]
    return length >= Number(least ?? 0) && length <= Number(most ?? length) && Pattern.isMatch(pattern, keys[format])
  })
}
