// JSON whose integers keep all their digits, which `JSON` rounds to 53 bits.

/** A string, or a number. The end of a string is optional, so that a text that is not JSON takes linear time too. */
const tokens = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g

/** A string that JSON does not have begins with it: an unpaired surrogate. */
const mark = "\ud800"

/** An integer that a `number` does not hold. */
const isLong = (token: string): boolean => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))

/** Parses JSON; integers beyond 2^53 become `bigint`. */
export const parse = (text: string): unknown => {
  const marked = text.replace(tokens, (token) => (isLong(token) ? `"${mark}${token}"` : token))
  return marked === text
    ? JSON.parse(text)
    : JSON.parse(marked, (_, value: unknown) =>
        typeof value === "string" && /^\ud800-?\d+$/.test(value) ? BigInt(value.slice(1)) : value
      )
}

/** Writes JSON; a `bigint` is written as its digits. */
export const stringify = (value: unknown): string => {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return `[${value.map((item) => stringify(item ?? null)).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${JSON.stringify(name)}:${stringify(field)}`)
    .join(",")}}`
}
