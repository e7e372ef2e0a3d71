import * as Order from "effect/Order"
import type * as Operation from "@cloud-management/client/Operation"

export interface Route {
  readonly method: Operation.Method
  /** Template with `:name` for a segment. */
  readonly path: string
}

/** The route of a request line. `allow` is the value of the header of the same name. */
export type Match<R> =
  | { readonly _tag: "Found"; readonly route: R; readonly params: Readonly<Record<string, string>> }
  | { readonly _tag: "MethodNotAllowed"; readonly allow: string }
  | { readonly _tag: "NotFound" }

/** A malformed escape stays as it is: it is not a valid UUID, and is rejected like any other. */
const decodeSegment = (segment: string): string => {
  try {
    return segment.includes("%") ? decodeURIComponent(segment) : segment
  } catch {
    return segment
  }
}

/** A path whose escapes of unreserved characters are those characters, which is the same path (RFC 3986 §6.2.2.2). */
export const unescaped = (path: string): string =>
  path.replace(/%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi, decodeURIComponent)

/** A segment of a template: a text, and the variables after it, each with the text that ends it. */
interface Part {
  readonly text: string
  readonly variables: ReadonlyArray<{ readonly name: string; readonly text: string }>
}

/** The path of a template, without its fixed query. */
const pathOf = (template: string): string => template.split("?", 1)[0] ?? ""

/** A template as OpenAPI, logs and telemetry write it: `/v1/organizations/{organizationId}`. */
export const templateOf = (path: string): string =>
  path.replace(/:(:|\w+)/g, (_, name: string) => (name === ":" ? ":" : `{${name}}`))

const partsOf = (template: string): ReadonlyArray<Part> =>
  pathOf(template)
    .split("/")
    .map((segment) => {
      const [first = "", ...others] = segment.replaceAll("::", "\0").split(":")
      const text = (part: string) => part.replaceAll("\0", ":")
      const variables = others.map((part) => {
        const [name = ""] = /^\w+/.exec(part) ?? []
        return { name, text: text(part.slice(name.length)) }
      })
      return { text: text(first), variables }
    })

/** The values of a template's variables, none of them empty, if it fits; each ends where the next text begins first. */
const paramsOf = (template: ReadonlyArray<Part>, path: string): Record<string, string> | undefined => {
  const params: Record<string, string> = {}
  let start = 0
  for (const { text: first, variables } of template) {
    if (!path.startsWith(first, start)) return undefined
    const slash = path.indexOf("/", start)
    const end = slash === -1 ? path.length : slash
    let at = start + first.length
    for (const variable of variables) {
      const { name, text } = variable
      const next = variable === variables.at(-1) ? end - text.length : path.indexOf(text, at + 1)
      if (next <= at || next + text.length > end || !path.startsWith(text, next)) return undefined
      params[name] = decodeSegment(path.slice(at, next))
      at = next + text.length
    }
    if (at !== end) return undefined
    start = end + 1
  }
  return start > path.length ? params : undefined
}

/** Of the templates that a path fits, the one with a text where the others have a variable comes first. */
export const order: Order.Order<string> = Order.mapInput(Order.String, (template) =>
  partsOf(template)
    // of two variables, the one with text beside it
    .map(({ text, variables }) =>
      variables.length === 0 ? "0" : text === "" && variables.every(({ text }) => text === "") ? "2" : "1"
    )
    .join("")
)

/**
 * Finds the route of a method and a path. A text comes before a variable, as in OpenAPI, whatever their order: `/a/b`
 * before `/a/:id`. Two routes that no path tells apart are a defect. Paths match to the letter, once they
 * are {@link unescaped}: no folded slashes, no trailing slash, no other case. `HEAD` is routed where `GET` is (RFC 9110
 * §9.3.2), unless it has a route of its own.
 */
export const make = <R extends Route>(routes: ReadonlyArray<R>) => {
  const table = routes.toSorted((a, b) => order(a.path, b.path)).map((route) => ({ route, parts: partsOf(route.path) }))
  const seen = new Set<string>()
  for (const { route, parts } of table) {
    const { method, path } = route
    const shape = `${method} ${parts.map(({ text, variables }) => [text, ...variables.map(({ text }) => text)].join(":")).join("/")}`
    if (seen.has(shape)) throw new TypeError(`${method} ${path}: another route has this method and path`)
    seen.add(shape)
  }
  return (method: string, path: string): Match<R> => {
    const plain = path.includes("%") ? unescaped(path) : path
    const by = (method: string): Match<R> | undefined => {
      for (const { route, parts } of table) {
        if (route.method !== method) continue
        const params = paramsOf(parts, plain)
        if (params === undefined) continue
        // a malformed escape stays as it is
        const given = plain === path ? undefined : paramsOf(parts, path)
        return { _tag: "Found", route, params: given ?? params }
      }
      return undefined
    }
    const found = by(method) ?? (method === "HEAD" ? by("GET") : undefined)
    if (found !== undefined) return found
    const others = table.filter(({ parts }) => paramsOf(parts, plain) !== undefined)
    if (others.length === 0) return { _tag: "NotFound" }
    const allowed = others.flatMap(({ route: { method } }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    return { _tag: "MethodNotAllowed", allow: [...new Set(allowed)].join(", ") }
  }
}
