import * as Predicate from "effect/Predicate"
import type { Document } from "../read/Document.ts"
import { isObject, type JsonObject, keysOf, list, type Place, pointer, text } from "../read/Json.ts"
import { attempt, type Unsupported, unsupported, type Warn } from "../read/Unsupported.ts"
import * as Alternatives from "./Alternatives.ts"
import * as Checks from "./Checks.ts"
import * as Comment from "./Comment.ts"
import * as Keywords from "./Keywords.ts"
import { collect, isAnnotation, type Part, type Side, takesNull } from "./Keywords.ts"
import * as Pattern from "./Pattern.ts"
import * as Shape from "./Shape.ts"

/** A schema with a name. */
export interface Declaration {
  readonly name: string
  readonly pointer: string
  readonly comment: ReadonlyArray<string>
  /** Why it, and each operation that needs it, is unsupported. */
  readonly shape: Shape.Shape | Unsupported
}

/** Reads schemas of one side. */
export interface Reader {
  readonly side: Side
  /** The shape of a schema. What it refers to is read later, by {@link Reader.finish}. */
  readonly read: (place: Place, hint: string) => Shape.Shape
  /** Reads one, and gives its shape a name, unless it is simple or has one. */
  readonly declare: (place: Place, hint: string) => Shape.Shape
  /** Reads all that was referred to. */
  readonly finish: () => void
  /** By name, in the order in which they were found. */
  readonly declarations: ReadonlyMap<string, Declaration>
}

/** A schema that comes to more parts is unsupported. */
const mostParts = 100_000
/** A schema of more parts that refer, or of more of them in the document, is unsupported. */
const mostCombined = 8
const deepest = 400
const mostCombinations = 20_000
/** All schemas of a side together have no more parts, counting each as often as it is one. */
const mostNodes = 50_000_000

/** Fields of which each object has one already, so that absence cannot be seen. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

export interface Options {
  readonly document: Document
  readonly side: Side
  /** The name of what a pointer leads to, the same on both sides. */
  readonly nameOf: (key: string, hint: string) => string
  /** Whether date-times stay texts. */
  readonly areDatesText: boolean
  readonly warn: Warn
}

/** One side as far as it is read, and how much more it may read. */
interface Reading extends Options, Alternatives.Context {
  readonly declarations: Map<string, Declaration>
  /** By pointer, or by those of several parts. */
  readonly names: Map<string, string>
  readonly queue: Array<{ readonly name: string; readonly parts: ReadonlyArray<Part> }>
  /** By reference. */
  readonly resolved: Map<string, Shape.Shape>
  /** Nodes that are being read. */
  readonly active: Set<unknown>
  depth: number
  budget: number
  total: number
  combinations: number
}

const unreadable = (parts: ReadonlyArray<Part>, message: string) =>
  unsupported("schema", parts[0]?.pointer ?? "#", message)

/** A name for parts that stand in several places, or inside themselves. */
const named = (
  { nameOf, names, queue }: Reading,
  key: string,
  parts: ReadonlyArray<Part>,
  hint: string
): Shape.Shape => {
  let name = names.get(key)
  if (name === undefined) {
    name = nameOf(key, hint)
    names.set(key, name)
    queue.push({ name, parts })
  }
  return { _tag: "Reference", name }
}

/** The shape that a reference leads to: the first thing that is not a mere reference itself. */
const reference = (reading: Reading, to: string, from: string): Shape.Shape => {
  const { document, resolved } = reading
  const known = resolved.get(to)
  if (known !== undefined) return known
  const seen = new Set<string>()
  let target = to
  let isNull = false
  for (;;) {
    if (seen.has(target)) throw unsupported("schema", from, `${to} refers only to itself`)
    seen.add(target)
    const node = document.at(target, from)
    if (!isObject(node)) return node === true ? Shape.json : read(reading, [{ node, pointer: target }], "")
    isNull ||= isNullable(node)
    const next = text(node, "$ref")
    if (next === undefined || !isAnnotation(node)) break
    target = next
  }
  const shape = named(reading, target, [{ node: document.at(target, from), pointer: target }], lastOf(target))
  const found = isNull ? Shape.nullable(shape) : shape
  resolved.set(to, found)
  return found
}

