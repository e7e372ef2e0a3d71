import * as Predicate from "effect/Predicate"
import type { Document } from "../read/Document.ts"
import { unsupported } from "../read/Unsupported.ts"
import { inside, isObject, type JsonObject, list, object, type Place, pointer, text } from "../read/Json.ts"

/** Which way a value goes. */
export type Side = "response" | "request"

/** A schema of the document, as one part of a whole. */
export interface Part extends Place {
  /** Its alternatives are chosen already. */
  readonly isBare?: boolean
  /** Its values tell alternatives apart, so no other value is taken. */
  readonly isClosed?: boolean
}

/** The alternatives of one `oneOf` or `anyOf`. */
export interface Alternatives {
  readonly parts: ReadonlyArray<Part>
  /** Whether a value can be several of them at once. */
  readonly isAny: boolean
  readonly discriminator: unknown
}

/** The keywords of all parts of a schema together: those of `allOf` at any depth, and of the schemas that they refer to. */
export interface Keywords {
  readonly nodes: ReadonlyArray<{ readonly node: JsonObject; readonly pointer: string; readonly isClosed: boolean }>
  readonly properties: ReadonlyMap<string, ReadonlyArray<Part>>
  readonly required: ReadonlySet<string>
  /** `undefined`: not said, or forbidden where there are properties. */
  readonly additional: ReadonlyArray<Part> | "any" | "none" | undefined
  /** Whether fields that no pattern takes can be anything. */
  readonly isOpen: boolean
  readonly items: ReadonlyArray<Part>
  readonly prefix: ReadonlyArray<Part>
  readonly types: ReadonlySet<string> | undefined
  readonly values: ReadonlyArray<unknown> | undefined
  readonly isClosed: boolean
  readonly isNull: boolean
  readonly isNever: boolean
  readonly alternatives: ReadonlyArray<Alternatives>
}

/** A schema of more parts than these is unsupported. */
const mostNodes = 10_000

/** Keywords that say nothing of which values fit. */
const annotations = new Set(
  (
    "$anchor $dynamicAnchor $recursiveAnchor $comment $id $ref $schema $defs default definitions deprecated description discriminator example examples " +
    "externalDocs nullable readOnly summary title writeOnly xml"
  ).split(" ")
)

/** Whether a node says nothing of which values fit, apart from the keywords given. */
export const isAnnotation = (node: JsonObject, except: ReadonlyArray<string> = []): boolean =>
  Object.keys(node).every((key) => annotations.has(key) || key.startsWith("x-") || except.includes(key))

/** The types that a node names; null without quotes is null itself in YAML. */
const namedTypes = (node: JsonObject): ReadonlyArray<string> => {
  const { type } = node
  if (Predicate.isString(type)) return [type]
  return (Array.isArray(type) ? type : [type])
    .map((one: unknown) => (one === null ? "null" : one))
    .filter(Predicate.isString)
}

/** How a text stands for bytes; `undefined`: as they are (RFC 2045 §6.2). */
export const encodingOf = ({ node }: { readonly node: JsonObject }): string | undefined => {
  const encoding = text(node, "contentEncoding")?.toLowerCase()
  return encoding === "binary" || encoding === "7bit" || encoding === "8bit" ? undefined : encoding
}

/** Whether a text stands for bytes, as 3.0 or 3.1 says it. */
export const isFile = ({ node }: { readonly node: JsonObject }): boolean => {
  const type = text(node, "contentMediaType")
  const isBytes = type !== undefined && !/^text\/|json$/.test(type) && encodingOf({ node }) === undefined
  return node["format"] === "binary" || node["contentEncoding"] === "binary" || isBytes
}

/** The values that a node names. */
const valuesOf = (node: JsonObject): ReadonlyArray<unknown> => ("const" in node ? [node["const"]] : list(node, "enum"))

/** Whether a node itself takes null, in any of the forms of 3.0 and 3.1. */
export const takesNull = (node: JsonObject): boolean =>
  node["nullable"] === true ||
  node["x-nullable"] === true ||
  namedTypes(node).includes("null") ||
  valuesOf(node).includes(null)

/** Whether a pattern of names takes all of them. */
const takesAll = (pattern: string): boolean => /^(?:\^?\.[*+]\$?)?$/.test(pattern)

/** Whether a node takes some values but not null. */
const rejectsNull = (node: JsonObject): boolean =>
  !takesNull(node) && namedTypes(node).length + valuesOf(node).length > 0

const meet = (one: ReadonlySet<string> | undefined, other: ReadonlyArray<string>): ReadonlySet<string> => {
  if (one === undefined) return new Set(other)
  const both = other.filter((type) => one.has(type) || (type === "integer" && one.has("number")))
  if (other.includes("number") && one.has("integer")) both.push("integer")
  return new Set(both)
}

/** Whether null is the only type of a node. */
export const isNull = (node: unknown): boolean => isObject(node) && namedTypes(node).join() === "null"

/** Whether a node says only that null fits. */
export const isNullAlone = (node: unknown): boolean => isObject(node) && isNull(node) && isAnnotation(node, ["type"])

