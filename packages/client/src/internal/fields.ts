import type * as Schema from "effect/Schema"
import { unexpected, wellFormed } from "./content.ts"

/**
 * Names with one value, several, or none. A value that is an object has a style.
 */
export interface Fields {
  readonly [name: string]: Styled | undefined
}

/** A value that a style writes: a text, several, or names with values; `Style.deepObject` also these in each other. */
export type Styled = string | ReadonlyArray<Styled> | StyledRecord

interface StyledRecord {
  readonly [name: string]: Styled | undefined
}

/** How a parameter that is not one text is written. */
export interface Style {
  /** `style` of OpenAPI (3.1, "Style Values"). */
  readonly style: "form" | "spaceDelimited" | "pipeDelimited" | "deepObject" | "cookie"
  readonly explode: boolean
  /** Writes a parameter as a part of a query, encoded; empty if there is nothing to send. */
  readonly write: (name: string, value: Styled) => string
}

/**
 * The styles of parameters, by name.
 */
export interface Styles {
  readonly [name: string]: Style
}

/** A schema of parameters. */
export const fieldsOf = (schema: unknown): Schema.Codec<unknown, Fields> =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- a conditional type hides its encoded side
  schema as Schema.Codec<unknown, Fields>

export const plain = (name: string, value: unknown): string => {
  if (typeof value !== "string") throw unexpected("text, or a style for it", name)
  return value
}

/** The text of a cookie, as it is (RFC 6265 §4.1.1). */
export const cookie = (name: string, value: unknown): string => {
  const text = plain(name, value)
  if (/^[!#-+\--:<-[\]-~]*$/.test(text)) return text
  throw unexpected("printable ASCII without spaces, quotes, commas, semicolons and backslashes", name)
}

/** Names and values after a schema's styles: of a query, and of a form. */
export const urlEncoded = (fields: Fields, styles?: Styles): string => {
  const parameters = new URLSearchParams()
  let styled = ""
  for (const [name, value] of Object.entries(fields)) {
    // own ones: a parameter can have the name "constructor"
    const style = styles && Object.hasOwn(styles, name) ? styles[name] : undefined
    if (style !== undefined) {
      const text = value === undefined ? "" : style.write(name, value)
      if (text !== "") styled += `&${text}`
      continue
    }
    for (const text of [value ?? []].flat())
      parameters.append(wellFormed(name, name), wellFormed(name, plain(name, text)))
  }
  const text = parameters.toString() + styled
  return text.startsWith("&") ? text.slice(1) : text
}
