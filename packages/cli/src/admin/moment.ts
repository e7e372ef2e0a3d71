import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { identity } from "effect/Function"
import { Flag } from "effect/cli"
import { Moment } from "@cloud-management/service/Moment"
import * as Durations from "../input/duration.ts"
import * as Flags from "../input/flag.ts"
import * as Failure from "../output/Failure.ts"

const decode = Schema.decodeOption(Moment)

/** A date or a time of day without an offset, and the name of a zone, without which it is UTC. */
const local = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?(?: ?\[?([A-Za-z][\w/+-]*)\]?)?$/

const decodeLocal = (text: string): Option.Option<DateTime.Utc> =>
  Option.gen(function* () {
    const [, day = "", time = "00:00", timeZone = "UTC"] = local.exec(text) ?? []
    const wall = yield* decode(`${day}T${time}Z`)
    return DateTime.toUtc(yield* DateTime.makeZoned(wall, { timeZone, adjustForTimeZone: true }))
  })

type Move = (now: DateTime.Utc, duration: Duration.Duration) => DateTime.Utc

const parse = (text: string, move: Move, most = Duration.infinity): Option.Option<Effect.Effect<DateTime.Utc>> => {
  const moment = Option.orElse(decode(text), () => decodeLocal(text))
  const duration = Option.filter(Durations.parse(text), Duration.isLessThanOrEqualTo(most))
  return Option.orElse(Option.map(moment, Effect.succeed), () =>
    Option.map(duration, (duration) => Effect.map(DateTime.now, (now) => move(now, duration)))
  )
}

export const past = (name: string, description: string) =>
  Flags.of(name, {
    // moments much longer ago than a thousand years have no date
    parse: (text) => parse(text, DateTime.subtractDuration, Duration.days(365_000)),
    expected: "a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or a duration before now such as 24h",
    metavar: "when",
    description
  }).pipe(Flag.mapEffect(identity))

export const expires = Flags.of<Effect.Effect<DateTime.Utc | undefined>>("expires", {
  parse: (text) => (text === "never" ? Option.some(Effect.undefined) : parse(text, DateTime.addDuration)),
  expected: "a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, a duration such as 90d, or never",
  metavar: "when",
  description: "When the key expires, such as 2027-01-31, 90d or never"
}).pipe(Flag.mapEffect(identity), Flag.optional)

export const format = (expiresAt: DateTime.Utc | undefined): string =>
  expiresAt === undefined ? "never" : DateTime.formatIso(expiresAt)

/** Whether it is after the last year that a date has four digits for; durations reach beyond all dates that there are. */
export const isBeyond = (moment: DateTime.Utc): boolean =>
  !DateTime.isLessThanOrEqualTo(moment, DateTime.makeUnsafe("9999-12-31T23:59:59.999Z"))

/** The given moment, `undefined` for never. A past moment is rejected; use `disable` instead. */
export const resolve = Effect.fnUntraced(function* (expiresAt: DateTime.Utc | undefined) {
  if (expiresAt !== undefined && isBeyond(expiresAt)) {
    return yield* Failure.usage(
      "--expires: the time is after the year 9999",
      "For a key that never expires, pass never."
    )
  }
  if (expiresAt === undefined || DateTime.isGreaterThan(expiresAt, yield* DateTime.now)) return expiresAt
  return yield* Failure.usage(
    `--expires: ${DateTime.formatIso(expiresAt)} is in the past`,
    "Pass a later time, or never. To stop an existing key at once, use `cloud-management admin keys disable`."
  )
})
