// JSON whose integers keep all their digits, which `JSON` rounds to 53 bits.

/**
 * Replaces each string, name with its colon and number. A pattern for whole strings would keep a place for each character,
 * and throw for one of 8 MB.
 */
const replaceTokens = (text: string, replace: (token: string) => string): string => {
  const begin = /"|-?\d[\d.eE+-]*/g
  const pause = /["\\]/g
  const colon = /\s*:/y
  let made = ""
  let done = 0
  for (let token = begin.exec(text); token !== null; token = begin.exec(text)) {
    let end = begin.lastIndex
    if (token[0] === '"') {
      let next: string | undefined
      do {
        pause.lastIndex = end
        const found = pause.exec(text)
        next = found?.[0]
        end = found === null ? text.length : found.index + (next === '"' ? 1 : 2)
      } while (next === "\\")
      colon.lastIndex = end
      if (colon.test(text)) end = colon.lastIndex
    }
    made += text.slice(done, token.index) + replace(text.slice(token.index, end))
    begin.lastIndex = done = end
  }
  return made + text.slice(done)
}

/** An unpaired surrogate, with which an integer begins that stands for itself as a string. */
const mark = "\ud800"

/** A string that begins like those: another mark before it says that it is one. */
const alike = /^"(?:\ud800|\\ud800)/i

/** Stands for an integer. */
const marked = /^\ud800-?\d+$/

const number = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/**
 * The digits of an integer that a `number` does not hold, also of `9007199254740993.0` and `1e+30`. One of 10,000 digits and
 * more is rounded: a `bigint` takes long to make.
 */
const longOf = (token: string): string | undefined => {
  if (Math.abs(Number(token)) < 2 ** 53) return undefined
  const [, sign = "", whole = "", fraction = "", exponent = 0] = number.exec(token) ?? []
  const length = whole.length + Number(exponent)
  if (length > 9999) return undefined
  const digits = (whole + fraction).padEnd(length, "0")
  return /^0*$/.test(digits.slice(length)) ? sign + digits.slice(0, length) : undefined
}

/** Parses JSON; integers beyond 2^53 become `bigint`. */
export const parse = (text: string): unknown => {
  let hasLong = false
  const json = replaceTokens(text, (token) => {
    if (token.startsWith('"')) {
      return alike.test(token) && !token.endsWith(":") ? `"${mark}${token.slice(1)}` : token
    }
    const long = longOf(token)
    if (long === undefined) return token
    hasLong = true
    return `"${mark}${long}"`
  })
  if (!hasLong) return JSON.parse(text)
  return JSON.parse(json, (_, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith(mark)) return value
    return marked.test(value) ? BigInt(value.slice(1)) : value.slice(1)
  })
}

/** Writes JSON as `JSON` does; a `bigint` is written as its digits. */
export const stringify = (value: unknown): string =>
  replaceTokens(
    JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, field: unknown) {
      // before `toJSON`, which programs give to `BigInt`
      const own = this[name]
      if (marked.test(name) || (typeof field === "string" && marked.test(field))) {
        throw new TypeError("Expected no unpaired surrogate")
      }
      return typeof own === "bigint" ? mark + own : field
    }),
    (token) => (/^"\\ud800-?\d+"$/.test(token) ? token.slice(7, -1) : token)
  )
