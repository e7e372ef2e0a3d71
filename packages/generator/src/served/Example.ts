import { isObject, text } from "../read/Json.ts"
import type * as Judge from "./Judge.ts"
import * as Pattern from "./Pattern.ts"
import type { Schema } from "./References.ts"
import type { Schemas, Side } from "./Schemas.ts"
import type { Variation } from "./Variation.ts"
import type { Whole } from "./Whole.ts"

/** Bytes that are no text, and not the same at two positions. */
export const bytesOf = (position: number) => Uint8Array.of(0, 127, 128, 195, 40, 254, 255, position % 256)

/** Whether a text stands for bytes. */
export const isBinary = ({ nodes }: Whole): boolean =>
  nodes.some(({ node }) => {
    const type = text(node, "contentMediaType")
    const isPlain = ["binary", "7bit", "8bit", undefined].includes(text(node, "contentEncoding"))
    return (
      [node["format"], node["contentEncoding"]].includes("binary") ||
      (type !== undefined && !/^text\/|json$/.test(type) && isPlain)
    )
  })

/** The first field of a form that is a file, a list of them, or can be one. */
export const fileOf = (schemas: Schemas, form: Schema, side: Side): string | undefined => {
  const seen = new Set<string>()
  const isFile = (part: Schema): boolean => {
    if (seen.has(part.pointer)) return false
    seen.add(part.pointer)
    const whole = schemas.whole([part])
    const inner = [...whole.items, ...whole.prefix.flat(), ...whole.choices.flatMap(({ parts }) => parts)]
    return isBinary(whole) || inner.some(isFile)
  }
  for (const { additional, properties } of schemas.variants([form]))
    for (const [name, parts] of [...properties, ["*", additional] as const])
      if (!schemas.isHidden(parts, side) && parts.some(isFile)) return name
  return undefined
}

/** Makes values of the examples of a document. */
export const make = (schemas: Schemas, judges: Judge.Judges) => {
  /** The schemas of a field, in any alternative that takes the value. */
  const inField = (
    parts: ReadonlyArray<Schema>,
    name: string,
    takes: (part: Schema) => boolean,
    seen = new Set<string>()
  ): ReadonlyArray<Schema> => {
    const { additional, choices, patterns, properties } = schemas.whole(parts)
    const own = [
      ...(properties.get(name) ?? []),
      ...patterns.flatMap(([pattern, part]) => (Pattern.isMatch(pattern, name) ? [part] : [])),
      ...choices
        .flatMap(({ parts }) => parts)
        // what extends a base has the alternatives of it
        .filter((part) => !seen.has(part.pointer) && seen.add(part.pointer) && takes(part))
        .flatMap((part) => inField([part], name, takes, seen))
    ]
    return own.length > 0 ? own : additional.filter(({ node }) => node !== false)
  }
  /**
   * An example without the fields that no schema describes, or that the other side has; `undefined` if it is no object where
   * fields are described without a type.
   */
  return function described(parts: ReadonlyArray<Schema>, value: unknown, use: Variation): unknown {
    const { choices, items, prefix, required, types } = schemas.whole(parts)
    if (Array.isArray(value)) {
      const others = choices.flatMap(({ parts }) => parts.flatMap((part) => schemas.whole([part]).items))
      const found = value.map((item: unknown, i) => described(prefix[i] ?? [...items, ...others], item, use))
      return found.includes(undefined) ? undefined : found
    }
    if (typeof value === "string" && use.hasBytes === true && isBinary(schemas.whole(parts))) return bytesOf(0)
    if (schemas.variants(parts).every(({ properties }) => properties.size === 0)) return value
    if (!isObject(value)) return types === undefined && choices.length === 0 ? undefined : value
    const fits = judges[use.side]
    const takes = (part: Schema) => fits(part, value) === undefined
    const fields = Object.entries(value).flatMap(([name, field]) => {
      const own = inField(parts, name, takes)
      const isOther = own.length === 0 ? !required.has(name) : schemas.isHidden(own, use.side)
      return isOther || name in Object.prototype ? [] : [[name, described(own, field, use)]]
    })
    return fields.some(([, field]) => field === undefined) ? undefined : Object.fromEntries(fields)
  }
}
