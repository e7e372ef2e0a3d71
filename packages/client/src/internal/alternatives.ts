import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { type Call, callOf, isStrict, mismatch, once, type Run } from "./once.ts"

type Parts = { readonly [name: string]: unknown }

const isParts = (value: unknown): value is Parts => Predicate.isObjectKeyword(value)

/** Whether a value is no more than its parts: classes have a meaning of their own. */
const isPlain = (value: Parts): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

/** Computes once for each pair of objects. */
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

/** What alternatives made of the parts of one call's value. */
const comparison = () => {
  /** How many parts of a value were read; an integer whose digits are all kept is more than other parts together. */
  const amount = (value: unknown, made: unknown): number =>
    isUnknown(made) ? 0 : isParts(value) && isParts(made) ? amounts(value, made) : Predicate.isBigInt(made) ? 1e6 : 1
  const amounts = ofPairs((value, made) =>
    Object.keys(made).reduce((sum, name) => (name in value ? sum + amount(value[name], made[name]) : sum), 1)
  )
  /** What either read of a value; where they differ, what the first did. */
  const both = (one: unknown, other: unknown): unknown =>
    isUnknown(one) ? other : isParts(one) && isParts(other) && isPlain(one) && isPlain(other) ? merged(one, other) : one
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
  return { amount, both, lost }
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
      const { amount, both } = comparisonOf(options)
      const best = fits.reduce((best, made) => (amount(value, made) > amount(value, best) ? made : best))
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

/** It is JSON if its alternatives are. */
const asJson = { expected: "one of the alternatives", toCodecJson: () => undefined }

export const alternatives = (types: ReadonlyArray<SchemaAST.AST>, isAny: boolean): SchemaAST.AST =>
  new SchemaAST.Declaration(types, choose(isAny), asJson)

/** What tells alternatives apart: a field, and its values that are known. */
export type Tags = { readonly [name: string]: ReadonlyArray<string | number | boolean> }

/** Keeps an object that does not fit, unless its tags say which alternative it is. */
export const orUnknown = (type: SchemaAST.AST, tags: Tags): SchemaAST.AST => {
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
  const isNew = (value: Parts) =>
    Object.entries(tags).every(
      ([name, known]) => typeof value[name] === typeof known[0] && !known.some((one) => one === value[name])
    )
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
