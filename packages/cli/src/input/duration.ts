import { Duration, Option } from "effect"
import { Flag } from "effect/cli"
import * as Flags from "./flag.ts"

const expected = "a duration such as 30s, 1h30m or PT5M: whole numbers with units (d, h, m, s, ms), above 0"

/** Days to milliseconds, each part at most once and in this order. */
const parts = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/

/** A duration of ISO 8601 without fractions, and in days to seconds alone, whose length is always the same. */
const iso = /^P(\d+D)?(?:T(\d+H)?(\d+M)?(\d+S)?)?$/

export const parse = (text: string): Option.Option<Duration.Duration> => {
  const plain = iso.test(text) ? text.replace(/[PT]/g, "").toLowerCase() : text
  const [days, hours, minutes, seconds, milliseconds] = (parts.exec(plain) ?? [])
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0))
  return Option.filter(
    Duration.fromInput({ days, hours, minutes, seconds, milliseconds }),
    Duration.isGreaterThan(Duration.zero)
  )
}

export const kind = (description: string) => ({ parse, expected, metavar: "duration", description })

export const flag = (name: string, description: string) => Flag.optional(Flags.of(name, kind(description)))
