import { isObject, type JsonObject, list, property, text } from "../read/Json.ts"
import { make as referring, type References, type Schema } from "./References.ts"
import { make as joining, type Whole } from "./Whole.ts"

/** Which way a value goes. */
export type Side = "response" | "request"

/** Reads the schemas of a document. */
export interface Schemas extends References {
  /** The keywords of a schema itself. */
  readonly said: (node: unknown) => unknown
  readonly whole: (parts: ReadonlyArray<Schema>) => Whole
  /** The same of schemas and of each of their alternatives, at any depth. */
  readonly variants: (parts: ReadonlyArray<Schema>) => ReadonlyArray<Whole>
  /** Whether no value of a side has a field. */
  readonly isHidden: (parts: ReadonlyArray<Schema>, side: Side) => boolean
  /** Whether it only limits the values of what is around it. */
  readonly isConstraint: (part: Schema) => boolean
  /** Whether null is one of its values, in any of the forms of 3.0 and 3.1. */
  readonly takesNull: (parts: ReadonlyArray<Schema>) => boolean
}

/** Whether a schema has alternatives. */
const isComposed = (node: JsonObject) => list(node, "oneOf").length + list(node, "anyOf").length > 0

/** Whether a schema says only "or null"; some exporters of 3.0 write it as `nullable: true` alone. */
export const isNullOnly = ({ node }: Schema): boolean =>
  isObject(node) &&
  ((text(node, "type") === "null" && !isComposed(node)) ||
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

const beside = new Set(["$ref", "nullable", "required", "x-nullable", "readOnly", "writeOnly"])

const marks = { request: "readOnly", response: "writeOnly" } as const

/** Reads the schemas of a bundled document. */
export const make = (root: JsonObject): Schemas => {
  const references = referring(root)
  const { follow } = references
  const isOld = text(root, "openapi")?.startsWith("3.0") === true
  const mended = once((node: JsonObject): JsonObject => {
    // in 3.0, keywords beside a reference are ignored, but these are often meant
    if (isOld && text(node, "$ref") !== undefined)
      return Object.fromEntries(Object.entries(node).filter(([key]) => beside.has(key)))
    const { enum: values, type, ...rest } = node
    // beside alternatives it can only mean "or null"
    if (type === "null" && isComposed(node)) return { ...rest, "x-nullable": true }
    // the values of its items
    const isOfItems = type === "array" && list(node, "enum").every((value) => !Array.isArray(value))
    return isOfItems && values !== undefined ? { ...rest, type } : node
  })
  /** The keywords of a schema. */
  const said = (node: unknown): unknown => (isObject(node) ? mended(node) : node)

  const join = joining(root, references, said)
  const known = new Map<string, Whole>()
  const joined = (parts: ReadonlyArray<Schema>): Whole => {
    const key = parts.some(({ pointer }) => pointer === "") ? undefined : parts.map(({ pointer }) => pointer).join("\n")
    const found = (key === undefined ? undefined : known.get(key)) ?? join(parts)
    if (key !== undefined) known.set(key, found)
    return found
  }
  const several = once(joined)
  // most lists of one are made for the question
  const single = once((part: Schema) => joined([part]))
  const whole = (parts: ReadonlyArray<Schema>): Whole => {
    const [first] = parts
    return parts.length === 1 && first !== undefined ? single(first) : several(parts)
  }

  const variants = once((one: Whole): ReadonlyArray<Whole> => {
    const found = new Set([one])
    // grows while it is read
    for (const { choices } of found) for (const { parts } of choices) for (const part of parts) found.add(whole([part]))
    return [...found]
  })

  /** Heirs of one base have the same alternatives. */
  const haveNull = once((parts: ReadonlyArray<Schema>) =>
    parts.some((part) => isNullOnly(part) || isNullOnly(follow(part)))
  )
  const takesNull = once((parts: ReadonlyArray<Schema>): boolean => {
    const { choices, nodes, types, values } = whole(parts)
    return (
      parts.some(
        (part) => property(follow(part).node, "nullable") === true || property(part.node, "nullable") === true
      ) ||
      nodes.some(({ node }) => node["x-nullable"] === true) ||
      types?.has("null") === true ||
      (values?.includes(null) === true && (isOld || types?.has("null") !== false)) ||
      choices.some(({ parts }) => haveNull(parts))
    )
  })

  return {
    ...references,
    said,
    whole,
    variants: (parts) => variants(whole(parts)),
    takesNull,
    isHidden: (parts, side) =>
      parts.some(({ node }) => node === false) || whole(parts).nodes.some(({ node }) => node[marks[side]] === true),
    isConstraint: (part) => {
      const { choices, properties, types, values } = whole([part])
      return properties.size === 0 && types === undefined && values === undefined && choices.length === 0
    }
  }
}
