import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { Document } from "../Document.ts"
import { collect, isHidden, isNullAlone, isNullBeside, isOverruled } from "../Facts.ts"
import { isObject, type JsonObject, list, object, type Place, text } from "../Json.ts"
import * as Pattern from "../Pattern.ts"

/** Says what is wrong with a value; `undefined` if nothing is. */
export type Check = (value: unknown) => string | undefined

/** What says nothing of values, or what neither examples nor the generated code follow. */
const skipped = new Set(
  "if then else dependentSchemas not $anchor $dynamicAnchor $comment $id $schema default deprecated description discriminator example examples externalDocs nullable readOnly title writeOnly xml".split(
    " "
  )
)
const nested = new Set(["items", "additionalProperties", "contains", "propertyNames", "unevaluatedProperties"])
const several = new Set(["allOf", "anyOf", "prefixItems"])

/** Those that are no ECMAScript, or can take long, are left out. */
const isPattern = ({ format, pattern }: JsonObject): boolean =>
  typeof pattern === "string" &&
  Pattern.flags(pattern) === "u" &&
  // one that no time fits
  (format !== "date-time" || Pattern.time(pattern) !== undefined)

/** Whether no value of an enum has the type beside it. */
const isContradiction = (node: JsonObject): boolean => {
  const { type } = node
  const values = list(node, "enum").filter((value) => value !== null)
  return (
    typeof type === "string" &&
    values.length > 0 &&
    values.every((value) => (type === "integer" ? !Number.isInteger(value) : typeof value !== type))
  )
}

const number = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value)

/** The schemas of a document's requests as JSON Schema 2020-12, for Ajv. */
export const make = (document: Document): ((place: Place) => Check) => {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    logger: false,
    allowUnionTypes: true,
    ownProperties: true
  })
  addFormats.default(ajv)
  const known = new Set<string>()
  const pending: Array<{ readonly id: string; readonly to: string; readonly isBase: boolean }> = []

  /** Names that no request has; those that another part describes are judged by what the generated code sends. */
  const hiddenOf = (node: unknown, seen = new Set<unknown>()): ReadonlyArray<string> => {
    const { node: value } = document.follow({ node, pointer: "#" })
    if (!isObject(value) || seen.has(value)) return []
    seen.add(value)
    const own = Object.entries(object(value, "properties")).flatMap(([name, child]) =>
      isHidden(document, "request", { node: child, pointer: "#" }) ? [name] : []
    )
    return [...own, ...list(value, "allOf").flatMap((part) => hiddenOf(part, seen))]
  }

  const listed = new Map<unknown, ReadonlySet<unknown>>()
  /** What a base lists as its alternatives; read once, since each of them asks. */
  const listedBy = (base: unknown): ReadonlySet<unknown> => {
    const found =
      listed.get(base) ??
      new Set(
        [...list(base, "oneOf"), ...list(base, "anyOf")].flatMap((one) =>
          collect(document, [{ node: one, pointer: "#", isBare: true }]).nodes.map(({ node }) => node)
        )
      )
    listed.set(base, found)
    return found
  }

  /** Whether a part is a base that lists, as its alternatives, what extends it: Ajv would follow that without end. */
  const isListing = (part: unknown, node: unknown): boolean =>
    listedBy(document.follow({ node: part, pointer: "#" }).node).has(node)

  /** Whether no alternative fits the type beside it: the generated code takes any value. */
  const isContradicted = (node: JsonObject): boolean => {
    const all = ["oneOf", "anyOf"].flatMap((key) => list(node, key))
    const whole = { node, pointer: "#", isBare: true }
    return (
      all.length > 0 && all.every((one) => collect(document, [whole, { node: one, pointer: "#" }]).types?.size === 0)
    )
  }

  const convert = (node: unknown, hidden: ReadonlyArray<string> = [], isBase = false): unknown => {
    if (!isObject(node)) return node ?? true
    const off = [...hidden, ...hiddenOf(node)]
    const entries = Object.entries(node).flatMap(([key, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (skipped.has(key) || key.startsWith("x-")) return []
      if (key === "$ref") return typeof value === "string" ? [[key, reference(value)]] : []
      if (key === "required") return [[key, list(node, key).filter((name) => !off.includes(String(name)))]]
      // beside other parts, and of fields that both sides share: what arrives is compared with what was meant
      if (key === "additionalProperties" && value === false) return []
      if (nested.has(key)) return Array.isArray(value) ? [] : [[key, convert(value)]]
      // overlapping alternatives are common, and none of them is wrong
      if (isBase && (key === "oneOf" || key === "anyOf")) return []
      if (several.has(key) || key === "oneOf")
        return [
          [
            key === "oneOf" ? "anyOf" : key,
            list(node, key)
              .filter((part) => key !== "allOf" || !isNullAlone(part))
              .map((part) => {
                const to = key === "allOf" && isListing(part, node) ? text(part, "$ref") : undefined
                return to === undefined ? convert(part, off) : { $ref: reference(to, true) }
              })
          ]
        ]
      if (key === "properties" || key === "patternProperties")
        return [
          [key, Object.fromEntries(Object.entries(object(node, key)).map(([name, child]) => [name, convert(child)]))]
        ]
      if (key === "type" && (isNullBeside(node) || isOverruled(document, node, "#") || isContradicted(node))) return []
      // values of another type: the generated code takes any of them, or, of lists and objects, none
      if ((key === "type" || key === "enum") && isContradiction(node))
        return ["array", "object"].includes(String(node["type"])) === (key === "type") ? [[key, value]] : []
      // the values are all that the generated code checks
      if ("enum" in node && (key === "pattern" || key === "minLength" || key === "maxLength")) return []
      if (key === "pattern" && !isPattern(node)) return []
      // Ajv would take none where no text is that short
      const isShort = value === "uuid" && Number(node["maxLength"]) < 36
      if (
        key === "format" &&
        (isShort || "enum" in node || value === "binary" || value === "byte" || value === "password")
      )
        return []
      if (key === "exclusiveMinimum" || key === "exclusiveMaximum") {
        const limit = node[key === "exclusiveMinimum" ? "minimum" : "maximum"]
        return typeof value === "boolean" ? (value ? [[key, limit]] : []) : [[key, value]]
      }
      return [[key, value]]
    })
    const schema = Object.fromEntries(entries)
    const { isNull, types, values } = collect(document, [{ node, pointer: "#" }])
    // types or values that contradict each other say nothing
    return types?.size === 0 || values?.length === 0 ? {} : isNull ? { anyOf: [schema, { type: "null" }] } : schema
  }

  const reference = (to: string, isBase = false): string => {
    const id = `${isBase ? "base" : "document"}:${encodeURIComponent(to)}`
    if (!known.has(id)) {
      known.add(id)
      pending.push({ id, to, isBase })
    }
    return id
  }

  const compiled = new Map<unknown, Check>()
  return ({ node }) => {
    const before = compiled.get(node)
    if (before !== undefined) return before
    const schema = convert(node)
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const converted = convert(document.at(next.to, "#"), [], next.isBase)
      ajv.addSchema(isObject(converted) ? converted : {}, next.id)
    }
    const validate = ajv.compile(isObject(schema) ? schema : {})
    const check: Check = (value) => {
      if (validate(JSON.parse(JSON.stringify(value, number) ?? "null"))) return undefined
      const [error] = validate.errors ?? []
      return `${error?.instancePath === "" ? "the value" : error?.instancePath} ${error?.message ?? "does not fit"}`
    }
    compiled.set(node, check)
    return check
  }
}
