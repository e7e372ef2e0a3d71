import * as Predicate from "effect/Predicate"
import type { Document } from "../Document.ts"
import * as Endpoint from "../Endpoint.ts"
import { inside, type JsonObject, object, type Place, property, text } from "../Json.ts"
import * as Media from "../Media.ts"
import * as Responses from "../Responses.ts"
import * as Security from "../Security.ts"
import * as Template from "../Template.ts"

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

/** A declared response. */
export interface Response {
  readonly status: string
  readonly contents: ReadonlyArray<Media.Media>
}

/** An operation as the document has it, read without what the generator makes of it. */
export interface Target {
  readonly id: string
  readonly method: string
  readonly template: string
  /** The query that each request has. */
  readonly fixed: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: { readonly isRequired: boolean; readonly contents: ReadonlyArray<Media.Media> } | undefined
  readonly responses: ReadonlyArray<Response>
  /** The statuses of those that are successes. */
  readonly successes: ReadonlyArray<string>
  /** Alternatives of schemes; `undefined`: the document does not say. */
  readonly security: ReadonlyArray<ReadonlyArray<string>> | undefined
}

const parameterOf = (document: Document, place: Place & { readonly node: JsonObject }): ReadonlyArray<Parameter> => {
  const { node } = place
  const where = Media.place(document, node)
  const name = text(node, "name") ?? ""
  if (where !== "path" && where !== "query" && where !== "header") return []
  if (Endpoint.isOwn(where, name) || name in Object.prototype) return []
  const [media] = Media.all(document, place)
  const style = text(node, "style") ?? (where === "query" ? "form" : "simple")
  const isRequired = where === "path" || node["required"] === true
  const explode = Predicate.isBoolean(node["explode"]) ? node["explode"] : style === "form"
  const schema = media?.schema ?? inside(place, "schema")
  return [{ name, where, isRequired, schema, style, explode, isJson: media?.kind === "json" }]
}

const parametersOf = (document: Document, endpoint: Endpoint.Endpoint, { path, query }: Template.Template) => {
  const found = Endpoint.parameters(document, endpoint).flatMap((place) => parameterOf(document, place))
  const has = (where: string, name: string) => found.some((one) => one.where === where && one.name === name)
  const variables = Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = ""]) => name)
  for (const [variable, name] of query) if (!has("query", name)) variables.push(variable)
  for (const name of variables) {
    if (has("path", name)) continue
    const schema = { node: { type: "string" }, pointer: "#" }
    found.push({ name, where: "path", isRequired: true, schema, style: "simple", explode: false, isJson: false })
  }
  const credentials = Security.parameters(document, endpoint.node)
  return found
    .flatMap((parameter): ReadonlyArray<Parameter> => {
      if (parameter.where !== "path") return [parameter]
      const name = query.get(parameter.name)
      if (name !== undefined) return [{ ...parameter, where: "query", name, style: "form", explode: true }]
      return variables.includes(parameter.name) ? [parameter] : []
    })
    .filter(({ name, where }) => !credentials.has(Security.keyOf(where, name)))
}

/** All operations of a document but those that are refused, which may not even be readable. */
export const all = (
  document: Document,
  refused: ReadonlySet<string>,
  isIncluded: Endpoint.IsIncluded
): ReadonlyArray<Target> =>
  Array.from(Endpoint.all(document, isIncluded, () => {})).flatMap((endpoint): ReadonlyArray<Target> => {
    const { id, method, node, template } = endpoint
    if (refused.has(id)) return []
    // what follows # only names it
    const { fixed, path, query } = Template.split(template.split("#")[0] ?? "")
    const body = document.child(endpoint, "requestBody")
    const contents = Media.all(document, body)
    const declared = object(node, "responses")
    const responses = Object.keys(declared).filter((status) => /^(?:\d\d\d|\dXX|default)$/i.test(status))
    return [
      {
        id,
        method: method.toUpperCase(),
        template: path,
        fixed,
        parameters: parametersOf(document, endpoint, { fixed, path, query }),
        body:
          contents.length === 0 || method === "get" || method === "head"
            ? undefined
            : { isRequired: property(body.node, "required") === true, contents },
        responses: responses.map((status) => ({
          status: status.toUpperCase(),
          contents: Media.all(document, document.child(endpoint, "responses", status))
        })),
        successes: Responses.successes(document, declared).map((status) => status.toUpperCase()),
        security: Security.alternatives(document, node)
      }
    ]
  })