/** Whether null is the type beside alternatives. */
const isNullBeside = (node: JsonObject): boolean =>
  isNull(node) && ["oneOf", "anyOf"].some((key) => list(node, key).length > 0)

/** Whether the type of a node contradicts what it refers to; OpenAPI 3.0 has it ignored beside a reference. */
const isOverruled = (document: Document, node: JsonObject, at: string): boolean => {
  const reference = text(node, "$ref")
  const target = reference === undefined ? undefined : document.at(reference, at)
  const types = isObject(target) ? namedTypes(target) : []
  return types.length > 0 && meet(new Set(types), namedTypes(node)).size === 0
}

const limits = new Set(
  (
    "contentEncoding contentMediaType exclusiveMaximum exclusiveMinimum format maxItems maxLength maximum minItems minLength " +
    "minimum multipleOf pattern"
  ).split(" ")
)

/** A node without what limits the values of one type. */
const unlimited = (node: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(node).filter(([key]) => !limits.has(key)))

/** Whether only lists or objects fit. */
const isComposite = (types: ReadonlySet<string> | undefined) =>
  types !== undefined &&
  ["array", "object"].some((type) => types.has(type)) &&
  types.size === (types.has("null") ? 2 : 1)

const known = new WeakMap<ReadonlyArray<unknown>, ReadonlySet<unknown>>()

/** The targets of a list of alternatives, read once: each of many can extend the base that lists them. */
const targetsOf = (document: Document, all: ReadonlyArray<unknown>, at: string): ReadonlySet<unknown> => {
  const found = known.get(all) ?? new Set(all.map((node) => document.follow({ node, pointer: at }).node))
  known.set(all, found)
  return found
}

/** Collects what parts say. Each node counts once, so the work is linear however often it is referred to. */
export const collect = (document: Document, given: ReadonlyArray<Part>, seen = new Set<unknown>()): Keywords => {
  const nodes: Array<Keywords["nodes"][number]> = []
  const properties = new Map<string, Array<Part>>()
  const required = new Set<string>()
  const items: Array<Part> = []
  const prefix: Array<Part> = []
  const alternatives: Array<Alternatives> = []
  const additional: Array<Part> = []
  let any = false
  let isTold = false
  let none = false
  let types: ReadonlySet<string> | undefined
  let values: ReadonlyArray<unknown> | undefined
  let isNever = false
  let explicit = 0
  let rejecting = 0
  let isOuterNull = false
  const later: Array<Part> = []
  const pending: Array<Part & { readonly isOuter: boolean }> = given
    .map((part) => ({ ...part, isOuter: true }))
    .toReversed()
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const { isBare = false, isClosed = false, isOuter, node, pointer: at } = part
    if (node === false) isNever = true
    if (!isObject(node) || seen.has(node)) continue
    seen.add(node)
    if (seen.size > mostNodes) throw unsupported("schema", at, `has more than ${mostNodes} parts`)
    for (const key of ["then", "else"])
      if (isObject(node[key])) later.push({ node: node[key], pointer: pointer(at, key) })
    for (const [name, child] of Object.entries(object(node, "dependentSchemas")))
      later.push({ node: child, pointer: pointer(at, "dependentSchemas", name) })
    const reference = text(node, "$ref")
    // OpenAPI 3.0 has it ignored beside a reference
    const isIgnored = reference !== undefined && text(document.root, "openapi")?.startsWith("3.0") === true
    nodes.push({ node: isIgnored ? unlimited(node) : node, pointer: at, isClosed })
    if (takesNull(node)) {
      explicit++
      // a part that says nothing else is there to say it
      if (isOuter || isAnnotation(node)) isOuterNull = true
    } else if (rejectsNull(node)) rejecting++
    const inner: Array<Part & { readonly isOuter: boolean }> = []
    if (reference !== undefined) {
      inner.push({ node: document.at(reference, at), pointer: reference, isBare, isClosed, isOuter: false })
    }
    for (const [i, child] of list(node, "allOf").entries()) {
      inner.push({ node: child, pointer: pointer(at, "allOf", i), isBare, isClosed, isOuter: false })
    }
    for (const one of inner.toReversed()) pending.push(one)
    for (const [name, child] of Object.entries(object(node, "properties"))) {
      const one = { node: child, pointer: pointer(at, "properties", name), isClosed }
      const known = properties.get(name)
      if (known === undefined) properties.set(name, [one])
      else known.push(one)
    }
    for (const name of list(node, "required")) if (Predicate.isString(name)) required.add(name)
    const rest = node["additionalProperties"] ?? node["unevaluatedProperties"]
    const patterns = Object.entries(object(node, "patternProperties"))
    const isTyped = isObject(rest) && Object.keys(rest).length > 0
    if (isTyped) additional.push({ node: rest, pointer: pointer(at, "additionalProperties") })
    for (const [name, child] of patterns)
      additional.push({ node: child, pointer: pointer(at, "patternProperties", name) })
    if (isTyped || patterns.some(([pattern]) => takesAll(pattern))) isTold = true
    else if (rest !== false && (rest !== undefined || patterns.length > 0)) any = true
    if (rest === false && patterns.length === 0) none = true
    const item = node["items"] ?? node["unevaluatedItems"]
    if (isObject(item)) items.push({ node: item, pointer: pointer(at, "items") })
    const first = Array.isArray(item) ? item : list(node, "prefixItems")
    for (const [i, child] of first.entries()) prefix.push({ node: child, pointer: pointer(at, "prefixItems", i) })
    const own = namedTypes(node)
    // beside other parts or alternatives it can only mean "or null"
    if ((isNullAlone(node) && !isOuter) || isNullBeside(node)) isOuterNull = true
    else if (own.length > 0 && !isOverruled(document, node, at)) types = meet(types, own)
    const known = isIgnored ? [] : valuesOf(node)
    if (known.length > 0) values = values === undefined ? known : values.filter((value) => known.includes(value))
    if (isBare) continue
    for (const key of ["oneOf", "anyOf"]) {
      const all = list(node, key)
      if (all.length === 0) continue
      // a base that lists what extends it: this is one of those
      const targets = targetsOf(document, all, at)
      const [few, many] = seen.size < targets.size ? [seen, targets] : [targets, seen]
      const isChosen = Array.from(few).some(
        (value) =>
          value !== node &&
          many.has(value) &&
          collect(document, [{ node: value, pointer: at, isBare: true }]).nodes.some((one) => one.node === node)
      )
      if (isChosen) continue
      const parts = all.map((child, i) => ({ node: child, pointer: pointer(at, key, i) }))
      alternatives.push({ parts, isAny: key === "anyOf", discriminator: node["discriminator"] })
    }
  }
  // fields that only some values have
  const conditional = new Map<string, ReadonlyArray<Part>>()
  for (const part of later) {
    const found = collect(document, [part], seen)
    later.push(...found.alternatives.flatMap(({ parts }) => parts))
    for (const [name, parts] of found.properties)
      if (!properties.has(name)) conditional.set(name, [...(conditional.get(name) ?? []), ...parts])
  }
  for (const [name, parts] of conditional)
    for (const { pointer } of parts.slice(0, 1))
      properties.set(
        name,
        parts.length === 1 ? [...parts] : [{ node: { anyOf: parts.map(({ node }) => node) }, pointer }]
      )
  return {
    nodes,
    properties,
    required,
    additional: additional.length > 0 ? additional : any ? "any" : none ? "none" : undefined,
    isOpen: any && !isTold,
    items,
    prefix,
    types,
    // of the items of a list, by mistake
    values: isComposite(types) && values?.every((value) => typeof value !== "object") === true ? undefined : values,
    isClosed: nodes.some(({ isClosed }) => isClosed),
    isNull: isOuterNull || (explicit > 0 && rejecting === 0),
    isNever,
    alternatives
  }
}

