import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Flag from "effect/cli/Flag"
import { Moment } from "@cloud-management/service/Moment"
import * as Durations from "../duration.ts"

const decodeMoment = Schema.decodeOption(Moment)

/** A thousand years: moments much longer ago have no date. */
const longest = Duration.days(365_000)

/** A date (its first moment in UTC), a moment with its offset, or a duration before now. */
const parse = (text: string): Option.Option<Effect.Effect<DateTime.Utc>> =>
  Option.orElse(
    Option.map(decodeMoment(text), (moment) => Effect.succeed(moment)),
    () =>
      Durations.parse(text).pipe(
        Option.filter((duration) => Duration.isLessThanOrEqualTo(duration, longest)),
        Option.map((duration) => Effect.map(DateTime.now, (now) => DateTime.subtractDuration(now, duration)))
      )
  )

/** A flag for a moment in the past. */
export const flag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      parse,
      () => "a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or a duration before now such as 24h"
    ),
    Flag.withMetavar("when"),
    Flag.withDescription(description)
  )
