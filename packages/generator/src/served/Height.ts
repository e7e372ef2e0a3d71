import { isThere } from "./Choices.ts"
import type { Schema } from "./References.ts"
import type { Schemas } from "./Schemas.ts"
import type { Whole } from "./Whole.ts"

/** Says how many levels the smallest value of schemas has; infinite if each contains itself. */
export const make = (schemas: Schemas) => {
  const { isConstraint } = schemas
  const heights = new Map<Whole, number>()
  const heightIn = (parts: ReadonlyArray<Schema>, tried: Set<Whole>): number => {
    if (parts.length === 0 || schemas.takesNull(parts)) return 0
    const whole = schemas.whole(parts)
    const known = heights.get(whole)
    if (known !== undefined) return known
    if (tried.has(whole)) return Infinity
    tried.add(whole)
    const { choices, items, keys, nodes, properties, required } = whole
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
    if (Number.isFinite(found)) heights.set(whole, found)
    return found
  }
  return (parts: ReadonlyArray<Schema>): number => {
    for (;;) {
      const before = heights.size
      const tried = new Set<Whole>()
      const found = heightIn(parts, tried)
      if (Number.isFinite(found)) return found
      if (heights.size > before) continue
      // what no further step makes finite
      for (const whole of tried) if (!heights.has(whole)) heights.set(whole, Infinity)
      return Infinity
    }
  }
}
