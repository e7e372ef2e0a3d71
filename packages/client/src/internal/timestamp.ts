import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaTransformation from "effect/SchemaTransformation"

// oxlint-disable-next-line no-restricted-globals -- reads a text; the time of day comes from the clock
const toDate = (input: string | number): Date => new Date(input)

/** Milliseconds since 1970 of a date as text; `NaN` when it is none. */
export const parse = (text: string): number => toDate(text).getTime()

/**
 * ISO 8601, whose time can be left out. A `Date` is in other texts too, such as "part 35", which may be another
 * alternative.
 */
const form = /^([+-]?\d{4,6}-\d\d(?:-(\d\d))?)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z| ?[+-]\d\d:?\d\d)?)?$/i

/** ISO 8601 without a zone is UTC here: the program's own would be another moment on each machine. */
const instant = (text: string): number => {
  const [, date = "", day = "01", zone] = form.exec(text) ?? []
  // a `Date` makes March of February 30
  if (toDate(`${date}T00:00Z`).getUTCDate() !== Number(day)) return Number.NaN
  return parse(zone === undefined ? `${text}Z` : text)
}

/**
 * A moment: ISO 8601 on the wire, `DateTime.Utc` in the program. `Schema.DateTimeUtcFromString` does the same, but
 * brings all of DateTime's input forms, parts and zones into the bundle of a page: 2 kB after compression.
 */
export const Timestamp = /* @__PURE__ */ (() =>
  Schema.String.check(
    Schema.makeFilter((text) => !Number.isNaN(instant(text)), {
      expected: "an ISO 8601 date-time",
      toJsonSchema: () => ({ format: "date-time" })
    })
  ).pipe(
    Schema.decodeTo(
      Schema.declare((value): value is DateTime.Utc => DateTime.isDateTime(value) && DateTime.isUtc(value), {
        expected: "DateTime.Utc",
        toCodecArbitrary: () =>
          Schema.link<DateTime.Utc>()(Schema.Finite, {
            decode: SchemaGetter.transform((n) => DateTime.fromDateUnsafe(toDate(n % 4e12))),
            encode: SchemaGetter.transform((utc) => utc.epochMilliseconds)
          })
      }),
      SchemaTransformation.transform({
        decode: (text: string) => DateTime.fromDateUnsafe(toDate(instant(text))),
        encode: DateTime.formatIso
      })
    )
  ))()
