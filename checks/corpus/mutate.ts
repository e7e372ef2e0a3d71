import type { Chance } from "../fuzz/Chance.ts"

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
export const mutated = (original: Record<string, unknown>, chance: Chance): Record<string, unknown> => {
  const paths = Object.entries(isHolder(original["paths"]) ? original["paths"] : {})
  const from = chance.below(paths.length)
  const document = structuredClone({ ...original, paths: Object.fromEntries(paths.slice(from, from + 3)) })
  const near = placesOf(document.paths)
  const all = placesOf(document)
  for (let left = 1 + chance.below(12); left > 0; left--) {
    const places = chance.happens(0.7) ? near : all
    const place = places[chance.below(places.length)]
    const other = places[chance.below(places.length)]
    if (place === undefined || other === undefined) continue
    const { holder, name } = place
    if (chance.happens(0.25)) delete holder[name]
    else if (chance.happens(0.4)) holder[name] = structuredClone(other.holder[other.name])
    else if (chance.happens(0.2)) holder[chance.pick(texts)] = holder[name]
    else holder[name] = structuredClone(chance.pick(strange))
  }
  return document
}
