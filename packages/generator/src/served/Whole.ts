import * as Predicate from "effect/Predicate"
import { decode, isObject, type JsonObject, keysOf, list, look, object, pointer, text } from "../read/Json.ts"
import { referenceOf, type References, type Schema, Unfollowed } from "./References.ts"

/** Schemas of which a value fits one or more. */
export interface Choice {
  readonly site: string
  readonly kind: "oneOf" | "anyOf" | "if" | "heirs"
  readonly parts: ReadonlyArray<Schema>
  readonly discriminator: unknown
}

type Node = Schema & { readonly node: JsonObject }

/** The keywords of all parts of a schema together: those of `allOf` at any depth, and of the schemas that they refer to. */
export interface Whole {
  readonly nodes: ReadonlyArray<Node>
  readonly keys: ReadonlySet<string>
  readonly choices: ReadonlyArray<Choice>
  /** `undefined`: any. */
  readonly types: ReadonlySet<string> | undefined
  /** The values of `enum` and `const`. */
  readonly values: ReadonlyArray<unknown> | undefined
  readonly properties: ReadonlyMap<string, ReadonlyArray<Schema>>
  readonly patterns: ReadonlyArray<readonly [pattern: string, schema: Schema]>
  readonly required: ReadonlySet<string>
  /** The schemas of other fields, by part. */
  readonly additional: ReadonlyArray<Schema>
  readonly items: ReadonlyArray<Schema>
  readonly prefix: ReadonlyArray<ReadonlyArray<Schema>>
}

const types = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

/** The known types that a schema names. */
export const typesOf = (node: JsonObject): ReadonlyArray<string> => {
  const { type } = node
  const named = Array.isArray(type) ? type : [type]
  return named.every((one) => types.has(String(one))) ? named.map(String) : []
}

const mostParts = 5_000

/** The parts of schemas, and those that they refer to. */
const partsOf = (
  { child, target }: References,
  said: (node: unknown) => unknown,
  parts: ReadonlyArray<Schema>
): Pick<Whole, "nodes" | "keys"> => {
  const nodes: Array<Node> = []
  const keys = new Set<string>()
  const visit = (given: Schema): void => {
    const schema = { ...given, node: said(given.node) }
    if (!isObject(schema.node) || keys.has(schema.pointer)) return
    keys.add(schema.pointer)
    if (keys.size > mostParts) throw new Unfollowed({ message: `${schema.pointer} has more than ${mostParts} parts` })
    nodes.push({ ...schema, node: schema.node })
    const to = target(schema)
    if (to !== undefined) visit(to)
    for (const i of list(schema.node, "allOf").keys()) visit(child(schema, "allOf", i))
  }
  for (const part of parts) visit(part)
  return { nodes, keys }
}

/** The types that a part leaves of those that others have. */
const narrowed = (before: ReadonlySet<string> | undefined, node: JsonObject): ReadonlySet<string> | undefined => {
  const own = typesOf(node)
  if (own.length === 0 || before === undefined) return own.length === 0 ? before : new Set(own)
  const fits = (type: string) =>
    own.includes(type) ||
    (type === "integer" && own.includes("number")) ||
    (type === "null" && node["nullable"] === true)
  const isInteger = before.has("number") && own.includes("integer")
  return new Set([...[...before].filter(fits), ...(isInteger ? ["integer"] : [])])
}

/** The values that a part leaves of those that others have. */
const limited = (before: ReadonlyArray<unknown> | undefined, node: JsonObject): ReadonlyArray<unknown> | undefined => {
  const own = "const" in node ? [node["const"]] : Array.isArray(node["enum"]) ? node["enum"] : undefined
  if (own === undefined || before === undefined) return own ?? before
  const texts = new Set(own.map((value) => JSON.stringify(value)))
  return before.filter((value) => texts.has(JSON.stringify(value)))
}

/** Adds to the list of a key. */
export const add = <K, V>(all: Map<K, Array<V>>, key: K, value: V): void => {
  const own = all.get(key) ?? []
  own.push(value)
  all.set(key, own)
}

/** The schemas that extend each other one, by the reference to it. */
const heirsOf = (root: JsonObject): ReadonlyMap<string, ReadonlyArray<string>> => {
  const heirs = new Map<string, Array<string>>()
  for (const [name, node] of Object.entries(object(object(root, "components"), "schemas")))
    for (const part of list(node, "allOf"))
      add(heirs, text(part, "$ref") ?? "", pointer("#", "components", "schemas", name))
  return heirs
}

