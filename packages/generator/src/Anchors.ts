import { pointer, property, text } from "./Json.ts"

/** Where the schemas of a file are that have names (JSON Schema 2020-12 §8.2.2), and those that `$recursiveAnchor` marks. */
export const read = (root: unknown): ReadonlyMap<unknown, string> => {
  const found = new Map<unknown, string>()
  const visit = (value: unknown, at: string): void => {
    if (typeof value !== "object" || value === null) return
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const name = text(value, key)
      if (name !== undefined) found.set(name, at)
    }
    if (property(value, "$recursiveAnchor") === true) found.set(value, at)
    for (const [key, child] of Object.entries(value)) visit(child, pointer(at, key))
  }
  visit(root, "")
  return found
}
