import type { IncomingHttpHeaders } from "node:http"
import { decode, object, text } from "../read/Json.ts"
import type { Operation, Parameter } from "./Api.ts"
import * as Fields from "./Fields.ts"
import * as Media from "./Media.ts"
import type { Schemas } from "./Schemas.ts"

export interface Received {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<Fields.Pair>
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Part {
  readonly name: string
  readonly type: string | undefined
  readonly file: string | undefined
  readonly bytes: Buffer
}

/** The variables of a path by name, as they arrived; `undefined` if it is another path. */
export const variables = (template: string, path: string): ReadonlyMap<string, string> | undefined => {
  const [expected, given] = [template.split("/"), path.split("/")]
  const wild = expected.findIndex((segment) => segment.includes("{*"))
  const more = wild < 0 ? 0 : Math.max(0, given.length - expected.length)
  const actual = more === 0 ? given : given.toSpliced(wild, more + 1, given.slice(wild, wild + more + 1).join("/"))
  if (expected.length !== actual.length) return undefined
  const found = new Map<string, string>()
  for (const [i, segment] of expected.entries()) {
    // literals and variables in turn
    const parts = segment.split(/\{([^{}]*)\}/)
    let rest = actual[i] ?? ""
    const begin = encoded(parts[0] ?? "", rest)
    if (begin === undefined) return undefined
    rest = rest.slice(begin)
    for (let at = 1; at < parts.length; at += 2) {
      const literal = parts[at + 1] ?? ""
      const isLast = at + 2 >= parts.length
      const end = isLast ? endOf(rest, literal) : literal === "" ? Math.min(1, rest.length) : rest.indexOf(literal)
      if (end < 0) return undefined
      found.set((parts[at] ?? "").replace(/^\*/, ""), rest.slice(0, end))
      rest = isLast ? "" : rest.slice(end + literal.length)
    }
    if (rest !== "") return undefined
  }
  return found
}

/** How long a literal is at the begin of a text, in which it may be escaped. */
const encoded = (literal: string, text: string): number | undefined => {
  if (text.startsWith(literal)) return literal.length
  const escaped = encodeURI(decode(literal))
  return text.startsWith(escaped) ? escaped.length : undefined
}

const endOf = (text: string, literal: string) => {
  for (const end of [literal, encodeURI(decode(literal))]) if (text.endsWith(end)) return text.length - end.length
  return -1
}

/** The cookies of a request, as they arrived. */
export const cookies = ({ headers }: Pick<Received, "headers">): ReadonlyArray<Fields.Pair> =>
  (headers.cookie ?? "").split(/; */).flatMap((one): ReadonlyArray<Fields.Pair> => {
    const at = one.indexOf("=")
    return at < 0 ? [] : [[one.slice(0, at), one.slice(at + 1)]]
  })

/** The texts that a request has at a place by a name. */
export const textsAt = (
  { name, where }: { readonly name: string; readonly where: "query" | "header" | "cookie" },
  received: Pick<Received, "headers" | "query">
): ReadonlyArray<string> => {
  if (where === "header") return [received.headers[name.toLowerCase()] ?? []].flat()
  if (where === "cookie") return cookies(received).flatMap(([other, text]) => (other === name ? [text] : []))
  return received.query.flatMap(([other, text]) => (Fields.plain(other) === name ? [Fields.plain(text)] : []))
}

/** The value of a parameter, in a shape that its schema has; `undefined` if it is not there. */
export const parameter = (
  schemas: Schemas,
  { parameters, template }: Operation,
  one: Parameter,
  shape: Fields.Shape,
  received: Received
): { readonly value: unknown; readonly taken?: ReadonlySet<Fields.Pair> } | undefined => {
  if (one.where === "query") {
    const others = parameters.filter(({ name, where }) => where === "query" && name !== one.name)
    // an object that is spread has what no other parameter names
    const isAnother = (name: string) =>
      !Fields.isNamed(schemas, one, name) && others.some((other) => Fields.isNamed(schemas, other, name))
    return Fields.fromPairs(
      schemas,
      one,
      shape,
      received.query.filter(([name]) => !isAnother(Fields.plain(name)))
    )
  }
  if (one.where === "path") {
    const found = variables(template, received.path)?.get(one.name)
    return found === undefined ? undefined : { value: Fields.fromText(one, shape, found, decode) }
  }
  // what can be a list or an object, and JSON, is written as in a query
  if (one.where === "cookie" && (one.isJson || Fields.isComposite(schemas, one.schema))) {
    const pairs = cookies(received)
    // in its own style nothing is encoded
    const all =
      one.style === "cookie"
        ? pairs.map(([name, text]) => [name, text.split(",").map(encodeURIComponent).join()] as const)
        : pairs.flatMap((pair) => Fields.pairs(pair.join("=")))
    return Fields.fromPairs(schemas, one, shape, all)
  }
  const [found] = textsAt({ name: one.name, where: one.where }, received)
  return found === undefined ? undefined : { value: Fields.fromText(one, shape, found) }
}

/** How a field of a form is written. */
export const wayOf = ({ kind, node, schema }: Media.Content, name: string): Fields.Way => {
  const own = object(object(node, "encoding"), name)
  const style = kind === "multipart" ? "form" : (text(own, "style") ?? "form")
  const explode = kind === "multipart" || (own["explode"] ?? style === "form") === true
  return { name, style, explode, isJson: false, schema }
}

/** The media types that a document gives a part of a form with several. */
export const partTypes = ({ node }: Media.Content, name: string): ReadonlyArray<Media.MediaType> => {
  const given = text(object(object(node, "encoding"), name), "contentType")
  return given === undefined ? [] : given.split(",").map(Media.parse)
}

/** The parts of a form with several (RFC 7578), byte by byte. */
export const parts = ({ body, headers }: Received): ReadonlyArray<Part> => {
  const [, quoted, token] = /boundary=(?:"([^"]+)"|([^;,\s]+))/i.exec(headers["content-type"] ?? "") ?? []
  const boundary = Buffer.from(`--${quoted ?? token ?? ""}`)
  const found: Array<Part> = []
  for (let at = body.indexOf(boundary); at >= 0;) {
    const begin = at + boundary.length + 2
    const next = body.indexOf(boundary, begin)
    const split = body.indexOf("\r\n\r\n", begin)
    if (next < 0 || split < 0 || split > next) break
    const head = body.subarray(begin, split).toString()
    const disposition = /content-disposition:[^\r\n]*/i.exec(head)?.[0] ?? ""
    const named = (key: string) => disposition.split(`; ${key}="`)[1]?.split('"')[0]
    found.push({
      name: decode(named("name") ?? ""),
      file: named("filename"),
      type: /(?:^|\n)content-type: *([^\r\n]*)/i.exec(head)?.[1],
      bytes: body.subarray(split + 4, next - 2)
    })
    at = next
  }
  return found
}
