import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import { variable } from "./Environment.ts"

/** What a setting looks like. */
export interface Kind<A> {
  /** Reads a text; `None` when it is not understood. */
  readonly parse: (text: string) => Option.Option<A>
  /** What is understood, for people. */
  readonly expected: string
  readonly metavar: string
  readonly description: string
}

/** What the variables of all settings begin with. */
export const prefix = "CLOUD_MANAGEMENT_"

const nameOf = (flag: string) => flag.toUpperCase().replaceAll("-", "_")

/** The variable beside a flag: `CLOUD_MANAGEMENT_RATE_LIMIT` for `--rate-limit`. */
const variableOf = (flag: string) => `${prefix}${nameOf(flag)}`

/** The variables of the settings made here, without their {@link prefix}. */
export const names: Set<string> = new Set()

/** How a message names a setting: `--rate-limit (CLOUD_MANAGEMENT_RATE_LIMIT)`. */
export const named = (flag: string) => `--${flag} (${variableOf(flag)})`

/** The text of the variable beside a flag. */
export const value = (flag: string): Effect.Effect<Option.Option<string>> => variable(variableOf(flag))

const fromText = <A>(
  name: string,
  { expected, parse }: Pick<Kind<A>, "expected" | "parse">,
  text: string
): Effect.Effect<A, CliError.CliError> =>
  Effect.mapError(
    Effect.fromOption(parse(text)),
    () => new CliError.InvalidValue({ option: `${name} (${variableOf(name)})`, value: text, expected, kind: "flag" })
  )

const flag = <A>(name: string, { description, expected, metavar, parse }: Kind<A>) => {
  names.add(nameOf(name))
  return Flag.String(name).pipe(
    Flag.filterMap(parse, () => expected),
    Flag.withMetavar(metavar),
    Flag.withDescription(description)
  )
}

/** A flag, or else its variable, or else nothing. */
export const optional = <A>(name: string, kind: Kind<A>): Flag.Flag<Option.Option<A>> =>
  flag(name, kind).pipe(
    Flag.map(Option.some),
    Flag.withDefault(
      Effect.flatMap(value(name), (text) =>
        Option.isNone(text) ? Effect.succeedNone : Effect.asSome(fromText(name, kind, text.value))
      )
    )
  )

/** A flag, or else its variable, or else a value. */
export const withDefault = <A>(name: string, kind: Kind<A>, otherwise: A): Flag.Flag<A> =>
  Flag.map(
    optional(name, kind),
    Option.getOrElse(() => otherwise)
  )

/** A flag that can be repeated, or else its variable with commas between the values. */
export const repeated = <A>(name: string, kind: Kind<A>): Flag.Flag<ReadonlyArray<A>> =>
  flag(name, kind).pipe(
    Flag.atLeast(0),
    Flag.mapEffect((values) =>
      values.length > 0
        ? Effect.succeed(values)
        : Effect.flatMap(value(name), (text) =>
            Effect.forEach(Option.match(text, { onNone: () => [], onSome: (text) => text.split(",") }), (value) =>
              fromText(name, kind, value.trim())
            )
          )
    )
  )

/** A flag that is on or off, `--docs` or `--no-docs`, or else its variable, `true` or `false`, or else a value. */
export const toggle = (name: string, description: string, otherwise: boolean): Flag.Flag<boolean> => {
  names.add(nameOf(name))
  const kind = {
    parse: (text: string) => (text === "true" || text === "false" ? Option.some(text === "true") : Option.none()),
    expected: "true or false"
  }
  return Flag.Boolean(name).pipe(
    Flag.withDescription(description),
    Flag.withDefault(
      Effect.flatMap(
        value(name),
        Option.match({ onNone: () => Effect.succeed(otherwise), onSome: (text) => fromText(name, kind, text) })
      )
    )
  )
}

/** Any text but an empty one. */
export const text = (expected: string) => ({
  parse: Option.liftPredicate((text: string) => text !== ""),
  expected
})
