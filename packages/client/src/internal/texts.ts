import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Digits from "./digits.ts"
import * as Fields from "./fields.ts"
import { jsonForm } from "./jsonForm.ts"

/**
 * A number as the text of a parameter.
 */
export const NumberText: Schema.Codec<number, string> = /* @__PURE__ */ (() =>
  // JavaScript takes nothing, as of a variable that is not set, for 0
  Schema.String.check(Schema.makeFilter((text) => text.trim() !== "", { expected: "a finite number" })).pipe(
    Schema.decodeTo(Schema.FiniteFromString)
  ))()

const orNotJson = <A>(run: () => A) =>
  Effect.try({ try: run, catch: () => new SchemaIssue.InvalidValue({ expected: "JSON" }) })

/**
 * JSON as the text of a parameter or a part.
 */
export const jsonText = <A>(schema: Schema.Codec<A, unknown>): Schema.Codec<A, string> =>
  Schema.fromJsonString(jsonForm(schema))

/**
 * The same with integers that keep all their digits (see `Wire.Int64`).
 */
export const exactJsonText = <A>(schema: Schema.Codec<A, unknown>): Schema.Codec<A, string> =>
  Schema.String.pipe(
    Schema.decodeTo(
      jsonForm(schema, true),
      SchemaTransformation.transformEffect({
        decode: (text) => orNotJson(() => Digits.parse(text)),
        // a value that contains itself has no JSON
        encode: (value: unknown) => orNotJson(() => Digits.stringify(value))
      })
    )
  )

/**
 * A value with each text, number and boolean in it as the text of a parameter, for `Style.deepObject`: of an object that
 * contains itself.
 */
export function textTree<A>(schema: Schema.Codec<A, unknown>): Schema.Codec<A, Fields.Styled>
// its type lets a list have `undefined`, which no JSON has
export function textTree(schema: Schema.Codec<unknown, unknown>): object {
  return Schema.toCodecStringTree(schema)
}

/**
 * `true` or `false` as the text of a parameter.
 */
export const BooleanText: Schema.Codec<boolean, string> = /* @__PURE__ */ (() =>
  Schema.Literals(["true", "false"]).pipe(
    Schema.decodeTo(
      Schema.Boolean,
      SchemaTransformation.transform({
        decode: (text: "true" | "false") => text === "true",
        encode: (value: boolean) => (value ? "true" : "false")
      })
    )
  ))()

/** Names and values that follow one another. */
const inTurn = (items: ReadonlyArray<string>): { readonly [name: string]: string } =>
  Object.fromEntries(items.flatMap((name, i) => (i % 2 === 0 ? [[name, items[i + 1] ?? ""]] : [])))

/** A name and what follows its sign of equality. */
const pairOf = (text: string): readonly [name: string, value: string] => [
  text.replace(/=.*/s, ""),
  text.replace(/^[^=]*=?/, "")
]

/**
 * An object in a variable of a path or in a header: `R,100,G,200`, or in a header with `explode` `R=100,G=200`. These are
 * OpenAPI's style `simple`, and RFC 6570 §3.2.2.
 *
 * **Details**
 *
 * The encoded side of `schema` has texts only.
 *
 * @see {@link exploded} for a path with `explode`
 */
export const simple = <A>(
  schema: Schema.Codec<A, { readonly [name: string]: string }>,
  explode = false
): Schema.Codec<A, ReadonlyArray<string>> =>
  Schema.Array(Schema.String).pipe(
    Schema.decodeTo(
      schema,
      SchemaTransformation.transform({
        decode: (items: ReadonlyArray<string>) => (explode ? Object.fromEntries(items.map(pairOf)) : inTurn(items)),
        encode: (fields): ReadonlyArray<string> =>
          Object.entries(fields).flatMap(([name, text]) => (explode ? [`${name}=${text}`] : [name, text]))
      })
    )
  )

/**
 * JSON as the text of a header, which has escapes in place of characters that are not those of ASCII. `json` is
 * {@link jsonText} or {@link exactJsonText}.
 */
export const headerJson = <A>(json: Schema.Codec<A, string>): Schema.Codec<A, string> =>
  Schema.String.pipe(
    Schema.decodeTo(
      json,
      SchemaTransformation.transform({
        decode: identity<string>,
        encode: (text) => text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      })
    )
  )

/** Whether a value can be a list, an object or any text. */
const canBe = (tag: "Arrays" | "Objects" | "String", type: SchemaAST.AST | undefined): boolean =>
  type?._tag === tag || (type?._tag === "Union" && type.types.some((one) => canBe(tag, one)))

const joined = (items: ReadonlyArray<Fields.Styled>, by: string): Fields.Styled => Object.assign([...items], { by })

const isJoined = (value: Fields.Styled): value is ReadonlyArray<Fields.Styled> & { readonly by: string } =>
  Array.isArray(value) && "by" in value

const joinedText = (value: Fields.Styled): string =>
  isJoined(value) ? value.map(joinedText).join(value.by) : Predicate.isString(value) ? value : ""

/**
 * A list or an object in a variable of a path, with `separator` between its parts: `/:color` with `,` has `/R=100,G=200`,
 * `/.:id` with `.` has `/.1.2`, and `/;id=:id` with `;id=` has `/;id=1;id=2`. These are OpenAPI's styles `simple`, `label`
 * and `matrix` with `explode`, and RFC 6570 §3.2.2, §3.2.5 and §3.2.7.
 */
