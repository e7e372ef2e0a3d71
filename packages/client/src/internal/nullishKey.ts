import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** `null`, which decodes to an absent key. Beside a schema in a union, it costs the values that are there nothing. */
const absent = Schema.Null.pipe(
  Schema.decodeTo(Schema.Never, { decode: SchemaGetter.omit(), encode: SchemaGetter.omit() })
)

/**
 * A field that a response may leave out. Absent and `null` both decode to an absent key, so that a reader has one
 * case to handle; encoding writes the key only when there is a value.
 *
 * **Details**
 *
 * A service that is strict in what it sends has its `strict` side: the field is there `always`, or `sometimes`, where it
 * applies.
 */
export const nullishKey = <S extends Schema.Codec<unknown, unknown>>(
  schema: S,
  presence: "always" | "sometimes" = "always"
): Schema.optionalKey<Schema.Union<readonly [S, typeof absent]>> & { readonly strict: S | Schema.optionalKey<S> } =>
  Object.assign(Schema.optionalKey(Schema.Union([schema, absent])), {
    strict: presence === "always" ? schema : Schema.optionalKey(schema)
  })
