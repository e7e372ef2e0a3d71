import { Data, Predicate } from "effect"
import { isObject, keysOf, list, object, pointer, text } from "../../read/Json.ts"
import * as Digits from "./Digits.ts"
import * as Judge from "./Judge.ts"
import * as Pattern from "./Pattern.ts"
import {
  type Choice,
  isNullOnly,
  keyOf,
  reference,
  type Schema,
  type Schemas,
  type Side,
  type Whole
} from "./Schemas.ts"
import * as Text from "./Text.ts"

/** A value would be larger than a call may be. */
export class Beyond extends Data.TaggedError("Beyond")<{ readonly message: string }> {}

/** The name of a field that no document has. */
export const extra = "x-verify-extra"
/** A value that no enum has. */
export const unknown = "x-verify-new"

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

const bytesOf = (position: number) => Uint8Array.of(0, 127, 128, 195, 40, 254, 255, position % 256)

/** Whether a text stands for bytes. */
export const isBinary = ({ nodes }: Whole): boolean =>
  nodes.some(({ node }) => {
    const type = text(node, "contentMediaType")
    const isPlain = ["binary", "7bit", "8bit", undefined].includes(text(node, "contentEncoding"))
    return (
      [node["format"], node["contentEncoding"]].includes("binary") ||
      (type !== undefined && !/^text\/|json$/.test(type) && isPlain)
    )
  })

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

  const heights = new Map<string, number>()
  /** How many levels the smallest value has; infinite if each contains itself. */
  const height = (parts: ReadonlyArray<Schema>): number => {
    for (;;) {
      const before = heights.size
      const tried = new Set<string>()
      const found = heightIn(parts, tried)
      if (Number.isFinite(found)) return found
      if (heights.size > before) continue
      // what no further step makes finite
      for (const key of tried) if (!heights.has(key)) heights.set(key, Infinity)
      return Infinity
    }
  }
  const heightIn = (parts: ReadonlyArray<Schema>, tried: Set<string>): number => {
    if (parts.length === 0 || schemas.takesNull(parts)) return 0
    const { choices, items, keys, nodes, properties, required } = schemas.whole(parts)
    const key = [...keys].join("\n")
    const known = heights.get(key)
    if (known !== undefined) return known
    if (tried.has(key)) return Infinity
    tried.add(key)
    const inner = (own: ReadonlyArray<Schema>) => (own.length === 0 ? 0 : 1 + heightIn(own, tried))
    const fields = [...required].map((name) => inner(properties.get(name) ?? []))
    const isFilled = nodes.some(({ node }) => Number(node["minItems"]) > 0)
    const groups = choices
      .filter(({ kind, parts }) => (kind === "oneOf" || kind === "anyOf") && !parts.some((part) => isThere(keys, part)))
      .map(({ parts }) => Math.min(...parts.map((part) => (isConstraint(part) ? 0 : heightIn([part], tried)))))
    const found = Math.max(0, ...fields, ...groups, isFilled ? inner(items) : 0)
    if (Number.isFinite(found)) heights.set(key, found)
    return found
  }
  const isThere = (keys: ReadonlySet<string>, part: Schema) =>
    text(part.node, "$ref") !== undefined &&
    [...schemas.whole([part]).keys].every((key) => key === part.pointer || keys.has(key))

  /** The schemas of a field, in any alternative that takes the value. */
  const inField = (
    parts: ReadonlyArray<Schema>,
    name: string,
    takes: (part: Schema) => boolean,
    depth = 0
  ): ReadonlyArray<Schema> => {
    const { additional, choices, patterns, properties } = schemas.whole(parts)
    const own = [
      ...(properties.get(name) ?? []),
      ...patterns.flatMap(([pattern, part]) => (Pattern.isMatch(pattern, name) ? [part] : [])),
      ...(depth > 8
        ? []
        : choices.flatMap(({ parts }) =>
            parts.filter(takes).flatMap((part) => inField([part], name, takes, depth + 1))
          ))
    ]
    return own.length > 0 ? own : additional.filter(({ node }) => node !== false)
  }
  const hasFields = (parts: ReadonlyArray<Schema>, depth = 0): boolean => {
    const { choices, properties } = schemas.whole(parts)
    return properties.size > 0 || (depth < 8 && choices.some(({ parts }) => hasFields(parts, depth + 1)))
  }
  /**
   * An example without the fields that no schema describes, or that the other side has; `undefined` if it is no object where
   * fields are described without a type.
   */
  const described = (parts: ReadonlyArray<Schema>, value: unknown, variation: Variation): unknown => {
    const { choices, items, prefix, required, types } = schemas.whole(parts)
    if (Array.isArray(value)) {
      const others = choices.flatMap(({ parts }) => parts.flatMap((part) => schemas.whole([part]).items))
      const found = value.map((item: unknown, i) => described(prefix[i] ?? [...items, ...others], item, variation))
      return found.includes(undefined) ? undefined : found
    }
    if (typeof value === "string" && variation.hasBytes === true && isBinary(schemas.whole(parts))) return bytesOf(0)
    if (!hasFields(parts)) return value
    if (!isObject(value)) return types === undefined && choices.length === 0 ? undefined : value
    const fits = judges[variation.side]
    const takes = (part: Schema) => fits(part, value) === undefined
    const fields = Object.entries(value).flatMap(([name, field]) => {
      const own = inField(parts, name, takes)
      const isOther = own.length === 0 ? !required.has(name) : schemas.isHidden(own, variation.side)
      return isOther || name in Object.prototype ? [] : [[name, described(own, field, variation)]]
    })
    return fields.some(([, field]) => field === undefined) ? undefined : Object.fromEntries(fields)
  }

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

    const numeric = ({ nodes }: Whole, isInteger: boolean): number | bigint => {
      const numbers = (key: string) => nodes.flatMap(({ node }) => (typeof node[key] === "number" ? [node[key]] : []))
      const format = nodes.map(({ node }) => text(node, "format")).find(Predicate.isNotUndefined) ?? ""
      const multiple = Math.max(0, ...numbers("multipleOf"))
      const step = multiple > 0 ? multiple : isInteger ? 1 : 0.001
      const isOut = (key: string) => nodes.some(({ node }) => node[key] === true)
      const min = Math.max(
        -Infinity,
        ...numbers("exclusiveMinimum").map((n) => n + step),
        ...numbers("minimum").map((n) => n + (isOut("exclusiveMinimum") ? step : 0))
      )
      const max = Math.min(
        Infinity,
        ...numbers("exclusiveMaximum").map((n) => n - step),
        ...numbers("maximum").map((n) => n - (isOut("exclusiveMaximum") ? step : 0))
      )
      const isWhole = isInteger || /^u?int(?:32|64)$/.test(format)
      if (/^u?int64$/.test(format) && max > 2 ** 60 && multiple === 0)
        return isFull && hasLongs ? 9007199254740993n + 4n * BigInt(position) : Math.max(position, min)
      const wanted = isWhole || multiple > 0 ? position : position + 0.5
      const stepped = multiple > 0 ? Math.ceil(wanted / step) * step : wanted
      const least = isWhole || multiple > 0 ? Math.ceil(min / step) * step : min
      if (stepped >= least && stepped <= max) return stepped
      return Number.isFinite(least) ? least : isWhole ? Math.floor(max) : max
    }

    const array = (whole: Whole, context: Context): ReadonlyArray<unknown> => {
      const { items, nodes, prefix } = whole
      const numbers = (key: string) => nodes.flatMap(({ node }) => (typeof node[key] === "number" ? [node[key]] : []))
      const least = Math.max(0, ...numbers("minItems"))
      if (least > most.values) throw new Beyond({ message: `a list has at least ${least} items` })
      const key = `${nodes[0]?.pointer}[]`
      const isAgain = context.inside.includes(key)
      const usual = isFull
        ? Math.max(2, prefix.length)
        : side === "response" || prefix.length > 0
          ? Math.max(1, prefix.length)
          : 0
      const wanted = isAgain ? 0 : Math.min(...numbers("maxItems"), usual)
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
      const numbers = (key: string) => nodes.flatMap(({ node }) => (typeof node[key] === "number" ? [node[key]] : []))
      const fewest = Math.max(0, ...numbers("minProperties"))
      const greatest = Math.min(Infinity, ...numbers("maxProperties"))
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

    /** The values by which a discriminator can name an alternative. */
    const tagOf = ({ discriminator }: Choice, part: Schema, whole: Whole): readonly [string, unknown] | undefined => {
      const name = text(discriminator, "propertyName")
      if (name === undefined) return undefined
      const own = schemas.whole(whole.properties.get(name) ?? [])
      const to = text(part.node, "$ref")
      // what a schema extends can have its own of the same field
      const others = schemas.whole([part]).nodes.map(({ node }) => node["discriminator"])
      const mapped = [discriminator, ...others.filter((one) => text(one, "propertyName") === name)].flatMap((one) =>
        Object.entries(object(one, "mapping")).flatMap(([value, target]) =>
          typeof target === "string" && reference(target) === to ? [value] : []
        )
      )
      const type = [...(own.types ?? [])][0]
      const typed = (value: string): unknown =>
        type === "integer" || type === "number" ? Number(value) : type === "boolean" ? value === "true" : value
      const all = [...mapped, ...(to === undefined ? [] : [to.split("/").at(-1) ?? ""])].map(typed)
      const rest = text(discriminator, "defaultMapping")
      if (rest !== undefined && reference(rest) === to && own.values === undefined && type === "string")
        return [name, unknown]
      const found =
        own.values === undefined ? all[0] : (all.find((value) => own.values?.includes(value)) ?? own.values[0])
      return found === undefined ? undefined : [name, found]
    }

    const choose = (group: Choice, context: Context): ReadonlyArray<Schema> => {
      const { kind, parts, site } = group
      const useful = parts.filter((part) => !isNullOnly(part) && !isNullOnly(schemas.follow(part)))
      const isAgain = context.inside.includes(site)
      const isPlain = useful.every(isConstraint)
      if (!isPlain && !isAgain && useful.length > 1) alternatives.set(site, useful.length)
      const asObjects = useful.filter((part) => isStruct(schemas.whole([part])))
      if (kind === "anyOf" && asObjects.length > 1 && !isPlain) open.add(site)
      const name = text(group.discriminator, "propertyName") ?? ""
      // there is no third truth
      const isBoolean = useful.some(
        (part) => schemas.whole(schemas.whole([part]).properties.get(name) ?? []).types?.has("boolean") === true
      )
      const isComplete = text(group.discriminator, "defaultMapping") !== undefined
      if (
        kind !== "if" &&
        !isComplete &&
        !isPlain &&
        !isBoolean &&
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
      /** The choices that are left; of a base that lists what extends it, this is one of those, or what extends this. */
      const left = ({ choices, keys, nodes }: Whole) =>
        choices
          .flatMap((choice): ReadonlyArray<Choice> => {
            const { kind, parts, site } = choice
            const others = parts.filter((part) => !isThere(keys, part))
            if (kind !== "heirs") return others.length < parts.length ? [] : [choice]
            const base = site.replace(/\/heirs$/, "")
            const between = nodes
              .flatMap((one) => schemas.target(one) ?? [])
              .filter((one) => keyOf(one) !== base && schemas.whole([one]).keys.has(base))
              .map(keyOf)
            const heirs = others.filter((part) => between.every((key) => schemas.whole([part]).keys.has(key)))
            return heirs.length === 0 ? [] : [{ ...choice, parts: heirs, site: `${between[0] ?? base}/heirs` }]
          })
          .filter(({ site }) => !done.has(site))
      for (;;) {
        const whole = schemas.whole(all)
        const [group] = left(whole)
        if (group === undefined) {
          const value = plain(whole, { ...context, inside }, tags, tellers)
          isApart ||= !both.every((part) => fits(part, value))
          return value
        }
        done.add(group.site)
        const chosen = choose(group, { ...context, inside })
        if (chosen.length > 1) both.push(...chosen)
        const name = text(group.discriminator, "propertyName")
        if (name !== undefined) tellers.add(name)
        const valuesOf = (field: string) =>
          group.parts.flatMap((part) => {
            const { values } = schemas.whole(schemas.whole([part]).properties.get(field) ?? [])
            return values?.some((value) => value !== null) === true ? [JSON.stringify(values)] : []
          })
        const fields =
          group.kind === "if" ? [] : group.parts.flatMap((part) => [...schemas.whole([part]).properties.keys()])
        for (const field of fields) {
          const [first, ...rest] = valuesOf(field)
          // one with the same values in several alternatives tells nothing apart
          if (first !== undefined && (rest.length === 0 || rest.some((one) => one !== first))) tellers.add(field)
        }
        if (variation.newVariant === group.site && !context.inside.includes(group.site)) {
          const base = plain(whole, { ...context, inside: [...inside, group.site] }, new Map(), tellers)
          // whatever tells the alternatives apart has another value
          const fresh = [...tellers].flatMap((field): ReadonlyArray<readonly [string, unknown]> => {
            const own = [...all, ...group.parts].flatMap((part) => schemas.whole([part]).properties.get(field) ?? [])
            const types: ReadonlyArray<string> = own.flatMap((part) => {
              const { types, values = [] } = schemas.whole([part])
              return [...(types ?? values.map((value) => typeof value))]
            })
            if (types.includes("boolean")) return []
            return [[field, types.includes("integer") || types.includes("number") ? 987_654 : unknown]]
          })
          const isBase = isObject(base) && group.kind === "heirs"
          // there is no third truth
          if (fresh.length > 0 || tellers.size === 0) {
            const value = { ...(isBase ? base : {}), ...Object.fromEntries(fresh), [extra]: [{ kept: true }] }
            isApart ||= name === undefined && group.parts.some((part) => fits(part, value))
            return value
          }
        }
        inside = [...inside, group.site]
        all = [...all, ...chosen]
        const [only] = chosen
        const tag = only === undefined || chosen.length > 1 ? undefined : tagOf(group, only, schemas.whole(all))
        const isTold = ({ discriminator, parts }: Choice) =>
          [undefined, tag?.[0]].includes(text(discriminator, "propertyName")) &&
          parts.some((part) => schemas.whole([part]).properties.has(tag?.[0] ?? ""))
        // each of its own alternatives has another
        if (tag !== undefined && !left(schemas.whole(all)).some(isTold)) tags.set(...tag)
      }
    }

    const isStruct = ({ choices, nodes, properties, required, types }: Whole): boolean =>
      types === undefined
        ? properties.size + required.size > 0 ||
          nodes.some(({ node }) => "additionalProperties" in node) ||
          choices.some(({ parts }) => parts.some((part) => schemas.whole([part]).properties.size > 0))
        : types.has("object")

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
      if (isStruct(whole)) return "object"
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
          if (hasNewValues && isGrowing) return `${unknown} ${position}`
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
          return numeric(whole, type === "integer")
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

  /** Removes, one after the other, fields and items of which a judge says that they are wrong. */
  const mended = (schema: Schema, made: Made, judge: Judge.Judge): Made | undefined => {
    let { dropped, value } = made
    for (let i = 0; i < 30; i++) {
      const wrong = judge(schema, value)
      if (wrong === undefined) return { ...made, value, dropped }
      const path = keysOf(wrong.instancePath)
      const holder = at(value, path)
      const params: { readonly [name: string]: unknown } = wrong.params
      const named = params["additionalProperty"] ?? params["unevaluatedProperty"] ?? params["propertyName"]
      const isNamed = typeof named === "string"
      const names = isNamed
        ? [named]
        : isObject(holder)
          ? Object.keys(holder).toReversed()
          : Array.isArray(holder)
            ? [String(holder.length - 1)]
            : []
      const inside = names.slice(0, 50).map((name) => [...path, name])
      const isBetter = (next: unknown) => {
        const left = judge(schema, next)
        return left === undefined || left.instancePath !== wrong.instancePath || left.keyword !== wrong.keyword
      }
      // of a field for which there is no value, nothing is known
      const gone = [...inside, ...(isNamed || path.length === 0 ? [] : [path])].find(
        (one) => isNamed || isBetter(without(value, one))
      )
      if (gone === undefined) return undefined
      if (gone === path) dropped = [...dropped, Judge.show(wrong)]
      value = without(value, gone)
    }
    return undefined
  }

  const judged = (schema: Schema, made: Made, side: Side): Made => {
    const judge = judges[side]
    const wrong = judge(schema, made.value)
    if (wrong === undefined) return made
    return mended(schema, made, judge) ?? { ...made, misfit: () => Judge.show(wrong) }
  }

  /** A value with the examples that fit; one for the whole is not replaced. */
  const exemplary = (schema: Schema, variation: Variation): Made => {
    const off = new Set<string>()
    for (;;) {
      const made = build(schema, variation, off)
      const wrong = judges[variation.side](schema, made.value)
      if (wrong === undefined) return { ...made, isApart: made.used.size === 0 && variation.given === undefined }
      const [, bad] = [...made.used].findLast(([at]) => wrong.instancePath.startsWith(at)) ?? []
      if (bad === undefined) return { ...made, misfit: () => Judge.show(wrong) }
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

const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce(
    (found: unknown, key) => (Array.isArray(found) ? found[Number(key)] : isObject(found) ? found[key] : undefined),
    value
  )

const without = (value: unknown, [name = "", ...rest]: ReadonlyArray<string>): unknown => {
  if (Array.isArray(value))
    return value.flatMap((item: unknown, i) =>
      String(i) !== name ? [item] : rest.length === 0 ? [] : [without(item, rest)]
    )
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      key !== name ? [[key, child]] : rest.length === 0 ? [] : [[key, without(child, rest)]]
    )
  )
}
