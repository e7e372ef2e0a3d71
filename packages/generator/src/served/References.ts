import * as Data from "effect/Data"
import { decode, inside, type JsonObject, keysOf, look, type Place, pointer, text } from "../read/Json.ts"

/** A reference of the document leads nowhere. */
export class Unfollowed extends Data.TaggedError("Unfollowed")<{ readonly message: string }> {}

/** Reads a part of the document; where a reference leads nowhere, or a schema has no end, gives what is made of the reason. */
export const attempt = <A, B>(read: () => A, onFailure: (message: string) => B): A | B => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unfollowed || error instanceof RangeError) return onFailure(error.message)
    throw error
  }
}

/** A schema, or anything else that a reference can stand for. */
export type Schema = Place

/** Follows the references of a document. In one that is bundled, each is a pointer, and says so as `$ref`. */
export interface References {
  readonly at: (pointer: string) => Schema
  readonly child: (from: Schema, ...keys: ReadonlyArray<string | number>) => Schema
  /** The target of a place where only references are followed. */
  readonly follow: (from: Schema) => Schema
  /** The same; `undefined` where it leads nowhere. */
  readonly reach: (from: Schema) => Schema | undefined
  readonly target: (from: Schema) => Schema | undefined
}

/** The target of a mapping of a discriminator: a reference, or the name of a schema. */
export const referenceOf = (to: string): string => (to.includes("#") ? to : pointer("#", "components", "schemas", to))

/** Reads the references of a bundled document. */
export const make = (root: JsonObject): References => {
  /** Values of a large schema follow each reference many times. */
  const places = new Map<string, Schema>()
  const at = (reference: string): Schema => {
    const known = places.get(reference)
    if (known !== undefined) return known
    const isPointer = reference === "#" || reference.startsWith("#/")
    const node = isPointer ? look(root, keysOf(reference, decode)) : undefined
    if (node === undefined) throw new Unfollowed({ message: `${reference} leads nowhere` })
    const place = { node, pointer: reference }
    places.set(reference, place)
    return place
  }
  const target = ({ node }: Schema): Schema | undefined => {
    const reference = text(node, "$ref")
    return reference === undefined ? undefined : at(reference)
  }
  const follow = (from: Schema): Schema => {
    let found = from
    for (let i = 0; i < 100; i++) {
      const next = target(found)
      if (next === undefined) return found
      found = next
    }
    throw new Unfollowed({ message: `${from.pointer} refers to itself` })
  }
  const reach = (from: Schema) =>
    attempt(
      () => follow(from),
      () => undefined
    )
  return { at, target, child: inside, follow, reach }
}
