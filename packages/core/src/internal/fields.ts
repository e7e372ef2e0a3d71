import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/**
 * A field that a response may leave out. Absent and `null` both decode to an absent key, so that a reader has one
 * case to handle; encoding writes the key only when there is a value.
 */
export const absentable = <A, I>(schema: Schema.Codec<A, I>) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(Option.filter((value: A | null): value is A => value !== null)),
      encode: SchemaGetter.transformOptional((value: Option.Option<A>): Option.Option<A | null> => value)
    })
  )

/**
 * An open set of strings: the known ones complete in an editor, and one that the service adds later still decodes.
 */
export const open = <const Known extends string>(...known: ReadonlyArray<Known>) =>
  Schema.String.pipe(
    Schema.refine((value: string): value is Known | (string & {}) => typeof value === "string", {
      examples: known,
      // no constraint, but what has none at all takes its examples with it
      toJsonSchema: () => ({})
    })
  )
