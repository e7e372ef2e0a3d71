import { isObject, list, text } from "../read/Json.ts"
import {
  type Builder,
  type Context,
  enter,
  isFull,
  type Known,
  noteChoice,
  type Options,
  placeOf,
  tallying
} from "./Builder.ts"
import * as Choices from "./Choices.ts"
import { bytesOf, isBinary } from "./Example.ts"
import * as Lists from "./Lists.ts"
import * as Numeric from "./Numeric.ts"
import * as Objects from "./Objects.ts"
import type { Schema } from "./References.ts"
import { isNullOnly, type Schemas } from "./Schemas.ts"
import type { Choice, Whole } from "./Whole.ts"
import * as Text from "./Text.ts"
import { Beyond, extra, type Made, type Variation } from "./Variation.ts"

/** The example that is the value of schemas, if they have one which is not `off`. */
const exampled = (
  { described, schemas, tally, variation }: Builder,
  parts: ReadonlyArray<Schema>,
  at: string,
  off: ReadonlySet<string>
): { readonly value: unknown } | undefined => {
  const { nodes } = schemas.whole(parts)
  const key = nodes[0]?.pointer ?? ""
  const own = nodes.flatMap(({ node }) => [...("example" in node ? [node["example"]] : []), ...list(node, "examples")])
  tally.examples = Math.max(tally.examples, own.length)
  const { example, given } = variation
  const isWhole = at === "" && given !== undefined
  if (example === undefined || (!isWhole && (own.length === 0 || off.has(key)))) return undefined
  const value = described(parts, isWhole ? given : own[example % own.length], variation)
  if (value === undefined) return undefined
  if (!isWhole) tally.used.set(at, key)
  return { value }
}

export const optionsOf = (
  schemas: Schemas,
  height: Known["height"],
  { discriminator, kind, parts }: Choice
): Options => {
  const useful = parts.filter((part) => !isNullOnly(part) && !isNullOnly(schemas.follow(part)))
  const isPlain = useful.every(schemas.isConstraint)
  const { length } = useful.filter((part) => Choices.isStruct(schemas, schemas.whole([part])))
  const isListed = kind !== "if" && text(discriminator, "defaultMapping") === undefined
  const levels = useful.map((part) => height([part]))
  const isTold = text(discriminator, "propertyName") !== undefined
  const count = isTold ? length : new Set(useful.map(({ node }) => JSON.stringify(node))).size
  return {
    useful,
    levels,
    areBounded: levels.every(Number.isFinite),
    isPlain,
    isOpen: kind === "anyOf" && length > 1 && !isPlain && !isTold,
    canGrow: isListed && !isPlain && length === useful.length && (count > 1 || kind === "heirs")
  }
}

const fits = ({ judges, variation }: Builder, part: Schema, value: unknown) =>
  judges[variation.side](part, value) === undefined

/** The alternatives of a choice that a value has. */
const choose = (
  { options, tally, variation }: Builder,
  group: Choice,
  context: Context,
  canGrow: boolean
): ReadonlyArray<Schema> => {
  const { site } = group
  const { areBounded, isOpen, isPlain, levels, useful, ...grown } = options(group)
  const isAgain = context.inside.includes(site)
  if (!isPlain && !isAgain && useful.length > 1) noteChoice(tally, site, useful.length, context.at)
  if (isOpen) tally.open.add(site)
  if (canGrow && grown.canGrow) tally.growing.set(site, tally.growing.get(site) ?? context.at)
  const chosen = variation.chosen?.get(site)
  if (!isAgain && areBounded) return (chosen ?? [0]).flatMap((i) => useful[i] ?? [])
  const wanted = isAgain ? [] : (chosen ?? []).flatMap((i) => (Number.isFinite(levels[i]) ? (useful[i] ?? []) : []))
  if (wanted.length > 0) return wanted
  const shortest = useful[levels.indexOf(Math.min(...levels))]
  return shortest === undefined ? [] : [shortest]
}

/** An alternative of a choice that the document does not name, or `undefined` if there can be none. */
const newVariant = (
  builder: Builder,
  group: Choice,
  all: ReadonlyArray<Schema>,
  context: Context,
  tellers: ReadonlySet<string>
): object | undefined => {
  const { schemas, tally } = builder
  const base = plain(builder, schemas.whole(all), context, { values: new Map(), names: tellers })
  const fresh = Choices.freshOf(schemas, group, all, tellers)
  if (fresh.length > 0 && fresh.every(([, value]) => value === true)) return undefined
  const isBase = isObject(base) && group.kind === "heirs"
  const value = { ...(isBase ? base : {}), ...Object.fromEntries(fresh), [extra]: [{ kept: true }] }
  const isKnown = () =>
    group.parts.some((part) => fits(builder, part, value)) ||
    Choices.isGrown(schemas, group, new Set(fresh.map(([name]) => name)))
  tally.isApart ||= text(group.discriminator, "propertyName") === undefined && isKnown()
  return value
}