/** The one reference that a schema is, beside its annotations, and whether it adds null. */
const soleReference = (
  part: Part
): { readonly to: string; readonly from: string; readonly isNull: boolean } | undefined => {
  let { node, pointer: at } = part
  let isNull = false
  while (isObject(node)) {
    isNull ||= takesNull(node)
    const to = text(node, "$ref")
    if (to !== undefined) return isAnnotation(node) ? { to, from: at, isNull } : undefined
    const { allOf } = node
    // some exporters repeat that it is an object
    const known = node["type"] === "object" ? ["allOf", "type"] : ["allOf"]
    if (!Array.isArray(allOf) || allOf.length !== 1 || !isAnnotation(node, known)) return undefined
    node = allOf[0]
    at = pointer(at, "allOf", 0)
  }
  return undefined
}

/** The shape of parts together. */
const read = (reading: Reading, parts: ReadonlyArray<Part>, hint: string): Shape.Shape => {
  const { active } = reading
  if (--reading.budget < 0) throw unreadable(parts, `comes to more than ${mostParts} parts`)
  const [part] = parts
  if (part !== undefined && parts.length === 1) {
    if (part.node === undefined || part.node === true) return Shape.json
    const sole = part.isBare === true ? undefined : soleReference(part)
    if (sole !== undefined && !Alternatives.isHeir(reading.document, part, sole.to)) {
      const shape = reference(reading, sole.to, sole.from)
      return sole.isNull ? Shape.nullable(shape) : shape
    }
    // how some exporters of 3.0 write "or null"
    if (isObject(part.node) && part.node["nullable"] === true && isAnnotation(part.node) && hint === alternative) {
      return Shape.nothing
    }
    // what contains itself has a name, at least from the second time on
    if (active.has(part.node)) return named(reading, part.pointer, parts, lastOf(part.pointer))
  }
  if (reading.depth > deepest) throw unreadable(parts, `contains itself, or more than ${deepest} levels`)
  const isNew = !active.has(part?.node)
  active.add(part?.node)
  reading.depth++
  try {
    return together(reading, parts, hint)
  } finally {
    reading.depth--
    if (isNew) active.delete(part?.node)
  }
}

const together = (reading: Reading, parts: ReadonlyArray<Part>, hint: string): Shape.Shape => {
  const keywords = collect(reading.document, parts)
  reading.total -= keywords.nodes.length
  if (reading.total < 0) throw unreadable(parts, "the schemas of the document have too many parts together")
  const found = Alternatives.of(reading, keywords, parts)
  const shape =
    found === undefined
      ? plain(reading, keywords, hint)
      : found === "too many"
        ? Shape.json
        : Shape.union(
            found.all.map((whole) =>
              whole.length === 1 && whole[0]?.isBare !== true
                ? read(reading, whole, alternative)
                : distinct(reading, whole, hint)
            ),
            found
          )
  return keywords.isNull ? Shape.nullable(shape) : shape
}

/** A schema of several parts; it has a name, since it can contain itself. */
const distinct = (reading: Reading, parts: ReadonlyArray<Part>, hint: string): Shape.Shape => {
  const unique = new Map(parts.map((part) => [keyOf(part), part]))
  const rest = [...unique.values()]
  // what has no parts of its own cannot contain itself
  if (rest.length === 1 || isScalar(collect(reading.document, rest))) return read(reading, rest, hint)
  // each may be combined with each: their number is a power
  if (rest.length > mostCombined || ++reading.combinations > mostCombinations)
    throw unreadable(rest, "combines too many alternatives of alternatives")
  // of an heir, all are bare
  const telling = rest.every(({ isBare }) => isBare) ? rest : rest.filter(({ isBare }) => isBare !== true)
  const names = telling.flatMap(({ node }) => {
    const reference = text(node, "$ref")
    return reference === undefined ? [] : [lastOf(reference)]
  })
  const key = [...unique.keys()].join(" & ")
  return named(reading, key, rest, `${hint === alternative ? "" : hint} ${names.join(" ")}`)
}

const keyOf = ({ isBare, isClosed, node, pointer }: Part) =>
  `${pointer}${isBare === true ? " -" : ""}${isClosed === true ? JSON.stringify(node) : ""}`

