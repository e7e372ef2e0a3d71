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

/**
 * The value with each part that has no fields converted. What holds a part that changes is copied; the rest stays the
 * same, since a copy of an instance lacks its private fields. It does not recurse: content can be of any depth.
 */
const mapLeaves = (value: unknown, convert: (leaf: unknown) => unknown): unknown => {
  if (!hasFields(value)) return convert(value)
  /** Each object with those that hold it. */
  const holders = new Map<object, Array<object>>([[value, []]])
  /** Those that change, each with its copy. */
  const copies = new Map<object, object>()
  const copy = (value: object) => {
    if (copies.has(value)) return
    const copied = Array.isArray(value) ? Array.from<unknown>(value) : { ...value }
    Reflect.setPrototypeOf(copied, Reflect.getPrototypeOf(value))
    copies.set(value, copied)
  }
  // these loops also reach what is added meanwhile
  for (const holder of holders.keys()) {
    for (const field of Object.values(holder)) {
      if (hasFields(field)) {
        const known = holders.get(field) ?? []
        known.push(holder)
        holders.set(field, known)
      } else if (convert(field) !== field) copy(holder)
    }
  }
  for (const changed of copies.keys()) holders.get(changed)?.forEach(copy)
  for (const copied of copies.values()) {
    for (const [key, field] of Object.entries(copied)) {
      Reflect.set(copied, key, hasFields(field) ? (copies.get(field) ?? field) : convert(field))
    }
  }
  return copies.get(value) ?? value
}

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
export const ofInput = (input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const converted = mapLeaves(input, (leaf) =>
    isDate(leaf)
      ? toBoth(leaf)
      : // of this realm, as the schemas take them
        isBytes(leaf)
        ? new Uint8Array(leaf.buffer, leaf.byteOffset, leaf.byteLength)
        : leaf
  )
  // oxlint-disable-next-line typescript/consistent-type-assertions -- an object with fields stays one
  return converted as Readonly<Record<string, unknown>>
}
