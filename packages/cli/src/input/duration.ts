import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"

const units = new Map([
  ["ms", Duration.millis],
  ["s", Duration.seconds],
  ["m", Duration.minutes],
  ["h", Duration.hours],
  ["d", Duration.days]
])

/** A description, for people, of what {@link parse} accepts. */
export const expected = "a duration such as 30s: a whole number from 1 with a unit (ms, s, m, h, d)"

/** `30s`: a whole number from 1, and its unit. */
export const parse = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit = ""] = /^([1-9]\d{0,8})(\D+)$/.exec(text) ?? []
  return Option.map(Option.fromUndefinedOr(units.get(unit)), (of) => of(Number(amount)))
}

/** A flag that is a duration, or absent. */
export const flag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(parse, () => expected),
    Flag.optional,
    Flag.withMetavar("duration"),
    Flag.withDescription(description)
  )