export const textOf = ({ nodes }: Pick<Keywords, "nodes">, key: string): string | undefined =>
  nodes.map(({ node }) => text(node, key)).find(Predicate.isNotUndefined)

export const numbersOf = ({ nodes }: Keywords, key: string): ReadonlyArray<number> =>
  nodes.map(({ node }) => node[key]).filter((value): value is number => Number.isFinite(value))

/** The types that a schema names, or that its keywords are for. */
export const typesOf = (keywords: Keywords): ReadonlyArray<string> => {
  const { additional, items, nodes, prefix, properties, required, types } = keywords
  if (types !== undefined) return [...types]
  if (properties.size > 0 || required.size > 0 || additional !== undefined) return ["object"]
  if (items.length > 0 || prefix.length > 0) return ["array"]
  const has = (...keys: ReadonlyArray<string>) => nodes.some(({ node }) => keys.some((key) => key in node))
  const format = textOf(keywords, "format")
  if (format !== undefined && /^u?int(?:32|64)$/.test(format)) return ["integer"]
  if (format !== undefined && ["float", "double"].includes(format)) return ["number"]
  if (format !== undefined || nodes.some(isFile) || has("pattern", "minLength", "maxLength", "contentEncoding"))
    return ["string"]
  return has("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum") ? ["number"] : []
}

/** Whether a schema says only which fields go together. */
export const isConstraint = ({ node }: Part): boolean =>
  isObject(node) &&
  ("required" in node || "not" in node) &&
  !("$ref" in node) &&
  isAnnotation(node, ["required", "not", "type", "minProperties", "maxProperties", "dependentRequired"])

/** Whether a property is of the other side only: `readOnly` in a request, `writeOnly` in a response. */
export const isHidden = (document: Document, side: Side, { node, pointer: at }: Place, depth = 0): boolean => {
  if (!isObject(node) || depth > 8) return false
  if (node[side === "response" ? "writeOnly" : "readOnly"] === true) return true
  const reference = text(node, "$ref")
  const inner: Array<Place> = reference === undefined ? [] : [{ node: document.at(reference, at), pointer: reference }]
  for (const i of list(node, "allOf").keys()) inner.push(inside({ node, pointer: at }, "allOf", i))
  return inner.some((place) => isHidden(document, side, place, depth + 1))
}
