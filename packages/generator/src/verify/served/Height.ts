import { isThere } from "./Choices.ts"
import type { Schema, Schemas } from "./Schemas.ts"

/** Says how many levels the smallest value of schemas has; infinite if each contains itself. */
export const make = (schemas: Schemas) => {
  const { isConstraint } = schemas
  const heights = new Map<string, number>()
  const heightIn = (parts: ReadonlyArray<Schema>, tried: Set<string>): number => {
    if (parts.length === 0 || schemas.takesNull(parts)) return 0
    const { choices, items, keys, nodes, properties, required } = schemas.whole(parts)
    const key = [...keys].join("\n")
    const known = heights.get(key)
    if (known !== undefined) return known
    if (tried.has(key)) return Infinity
    tried.add(key)
    const inner = (own: ReadonlyArray<Schema>) => (own.length === 0 ? 0 : 1 + heightIn(own, tried))
    const fields = [...required].map((name) => inner(properties.get(name) ?? []))
    const isFilled = nodes.some(({ node }) => Number(node["minItems"]) > 0)
    const groups = choices
      .filter(
        ({ kind, parts }) =>
          (kind === "oneOf" || kind === "anyOf") && !parts.some((part) => isThere(schemas, keys, part))
      )
      .map(({ parts }) => Math.min(...parts.map((part) => (isConstraint(part) ? 0 : heightIn([part], tried)))))
    const found = Math.max(0, ...fields, ...groups, isFilled ? inner(items) : 0)
    if (Number.isFinite(found)) heights.set(key, found)
    return found
  }
  return (parts: ReadonlyArray<Schema>): number => {
    for (;;) {
      const before = heights.size
      const tried = new Set<string>()
      const found = heightIn(parts, tried)
      if (Number.isFinite(found)) return found
      if (heights.size > before) continue
      // what no further step makes finite
      for (const key of tried) if (!heights.has(key)) heights.set(key, Infinity)
      return Infinity
    }
  }
}
