import * as Predicate from "effect/Predicate"
import { type JsonObject, object, property, text } from "../read/Json.ts"
import * as Example from "./Example.ts"
import type { Schema } from "./References.ts"
import { isNullOnly, type Schemas } from "./Schemas.ts"

/** How a content is written and read. */
export type Kind = "json" | "form" | "multipart" | "text" | "bytes" | "events" | "lines"

/** A media type, or a range of them. */
export interface MediaType {
  /** Type and subtype, in lower case. */
  readonly essence: string
  /** Its parameters, in lower case, but those that only describe how the bytes are written. */
  readonly parameters: ReadonlyMap<string, string>
}

export interface Content {
  readonly key: string
  readonly type: MediaType
  readonly kind: Kind
  readonly node: JsonObject
  readonly schema: Schema
  readonly item: Schema | undefined
  readonly examples: ReadonlyArray<unknown>
}

/** Reads a media type, or a range of an `Accept` header. */
export const parse = (given: string): MediaType => {
  const [essence = "", ...rest] = given.toLowerCase().split(";")
  const parameters = rest.flatMap((part): ReadonlyArray<readonly [string, string]> => {
    const [name = "", value = ""] = part.trim().split("=", 2)
    const isOther = name === "" || name === "q" || name === "charset" || name === "boundary"
    return isOther ? [] : [[name, value.replaceAll('"', "")]]
  })
  return { essence: essence.trim(), parameters: new Map(parameters) }
}

const hasText = (range: string, text: string): boolean => {
  if (range === "*/*" || range === text) return true
  const [before = "", after] = range.split("*")
  if (after === undefined || !text.startsWith(before)) return false
  // a suffix also has what it is named after: application/*+json takes application/json
  return text.endsWith(after) || after === `+${text.slice(before.length)}`
}

/** Whether a range has a media type: with all parameters that the range names. */
export const has = (range: MediaType, type: MediaType): boolean =>
  hasText(range.essence, type.essence) &&
  [...range.parameters].every(([name, value]) => type.parameters.get(name) === value)

const texts = /^text\/|[/+](?:xml|yaml|x-yaml|javascript|graphql|sql|x-pem-file)$|^application\/(?:jwt|toml)$/

/** Whether all values of a schema are texts, or all are null. */
const isString = (schemas: Schemas, schema: Schema, depth = 0): boolean => {
  const { choices, types } = schemas.whole([schema])
  if (types !== undefined) return [...types].every((type) => type === "string" || type === "null")
  return (
    depth < 8 &&
    choices.some(({ parts }) => parts.every((part) => isNullOnly(part) || isString(schemas, part, depth + 1)))
  )
}

const isBinary = (schemas: Schemas, schema: Schema): boolean =>
  schemas
    .variants([schema])
    .some(({ nodes }) => nodes.some(({ node }) => ["binary", "byte"].includes(text(node, "format") ?? "")))

/** Whether a content is any text but that of a page, which gateways send too. */
export const isText = (schemas: Schemas, { schema, type }: Content): boolean =>
  type.essence !== "text/html" && isString(schemas, schema)

/** Whether a media type is one of bytes, whatever a schema says. */
export const isBytes = ({ essence }: MediaType): boolean =>
  !/^multipart\/|json$|event-stream$|form-urlencoded$|\*/.test(essence) && !texts.test(essence)

const kindOf = (type: MediaType, schemas: Schemas, schema: Schema): Kind => {
  const { essence, parameters } = type
  if (essence === "text/event-stream") return "events"
  if (
    /^application\/(?:x-)?(?:jsonl|ndjson|jsonlines|stream\+json)$|json-seq$/.test(essence) ||
    parameters.has("stream")
  )
    return isString(schemas, schema) ? (isBinary(schemas, schema) ? "bytes" : "text") : "lines"
  if (/^(?:application|text)\/(?:.*\+)?(?:x-)?json$/.test(essence))
    return Example.isBinary(schemas.whole([schema])) && isString(schemas, schema) ? "bytes" : "json"
  if (essence === "application/x-www-form-urlencoded") return isString(schemas, schema) ? "text" : "form"
  if (essence.startsWith("multipart/")) return "multipart"
  if (isBinary(schemas, schema)) return "bytes"
  if (essence === "*/*" || essence === "application/*") return isString(schemas, schema) ? "text" : "json"
  // a text stands for the bytes
  const isEncoded = schemas
    .whole([schema])
    .nodes.some(({ node }) => /^(?:base\d+|quoted-printable)$/i.test(text(node, "contentEncoding") ?? ""))
  return isBytes(type) && !isEncoded ? "bytes" : "text"
}

/** The values that a document has as examples beside a schema. */
export const examples = (schemas: Schemas, place: Schema): ReadonlyArray<unknown> => {
  const named = Object.keys(object(place.node, "examples")).map((name) => schemas.child(place, "examples", name))
  return [property(place.node, "example"), ...named.map((one) => property(schemas.reach(one)?.node, "value"))].filter(
    Predicate.isNotUndefined
  )
}

/** The contents of a body, a response or a parameter. */
export const all = (schemas: Schemas, holder: Schema): ReadonlyArray<Content> =>
  Object.entries(object(holder.node, "content")).map(([key]) => {
    const place = schemas.follow(schemas.child(holder, "content", key))
    const type = parse(key)
    const node = object(place, "node")
    const schema = schemas.child(place, "schema" in node || !("itemSchema" in node) ? "schema" : "itemSchema")
    const item = "itemSchema" in node ? schemas.child(place, "itemSchema") : undefined
    return { key, type, kind: kindOf(type, schemas, schema), node, schema, item, examples: examples(schemas, place) }
  })

/** The content of those that have a media type: with the most parameters, and the type itself before a range. */
export const find = (contents: ReadonlyArray<Content>, given: string): Content | undefined => {
  const type = parse(given)
  const rank = (content: Content) => content.type.parameters.size * 2 + (content.key.includes("*") ? 0 : 1)
  return contents.filter((content) => has(content.type, type)).toSorted((a, b) => rank(b) - rank(a))[0]
}
