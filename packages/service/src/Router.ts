import * as Result from "effect/Result"
import type * as Operation from "@cloud-management/core/Operation"

/** One path and the methods it answers. */
export interface Route<Handler> {
  readonly method: Operation.Method
  /** Template with `:name` for a segment. */
  readonly path: string
  readonly handler: Handler
}

/** What a request line leads to. `allow` is the value of the header of the same name. */
export type Match<Handler> =
  | { readonly _tag: "Found"; readonly handler: Handler; readonly params: Readonly<Record<string, string>> }
  | { readonly _tag: "MethodNotAllowed"; readonly allow: string }
  | { readonly _tag: "NotFound" }

/** A malformed escape stays as it is: it is no UUID, and gets the answer of one. */
const decoded = (segment: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(segment)),
    () => segment
  )

const decodeSegment = (segment: string): string => (segment.includes("%") ? decoded(segment) : segment)

/** Matches the paths of a template, with a group for each of its variables. */
const patternOf = (template: string): RegExp => {
  const segments = template
    .split("/")
    .map((part) => (part.startsWith(":") ? "([^/]+)" : part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")))
  return new RegExp(`^${segments.join("/")}$`)
}

/**
 * Finds the route of a method and a path. Paths match to the letter: no folded slashes, no trailing slash, no other
 * case. `HEAD` is answered where `GET` is (RFC 9110 §9.3.2), unless it has a route of its own.
 */
export const make = <Handler>(routes: ReadonlyArray<Route<Handler>>) => {
  const table = routes.map(({ handler, method, path }) => ({
    method,
    handler,
    pattern: patternOf(path),
    names: path.split("/").flatMap((part) => (part.startsWith(":") ? [part.slice(1)] : []))
  }))
  return (method: string, path: string): Match<Handler> => {
    const by = (method: string): Match<Handler> | undefined => {
      for (const route of table) {
        const found = route.method === method ? route.pattern.exec(path) : null
        if (found === null) continue
        const params: Record<string, string> = {}
        route.names.forEach((name, i) => (params[name] = decodeSegment(found[i + 1] ?? "")))
        return { _tag: "Found", handler: route.handler, params }
      }
      return undefined
    }
    const found = by(method) ?? (method === "HEAD" ? by("GET") : undefined)
    if (found !== undefined) return found
    const others = table.filter(({ pattern }) => pattern.test(path))
    return others.length === 0
      ? { _tag: "NotFound" }
      : {
          _tag: "MethodNotAllowed",
          allow: [...new Set(others.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])))].join(
            ", "
          )
        }
  }
}
