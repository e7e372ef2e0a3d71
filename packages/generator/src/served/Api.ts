import * as Predicate from "effect/Predicate"
import { isObject, type JsonObject, list, object, pointer, property, text } from "../read/Json.ts"
import * as Media from "./Media.ts"
import * as Schemas from "./Schemas.ts"
import type { Schema } from "./References.ts"

export interface Parameter {
  readonly name: string
  readonly where: "path" | "query" | "header" | "cookie"
  readonly isRequired: boolean
  readonly schema: Schema
  readonly style: string
  readonly explode: boolean
  /** Whether its text is JSON. */
  readonly isJson: boolean
  readonly examples: ReadonlyArray<unknown>
}

export interface Response {
  /** `200`, `2XX` or `DEFAULT`. */
  readonly status: string
  readonly contents: ReadonlyArray<Media.Content>
  /** Names in lower case. */
  readonly headers: ReadonlyArray<string>
}

export interface Operation {
  readonly id: string
  readonly method: string
  /** The path without its query, with variables in braces; one that can have slashes after a star. */
  readonly template: string
  /** The query that each request has. */
  readonly fixed: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: { readonly isRequired: boolean; readonly contents: ReadonlyArray<Media.Content> } | undefined
  readonly responses: ReadonlyArray<Response>
  /** Whether it says itself how a list is read. */
  readonly isPaged: boolean
  /** Alternatives of schemes; `undefined`: the document does not say. */
  readonly security: ReadonlyArray<ReadonlyArray<string>> | undefined
}

export type Scheme =
  | { readonly _tag: "Key"; readonly where: "header" | "query" | "cookie"; readonly name: string }
  | { readonly _tag: "Basic" }
  | { readonly _tag: "Bearer" }

/** An operation, or why it cannot be read. */
export type Entry = {
  readonly id: string
  readonly method: string
  /** In `paths`. */
  readonly key: string
  readonly tags: ReadonlyArray<string>
  readonly read: () => Operation
}

/** A document as its server reads it. */
export interface Api {
  readonly schemas: Schemas.Schemas
  readonly schemes: ReadonlyMap<string, Scheme>
  readonly operations: ReadonlyArray<Entry>
}

/** Headers that HTTP or the connection sets, which OpenAPI does not let a document describe. */
const own = new Set(
  "accept accept-encoding authorization connection content-length content-type expect host keep-alive transfer-encoding upgrade".split(
    " "
  )
)

const schemeOf = (node: unknown): Scheme | undefined => {
  const [type, where, name = ""] = [text(node, "type"), text(node, "in"), text(node, "name")]
  // belongs to the connection
  if (type === "mutualTLS") return undefined
  if (type === "apiKey") return { _tag: "Key", where: where === "query" || where === "cookie" ? where : "header", name }
  const isBasic = type === "http" && text(node, "scheme")?.toLowerCase() === "basic"
  return { _tag: isBasic ? "Basic" : "Bearer" }
}

/** Splits `/search?kind=all&q={text}{&page}` into a path, a fixed query, and the variable `text` of the parameter `q`. */
const split = (key: string) => {
  // what follows # only names it; RFC 6570 §3.2.8: a variable of the query is declared as a parameter
  const [path = "", ...rest] = (key.split("#")[0] ?? "").replaceAll(/\{[?&][^{}]*\}/g, "").split("?")
  const variables = new Map<string, string>()
  const fixed = rest
    .join("?")
    .split("&")
    .filter((part) => {
      const [, name = "", variable] = /^([^={}]+)=\{([^{}]+)\}$/.exec(part) ?? []
      if (variable !== undefined) variables.set(variable, name)
      return variable === undefined
    })
  return { template: path, fixed: fixed.join("&"), variables }
}

/** The styles of each place, the usual one first. */
const styles = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form", "cookie"]
} as const

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]

