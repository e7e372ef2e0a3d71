import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { isPlain } from "./content.ts"
import { type Call, callOf, isStrict, mismatch, once, type Run } from "./once.ts"

type Parts = { readonly [name: string]: unknown }

const isParts = (value: unknown): value is Parts => Predicate.isObjectKeyword(value)

/** Whether a value is no more than its parts: classes have a meaning of their own. */
const isWhole = (value: Parts): boolean => Array.isArray(value) || isPlain(value)

const ofPairs = <A>(compute: (one: Parts, other: Parts) => A) => {
  const known = new WeakMap<Parts, WeakMap<Parts, { readonly result: A }>>()
  return (one: Parts, other: Parts): A => {
    const others = known.get(one) ?? new WeakMap<Parts, { readonly result: A }>()
    known.set(one, others)
    const found = others.get(other) ?? { result: compute(one, other) }
    others.set(other, found)
    return found.result
  }
}

/** Raw JSON that fits none of its alternatives. */
const unknowns = new WeakSet<object>()
export const isUnknown = (value: unknown): boolean => isParts(value) && unknowns.has(value)

const excess = new SchemaIssue.UnexpectedKey(SchemaAST.never)

/** Compares the results of alternatives on the parts of one call's value. */
const comparison = () => {
  /** How many integers keep all digits, then how many parts are read of each level; the last number has all below it. */
  const amount = (value: unknown, made: unknown): ReadonlyArray<number> =>
    isUnknown(made)
      ? []
      : isParts(value) && isParts(made)
        ? amounts(value, made)
        : [Number(Predicate.isBigInt(made)), 1]
  const amounts = ofPairs((value, made) => {
    const sums = [0, 1]
    for (const name of Object.keys(made))
      if (name in value)
        // an unknown part is kept: that is more than none, and less than one that is read
        for (const [i, count] of (isUnknown(made[name]) ? [0, 1e-6] : amount(value[name], made[name])).entries()) {
          const level = Math.min(i && i + 1, 9)
          sums[level] = (sums[level] ?? 0) + count
        }
    return sums
  })
  const isMore = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): boolean => {
    const level = one.findIndex((count, i) => count !== other[i])
    // an unknown one has nothing, and comes after all others
    return (one[level] ?? -1) > (other[level] ?? -1)
  }
  /** Both results of a value in one; where they differ, the first. */
  const both = (one: unknown, other: unknown): unknown =>
    isUnknown(one) ? other : isParts(one) && isParts(other) && isWhole(one) && isWhole(other) ? merged(one, other) : one
  const merged = ofPairs((one, other): unknown => {
    if (one === other || Array.isArray(one) !== Array.isArray(other)) return one
    const parts = new Map(Object.entries(one))
    for (const [name, part] of Object.entries(other))
      parts.set(name, parts.has(name) ? both(parts.get(name), part) : part)
    return Array.isArray(one) ? Array.from(parts.values()) : Object.fromEntries(parts)
  })
  /** That a part of a value was not written. */
  const lost = (value: unknown, made: unknown): SchemaIssue.Issue | undefined =>
    value === made || !isParts(value) || !isParts(made) ? undefined : isUnknown(made) ? excess : lostIn(value, made)
  const lostIn = ofPairs((value, made): SchemaIssue.Issue | undefined => {
    for (const [name, part] of Object.entries(value)) {
      if (part === undefined) continue
      const issue = Object.hasOwn(made, name) ? lost(part, made[name]) : excess
      if (issue !== undefined) return new SchemaIssue.Pointer([name], issue)
    }
    return undefined
  })
  return { amount, both, isMore, lost }
}

const comparisons = new WeakMap<Call, ReturnType<typeof comparison>>()
const comparisonOf = (options: SchemaAST.ParseOptions) => {
  const call = callOf(options)
  const found = comparisons.get(call) ?? comparison()
  comparisons.set(call, found)
  return found
}

const toRun = (ast: SchemaAST.AST): Run =>
  SchemaParser.decodeUnknownResult(Schema.make<Schema.Codec<unknown, unknown>>(ast))

type DeclarationRun = SchemaAST.Declaration["run"]

