import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"

// Alternatives that contain alternatives: each of them reads the same values, so the work would double with each level.

/** The result of a schema on a value. */
export type Made = Result.Result<unknown, SchemaIssue.Issue>

/** Decodes or encodes a value, which passes the same options on to all its parts. */
export type Run = (value: unknown, options: SchemaAST.ParseOptions) => Made

/** The options of one call: those that reject what a schema lacks, and those that ignore it. */
export interface Call {
  readonly strict: SchemaAST.ParseOptions
  readonly lax: SchemaAST.ParseOptions
  /** How many failures have been told in full. */
  told: number
}

const mostTold = 8

const calls = new WeakMap<SchemaAST.ParseOptions, Call>()

/** The call that options are passed on in. The outermost alternatives begin it. */
export const callOf = (options: SchemaAST.ParseOptions): Call => {
  const known = calls.get(options)
  if (known !== undefined) return known
  const call: Call = {
    strict: { ...options, onExcessProperty: "error" },
    // without it, an object is read by Effect's shorter way
    lax: { ...options, onExcessProperty: undefined },
    told: 0
  }
  calls.set(call.strict, call).set(call.lax, call)
  return call
}

export const isStrict = ({ onExcessProperty }: SchemaAST.ParseOptions): boolean => onExcessProperty === "error"

/** The same options, as those of their call. */
export const ownOf = (options: SchemaAST.ParseOptions): SchemaAST.ParseOptions => {
  const { lax, strict } = callOf(options)
  return isStrict(options) ? strict : lax
}

export const mismatch: Made = Result.fail(new SchemaIssue.InvalidValue({ expected: "one of the alternatives" }))

/**
 * Runs once for each object of a call, in however many alternatives it is. No result outlives its call, since a program
 * can change its objects between two. A failure is told in full the first time only, and no more than eight are, since messages
 * would grow as well.
 */
export const onceOr = <A extends object>(mismatch: A, run: (value: unknown, options: SchemaAST.ParseOptions) => A) => {
  const known = new WeakMap<SchemaAST.ParseOptions, WeakMap<object, A>>()
  return (value: unknown, options: SchemaAST.ParseOptions): A => {
    const own = ownOf(options)
    if (!Predicate.isObjectKeyword(value)) return run(value, own)
    const results = known.get(own) ?? new WeakMap<object, A>()
    known.set(own, results)
    const found = results.get(value)
    if (found !== undefined) return found
    const made = run(value, own)
    const fails = Predicate.isTagged(made, "Failure")
    results.set(value, fails ? mismatch : made)
    return fails && ++callOf(own).told > mostTold ? mismatch : made
  }
}

export const once = (run: Run): Run => onceOr(mismatch, run)
