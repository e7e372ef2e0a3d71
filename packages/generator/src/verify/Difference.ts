import * as DateTime from "effect/DateTime"
import { isObject, property } from "../Json.ts"

/** A field that an answer has beside those of its schema, which a client may drop. */
export const extra = "x-verify-extra"

const show = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  const text = typeof value === "bigint" ? `${value}` : (JSON.stringify(value, plain) ?? typeof value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

const isNumeric = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint"

/** RFC 3339. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

const isSame = (expected: unknown, actual: unknown): boolean => {
  if (isNumeric(expected) && isNumeric(actual)) return String(expected) === String(actual)
  if (typeof expected !== "string")
    return expected === null ? actual === undefined || actual === null : expected === actual
  if (DateTime.isDateTime(actual)) return DateTime.toEpochMillis(actual) === Date.parse(expected)
  if (expected === actual) return true
  return (
    typeof actual === "string" &&
    instant.test(expected) &&
    instant.test(actual) &&
    Date.parse(expected) === Date.parse(actual)
  )
}

/**
 * What differs between a value as it is on the wire and as a client has it: dates and their texts are one, and where
 * not `isStrict`, `null` and absent.
 */
export const between = (expected: unknown, actual: unknown, path = "", isStrict = false): string | undefined => {
  const at = path === "" ? "" : ` at ${path}`
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${show(actual)} in place of ${show(expected)}${at}`
    if (actual.length !== expected.length) return `${actual.length} items in place of ${expected.length}${at}`
    for (const [i, item] of expected.entries()) {
      const found = between(item, actual[i], `${path}[${i}]`, isStrict)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (isObject(expected) && isObject(actual) && !DateTime.isDateTime(actual)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      if (name === extra) continue
      const inner = path === "" ? name : `${path}.${name}`
      const found = between(property(expected, name), property(actual, name), inner, isStrict)
      if (found !== undefined) return found
    }
    return undefined
  }
  return isSame(expected, actual) && !(isStrict && expected === null && actual !== null)
    ? undefined
    : `${show(actual)} in place of ${show(expected)}${at}`
}
