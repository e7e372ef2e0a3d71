import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import {
  decode,
  inside,
  isObject,
  type JsonObject,
  keysOf,
  list,
  look,
  object,
  type Place,
  pointer,
  property,
  text
} from "../../read/Json.ts"

/** A reference of the document leads nowhere. */
export class Unfollowed extends Data.TaggedError("Unfollowed")<{ readonly message: string }> {}

/** Which way a value goes. */
export type Side = "response" | "request"

/** A schema, or anything else that a reference can stand for, and what dynamic references inside it lead to. */
export interface Schema {
  readonly node: unknown
  readonly pointer: string
  readonly scope: ReadonlyMap<string, string>
}

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
  readonly isNever: boolean
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

/** Reads the schemas of a document. */
export interface Schemas {
  readonly root: JsonObject
  /** The keywords of a schema itself. */
  readonly said: (node: unknown) => unknown
  readonly at: (pointer: string) => Schema
  readonly child: (from: Schema, ...keys: ReadonlyArray<string | number>) => Schema
  /** The target of a place where only references are followed. */
  readonly follow: (from: Schema) => Schema
  readonly target: (from: Schema) => Schema | undefined
  readonly whole: (parts: ReadonlyArray<Schema>) => Whole
  /** Whether no value of a side has a field. */
  readonly isHidden: (parts: ReadonlyArray<Schema>, side: Side) => boolean
  /** Whether it only limits the values of what is around it. */
  readonly isConstraint: (part: Schema) => boolean
  /** Whether null is one of its values, in any of the forms of 3.0 and 3.1. */
  readonly takesNull: (parts: ReadonlyArray<Schema>) => boolean
}

const types = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

/** The known types that a schema names. */
export const typesOf = (node: JsonObject): ReadonlyArray<string> => {
  const { type } = node
  const named = Array.isArray(type) ? type : [type]
  return named.every((one) => types.has(String(one))) ? named.map(String) : []
}

/** Schemas at one place can refer to others. */
export const keyOf = ({ pointer, scope }: Schema): string =>
  scope.size === 0 ? pointer : `${pointer} ${JSON.stringify([...scope])}`

/** Whether a schema says only "or null"; some exporters of 3.0 write it as `nullable: true` alone. */
export const isNullOnly = ({ node }: Schema): boolean =>
  isObject(node) &&
  (text(node, "type") === "null" ||
    (node["nullable"] === true &&
      Object.keys(node).every((key) => /^(?:nullable|description|title|x-.*)$/.test(key))) ||
    ("const" in node && node["const"] === null) ||
    (Array.isArray(node["enum"]) && node["enum"].length > 0 && node["enum"].every((value) => value === null)))

/** Computes what follows from an object once: a value comes to each schema of a document many times. */
export const once = <K extends object, A>(compute: (key: K) => A): ((key: K) => A) => {
  const known = new WeakMap<K, { readonly result: A }>()
  return (key) => {
    const found = known.get(key) ?? { result: compute(key) }
    known.set(key, found)
    return found.result
  }
}

const mostParts = 5_000

const beside = new Set(["$ref", "nullable", "required", "x-nullable", "readOnly", "writeOnly"])

