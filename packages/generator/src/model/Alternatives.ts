/** The alternatives of a schema: those of `oneOf` and `anyOf`, and the heirs that a discriminator names. */
import type { Document } from "../read/Document.ts"
import { isObject, type JsonObject, keysOf, object, text } from "../read/Json.ts"
import type { Warn } from "../read/Unsupported.ts"
import * as Discriminator from "./Discriminator.ts"
import * as Keywords from "./Keywords.ts"
import { collect, isAnnotation, type Part, type Side } from "./Keywords.ts"
import * as Names from "./Names.ts"
import type * as Shape from "./Shape.ts"

/** Where alternatives are read. */
export interface Context {
  readonly document: Document
  readonly side: Side
  readonly warn: Warn
  /** Nodes that no document has, by their JSON: what says the same is the same part. */
  readonly made: Map<string, JsonObject>
}

/** Alternatives, each as its parts with all that the schema says beside them. */
export interface Alternatives extends Shape.Kind {
  readonly all: ReadonlyArray<ReadonlyArray<Part>>
}

type Group = Pick<Keywords.Alternatives, "discriminator">

/** More alternatives than these are any JSON: their number multiplies. */
const most = 200

/** The alternatives of a schema; `undefined` if there are none. */
export const of = (
  context: Context,
  keywords: Keywords.Keywords,
  parts: ReadonlyArray<Part>
): Alternatives | "too many" | undefined => {
  const { side, warn } = context
  const at = parts[0]?.pointer ?? "#"
  const groups = keywords.alternatives.filter((group) => {
    if (!group.parts.every(Keywords.isConstraint)) return true
    if (side === "request") warn("any-of-required", at, "which fields must be there together is not checked")
    return false
  })
  if (groups.length === 0) return keywords.alternatives.length === 0 ? ofHeirs(context, keywords, parts) : undefined
  let all: ReadonlyArray<ReadonlyArray<Part>> = [isFree(keywords) ? [] : parts.map(bare)]
  for (const group of groups) {
    if (all.length * group.parts.length > most) {
      warn("alternatives", at, "there are too many alternatives: any JSON")
      return "too many"
    }
    all = all.flatMap((chosen) => group.parts.map((one) => [...chosen, ...tagged(context, group, one)]))
  }
  return { all, ...(groups.some(({ isAny }) => isAny) && { isAny: true }), ...toldBy(side, groups) }
}

const bare = (part: Part): Part => ({ ...part, isBare: true })

/** Which fields tell alternatives apart: services add others to those. */
const toldBy = (side: Side, groups: ReadonlyArray<Group>): Shape.Kind => {
  const discriminators = groups.flatMap(({ discriminator }) => text(discriminator, "propertyName") ?? [])
  return side === "response" && discriminators.length > 0 ? { discriminators } : {}
}

/** Whether a schema constrains nothing beside its alternatives. */
const isFree = ({ nodes }: Keywords.Keywords) =>
  nodes.every(
    ({ node }) => isAnnotation(node, ["oneOf", "anyOf", "type", "format", "allOf"]) || Object.keys(node).length === 0
  )

const made = ({ made }: Context, node: JsonObject): JsonObject => {
  const key = JSON.stringify(node)
  const found = made.get(key) ?? node
  made.set(key, found)
  return found
}

/** The values that name a schema in a discriminator, or else in one of the same field that the schema has or extends. */
const valuesOf = (discriminator: unknown, reference: string, { nodes }: Keywords.Keywords): ReadonlyArray<string> => {
  const own = Discriminator.valuesOf(discriminator, reference)
  const name = text(discriminator, "propertyName")
  const others = nodes.filter(({ node }) => text(node["discriminator"], "propertyName") === name)
  return own.length > 0 ? own : others.flatMap(({ node }) => Discriminator.valuesOf(node["discriminator"], reference))
}

