import * as Facts from "../Facts.ts"
import * as Pattern from "../Pattern.ts"
import * as ExamplePattern from "./ExamplePattern.ts"

const pad = (position: number, length: number) => String(position % 10 ** length).padStart(length, "0")

/** A text of a format; `undefined` for one that is not known. */
const ofFormat = (format: string, position: number, fraction: number): string | undefined => {
  switch (format) {
    case "date-time":
      return `2026-01-02T03:04:${pad(position % 60, 2)}${fraction > 0 ? `.${pad(position, 3).padEnd(fraction, "0")}` : ""}Z`
    case "date":
      return `2026-01-${pad(1 + (position % 28), 2)}`
    case "time":
      return `03:04:${pad(position % 60, 2)}Z`
    case "duration":
      return `PT${position}S`
    case "uuid":
      return `01234567-89ab-4cde-8f01-${pad(position, 12)}`
    case "email":
    case "idn-email":
      return `name${position}@example.com`
    case "uri":
    case "url":
    case "iri":
      return `https://example.com/${position}`
    case "uri-reference":
      return `/path/${position}`
    case "hostname":
    case "idn-hostname":
      return `host${position}.example.com`
    case "ipv4":
      return `192.0.2.${position % 256}`
    case "ipv6":
      return `2001:db8::${position % 10_000}`
    case "byte":
      return btoa(`bytes ${position}`)
    case "json-pointer":
      return `/${position}`
    case "regex":
      return "^a$"
    default:
      return undefined
  }
}

/** A text that a schema takes; it is not the same at two places. */
export const make = (facts: Facts.Facts, position: number): string => {
  const least = Math.max(0, ...Facts.numbersOf(facts, "minLength"))
  const most = Math.min(Infinity, ...Facts.numbersOf(facts, "maxLength"))
  const format = Facts.textOf(facts, "format")
  const given = Facts.textOf(facts, "pattern")
  const pattern = format === "date-time" && given !== undefined ? Pattern.time(given) && given : given
  const isMatch = (value: string) =>
    value.length >= least && value.length <= most && (pattern === undefined || Pattern.isMatch(pattern, value))
  for (const fraction of [3, 0, 6]) {
    const formatted = format === undefined ? undefined : ofFormat(format, position, fraction)
    if (formatted !== undefined && isMatch(formatted)) return formatted
  }
  const matching = pattern === undefined ? undefined : ExamplePattern.example(pattern, least, most)
  if (matching !== undefined) return matching
  const plain = `text ${position}`
  return plain.length > most ? plain.slice(-most) : plain.padEnd(least, "x")
}
