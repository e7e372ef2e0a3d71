import { decode } from "../read/Json.ts"
import * as Digits from "./Digits.ts"
import * as Pattern from "./Pattern.ts"
import type { Schema } from "./References.ts"
import type { Schemas } from "./Schemas.ts"

/** How the value of a field is written in a path, a query, a header or a form. */
export interface Way {
  readonly name: string
  readonly style: string
  readonly explode: boolean
  readonly isJson: boolean
  readonly schema: Schema
}

/** The value of a text, of several, or of texts with names. */
export type Shape = "one" | "list" | "object"

/** A name and its text, as they are in a query or a form. */
export type Pair = readonly [name: string, text: string]

/** The pairs of a query or a form. */
export const pairs = (text: string): ReadonlyArray<Pair> =>
  text.split("&").flatMap((part): ReadonlyArray<Pair> => {
    const at = part.includes("=") ? part.indexOf("=") : part.length
    return part === "" ? [] : [[part.slice(0, at), part.slice(at + 1)]]
  })

/** The text of a part of a query, in which `+` is a space. */
export const plain = (text: string): string => decode(text.replaceAll("+", " "))

/** Names and texts in turn, or with a sign of equality between them. */
const named = (parts: ReadonlyArray<string>, explode: boolean, decoded: (text: string) => string): object => {
  const pairs = explode
    ? parts.map((part) => [part.split("=")[0] ?? "", part.split("=").slice(1).join("=")])
    : Array.from({ length: Math.ceil(parts.length / 2) }, (_, i) => parts.slice(2 * i, 2 * i + 2))
  return Object.fromEntries(pairs.map(([name = "", text = ""]) => [decoded(name), decoded(text)]))
}

/** Reads a value of a path or a header; `decoded` undoes the escapes of each part. */
export const fromText = (way: Way, shape: Shape, given: string, decoded = (text: string) => text): unknown => {
  const { explode, isJson, name, style } = way
  if (isJson) return Digits.read(decoded(given))
  let text = given
  let separator = ","
  if (style === "label") {
    text = text.replace(/^\./, "")
    if (explode) separator = "."
  } else if (style === "matrix") {
    const isNamed = shape === "object" && explode
    const begin = `;${encodeURIComponent(name)}=`
    if (isNamed) text = text.replace(/^;/, "")
    else if (text.startsWith(begin)) text = text.slice(begin.length)
    if (explode && shape !== "one") separator = shape === "list" ? begin : ";"
  }
  if (shape === "one") return decoded(text)
  const parts = text === "" ? [] : text.split(separator).map((part) => part.trim())
  return shape === "list" ? parts.map(decoded) : named(parts, explode, decoded)
}

/** The keys in brackets after a name: `b` and `0` of `a[b][0]`; `undefined` if it is another name. */
const keysOf = (name: string, whole: string): ReadonlyArray<string> | undefined =>
  whole.startsWith(`${name}[`) && whole.endsWith("]") ? whole.slice(name.length + 1, -1).split("][") : undefined

type Tree = Map<string, Tree | string>

const plainOf = (tree: Tree | string): unknown => {
  if (typeof tree === "string") return tree
  const keys = [...tree.keys()]
  if (keys.every((key, i) => key === String(i))) return Array.from(tree.values(), plainOf)
  return Object.fromEntries(Array.from(tree, ([key, child]) => [key, plainOf(child)]))
}

/** Whether values of a schema can be lists or objects. */
export const isComposite = (schemas: Schemas, schema: Schema): boolean =>
  schemas.variants([schema]).some(({ types }) => types?.has("array") === true || types?.has("object") === true)

/** Whether a parameter names what has this name in a query: by its own, or by a property of the object that it spreads. */
export const isNamed = (schemas: Schemas, { explode, isJson, name, schema, style }: Way, other: string): boolean =>
  style === "deepObject"
    ? other === name || keysOf(name, other) !== undefined
    : other === name || (explode && !isJson && schemas.whole([schema]).properties.has(other))

/** Reads a parameter of a query, or a field of a form, and says which of the pairs it takes; `undefined`: it has none. */
export const fromPairs = (
  schemas: Schemas,
  way: Way,
  shape: Shape,
  all: ReadonlyArray<Pair>
): { readonly value: unknown; readonly taken: ReadonlySet<Pair> } | undefined => {
  const { explode, isJson, name, schema, style } = way
  const taking = (taken: ReadonlyArray<Pair>, value: (texts: ReadonlyArray<string>) => unknown) =>
    taken.length === 0 ? undefined : { value: value(taken.map(([, text]) => text)), taken: new Set(taken) }
  const own = all.filter(([other]) => plain(other) === name)
  if (shape !== "one" && style === "deepObject") {
    const tree: Tree = new Map()
    const taken = all.filter(([other, text]) => {
      const keys = keysOf(name, plain(other))
      if (keys === undefined) return false
      let at = tree
      for (const key of keys.slice(0, -1)) {
        const next = at.get(key)
        const inner: Tree = next instanceof Map ? next : new Map()
        at.set(key, inner)
        at = inner
      }
      at.set(keys.at(-1) ?? "", plain(text))
      return true
    })
    return taking(taken, () => plainOf(tree))
  }
  if (shape === "object" && !isJson && explode) {
    const valuesOf = (key: string) =>
      schemas
        .variants([schema])
        .flatMap(({ additional, patterns, properties }) => [
          ...(properties.get(key) ?? additional.filter(({ node }) => node !== false)),
          ...patterns.flatMap(([one, value]) => (Pattern.isMatch(one, key) ? [value] : []))
        ])
    // others are JSON
    const isList = (key: string) =>
      valuesOf(key).some((value) => {
        const { items, types } = schemas.whole([value])
        return types?.has("array") === true && !items.some((item) => isComposite(schemas, item))
      })
    const taken = all.filter(([other]) => valuesOf(plain(other)).length > 0)
    const texts = Map.groupBy(taken, ([key]) => plain(key))
    return taking(taken, () =>
      Object.fromEntries(
        Array.from(texts, ([key, own]) => {
          const [first = "", ...rest] = own.map(([, text]) => plain(text))
          return [key, rest.length > 0 || isList(key) ? [first, ...rest] : first]
        })
      )
    )
  }
  if (shape === "one" || isJson) return taking(own, ([text = ""]) => (isJson ? Digits.read(plain(text)) : plain(text)))
  if (explode) return taking(own, (texts) => texts.map(plain))
  const separator = style === "spaceDelimited" ? /%20|\+| / : style === "pipeDelimited" ? /%7C|\|/i : ","
  return taking(own, ([text = ""]) => {
    const parts = text === "" ? [] : text.split(separator)
    return shape === "list" ? parts.map(plain) : named(parts, false, plain)
  })
}