export function exploded<A>(
  schema: Schema.Codec<A, Fields.Styled>,
  separator: string
): Schema.Codec<A, ReadonlyArray<string>>
// of an object, the parts are lists of a name and a text, which the type of the encoded side hides
export function exploded(schema: Schema.Codec<unknown, Fields.Styled>, separator: string): object {
  // an `HttpApi` has a path of texts only
  const toCodecStringTree = () =>
    Schema.link<Fields.Styled>()(
      Schema.String,
      SchemaTransformation.transform<Fields.Styled, string>({ decode: identity, encode: joinedText })
    )
  return Schema.declare((value): value is Fields.Styled => value !== undefined, { toCodecStringTree }).pipe(
    Schema.decodeTo(
      schema,
      SchemaTransformation.transform({
        decode: (value: Fields.Styled) => {
          if (typeof value !== "string") return value
          const { ast } = Schema.toEncoded(schema)
          if (canBe("String", ast)) return value
          const parts = value.split(separator)
          return canBe("Objects", ast) ? Object.fromEntries(parts.map(pairOf)) : canBe("Arrays", ast) ? parts : value
        },
        encode: (value: Fields.Styled) => {
          if (typeof value === "string") return value
          const pairs = Object.entries(value).map(([name, part = ""]) => joined([name, part], "="))
          return joined(Array.isArray(value) ? value : pairs, separator)
        }
      })
    )
  )
}

/**
 * A text in a variable of a path whose slashes stay: `/files/:path` has `/files/a/b.txt`. These are `allowReserved` of
 * OpenAPI 3.2, and variables such as `{path*}` and `{proxy+}` of frameworks. No part of it can be empty, `.` or `..`.
 */
export const segments = <A>(schema: Schema.Codec<A, string>): Schema.Codec<A, ReadonlyArray<string>> =>
  exploded(Schema.Array(Schema.String), "/").pipe(
    Schema.decodeTo(
      schema,
      SchemaTransformation.transform({
        decode: (parts: ReadonlyArray<string>) => parts.join("/"),
        encode: (text): ReadonlyArray<string> => text.split("/")
      })
    )
  )

/** Reads cookies that a style has written: their texts are encoded, as in a query, but for those of `cookie`. */
const unstyled = (
  cookies: ReadonlyArray<readonly [name: string, value: string]>,
  name: string,
  { explode, style }: Fields.Style,
  type: SchemaAST.AST | undefined
): ReadonlyArray<readonly [name: string, value: Fields.Styled]> => {
  const isPlain = style === "cookie"
  const decoded = (text: string) => (isPlain ? text : (new URLSearchParams(`_=${text}`).get("_") ?? ""))
  // what is spread is divided as in a query
  const all = isPlain ? cookies : cookies.flatMap((pair) => pair.join("=").split("&").map(pairOf))
  const own = all.flatMap(([key, text]) => (key === name ? [text] : []))
  const items = own.flatMap((text) => text.split(",").map(decoded))
  const fields = type?._tag === "Objects" ? type.propertySignatures : []
  const spread = fields.flatMap((field) => {
    const texts = all.flatMap(([key, text]) => (key === field.name ? [decoded(text)] : []))
    const [last] = texts.slice(-1)
    return last === undefined ? [] : [[String(field.name), canBe("Arrays", field.type) ? texts : last] as const]
  })
  if (explode && spread.length > 0) return [[name, Object.fromEntries(spread)]]
  if (own.length === 0) return []
  if (canBe("Arrays", type)) return [[name, items]]
  return [[name, canBe("Objects", type) ? inTurn(items) : decoded(own.join())]]
}

/**
 * The cookies of a request, for a header with the name `cookie`: `theme=dark; page=2`. Those of credentials follow them.
 *
 * **Details**
 *
 * A text is sent as it is. `styles` writes lists, objects and JSON (see the module `Style`), and encodes them.
 *
 * **Gotchas**
 *
 * Browsers send their own cookies, and leave these out.
 */
export const cookies = <A>(
  schema: Schema.Codec<A, Fields.Fields>,
  styles: Fields.Styles = {}
): Schema.Codec<A, string | ReadonlyArray<string>> =>
  Schema.Union([Schema.String, Schema.Array(Schema.String)]).pipe(
    Schema.decodeTo(
      schema,
      SchemaTransformation.transformEffect({
        decode: (texts: string | ReadonlyArray<string>): Effect.Effect<Fields.Fields> => {
          const all = [texts].flat().flatMap((text) => text.split(/; ?/).map(pairOf))
          const { ast } = Schema.toEncoded(schema)
          const types = ast._tag === "Objects" ? ast.propertySignatures : []
          const styled = Object.entries(styles).flatMap(([name, style]) =>
            unstyled(all, name, style, types.find((own) => own.name === name)?.type)
          )
          return Effect.succeed(Object.fromEntries([...all, ...styled]))
        },
        encode: (fields): Effect.Effect<string | ReadonlyArray<string>, SchemaIssue.Issue> => {
          const all: Array<string> = []
          for (const [name, value = ""] of Object.entries(fields)) {
            const style = Object.hasOwn(styles, name) ? styles[name] : undefined
            const text = Result.try(() => style?.write(name, value) ?? `${name}=${Fields.cookie(name, value)}`)
            if (Result.isFailure(text)) {
              // the sentence of what is thrown, which knows the name alone
              const expected = String(text.failure).replace(/^\w+: Expected |\n.*/gs, "")
              return Effect.fail(new SchemaIssue.Pointer([name], new SchemaIssue.InvalidValue({ expected })))
            }
            if (text.success !== "") all.push(text.success)
          }
          // an empty list sends nothing
          return Effect.succeed(all.length === 0 ? [] : all.join("; "))
        }
      })
    )
  )
