import * as Digest from "../read/Digest.ts"
import * as Names from "./Names.ts"
import type { Order } from "./References.ts"
import type * as Shape from "./Shape.ts"

const isReference = (value: unknown): value is Shape.Reference =>
  typeof value === "object" && value !== null && "_tag" in value && value._tag === "Reference"

/** The words that names end with, if there are two: `GetUserResult` and `CreateUserResult` are a `UserResult`. */
const ending = (all: ReadonlyArray<string>): string | undefined => {
  const [first = [], ...others] = all.map((name) => Names.words(name).toReversed())
  const end = first.findIndex((word, i) => others.some((words) => words[i] !== word))
  const words = first.slice(0, end < 0 ? first.length : end)
  return words.length < 2 ? undefined : words.toReversed().join("")
}

/**
 * Names that have an equal shape, with equal comments in it: the first of them is declared for all. Names of the document
 * itself stay as they are. Those that refer to equal ones are equal.
 */
export const make = (shapeOf: Shape.ShapeOf, { late, names }: Order, isOwn: (name: string) => boolean) => {
  const first = new Map<string, string>()
  const same = new Map<string, string>()
  /** The name that is declared in place of another. */
  const firstOf = (name: string): string => same.get(name) ?? name
  for (const name of names) {
    const text = JSON.stringify(shapeOf(name), (key, value: unknown) => {
      if (key === "format") return undefined
      if (!isReference(value)) return value
      return [value.name === name ? "" : late.get(name)?.has(value.name) === true ? value.name : firstOf(value.name)]
    })
    const key = Digest.digest(text)
    const known = first.get(key)
    if (known === undefined) first.set(key, name)
    else if (!isOwn(name)) same.set(name, known)
  }
  const groups = Map.groupBy(same.keys(), firstOf)
  /** The common end of the names in whose place one is declared, if it is not the document's own. */
  const endings = Array.from(groups).flatMap(([name, others]) => {
    const found = isOwn(name) ? undefined : ending([name, ...others])
    return found === undefined ? [] : [[name, found] as const]
  })
  return { firstOf, endings: new Map(endings) }
}