/** A value of schemas that is no example: of the alternatives that are chosen, one choice after the other. */
const composed = (builder: Builder, parts: ReadonlyArray<Schema>, context: Context): unknown => {
  const { schemas, tally, variation } = builder
  const done = new Set<string>()
  const tags = new Map<string, unknown>()
  const tellers = new Set<string>()
  const both: Array<Schema> = []
  let all = parts
  let inside = context.inside
  let canGrow = true
  for (;;) {
    const whole = schemas.whole(all)
    const [group] = Choices.left(schemas, whole, done)
    if (group === undefined) {
      const value = plain(builder, whole, { ...context, inside }, { values: tags, names: tellers })
      tally.isApart ||= !both.every((part) => fits(builder, part, value))
      return value
    }
    const { site } = group
    done.add(site)
    canGrow &&= !Choices.isComplete(schemas, group)
    const chosen = choose(builder, group, { ...context, inside }, canGrow)
    if (chosen.length > 1) both.push(...chosen)
    for (const field of Choices.tellersOf(schemas, group)) tellers.add(field)
    inside = [...inside, site]
    if (variation.newVariant === site && !context.inside.includes(site)) {
      const found = newVariant(builder, group, all, { ...context, inside }, tellers)
      if (found !== undefined) return found
    }
    all = [...all, ...chosen]
    const [only] = chosen
    const tag =
      only === undefined || chosen.length > 1 ? undefined : Choices.tagOf(schemas, group, only, schemas.whole(all))
    const isTold = ({ discriminator, parts }: Choice) =>
      [undefined, tag?.[0]].includes(text(discriminator, "propertyName")) &&
      parts.some((part) => schemas.whole([part]).properties.has(tag?.[0] ?? ""))
    // each of its own alternatives has another
    if (tag !== undefined && !Choices.left(schemas, schemas.whole(all), done).some(isTold)) {
      const [name, values] = tag
      tally.known.set(`${only?.pointer} ${name}`, values.length)
      tags.set(name, values[(variation.skip ?? 0) % values.length])
    }
  }
}

/** The type of a value, `any` where nothing is said. */
const typeOf = ({ schemas, tally, variation }: Builder, whole: Whole, { at }: Context): string => {
  const named = [...(whole.types ?? [])].filter((type) => type !== "null")
  if (named.length > 1) {
    const site = `${whole.nodes[0]?.pointer}/type`
    noteChoice(tally, site, named.length, at)
    return named[variation.chosen?.get(site)?.[0] ?? 0] ?? "string"
  }
  const [only] = named
  if (only !== undefined) return only
  if (whole.types?.has("null") === true) return "null"
  if (Choices.isStruct(schemas, whole)) return "object"
  if (whole.items.length + whole.prefix.length > 0) return "array"
  const says = (...keys: ReadonlyArray<string>) => whole.nodes.some(({ node }) => keys.some((key) => key in node))
  if (says("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")) return "number"
  return says("format", "pattern", "minLength", "maxLength", "contentMediaType", "contentEncoding") ? "string" : "any"
}

const kindOf = (value: unknown) =>
  typeof value === "object" ? (Array.isArray(value) ? "array" : "object") : typeof value

/** One of the known values of an enum, or a new one. */
const knownValue = (
  { tally, variation }: Builder,
  whole: Whole,
  values: ReadonlyArray<unknown>,
  { isTag }: Context
): unknown => {
  const { types } = whole
  const place = placeOf(whole)
  tally.known.set(place, values.length)
  const isGrowing = !isTag && values.every((value) => typeof value === "string")
  if (isGrowing) tally.enums.add(place)
  if (isGrowing && variation.hasNewValues === true) return `${Choices.unknown} ${tally.position}`
  const typed = values.filter(
    (value) => types === undefined || types.has(kindOf(value)) || (Number.isInteger(value) && types.has("integer"))
  )
  const all = typed.length > 0 ? typed : values
  return all[(tally.position + (variation.skip ?? 0)) % all.length]
}

/** A value of a schema whose alternatives are chosen. */
const plain = (builder: Builder, whole: Whole, context: Context, tags: Objects.Tags): unknown => {
  const { tally, variation } = builder
  const { position } = tally
  const values = whole.values?.filter((value) => value !== null) ?? []
  if (values.length > 0) return knownValue(builder, whole, values, context)
  if (whole.values?.includes(null) === true) return null
  const type = typeOf(builder, whole, context)
  switch (type) {
    case "object":
      return Objects.make(builder, whole, context, tags)
    case "array":
      return Lists.make(builder, whole, context)
    case "boolean":
      tally.known.set(placeOf(whole), 2)
      return (position + (variation.skip ?? 0)) % 2 === 0
    case "null":
      return null
    case "integer":
    case "number":
      return Numeric.make(whole, position, type === "integer", variation)
    case "any":
      if (variation.isText !== true && isFull(variation, context.at))
        return { any: ["value", position + 0.5, true, null] }
  }
  if (variation.hasBytes === true && isBinary(whole)) return bytesOf(position)
  const nodes = whole.nodes.map(({ node }) => node)
  return Text.make(nodes, position, isBinary(whole) ? "" : variation.letters)
}

/** Makes a value of a schema, without the examples that are `off`. */
export const make = (known: Known, top: Schema, variation: Variation, off: ReadonlySet<string> = new Set()): Made => {
  if (!Number.isFinite(known.height([top]))) throw new Beyond({ message: "each of its values contains another one" })
  const tally = tallying()
  const builder: Builder = {
    ...known,
    variation,
    tally,
    of: (parts, context) => {
      enter(tally, context)
      const found = context.isTag ? undefined : exampled(builder, parts, context.at, off)
      return found === undefined ? composed(builder, parts, context) : found.value
    }
  }
  const value = builder.of([top], { at: "", depth: 0, inside: [], isTag: false })
  const { choices, properties, required } = known.schemas.whole([top])
  const names = isObject(value) && choices.length === 0 ? Object.keys(value) : []
  return {
    ...tally,
    value,
    size: tally.position,
    required: names.filter((name) => required.has(name) && properties.has(name)),
    dropped: [],
    misfit: () => undefined
  }
}
