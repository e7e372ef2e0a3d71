import * as Predicate from "effect/Predicate"
import type { Document } from "../Document.ts"
import { isObject, type JsonObject, list, object, pointer, property, text } from "../Json.ts"
import * as Media from "../Media.ts"
import * as Responses from "../Responses.ts"
import * as Security from "../Security.ts"
import * as Template from "../Template.ts"

/** A schema and its place. */
export interface Place {
  readonly node: unknown
  readonly pointer: string
}

/** A parameter that a request must have as the document says. */
export interface Parameter {
  readonly name: string
  readonly where: "path" | "query" | "header"
  readonly isRequired: boolean
  readonly schema: Place
  readonly style: string
  readonly explode: boolean
  /** Whether its text is JSON. */
  readonly isJson: boolean
}

/** A content with its schema. */
export interface Content {
  readonly media: Media.Media
  readonly schema: Place
  /** How the fields of a form are written. */
  readonly encoding: JsonObject
}

/** A declared response. */
export interface Response {
  readonly status: string
  readonly contents: ReadonlyArray<Content>
}

/** An operation as the document has it, read without what the generator makes of it. */
export interface Target {
  readonly id: string
  readonly method: string
  readonly template: string
  /** The query that each request has. */
  readonly fixed: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: { readonly isRequired: boolean; readonly contents: ReadonlyArray<Content> } | undefined
  readonly responses: ReadonlyArray<Response>
  /** The statuses of those that are successes. */
  readonly successes: ReadonlyArray<string>
  /** Alternatives of schemes; `undefined`: the document does not say. */
  readonly security: ReadonlyArray<ReadonlyArray<string>> | undefined
}

const methods = [...Responses.methods, "trace", "query"]
/** Headers that the client sets. */
const own = new Set(
  "accept accept-encoding authorization connection content-length content-type host transfer-encoding".split(" ")
)

const contentsOf = (content: unknown, at: string): ReadonlyArray<Content> =>
  Media.all(content).map((media) => {
    const key = property(media.node, "itemSchema") !== undefined ? "itemSchema" : "schema"
    return {
      media,
      schema: { node: Media.schema(media), pointer: pointer(at, "content", media.key, key) },
      encoding: object(media.node, "encoding")
    }
  })

const parameterOf = (node: JsonObject, at: string): Parameter | undefined => {
  const where = Media.place(node)
  const name = text(node, "name") ?? ""
  if (where !== "path" && where !== "query" && where !== "header") return undefined
  if ((where === "header" && own.has(name.toLowerCase())) || name in Object.prototype) return undefined
  const [media] = Media.all(node["content"])
  const style = text(node, "style") ?? (where === "query" ? "form" : "simple")
  return {
    name,
    where,
    isRequired: where === "path" || node["required"] === true,
    schema:
      media === undefined
        ? { node: node["schema"], pointer: pointer(at, "schema") }
        : { node: Media.schema(media), pointer: pointer(at, "content", media.key, "schema") },
    style,
    explode: Predicate.isBoolean(node["explode"]) ? node["explode"] : style === "form",
    isJson: media?.kind === "json"
  }
}

const parametersOf = (document: Document, { path, query }: Template.Template, sources: ReadonlyArray<Place>) => {
  const found = new Map<string, Parameter>()
  for (const { node, pointer: at } of sources) {
    for (const [i, entry] of list(node, "parameters").entries()) {
      const { pointer: place, value } = document.follow(entry, pointer(at, "parameters", i))
      if (!isObject(value)) continue
      const parameter = parameterOf(value, place)
      if (parameter !== undefined) found.set(`${parameter.where} ${parameter.name}`, parameter)
    }
  }
  const variables = Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = ""]) => name)
  for (const [variable, name] of query) if (!found.has(`query ${name}`)) variables.push(variable)
  for (const name of variables) {
    const key = `path ${name}`
    if (found.has(key)) continue
    const schema = { node: { type: "string" }, pointer: "#" }
    found.set(key, { name, where: "path", isRequired: true, schema, style: "simple", explode: false, isJson: false })
  }
  return [...found.values()].flatMap((parameter): ReadonlyArray<Parameter> => {
    if (parameter.where !== "path") return [parameter]
    const name = query.get(parameter.name)
    if (name !== undefined) return [{ ...parameter, where: "query", name, style: "form", explode: true }]
    return variables.includes(parameter.name) ? [parameter] : []
  })
}

const securityOf = (document: Document, node: JsonObject): Target["security"] => {
  const given = node["security"] ?? document.root["security"]
  if (!Array.isArray(given)) return undefined
  const schemes = object(object(document.root, "components"), "securitySchemes")
  const isSent = (name: string) =>
    schemes[name] !== undefined && text(document.follow(schemes[name], "#").value, "type") !== "mutualTLS"
  return given.filter(isObject).map((alternative) => Object.keys(alternative).filter(isSent))
}

/** All operations of a document but those that are refused, which may not even be readable. */
export const all = (
  document: Document,
  refused: ReadonlySet<string>,
  isIncluded: (id: string, tags: ReadonlyArray<string>, path: string) => boolean
): ReadonlyArray<Target> => {
  const ids = new Set<string>()
  return Object.entries(object(document.root, "paths")).flatMap(([whole, entry]) => {
    // what follows # only names it
    const [address = ""] = whole.split("#")
    const template = Template.split(address)
    if (address.startsWith("x-") || refused.has(whole)) return []
    const item = document.follow(entry, pointer("#", "paths", whole))
    return methods.flatMap((method): ReadonlyArray<Target> => {
      const { pointer: at, value: node } = document.follow(property(item.value, method), pointer(item.pointer, method))
      if (!isObject(node)) return []
      const key = `${method.toUpperCase()} ${whole}`
      const named = text(node, "operationId") ?? ""
      const id = named === "" || ids.has(named) ? key : named
      if (!isIncluded(id, list(node, "tags").filter(Predicate.isString), whole)) return []
      ids.add(id)
      if (refused.has(id)) return []
      const credentials = Security.parameters(document, node)
      const body = document.follow(node["requestBody"], pointer(at, "requestBody"))
      const contents = contentsOf(property(body.value, "content"), body.pointer)
      return [
        {
          id,
          method: method.toUpperCase(),
          template: template.path,
          fixed: template.fixed,
          parameters: parametersOf(document, template, [
            { node: item.value, pointer: item.pointer },
            { node, pointer: at }
          ]).filter(({ name, where }) => !credentials.has(Security.keyOf(where, name))),
          body:
            contents.length === 0 || method === "get" || method === "head"
              ? undefined
              : { isRequired: property(body.value, "required") === true, contents },
          responses: Object.entries(object(node, "responses")).flatMap(([status, response]) => {
            if (!/^(?:\d\d\d|\dXX|default)$/i.test(status)) return []
            const { pointer: place, value } = document.follow(response, pointer(at, "responses", status))
            return [{ status: status.toUpperCase(), contents: contentsOf(property(value, "content"), place) }]
          }),
          successes: Responses.successes(document, object(node, "responses")).map((status) => status.toUpperCase()),
          security: securityOf(document, node)
        }
      ]
    })
  })
}
