import * as Predicate from "effect/Predicate"
import { inside, isObject, type JsonObject, type Place, property, text } from "../read/Json.ts"
import { unsupported } from "../read/Unsupported.ts"
import * as Comment from "./Comment.ts"
import type { Context } from "./Context.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Keywords from "./Keywords.ts"
import * as Media from "./Media.ts"
import * as Security from "./Security.ts"
import type * as Shape from "./Shape.ts"

/** A parameter, or a field of a form. */
export interface Parameter {
  readonly name: string
  readonly shape: Shape.Shape
  readonly isRequired: boolean
  readonly comment: ReadonlyArray<string>
  readonly pointer: string
  /** The number that a list in pages begins with, if it can be known. */
  readonly first?: number | undefined
  /** How an object or a list is written; absent: the default of its place. */
  readonly style:
    | "cookie"
    | "cookies"
    | "form"
    | "spaceDelimited"
    | "pipeDelimited"
    | "deepObject"
    | "json"
    | "pairs"
    | undefined
  /** Stands between the parts of a list or an object in a path; a comma by default. */
  readonly separator?: string | undefined
  /** Whether reserved characters stay as they are; of those of a path, the slash. */
  readonly isReserved?: boolean
}

/** A parameter, and where the document has it. */
export interface Declared {
  readonly where: string
  /** Before the value in a path (RFC 6570 §3.2.5 and §3.2.7). */
  readonly prefix?: string | undefined
  readonly parameter: Parameter
  readonly schema: unknown
}

/** The parameters that calls have: not what HTTP or the credentials send. */
export const all = (context: Context): ReadonlyArray<Declared> => {
  const { document, node, requests, warn } = context
  const credentials = Security.parameters(document, node)
  const found: Array<Declared> = []
  for (const place of Endpoint.parameters(document, context)) {
    const { node: parameter, pointer: at } = place
    const name = text(parameter, "name") ?? ""
    const [media] = Media.all(document, place)
    const where = Media.place(document, parameter)
    const schema = media?.schema ?? inside(place, "schema")
    const isCredential = credentials.has(Security.keyOf(where, name))
    // what the credentials send can be left out
    const isRequired = parameter["required"] === true && !isCredential
    if (Endpoint.isOwn(where, name) || (isCredential && where === "cookie")) continue
    const isPlaced = ["path", "query", "header", "cookie"].includes(where)
    const code = !isPlaced ? "parameter-place" : where === "cookie" ? "parameter-cookie" : "parameter-name"
    const problem = !isPlaced
      ? `${name} is in ${where}: operations have parameters in path, query, headers and cookies`
      : where === "path"
        ? undefined
        : misnamed(name, where)
    if (problem !== undefined) {
      if (isRequired) throw unsupported(code, at, problem)
      warn(code, at, `${isPlaced ? problem : `${name} is in ${where}`}: left out, since it is optional`)
      continue
    }
    const shape = requests.read(schema, `${name} Parameter`)
    const { prefix, separator } = where === "path" ? prefixOf(context, place, schema) : {}
    const style =
      media?.kind === "json" ? "json" : prefix === undefined ? styleOf(context, parameter, where, at) : undefined
    const isReserved = (where === "query" || where === "path") && parameter["allowReserved"] === true
    const { node: described } = document.follow(schema)
    const comment = Comment.of({ ...(isObject(described) ? described : {}), ...parameter })
    const first = firstOf(described)
    const read = { name, shape, isRequired, comment, pointer: at, style, isReserved, first, separator }
    found.push({ where, prefix, schema: described, parameter: read })
  }
  return found
}

/** The number of the first page: the default of its parameter, or else 1, unless a page can be 0. */
const firstOf = (schema: unknown): number | undefined => {
  const [value, least] = [property(schema, "default"), property(schema, "minimum")]
  return Predicate.isNumber(value) ? value : least === 0 ? undefined : 1
}

const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Why a parameter cannot have its name. */
const misnamed = (name: string, where: string): string | undefined => {
  if (inherited.has(name)) return `${name} is a name that every object has`
  return where !== "query" && !/^[\w!#$%&'*+.^`|~-]+$/.test(name)
    ? `${name} cannot be the name of a ${where}`
    : undefined
}

/** The text that the style of a path has before a value, and between the parts of one that is exploded. */
const prefixOf = (
  { document }: Context,
  { node }: Place,
  schema: Place
): { readonly prefix?: string; readonly separator?: string } => {
  const style = text(node, "style")
  const isExploded = property(node, "explode") === true
  if (style !== "label" && style !== "matrix") return isExploded ? { separator: "," } : {}
  const types = Keywords.typesOf(Keywords.collect(document, [schema]))
  const isNamed = isExploded && types.includes("object")
  const prefix = style === "label" ? "." : isNamed ? ";" : `;${encodeURIComponent(text(node, "name") ?? "")}=`
  return { prefix, ...(isExploded && { separator: prefix }) }
}

const styleOf = ({ warn }: Context, parameter: JsonObject, where: string, at: string): Parameter["style"] => {
  const isForm = where === "query" || where === "cookie"
  const style = text(parameter, "style") ?? (isForm ? "form" : "simple")
  const explode = parameter["explode"] ?? (isForm && (style === "form" || style === "cookie"))
  if (where === "cookie") {
    if (style === "cookie") return explode === true ? "cookies" : style
    if (style !== "form") warn("parameter-style", at, `a cookie has no style ${style}: it is sent as form`)
    return explode === true ? undefined : "form"
  }
  if (where !== "query") {
    if (style !== "simple") warn("parameter-style", at, `a ${where} has no style ${style}: it is sent as simple`)
    return explode === true && where === "header" ? "pairs" : undefined
  }
  if (style === "deepObject") return style
  if (style === "spaceDelimited" || style === "pipeDelimited") return explode === true ? undefined : style
  return explode === true ? undefined : "form"
}
