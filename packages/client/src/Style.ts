import { unexpected, wellFormed } from "./internal/content.ts"
import type * as Fields from "./internal/fields.ts"

/**
 * How a query or a form writes a parameter that is a list or an object.
 *
 * **When to use**
 *
 * As the second argument of `Operation.query` and `Body.form`, by the parameter's name. Without a style a list is sent
 * as one parameter for each item, all of the same name.
 *
 * Source: OpenAPI 3.1.1, "Style Values" and "Style Examples"; RFC 6570 for what is encoded.
 *
 * @category models
 */
export interface Style extends Fields.Style {}

const encoded = (name: string, text: string) => encodeURIComponent(wellFormed(name, text))

/** `Array.isArray` does not narrow lists that are readonly. */
const isList = (value: Fields.Styled): value is ReadonlyArray<Fields.Styled> => Array.isArray(value)

/** The items of a list, the names and values of an object in turn, or the one text. */
const items = (name: string, value: Fields.Styled): ReadonlyArray<string> => {
  if (typeof value === "string") return [encoded(name, value)]
  if (isList(value)) return value.flatMap((item) => items(name, item))
  return Object.entries(value).flatMap(([key, part]) =>
    part === undefined ? [] : [encoded(name, key), ...items(name, part)]
  )
}

/** `separator` is encoded; an item that has the same code would be two. */
const delimited = (style: Fields.Style["style"], separator: string): Style => ({
  style,
  explode: false,
  write: (name, value) => {
    const parts = items(name, value)
    if (parts.some((part) => part.includes(separator))) {
      throw unexpected(`items without "${decodeURIComponent(separator)}"`, name)
    }
    return parts.length === 0 ? "" : `${encoded(name, name)}=${parts.join(separator)}`
  }
})

/**
 * A comma between the items of a list: `ids=1,2`; of an object, between its names and values: `color=R,100,G,200`.
 *
 * @category constants
 */
export const form: Style = delimited("form", ",")

/**
 * An encoded space between the items: `ids=1%202`.
 *
 * @category constants
 */
export const spaceDelimited: Style = delimited("spaceDelimited", "%20")

/**
 * An encoded vertical bar between the items: `ids=1%7C2`.
 *
 * @category constants
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
 *
 * @category constants
 */
export const deepObject: Style = {
  style: "deepObject",
  explode: true,
  write: (name, value) => deep(name, encoded(name, name), value).join("&")
}

/**
 * A parameter for each property of an object, under the property's own name: `state=open`. OpenAPI's `form` with
 * `explode`.
 *
 * @category constants
 */
export const spread: Style = {
  style: "form",
  explode: true,
  write: (name, value) =>
    typeof value === "string" || isList(value)
      ? items(name, value)
          .map((item) => `${encoded(name, name)}=${item}`)
          .join("&")
      : Object.entries(value)
          .flatMap(([key, part = []]) => items(name, part).map((item) => `${encoded(name, key)}=${item}`))
          .join("&")
}

/**
 * A style whose values have reserved characters as they are: `path=/a/b`. OpenAPI's `allowReserved`.
 *
 * **Details**
 *
 * What would end a value stays encoded: `#`, `&`, `+`, brackets, and a comma within an item of {@link form}.
 *
 * @category combinators
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
