import { Wire } from "@cloud-management/client"
import * as DateTime from "effect/DateTime"
import { isObject, property } from "../read/Json.ts"
import * as Digits from "../served/Digits.ts"
import { extra } from "../served/Variation.ts"

const show = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value instanceof Uint8Array) return `${value.length} bytes`
  const text = DateTime.isDateTime(value) ? DateTime.formatIso(value) : Digits.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const isNumeric = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint"

/** RFC 3339. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Whether two texts are the same, or write the same instant. */
export const isSameText = (one: string, other: string): boolean =>
  one === other || (instant.test(one) && instant.test(other) && Date.parse(one) === Date.parse(other))

const isSame = (expected: unknown, actual: unknown): boolean => {
  if (isNumeric(expected) && isNumeric(actual)) return String(expected) === String(actual)
  if (expected === null) return actual === undefined || actual === null
  if (typeof expected !== "string") return expected === actual
  if (DateTime.isDateTime(actual)) return DateTime.toEpochMillis(actual) === Date.parse(expected)
  if (actual instanceof Uint8Array) return Buffer.from(actual).equals(Buffer.from(expected, "base64"))
  return typeof actual === "string" && isSameText(expected, actual)
}

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

/** Whether a query or a form has nothing of a value: no text is in it. */
export const isSilent = (value: unknown): boolean =>
  (Array.isArray(value) || isObject(value)) && Object.values(value).every(isSilent)

/** How values are compared. */
interface Options {
  /** Each alternative is one that the client knows. */
  readonly isKnown?: boolean
  /** `null` differs from absent. */
  readonly isStrict?: boolean
  /** The other value is in texts, of which some are JSON; one that sends nothing is not there. */
  readonly areTexts?: boolean
}

/**
 * Compares a value on the wire with that of a client, and says where they differ: dates equal their texts. A field that the
 * document does not name may be there or not.
 */
export const between = (expected: unknown, actual: unknown, path = "", options: Options = {}): string | undefined => {
  const { areTexts = false, isKnown = false, isStrict = areTexts } = options
  const at = path === "" ? "" : ` at ${path}`
  const differs = `${show(actual)} in place of ${show(expected)}${at}`
  if (areTexts && typeof actual === "string" && expected !== undefined) {
    const json = typeof expected === "object" && expected !== null ? Digits.read(actual) : undefined
    if (json !== undefined) return between(expected, json, path, { isStrict: true })
    const text = typeof expected === "string" ? expected : Digits.stringify(expected)
    return isSameText(text, actual) ? undefined : `${show(actual)} in place of ${show(text)}${at}`
  }
  if (isBytes(expected))
    return isBytes(actual) && Buffer.from(expected).equals(Buffer.from(actual)) ? undefined : differs
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return differs
    if (actual.length !== expected.length) return `${actual.length} items in place of ${expected.length}${at}`
    for (const [i, item] of expected.entries()) {
      const found = between(item, actual[i], `${path}[${i}]`, options)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (isObject(expected) && isObject(actual) && !DateTime.isDateTime(actual)) {
    if (isKnown && Wire.isUnknown(actual)) return `an unknown alternative in place of ${show(expected)}${at}`
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      if (name === extra && !(name in actual)) continue
      const [want, have] = [property(expected, name), property(actual, name)]
      if (areTexts && have === undefined && isSilent(want)) continue
      const found = between(want, have, path === "" ? name : `${path}.${name}`, options)
      if (found !== undefined) return found
    }
    return undefined
  }
  return isSame(expected, actual) && !(isStrict && expected === null && actual !== null) ? undefined : differs
}
