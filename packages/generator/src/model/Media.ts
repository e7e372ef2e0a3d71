import * as Predicate from "effect/Predicate"
import type { Document } from "../read/Document.ts"
import * as Keywords from "./Keywords.ts"
import { inside, type JsonObject, list, object, type Place, pointer, property, text } from "../read/Json.ts"
import { attempt, Unsupported } from "../read/Unsupported.ts"

/** How a content is written and read. */
export type Kind = "json" | "form" | "multipart" | "text" | "bytes" | "events" | "lines"

/** The schema of a content. */
interface Described {
  /** Whether it is one of text. */
  readonly isString: boolean
  /** Whether it is one of bytes. */
  readonly isBinary: boolean
  /** Whether it is a file, whatever its media type is. */
  readonly isFile: boolean
  /** Whether it is text that stands for bytes. */
  readonly isEncoded: boolean
}

/** One entry of `content`. */
export interface Media extends Place, Described {
  /** The media type in lower case, without parameters. */
  readonly type: string
  /** The same with its parameters: what is sent and asked for. */
  readonly full: string
  readonly kind: Kind
  readonly key: string
  readonly schema: Place
}

const isText = (type: string) =>
  /^(?:text|plain)\/|[/+](?:xml|yaml|x-yaml|javascript|graphql|sql|x-pem-file)$|^application\/(?:jwt|toml)$/.test(type)

const nothing: Described = { isString: false, isBinary: false, isFile: false, isEncoded: false }

/** The keywords of a schema, wherever it refers to. One that leads nowhere is unsupported where it is read. */
const describe = (document: Document, schema: Place, depth = 0): Described => {
  const keywords = attempt(() => Keywords.collect(document, [schema]))
  if (keywords instanceof Unsupported || depth > 4) return nothing
  const types = Keywords.typesOf(keywords).filter((type) => type !== "null")
  const isFile = keywords.nodes.some(Keywords.isFile)
  if (types.length === 0 && !isFile && keywords.alternatives.length > 0) {
    const all = keywords.alternatives
      .flatMap(({ parts }) => parts)
      .filter(({ node }) => !Keywords.isNullAlone(node))
      .map((part) => describe(document, part, depth + 1))
    return {
      isString: all.every(({ isString }) => isString),
      isBinary: all.some(({ isBinary }) => isBinary),
      isFile: all.every(({ isFile }) => isFile),
      isEncoded: all.every(({ isEncoded }) => isEncoded)
    }
  }
  return {
    isString:
      types.length > 0 ? types.every((type) => type === "string") : keywords.values?.every(Predicate.isString) === true,
    isBinary: isFile || Keywords.textOf(keywords, "format") === "byte",
    isFile,
    isEncoded: keywords.nodes.some((one) => Keywords.encodingOf(one) !== undefined)
  }
}

const kindOf = (type: string, parameters: string, { isBinary, isEncoded, isFile, isString }: Described): Kind => {
  if (type === "text/event-stream") return "events"
  if (
    /^application\/(?:(?:x-)?(?:jsonl|ndjson|jsonlines|stream\+json)|(?:.+\+)?json-seq)$/.test(type) ||
    /stream=/.test(parameters)
  )
    return isString ? (isBinary ? "bytes" : "text") : "lines"
  // what some frameworks say of a file
  if (/^(?:application|text)\/(?:.*\+)?(?:x-)?json$/.test(type)) return isFile && isString ? "bytes" : "json"
  // whose fields are not described
  if (type === "application/x-www-form-urlencoded") return isString ? "text" : "form"
  if (type.startsWith("multipart/")) return "multipart"
  if (type === "*/*" || type === "application/*") return isBinary ? "bytes" : isString ? "text" : "json"
  if (isBinary) return "bytes"
  // a text without a charset that is not of text would not survive
  return isText(type) || isEncoded ? "text" : "bytes"
}

