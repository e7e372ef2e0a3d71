import { pointer, property, text } from "./Json.ts"

/** A URI, from that of the schema around it. */
export const resolve = (id: string, base: string): string =>
  URL.canParse(id, base === "" ? undefined : base) ? new URL(id, base === "" ? undefined : base).href : id

/** The URI of a schema (JSON Schema 2020-12 §8.2.1), its own or that of the schema around it. */
export const uriOf = (value: unknown, outer: string): string => {
  const id = text(value, "$id")
  return id === undefined ? outer : resolve(id, outer).replace(/#$/, "")
}

/**
 * Where the schemas of a file are that have names (JSON Schema 2020-12 §8.2.2) or URIs, those that `$recursiveAnchor` marks,
 * and those to which references inside them can be relative.
 */
export const read = (root: unknown): ReadonlyMap<unknown, string> => {
  const found = new Map<unknown, string>()
  const visit = (value: unknown, at: string, outer = ""): void => {
    if (typeof value !== "object" || value === null) return
    const base = uriOf(value, outer)
    if (text(value, "$id") !== undefined) found.set(`$id ${base}`, at)
    if (isBase(value)) found.set(value, at)
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const name = text(value, key)
      if (name !== undefined) found.set(name, at)
    }
    if (property(value, "$recursiveAnchor") === true) found.set(value, at)
    for (const [key, child] of Object.entries(value)) visit(child, pointer(at, key), base)
  }
  visit(root, "")
  return found
}

/** Whether references inside a schema can be relative to it: it has a URI, or definitions that some tools take for the root's. */
export const isBase = (value: object): boolean =>
  ["$id", "$defs", "definitions"].some((key) => property(value, key) !== undefined)