/** An alternative with the value of its discriminator, which it does not name itself. */
const tagged = (context: Context, { discriminator }: Group, part: Part): ReadonlyArray<Part> => {
  const { document, side } = context
  const name = text(discriminator, "propertyName")
  const reference = text(part.node, "$ref")
  // of one for all other values, the tag can be any
  if (name === undefined || reference === undefined || Discriminator.defaultOf(discriminator) === reference)
    return [part]
  const keywords = collect(document, [part])
  const { properties, required } = keywords
  const mapped = valuesOf(discriminator, reference, keywords)
  const declared = properties.get(name) ?? []
  const { types, values: own } = collect(document, declared)
  if (own?.length === 1 && !declared.some((place) => Keywords.isHidden(document, side, place))) return [part]
  // without a mapping, its name is its value
  const names = mapped.length > 0 ? mapped : keysOf(reference).slice(-1)
  const values = (own ?? mapped.map(Discriminator.tagOf(types))).filter((value) => names.includes(String(value)))
  // OpenAPI 3.1 §4.8.25.4; a request can have any, since a discriminator validates nothing
  const isNamed = side === "response" && declared.length > 0 && types?.has("string") !== false
  const implicit = isNamed ? names : []
  const kept = values.length > 0 ? values : (own ?? implicit)
  // a name that no schema declares: services send it or not
  if (kept.length === 0 && declared.length > 0) return [part]
  // services leave out what a document lets them; without it, a value is the alternative for all others, if there is one
  const isRequired = required.has(name) || Discriminator.defaultOf(discriminator) !== undefined
  const tag = made(context, {
    type: "object",
    properties: Object.fromEntries([[name, kept.length === 0 ? { type: "string" } : { enum: kept }]]),
    required: declared.length > 0 && isRequired ? [name] : []
  })
  return [part, { node: tag, pointer: part.pointer, isClosed: true }]
}

/** Whether a schema that only refers to another is one of its heirs, which says nothing more. */
export const isHeir = (document: Document, { node, pointer: at }: Part, base: string): boolean => {
  if (text(node, "$ref") !== undefined || !Names.isOfDocument(at)) return false
  const { alternatives, nodes } = collect(document, [{ node: { $ref: base }, pointer: at }])
  const isNamed = ({ node: { discriminator } }: (typeof nodes)[number]) =>
    isObject(discriminator) &&
    (Discriminator.valuesOf(discriminator, at).length > 0 || Object.keys(object(discriminator, "mapping")).length === 0)
  return alternatives.length === 0 && nodes.some(isNamed)
}

/** A schema whose discriminator names those that extend it is any of them. */
const ofHeirs = (
  context: Context,
  keywords: Keywords.Keywords,
  parts: ReadonlyArray<Part>
): Alternatives | undefined => {
  const { document, side } = context
  const heirs = Discriminator.heirsOf(document, keywords, parts, context.warn)
  if (heirs === undefined) return undefined
  const { children, discriminator, first, isMapped } = heirs
  const isWhole = parts[0]?.node === first.node
  const name = text(discriminator, "propertyName")
  const tags = new Set<unknown>()
  const all = children.map((to) => {
    const node = made(context, { $ref: to })
    const { alternatives, nodes } = collect(document, [{ node, pointer: to }])
    const isExtending = nodes.some(({ node }) => node === first.node)
    const [child, tag] = tagged(context, { discriminator }, { node, pointer: to })
    // of two with one tag, only the pointer tells which it is
    const isTold = tag !== undefined && !tags.has(tag.node)
    tags.add(tag?.node)
    const told = [{ node, ...child, pointer: isExtending && isTold ? first.pointer : to }, ...(tag ? [tag] : [])]
    // it can have alternatives of its own
    const isBare =
      (to === first.pointer && told.length === 1) ||
      (alternatives.length === 0 &&
        nodes.every(({ node }) => [undefined, name].includes(text(node["discriminator"], "propertyName"))))
    return [...(isExtending && isWhole ? [] : parts.map(bare)), ...told.map((part) => ({ ...part, isBare }))]
  })
  const base = { node: made(context, { $ref: first.pointer }), pointer: first.pointer }
  // what it extends can name it, too
  const named = valuesOf(discriminator, first.pointer, keywords).length > 0 && !children.includes(first.pointer)
  // which heir a known value is for is not said: it can be for the base alone, as any value of a request can
  const values = collect(document, keywords.properties.get(name ?? "") ?? []).values
  const isOwn = named || (!isMapped && (side === "request" || values !== undefined))
  const told = named ? tagged(context, { discriminator }, base) : [base]
  const own = isOwn ? [[...(isWhole ? [] : parts), ...told].map(bare)] : []
  return { all: [...all, ...own], ...toldBy(side, [{ discriminator }]) }
}
