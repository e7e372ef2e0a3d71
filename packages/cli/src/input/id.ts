import { Schema } from "effect"
import { Argument, Flag } from "effect/cli"

const expected = () => "a UUID (8-4-4-4-12 hexadecimal digits)"

/** A positional argument that is an ID. */
export const argument = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  Argument.String(name).pipe(
    Argument.filterMap(Schema.decodeUnknownOption(schema), expected),
    Argument.withDescription(description)
  )

/** A flag that is an ID, or absent. */
export const flag = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(Schema.decodeUnknownOption(schema), expected),
    Flag.optional,
    Flag.withDescription(description)
  )
