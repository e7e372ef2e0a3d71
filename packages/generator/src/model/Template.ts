/** A path of a document, taken apart. */
export interface Template {
  /** The path, with its variables in braces, by their names. */
  readonly path: string
  /** The variables whose slashes stay. */
  readonly wild: ReadonlySet<string>
  /** The query that each request has. */
  readonly fixed: string
  /** The names of parameters of the query, by the variables that the template has for them. */
  readonly query: ReadonlyMap<string, string>
}

/**
 * Splits a template: `/search?kind=all&q={text}{&page}` has a path, a fixed query, and a variable, `text`, for `q`. A variable
 * can be written as RFC 6570 and frameworks do: `{+path}`, `{path*}`, `{proxy+}`, `{id:[0-9]+}`, `{id?}`.
 */
export const split = (template: string, isDeclared: (name: string) => boolean): Template => {
  const wild = new Set<string>()
  // RFC 6570 §3.2.8: what these name is declared as a parameter of the query
  const plain = template.replace(/\{[?&][^{}]*\}/g, "").replace(/\{([^{}]*)\}/g, (_, given: string) => {
    const [bare = ""] = given.replace(/^[+*]/, "").split(/[+*?:]/)
    const name = isDeclared(given) || !isDeclared(bare) ? given : bare
    if (/^[+*]|[+*]$|:(?:path|\.[+*])$/.test(given)) wild.add(name)
    return `{${name}}`
  })
  const [path = "", ...rest] = plain.split("?")
  const query = new Map<string, string>()
  const fixed = rest
    .join("?")
    .split("&")
    .filter((part) => {
      const [, name = "", variable] = /^([^={}]+)=\{([^{}]+)\}$/.exec(part) ?? []
      if (variable !== undefined) query.set(variable, name)
      return variable === undefined
    })
    .join("&")
  return { path, wild, fixed, query }
}
