import type * as Context from "effect/Context"
import { identity } from "effect/Function"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Content from "./content.ts"
import * as Fields from "./fields.ts"

/** The credentials, which are withheld of a request and its response. */
export interface Withheld {
  /** Whether a text is one of the secrets. */
  readonly isSecret: (text: string) => boolean
  /** Adds the names of parameters that are secret. */
  readonly redact?: ((context: Context.Context<never>) => Context.Context<never>) | undefined
  readonly sanitize: (text: string) => string
}

/**
 * Query parameters, with the code that sends them.
 */
export interface Query<out S extends Schema.Constraint> {
  readonly schema: S
  /** How parameters that are not one text are written, by name. */
  readonly styles?: Fields.Styles
  /** Encodes the parameters, before they are written. */
  readonly encode: Content.Write<Fields.Fields>
  /** Writes the parameters as the part of the URL after the question mark; empty if there are none. */
  readonly write: Content.Write<string>
  /** Where the request goes in place of the URL with these parameters: to another page. It throws. */
  readonly locate?: (url: string, withheld: () => Withheld) => string
}

/**
 * Headers of a request, with the code that sends them.
 */
export interface Headers<out S extends Schema.Constraint> {
  readonly schema: S
  readonly write: Content.Write<Readonly<Record<string, string>>>
}

/**
 * Declares the query parameters of an operation: a struct whose fields encode to a string or, for a repeated parameter,
 * to an array of strings; a key that is absent or `undefined` sends nothing. `styles` writes lists and objects otherwise (see the module `Style`).
 *
 * **Example** (Declaring an optional and a repeated parameter)
 *
 * ```ts
 * import * as Operation from "@cloud-management/client/Operation"
 * import * as Schema from "effect/Schema"
 *
 * const query = Operation.query(
 *   Schema.Struct({
 *     limit: Schema.optionalKey(Schema.FiniteFromString),
 *     state: Schema.optionalKey(Schema.Array(Schema.String))
 *   })
 * )
 * ```
 */
export function query<S extends Schema.Codec<object, unknown>>(
  schema: Textual<S, Fields.Styled>,
  styles?: Fields.Styles
): Query<S>
export function query(schema: unknown, styles?: Fields.Styles): object {
  const encode = Content.optionalWriter(Fields.fieldsOf(schema), identity)
  return {
    schema,
    ...(styles && { styles }),
    encode,
    write: (value: unknown) =>
      Result.map(encode(value), (fields) =>
        // a query can have it (RFC 3986 §3.4), and services look for it in names, such as $filter of OData
        Fields.urlEncoded(fields, styles).replace(/(^|&)%24/g, "$1$$")
      )
  }
}

/** The fields whose encoded side is not what a request can carry. */
type Untextual<Encoded, Allowed> = {
  [Name in keyof Encoded & string]: Exclude<Encoded[Name], undefined> extends Allowed ? never : Name
}[keyof Encoded & string]

/** A schema whose fields encode to text, or an object whose one property is a sentence that says which do not. */
type Textual<S extends Schema.Codec<object, unknown>, Allowed> = [Untextual<S["Encoded"], Allowed>] extends [never]
  ? S
  : {
      readonly [
        Name in Untextual<
          S["Encoded"],
          Allowed
        > as `${Name} does not encode to text: use Wire.NumberText, Wire.BooleanText or another codec`
      ]: never
    }

/** RFC 9110 §5.5, without obs-text: the values that every platform sends unchanged. */
const fieldValue = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/

/** RFC 9110 §5.6.2. */
const fieldName = /^[\w!#$%&'*+.^`|~-]+$/

/** The names of headers that the client sets, in lower case, and one that no record can have. */
const owned = [
  "__proto__",
  "accept",
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
  "upgrade"
] as const
export type OwnedName = (typeof owned)[number]

export const isOwned = (name: string): boolean => owned.some((own) => own === name.toLowerCase())

/**
 * The rule that a header breaks, if it does, as the end of a sentence; `others` are those beside it, by their names in lower
 * case.
 */
export const headerRule = (name: string, value: unknown, others: object): string | undefined =>
  // two that differ in case would be one
  !fieldName.test(name) || isOwned(name) || Object.hasOwn(others, name.toLowerCase())
    ? "the name, once, of a header that the client does not set"
    : typeof value === "string" && fieldValue.test(value)
      ? undefined
      : "printable ASCII without a space at either end"

/**
 * Declares the headers of an operation besides the client's own: a struct whose fields encode to strings, or to arrays of
 * strings without a comma, which are joined by commas; a key that is absent or `undefined`, and an empty list, send nothing.
 */
export function headers<S extends Schema.Codec<object, unknown>>(
  schema: Textual<S, string | ReadonlyArray<string>>
): Headers<S>
export function headers(schema: unknown): object {
  const write = Content.optionalWriter(Fields.fieldsOf(schema), (fields) => {
    const encoded: Record<string, string> = {}
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue
      const items = [value].flat().map((text) => Fields.plain(name, text))
      const text = items.join()
      const rule = headerRule(name, text, encoded)
      if (rule !== undefined) throw Content.unexpected(rule, name)
      if (items.length === 0) continue
      // it would arrive as two
      if (Array.isArray(value) && items.some((item) => item.includes(","))) {
        throw Content.unexpected('items without ","', name)
      }
      encoded[name.toLowerCase()] = text
    }
    return encoded
  })
  return { schema, write }
}
