import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Alternatives from "./internal/alternatives.ts"
import * as Digits from "./internal/digits.ts"

// Schemas of the two sides of one wire: what a service may send, and how a request carries it.

export { nullishKey } from "./internal/nullishKey.ts"
export {
  BooleanText,
  cookies,
  exactJsonText,
  exploded,
  headerJson,
  jsonText,
  NumberText,
  segments,
  simple,
  textTree
} from "./internal/texts.ts"
export { Timestamp } from "./internal/timestamp.ts"

/**
 * A string whose known values complete in an editor; values that the service adds later also decode.
 */
export interface OpenEnum<Known extends string> extends Schema.Bottom<
  Known | (string & {}),
  string,
  never,
  never,
  SchemaAST.String,
  OpenEnum<Known>
> {}

/**
 * A text of which some values are known: services add others. A mock responds with a known one.
 */
export const openEnum = <const Known extends string>(examples: ReadonlyArray<Known>): OpenEnum<Known> =>
  Schema.String.annotate({ examples })

/** Digits as the text of a parameter. */
const digits = () => Schema.String.check(Schema.makeFilter((text) => /^-?\d+$/.test(text), { expected: "an integer" }))

const ofDigits = /* @__PURE__ */ SchemaTransformation.transform<number | bigint, string>({
  decode: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
  encode: String
})

/**
 * An integer of 64 bits, whose digits are all kept: a `number`, or a `bigint` beyond 2^53.
 *
 * **Gotchas**
 *
 * It needs `Body.exact` around the body: without it, JSON is read and written as numbers, and digits are lost before.
 */
export const Int64: Schema.Codec<number | bigint> = /* @__PURE__ */ Schema.declare(
  (value): value is number | bigint => Predicate.isBigInt(value) || Number.isFinite(value),
  {
    expected: "a finite number or a bigint",
    // `Body.exact` writes it as it is
    isWire: true,
    // where no `Body.exact` writes it, an integer whose digits would change is an error
    toCodecJson: () =>
      Schema.link<number | bigint>()(
        Schema.Finite.check(
          Schema.makeFilter(Number.isSafeInteger, {
            expected: "an integer up to 2^53",
            toJsonSchema: () => ({ type: "integer", format: "int64" })
          })
        ),
        SchemaTransformation.transform({ decode: (value: number): number | bigint => value, encode: Number })
      ),
    toCodecStringTree: () => Schema.link<number | bigint>()(digits(), ofDigits)
  }
)

/**
 * {@link Int64} as the text of a parameter.
 */
export const Int64Text: Schema.Codec<number | bigint, string> = /* @__PURE__ */ (() =>
  digits().pipe(Schema.decodeTo(Int64, ofDigits)))()

/** Fits rounded digits only: an alternative that keeps every field has to keep them too (see {@link oneOf}). */
const rounding =
  <A, B>(round: (value: A) => B) =>
  (value: A, { onExcessProperty }: SchemaAST.ParseOptions) =>
    onExcessProperty === "error"
      ? Effect.fail(new SchemaIssue.InvalidValue({ expected: "no integer beyond 2^53" }))
      : Effect.succeed(round(value))

/**
 * A number in a body that keeps the digits of all integers. An integer that a `number` does not hold is rounded.
 */
export const Rounded: Schema.Codec<number, unknown> = /* @__PURE__ */ (() =>
  Schema.Union([
    Schema.Finite,
    Schema.BigInt.pipe(
      Schema.decodeTo(
        Schema.Finite,
        SchemaTransformation.transformEffect({
          decode: rounding(Number),
          encode: (value: number) => Effect.succeed(BigInt(value))
        })
      )
    )
  ]))()

/**
 * Any JSON in a body that keeps the digits of all integers. Integers that a `number` does not hold are rounded.
 */
export const RoundedJson: Schema.Codec<Schema.Json, unknown> = /* @__PURE__ */ (() =>
  Schema.Union([
    Schema.Json,
    Schema.Unknown.pipe(
      Schema.decodeTo(
        Schema.fromJsonString(Schema.Json),
        SchemaTransformation.transformEffect({
          decode: rounding(Digits.stringify),
          encode: (text: string) => Effect.succeed<unknown>(JSON.parse(text))
        })
      )
    )
  ]))()

/** A value that no schema describes, as the texts that a query or a form carries; files of a form stay. */
const written = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(written)
  if (
    value === undefined ||
    Predicate.isString(value) ||
    Predicate.hasProperty(value, "arrayBuffer") ||
    ArrayBuffer.isView(value)
  )
    return value
  return Predicate.isBigInt(value) ? String(value) : JSON.stringify(value)
}

/**
 * Fields of a query or a form that takes others too: texts, numbers, booleans, lists of them, and objects, which are
 * written as JSON.
 */
export function withOthers<const Fields extends Schema.Struct.Fields>(
  struct: Schema.Struct<Fields>
): Schema.Codec<
  Schema.Struct<Fields>["Type"] & { readonly [name: string]: unknown },
  Schema.Struct<Fields>["Encoded"] & { readonly [name: string]: never }