/** The schemas that a discriminator names where no alternatives are listed: those of its mapping, and what extends its own. */
const listed = (
  root: JsonObject,
  heirs: ReadonlyMap<string, ReadonlyArray<string>>,
  { node, pointer: at }: Node
): ReadonlyArray<Schema> => {
  const own = new Set(heirs.get(at))
  // grows while it is read
  for (const one of own) for (const next of heirs.get(one) ?? []) own.add(next)
  const named = Object.values(object(object(node, "discriminator"), "mapping")).filter(Predicate.isString)
  const rest = text(object(node, "discriminator"), "defaultMapping")
  const all = new Set([...named.map(referenceOf), ...own, ...(rest === undefined ? [] : [referenceOf(rest)])])
  return [...all].flatMap((to) => {
    const value = to.startsWith("#/") ? look(root, keysOf(to, decode)) : undefined
    return value === undefined || to === at ? [] : [{ node: { $ref: to }, pointer: `${at}/heirs ${to}` }]
  })
}

const choicesOf = (
  { child }: References,
  heirs: (base: Node) => ReadonlyArray<Schema>,
  one: Node
): ReadonlyArray<Choice> => {
  const { node, pointer: at } = one
  const { discriminator } = node
  const choice = (kind: Choice["kind"], parts: ReadonlyArray<Schema>, name: string = kind): ReadonlyArray<Choice> =>
    parts.length === 0
      ? []
      : [{ site: `${at}/${name}`, kind, parts, discriminator: kind === "if" ? undefined : discriminator }]
  const alternatives = (["oneOf", "anyOf"] as const).flatMap((kind) => {
    const parts = list(node, kind).map((_, i) => child(one, kind, i))
    return choice(kind, parts)
  })
  const conditions = isObject(node["if"])
    ? [
        { node: { allOf: [node["if"], node["then"] ?? {}] }, pointer: `${at}/then` },
        { node: node["else"] ?? {}, pointer: `${at}/else` }
      ]
    : []
  return [
    ...alternatives,
    ...choice("if", conditions),
    ...Object.keys(object(node, "dependentSchemas")).flatMap((name) =>
      choice("if", [child(one, "dependentSchemas", name)], `dependentSchemas/${name}`)
    ),
    ...(isObject(discriminator) && alternatives.length === 0 ? choice("heirs", heirs(one)) : [])
  ]
}

/** Reads schemas together with all parts of them. */
export const make = (root: JsonObject, references: References, said: (node: unknown) => unknown) => {
  const { child } = references
  let heirs: ReadonlyMap<string, ReadonlyArray<string>> | undefined
  /** By their base, which is a part of each of them. */
  const known = new Map<string, ReadonlyArray<Schema>>()
  const heirsIn = (base: Node) => {
    const found = known.get(base.pointer) ?? listed(root, (heirs ??= heirsOf(root)), base)
    known.set(base.pointer, found)
    return found
  }
  return (all: ReadonlyArray<Schema>): Whole => {
    const parts = partsOf(references, said, all)
    let found: ReadonlySet<string> | undefined
    let values: ReadonlyArray<unknown> | undefined
    const properties = new Map<string, Array<Schema>>()
    const patterns: Array<readonly [string, Schema]> = []
    const required = new Set<string>()
    const additional: Array<Schema> = []
    const items: Array<Schema> = []
    const prefix = new Map<number, Array<Schema>>()
    for (const one of parts.nodes) {
      const { node } = one
      found = narrowed(found, node)
      values = limited(values, node)
      for (const name of Object.keys(object(node, "properties"))) add(properties, name, child(one, "properties", name))
      for (const name of Object.keys(object(node, "patternProperties")))
        patterns.push([name, child(one, "patternProperties", name)])
      for (const name of list(node, "required")) if (Predicate.isString(name)) required.add(name)
      for (const key of ["additionalProperties", "unevaluatedProperties"])
        if (node[key] !== undefined) additional.push(child(one, key))
      const tuple = list(node, "prefixItems").length > 0 ? "prefixItems" : "items"
      for (const i of list(node, tuple).keys()) add(prefix, i, child(one, tuple, i))
      for (const key of ["items", "additionalItems", "unevaluatedItems", "contains"])
        if (isObject(node[key])) items.push(child(one, key))
    }
    return {
      ...parts,
      choices: parts.nodes.flatMap((one) => choicesOf(references, heirsIn, one)),
      types: found,
      values,
      properties,
      patterns,
      required,
      additional,
      items,
      prefix: [...prefix.values()]
    }
  }
}
