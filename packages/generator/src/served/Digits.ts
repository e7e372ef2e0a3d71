/** Writes JSON; a `bigint` becomes its digits. */
export const stringify = (value: unknown): string => {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return `[${value.map(stringify).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  return `{${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)}:${stringify(field)}`)
    .join(",")}}`
}

const parse = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? ""
    return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value
  })

/** Reads JSON, in which an integer that a `number` does not hold becomes a `bigint`; `undefined`: it is none. */
export const read = (text: string): unknown => {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}
