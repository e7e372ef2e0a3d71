import type { Dice } from "../fixtures/Dice.ts"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }
type Place = { readonly holder: Record<string, unknown>; readonly name: string }

/** Texts that no document has where they are put. */
const texts: readonly [string, ...ReadonlyArray<string>] = [
  "",
  "*/ globalThis.hacked = 1 /*",
  '"; globalThis.hacked = 1; "',
  "`${(globalThis.hacked = 1)}`",
  "__proto__",
  "../../outside",
  "\u2028",
  "^(a+)+$",
  "object",
  "null"
]
const strange: readonly [Json, ...ReadonlyArray<Json>] = [
  ...texts,
  null,
  true,
  -1,
  1e308,
  [],
  {},
  ["string", "null"],
  { $ref: "#" },
  { $ref: "#/components/schemas/None" },
  { type: "object", additionalProperties: { type: "string" } },
  { allOf: [{ type: "object" }, { type: "string" }] },
  { oneOf: [] }
]

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** Every place of a value, in the order of the document. */
const placesOf = (root: Record<string, unknown>): Array<Place> => {
  const found: Array<Place> = []
  const walk = (holder: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(holder)) {
      found.push({ holder, name })
      if (isHolder(value)) walk(value)
    }
  }
  walk(root)
  return found
}

/** A document with a few paths of another one, in which some values are gone, strange, or those of other places. */
export const mutated = (original: Record<string, unknown>, dice: Dice): Record<string, unknown> => {
  const paths = Object.entries(isHolder(original["paths"]) ? original["paths"] : {})
  const from = dice.below(paths.length)
  const document = structuredClone({ ...original, paths: Object.fromEntries(paths.slice(from, from + 3)) })
  const near = placesOf(document.paths)
  const all = placesOf(document)
  for (let left = 1 + dice.below(12); left > 0; left--) {
    const places = dice.chance(0.7) ? near : all
    const place = places[dice.below(places.length)]
    const other = places[dice.below(places.length)]
    if (place === undefined || other === undefined) continue
    const { holder, name } = place
    if (dice.chance(0.25)) delete holder[name]
    else if (dice.chance(0.4)) holder[name] = structuredClone(other.holder[other.name])
    else if (dice.chance(0.2)) holder[dice.pick(texts)] = holder[name]
    else holder[name] = structuredClone(dice.pick(strange))
  }
  return document
}