/** Reads the schemas of a bundled document. */
export const make = (root: JsonObject): Schemas => {
  const none: ReadonlyMap<string, string> = new Map()
  /** Pointers by the names that schemas give themselves; read when the first is asked for. */
  let named: Map<string, string> | undefined
  const anchors = () => {
    if (named !== undefined) return named
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
    named = found
    return found
  }

  /** Where dynamic references lead from here on: the outermost schema that has the anchor decides. */
  const enter = (node: unknown, at: string, scope: ReadonlyMap<string, string>): Schema => {
    const own = Object.entries(object(node, "$defs")).map(([key, child]) => [child, pointer(at, "$defs", key)] as const)
    const marked = [[node, at] as const, ...own].flatMap(([child, to]) => {
      const name = text(child, "$dynamicAnchor")
      return name === undefined || scope.has(name) ? [] : [[name, to] as const]
    })
    return { node, pointer: at, scope: marked.length === 0 ? scope : new Map([...scope, ...marked]) }
  }

  /** Where references lead: values of a large schema follow each of them many times. */
  const places = new Map<string, Place>()
  const find = (reference: string, scope: ReadonlyMap<string, string>): Schema => {
    let place = places.get(reference)
    if (place === undefined) {
      const to = reference === "#" || reference.startsWith("#/") ? reference : anchors().get(reference)
      const node = to === undefined ? undefined : look(root, keysOf(to, decode))
      if (to === undefined || node === undefined) throw new Unfollowed({ message: `${reference} leads nowhere` })
      place = { node, pointer: to }
      places.set(reference, place)
    }
    return enter(place.node, place.pointer, scope)
  }

  const target = ({ node, scope }: Schema): Schema | undefined => {
    const reference = text(node, "$ref")
    if (reference !== undefined) return find(reference, scope)
    const dynamic = text(node, "$dynamicRef")
    if (dynamic === undefined) return undefined
    return find(scope.get(dynamic.split("#")[1] ?? "") ?? dynamic, scope)
  }

  const child = ({ node, pointer: at, scope }: Schema, ...keys: ReadonlyArray<string | number>): Schema => ({
    ...inside({ node, pointer: at }, ...keys),
    scope
  })

  const follow = (from: Schema): Schema => {
    let found = from
    for (let i = 0; i < 100; i++) {
      const next = target(found)
      if (next === undefined) return found
      found = next
    }
    throw new Unfollowed({ message: `${from.pointer} refers to itself` })
  }

  /** The schemas that extend another, by its pointer. */
  let heirs: Map<string, Array<string>> | undefined
  const heirsOf = (at: string): ReadonlySet<string> => {
    if (heirs === undefined) {
      heirs = new Map()
      for (const [name, node] of Object.entries(object(object(root, "components"), "schemas")))
        for (const part of list(node, "allOf")) {
          const base = text(part, "$ref") ?? ""
          const own = heirs.get(base) ?? []
          own.push(pointer("#", "components", "schemas", name))
          heirs.set(base, own)
        }
    }
    const found = new Set(heirs.get(at))
    // grows while it is read
    for (const one of found) for (const next of heirs.get(one) ?? []) found.add(next)
    return found
  }

  /** The schemas that a discriminator names where no alternatives are listed. */
  const listed = ({ node, pointer: at, scope }: Node): ReadonlyArray<Schema> => {
    const mapped = Object.values(object(object(node, "discriminator"), "mapping")).filter(Predicate.isString)
    const rest = text(object(node, "discriminator"), "defaultMapping")
    const all = [...mapped.map(reference), ...heirsOf(at), ...(rest === undefined ? [] : [reference(rest)])]
    const found = [...new Set(all)].flatMap((to) => {
      const value = to.startsWith("#/") ? look(root, keysOf(to, decode)) : undefined
      return value === undefined || to === at ? [] : [{ node: { $ref: to }, pointer: `${at}/heirs ${to}`, scope }]
    })
    return found
  }

  const isOld = text(root, "openapi")?.startsWith("3.0") === true
  /** The keywords of a schema: in 3.0, those beside a reference are ignored, but these are often meant. */
  const said = (node: unknown): unknown =>
    isOld && isObject(node) && text(node, "$ref") !== undefined
      ? Object.fromEntries(Object.entries(node).filter(([key]) => beside.has(key)))
      : node

  const known = new Map<string, Whole>()

  const whole = once((parts: ReadonlyArray<Schema>): Whole => {
    const key = parts.some(({ pointer }) => pointer === "") ? undefined : parts.map(keyOf).join("\n")
    const before = key === undefined ? undefined : known.get(key)
    if (before !== undefined) return before
    const nodes: Array<Node> = []
    const keys = new Set<string>()
    let isNever = false
    const visit = (given: Schema): void => {
      const schema = { ...given, node: said(given.node) }
      if (schema.node === false) isNever = true
      if (!isObject(schema.node) || keys.has(keyOf(schema))) return
      keys.add(keyOf(schema))
      if (keys.size > mostParts) throw new Unfollowed({ message: `${schema.pointer} has more than ${mostParts} parts` })
      nodes.push({ ...schema, node: schema.node })
      const to = target(schema)
      if (to !== undefined) visit(to)
      for (const i of list(schema.node, "allOf").keys()) visit(child(schema, "allOf", i))
    }
    for (const part of parts) visit(part)

    let found: Set<string> | undefined
    let values: ReadonlyArray<unknown> | undefined
    const properties = new Map<string, Array<Schema>>()
    const patterns: Array<readonly [string, Schema]> = []
    const required = new Set<string>()
    const additional: Array<Schema> = []
    const items: Array<Schema> = []
    const prefix: Array<Array<Schema>> = []
    const choices: Array<Choice> = []
    for (const one of nodes) {
      const { node, pointer: at } = one
      const own = typesOf(node)
      if (own.length > 0) {
        const fits = (type: string) =>
          own.includes(type) ||
          (type === "integer" && own.includes("number")) ||
          (type === "null" && node["nullable"] === true)
        const wider = found === undefined ? own : [...found].filter(fits)
        const narrowed = found?.has("number") === true && own.includes("integer") ? ["integer"] : []
        found = new Set([...wider, ...narrowed])
      }
      const given = "const" in node ? [node["const"]] : Array.isArray(node["enum"]) ? node["enum"] : undefined
      if (given !== undefined) {
        const same = JSON.stringify
        const before = values
        values =
          before === undefined ? given : before.filter((value) => given.some((other) => same(other) === same(value)))
      }
      for (const name of Object.keys(object(node, "properties"))) {
        const own = properties.get(name) ?? []
        own.push(child(one, "properties", name))
        properties.set(name, own)
      }
      for (const name of Object.keys(object(node, "patternProperties")))
        patterns.push([name, child(one, "patternProperties", name)])
      for (const name of list(node, "required")) if (Predicate.isString(name)) required.add(name)
      for (const key of ["additionalProperties", "unevaluatedProperties"])
        if (node[key] !== undefined) additional.push(child(one, key))
      const tuple = list(node, "prefixItems").length > 0 ? "prefixItems" : "items"
      for (const i of list(node, tuple).keys()) (prefix[i] ??= []).push(child(one, tuple, i))
      for (const key of ["items", "additionalItems", "unevaluatedItems", "contains"])
        if (isObject(node[key])) items.push(child(one, key))
      for (const kind of ["oneOf", "anyOf"] as const) {
        const parts = Array.from(list(node, kind).keys(), (i) => child(one, kind, i))
        if (parts.length > 0)
          choices.push({ site: `${keyOf(one)}/${kind}`, kind, parts, discriminator: node["discriminator"] })
      }
      if (isObject(node["if"]))
        choices.push({
          site: `${keyOf(one)}/if`,
          kind: "if",
          parts: [
            { node: { allOf: [node["if"], node["then"] ?? {}] }, pointer: `${at}/then`, scope: one.scope },
            { node: node["else"] ?? {}, pointer: `${at}/else`, scope: one.scope }
          ],
          discriminator: undefined
        })
      for (const [name, dependent] of Object.entries(object(node, "dependentSchemas")))
        choices.push({
          site: `${keyOf(one)}/dependentSchemas/${name}`,
          kind: "if",
          parts: [{ node: dependent, pointer: pointer(at, "dependentSchemas", name), scope: one.scope }],
          discriminator: undefined
        })
      if (isObject(node["discriminator"]) && list(node, "oneOf").length + list(node, "anyOf").length === 0) {
        const parts = listed(one)
        if (parts.length > 0)
          choices.push({ site: `${keyOf(one)}/heirs`, kind: "heirs", parts, discriminator: node["discriminator"] })
      }
    }
    const result: Whole = {
      nodes,
      keys,
      isNever,
      choices,
      types: found,
      values,
      properties,
      patterns,
      required,
      additional,
      items,
      prefix
    }
    if (key !== undefined) known.set(key, result)
    return result
  })

  const marks = { request: "readOnly", response: "writeOnly" } as const
  const isHidden = (parts: ReadonlyArray<Schema>, side: Side): boolean =>
    parts.some(({ node }) => node === false) || whole(parts).nodes.some(({ node }) => node[marks[side]] === true)

  const isConstraint = (part: Schema): boolean => {
    const { choices, properties, types, values } = whole([part])
    return properties.size === 0 && types === undefined && values === undefined && choices.length === 0
  }

  const takesNull = once((parts: ReadonlyArray<Schema>): boolean => {
    const { choices, nodes, types, values } = whole(parts)
    return (
      parts.some(
        (part) => property(follow(part).node, "nullable") === true || property(part.node, "nullable") === true
      ) ||
      nodes.some(({ node }) => node["x-nullable"] === true) ||
      types?.has("null") === true ||
      (values?.includes(null) === true && (isOld || types?.has("null") !== false)) ||
      choices.some(({ parts }) => parts.some((part) => isNullOnly(part) || isNullOnly(follow(part))))
    )
  })

  return { root, said, at: (to) => find(to, none), child, follow, target, whole, isHidden, isConstraint, takesNull }
}

/** The target of a mapping of a discriminator: a reference, or the name of a schema. */
export const reference = (to: string): string => (to.includes("#") ? to : pointer("#", "components", "schemas", to))
