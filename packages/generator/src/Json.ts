import * as Predicate from "effect/Predicate"

/** A JSON object of a document; its values are not yet known. */
export interface JsonObject {
  readonly [name: string]: unknown
}

/** Whether a value is a JSON object, and not an array. */
export const isObject = (value: unknown): value is JsonObject => Predicate.isObject(value) && !Array.isArray(value)

/** The value of a key that the document itself has, never that of the prototype. */
export const property = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** The object at a key; an empty one where there is none. */
export const object = (value: unknown, key: string): JsonObject => {
  const found = property(value, key)
  return isObject(found) ? found : {}
}

/** The items of an array at a key. */
export const list = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const found = property(value, key)
  return Array.isArray(found) ? found : []
}

/** The text at a key. */
export const text = (value: unknown, key: string): string | undefined => {
  const found = property(value, key)
  return Predicate.isString(found) ? found : undefined
}

/** Appends keys to a JSON pointer (RFC 6901). */
export const pointer = (base: string, ...keys: ReadonlyArray<string | number>): string =>
  base + keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
