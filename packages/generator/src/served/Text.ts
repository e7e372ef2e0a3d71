import { type JsonObject, text } from "../read/Json.ts"
import * as Pattern from "./Pattern.ts"

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
    byte: (position) => btoa(`\u00fe\u00ff bytes ${position}`),
    "json-pointer": (position) => `/${position}`,
    regex: () => "^a$"
  })
)

/** A longer text is not made. */
const longest = 100_000

/** A text that all of these schemas take, or the nearest one; it is not the same at two places. */
export const make = (nodes: ReadonlyArray<JsonObject>, position: number, letters = ""): string => {
  const numbers = (key: string) => nodes.flatMap((node) => (typeof node[key] === "number" ? [node[key]] : []))
  const texts = (key: string) => nodes.flatMap((node) => text(node, key) ?? [])
  const least = Math.min(longest, Math.max(0, ...numbers("minLength")))
  const most = Math.max(0, Math.min(Infinity, ...numbers("maxLength")))
  const format =
    texts("format").find((name) => formats.has(name)) ?? (texts("contentEncoding").includes("base64") ? "byte" : "")
  const patterns = texts("pattern")
  // JSON Schema counts characters, not their halves
  const length = (value: string) => Array.from(value).length
  const isFitting = (value: string) =>
    length(value) >= least && length(value) <= most && patterns.every((pattern) => Pattern.isMatch(pattern, value))
  for (const fraction of [3, 0, 6]) {
    const formatted = formats.get(format)?.(position, fraction)
    if (formatted !== undefined && isFitting(formatted)) return formatted
  }
  if (patterns.length > 0) {
    const found = Pattern.examples(patterns, least, most)
    if (found.length > 0) return found[position % found.length] ?? ""
  }
  const plain = `text ${position}`
  if (plain.length > most) return plain.slice(plain.length - most)
  const isFree = texts("format").length + patterns.length === 0
  const found = isFree
    ? Array.from(plain + letters)
        .slice(0, most)
        .join("")
    : plain
  return found + "x".repeat(Math.max(0, least - length(found)))
}