/** Whether a media type is one of bytes, whatever a schema says. */
export const isBytes = (type: string): boolean => kindOf(type.trim().toLowerCase(), "", nothing) === "bytes"

/** JSON first, and plain JSON before its kinds; a patch that replaces fields before one that lists operations. */
const rank = ({ isBinary, isString, key, kind, type }: Media): number => {
  const kinds: ReadonlyArray<Kind> = ["json", "form", "multipart", "lines", "text", "bytes", "events"]
  // a bare text in JSON is seldom what a service sends where it also names text, or bytes
  if (kind === "json" && isString) return isBinary ? 65 : 55
  if (kind !== "json") return 10 * (1 + kinds.indexOf(kind))
  if (type === "application/json") return key.includes(";") ? 1 : 0
  if (type === "application/merge-patch+json") return 2
  return type === "application/json-patch+json" ? 5 : 3
}

/** The media types of the `content` of a body, a response or a parameter, best first. */
export const all = (document: Document, holder: Place): ReadonlyArray<Media> =>
  Object.keys(object(holder.node, "content"))
    .map((key): Media => {
      const place = inside(holder, "content", key)
      const [essence = "", ...parameters] = key.split(";")
      const type = essence.trim().toLowerCase()
      const isItem = property(place.node, "schema") === undefined && property(place.node, "itemSchema") !== undefined
      const schema = inside(place, isItem ? "itemSchema" : "schema")
      const described = describe(document, schema)
      // what every text has says nothing
      const told = parameters.filter((one) => !/^\s*charset\s*=\s*"?utf-?8"?\s*$/i.test(one))
      return {
        ...place,
        ...described,
        type,
        full: [type, ...told].join(";").trim(),
        kind: kindOf(type, parameters.join(";"), described),
        key,
        schema
      }
    })
    .toSorted((one, other) => rank(one) - rank(other))

/** The keywords of parts and of their alternatives at any depth, and of their items. */
function* eachOf(
  document: Document,
  parts: ReadonlyArray<Keywords.Part>,
  hasItems: boolean,
  seen = new Set<unknown>()
) {
  const all = [...parts]
  // grows while it is read
  for (const part of all) {
    if (seen.has(part.node)) continue
    seen.add(part.node)
    const keywords = Keywords.collect(document, [part])
    yield keywords
    all.push(...keywords.alternatives.flatMap(({ parts }) => parts))
    if (hasItems) all.push(...keywords.items, ...keywords.prefix)
  }
}

/** Whether a form has a field that can be a file, or a list of them. */
export const hasFile = (document: Document, { node, schema }: Media): boolean => {
  const seen = new Set<unknown>()
  const canBeFile = (parts: ReadonlyArray<Keywords.Part>, name?: string) => {
    const type = name === undefined ? undefined : text(object(object(node, "encoding"), name), "contentType")
    const areBytes = type !== undefined && isBytes(type.split(/[;,]/)[0] ?? "")
    return (
      !parts.some((part) => Keywords.isHidden(document, "request", part)) &&
      Array.from(eachOf(document, parts, true, seen)).some(
        (one) => one.nodes.some(Keywords.isFile) || (areBytes && Keywords.typesOf(one).includes("string"))
      )
    )
  }
  const found = attempt(() =>
    Array.from(eachOf(document, [schema], false)).some(
      ({ additional, properties }) =>
        (typeof additional === "object" && canBeFile(additional)) ||
        Array.from(properties).some(([name, parts]) => canBeFile(parts, name))
    )
  )
  return found === true
}

/** Where a parameter is; a whole query that is a form (3.2) is one whose fields are spread. */
export const place = (document: Document, parameter: JsonObject): string =>
  parameter["in"] === "querystring" && all(document, { node: parameter, pointer: "#" })[0]?.kind === "form"
    ? "query"
    : (text(parameter, "in") ?? "")

