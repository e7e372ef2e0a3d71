import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import { isObject, list, object, pointer, text } from "../../read/Json.ts"
import * as Choices from "./Choices.ts"
import * as Digits from "./Digits.ts"
import { bytesOf, isBinary, make as describing } from "./Example.ts"
import * as Height from "./Height.ts"
import * as Judge from "./Judge.ts"
import { mend } from "./Mend.ts"
import * as Numeric from "./Numeric.ts"
import * as Pattern from "./Pattern.ts"
import { type Choice, isNullOnly, type Schema, type Schemas, type Side, type Whole } from "./Schemas.ts"
import * as Text from "./Text.ts"

/** A value would be larger than a call may be. */
export class Beyond extends Data.TaggedError("Beyond")<{ readonly message: string }> {}

/** The name of a field that no document has. */
export const extra = "x-verify-extra"

export interface Variation {
  readonly side: Side
  /** Whether it has all fields, or only those that are required. */
  readonly isFull: boolean
  /** The alternatives at each place that has some; of `anyOf`, several together. Default: the first. */
  readonly chosen?: ReadonlyMap<string, ReadonlyArray<number>>
  /** How many known values are skipped before the one that an enum has. */
  readonly skip?: number
  /** How deep the fields are that are `null`. */
  readonly nullDepth?: number
  /** Whether enums have a value that the document does not name. */
  readonly hasNewValues?: boolean
  /** Whether objects have a field that the document does not name. */
  readonly hasExtra?: boolean
  /** The place that has an alternative which the document does not name. */
  readonly newVariant?: string
  /** Whether texts that stand for bytes are bytes. */
  readonly hasBytes?: boolean
  /** Which of the document's examples is the value, where it has some; and one for the whole. */
  readonly example?: number | undefined
  readonly given?: unknown
  /** Whether integers of 64 bits are more than a number of JavaScript holds. */
  readonly hasLongs?: boolean
  /** The end of free texts. */
  readonly letters?: string
  /** Whether what may be anything is a text, as in a query. */
  readonly isText?: boolean
}

/** A value, and what else it could be. */
export interface Made {
  readonly value: unknown
  /** How many alternatives each place has. */
  readonly alternatives: ReadonlyMap<string, number>
  /** The places of which several alternatives may fit. */
  readonly open: ReadonlySet<string>
  /** The places that can have a new variant. */
  readonly growing: ReadonlySet<string>
  readonly nullDepth: number
  /** How many fields have a value of an enum, and how many values the longest has. */
  readonly enums: number
  readonly values: number
  /** How many examples the place with the most has. */
  readonly examples: number
  /** Whether it is none of what it was to be: alternatives that no value fits at once, or one that is not new. */
  readonly isApart: boolean
  /** The required fields at the top that have no alternatives. */
  readonly required: ReadonlyArray<string>
  /** Left out, since no value was found for it. */
  readonly dropped: ReadonlyArray<string>
  /** Why it does not fit the schema, if none was found that does. */
  readonly misfit: () => string | undefined
}

/** So many values are in one, so many levels, and so many fields that are optional; each of these so often. */
const most = { values: 20_000, levels: 64, optional: 2_000, times: 2 }

interface Context {
  /** Where in the value it is, as a JSON pointer. */
  readonly at: string
  readonly depth: number
  readonly inside: ReadonlyArray<string>
  /** The value tells alternatives apart. */
  readonly isTag: boolean
}

/** A variation with the example of a place that has some of its own. */
export const withExamples = (variation: Variation, examples: ReadonlyArray<unknown>): Variation => {
  const { example } = variation
  return example === undefined || examples.length === 0
    ? variation
    : { ...variation, given: examples[example % examples.length] }
}

