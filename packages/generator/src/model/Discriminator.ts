import { memoize } from "effect/Function"
import * as Predicate from "effect/Predicate"
import type { Document } from "../read/Document.ts"
import { isObject, list, object, pointer, text } from "../read/Json.ts"
import { attempt, Unsupported, type Warn } from "../read/Unsupported.ts"
import type { Keywords, Part } from "./Keywords.ts"

/** The schema that a discriminator names. */
const named = (to: string): string => (to.includes("#") ? to : `#/components/schemas/${to}`)

/** The schema of values that a discriminator does not name (3.2). */
export const defaultOf = (discriminator: unknown): string | undefined => {
  const to = text(discriminator, "defaultMapping")
  return to && named(to)
}

/** The values of a discriminator, and the schema that each is for. */
const mappingOf = (discriminator: unknown): ReadonlyArray<readonly [value: string, to: string]> =>
  Object.entries(object(discriminator, "mapping")).flatMap(([value, to]) =>
    Predicate.isString(to) ? [[value, named(to)] as const] : []
  )

/** The value of a discriminator, which a mapping has as text. */
export const tagOf =
  (types: ReadonlySet<string> | undefined) =>
  (text: string): unknown =>
    types?.has("string") !== false ? text : types.has("boolean") ? text === "true" : Number(text)

/** Read once: each of many heirs asks. */
const valuesByTarget = memoize((discriminator: object) => Map.groupBy(mappingOf(discriminator), ([, to]) => to))

/** The values of a discriminator for one schema. */
export const valuesOf = (discriminator: unknown, to: string): ReadonlyArray<string> =>
  isObject(discriminator) ? (valuesByTarget(discriminator).get(to) ?? []).map(([value]) => value) : []

/** By schema, references to those that have it in their `allOf`. */
const extending = memoize((document: Document) => {
  const known = new Map<unknown, Array<string>>()
  for (const [name, node] of Object.entries(object(document.root["components"], "schemas"))) {
    const to = pointer("#", "components", "schemas", name)
    for (const part of list(node, "allOf")) {
      const found = attempt(() => document.follow({ node: part, pointer: to }))
      if (found instanceof Unsupported || found.node === part) continue
      const own = known.get(found.node) ?? []
      own.push(to)
      known.set(found.node, own)
    }
  }
  return known
})

/** At any depth, in the order of the document. */
const extendersOf = (document: Document, base: unknown): ReadonlyArray<string> => {
  const known = extending(document)
  const found = new Set(known.get(base))
  for (const to of found) for (const one of known.get(document.at(to, to)) ?? []) found.add(one)
  return [...found]
}

/**
 * References to what extends a schema that has a discriminator, or extends one that has: what the discriminator names, and what
 * has the schema in its `allOf`.
 */
export const heirsOf = (document: Document, { nodes }: Keywords, parts: ReadonlyArray<Part>, warn: Warn) => {
  const [first] = nodes.filter(({ node }) => !("$ref" in node))
  const open = parts.filter(({ isClosed }) => isClosed !== true)
  if (first === undefined || open.length !== 1 || open[0]?.isBare === true) return undefined
  const told = parts.flatMap(({ isClosed, node }) => (isClosed === true ? Object.keys(object(node, "properties")) : []))
  const extending = extendersOf(document, first.node)
  const isOwn = (at: string) => at === first.pointer || at.startsWith(`${first.pointer}/allOf/`)
  const owners = nodes.filter(
    ({ node: { discriminator } }) =>
      isObject(discriminator) && !told.includes(text(discriminator, "propertyName") ?? "")
  )
  const owner = owners.find(({ pointer: at }) => isOwn(at)) ?? (extending.length > 0 ? owners[0] : undefined)
  if (owner === undefined) return undefined
  const { discriminator } = owner.node
  // what extends it, and itself
  if (!isOwn(owner.pointer)) return { first, discriminator, children: [...extending, first.pointer], isMapped: true }
  const mapped = [...mappingOf(discriminator).map(([, to]) => to), defaultOf(discriminator) ?? first.pointer]
  const children = [...new Set([...mapped, ...extending])].filter((to) => {
    const found = attempt(() => document.at(to, owner.pointer))
    if (found instanceof Unsupported)
      warn("discriminator", owner.pointer, `${to} leads nowhere: what it names is left out`)
    return to !== first.pointer && found !== first.node && !(found instanceof Unsupported)
  })
  const isMapped = children.every((to) => mapped.includes(to))
  return children.length === 0 ? undefined : { first, discriminator, children, isMapped }
}
