import * as Predicate from "effect/Predicate"
import * as Comment from "./Comment.ts"
import type { Document } from "../read/Document.ts"
import * as Facts from "./Facts.ts"
import { collect, isAnnotation, type Part, type Side, takesNull } from "./Facts.ts"
import { isObject, keysOf, list, type Place, pointer, text } from "../read/Json.ts"
import * as Literal from "./Literal.ts"
import * as Pattern from "./Pattern.ts"
import { attempt, Refusal, type Warn } from "../read/Refusal.ts"
import * as Shape from "./Shape.ts"

/** A schema with a name. */
export interface Declaration {
  readonly name: string
  readonly pointer: string
  readonly comment: ReadonlyArray<string>
  /** Why it, and each operation that needs it, is refused. */
  readonly shape: Shape.Shape | Refusal
}

/** Reads schemas of one side. */
export interface Reader {
  readonly side: Side
  /** The shape of a schema. What it refers to is read later, by {@link Reader.finish}. */
  readonly read: (place: Place, hint: string) => Shape.Shape
  /** Gives a shape a name, unless it is simple or has one. */
  readonly declare: (shape: Shape.Shape, place: Place, hint: string) => Shape.Shape
  /** Reads all that was referred to. */
  readonly finish: () => void
  /** By name, in the order in which they were found. */
  readonly declarations: ReadonlyMap<string, Declaration>
}

/** More alternatives than these are any JSON: their number multiplies. */
const mostAlternatives = 200
/** A schema that comes to more parts is refused. */
const mostParts = 100_000
/** A schema of more parts that refer, or of more of them in the document, is refused. */
const mostCombined = 8
const deepest = 400
const mostCombinations = 20_000
/** All schemas of a side together have no more parts, counting each as often as it is one. */
const mostNodes = 50_000_000

/** Fields of which each object has one already, so that absence cannot be seen. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

/** What a reader needs. */
export interface Options {
  readonly document: Document
  readonly side: Side
  /** The name of what a pointer leads to, the same on both sides. */
  readonly nameOf: (key: string, hint: string) => string
  /** Whether date-times stay texts. */
  readonly areDatesText: boolean
  readonly warn: Warn
}

