import { decode, inside, type JsonObject, keysOf, look, type Place, text } from "./Json.ts"
import { unsupported } from "./Unsupported.ts"

export interface Document {
  readonly root: JsonObject
  /** The value at a pointer, `#/components/schemas/Pet`; throws what is unsupported, named after what refers to it. */
  readonly at: (reference: string, from: string) => unknown
  /** The value and its place, where a reference may stand for it. */
  readonly follow: (place: Place) => Place
  /** The place inside another, where references may stand for it. */
  readonly child: (from: Place, ...keys: ReadonlyArray<string | number>) => Place
}

/** Looks values up in a document that was read and patched; `unread` says why a reference has no value. */
export const make = (root: JsonObject, unread: ReadonlyMap<string, string> = new Map()): Document => {
  const known = new Map<string, unknown>()
  /** The value at a pointer; references on the way are followed. */
  const find = (reference: string, from: string): unknown => {
    let place: Place = { node: root, pointer: "#" }
    for (const key of keysOf(reference, decode)) {
      const isThere = look(place.node, [key]) !== undefined
      place = inside(
        isThere || text(place.node, "$ref") === undefined ? place : follow({ ...place, pointer: from }),
        key
      )
    }
    return place.node
  }
  const at = (reference: string, from: string): unknown => {
    const found = known.get(reference)
    if (found !== undefined) return found
    if (!reference.startsWith("#")) {
      const message = `${reference} was not read: ${unread.get(reference) ?? "it is not in the document"}`
      throw unsupported("external-ref", from, message)
    }
    const value = reference === "#" || reference.startsWith("#/") ? find(reference, from) : undefined
    if (value === undefined) {
      throw unsupported("reference", from, `${reference} leads nowhere`)
    }
    known.set(reference, value)
    return value
  }
  const follow = (place: Place): Place => {
    const seen = new Set<string>()
    let found = place
    for (let reference = text(place.node, "$ref"); reference !== undefined; reference = text(found.node, "$ref")) {
      if (seen.has(reference)) {
        throw unsupported("reference", place.pointer, `${reference} refers to itself`)
      }
      seen.add(reference)
      found = { node: at(reference, found.pointer), pointer: reference }
    }
    return found
  }
  return {
    root,
    at,
    follow,
    child: (from, ...keys) => keys.reduce((place: Place, key) => follow(inside(place, key)), from)
  }
}
