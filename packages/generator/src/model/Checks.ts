/** Checks of what is sent, as code. What a service sends is not checked. */
import { pointer, text } from "../read/Json.ts"
import type { Warn } from "../read/Unsupported.ts"
import * as Keywords from "./Keywords.ts"
import * as Literal from "./Literal.ts"
import * as Pattern from "./Pattern.ts"

const check = (name: string) => (value: number) => `Schema.${name}(${value})`

const lengths = (keywords: Keywords.Keywords, least: string, most: string, names: readonly [string, string]) => [
  ...Keywords.numbersOf(keywords, least)
    .filter((value) => value > 0)
    .map(check(names[0])),
  ...Keywords.numbersOf(keywords, most).map(check(names[1]))
]

/** Checks of a list. */
export const ofList = (keywords: Keywords.Keywords): ReadonlyArray<string> =>
  lengths(keywords, "minItems", "maxItems", ["isMinLength", "isMaxLength"])

/** Checks of a text. */
export const ofText = (keywords: Keywords.Keywords, warn: Warn): ReadonlyArray<string> => {
  const patterns = keywords.nodes.flatMap(({ node, pointer: at }) => {
    const source = text(node, "pattern")
    if (source === undefined) return []
    const flags = Pattern.flags(source)
    if (flags !== undefined) return [`Schema.isPattern(${Literal.pattern(source, flags)})`]
    const quoted = Literal.text(source.length > 100 ? `${source.slice(0, 100)}…` : source)
    warn("pattern", pointer(at, "pattern"), `${quoted} is not checked: ${Pattern.problem(source)}`)
    return []
  })
  return [...lengths(keywords, "minLength", "maxLength", ["isMinCodePoints", "isMaxCodePoints"]), ...patterns]
}

/** Checks of a number. */
export const ofNumber = (keywords: Keywords.Keywords): ReadonlyArray<string> => {
  // 3.0 says with a boolean that a limit is exclusive
  const isExclusive = (key: string) => keywords.nodes.some(({ node }) => node[key] === true)
  return [
    ...Keywords.numbersOf(keywords, "minimum").map(
      check(isExclusive("exclusiveMinimum") ? "isGreaterThan" : "isGreaterThanOrEqualTo")
    ),
    ...Keywords.numbersOf(keywords, "maximum").map(
      check(isExclusive("exclusiveMaximum") ? "isLessThan" : "isLessThanOrEqualTo")
    ),
    ...Keywords.numbersOf(keywords, "exclusiveMinimum").map(check("isGreaterThan")),
    ...Keywords.numbersOf(keywords, "exclusiveMaximum").map(check("isLessThan")),
    ...Keywords.numbersOf(keywords, "multipleOf")
      .filter((value) => Number.isInteger(value) && value > 1)
      .map(check("isMultipleOf"))
  ]
}