export const read = (root: JsonObject): Api => {
  const schemas = Schemas.make(root)
  const top = schemas.at("#")
  const schemes = new Map<string, Scheme>()
  for (const name of Object.keys(object(object(root, "components"), "securitySchemes"))) {
    const place = schemas.reach(schemas.child(top, "components", "securitySchemes", name))
    const scheme = place && schemeOf(place.node)
    if (scheme !== undefined) schemes.set(name, scheme)
  }

  const parameterOf = (place: Schema): ReadonlyArray<Parameter> => {
    const { node } = place
    const name = text(node, "name") ?? ""
    const [media] = Media.all(schemas, place)
    const isWhole = text(node, "in") === "querystring" && media?.kind === "form"
    const where = isWhole ? "query" : text(node, "in")
    if (where !== "path" && where !== "query" && where !== "header" && where !== "cookie") return []
    const isToken = where === "path" || where === "query" || /^[\w!#$%&'*+.^`|~-]+$/.test(name)
    if ((where === "header" && own.has(name.toLowerCase())) || name in Object.prototype || !isToken) return []
    // a style that a place does not have is its usual one
    const [usual, ...others] = styles[where]
    const style = others.find((one) => one === property(node, "style")) ?? usual
    const explode = property(node, "explode")
    const schema = media?.schema ?? schemas.child(place, "schema")
    return [
      {
        name,
        where,
        isRequired: where === "path" || property(node, "required") === true,
        schema,
        style,
        explode: Predicate.isBoolean(explode) ? explode : style === "form" || style === "cookie",
        isJson: media?.kind === "json",
        examples: media?.examples ?? Media.examples(schemas, place)
      }
    ]
  }

  const securityOf = (node: unknown) => {
    const given = property(node, "security") ?? root["security"]
    // by its name, or by its URI
    const nameOf = (given: string) =>
      Array.from(schemes.keys()).find((name) =>
        ["", text(root, "$self") ?? ""].some(
          (uri) => given === uri + pointer("#", "components", "securitySchemes", name)
        )
      ) ?? given
    return Array.isArray(given) ? given.filter(isObject).map((one) => Object.keys(one).map(nameOf)) : undefined
  }

  const operationOf = (id: string, key: string, method: string, item: Schema, place: Schema): Operation => {
    const declared = new Map<string, Parameter>()
    const reserved = new Set<string>()
    for (const holder of [item, place])
      for (const i of list(holder.node, "parameters").keys()) {
        const place = schemas.follow(schemas.child(holder, "parameters", i))
        for (const one of parameterOf(place)) {
          declared.set(`${one.where} ${one.name}`, one)
          if (property(place.node, "allowReserved") === true) reserved.add(`${one.where} ${one.name}`)
        }
      }
    /** The name of a variable, after a star if its value can have slashes: `{proxy+}`, `{path*}`, `{file:path}`. */
    const named = (_: string, given: string): string => {
      const [bare = ""] = given.replace(/^[*+]/, "").split(/[*+?:]/)
      const name = !declared.has(`path ${given}`) && declared.has(`path ${bare}`) ? bare : given
      const isWild = /^[*+]|[*+]$|:path$|:\.[*+]$/.test(given) || reserved.has(`path ${name}`)
      return `{${isWild ? "*" : ""}${name}}`
    }
    const { fixed, template, variables } = split(key.replaceAll(/\{([^{}]*)\}/g, named))
    const names = Array.from(template.matchAll(/\{\*?([^{}]*)\}/g), ([, name = ""]) => name)
    const security = securityOf(place.node)
    const isCredential = ({ name, where }: Parameter) =>
      security?.flat().some((scheme) => {
        const found = schemes.get(scheme)
        if (found?._tag !== "Key" || found.where !== where) return false
        return found.name === name || (where === "header" && found.name.toLowerCase() === name.toLowerCase())
      })
    const isWhole = [...declared.keys()].some((one) => one.toLowerCase() === "header cookie")
    const parameters = [...declared.values()].flatMap((one): ReadonlyArray<Parameter> => {
      if (isCredential(one) === true || (one.where === "cookie" && isWhole)) return []
      const name = one.where === "path" ? variables.get(one.name) : undefined
      if (name !== undefined) return [{ ...one, where: "query", name, style: "form", explode: true }]
      return one.where === "path" && !names.includes(one.name) ? [] : [one]
    })
    const inQuery = Array.from(variables).flatMap(([name, other]) => (declared.has(`query ${other}`) ? [] : [name]))
    const schema = { node: { type: "string" }, pointer: "" }
    const plain = { where: "path", isRequired: true, schema, style: "simple", explode: false, isJson: false } as const
    for (const name of new Set([...names, ...inQuery]))
      if (!declared.has(`path ${name}`)) parameters.push({ ...plain, name, examples: [] })
    const body = schemas.follow(schemas.child(place, "requestBody"))
    const contents = Media.all(schemas, body)
    const responses = schemas.child(place, "responses")
    const hasBody = contents.length > 0 && method !== "get" && method !== "head"
    return {
      id,
      method: method.toUpperCase(),
      template,
      fixed,
      parameters,
      body: hasBody ? { isRequired: property(body.node, "required") === true, contents } : undefined,
      responses: Object.keys(object(place.node, "responses"))
        .filter((status) => /^(?:\d\d\d|\dXX|default)$/i.test(status))
        .map((status) => {
          const response = schemas.follow(schemas.child(responses, status))
          const headers = Object.keys(object(response.node, "headers")).map((name) => name.toLowerCase())
          return { status: status.toUpperCase(), contents: Media.all(schemas, response), headers }
        }),
      isPaged: isObject(property(place.node, "x-pagination") ?? root["x-pagination"]),
      security: security?.map((names) => names.filter((name) => schemes.has(name)))
    }
  }

  const operations: Array<Entry> = []
  const ids = new Set<string>()
  for (const key of Object.keys(object(root, "paths"))) {
    if (key.startsWith("x-")) continue
    const item = schemas.reach(schemas.child(top, "paths", key))
    if (item === undefined) continue
    const more = Object.keys(object(item.node, "additionalOperations"))
    for (const method of [...methods, ...more]) {
      const at = more.includes(method) ? ["additionalOperations", method] : [method]
      const own = schemas.child(item, ...at)
      if (!isObject(own.node)) continue
      const place = schemas.reach(own) ?? own
      const named = text(place.node, "operationId")
      const id = named !== undefined && named !== "" && !ids.has(named) ? named : `${method.toUpperCase()} ${key}`
      ids.add(id)
      const tags = list(place.node, "tags").filter(Predicate.isString)
      operations.push({
        id,
        method: method.toUpperCase(),
        key,
        tags,
        read: () => operationOf(id, key, method, item, place)
      })
    }
  }
  return { schemas, schemes, operations }
}
