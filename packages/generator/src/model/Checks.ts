/** Checks of what is sent, as code. What a service sends is not checked. */
import { pointer, text } from "../read/Json.ts"
import type { Warn } from "../read/Refusal.ts"
import * as Facts from "./Facts.ts"
import * as Literal from "./Literal.ts"
import * as Pattern from "./Pattern.ts"

const check = (name: string) => (value: number) => `Schema.${name}(${value})`

const lengths = (facts: Facts.Facts, least: string, most: string, names: readonly [string, string]) => [
  ...Facts.numbersOf(facts, least)
    .filter((value) => value > 0)
    .map(check(names[0])),
  ...Facts.numbersOf(facts, most).map(check(names[1]))
]

/** Checks of a list. */
export const ofList = (facts: Facts.Facts): ReadonlyArray<string> =>
  lengths(facts, "minItems", "maxItems", ["isMinLength", "isMaxLength"])

/** Checks of a text. */
export const ofText = (facts: Facts.Facts, warn: Warn): ReadonlyArray<string> => {
  const patterns = facts.nodes.flatMap(({ node, pointer: at }) => {
    const source = text(node, "pattern")
    if (source === undefined) return []
    const flags = Pattern.flags(source)
    if (flags !== undefined) return [`Schema.isPattern(${Literal.pattern(source, flags)})`]
    warn("pattern", pointer(at, "pattern"), "is not checked: it is not ECMAScript, or can take very long")
    return []
  })
  return [...lengths(facts, "minLength", "maxLength", ["isMinCodePoints", "isMaxCodePoints"]), ...patterns]
}

/** Checks of a number. */
export const ofNumber = (facts: Facts.Facts): ReadonlyArray<string> => {
  // 3.0 says with a boolean that a limit is exclusive
  const isExclusive = (key: string) => facts.nodes.some(({ node }) => node[key] === true)
  return [
    ...Facts.numbersOf(facts, "minimum").map(
      check(isExclusive("exclusiveMinimum") ? "isGreaterThan" : "isGreaterThanOrEqualTo")
    ),
    ...Facts.numbersOf(facts, "maximum").map(
      check(isExclusive("exclusiveMaximum") ? "isLessThan" : "isLessThanOrEqualTo")
    ),
    ...Facts.numbersOf(facts, "exclusiveMinimum").map(check("isGreaterThan")),
    ...Facts.numbersOf(facts, "exclusiveMaximum").map(check("isLessThan")),
    ...Facts.numbersOf(facts, "multipleOf")
      .filter((value) => Number.isInteger(value) && value > 1)
      .map(check("isMultipleOf"))
  ]
}