/** One part as it is, several by a name. */
const whole = (reading: Reading, parts: ReadonlyArray<Part>, hint: string): Shape.Shape => {
  const unique = [...new Map(parts.map((part) => [text(part.node, "$ref") ?? part.pointer, part])).values()]
  return unique.length === 1 ? read(reading, unique, hint) : distinct(reading, unique, hint)
}

/** A schema without alternatives. */
const plain = (reading: Reading, keywords: Keywords.Keywords, hint: string): Shape.Shape => {
  if (keywords.isNever) return Shape.json
  const types = Keywords.typesOf(keywords)
  if (keywords.values !== undefined) {
    const shape = literals(reading, keywords, types)
    if (shape !== undefined) return shape
  }
  const shapes = types.filter((type) => type !== "null").map((type) => ofType(reading, type, keywords, hint))
  if (shapes.length > 0) return Shape.union(shapes)
  return keywords.types?.has("null") === true ? Shape.nothing : Shape.json
}

/** The values of an enum that have its type; `undefined` if that is none, or if not all are primitives. */
const literals = (
  { warn }: Reading,
  { isClosed, nodes, types, values = [] }: Keywords.Keywords,
  named: ReadonlyArray<string>
): Shape.Shape | undefined => {
  const fits = (value: unknown) =>
    types === undefined || named.includes(typeof value) || (named.includes("integer") && Number.isInteger(value))
  const others = values.filter((value) => value !== null)
  if (others.length === 0 && values.length > 0) return Shape.nothing
  const primitives = others.filter(
    (value) => Predicate.isString(value) || Predicate.isBoolean(value) || Predicate.isNumber(value)
  )
  const fitting = [...new Set(primitives.filter(fits))]
  if (primitives.length < others.length) return named.length > 0 ? undefined : Shape.json
  if (fitting.length === 0) {
    warn("enum-type", nodes[0]?.pointer ?? "#", `no value of the enum is of type ${named.join(" or ")}: any JSON`)
    return Shape.json
  }
  return fitting.length === 2 && fitting.every(Predicate.isBoolean)
    ? { _tag: "Boolean" }
    : { _tag: "Literals", values: fitting, closed: isClosed }
}

const ofType = (reading: Reading, type: string, keywords: Keywords.Keywords, hint: string): Shape.Shape => {
  const { areDatesText, side, warn } = reading
  const format = Keywords.textOf(keywords, "format")
  const brand = Keywords.textOf(keywords, "x-brand")
  const isSent = side === "request"
  switch (type) {
    case "string":
      // a pattern can want another text of the same time
      if (format === "date-time" && !areDatesText && !(isSent && keywords.nodes.some(isOtherTime)))
        return { _tag: "Timestamp" }
      if (keywords.nodes.some(Keywords.isFile)) return { _tag: "Binary" }
      return {
        _tag: "Text",
        checks: isSent ? Checks.ofText(keywords, warn) : [],
        ...(brand !== undefined && { brand }),
        ...(format !== undefined && { format })
      }
    case "integer":
    case "number": {
      if (format === "int64" || format === "uint64") return { _tag: "Int64" }
      const isInteger = type === "integer" || (isSent && format === "int32")
      return { _tag: isInteger ? "Integer" : "Number", checks: isSent ? Checks.ofNumber(keywords) : [] }
    }
    case "boolean":
      return { _tag: "Boolean" }
    case "array":
      return arrayOf(reading, keywords, hint)
    case "object":
      return objectOf(reading, keywords, hint)
    default:
      warn("type", keywords.nodes[0]?.pointer ?? "#", `${type} is no type of JSON Schema: any JSON`)
      return Shape.json
  }
}

