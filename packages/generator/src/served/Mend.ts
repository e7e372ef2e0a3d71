import { isObject, keysOf, look } from "../read/Json.ts"
import * as Judge from "./Judge.ts"
import type { Schema } from "./References.ts"
import type { Made } from "./Variation.ts"

/** A value without a field or an item of it. */
export const without = (value: unknown, [name = "", ...rest]: ReadonlyArray<string>): unknown => {
  if (Array.isArray(value))
    return value.flatMap((item: unknown, i) =>
      String(i) !== name ? [item] : rest.length === 0 ? [] : [without(item, rest)]
    )
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      key !== name ? [[key, child]] : rest.length === 0 ? [] : [[key, without(child, rest)]]
    )
  )
}

/**
 * A value that fits, without the fields and items of which a judge says, one after the other, that they are wrong; and why some
 * were left out for which nothing else fits.
 */
export const mend = (
  schema: Schema,
  made: unknown,
  judge: Judge.Judge
): Pick<Made, "value" | "dropped"> | undefined => {
  let value = made
  let dropped: ReadonlyArray<string> = []
  for (let i = 0; i < 30; i++) {
    const wrong = judge(schema, value)
    if (wrong === undefined) return { value, dropped }
    const path = keysOf(wrong.instancePath)
    const holder = look(value, path)
    const params: { readonly [name: string]: unknown } = wrong.params
    const named = params["additionalProperty"] ?? params["unevaluatedProperty"] ?? params["propertyName"]
    const isNamed = typeof named === "string"
    const names = isNamed
      ? [named]
      : isObject(holder)
        ? Object.keys(holder).toReversed()
        : Array.isArray(holder)
          ? [String(holder.length - 1)]
          : []
    const inside = names.slice(0, 50).map((name) => [...path, name])
    const isBetter = (next: unknown) => {
      const left = judge(schema, next)
      return left === undefined || left.instancePath !== wrong.instancePath || left.keyword !== wrong.keyword
    }
    // of a field for which there is no value, nothing is known
    const gone = [...inside, ...(isNamed || path.length === 0 ? [] : [path])].find(
      (one) => isNamed || isBetter(without(value, one))
    )
    if (gone === undefined) return undefined
    if (gone === path) dropped = [...dropped, Judge.show(wrong)]
    value = without(value, gone)
  }
  return undefined
}
