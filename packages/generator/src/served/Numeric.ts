import * as Predicate from "effect/Predicate"
import { text } from "../read/Json.ts"
import type { Variation } from "./Variation.ts"
import type { Whole } from "./Whole.ts"

export const numbersOf = ({ nodes }: Whole, key: string): ReadonlyArray<number> =>
  nodes.flatMap(({ node }) => (typeof node[key] === "number" ? [node[key]] : []))

/** Makes a number of a schema, which is not the same at two positions, unless it is extreme. */
export const make = (
  whole: Whole,
  position: number,
  isInteger: boolean,
  { extreme, hasLongs = false, isFull }: Variation
): number | bigint => {
  const { nodes } = whole
  const numbers = (key: string) => numbersOf(whole, key)
  const format = nodes.map(({ node }) => text(node, "format")).find(Predicate.isNotUndefined) ?? ""
  const multiple = Math.max(0, ...numbers("multipleOf"))
  const step = multiple > 0 ? multiple : isInteger ? 1 : 0.001
  const isOut = (key: string) => nodes.some(({ node }) => node[key] === true)
  const min = Math.max(
    -Infinity,
    ...numbers("exclusiveMinimum").map((n) => n + step),
    ...numbers("minimum").map((n) => n + (isOut("exclusiveMinimum") ? step : 0))
  )
  const max = Math.min(
    Infinity,
    ...numbers("exclusiveMaximum").map((n) => n - step),
    ...numbers("maximum").map((n) => n - (isOut("exclusiveMaximum") ? step : 0))
  )
  const isWhole = isInteger || /^u?int(?:32|64)$/.test(format)
  if (/^u?int64$/.test(format) && max > 2 ** 60 && multiple === 0)
    return isFull && hasLongs ? 9007199254740993n + 4n * BigInt(position) : Math.max(position, min)
  if (extreme !== undefined && multiple === 0 && min <= max) {
    const bound = !isWhole ? 1e15 + 0.5 : format.endsWith("32") ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
    if (extreme === "greatest") return Math.min(isWhole ? Math.floor(max) : max, Math.max(bound, min))
    return Math.max(isWhole ? Math.ceil(min) : min, Math.min(format.startsWith("u") ? 0 : -bound, max))
  }
  const wanted = isWhole || multiple > 0 ? position : position + 0.5
  const stepped = multiple > 0 ? Math.ceil(wanted / step) * step : wanted
  const least = isWhole || multiple > 0 ? Math.ceil(min / step) * step : min
  if (stepped >= least && stepped <= max) return stepped
  return Number.isFinite(least) ? least : isWhole ? Math.floor(max) : max
}