const arrayOf = (reading: Reading, keywords: Keywords.Keywords, hint: string): Shape.Shape => {
  const isSent = reading.side === "request"
  const item = keywords.items.length === 0 ? [] : [whole(reading, keywords.items, `${hint} Item`)]
  const first = keywords.prefix.map((part, i) => read(reading, [part], `${hint} ${i + 1}`))
  const checks = isSent ? Checks.ofList(keywords) : []
  if (first.length === 0) return { _tag: "Array", item: Shape.union(item), checks }
  // without a schema, other items are any JSON, and a service adds some where a request has none
  const isEnd =
    isSent &&
    keywords.nodes.some(({ node }) =>
      ["items", "additionalItems", "unevaluatedItems"].some((key) => node[key] === false)
    )
  const rest = isEnd ? undefined : Shape.union(item)
  const least = Math.min(first.length, Math.max(0, ...Keywords.numbersOf(keywords, "minItems")))
  const all = rest === undefined ? first : [...first, rest]
  return { _tag: "Array", item: Shape.union(all), checks, tuple: { first, least, rest } }
}

/** The fields that an object describes, and whether one of them cannot have a name. */
const describedOf = (reading: Reading, keywords: Keywords.Keywords, hint: string) => {
  const { document, side, warn } = reading
  const fields: Array<Shape.Field> = []
  let isOpen = false
  for (const [name, parts] of keywords.properties) {
    const isOther = parts.some((part) => Keywords.isHidden(document, side, part))
    // what tells alternatives apart may be sent
    if (parts.some(({ node }) => node === false) || (isOther && !parts.some(({ isClosed }) => isClosed))) continue
    if (inherited.has(name)) {
      warn("field-name", parts[0]?.pointer ?? "#", `${name} is a field without a type: every object has one already`)
      isOpen = true
      continue
    }
    const shape = whole(reading, parts, `${hint} ${name}`)
    const isRequired = keywords.required.has(name) && !isOther
    fields.push({ name, shape, isRequired, comment: Comment.of(parts[0]?.node) })
  }
  return { fields, isOpen }
}

/** Fields that are required, but described nowhere: any JSON, which services leave out. */
const undescribedOf = (reading: Reading, keywords: Keywords.Keywords, hint: string): ReadonlyArray<Shape.Field> => {
  const { side, warn } = reading
  const { additional, alternatives, isOpen, nodes, properties, required } = keywords
  const isSent = side === "request"
  const together = isSent
    ? alternatives.flatMap(({ parts }) => parts.flatMap(({ node }) => list(node, "required")))
    : []
  const names = new Set([...required, ...together.filter(Predicate.isString)])
  return [...names].flatMap((name) => {
    if (properties.has(name) || inherited.has(name)) return []
    const isTyped = typeof additional === "object" && !isOpen
    const isValue = isTyped && required.has(name)
    if (!isValue && isSent)
      warn("required", nodes[0]?.pointer ?? "#", `${name} is required, but described nowhere: optional`)
    const shape = isTyped ? whole(reading, additional, `${hint} Value`) : Shape.json
    return [{ name, shape, isRequired: isValue && isSent, comment: [] }]
  })
}

const isTag = ({ shape }: Shape.Field) => shape._tag === "Literals" && (shape.closed || shape.values.length === 1)

const isInt64 = (node: JsonObject): boolean =>
  ["int64", "uint64"].includes(text(node, "format") ?? "") && text(node, "type") !== "string"

/** Of the schemas that were looked at: many can refer to one. */
const exact = new WeakMap<object, boolean>()

/** Whether a schema holds integers of 64 bits, wherever it refers to. Not recursive: a chain of references can be long. */
const holdsInt64 = (document: Document, { node: root, pointer: at }: Part): boolean => {
  /** Each node, and the one that it was found from. */
  const found = new Map<unknown, unknown>([[root, undefined]])
  // grows while it is read
  for (const node of found.keys()) {
    if (typeof node !== "object" || node === null || exact.get(node) === false) continue
    if (exact.get(node) === true || (isObject(node) && isInt64(node))) {
      for (let one: unknown = node; typeof one === "object" && one !== null; one = found.get(one)) exact.set(one, true)
      return true
    }
    const reference = text(node, "$ref")
    const target = reference === undefined ? undefined : attempt(() => document.at(reference, at))
    const inner: ReadonlyArray<unknown> = Object.values(node)
    for (const one of [target, ...inner]) if (!found.has(one)) found.set(one, node)
  }
  for (const node of found.keys()) if (typeof node === "object" && node !== null) exact.set(node, false)
  return false
}

