import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** RFC 9562 §4: hexadecimal digits compare without regard to case. What comes in is made lower case, and so kept. */
export const lowerCase = <S extends Schema.Codec<string, string>>(id: S) =>
  Schema.String.pipe(Schema.decode(SchemaTransformation.toLowerCase()), Schema.decodeTo(id))
