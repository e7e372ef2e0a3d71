import * as Predicate from "effect/Predicate"
import { isObject, list, object, pointer } from "../read/Json.ts"
import { type Builder, type Context, isFull, most, noteNull, placeOf } from "./Builder.ts"
import * as Numeric from "./Numeric.ts"
import * as Pattern from "./Pattern.ts"
import type { Schema } from "./References.ts"
import type { Schemas } from "./Schemas.ts"
import type { Whole } from "./Whole.ts"
import * as Text from "./Text.ts"
import { Beyond, extra } from "./Variation.ts"

/** The values of the fields that tell alternatives apart, and the names of all such fields. */
export interface Tags {
  readonly values: ReadonlyMap<string, unknown>
  readonly names: ReadonlySet<string>
}

/** The required fields, with those that they require. */
const requiredOf = ({ nodes, required }: Whole): ReadonlySet<string> => {
  const found = new Set(required)
  // grows while it is read
  for (const name of found)
    for (const { node } of nodes)
      for (const other of list(object(node, "dependentRequired"), name)) found.add(String(other))
  return found
}

/** Names for fields that no schema names, which differ from the ones that are taken. */
const otherNames = (schemas: Schemas, { nodes }: Whole, isTaken: (name: string) => boolean) => {
  const rules = nodes.flatMap((one) =>
    isObject(one.node["propertyNames"]) ? [schemas.child(one, "propertyNames")] : []
  )
  const rule = rules.length === 0 ? undefined : schemas.whole(rules)
  const texts = rule?.nodes.map(({ node }) => node)
  return {
    isLimited: rule !== undefined,
    nameOf: (i: number): string => {
      const own = (rule?.values ?? []).filter(Predicate.isString).find((name) => !isTaken(name))
      if (own !== undefined) return own
      if (texts !== undefined) return Text.make(texts, i)
      return i === 0 ? "other key" : `other key ${i}`
    }
  }
}

/** Puts fields into an object, where they are required, or optional and not one too many. */
const putting = ({ height, of, schemas, tally, variation }: Builder, whole: Whole, context: Context, tags: Tags) => {
  const { at, inside } = context
  const depth = context.depth + 1
  const greatest = Math.min(Infinity, ...Numeric.numbersOf(whole, "maxProperties"))
  const fields: Record<string, unknown> = {}
  let count = 0
  const isFilled = (key: string, parts: ReadonlyArray<Schema>, at: string) => {
    const times = (tally.filled.get(key) ?? 0) + 1
    tally.filled.set(key, times)
    if (!isFull(variation, at) || inside.includes(key) || times > most.times) return false
    if (++tally.optional > most.optional || depth > most.optionalLevels) return false
    return count < greatest && Number.isFinite(height(parts))
  }
  return {
    fields,
    count: () => count,
    /** `isNamed`: by the schema itself, not by a pattern. */
    put: (name: string, parts: ReadonlyArray<Schema>, isRequired: boolean, isNamed = true): void => {
      // names of the prototype are left out
      if (name in Object.prototype || name in fields) return
      const key = parts[0]?.pointer ?? `${whole.nodes[0]?.pointer} ${name}`
      const place = `${at}${pointer("", name)}`
      if (!isRequired && !isFilled(key, parts, place)) return
      const isTag = tags.values.has(name) || tags.names.has(name)
      const takesNull = parts.length > 0 && schemas.takesNull(parts)
      const isAbsent = parts.length > 0 && isNamed && variation.side === "response" && !isRequired
      const isNull = !isTag && (takesNull || isAbsent)
      if (isNull) noteNull(tally, depth, key)
      fields[name] =
        (isNull && variation.nullDepth === depth) || (inside.includes(key) && takesNull)
          ? null
          : of(parts, { at: place, depth, inside: [...inside, key], isTag })
      count++
    }
  }
}

export const make = (builder: Builder, whole: Whole, context: Context, tags: Tags): object => {
  const { schemas, tally, variation } = builder
  const { hasExtra = false, side } = variation
  const { additional, patterns, properties } = whole
  const fewest = Math.max(0, ...Numeric.numbersOf(whole, "minProperties"))
  if (fewest > most.values) throw new Beyond({ message: `an object has at least ${fewest} fields` })
  const { count, fields, put } = putting(builder, whole, context, tags)
  const isLeftOut = (parts: ReadonlyArray<Schema>) => schemas.isHidden(parts, side)
  const required = requiredOf(whole)
  for (const [name, parts] of properties) if (!isLeftOut(parts)) put(name, parts, required.has(name))
  const others = additional.filter(({ node }) => isObject(node))
  const { isLimited, nameOf } = otherNames(schemas, whole, (name) => name in fields || properties.has(name))
  const fitting = (name: string) => {
    const own = patterns.flatMap(([pattern, part]) => (Pattern.isMatch(pattern, name) ? [part] : []))
    return own.length > 0 ? own : others
  }
  for (const name of required) if (!properties.has(name)) put(name, fitting(name), true)
  const hasOthers = isFull(variation, context.at)
  if (hasOthers)
    for (const [pattern, part] of patterns) {
      const [name] = Pattern.examples([pattern]).filter((name) => !properties.has(name))
      if (name !== undefined) put(name, [part], false, false)
    }
  for (const [name, parts] of properties) if (count() < fewest && !isLeftOut(parts)) put(name, parts, true)
  if (hasOthers && others.length > 0) put(nameOf(0), others, false, false)
  for (let i = 0; count() < fewest && i < fewest; i++) {
    const name = nameOf(i)
    put(name, fitting(name), true)
  }
  // a field whose name every value fits is none that could come later
  if (others.length === 0 && !isLimited) {
    tally.objects.add(placeOf(whole))
    if (hasExtra) fields[extra] = [{ kept: true }]
  }
  return { ...fields, ...Object.fromEntries(tags.values) }
}
