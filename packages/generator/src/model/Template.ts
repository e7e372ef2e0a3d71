/** A path of a document, taken apart. */
export interface Template {
  /** The path, with its variables in braces. */
  readonly path: string
  /** The query that each request has. */
  readonly fixed: string
  /** The names of parameters of the query, by the variables that the template has for them. */
  readonly query: ReadonlyMap<string, string>
}

/** Splits a template: `/search?kind=all&q={text}{&page}` has a path, a fixed query, and a variable, `text`, for `q`. */
export const split = (template: string): Template => {
  // RFC 6570 §3.2.8: what these name is declared as a parameter of the query
  const [path = "", ...rest] = template.replace(/\{[?&][^{}]*\}/g, "").split("?")
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
  return { path, fixed, query }
}
