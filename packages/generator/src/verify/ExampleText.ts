import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Facts from "../Facts.ts"
import * as Pattern from "../Pattern.ts"

const pad = (position: number, length: number) => String(position % 10 ** length).padStart(length, "0")

/** A text of a format, which is not the same at two positions. */
type Make = (position: number, fraction: number) => string

const email: Make = (position) => `name${position}@example.com`
const uri: Make = (position) => `https://example.com/${position}`
const hostname: Make = (position) => `host${position}.example.com`

const formats = new Map(
  Object.entries<Make>({
    "date-time": (position, fraction) =>
      `2026-01-02T03:04:${pad(position % 60, 2)}${fraction > 0 ? `.${pad(position, 3).padEnd(fraction, "0")}` : ""}Z`,
    date: (position) => `2026-01-${pad(1 + (position % 28), 2)}`,
    time: (position) => `03:04:${pad(position % 60, 2)}Z`,
    duration: (position) => `PT${position}S`,
    uuid: (position) => `01234567-89ab-4cde-8f01-${pad(position, 12)}`,
    email,
    "idn-email": email,
    uri,
    url: uri,
    iri: uri,
    "uri-reference": (position) => `/path/${position}`,
    hostname,
    "idn-hostname": hostname,
    ipv4: (position) => `192.0.2.${position % 256}`,
    ipv6: (position) => `2001:db8::${position % 10_000}`,
    byte: (position) => btoa(`bytes ${position}`),
    "json-pointer": (position) => `/${position}`,
    regex: () => "^a$"
  })
)

/** To find a text that is twice as long takes more than four times as long. */
const longest = 500

/** A text that a pattern takes, the same each time, and one that can be in a header; `undefined` if none is found. */
export const ofPattern = (source: string, least = 0, most = Infinity): string | undefined => {
  const flags = Pattern.flags(source)
  if (flags === undefined) return undefined
  // oxlint-disable-next-line no-restricted-globals -- those that can take long are left out
  const pattern = Schema.isPattern(new RegExp(source, flags))
  const schema = Schema.String.check(pattern, Schema.isMinLength(least), Schema.isMaxLength(Math.min(most, longest)))
  // it throws where it does not know a part of the pattern
  const samples = Effect.suspend(() => Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 50, seed: 1 }))
  const found = Effect.runSyncExit(samples)
  return Exit.isSuccess(found) ? found.value.find((text) => /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text)) : undefined
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
    const formatted = formats.get(format ?? "")?.(position, fraction)
    if (formatted !== undefined && isMatch(formatted)) return formatted
  }
  const matching = pattern === undefined ? undefined : ofPattern(pattern, least, most)
  if (matching !== undefined) return matching
  const plain = `text ${position}`
  return plain.length > most ? plain.slice(-most) : plain.padEnd(least, "x")
}
