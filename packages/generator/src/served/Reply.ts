import { isObject } from "../read/Json.ts"
import type { Response } from "./Api.ts"
import * as Digits from "./Digits.ts"
import * as Example from "./Example.ts"
import * as Media from "./Media.ts"
import type { Schema } from "./References.ts"
import type { Schemas } from "./Schemas.ts"
import type { Maker } from "./Values.ts"
import { type Made, type Variation, withExamples } from "./Variation.ts"

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** The value of the body. */
  readonly value: unknown
  readonly made: Made | undefined
}

/** The content that a request asks for, as the document names it. */
export const contentOf = ({ contents }: Response, accept: string): Media.Content | undefined => {
  const wanted = accept.split(",").map(Media.parse)
  const isUnlike = ({ type }: Media.Content) =>
    contents.filter((other) => other.type.essence === type.essence).length > 1 || type.parameters.size > 0
  const all = contents.filter((content) =>
    wanted.some(
      (range) =>
        (Media.has(range, content.type) &&
          // parameters tell contents apart, so they are asked for
          (!isUnlike(content) ||
            range.parameters.size === content.type.parameters.size ||
            range.essence.includes("*"))) ||
        Media.has(content.type, range)
    )
  )
  // one that is asked for itself comes before one that a range has
  return all.find(({ type }) => wanted.some(({ essence }) => essence === type.essence)) ?? all[0]
}

/** A media type of a range. */
const concrete = ({ key, kind, type }: Media.Content): string => {
  if (!type.essence.includes("*")) return key
  if (kind === "json") return "application/json"
  return kind === "text" ? "text/plain" : type.essence.startsWith("image/") ? "image/png" : "application/octet-stream"
}

/** Bytes that are no text in any encoding of Unicode. */
export const bytes = Uint8Array.from({ length: 256 }, (_, i) => 255 - i)

/** The schema of one item of a stream: of JSON in a line, or in the data of an event. */
const itemOf = (
  schemas: Schemas,
  { item, kind, schema }: Media.Content
): ((made: (schema: Schema) => unknown) => ReadonlyArray<unknown>) | undefined => {
  const { items, types } = schemas.whole([schema])
  const [first] = items
  const given = item ?? (types?.has("array") === true && first !== undefined ? first : schema)
  if (kind === "lines") return (made) => [made(given)]
  // an event as 3.2 describes it, or one for each kind
  const whole = schemas.whole([given])
  const alternatives = whole.choices.flatMap(({ parts }) => parts)
  const data = (alternatives.length > 0 ? alternatives : [given]).map((one) => {
    const { properties } = schemas.whole([one])
    const names = [...properties.keys()]
    if (names.length === 0 || !names.every((name) => ["data", "event", "id", "retry"].includes(name))) return undefined
    const [found] = properties.get("data") ?? []
    if (found === undefined) return undefined
    return isObject(found.node) && "contentSchema" in found.node ? schemas.child(found, "contentSchema") : found
  })
  const known = data.flatMap((one) => one ?? [])
  const own = known.length === data.length ? known : [given]
  if (own.some((one) => schemas.whole([one]).types?.has("string") === true)) return undefined
  return (made) => own.map(made)
}

export const make = (
  { schemas, values }: Maker,
  status: number,
  content: Media.Content | undefined,
  variation: Variation
): Reply => {
  if (content === undefined) {
    const location = status >= 300 && status < 400 ? "/elsewhere?a=1" : undefined
    return { status, headers: location === undefined ? {} : { location }, body: "", value: location, made: undefined }
  }
  const { examples, kind, schema } = content
  const headers = { "content-type": concrete(content) }
  const items = kind === "lines" || kind === "events" ? itemOf(schemas, content) : undefined
  if (items !== undefined) {
    const value = [true, false].flatMap((isFull) => items((one) => values(one, { ...variation, isFull }).value))
    const texts = value.map((one) => Digits.stringify(one))
    // RFC 7464
    const begin = content.type.essence.endsWith("json-seq") ? "\x1e" : ""
    const body = texts.map((one, i) => (kind === "lines" ? `${begin}${one}\n` : `id: ${i}\ndata: ${one}\n\n`)).join("")
    return { status, headers, body, value, made: undefined }
  }
  switch (kind) {
    case "json": {
      const made = values(schema, withExamples(variation, examples))
      return { status, headers, body: Digits.stringify(made.value), value: made.value, made }
    }
    case "text": {
      const isText = status < 400 && schemas.whole([schema]).types?.has("string") === true
      const made = isText ? values(schema, withExamples({ ...variation, letters: ": ü\n" }, examples)) : undefined
      const body = made === undefined ? (status < 400 ? "a text: ü\n" : "a text\n") : String(made.value)
      return { status, headers, body, value: body, made }
    }
    default: {
      // what a document calls a text has its form, such as base64, whatever the media type is
      const whole = schemas.whole([schema])
      const isText = status < 400 && whole.types?.has("string") === true && !Example.isBinary(whole)
      const made = isText ? values(schema, withExamples(variation, examples)) : undefined
      const body = made === undefined ? bytes : new TextEncoder().encode(String(made.value))
      return { status, headers, body, value: body, made }
    }
  }
}
