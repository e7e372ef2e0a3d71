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
const decodeSegment = (segment: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(segment)),
    () => segment
  )

/**
 * Finds the route of a method and a path. Paths match to the letter: no folded slashes, no trailing slash, no other
 * case. `HEAD` is answered where `GET` is (RFC 9110 §9.3.2), unless it has a route of its own.
 */
export const make = <Handler>(routes: ReadonlyArray<Route<Handler>>) => {
  const table = routes.map((route) => ({ ...route, template: route.path.split("/") }))
  return (method: string, path: string): Match<Handler> => {
    const segments = path.split("/")
    const candidates = table.filter(
      ({ template }) =>
        template.length === segments.length &&
        template.every((part, i) => (part.startsWith(":") ? segments[i] !== "" : segments[i] === part))
    )
    const by = (method: string) => candidates.find((route) => route.method === method)
    const found = by(method) ?? (method === "HEAD" ? by("GET") : undefined)
    if (found !== undefined) {
      const params = found.template.flatMap((part, i) =>
        part.startsWith(":") ? [[part.slice(1), decodeSegment(segments[i] ?? "")] as const] : []
      )
      return { _tag: "Found", handler: found.handler, params: Object.fromEntries(params) }
    }
    return candidates.length === 0
      ? { _tag: "NotFound" }
      : {
          _tag: "MethodNotAllowed",
          allow: [...new Set(candidates.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])))].join(
            ", "
          )
        }
  }
}
