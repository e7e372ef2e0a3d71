import type * as Operation from "@cloud-management/core/Operation"
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"

/** An array, or an object without a class. */
const hasFields = (value: unknown): value is object => {
  if (!Predicate.isObjectOrArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/** A copy of a value, with each part that has no fields converted. It does not recurse: content can be of any depth. */
const mapLeaves = (value: unknown, convert: (leaf: unknown) => unknown): unknown => {
  const copies = new Map<object, object>()
  const copyOf = (value: unknown): unknown => {
    if (!hasFields(value)) return convert(value)
    const copy = copies.get(value) ?? (Array.isArray(value) ? Array.from<unknown>(value) : { ...value })
    copies.set(value, copy)
    return copy
  }
  const whole = copyOf(value)
  // also reaches the copies that are added meanwhile
  for (const copy of copies.values()) {
    for (const [key, field] of Object.entries(copy)) Reflect.set(copy, key, copyOf(field))
  }
  return whole
}

/** The same value with a `Date` in place of each `DateTime`. */
export const toDates = (value: unknown): unknown =>
  mapLeaves(value, (leaf) => (DateTime.isDateTime(leaf) ? DateTime.toDateUtc(leaf) : leaf))

const fromDates = (value: unknown): unknown =>
  mapLeaves(value, (leaf) => (Predicate.isDate(leaf) ? DateTime.fromDateUnsafe(leaf) : leaf))

const hasDate = (value: unknown): boolean =>
  Predicate.isDate(value) || (hasFields(value) && Object.values(value).some(hasDate))

/** Encodes a part of an input, if it fits. */
type Write = (part: unknown) => Result.Result<unknown, unknown>

/** The same input with a `DateTime.Utc` in place of each `Date`, but for a part whose schema takes a `Date` itself. */
export const ofInput = (
  { headers, payload, query }: Operation.Any,
  input: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => {
  if (!hasDate(input)) return input
  const parts: ReadonlyMap<string, { readonly write: Write } | undefined> = new Map(
    Object.entries({ query, headers, payload })
  )
  return Record.map(input, (part, name) => {
    const written = parts.get(name)?.write(part)
    return written !== undefined && Result.isSuccess(written) ? part : fromDates(part)
  })
}
