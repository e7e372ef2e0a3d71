import { Option } from "effect"
import { Flag } from "effect/cli"

export interface Kind<A> {
  readonly parse: (text: string) => Option.Option<A>
  readonly expected: string
  readonly metavar: string
  readonly description: string
}

export const on = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false), Flag.withDescription(description))

export const of = <A>(name: string, { description, expected, metavar, parse }: Kind<A>) =>
  Flag.String(name).pipe(
    Flag.filterMap(parse, () => expected),
    Flag.withMetavar(metavar),
    Flag.withDescription(description)
  )

export const text = (expected: string, metavar: string, description: string): Kind<string> => ({
  parse: Option.liftPredicate((text: string) => text !== ""),
  expected,
  metavar,
  description
})

export const whole = (text: string) => (/^[1-9]\d{0,8}$/.test(text) ? Option.some(Number(text)) : Option.none())
