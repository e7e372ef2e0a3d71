import { isObject } from "../Json.ts"
import * as Digits from "./Digits.ts"

/** How the value of a field is written in a path, a query, a header or a form. */
export interface Way {
  readonly name: string
  readonly style: string
  readonly explode: boolean
  readonly isJson: boolean
  readonly isForm: boolean
  /** Whether each item of a list is a part of its own. */
  readonly isMultipart?: boolean
}

/** The encoded side of a field: what an operation's schema is decoded from. */
export type Encoded = string | ReadonlyArray<Encoded> | { readonly [name: string]: Encoded }

const isFlat = (value: unknown): boolean => !isObject(value) && !Array.isArray(value)

/** The text of a value that is no list and no object; JSON of the others. */
const text = (value: unknown): string => (typeof value === "string" ? value : Digits.stringify(value))

const isJsonIn = (value: unknown, { isForm, isJson, isMultipart = false, style }: Way): boolean =>
  isJson ||
  (isForm &&
    style !== "deepObject" &&
    (isObject(value) || (Array.isArray(value) && !isMultipart && !value.every(isFlat))))

/** The names and texts of an object between commas. */
const parts = (value: object, { explode }: Way): ReadonlyArray<string> =>
  Object.entries(value).flatMap(([name, child]) => (explode ? [`${name}=${text(child)}`] : [name, text(child)]))

/** A value as the encoded side of a schema. */
export const encoded = (value: unknown, way: Way, depth = 0): Encoded => {
  if (["simple", "label", "matrix"].includes(way.style) && !way.isJson && isObject(value)) return parts(value, way)
  const isDeep = way.style === "deepObject"
  if (isJsonIn(value, way) || (!isDeep && depth > 0)) return text(value)
  if (Array.isArray(value)) return value.map((item: unknown) => encoded(item, way, depth + 1))
  if (!isObject(value)) return text(value)
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, encoded(child, way, depth + 1)]))
}

/** A name and its text, both decoded. */
export type Pair = readonly [name: string, text: string]

const separators: Readonly<Record<string, string>> = { spaceDelimited: " ", pipeDelimited: "|" }

/** The pairs by which a value is written in a query or a form. */
export const pairs = (value: unknown, way: Way): ReadonlyArray<Pair> => {
  const { explode, name, style } = way
  if (isJsonIn(value, way) || isFlat(value)) return [[name, text(value)]]
  if (style === "deepObject") return deep(name, value)
  if (Array.isArray(value)) {
    return explode
      ? value.map((item: unknown): Pair => [name, text(item)])
      : [[name, value.map(text).join(separators[style] ?? ",")]]
  }
  const fields = isObject(value) ? Object.entries(value).map(([key, child]): Pair => [key, text(child)]) : []
  return explode ? fields : [[name, fields.flat().join(separators[style] ?? ",")]]
}

const deep = (name: string, value: unknown): ReadonlyArray<Pair> => {
  if (Array.isArray(value)) return value.flatMap((item: unknown, i) => deep(`${name}[${i}]`, item))
  if (!isObject(value)) return [[name, text(value)]]
  return Object.entries(value).flatMap(([key, child]) => deep(`${name}[${key}]`, child))
}

/** The text of a value in a path or a header. */
export const list = (value: unknown, way: Way): string => {
  if (way.isJson) return text(value)
  const prefix = way.style === "label" ? "." : way.style === "matrix" ? `;${way.name}=` : ""
  return prefix + joined(value, way)
}

const joined = (value: unknown, way: Way): string =>
  Array.isArray(value) ? value.map(text).join(",") : isObject(value) ? parts(value, way).join(",") : text(value)
