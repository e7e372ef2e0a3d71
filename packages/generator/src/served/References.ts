import * as Data from "effect/Data"
import { decode, inside, type JsonObject, keysOf, look, object, type Place, pointer, text } from "../read/Json.ts"

/** A reference of the document leads nowhere. */
export class Unfollowed extends Data.TaggedError("Unfollowed")<{ readonly message: string }> {}

/** A schema, or anything else that a reference can stand for, and what dynamic references inside it lead to. */
export interface Schema {
  readonly node: unknown
  readonly pointer: string
  readonly scope: ReadonlyMap<string, string>
}

/** Follows the references of a document. */
export interface References {
  readonly at: (pointer: string) => Schema
  readonly child: (from: Schema, ...keys: ReadonlyArray<string | number>) => Schema
  /** The target of a place where only references are followed. */
  readonly follow: (from: Schema) => Schema
  readonly target: (from: Schema) => Schema | undefined
}

/** Schemas at one place can refer to others. */
export const keyOf = ({ pointer, scope }: Schema): string =>
  scope.size === 0 ? pointer : `${pointer} ${JSON.stringify([...scope])}`

/** The target of a mapping of a discriminator: a reference, or the name of a schema. */
export const referenceOf = (to: string): string => (to.includes("#") ? to : pointer("#", "components", "schemas", to))

const none: ReadonlyMap<string, string> = new Map()

/** Pointers by the names that schemas give themselves. */
const anchorsOf = (root: JsonObject): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const visit = (value: unknown, at: string, base: string): void => {
    if (typeof value !== "object" || value === null) return
    const uri = text(value, "$id") ?? base
    for (const name of [text(value, "$anchor"), text(value, "$dynamicAnchor")])
      for (const key of name === undefined ? [] : [`${uri}#${name}`, `#${name}`])
        if (!found.has(key)) found.set(key, at)
    if (text(value, "$id") !== undefined && !found.has(uri)) found.set(uri, at)
    for (const [key, child] of Object.entries(value)) visit(child, pointer(at, key), uri)
  }
  visit(root, "#", "")
  return found
}

/** Where dynamic references lead from here on: the outermost schema that has the anchor decides. */
const enter = ({ node, pointer: at }: Place, scope: ReadonlyMap<string, string>): Schema => {
  const own = Object.entries(object(node, "$defs")).map(([key, child]) => [child, pointer(at, "$defs", key)] as const)
  const marked = [[node, at] as const, ...own].flatMap(([child, to]) => {
    const name = text(child, "$dynamicAnchor")
    return name === undefined || scope.has(name) ? [] : [[name, to] as const]
  })
  return { node, pointer: at, scope: marked.length === 0 ? scope : new Map([...scope, ...marked]) }
}

/** Reads the references of a bundled document. */
export const make = (root: JsonObject): References => {
  /** Read when the first is asked for. */
  let anchors: ReadonlyMap<string, string> | undefined
  /** Values of a large schema follow each reference many times. */
  const places = new Map<string, Place>()
  const find = (reference: string, scope: ReadonlyMap<string, string>): Schema => {
    let place = places.get(reference)
    if (place === undefined) {
      const isPointer = reference === "#" || reference.startsWith("#/")
      const to = isPointer ? reference : (anchors ??= anchorsOf(root)).get(reference)
      const node = to === undefined ? undefined : look(root, keysOf(to, decode))
      if (to === undefined || node === undefined) throw new Unfollowed({ message: `${reference} leads nowhere` })
      place = { node, pointer: to }
      places.set(reference, place)
    }
    return enter(place, scope)
  }
  const target = ({ node, scope }: Schema): Schema | undefined => {
    const reference = text(node, "$ref")
    if (reference !== undefined) return find(reference, scope)
    const dynamic = text(node, "$dynamicRef")
    if (dynamic === undefined) return undefined
    return find(scope.get(dynamic.split("#")[1] ?? "") ?? dynamic, scope)
  }
  return {
    target,
    at: (to) => find(to, none),
    child: ({ scope, ...place }, ...keys) => ({ ...inside(place, ...keys), scope }),
    follow: (from) => {
      let found = from
      for (let i = 0; i < 100; i++) {
        const next = target(found)
        if (next === undefined) return found
        found = next
      }
      throw new Unfollowed({ message: `${from.pointer} refers to itself` })
    }
  }
}
