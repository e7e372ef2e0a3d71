import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const iso = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/**
 * A moment in ISO 8601: a date such as `2027-01-31` (its first moment in UTC), or a time with its offset such as
 * `2027-01-31T12:00:00Z`.
 */
export const Moment = Schema.String.check(
  Schema.makeFilter(
    (text) => {
      const [, day = ""] = iso.exec(text) ?? []
      // engines take 31 February for 3 March
      return day !== "" && Option.exists(DateTime.make(day), (first) => DateTime.formatIso(first).startsWith(day))
    },
    { expected: "a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z" }
  )
).pipe(
  Schema.decodeTo(Schema.DateTimeUtcFromString),
  Schema.check(
    // four digits (RFC 3339 §1); an offset can lead from the year 9999 to a later one, or from 0000 to an earlier one
    Schema.makeFilter((moment) => /^\d{4}-/.test(DateTime.formatIso(moment)), {
      expected: "a moment within the years 0000 to 9999 of UTC"
    })
  )
)