>
// each other field has the type of what it is written as, which the compiler does not follow
export function withOthers(struct: Schema.Struct<Schema.Struct.Fields>): object {
  const whole = Schema.StructWithRest(struct, [Schema.Record(Schema.String, Schema.Unknown)])
  return Schema.Record(Schema.String, Schema.Unknown).pipe(
    Schema.decodeTo(
      whole,
      SchemaTransformation.transform({
        decode: (fields: Readonly<Record<string, unknown>>) => fields,
        encode: (fields: Readonly<Record<string, unknown>>) =>
          Record.map(fields, (value, name) => (Object.hasOwn(struct.fields, name) ? value : written(value)))
      })
    )
  )
}

type Member = Schema.Codec<unknown, unknown>

const asts = (members: ReadonlyArray<Member>) => members.map(({ ast }) => ast)

/**
 * Alternatives, of which a value is one.
 *
 * **Details**
 *
 * A value is read by the first alternative that has all its fields, at any depth. If the service sends a field that none
 * has, it is read by the one that keeps the digits of most integers, and of these by the one that reads most. A request is
 * written by the first alternative that has all its fields, so that nothing is dropped.
 *
 * A plain `Schema.Union` takes the first alternative that fits, and drops the fields that it lacks.
 *
 * @see {@link anyOf} for values that can be several of them at once
 */
export const oneOf = <const Members extends ReadonlyArray<Member>>(members: Members): OneOf<Members> =>
  Schema.make(Alternatives.alternatives(asts(members), false))

/**
 * Alternatives, of which a value can be several at once: it is read and written with the fields of each that fits.
 *
 * **Details**
 *
 * Where two read one field, the alternative that reads more of the value decides. In a request, a field that no fitting
 * alternative has is an error.
 */
export const anyOf = <const Members extends ReadonlyArray<Member>>(members: Members): OneOf<Members> =>
  Schema.make(Alternatives.alternatives(asts(members), true))

/**
 * The schema of {@link oneOf} and {@link anyOf}.
 */
type OneOf<Members extends ReadonlyArray<Member>> = Schema.Codec<Members[number]["Type"], Members[number]["Encoded"]>

/**
 * An object as one of several alternatives, which it is only if a tag has a known value.
 *
 * @see {@link tagged}
 */
export type Tagged<A, Name extends keyof A, Value> = A & { readonly [Tag in keyof Pick<A, Name>]: Value }

/**
 * The schema of an object as one of several alternatives: its tags have the known values only, though elsewhere services add
 * others.
 */
export const tagged = <A, const Tags extends Alternatives.Tags>(
  schema: Schema.Codec<A, unknown>,
  tags: Tags
): Schema.Codec<A & { readonly [Name in keyof Pick<A, keyof A & keyof Tags>]: Tags[Name][number] }, unknown> =>
  Schema.make(Alternatives.tagged(schema.ast, tags))

/** How the tag of an alternative is typed that the program does not know: a text, a number or a boolean, as it came. */
// oxlint-disable-next-line typescript/no-wrapper-object-types -- a text that is none of the known ones narrows like no `string` does
interface Unlisted extends String {
  readonly [raw]: true
}
declare const raw: unique symbol

/**
 * JSON of an alternative that the program does not know, as it came. `Tag` is the field that tells alternatives apart, and
 * `Optional` one that can be absent.
 *
 * @see {@link orUnknown} for an example
 */
export type Unknown<Tag extends string = never, Optional extends string = never> = {
  readonly [name: string]: unknown
  readonly [raw]: true
} & { readonly [name in Tag]: Unlisted } & { readonly [name in Optional]?: Unlisted }

/** The tags that can be absent. */
type Optional<Tags extends Alternatives.Tags<unknown>> = {
  [Name in keyof Tags & string]: undefined extends Tags[Name][number] ? Name : never
}[keyof Tags & string]

/**
 * Whether a value of a union is of an alternative that the program does not know.
 */
export const isUnknown = (value: unknown): value is Unknown => Alternatives.isUnknown(value)

/**
 * Alternatives of a response to which the service adds others: an object that fits none is kept as it came.
 *
 * **Details**
 *
 * `tags` has the field that tells the alternatives apart, and its known values: an object with one of these has to fit. With
 * `undefined` among them, the field can be absent.
 * Comparing that field narrows the type. Without such a field, {@link isUnknown} does. Only what was read so can be
 * encoded.
 *
 * **Example** (Reading pets, and those that come later)
 *
 * ```ts
 * import * as Wire from "@cloud-management/client/Wire"
 * import * as Schema from "effect/Schema"
 *
 * const Cat = Schema.Struct({ kind: Schema.Literal("cat"), lives: Schema.Finite })
 * const Dog = Schema.Struct({ kind: Schema.Literal("dog") })
 * const Pet = Wire.orUnknown(Wire.oneOf([Cat, Dog]), { kind: ["cat", "dog"] })
 *
 * const describe = (pet: typeof Pet.Type) => {
 *   switch (pet.kind) {
 *     case "cat":
 *       return `a cat with ${pet.lives} lives`
 *     case "dog":
 *       return "a dog"
 *     default:
 *       return `another pet: ${String(pet.kind)}`
 *   }
 * }
 * ```
 */
export const orUnknown = <
  S extends Member,
  const Tags extends Alternatives.Tags<string | number | boolean | undefined> = {}
>(
  schema: S,
  tags?: Tags
): Schema.Codec<S["Type"] | Unknown<Exclude<keyof Tags & string, Optional<Tags>>, Optional<Tags>>, S["Encoded"]> =>
  Schema.make(Alternatives.orUnknown(schema.ast, tags ?? {}))
