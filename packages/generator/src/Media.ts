import * as Predicate from "effect/Predicate"
import type { Document, Located } from "./Document.ts"
import { isObject, type JsonObject, list, object, pointer, property, text } from "./Json.ts"

/** How a content is written and read. */
export type Kind = "json" | "form" | "multipart" | "text" | "bytes" | "events" | "lines"

/** One entry of `content`. */
export interface Media {
  /** The media type in lower case, without parameters. */
  readonly type: string
  readonly kind: Kind
  readonly node: unknown
  /** Its key in the document. */
  readonly key: string
}

const isText = (type: string) =>
  /^text\/|[/+](?:xml|yaml|x-yaml|javascript|graphql|sql|x-pem-file)$|^application\/(?:jwt|toml)$/.test(type)

const schemaOf = (node: unknown) => (isObject(node) ? (node["schema"] ?? node["itemSchema"]) : undefined)

const kindOf = (type: string, parameters: string, schema: unknown): Kind => {
  const isString = text(schema, "type") === "string"
  const isBinary = ["binary", "byte"].includes(text(schema, "format") ?? "")
  if (type === "text/event-stream") return "events"
  if (/^application\/(?:x-)?(?:jsonl|ndjson|jsonlines|stream\+json)$/.test(type) || /stream=/.test(parameters))
    return isString ? (isBinary ? "bytes" : "text") : "lines"
  if (/^(?:application|text)\/(?:.*\+)?(?:x-)?json$/.test(type)) return "json"
  // whose fields are not described
  if (type === "application/x-www-form-urlencoded") return isString ? "text" : "form"
  if (type.startsWith("multipart/")) return "multipart"
  if (type === "*/*" || type === "application/*") return isBinary ? "bytes" : isString ? "text" : "json"
  if (isBinary) return "bytes"
  return isText(type) || isString ? "text" : "bytes"
}

/** JSON first, and plain JSON before its kinds; a patch that replaces fields before one that lists operations. */
const rank = ({ key, kind, node, type }: Media): number => {
  const kinds: ReadonlyArray<Kind> = ["json", "form", "multipart", "lines", "text", "bytes", "events"]
  // a bare text in JSON is seldom what a service sends where it also names text
  if (kind === "json" && text(schemaOf(node), "type") === "string") return 55
  if (kind !== "json") return 10 * (1 + kinds.indexOf(kind))
  if (type === "application/json") return key.includes(";") ? 1 : 0
  if (type === "application/merge-patch+json") return 2
  return type === "application/json-patch+json" ? 5 : 3
}

/** The media types of a `content`, best first. */
export const all = (content: unknown): ReadonlyArray<Media> =>
  isObject(content)
    ? Object.entries(content)
        .map(([key, node]): Media => {
          const [essence = "", ...parameters] = key.split(";")
          const type = essence.trim().toLowerCase()
          return { type, kind: kindOf(type, parameters.join(";"), schemaOf(node)), node, key }
        })
        .toSorted((one, other) => rank(one) - rank(other))
    : []

/** Where a parameter is; a whole query that is a form (3.2) is one whose fields are spread. */
export const place = (parameter: JsonObject): string =>
  parameter["in"] === "querystring" && all(parameter["content"])[0]?.kind === "form"
    ? "query"
    : (text(parameter, "in") ?? "")

/** Whether the document says that bytes are sent as they are made, as Effect's documents do. */
export const isStream = ({ kind, node }: Media): boolean =>
  kind === "bytes" && text(property(node, "x-effect-stream"), "encoding") === "uint8array"

/** Whether a request can have a media type. */
export const isWritable = ({ kind, type }: Pick<Media, "kind" | "type">): boolean =>
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type) && (kind !== "multipart" || type === "multipart/form-data")

/** How many media types a request can have. If there are more, only the best is sent. */
const most = 8

/**
 * The best media type, and those that say something else: another schema, other bytes, or another kind of patch. Text
 * beside JSON of the same, such as XML, is left out.
 */
export const distinct = (all: ReadonlyArray<Media>): ReadonlyArray<Media> => {
  const found: Array<Media> = []
  for (const media of all) {
    const isSame = (other: Media) =>
      media.type === other.type ||
      (JSON.stringify(schemaOf(media.node)) === JSON.stringify(schemaOf(other.node)) &&
        !(media.kind === "bytes" && other.kind === "bytes") &&
        !(media.type.endsWith("patch+json") && other.type.endsWith("patch+json")))
    const isOther =
      media.kind === "text" && !media.type.startsWith("text/plain") && text(schemaOf(media.node), "type") !== "string"
    if (found.length > 0 && (isOther || media.type.includes("*") || !isWritable(media) || found.some(isSame))) continue
    found.push(media)
  }
  return found.length > most ? found.slice(0, 1) : found
}

/** The schema of a content. */
export const schema = ({ node }: Media): unknown => schemaOf(node)

/** What the data of an event holds, where a schema describes events as 3.2 does. */
const dataOf = (document: Document, item: Located): Located | undefined => {
  const event = document.follow(item.value, item.pointer)
  const fields = object(event.value, "properties")
  const data = property(fields, "data")
  if (data === undefined || !Object.keys(fields).every((name) => ["data", "event", "id", "retry"].includes(name)))
    return undefined
  const place = pointer(event.pointer, "properties", "data")
  const content = property(data, "contentSchema")
  return content === undefined
    ? { value: data, pointer: place }
    : { value: content, pointer: pointer(place, "contentSchema") }
}

/**
 * The schema of one item of a stream: of JSON in a line, or in the data of an event. `undefined` if the data is text that
 * is not JSON.
 */
export const itemOf = (document: Document, { kind, node }: Media, at: string): Located | undefined => {
  const key = property(node, "itemSchema") === undefined ? "schema" : "itemSchema"
  let item: Located = { value: property(node, key), pointer: pointer(at, key) }
  const whole = document.follow(item.value, item.pointer)
  if (text(whole.value, "type") === "array" && key === "schema") {
    item = { value: property(whole.value, "items"), pointer: pointer(whole.pointer, "items") }
  }
  if (kind === "lines") return item
  const event = document.follow(item.value, item.pointer)
  const data = ["oneOf", "anyOf"].flatMap((key) =>
    list(event.value, key).map((value, i) => dataOf(document, { value, pointer: pointer(event.pointer, key, i) }))
  )
  const isText = ({ pointer: place, value }: Located) => text(document.follow(value, place).value, "type") === "string"
  const known = data.filter(Predicate.isNotUndefined)
  // another event each; what the event itself is stays the meaning of its own pointer
  if (known.length > 0 && known.length === data.length)
    return known.some(isText)
      ? undefined
      : { value: { anyOf: known.map(({ value }) => value) }, pointer: pointer(event.pointer, "oneOf") }
  const only = dataOf(document, item) ?? item
  return isText(only) ? undefined : only
}
