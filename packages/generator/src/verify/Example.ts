import * as Predicate from "effect/Predicate"
import type { Document } from "../Document.ts"
import * as Facts from "../Facts.ts"
import type { Alternatives, Part } from "../Facts.ts"
import { isObject, list, type Place, text } from "../Json.ts"
import * as Digits from "./Digits.ts"
import { extra } from "./Difference.ts"
import * as ExampleText from "./ExampleText.ts"

/** What an example is like. */
export interface Variation {
  readonly side: "answer" | "request"
  /** Whether it has all fields, or only those that are required. */
  readonly isFull: boolean
  /** The alternative at each place that has some. Default: the first. */
  readonly alternatives?: ReadonlyMap<string, number>
  /** How many known values are skipped before the one that an enum has. */
  readonly skip?: number
  /** How deep the fields are that are `null`. */
  readonly nullDepth?: number
  /** Whether enums of an answer have a value that the document does not name. */
  readonly hasNewValues?: boolean
  /** Whether objects have a field that the document does not name. */
  readonly hasExtra?: boolean
}

/** An example, and what else it could be. */
export interface Example {
  readonly value: unknown
  /** How many alternatives each place has. */
  readonly alternatives: ReadonlyMap<string, number>
  /** How deep its fields go that can be `null`. */
  readonly nullDepth: number
  /** How many fields have a value of an open enum. */
  readonly enums: number
  /** How many known values the longest enum has. */
  readonly values: number
  /** The required fields at the top that have no alternatives. */
  readonly required: ReadonlyArray<string>
}

/** So many fields of one example are filled, though they are optional. */
const mostOptional = 2_000
/** So often each of them: what many schemas refer to would be written out in each place. */
const mostTimes = 2

const known = new WeakMap<object, Facts.Facts>()

/** What parts say together; of a single one it is known after the first time. */
const collect = (document: Document, parts: ReadonlyArray<Part>): Facts.Facts => {
  const [part] = parts
  if (parts.length !== 1 || !isObject(part?.node) || part.isBare === true || part.isClosed === true)
    return Facts.collect(document, parts)
  const facts = known.get(part.node) ?? Facts.collect(document, parts)
  known.set(part.node, facts)
  return facts
}

/** Whether a value can have no more levels than these. */
const ends = (document: Document, parts: ReadonlyArray<Part>, levels: number): boolean => {
  if (levels < 0) return false
  const { alternatives, items, nodes, properties, required } = collect(document, parts)
  const isShort = (parts: ReadonlyArray<Part>) => ends(document, parts, levels - 1)
  return (
    [...required].every((name) => isShort(properties.get(name) ?? [])) &&
    (nodes.every(({ node }) => !(Number(node["minItems"]) > 0)) || isShort(items)) &&
    alternatives.every(({ parts }) => parts.some((part) => Facts.isConstraint(part) || isShort([part])))
  )
}

/** The alternative that ends after the fewest levels: for what contains itself. */
const shortest = (document: Document, parts: ReadonlyArray<Part>): Part | undefined => {
  for (let levels = 0; levels < 8; levels++) {
    const found = parts.find((part) => ends(document, [part], levels))
    if (found !== undefined) return found
  }
  return parts.at(-1)
}

interface Context {
  readonly depth: number
  readonly inside: ReadonlyArray<string>
  /** The value tells alternatives apart. */
  readonly isTag: boolean
}

/** What says only "or null"; some exporters of 3.0 write it as `nullable: true` alone. */
const isNullOnly = ({ node }: Part) =>
  text(node, "type") === "null" ||
  (isObject(node) && node["nullable"] === true && Facts.isAnnotation(node) && !("$ref" in node))
const typeOf = (facts: Facts.Facts): string => {
  const types = Facts.typesOf(facts)
  return types.find((type) => type !== "null") ?? types[0] ?? "string"
}

