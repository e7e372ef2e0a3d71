// JSON whose integers keep all their digits, which `JSON` rounds to 53 bits.

/** A string, a name or a number. The end of a string is optional, so that a text that is not JSON takes linear time too. */
const tokens = /"(?:[^"\\]|\\.)*"?(?:\s*:)?|-?\d[\d.eE+-]*/g

/** An unpaired surrogate, with which an integer begins that stands for itself as a string. */
const mark = "\ud800"

/** A string that begins like those: another mark before it says that it is one. */
const alike = /^"(?:\ud800|\\ud800)/i

/** Stands for an integer. */
const marked = /^\ud800-?\d+$/

/** An integer that a `number` does not hold. */
const isLong = (token: string): boolean => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))

/** Parses JSON; integers beyond 2^53 become `bigint`. */
export const parse = (text: string): unknown => {
  let hasLong = false
  const json = text.replace(tokens, (token) => {
    if (!isLong(token)) return alike.test(token) && !token.endsWith(":") ? `"${mark}${token.slice(1)}` : token
    hasLong = true
    return `"${mark}${token}"`
  })
  if (!hasLong) return JSON.parse(text)
  return JSON.parse(json, (_, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith(mark)) return value
    return marked.test(value) ? BigInt(value.slice(1)) : value.slice(1)
  })
}

/** Writes JSON as `JSON` does; a `bigint` is written as its digits. */
export const stringify = (value: unknown): string =>
  JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, field: unknown) {
    // before `toJSON`, which programs give to `BigInt`
    const own = this[name]
    if (marked.test(name) || (typeof field === "string" && marked.test(field))) {
      throw new TypeError("Expected no unpaired surrogate")
    }
    return typeof own === "bigint" ? mark + own : field
  }).replace(tokens, (token) => (/^"\\ud800-?\d+"$/.test(token) ? token.slice(7, -1) : token))
