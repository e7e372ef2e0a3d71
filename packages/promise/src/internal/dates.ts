import type * as Operation from "@cloud-management/core/Operation"
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"

/** An object without a class. */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (!Predicate.isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const mapFields = (value: unknown, convert: (field: unknown) => unknown): unknown =>
  Array.isArray(value)
    ? value.map((item: unknown) => convert(item))
    : isPlain(value)
      ? Record.map(value, convert)
      : value

/** The same value with a `Date` in place of each `DateTime`. */
export const toDates = (value: unknown): unknown =>
  DateTime.isDateTime(value) ? DateTime.toDateUtc(value) : mapFields(value, toDates)

const fromDates = (value: unknown): unknown =>
  Predicate.isDate(value) ? DateTime.fromDateUnsafe(value) : mapFields(value, fromDates)

const hasDate = (value: unknown): boolean =>
  Predicate.isDate(value) ||
  (Array.isArray(value) ? value.some(hasDate) : isPlain(value) && Object.values(value).some(hasDate))

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
