import { unexpected, wellFormed } from "./internal/content.ts"
import * as Fields from "./internal/fields.ts"

/**
 * How a query or a form writes a parameter that is a list or an object.
 *
 * **When to use**
 *
 * As the second argument of `Operation.query` and `Body.form`, by the parameter's name. Without a style a list is sent
 * as one parameter for each item, all of the same name.
 *
 * Source: OpenAPI 3.1.1, "Style Values" and "Style Examples"; RFC 6570 for what is encoded.
 */
export interface Style extends Fields.Style {}

const encoded = (name: string, text: string) => encodeURIComponent(wellFormed(name, text))

/** `Array.isArray` does not narrow lists that are readonly. */
const isList = (value: Fields.Styled): value is ReadonlyArray<Fields.Styled> => Array.isArray(value)

type Encode = (name: string, text: string) => string

/** The items of a list, the names and values of an object in turn, or the one text. */
const items = (name: string, value: Fields.Styled, encode: Encode): ReadonlyArray<string> => {
  if (typeof value === "string") return [encode(name, value)]
  if (isList(value)) return value.flatMap((item) => items(name, item, encode))
  return Object.entries(value).flatMap(([key, part]) =>
    part === undefined ? [] : [encode(name, key), ...items(name, part, encode)]
  )
}

/** `separator` is encoded; an item that has the same code would be two. */
const delimited = (style: Fields.Style["style"], separator: string, encode: Encode = encoded): Style => ({
  style,
  explode: false,
  write: (name, value) => {
    const parts = items(name, value, encode)
    if (parts.some((part) => part.includes(separator))) {
      throw unexpected(`items without "${decodeURIComponent(separator)}"`, name)
    }
    return parts.length === 0 ? "" : `${encode(name, name)}=${parts.join(separator)}`
  }
})

/**
 * A comma between the items of a list: `ids=1,2`; of an object, between its names and values: `color=R,100,G,200`.
 */
export const form: Style = delimited("form", ",")

/**
 * An encoded space between the items: `ids=1%202`.
 */
export const spaceDelimited: Style = delimited("spaceDelimited", "%20")

/**
 * An encoded vertical bar between the items: `ids=1%7C2`.
 */
export const pipeDelimited: Style = delimited("pipeDelimited", "%7C")

/** The parameters of an object or a list, each with its place in brackets. */
const deep = (name: string, at: string, value: Fields.Styled): ReadonlyArray<string> => {
  if (typeof value === "string") return [`${at}=${encoded(name, value)}`]
  return Object.entries(value).flatMap(([key, part]: readonly [string, Fields.Styled | undefined]) =>
    part === undefined ? [] : deep(name, `${at}%5B${encoded(name, key)}%5D`, part)
  )
}

/**
 * A parameter for each property of an object, with its name in brackets: `filter[state]=open`.
 *
 * **Details**
 *
 * Objects and lists in it have more brackets, and lists numbers in them: `items[0][price]=1`. OpenAPI leaves them open;
 * this is what the parsers of PHP, Rails and qs read. The brackets are encoded as `%5B` and `%5D`, since RFC 3986 does not
 * allow them in a query.
 */
export const deepObject: Style = {
  style: "deepObject",
  explode: true,
  write: (name, value) => deep(name, encoded(name, name), value).join("&")
}

/** A name and a text for each item of a list, or for each property of an object. */
const pairs = (name: string, value: Fields.Styled, encode: Encode): ReadonlyArray<string> => {
  const all: ReadonlyArray<readonly [key: string, part: Fields.Styled | undefined]> =
    typeof value === "string" || isList(value) ? [[name, value]] : Object.entries(value)
  return all.flatMap(([key, part = []]) => items(name, part, encode).map((item) => `${encode(name, key)}=${item}`))
}

/**
 * A parameter for each property of an object, under the property's own name: `state=open`. OpenAPI's `form` with
 * `explode`.
 */
export const spread: Style = {
  style: "form",
  explode: true,
  write: (name, value) => pairs(name, value, encoded).join("&")
}

/**
 * A cookie for each item of a list, or for each property of an object: `ids=1; ids=2`, `R=100; G=200`. OpenAPI's `cookie`,
 * which encodes nothing: a value that a cookie cannot have is an error.
 */
export const cookies: Style = {
  style: "cookie",
  explode: true,
  write: (name, value) => pairs(name, value, Fields.cookie).join("; ")
}

/**
 * {@link cookies} with all in one: `ids=1,2`, `color=R,100,G,200`.
 */
export const cookie: Style = delimited("cookie", ",", Fields.cookie)

/**
 * A style whose values have reserved characters as they are: `path=/a/b`. OpenAPI's `allowReserved`.
 *
 * **Details**
 *
 * Characters that would end a value stay encoded: `#`, `&`, `+`, brackets, and a comma within an item of {@link form}.
 */
export const reserved = (style: Style = spread): Style => ({
  ...style,
  write: (name, value) =>
    style
      .write(name, value)
      .replace(/%(?:2[4CF]|3[ABDF]|40)/g, (code) =>
        code === "%2C" && !style.explode ? code : decodeURIComponent(code)
      )
})
