/** Schemas of a file that references can name: those with URIs, and with names. */
import { keysOf, look, pointer, property, text } from "./Json.ts"

export interface File {
  readonly uri: string
  /** Its name among the document's files; the root has none. */
  readonly key: string | undefined
  readonly value: unknown
  /** The file itself, as what its names belong to. */
  readonly base: Base
  /** The schemas in it to which references can be relative. */
  readonly bases: ReadonlyMap<unknown, Base>
}

export interface Target {
  readonly file: File
  readonly pointer: string
  readonly node: unknown
  /** The nearest schema, itself or around it, to which references in it can be relative. */
  readonly base: Base | undefined
}

/** A schema to which references inside it can be relative, or whose names they can have: it has a URI, definitions or a name. */
export interface Base {
  readonly value: unknown
  readonly pointer: string
  readonly uri: string
  readonly outer: Base | undefined
  /** By name, where the schema is that has it; the first one, if there are several. */
  readonly names: Map<string, string>
  /** The names that `$dynamicAnchor` gives; `undefined`: several schemas have it. The empty name is that of `$recursiveAnchor`. */
  readonly dynamic: Map<string, string | undefined>
}

/** A URI, from that of the schema around it. */
export const resolve = (id: string, base: string): string =>
  URL.canParse(id, base) ? new URL(id, base).href.replace(/#$/, "") : id

const idOf = (value: unknown): string | undefined => {
  const id = text(value, "$id")
  return id?.startsWith("#") === true ? undefined : id
}

const isBase = (value: object): boolean =>
  idOf(value) !== undefined ||
  ["$defs", "definitions"].some((key) => property(value, key) !== undefined) ||
  dynamicOf(value) !== undefined

/** The name of a schema that stands for another one, depending on where a reader comes from (2020-12 §8.2.3.2, 2019-09 §8.2.4.2). */
export const dynamicOf = (value: unknown): string | undefined =>
  text(value, "$dynamicAnchor") ?? (property(value, "$recursiveAnchor") === true ? "" : undefined)

const baseOf = (value: unknown, at: string, uri: string, outer?: Base): Base => ({
  value,
  pointer: at,
  uri,
  outer,
  names: new Map(),
  dynamic: new Map()
})

/** The keywords that give a schema a name or a URI. */
const naming = new Set("$anchor $defs $dynamicAnchor $id $recursiveAnchor definitions".split(" "))

/** Finds the names in a file; each belongs to the schemas around it, up to one with a URI of its own, and to the file. */
export const read = (value: unknown, uri: string, key: string | undefined): File => {
  const base = baseOf(value, "", resolve(text(value, "$self") ?? "", uri))
  const bases = new Map<unknown, Base>()
  const seen = new Set<unknown>()
  const path: Array<string> = []
  /** The nearest schema around what is in a value that has one of these keywords. */
  const name = (value: object, around: Base | undefined): Base | undefined => {
    const at = pointer("", ...path)
    const id = idOf(value)
    const outer = around?.uri ?? base.uri
    const own = isBase(value) ? baseOf(value, at, id === undefined ? outer : resolve(id, outer), around) : undefined
    if (own !== undefined) bases.set(value, own)
    const inner = own ?? around
    const dynamic = dynamicOf(value)
    const fragment = text(value, "$id")
    const names = [
      text(value, "$anchor"),
      text(value, "$dynamicAnchor"),
      // as drafts before 2019-09 had it
      fragment?.startsWith("#") === true ? fragment.slice(1) : undefined
    ]
    const owners = [base]
    for (let one = inner; one !== undefined; one = idOf(one.value) === undefined ? one.outer : undefined)
      owners.push(one)
    for (const owner of owners) {
      for (const name of names)
        if (name !== undefined && name !== "" && !owner.names.has(name)) owner.names.set(name, at)
      if (dynamic !== undefined) owner.dynamic.set(dynamic, owner.dynamic.has(dynamic) ? undefined : at)
    }
    return inner
  }
  const visit = (value: unknown, around: Base | undefined): void => {
    // an alias of YAML is where it is first
    if (typeof value !== "object" || value === null || seen.has(value)) return
    seen.add(value)
    const entries = Object.entries(value)
    const inner = entries.some(([key]) => naming.has(key)) ? name(value, around) : around
    for (const [key, child] of entries) {
      path.push(key)
      visit(child, inner)
      path.pop()
    }
  }
  visit(value, undefined)
  return { uri, key, value, base, bases }
}

/** The place of a file that a pointer leads to. */
export const target = (file: File, at: string): Target => {
  let base: Base | undefined
  let node = file.value
  for (const key of [undefined, ...keysOf(at)]) {
    if (key !== undefined) node = look(node, [key])
    base = file.bases.get(node) ?? base
  }
  return { file, pointer: at, node, base }
}
