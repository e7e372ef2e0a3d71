// JSON whose integers keep all their digits, which `JSON` rounds to 53 bits.

/** A string, or a number. The end of a string is optional, so that a text that is not JSON takes linear time too. */
const tokens = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g

/** A string that JSON does not have begins with it: an unpaired surrogate. */
const mark = "\ud800"

/** Stands for an integer. */
const marked = /^\ud800-?\d+$/

/** An integer that a `number` does not hold. */
const isLong = (token: string): boolean => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))

/** Parses JSON; integers beyond 2^53 become `bigint`. */
export const parse = (text: string): unknown => {
  const json = text.replace(tokens, (token) => (isLong(token) ? `"${mark}${token}"` : token))
  return json === text
    ? JSON.parse(text)
    : JSON.parse(json, (_, value: unknown) =>
        typeof value === "string" && marked.test(value) ? BigInt(value.slice(1)) : value
      )
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