/** Decodes with the alternative that reads most, or with all that fit. Flipped, it encodes. */
const choose =
  (isAny: boolean): DeclarationRun =>
  (types) => {
    const each = types.map(toRun)
    const whole = once(toRun(new SchemaAST.Union(types)))
    const lax = once((value, options) => {
      const first = whole(value, callOf(options).strict)
      if (Result.isSuccess(first)) return first
      const fits = each.flatMap((run) => {
        const made = run(value, options)
        return Result.isSuccess(made) ? [made.success] : []
      })
      if (fits.length === 0) return mismatch
      const { amount, both, isMore } = comparisonOf(options)
      const best = fits.reduce((best, made) => (isMore(amount(value, made), amount(value, best)) ? made : best))
      return Result.succeed(isAny ? fits.reduce((all, made) => both(all, made), best) : best)
    })
    const strict = once((value, options) => {
      const first = whole(value, options)
      if (!isAny || Result.isSuccess(first)) return first
      const merged = lax(value, callOf(options).lax)
      if (Result.isFailure(merged)) return first
      const issue = comparisonOf(options).lost(value, merged.success)
      return issue === undefined ? merged : Result.fail(issue)
    })
    return (value, _, options) => Effect.fromResult((isStrict(options) ? strict : lax)(value, options))
  }

/** It is JSON if its alternatives are, and of texts if they are. */
const asJson = {
  expected: "one of the alternatives",
  toCodecJson: () => undefined,
  toCodecStringTree: (types: ReadonlyArray<Schema.Top>) =>
    new SchemaAST.Link(new SchemaAST.Union(types.map(({ ast }) => ast)), SchemaTransformation.passthrough())
}

export const alternatives = (types: ReadonlyArray<SchemaAST.AST>, isAny: boolean): SchemaAST.AST =>
  new SchemaAST.Declaration(types, choose(isAny), asJson)

/** The fields that tell alternatives apart, each with its known values; beside `undefined`, it can be absent. */
export type Tags<Value = string | number | boolean> = { readonly [name: string]: ReadonlyArray<Value> }

/** The type of a tag with its known values only. */
const known = (type: SchemaAST.AST, values: Tags[string]): SchemaAST.AST => {
  if (SchemaAST.isUnion(type)) {
    const { annotations, checks, context, encoding, options, types } = type
    return new SchemaAST.Union(
      types.map((one) => known(one, values)),
      options,
      annotations,
      checks,
      encoding,
      context
    )
  }
  const own = values.filter((value) => typeof value === type._tag.toLowerCase())
  if (own.length === 0) return type
  const literals = own.map((value) => new SchemaAST.Literal(value))
  return new SchemaAST.Union(literals, undefined, undefined, undefined, undefined, type.context)
}

/** An object whose tags have their known values only. */
export const tagged = (type: SchemaAST.AST, tags: Tags): SchemaAST.AST => {
  if (SchemaAST.isSuspend(type)) return new SchemaAST.Suspend(() => tagged(type.thunk(), tags))
  if (!SchemaAST.isObjects(type)) return type
  const fields = type.propertySignatures.map(({ name, type }) => {
    // own ones: a field can have the name "constructor"
    const values = Object.hasOwn(tags, name) ? tags[String(name)] : undefined
    return new SchemaAST.PropertySignature(name, values === undefined ? type : known(type, values))
  })
  return new SchemaAST.Objects(fields, type.indexSignatures, type.annotations, type.checks, type.encoding, type.context)
}

/** Keeps an object that does not fit, unless its tags say which alternative it is: one value that is not known is enough. */
export const orUnknown = (type: SchemaAST.AST, tags: Tags<unknown>): SchemaAST.AST => {
  const run =
    (keep: (value: Parts, options: SchemaAST.ParseOptions) => object | undefined): DeclarationRun =>
    ([type = SchemaAST.never]) => {
      const read = toRun(type)
      return (value, _, options) => {
        const made = read(value, options)
        const kept = Result.isFailure(made) && isParts(value) ? keep(value, options) : undefined
        return kept === undefined ? Effect.fromResult(made) : Effect.succeed(kept)
      }
    }
  const all = Object.entries(tags)
  const isAbsent = (value: Parts, name: string) => tags[name]?.includes(undefined) === true && value[name] == null
  const isNew = (value: Parts) =>
    all.every(([name, [first]]) => isAbsent(value, name) || typeof value[name] === typeof first) &&
    (all.length === 0 ||
      all.some(([name, known]) => isAbsent(value, name) || !known.some((one) => one === value[name])))
  const decode = run((value, options) => {
    if (isStrict(options) || Array.isArray(value) || !isNew(value)) return undefined
    // a copy, since another alternative may read the value itself
    const raw = { ...value }
    unknowns.add(raw)
    return raw
  })
  const encode = run((value) => (isUnknown(value) ? value : undefined))
  return new SchemaAST.Declaration([type], decode, asJson, undefined, undefined, undefined, undefined, encode)
}
