import { Effect, Schema, Stream } from "effect"
import { Argument, CliError, Flag } from "effect/cli"
import type * as Failure from "../output/Failure.ts"
import * as Format from "../output/Format.ts"
import * as Input from "./input.ts"

const expected = () => "a UUID (8-4-4-4-12 hexadecimal digits)"

export const argument = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  Argument.String(name).pipe(
    Argument.filterMap(Schema.decodeUnknownOption(schema), expected),
    Argument.withDescription(description)
  )

export const decode = <A>(
  schema: Schema.Codec<A, unknown>,
  option: string,
  value: string | ReadonlyArray<string>,
  form = expected()
) =>
  Effect.fromOption(
    Schema.decodeUnknownOption(schema)(value),
    () => new CliError.InvalidValue({ option, value: [value].flat().join(), expected: form, kind: "argument" })
  )

export const lines = (name: string) =>
  Input.text("-", (problem) => new CliError.ValidationError({ message: `argument <${name}>: stdin ${problem}` })).pipe(
    Stream.splitLines,
    Stream.filter((line) => line !== ""),
    Stream.runCollect
  )

export const several = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  Argument.String(name).pipe(
    Argument.mapEffect((text) =>
      Effect.flatMap(text === "-" ? lines(name) : Effect.succeed([text]), (texts) =>
        Effect.forEach(texts, (text) => decode(schema, name, text))
      )
    ),
    Argument.withDescription(`${description}; - reads those on stdin`)
  )

/** Acts on each of several, also after one that fails; the last failure is that of all. */
export const each = Effect.fnUntraced(function* <A, E extends Failure.Failure, R>(
  ids: ReadonlyArray<A>,
  act: (id: A) => Effect.Effect<void, E, R>
) {
  const [, failures] = yield* Effect.partition(ids, act)
  for (const { message, tag } of failures.slice(0, -1)) yield* Format.warn(tag, message)
  const last = failures.at(-1)
  if (last !== undefined) return yield* last
})

export const flag = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(Schema.decodeUnknownOption(schema), expected),
    Flag.optional,
    Flag.withDescription(description)
  )
