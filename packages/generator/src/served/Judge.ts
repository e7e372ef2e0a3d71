import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { isObject, list, object } from "../read/Json.ts"
import * as Pattern from "./Pattern.ts"
import type { Schema } from "./References.ts"
import { isNullOnly, type Schemas, type Side } from "./Schemas.ts"
import { typesOf } from "./Whole.ts"

/** Finds the problem of a value, and where; `undefined` if there is none. */
export type Judge = (schema: Schema, value: unknown) => ErrorObject | undefined

/** The judges of each side, and of what is sent as text, as in queries. */
export type Judges = Readonly<Record<Side | "texts", Judge>>

const limits =
  "maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength maxItems minItems maxContains minContains maxProperties minProperties".split(
    " "
  )
const single =
  "items additionalProperties propertyNames unevaluatedItems unevaluatedProperties contains not if then else".split(" ")
const named = ["properties", "patternProperties", "dependentSchemas"]
const composing = ["properties", "patternProperties", "required", "allOf", "anyOf", "oneOf", "$ref"]
const verbatim = ["const", "uniqueItems"]

/** A value as Ajv can judge it: numbers for large integers, texts for bytes. */
const plain = (value: unknown): unknown => {
  if (typeof value === "bigint") return Number(value)
  if (value instanceof Uint8Array) return "bytes"
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, plain(child)]))
}

/**
 * Makes a judge: schemas of 3.0, with the limits of draft 4 and its nulls, and of 3.1 become JSON Schema 2020-12 for Ajv.
 * `areTexts`: texts stand for numbers and booleans, as in forms and queries.
 */
export const make = (schemas: Schemas, side: Side, areTexts = false): Judge => {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    logger: false,
    // without it, each field is checked inside of the check of the one before, and a thousand are too deep
    allErrors: true,
    ownProperties: true,
    multipleOfPrecision: 6,
    inlineRefs: false,
    coerceTypes: areTexts,
    code: {
      // it takes four times as long for twice the schema
      optimize: false,
      regExp: Object.assign(
        (source: string) => ({ test: (text: string) => Pattern.isMatch(source, text), toString: () => source }),
        { code: "" }
      )
    }
  })
  addFormats.default(ajv)
  const ids = new Set<string>()
  const pending: Array<{ readonly id: string; readonly convert: () => unknown }> = []

  const reference = (schema: Schema, isPart: boolean, hidden: ReadonlySet<string>) => {
    const id = `document:${encodeURIComponent(JSON.stringify([isPart, [...hidden], schema.pointer]))}`
    if (!ids.has(id)) {
      ids.add(id)
      pending.push({ id, convert: () => convert(schema, isPart, hidden) })
    }
    return { $ref: id }
  }

  /** `isPart`: what is required, and which other fields there are, is said of all parts together. `off`: names that no value has. */
  const convert = (schema: Schema, isPart = false, off: ReadonlySet<string> = new Set()): unknown => {
    const node = schemas.said(schema.node)
    if (!isObject(node)) return node !== false
    const whole = schemas.whole([schema])
    const hidden = new Set(off)
    for (const [name, parts] of whole.properties) if (schemas.isHidden(parts, side)) hidden.add(name)
    const child = (...keys: ReadonlyArray<string | number>) => schemas.child(schema, ...keys)
    const children = (key: string) => list(node, key).map((_, i) => child(key, i))
    const isMixed = isPart || Object.keys(node).filter((key) => composing.includes(key)).length > 1
    const out: Record<string, unknown> = {}
    const all = children("allOf").map((part) => convert(part, true, hidden))
    for (const [key, value] of Object.entries(node)) {
      if (verbatim.includes(key)) out[key] = value
      else if (limits.includes(key) && typeof value === "number") out[key] = value
      else if (key === "multipleOf" && Number(value) > 0) out[key] = value
      else if (key === "enum" && Array.isArray(value) && value.length > 0) out[key] = value
      else if (key === "type" && typesOf(node).length > 0) out[key] = typesOf(node)
      else if ((key === "format" || key === "pattern") && typeof value === "string" && value !== "binary")
        out[key] = value
      else if (named.includes(key))
        out[key] = Object.fromEntries(Object.keys(object(node, key)).map((name) => [name, convert(child(key, name))]))
      else if (key === "prefixItems" || (key === "items" && Array.isArray(value))) {
        if (list(node, key).length > 0) out["prefixItems"] = children(key).map((item) => convert(item))
      } else if (single.includes(key) && (isObject(value) || typeof value === "boolean")) {
        // what is closed beside other parts would have none of their fields
        if (!(key === "additionalProperties" && value === false && isMixed)) out[key] = convert(child(key))
      } else if (key === "dependentRequired")
        out[key] = Object.fromEntries(Object.entries(object(node, key)).filter(([, names]) => Array.isArray(names)))
      else if (key === "oneOf" || key === "anyOf") {
        const parts = children(key)
        // alternatives that take other fields overlap, though `oneOf` says that they do not
        // a base that lists what extends it would be followed without end
        const isListing = isPart && parts.some((part) => schemas.whole([part]).keys.has(schema.pointer))
        if (parts.length > 0 && !isListing)
          out[parts.every(schemas.isConstraint) ? key : "anyOf"] = parts.map((part) =>
            isNullOnly(part) ? { type: "null" } : convert(part, false, isMixed ? hidden : off)
          )
      }
    }
    // draft 4: the limit itself is none of the values
    if (node["exclusiveMinimum"] === true) out["exclusiveMinimum"] = out["minimum"]
    if (node["exclusiveMaximum"] === true) out["exclusiveMaximum"] = out["maximum"]
    const to = schemas.target(schema)
    if (to !== undefined)
      all.push(reference(to, isMixed, new Set([...hidden].filter((name) => whole.required.has(name)))))
    if (all.length > 0) out["allOf"] = all
    const required = isPart ? [] : [...whole.required].filter((name) => !hidden.has(name))
    if (required.length > 0) out["required"] = required
    return node["nullable"] === true || node["x-nullable"] === true ? { anyOf: [out, { type: "null" }] } : out
  }

  const known = new Map<string, ValidateFunction | undefined>()
  /** `undefined`: Ajv cannot compile it, so nothing is judged. */
  const compile = (schema: Schema): ValidateFunction | undefined => {
    const key = schema.pointer === "" ? undefined : schema.pointer
    if (key !== undefined && known.has(key)) return known.get(key)
    let found: ValidateFunction | undefined
    const top = convert(schema)
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const converted = next.convert()
      ajv.addSchema(isObject(converted) ? converted : converted === false ? { not: {} } : {}, next.id)
    }
    try {
      found = ajv.compile(isObject(top) ? top : top === true)
    } catch {
      found = undefined
    }
    if (key !== undefined) known.set(key, found)
    return found
  }

  return (schema, value) => {
    const validate = compile(schema)
    return validate === undefined || validate(plain(value)) ? undefined : validate.errors?.[0]
  }
}

/** A judgement in a line. */
export const show = ({ instancePath, message = "does not fit" }: ErrorObject): string =>
  `${instancePath === "" ? "the value" : instancePath} ${message}`

/** All judges of a document, which compile each schema once. */
export const all = (schemas: Schemas): Judges => ({
  request: make(schemas, "request"),
  response: make(schemas, "response"),
  texts: make(schemas, "request", true)
})
