import * as Predicate from "effect/Predicate"

/** A JSON object of a document; its values are not yet known. */
export interface JsonObject {
  readonly [name: string]: unknown
}

/** Whether a value is a JSON object, and not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value of a key that the document itself has, never that of the prototype. */
export const property = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

const empty: JsonObject = {}

/** The object at a key; an empty one where there is none. */
export const object = (value: unknown, key: string): JsonObject => {
  const found = property(value, key)
  return isObject(found) ? found : empty
}

const none: ReadonlyArray<unknown> = []

/** The items of an array at a key. */
export const list = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const found = property(value, key)
  return Array.isArray(found) ? found : none
}

export const text = (value: unknown, key: string): string | undefined => {
  const found = property(value, key)
  return Predicate.isString(found) ? found : undefined
}

/** Appends keys to a JSON pointer (RFC 6901). */
export const pointer = (base: string, ...keys: ReadonlyArray<string | number>): string =>
  base + keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** Decodes what is escaped in a URI; a text that is not escaped stays. */
export const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The keys of a JSON pointer, each decoded first where it is part of a URI. */
export const keysOf = (pointer: string, decode = (key: string) => key): ReadonlyArray<string> =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => decode(key).replaceAll("~1", "/").replaceAll("~0", "~"))

/** The value at keys of objects and arrays. */
export const look = (value: unknown, keys: ReadonlyArray<string | number>): unknown =>
  keys.reduce((found, key) => (Array.isArray(found) ? found[Number(key)] : property(found, String(key))), value)

/** A value of a document, and the pointer to it. */
export interface Place {
  readonly node: unknown
  readonly pointer: string
}

export const inside = ({ node, pointer: at }: Place, ...keys: ReadonlyArray<string | number>): Place => ({
  node: look(node, keys),
  pointer: pointer(at, ...keys)
})