/** Makes values of a document's schemas. */
export const make = (schemas: Schemas) => {
  const judges = {
    response: Judge.make(schemas, { side: "response" }),
    request: Judge.make(schemas, { side: "request" })
  }
  const { isConstraint } = schemas
  const height = Height.make(schemas)
  const described = describing(schemas, judges)
  const build = (
    top: Schema,
    variation: Variation,
    off: ReadonlySet<string> = new Set()
  ): Made & { readonly used: ReadonlyMap<string, string> } => {
    const { hasExtra = false, hasLongs = false, hasNewValues = false, isFull, side } = variation
    const alternatives = new Map<string, number>()
    const open = new Set<string>()
    const growing = new Set<string>()
    const filled = new Map<string, number>()
    let position = 0
    let isApart = false
    const fits = (part: Schema, value: unknown) => judges[variation.side](part, value) === undefined
    let optional = 0
    let nullDepth = 0
    let enums = 0
    let longest = 1
    let examples = 0
    /** The schemas whose example is the value, by place. */
    const used = new Map<string, string>()
    const exampled = (parts: ReadonlyArray<Schema>, at: string): { readonly value: unknown } | undefined => {
      const { nodes } = schemas.whole(parts)
      const key = nodes[0]?.pointer ?? ""
      const own = nodes.flatMap(({ node }) => [
        ...("example" in node ? [node["example"]] : []),
        ...list(node, "examples")
      ])
      examples = Math.max(examples, own.length)
      const { example, given } = variation
      const isWhole = at === "" && given !== undefined
      if (example === undefined || (!isWhole && (own.length === 0 || off.has(key)))) return undefined
      const value = described(parts, isWhole ? given : own[example % own.length], variation)
      if (value === undefined) return undefined
      if (!isWhole) used.set(at, key)
      return { value }
    }

    const array = (whole: Whole, context: Context): ReadonlyArray<unknown> => {
      const { items, nodes, prefix } = whole
      const least = Math.max(0, ...Numeric.numbersOf(whole, "minItems"))
      if (least > most.values) throw new Beyond({ message: `a list has at least ${least} items` })
      const key = `${nodes[0]?.pointer}[]`
      const isAgain = context.inside.includes(key)
      const usual = isFull
        ? Math.max(2, prefix.length)
        : side === "response" || prefix.length > 0
          ? Math.max(1, prefix.length)
          : 0
      const wanted = isAgain ? 0 : Math.min(...Numeric.numbersOf(whole, "maxItems"), usual)
      const inside = [...context.inside, key]
      const found = Array.from({ length: Math.max(least, wanted) }, (_, i) => {
        const parts = prefix[i] ?? items
        const isNull = parts.length > 0 && schemas.takesNull(parts)
        if (isNull) nullDepth = Math.max(nullDepth, context.depth + 1)
        if (isNull && i === 0 && variation.nullDepth === context.depth + 1) return null
        return of(parts, { at: `${context.at}/${i}`, depth: context.depth + 1, inside, isTag: false })
      })
      const isUnique = nodes.some(({ node }) => node["uniqueItems"] === true)
      return isUnique ? [...new Map(found.map((item) => [Digits.stringify(item), item])).values()] : found
    }

    const isLeftOut = (parts: ReadonlyArray<Schema>) => schemas.isHidden(parts, side)

    const struct = (
      whole: Whole,
      context: Context,
      tags: ReadonlyMap<string, unknown>,
      tellers: ReadonlySet<string>
    ) => {
      const { additional, nodes, patterns, properties } = whole
      const fields: Record<string, unknown> = {}
      const depth = context.depth + 1
      const fewest = Math.max(0, ...Numeric.numbersOf(whole, "minProperties"))
      const greatest = Math.min(Infinity, ...Numeric.numbersOf(whole, "maxProperties"))
      if (fewest > most.values) throw new Beyond({ message: `an object has at least ${fewest} fields` })
      const put = (name: string, parts: ReadonlyArray<Schema>, isRequired: boolean, isNamed = true) => {
        // names of the prototype are left out
        if (name in Object.prototype || name in fields) return
        const key = parts[0]?.pointer ?? `${nodes[0]?.pointer} ${name}`
        if (!isRequired) {
          const times = (filled.get(key) ?? 0) + 1
          filled.set(key, times)
          if (!isFull || context.inside.includes(key) || times > most.times || ++optional > most.optional || depth > 10)
            return
          if (Object.keys(fields).length >= greatest || !Number.isFinite(height(parts))) return
        }
        const isTag = tags.has(name) || tellers.has(name)
        const isNull =
          !isTag && parts.length > 0 && (schemas.takesNull(parts) || (isNamed && side === "response" && !isRequired))
        if (isNull) nullDepth = Math.max(nullDepth, depth)
        fields[name] =
          (isNull && variation.nullDepth === depth) || (context.inside.includes(key) && schemas.takesNull(parts))
            ? null
            : of(parts, { at: `${context.at}${pointer("", name)}`, depth, inside: [...context.inside, key], isTag })
      }
      const required = new Set(whole.required)
      // grows while it is read
      for (const name of required)
        for (const { node } of nodes)
          for (const other of list(object(node, "dependentRequired"), name)) required.add(String(other))
      for (const [name, parts] of properties) if (!isLeftOut(parts)) put(name, parts, required.has(name))
      const others = additional.filter(({ node }) => isObject(node))
      const rules = nodes.flatMap((one) =>
        isObject(one.node["propertyNames"]) ? [schemas.child(one, "propertyNames")] : []
      )
      const rule = rules.length === 0 ? undefined : schemas.whole(rules)
      const nameOf = (i: number) => {
        const own = (rule?.values ?? []).filter(Predicate.isString).filter((name) => !(name in fields))
        if (own.length > 0) return own[0] ?? ""
        if (rule !== undefined)
          return Text.make(
            rule.nodes.map(({ node }) => node),
            i
          )
        return i === 0 ? "other key" : `other key ${i}`
      }
      const fitting = (name: string) => {
        const own = patterns.flatMap(([pattern, part]) => (Pattern.isMatch(pattern, name) ? [part] : []))
        return own.length > 0 ? own : others
      }
      for (const name of required) if (!properties.has(name)) put(name, fitting(name), true)
      if (isFull)
        for (const [pattern, part] of patterns) {
          const [name] = Pattern.examples([pattern]).filter((name) => !properties.has(name))
          if (name !== undefined) put(name, [part], false, false)
        }
      for (const [name, parts] of properties)
        if (Object.keys(fields).length < fewest && !isLeftOut(parts)) put(name, parts, true)
      if (isFull && others.length > 0) put(nameOf(0), others, false, false)
      for (let i = 0; Object.keys(fields).length < fewest && i < fewest; i++) {
        const name = nameOf(i)
        put(name, fitting(name), true)
      }
      // a field whose name every value fits is none that could come later
      if (hasExtra && others.length === 0 && rule === undefined) fields[extra] = [{ kept: true }]
      return { ...fields, ...Object.fromEntries(tags) }
    }

    const choose = (group: Choice, context: Context, canGrow: boolean): ReadonlyArray<Schema> => {
      const { kind, parts, site } = group
      const useful = parts.filter((part) => !isNullOnly(part) && !isNullOnly(schemas.follow(part)))
      const isAgain = context.inside.includes(site)
      const isPlain = useful.every(isConstraint)
      if (!isPlain && !isAgain && useful.length > 1) alternatives.set(site, useful.length)
      const asObjects = useful.filter((part) => Choices.isStruct(schemas, schemas.whole([part])))
      if (kind === "anyOf" && asObjects.length > 1 && !isPlain) open.add(site)
      if (
        canGrow &&
        kind !== "if" &&
        text(group.discriminator, "defaultMapping") === undefined &&
        !isPlain &&
        asObjects.length === useful.length &&
        (useful.length > 1 || kind === "heirs")
      )
        growing.add(site)
      const levels = useful.map((part) => height([part]))
      if (isAgain || levels.some((one) => !Number.isFinite(one))) {
        const shortest = useful[levels.indexOf(Math.min(...levels))]
        const wanted = isAgain
          ? undefined
          : variation.chosen?.get(site)?.flatMap((i) => (Number.isFinite(levels[i]) ? (useful[i] ?? []) : []))
        return wanted !== undefined && wanted.length > 0 ? wanted : shortest === undefined ? [] : [shortest]
      }
      return (variation.chosen?.get(site) ?? [0]).flatMap((i) => useful[i] ?? [])
    }

    const of = (parts: ReadonlyArray<Schema>, context: Context): unknown => {
      if (++position > most.values) throw new Beyond({ message: `an example has more than ${most.values} values` })
      if (context.depth > most.levels) throw new Beyond({ message: `an example has more than ${most.levels} levels` })
      const found = context.isTag ? undefined : exampled(parts, context.at)
      if (found !== undefined) return found.value
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
          const value = plain(whole, { ...context, inside }, tags, tellers)
          isApart ||= !both.every((part) => fits(part, value))
          return value
        }
        done.add(group.site)
        canGrow &&= !Choices.isComplete(schemas, group)
        const chosen = choose(group, { ...context, inside }, canGrow)
        if (chosen.length > 1) both.push(...chosen)
        for (const field of Choices.tellersOf(schemas, group)) tellers.add(field)
        if (variation.newVariant === group.site && !context.inside.includes(group.site)) {
          const base = plain(whole, { ...context, inside: [...inside, group.site] }, new Map(), tellers)
          const fresh = Choices.freshOf(schemas, group, all, tellers)
          const isBase = isObject(base) && group.kind === "heirs"
          if (fresh.length === 0 || fresh.some(([, value]) => value !== true)) {
            const value = { ...(isBase ? base : {}), ...Object.fromEntries(fresh), [extra]: [{ kept: true }] }
            isApart ||=
              text(group.discriminator, "propertyName") === undefined &&
              (group.parts.some((part) => fits(part, value)) ||
                Choices.isGrown(schemas, group, new Set(fresh.map(([name]) => name))))
            return value
          }
        }
        inside = [...inside, group.site]
        all = [...all, ...chosen]
        const [only] = chosen
        const tag =
          only === undefined || chosen.length > 1 ? undefined : Choices.tagOf(schemas, group, only, schemas.whole(all))
        const isTold = ({ discriminator, parts }: Choice) =>
          [undefined, tag?.[0]].includes(text(discriminator, "propertyName")) &&
          parts.some((part) => schemas.whole([part]).properties.has(tag?.[0] ?? ""))
        // each of its own alternatives has another
        if (tag !== undefined && !Choices.left(schemas, schemas.whole(all), done).some(isTold)) tags.set(...tag)
      }
    }

    const typeOf = (whole: Whole): string => {
      const named = [...(whole.types ?? [])].filter((type) => type !== "null")
      if (named.length > 1) {
        const site = `${whole.nodes[0]?.pointer}/type`
        alternatives.set(site, named.length)
        return named[variation.chosen?.get(site)?.[0] ?? 0] ?? "string"
      }
      const [only] = named
      if (only !== undefined) return only
      if (whole.types?.has("null") === true) return "null"
      if (Choices.isStruct(schemas, whole)) return "object"
      if (whole.items.length + whole.prefix.length > 0) return "array"
      const says = (...keys: ReadonlyArray<string>) => whole.nodes.some(({ node }) => keys.some((key) => key in node))
      if (says("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")) return "number"
      return says("format", "pattern", "minLength", "maxLength", "contentMediaType", "contentEncoding")
        ? "string"
        : "any"
    }

    const plain = (
      whole: Whole,
      context: Context,
      tags: ReadonlyMap<string, unknown>,
      tellers: ReadonlySet<string>
    ): unknown => {
      const values = whole.values?.filter((value) => value !== null) ?? []
      if (values.length === 0 && whole.values?.includes(null) === true) return null
      if (values.length > 0) {
        longest = Math.max(longest, values.length)
        if (!context.isTag) {
          const isGrowing = values.every((value) => typeof value === "string")
          if (isGrowing) enums++
          if (hasNewValues && isGrowing) return `${Choices.unknown} ${position}`
        }
        const typed = values.filter(
          (value) =>
            whole.types === undefined ||
            whole.types.has(kindOf(value)) ||
            (Number.isInteger(value) && whole.types.has("integer"))
        )
        const all = typed.length > 0 ? typed : values
        return all[(position + (variation.skip ?? 0)) % all.length]
      }
      const type = typeOf(whole)
      switch (type) {
        case "object":
          return struct(whole, context, tags, tellers)
        case "array":
          return array(whole, context)
        case "boolean":
          return position % 2 === 0
        case "null":
          return null
        case "integer":
        case "number":
          return Numeric.make(whole, position, type === "integer", isFull && hasLongs)
        case "any":
          if (variation.isText !== true && isFull) return { any: ["value", position + 0.5, true, null] }
      }
      if (variation.hasBytes === true && isBinary(whole)) return bytesOf(position)
      return Text.make(
        whole.nodes.map(({ node }) => node),
        position,
        isBinary(whole) ? "" : variation.letters
      )
    }

    if (!Number.isFinite(height([top]))) throw new Beyond({ message: "each of its values contains another one" })
    const value = of([top], { at: "", depth: 0, inside: [], isTag: false })
    const whole = schemas.whole([top])
    const names = isObject(value) && whole.choices.length === 0 ? Object.keys(value) : []
    const required = names.filter((name) => whole.required.has(name) && whole.properties.has(name))
    return {
      value,
      alternatives,
      open,
      growing,
      nullDepth,
      enums,
      values: longest,
      examples,
      used,
      required,
      isApart,
      dropped: [],
      misfit: () => undefined
    }
  }

  const judged = (schema: Schema, made: Made, side: Side): Made => {
    const judge = judges[side]
    const wrong = judge(schema, made.value)
    if (wrong === undefined) return made
    return { ...made, ...(mend(schema, made.value, judge) ?? { misfit: () => Judge.show(wrong) }) }
  }

  /** A value with the examples that fit; one for the whole is not replaced. */
  const exemplary = (schema: Schema, variation: Variation): Made => {
    const off = new Set<string>()
    for (;;) {
      const made = build(schema, variation, off)
      const wrong = judges[variation.side](schema, made.value)
      if (wrong === undefined) return { ...made, isApart: made.used.size === 0 && variation.given === undefined }
      const [, bad] = [...made.used].findLast(([at]) => wrong.instancePath.startsWith(at)) ?? []
      // OpenAPI follows one in place of the example, but takes its value as it is
      const isReference = isObject(variation.given) && Object.keys(variation.given).join() === "$ref"
      const misfit = () => (isReference ? "its value is a $ref, which is not followed there" : Judge.show(wrong))
      if (bad === undefined) return { ...made, misfit }
      off.add(bad)
    }
  }

  /** Makes a value of a schema, the same each time; throws {@link Beyond} where it would be too large. */
  return (schema: Schema, variation: Variation): Made => {
    if (variation.example !== undefined) return exemplary(schema, variation)
    const made = build(schema, variation)
    const { hasExtra, hasNewValues, newVariant, nullDepth, ...base } = variation
    // what comes later, and null in place of an absent field, is not in the document: what it was before is judged
    const isLater = hasExtra === true || hasNewValues === true || newVariant !== undefined
    if (isLater || (nullDepth !== undefined && variation.side === "response"))
      return {
        ...made,
        misfit: () => {
          const { dropped, misfit } = judged(schema, build(schema, base), variation.side)
          return dropped[0] ?? misfit()
        }
      }
    return judged(schema, made, variation.side)
  }
}

const kindOf = (value: unknown) =>
  typeof value === "object" ? (Array.isArray(value) ? "array" : "object") : typeof value
