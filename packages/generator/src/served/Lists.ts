import { type Builder, type Context, isFull, most, noteNull } from "./Builder.ts"
import * as Digits from "./Digits.ts"
import * as Numeric from "./Numeric.ts"
import type { Whole } from "./Whole.ts"
import { Beyond } from "./Variation.ts"

export const make = (
  { of, schemas, tally, variation }: Builder,
  whole: Whole,
  context: Context
): ReadonlyArray<unknown> => {
  const { items, nodes, prefix } = whole
  const least = Math.max(0, ...Numeric.numbersOf(whole, "minItems"))
  if (least > most.values) throw new Beyond({ message: `a list has at least ${least} items` })
  const key = `${nodes[0]?.pointer}[]`
  const usual = isFull(variation, context.at)
    ? Math.max(2, prefix.length)
    : variation.side === "response" || prefix.length > 0
      ? Math.max(1, prefix.length)
      : 0
  if (least === 0 && prefix.length === 0) tally.lists.add(key)
  const isEmpty = context.inside.includes(key) || (variation.areEmpty === true && prefix.length === 0)
  const length = variation.extreme === "greatest" && usual > 1 && prefix.length === 0 ? 2 * usual : usual
  const wanted = isEmpty ? 0 : Math.min(...Numeric.numbersOf(whole, "maxItems"), length)
  const inside = [...context.inside, key]
  const depth = context.depth + 1
  const found = Array.from({ length: Math.max(least, wanted) }, (_, i) => {
    const parts = prefix[i] ?? items
    const isNull = parts.length > 0 && schemas.takesNull(parts)
    if (isNull) noteNull(tally, depth, key)
    if (isNull && i === 0 && variation.nullDepth === depth) return null
    return of(parts, { at: `${context.at}/${i}`, depth, inside, isTag: false })
  })
  const isUnique = nodes.some(({ node }) => node["uniqueItems"] === true)
  return isUnique ? [...new Map(found.map((item) => [Digits.stringify(item), item])).values()] : found
}