/** Whether the document says that bytes are sent as they are made, as Effect's documents do. */
export const isStream = ({ kind, node }: Media): boolean =>
  kind === "bytes" && text(property(node, "x-effect-stream"), "encoding") === "uint8array"

/** Whether a request can have a media type. */
export const isWritable = ({ full, kind, type }: Pick<Media, "full" | "kind" | "type">): boolean =>
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type) &&
  /^[ -~]*$/.test(full) &&
  (kind !== "multipart" || type === "multipart/form-data")

/** The media type itself, or one of a range that has it. */
export const concrete = ({ full, kind, type }: Media): string => {
  if (!type.includes("*")) return full
  if (kind === "json") return "application/json"
  if (kind === "multipart") return "multipart/form-data"
  if (kind === "text") return "text/plain"
  return type === "*/*" || type === "application/*" ? "application/octet-stream" : full
}

const ranges = new Map([
  ["audio/*", "mpeg mp4 ogg wav"],
  ["font/*", "woff2 woff ttf otf"],
  ["image/*", "png jpeg gif webp avif svg+xml"],
  ["video/*", "mp4 webm quicktime"]
])

/** The usual media types of a range of bytes: only a caller knows which one they have. */
export const each = (media: Media): ReadonlyArray<Media> =>
  (media.kind === "bytes" &&
    ranges
      .get(media.type)
      ?.split(" ")
      .map((name): Media => ({
        ...media,
        type: media.type.replace("*", name),
        full: media.full.replace("*", name)
      }))) || [media]

export const isAlike = (one: Media, other: Media): boolean =>
  JSON.stringify(one.schema.node) === JSON.stringify(other.schema.node)

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
      media.full === other.full ||
      (isAlike(media, other) &&
        !(media.kind === "bytes" && other.kind === "bytes") &&
        !(media.type.endsWith("patch+json") && other.type.endsWith("patch+json")))
    const isOther = media.kind === "text" && !media.type.startsWith("text/plain") && !media.isString
    if (found.length > 0 && (isOther || media.type.includes("*") || !isWritable(media) || found.some(isSame))) continue
    found.push(media)
    if (found.length > most) return found.slice(0, 1)
  }
  return found
}

/** The schema of an event's data, where a schema describes events as 3.2 does. */
const dataOf = (document: Document, item: Place): Place | undefined => {
  const event = document.follow(item)
  const fields = object(event.node, "properties")
  if (!Object.keys(fields).every((name) => ["data", "event", "id", "retry"].includes(name))) return undefined
  const data = inside(event, "properties", "data")
  if (data.node === undefined) return undefined
  return property(data.node, "contentSchema") === undefined ? data : inside(data, "contentSchema")
}

/**
 * The schema of one item of a stream: of JSON in a line, or in the data of an event. `undefined` if the data is text that
 * is not JSON.
 */
export const itemOf = (document: Document, media: Media): Place | undefined => {
  const isItem = property(media.node, "itemSchema") !== undefined
  const given = inside(media, isItem ? "itemSchema" : "schema")
  const whole = Keywords.collect(document, [given])
  const types = Keywords.typesOf(whole).filter((type) => type !== "null")
  const item = types.join() === "array" && !isItem ? (whole.items[0] ?? inside(given, "items")) : given
  if (media.kind === "lines") return item
  const event = document.follow(item)
  const data = ["oneOf", "anyOf"].flatMap((key) =>
    Array.from(list(event.node, key).keys(), (i) => dataOf(document, inside(event, key, i)))
  )
  const isText = (place: Place) => text(document.follow(place).node, "type") === "string"
  const known = data.filter(Predicate.isNotUndefined)
  // another event each; what the event itself is stays the meaning of its own pointer
  if (known.length > 0 && known.length === data.length)
    return known.some(isText)
      ? undefined
      : { node: { anyOf: known.map(({ node }) => node) }, pointer: pointer(event.pointer, "oneOf") }
  const only = dataOf(document, item) ?? item
  return isText(only) ? undefined : only
}