/** A reader of one side. */
export const make = ({ areDatesText, document, nameOf, side, warn }: Options): Reader => {
  const declarations = new Map<string, Declaration>()
  const names = new Map<string, string>()
  const queue: Array<{ readonly name: string; readonly parts: ReadonlyArray<Part> }> = []
  let budget = mostParts
  let total = mostNodes
  let combinations = 0

  /** A name for parts that stand in several places, or inside themselves. */
  const named = (key: string, parts: ReadonlyArray<Part>, hint: string): Shape.Shape => {
    let name = names.get(key)
    if (name === undefined) {
      name = nameOf(key, hint)
      names.set(key, name)
      queue.push({ name, parts })
    }
    return { _tag: "Reference", name }
  }

  const resolved = new Map<string, Shape.Shape>()
  /** What a reference comes to: the first thing that is not a mere reference itself. */
  const reference = (to: string, from: string): Shape.Shape => {
    const known = resolved.get(to)
    if (known !== undefined) return known
    const seen = new Set<string>()
    let target = to
    let isNull = false
    for (;;) {
      if (seen.has(target)) throw new Refusal({ code: "schema", pointer: from, message: `${to} refers only to itself` })
      seen.add(target)
      const node = document.at(target, from)
      if (!isObject(node)) return node === true ? Shape.json : read([{ node, pointer: target }], "")
      isNull ||= isNullable(node)
      const next = text(node, "$ref")
      if (next === undefined || !isAnnotation(node)) break
      target = next
    }
    const shape = named(target, [{ node: document.at(target, from), pointer: target }], lastOf(target))
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
      if (!Array.isArray(allOf) || allOf.length !== 1 || !isAnnotation(node, ["allOf"])) return undefined
      node = allOf[0]
      at = pointer(at, "allOf", 0)
    }
    return undefined
  }

  const read = (parts: ReadonlyArray<Part>, hint: string): Shape.Shape => {
    if (--budget < 0) {
      const message = `comes to more than ${mostParts} parts`
      throw new Refusal({ code: "schema", pointer: parts[0]?.pointer ?? "#", message })
    }
    const [part] = parts
    if (part !== undefined && parts.length === 1) {
      if (part.node === undefined || part.node === true) return Shape.json
      const sole = part.isBare === true ? undefined : soleReference(part)
      if (sole !== undefined) {
        const shape = reference(sole.to, sole.from)
        return sole.isNull ? Shape.nullable(shape) : shape
      }
      // how some exporters of 3.0 write "or null"
      if (isObject(part.node) && part.node["nullable"] === true && isAnnotation(part.node) && hint === alternative) {
        return Shape.nothing
      }
    }
    // what contains itself has a name, at least from the second time on
    if (part !== undefined && parts.length === 1 && active.has(part.node)) {
      return named(part.pointer, parts, lastOf(part.pointer))
    }
    if (depth > deepest) {
      const message = `contains itself, or more than ${deepest} levels`
      throw new Refusal({ code: "schema", pointer: part?.pointer ?? "#", message })
    }
    const isNew = !active.has(part?.node)
    active.add(part?.node)
    depth++
    try {
      return together(parts, hint)
    } finally {
      depth--
      if (isNew) active.delete(part?.node)
    }
  }

  /** Nodes that are being read, and how deep that is. */
  const active = new Set<unknown>()
  let depth = 0

  const together = (parts: ReadonlyArray<Part>, hint: string): Shape.Shape => {
    const facts = collect(document, parts)
    total -= facts.nodes.length
    if (total < 0) {
      const message = "the schemas of the document have too many parts together"
      throw new Refusal({ code: "schema", pointer: parts[0]?.pointer ?? "#", message })
    }
    const chosen = choose(facts, parts, hint)
    const shape = chosen ?? plain(facts, hint)
    return facts.isNull ? Shape.nullable(shape) : shape
  }

  /** The alternatives of a schema, each together with all the rest; `undefined` if there are none. */
  const choose = (facts: Facts.Facts, parts: ReadonlyArray<Part>, hint: string): Shape.Shape | undefined => {
    const at = parts[0]?.pointer ?? "#"
    const groups = facts.alternatives.filter((group) => {
      if (!group.parts.every(Facts.isConstraint)) return true
      if (side === "request") warn("any-of-required", at, "which fields must be there together is not checked")
      return false
    })
    if (groups.length === 0) return facts.alternatives.length === 0 ? inheritance(facts, parts, hint) : undefined
    let all: ReadonlyArray<ReadonlyArray<Part>> = [[]]
    for (const group of groups) {
      if (all.length * group.parts.length > mostAlternatives) {
        warn("alternatives", at, "there are too many alternatives: any JSON")
        return Shape.json
      }
      all = all.flatMap((chosen) => group.parts.map((one) => [...chosen, ...tagged(group, one)]))
    }
    const base = isFree(facts) ? [] : parts.map((part) => ({ ...part, isBare: true }))
    const shapes = all.map((chosen) => {
      const whole = [...base, ...chosen]
      return whole.length === 1 ? read(whole, alternative) : distinct(whole, hint)
    })
    return Shape.union(shapes, {
      ...(groups.some(({ isAny }) => isAny) && { isAny: true }),
      ...toldBy(groups)
    })
  }

  /** Which fields tell alternatives apart: services add others to those. */
  const toldBy = (groups: ReadonlyArray<Pick<Facts.Alternatives, "discriminator">>): Shape.Kind => {
    const discriminators = groups.flatMap(({ discriminator }) => text(discriminator, "propertyName") ?? [])
    return side === "answer" && discriminators.length > 0 ? { discriminators } : {}
  }

  /** Whether a schema constrains nothing beside its alternatives. */
  const isFree = ({ nodes }: Facts.Facts) =>
    nodes.every(
      ({ node }) => isAnnotation(node, ["oneOf", "anyOf", "type", "format", "allOf"]) || Object.keys(node).length === 0
    )

  /** A discriminator's value, which the alternative itself does not name. */
  const tagged = (group: Pick<Facts.Alternatives, "discriminator">, part: Part): ReadonlyArray<Part> => {
    const name = text(group.discriminator, "propertyName")
    const reference = text(part.node, "$ref")
    if (name === undefined || reference === undefined) return [part]
    const mapped = Facts.valuesOf(group.discriminator, reference)
    const declared = collect(document, [part]).properties.get(name) ?? []
    const { types, values: own } = collect(document, declared)
    if (own?.length === 1 && !declared.some((place) => Facts.isHidden(document, side, place))) return [part]
    const values = (own ?? mapped.map(Facts.tagOf(types))).filter((value) => mapped.includes(String(value)))
    // OpenAPI 3.1 §4.8.25.4; a request can have any, since a discriminator validates nothing
    const isNamed = side === "answer" && declared.length > 0 && types?.has("string") !== false
    const implicit = isNamed && mapped.length === 0 ? keysOf(reference).slice(-1) : []
    const kept = values.length > 0 ? values : (own ?? implicit)
    // a name that no schema declares: services send it or not
    if (kept.length === 0 && declared.length > 0) return [part]
    return [part, { node: tagNode(name, kept, declared.length > 0), pointer: part.pointer, isClosed: true }]
  }

  const tags = new Map<string, unknown>()
  /** One object for the same tag, so that it is the same part. */
  const tagNode = (name: string, values: ReadonlyArray<unknown>, isRequired: boolean): unknown => {
    const key = JSON.stringify([name, values, isRequired])
    const node = tags.get(key) ?? {
      type: "object",
      properties: Object.fromEntries([[name, values.length === 0 ? { type: "string" } : { enum: values }]]),
      required: isRequired ? [name] : []
    }
    tags.set(key, node)
    return node
  }

  /** A schema whose discriminator names those that extend it: any of them. */
  const inheritance = (facts: Facts.Facts, parts: ReadonlyArray<Part>, hint: string): Shape.Shape | undefined => {
    const heirs = Facts.heirsOf(document, facts, parts)
    if (heirs === undefined) return undefined
    const { children, discriminator, first } = heirs
    const alternatives = children.map((to) => {
      const node = refNode(to)
      const isExtending = collect(document, [{ node, pointer: to }]).nodes.some(({ node }) => node === first.node)
      const child = { node, pointer: isExtending ? first.pointer : to }
      const isWhole = isExtending && parts[0]?.node === first.node
      return [...(isWhole ? [] : parts), ...tagged({ discriminator }, child)]
    })
    return Shape.union(
      alternatives.map((parts) =>
        distinct(
          parts.map((part) => ({ ...part, isBare: true })),
          hint
        )
      ),
      toldBy([{ discriminator }])
    )
  }

  const refs = new Map<string, unknown>()
  const refNode = (to: string): unknown => {
    const node = refs.get(to) ?? { $ref: to }
    refs.set(to, node)
    return node
  }

  /** A schema of several parts; it has a name, since it can contain itself. */
  const distinct = (parts: ReadonlyArray<Part>, hint: string): Shape.Shape => {
    const nodes = parts.map((part) => `${part.pointer}${part.isBare === true ? " -" : ""}${tagKey(part)}`)
    const unique = [...new Map(nodes.map((key, i) => [key, parts[i]])).entries()]
    const rest = unique.flatMap(([, part]) => (part === undefined ? [] : [part]))
    // what has no parts of its own cannot contain itself
    if (rest.length === 1 || isScalar(collect(document, rest))) return read(rest, hint)
    // each may be combined with each: their number is a power
    if (rest.length > mostCombined || ++combinations > mostCombinations) {
      const message = "combines too many alternatives of alternatives"
      throw new Refusal({ code: "schema", pointer: rest[0]?.pointer ?? "#", message })
    }
    const names = rest.flatMap((part) => {
      const reference = text(part.node, "$ref")
      return reference === undefined || part.isBare === true ? [] : [lastOf(reference)]
    })
    return named(unique.map(([key]) => key).join(" & "), rest, `${hint === alternative ? "" : hint} ${names.join(" ")}`)
  }

  const tagKey = ({ isClosed, node }: Part) => (isClosed === true ? JSON.stringify(node) : "")

  const plain = (facts: Facts.Facts, hint: string): Shape.Shape => {
    const at = facts.nodes[0]?.pointer ?? "#"
    if (facts.isNever) return Shape.json
    const types = Facts.typesOf(facts)
    if (facts.values !== undefined) {
      const shape = literals(facts, types, at)
      if (shape !== undefined) return shape
    }
    const shapes = types.filter((type) => type !== "null").map((type) => ofType(type, facts, hint, at))
    if (shapes.length > 0) return Shape.union(shapes)
    return facts.types?.has("null") === true ? Shape.nothing : Shape.json
  }

  /** The values of an enum that have its type; `undefined` if that is none, or if not all are primitives. */
  const literals = ({ isClosed, types, values = [] }: Facts.Facts, named: ReadonlyArray<string>, at: string) => {
    const fits = (value: unknown) =>
      types === undefined ||
      (Predicate.isString(value) && named.includes("string")) ||
      (Predicate.isBoolean(value) && named.includes("boolean")) ||
      (Predicate.isNumber(value) &&
        (named.includes("number") || (named.includes("integer") && Number.isInteger(value))))
    const others = values.filter((value) => value !== null)
    if (others.length === 0 && values.length > 0) return Shape.nothing
    const primitives = others.filter(
      (value) => Predicate.isString(value) || Predicate.isBoolean(value) || Predicate.isNumber(value)
    )
    const fitting = [...new Set(primitives.filter(fits))]
    if (primitives.length < others.length) return named.length > 0 ? undefined : Shape.json
    if (fitting.length === 0) {
      warn("enum-type", at, `no value of the enum is of type ${named.join(" or ")}: any JSON`)
      return Shape.json
    }
    const shape: Shape.Shape = { _tag: "Literals", values: fitting, closed: isClosed }
    if (fitting.length === 2 && fitting.every(Predicate.isBoolean)) return { _tag: "Boolean" } satisfies Shape.Shape
    return shape
  }

  const ofType = (type: string, facts: Facts.Facts, hint: string, at: string): Shape.Shape => {
    const format = Facts.textOf(facts, "format")
    const brand = Facts.textOf(facts, "x-brand")
    const isLong = format === "int64" || format === "uint64"
    switch (type) {
      case "string":
        // a pattern can want another text of the same time
        if (format === "date-time" && !areDatesText && !(side === "request" && facts.nodes.some(isOtherTime)))
          return { _tag: "Timestamp" }
        if (facts.nodes.some(Facts.isFile)) return { _tag: "Binary" }
        return {
          _tag: "Text",
          checks: textChecks(facts),
          ...(brand !== undefined && { brand }),
          ...(format !== undefined && /^(uri|iri)(-reference)?$|^url$/.test(format) && { isUrl: true })
        }
      case "integer":
      case "number": {
        if (isLong) return { _tag: "Int64" }
        const isInteger = type === "integer" || (side === "request" && format === "int32")
        return { _tag: isInteger ? "Integer" : "Number", checks: numberChecks(facts) }
      }
      case "boolean":
        return { _tag: "Boolean" }
      case "array":
        return arrayOf(facts, hint)
      case "object":
        return objectOf(facts, hint)
      default:
        warn("type", at, `${type} is no type of JSON Schema: any JSON`)
        return Shape.json
    }
  }

  const lengths = (facts: Facts.Facts, least: string, most: string, names: readonly [string, string]) => [
    ...Facts.numbersOf(facts, least).flatMap((value) => (value > 0 ? [`Schema.${names[0]}(${value})`] : [])),
    ...Facts.numbersOf(facts, most).map((value) => `Schema.${names[1]}(${value})`)
  ]

  const textChecks = (facts: Facts.Facts): ReadonlyArray<string> => {
    if (side === "answer") return []
    const patterns = facts.nodes.flatMap(({ node, pointer: at }) => {
      const source = text(node, "pattern")
      if (source === undefined) return []
      const flags = Pattern.flags(source)
      if (flags !== undefined) return [`Schema.isPattern(${Literal.pattern(source, flags)})`]
      warn("pattern", pointer(at, "pattern"), "is not checked: it is not ECMAScript, or can take very long")
      return []
    })
    return [...lengths(facts, "minLength", "maxLength", ["isMinCodePoints", "isMaxCodePoints"]), ...patterns]
  }

  const numberChecks = (facts: Facts.Facts): ReadonlyArray<string> => {
    if (side === "answer") return []
    // 3.0 says with a boolean that a limit is exclusive
    const isExclusive = (key: string) => facts.nodes.some(({ node }) => node[key] === true)
    const check = (name: string) => (value: number) => `Schema.${name}(${value})`
    return [
      ...Facts.numbersOf(facts, "minimum").map(
        check(isExclusive("exclusiveMinimum") ? "isGreaterThan" : "isGreaterThanOrEqualTo")
      ),
      ...Facts.numbersOf(facts, "maximum").map(
        check(isExclusive("exclusiveMaximum") ? "isLessThan" : "isLessThanOrEqualTo")
      ),
      ...Facts.numbersOf(facts, "exclusiveMinimum").map(check("isGreaterThan")),
      ...Facts.numbersOf(facts, "exclusiveMaximum").map(check("isLessThan")),
      ...Facts.numbersOf(facts, "multipleOf")
        .filter((value) => Number.isInteger(value) && value > 1)
        .map(check("isMultipleOf"))
    ]
  }

  const arrayOf = (facts: Facts.Facts, hint: string): Shape.Shape => {
    const item = facts.items.length === 0 ? [] : [whole(facts.items, `${hint} Item`)]
    const first = facts.prefix.map((part, i) => read([part], `${hint} ${i + 1}`))
    const checks = side === "answer" ? [] : lengths(facts, "minItems", "maxItems", ["isMinLength", "isMaxLength"])
    if (first.length === 0) return { _tag: "Array", item: Shape.union(item), checks }
    // without a schema, other items are any JSON, and a service adds some where a request has none
    const isEnd =
      side === "request" && facts.nodes.some(({ node }) => node["items"] === false || node["additionalItems"] === false)
    const rest = isEnd ? undefined : Shape.union(item)
    const least = Math.min(first.length, Math.max(0, ...Facts.numbersOf(facts, "minItems")))
    const all = rest === undefined ? first : [...first, rest]
    return { _tag: "Array", item: Shape.union(all), checks, tuple: { first, least, rest } }
  }

  /** One part as it is, several by a name. */
  const whole = (parts: ReadonlyArray<Part>, hint: string): Shape.Shape => {
    const same = new Map(parts.map((part) => [text(part.node, "$ref") ?? part.pointer, part]))
    const unique = [...same.values()]
    return unique.length === 1 ? read(unique, hint) : distinct(unique, hint)
  }

  const objectOf = (facts: Facts.Facts, hint: string): Shape.Shape => {
    const fields: Array<Shape.Field> = []
    let isOpen = facts.additional === "any" || typeof facts.additional === "object"
    for (const [name, parts] of facts.properties) {
      const isOther = parts.some((part) => Facts.isHidden(document, side, part))
      // what tells alternatives apart may be sent
      if (parts.some(({ node }) => node === false) || (isOther && !parts.some(({ isClosed }) => isClosed))) continue
      if (inherited.has(name)) {
        warn("field-name", parts[0]?.pointer ?? "#", `${name} is a field without a type: every object has one already`)
        isOpen = true
        continue
      }
      const shape = whole(parts, `${hint} ${name}`)
      const isRequired = facts.required.has(name) && !isOther
      fields.push({ name, shape, isRequired, comment: Comment.of(parts[0]?.node) })
    }
    // required, but described nowhere: any JSON, which services leave out
    const together = facts.alternatives.flatMap(({ parts }) => parts.flatMap(({ node }) => list(node, "required")))
    const undescribed = new Set([...facts.required, ...(side === "request" ? together.filter(Predicate.isString) : [])])
    for (const name of undescribed) {
      if (facts.properties.has(name) || inherited.has(name)) continue
      const isValue = typeof facts.additional === "object" && facts.required.has(name)
      if (!isValue && side === "request")
        warn("required", facts.nodes[0]?.pointer ?? "#", `${name} is required, but described nowhere: optional`)
      const shape = typeof facts.additional === "object" ? whole(facts.additional, `${hint} Value`) : Shape.json
      fields.push({ name, shape, isRequired: isValue && side === "request", comment: [] })
    }
    // what tells alternatives apart comes first: others would be read for nothing, at each level of what contains itself
    const isTag = ({ shape }: Shape.Field) => shape._tag === "Literals" && (shape.closed || shape.values.length === 1)
    const ordered = [...fields.filter(isTag), ...fields.filter((field) => !isTag(field))]
    if (fields.length > 0) return { _tag: "Struct", fields: ordered, open: isOpen }
    if (typeof facts.additional === "object") {
      // a service adds names that no pattern takes
      const canGrow =
        side === "answer" && facts.additional.every(({ pointer }) => pointer.includes("/patternProperties/"))
      const values = facts.additional.map((part) => read([part], `${hint} Value`))
      return { _tag: "Record", value: canGrow ? Shape.json : Shape.union(values) }
    }
    if (facts.additional === "none" && side === "request") return { _tag: "Empty" }
    return { _tag: "Record", value: Shape.json }
  }

  return {
    side,
    declarations,
    read: (place, hint) => {
      budget = mostParts
      return read([place], hint)
    },
    declare: (shape, { node, pointer: at }, hint) => {
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
        budget = mostParts
        const shape = attempt(() => {
          const whole = read(parts, name)
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
  isObject(node) &&
  (takesNull(node) ||
    ["oneOf", "anyOf"].some((key) => list(node, key).some((one) => isObject(one) && one["type"] === "null")))

const isOtherTime = ({ node }: Facts.Facts["nodes"][number]) => Pattern.isOtherTime(text(node, "pattern") ?? "")

/** Whether a schema has no parts. */
const isScalar = ({ additional, alternatives, items, prefix, properties }: Facts.Facts): boolean =>
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