/** Makes an example of a schema, the same each time. */
export const make = (document: Document, { node, pointer }: Place, variation: Variation): Example => {
  const { hasExtra = false, hasNewValues = false, isFull, side } = variation
  const alternatives = new Map<string, number>()
  let position = 0
  let optional = 0
  const filled = new Map<string, number>()
  let deepest = 0
  let enums = 0
  let longest = 1

  const numeric = (facts: Facts.Facts, isInteger: boolean): number | bigint => {
    const isExclusive = (key: string) => facts.nodes.some(({ node }) => node[key] === true)
    const format = Facts.textOf(facts, "format")
    const [multiple = 0] = Facts.numbersOf(facts, "multipleOf")
    const step = multiple > 0 ? multiple : isInteger ? 1 : 0.001
    const above = Facts.numbersOf(facts, "exclusiveMinimum").map((value) => value + step)
    const below = Facts.numbersOf(facts, "exclusiveMaximum").map((value) => value - step)
    const offset = (key: string) => (isExclusive(key) ? step : 0)
    const min = Math.max(
      -Infinity,
      ...above,
      ...Facts.numbersOf(facts, "minimum").map((n) => n + offset("exclusiveMinimum"))
    )
    const max = Math.min(
      Infinity,
      ...below,
      ...Facts.numbersOf(facts, "maximum").map((n) => n - offset("exclusiveMaximum"))
    )
    if (/^u?int64$/.test(format ?? "") && max > 2 ** 60 && multiple === 0)
      return isFull ? 9007199254740993n + 4n * BigInt(position) : Math.max(position, min)
    // of type number, but of an integer's format
    const isWhole = isInteger || /^u?int(?:32|64)$/.test(format ?? "")
    const wanted = isWhole || multiple > 0 ? position : position + 0.5
    const stepped = multiple > 0 ? Math.ceil(wanted / step) * step : wanted
    const least = multiple > 0 && Number.isFinite(min) ? Math.ceil(min / step) * step : min
    if (stepped >= least && stepped <= max) return stepped
    return Number.isFinite(least) ? least : max
  }

  const array = (facts: Facts.Facts, context: Context): ReadonlyArray<unknown> => {
    const least = Math.max(0, ...Facts.numbersOf(facts, "minItems"))
    const most = Math.min(Infinity, ...Facts.numbersOf(facts, "maxItems"))
    const isInside = facts.nodes.some(({ pointer }) => context.inside.includes(`${pointer}[]`))
    const usual = isFull ? Math.max(2, facts.prefix.length) : side === "answer" ? 1 : 0
    const wanted = isInside ? 0 : Math.min(most, usual)
    const inside = [...context.inside, ...facts.nodes.map(({ pointer }) => `${pointer}[]`)]
    const items = Array.from({ length: Math.max(least, wanted) }, (_, i) => {
      const prefix = facts.prefix[i]
      return of(prefix === undefined ? facts.items : [prefix], { ...context, inside, isTag: false })
    })
    const isUnique = facts.nodes.some(({ node }) => node["uniqueItems"] === true)
    return isUnique ? [...new Map(items.map((item) => [Digits.stringify(item), item])).values()] : items
  }

  const isHidden = (part: Part) => part.node === false || Facts.isHidden(document, side, part)

  /** A name that the document does not have. */
  const nameOf = ({ nodes }: Facts.Facts): string => {
    const rules = nodes.map((place) => document.child(place, "propertyNames").node)
    const [known] = rules.flatMap((rule) => list(rule, "enum")).filter(Predicate.isString)
    if (known !== undefined) return known
    const pattern = rules.map((rule) => text(rule, "pattern")).find(Predicate.isNotUndefined)
    return (pattern === undefined ? undefined : ExampleText.ofPattern(pattern)) ?? "other key"
  }

  const struct = (facts: Facts.Facts, context: Context, tags: ReadonlySet<string>): object => {
    const fields: Record<string, unknown> = {}
    const depth = context.depth + 1
    const isInside = (key: string) => context.inside.includes(key)
    const most = Math.min(Infinity, ...Facts.numbersOf(facts, "maxProperties"))
    const put = (name: string, parts: ReadonlyArray<Part>, isRequired: boolean) => {
      const key = parts[0]?.pointer ?? ""
      if (!isRequired) {
        const times = (filled.get(key) ?? 0) + 1
        filled.set(key, times)
        if (!isFull || isInside(key) || times > mostTimes || ++optional > mostOptional || depth > 10) return
        if (Object.keys(fields).length >= most) return
      }
      const isTag = tags.has(name)
      const isNullable = side === "answer" && !isRequired ? !isTag : collect(document, parts).isNull
      if (isNullable && !isTag) {
        deepest = Math.max(deepest, depth)
        if (variation.nullDepth === depth) {
          fields[name] = null
          return
        }
      }
      fields[name] = of(parts, { depth, inside: [...context.inside, key], isTag })
    }
    for (const [name, parts] of facts.properties) {
      if (name in Object.prototype || parts.some(isHidden)) continue
      put(name, parts, facts.required.has(name))
    }
    const additional: ReadonlyArray<Part> = typeof facts.additional === "object" ? facts.additional : []
    // an answer loses what no schema describes
    for (const name of side === "answer" && additional.length === 0 ? [] : facts.required) {
      if (!facts.properties.has(name) && !(name in Object.prototype)) put(name, additional, true)
    }
    const least = Math.max(0, ...Facts.numbersOf(facts, "minProperties"))
    for (const [name, parts] of facts.properties) {
      if (Object.keys(fields).length >= least) break
      if (!(name in Object.prototype || name in fields || parts.some(isHidden))) put(name, parts, true)
    }
    for (const { node } of facts.nodes) {
      const excluded = list(node["not"], "required").filter(Predicate.isString)
      const dropped = excluded.findLast((name) => !facts.required.has(name))
      if (dropped !== undefined && excluded.every((name) => name in fields)) delete fields[dropped]
    }
    const [value] = additional
    if (isFull && value !== undefined && !isInside(value.pointer)) put(nameOf(facts), additional, true)
    if (hasExtra && value === undefined) fields[extra] = [{ kept: true }]
    return fields
  }

  /** The value by which a discriminator names an alternative. */
  const tagOf = ({ discriminator }: Alternatives, part: Part): unknown => {
    const name = text(discriminator, "propertyName")
    const to = text(part.node, "$ref")
    if (name === undefined) return undefined
    const { alternatives, properties } = collect(document, [part])
    const inner = alternatives.flatMap(({ parts }) => parts.map((one) => collect(document, [one]).properties))
    // each of its own alternatives has another
    if (!properties.has(name) && inner.some((one) => one.has(name))) return undefined
    const tag = collect(document, properties.get(name) ?? [])
    const own = tag.values
    const mapped = Facts.mappingOf(discriminator).flatMap(([value, target]) =>
      target === to ? [Facts.tagOf(tag.types)(value)] : []
    )
    return (
      mapped.find((value) => own === undefined || own.includes(value)) ??
      own?.[0] ??
      (tag.alternatives.length > 0 ? undefined : to?.split("/").at(-1))
    )
  }

  /** Those that extend a schema whose discriminator names them. */
  const inheritance = (facts: Facts.Facts, parts: ReadonlyArray<Part>): ReadonlyArray<Alternatives> => {
    const heirs = Facts.heirsOf(document, facts, parts)
    if (heirs === undefined) return []
    const { children, discriminator, first } = heirs
    const own = children.map((to) => ({ node: { $ref: to }, pointer: first.pointer, isBare: true }))
    return [{ parts: own, isAny: false, discriminator }]
  }

  const of = (parts: ReadonlyArray<Part>, context: Context): unknown => {
    // no value has an end where a required field contains itself: the round fails, and names the field
    if (context.depth > 64) return null
    position++
    const facts = collect(document, parts)
    const isWhole = side === "answer" || isFull
    const groups = (facts.alternatives.length > 0 ? facts.alternatives : inheritance(facts, parts)).filter(
      (group) => !isWhole || !group.parts.every(Facts.isConstraint)
    )
    if (groups.length === 0) return plain(facts, context, new Set())
    const tags = new Map<string, unknown>()
    const chosen = groups.flatMap((group): ReadonlyArray<Part> => {
      const useful = group.parts.filter((part) => !isNullOnly(part))
      const site = group.parts[0]?.pointer ?? ""
      const isInside = context.inside.includes(site)
      if (!group.parts.every(Facts.isConstraint)) alternatives.set(site, useful.length)
      const part = isInside ? shortest(document, useful) : useful[variation.alternatives?.get(site) ?? 0]
      if (part === undefined) return []
      const name = text(group.discriminator, "propertyName")
      const tag = tagOf(group, part)
      if (name !== undefined && tag !== undefined) tags.set(name, tag)
      return [part]
    })
    const inside = [...context.inside, ...groups.map(({ parts }) => parts[0]?.pointer ?? "")]
    const whole = [...parts.map((part) => ({ ...part, isBare: true })), ...chosen]
    const merged = collect(document, whole)
    const value = merged.alternatives.some((group) => !isWhole || !group.parts.every(Facts.isConstraint))
      ? of(whole, { ...context, inside })
      : plain(merged, { ...context, inside }, tagNames(groups, tags))
    return isObject(value) ? { ...value, ...Object.fromEntries(tags) } : value
  }

  /** The fields that tell alternatives apart: those of the discriminator, and those with other known values in each. */
  const tagNames = (groups: ReadonlyArray<Alternatives>, tags: ReadonlyMap<string, unknown>): ReadonlySet<string> => {
    const found = new Set(tags.keys())
    for (const { parts } of groups) {
      for (const part of parts) {
        for (const [name, own] of collect(document, [part]).properties)
          if (collect(document, own).values !== undefined) found.add(name)
      }
    }
    return found
  }

  const plain = (facts: Facts.Facts, context: Context, tags: ReadonlySet<string>): unknown => {
    const values = facts.values?.filter((value) => value !== null) ?? []
    const type = typeOf(facts)
    if (values.length === 0 && facts.values?.length === 1) return null
    if (values.length > 0) {
      longest = Math.max(longest, values.length)
      const fitting = values.filter(
        (value) => facts.types === undefined || (typeof value === "string") === (type === "string")
      )
      const texts = fitting.filter(Predicate.isString)
      if (texts.length > 1 && texts.length === values.length && !context.isTag) {
        enums++
        if (hasNewValues) return `a new value ${position}`
      }
      return (fitting.length > 0 ? fitting : values)[(position + (variation.skip ?? 0)) % Math.max(1, fitting.length)]
    }
    switch (type) {
      case "object":
        return struct(facts, context, tags)
      case "array":
        return array(facts, context)
      case "boolean":
        return position % 2 === 0
      case "null":
        return null
      case "integer":
        return numeric(facts, true)
      case "number":
        return numeric(facts, false)
      default:
        return ExampleText.make(facts, position)
    }
  }

  const value = of([{ node, pointer }], { depth: 0, inside: [], isTag: false })
  const top = collect(document, [{ node, pointer }])
  const required =
    isObject(value) && top.alternatives.length === 0
      ? Object.keys(value).filter((name) => top.properties.has(name) && top.required.has(name))
      : []
  return { value, alternatives, nullDepth: deepest, enums, values: longest, required }
}

/** Whether a schema takes any text. */
export const isFree = (document: Document, { node, pointer }: Place): boolean => {
  const { alternatives, nodes } = collect(document, [{ node, pointer }])
  const checks = ["format", "pattern", "maxLength", "enum", "const"]
  return alternatives.length === 0 && nodes.every(({ node }) => checks.every((key) => !(key in node)))
}