const objectOf = (reading: Reading, keywords: Keywords.Keywords, hint: string): Shape.Shape => {
  const { additional, isOpen } = keywords
  const isMap = typeof additional === "object"
  const described = describedOf(reading, keywords, hint)
  const fields = [...described.fields, ...undescribedOf(reading, keywords, hint)]
  if (fields.length > 0) {
    // what tells alternatives apart comes first: others would be read for nothing, at each level of what contains itself
    const ordered = [...fields.filter(isTag), ...fields.filter((field) => !isTag(field))]
    const isExact = isMap && additional.some((part) => holdsInt64(reading.document, part))
    const open = isMap || additional === "any" || described.isOpen
    return { _tag: "Struct", fields: ordered, open: isExact ? "exact" : open }
  }
  if (isMap) {
    // a service adds names that no pattern takes
    const canGrow =
      reading.side === "response" && additional.every(({ pointer }) => pointer.includes("/patternProperties/"))
    const value = Shape.union(additional.map((part) => read(reading, [part], `${hint} Value`)))
    return { _tag: "Record", value: canGrow || isOpen ? Shape.orJson(value) : value }
  }
  return additional === "none" && reading.side === "request" ? { _tag: "Empty" } : { _tag: "Record", value: Shape.json }
}

/** A reader of one side. */
export const make = (options: Options): Reader => {
  const reading: Reading = {
    ...options,
    declarations: new Map(),
    names: new Map(),
    queue: [],
    resolved: new Map(),
    active: new Set(),
    made: new Map(),
    depth: 0,
    budget: mostParts,
    total: mostNodes,
    combinations: 0
  }
  const { declarations, nameOf, names, queue, side } = reading
  const begin = (parts: ReadonlyArray<Part>, hint: string) => {
    reading.budget = mostParts
    return read(reading, parts, hint)
  }
  return {
    side,
    declarations,
    read: (place, hint) => begin([place], hint),
    declare: (place, hint) => {
      const { node, pointer: at } = place
      const shape = begin([place], hint)
      const [inner, isNull] = Shape.withoutNull(shape)
      if (!Shape.isLarge(inner)) return shape
      const name = names.get(at) ?? nameOf(at, hint)
      names.set(at, name)
      declarations.set(name, { name, pointer: at, comment: Comment.of(node), shape: inner })
      const reference: Shape.Shape = { _tag: "Reference", name }
      return isNull ? Shape.nullable(reference) : reference
    },
    finish: () => {
      // grows while it is read
      for (const { name, parts } of queue) {
        const [part] = parts
        const shape = attempt(() => {
          const whole = begin(parts, name)
          // null is beside each reference
          return parts.length === 1 && isNullable(part?.node) ? Shape.withoutNull(whole)[0] : whole
        })
        declarations.set(name, { name, pointer: part?.pointer ?? "#", comment: Comment.of(part?.node), shape })
      }
    }
  }
}

/** Whether a schema itself takes null, or has it among its alternatives. */
const isNullable = (node: unknown): boolean =>
  isObject(node) && (takesNull(node) || ["oneOf", "anyOf"].some((key) => list(node, key).some(Keywords.isNull)))

const isOtherTime = ({ node }: Keywords.Keywords["nodes"][number]) => Pattern.isOtherTime(text(node, "pattern") ?? "")

/** Whether a schema has no parts. */
const isScalar = ({ additional, alternatives, items, prefix, properties }: Keywords.Keywords): boolean =>
  properties.size + items.length + prefix.length + alternatives.length === 0 && typeof additional !== "object"

/** A hint that says only that a schema is one of several. */
const alternative = ""

/** Keys that only say where a schema is. */
const places = new Set("properties schema content items components schemas definitions $defs x-generics".split(" "))

/** The name at the end of a pointer: of a component, or of what another schema is in; for a whole file that of the file. */
const lastOf = (reference: string): string => {
  const keys = keysOf(reference)
  const [first, file = ""] = keys
  const inFile = first === "x-files" ? keys.slice(2) : keys
  const names = inFile.filter((key) => !places.has(key)).slice(-4)
  return names.length > 0 ? names.join(" ") : file.replace(/^.*\//, "").replace(/\.[a-z]+$/, "") || "Schema"
}
