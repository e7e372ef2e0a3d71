import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import * as Duration from "../duration.ts"
import * as Failure from "../Failure.ts"

const date = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** A date (its first moment in UTC), a moment with its offset, a duration from now on, or `never`. */
const moment = (text: string): Option.Option<Effect.Effect<DateTime.Utc | undefined>> => {
  if (text === "never") return Option.some(Effect.succeed(undefined))
  if (date.test(text)) return Option.map(DateTime.make(text), (moment) => Effect.succeed(DateTime.toUtc(moment)))
  return Option.map(Duration.parse(text), (duration) =>
    Effect.map(DateTime.now, (now) => DateTime.addDuration(now, duration))
  )
}

/** `--expires`. */
export const flag = Flag.String("expires").pipe(
  Flag.filterMap(moment, () => "a date as in 2027-01-31, a moment as in 2027-01-31T12:00:00Z, 90d, or never"),
  Flag.optional,
  Flag.withMetavar("when"),
  Flag.withDescription("When it stops working: 2027-01-31, 90d, never")
)

/** The moment that was given, `undefined` for never. A past one is refused: `disable` says what is meant. */
export const resolve = Effect.fnUntraced(function* (given: Effect.Effect<DateTime.Utc | undefined>) {
  const expiresAt = yield* given
  if (expiresAt === undefined || DateTime.isGreaterThan(expiresAt, yield* DateTime.now)) return expiresAt
  return yield* Failure.usage(
    `--expires: ${DateTime.formatIso(expiresAt)} is past`,
    "To stop a key at once, use `cloud-management admin keys disable`."
  )
})
