import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { kindOf } from "./foreign.ts"

/** An array, an object without a class, or one whose class is a schema. */
const hasFields = (value: unknown): value is object => {
  if (!Predicate.isObjectOrArray(value)) return false
  const prototype = Reflect.getPrototypeOf(value)
  return (
    Array.isArray(value) ||
    prototype === null ||
    // the one of any realm
    Reflect.getPrototypeOf(prototype) === null ||
    Schema.isSchema(prototype.constructor)
  )
}

/** A copy of a value, with each part that has no fields converted. It does not recurse: content can be of any depth. */
const mapLeaves = (value: unknown, convert: (leaf: unknown) => unknown): unknown => {
  const copies = new Map<object, object>()
  const copyOf = (value: unknown): unknown => {
    if (!hasFields(value)) return convert(value)
    let copy = copies.get(value)
    if (copy === undefined) {
      copy = Array.isArray(value) ? Array.from<unknown>(value) : { ...value }
      Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(value))
      copies.set(value, copy)
    }
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

const isDate = (value: unknown): value is Date => kindOf(value) === "Date"
const isBytes = (value: unknown): value is Uint8Array => kindOf(value) === "Uint8Array"

/** The same date as a `Date` with the fields and methods of a `DateTime.Utc`. As text it is still a `Date`. */
const toBoth = (date: Date): Date => {
  // no DateTime is invalid; a schema of either rejects this one
  if (Number.isNaN(date.getTime())) return date
  const utc = DateTime.fromDateUnsafe(date)
  const methods: unknown = Object.getPrototypeOf(utc)
  return Object.assign(DateTime.toDateUtc(utc), methods, utc, { toString: () => date.toString() })
}

/**
 * The same input, whose dates fit where a schema takes a `Date` and where it takes a `DateTime.Utc`. Only the schema
 * knows which: a union decides it by the value, and a transformation by its own code.
 */
export function ofInput(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
export function ofInput(input: unknown): unknown {
  return mapLeaves(input, (leaf) =>
    isDate(leaf)
      ? toBoth(leaf)
      : // of this realm, as the schemas take them
        isBytes(leaf)
        ? new Uint8Array(leaf.buffer, leaf.byteOffset, leaf.byteLength)
        : leaf
  )
}
