import { unsupported } from "../read/Unsupported.ts"
import * as Names from "./Names.ts"
import type { Declared } from "./Parameter.ts"

/** Names that a call's input uses for its other parts. */
const inputs = new Set(["query", "headers", "payload"])

const longest = 2_000

/**
 * Splits a template: `/search?kind=all&q={text}{&page}` has a path, a fixed query, and a variable, `text`, for `q`. A variable
 * can be written as RFC 6570 and frameworks do: `{+path}`, `{path*}`, `{proxy+}`, `{id:[0-9]+}`, `{id?}`; the slashes of a `wild`
 * one stay.
 */
const split = (template: string, isDeclared: (name: string) => boolean) => {
  const wild = new Set<string>()
  // RFC 6570 §3.2.8: what these name is declared as a parameter of the query
  const plain = template.replace(/\{[?&][^{}]*\}/g, "").replace(/\{([^{}]*)\}/g, (_, given: string) => {
    const [bare = ""] = given.replace(/^[+*]/, "").split(/[+*?:]/)
    const name = isDeclared(given) || !isDeclared(bare) ? given : bare
    if (/^[+*]|[+*]$|:(?:path|\.[+*])$/.test(given)) wild.add(name)
    return `{${name}}`
  })
  const [path = "", ...rest] = plain.split("?")
  /** By variable, the name of its parameter. */
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

/** A template of a document as a path in the client's syntax. */
export const of = (address: string, at: string, declared: ReadonlyMap<string, Declared>) => {
  const { fixed, path: template, query, wild } = split(address, (name) => declared.has(name))
  const renamed = new Map<string, string>()
  const variables = new Set<string>()
  // each variable has a pointer with the path in it
  if (template.length > longest) throw unsupported("path", at, `a path has at most ${longest} characters`)
  if (!template.startsWith("/")) throw unsupported("path", at, "a path begins with a slash")
  if (/[{}]/.test(fixed)) {
    const message = `a variable in the query of a path is a whole value, name={variable}: ${fixed}`
    throw unsupported("path", at, message)
  }
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(template)) {
    throw unsupported("path", at, "URLs leave out the segments . and .. of a path")
  }
  const parts = template.split(/\{([^{}]*)\}/)
  const names = Names.allocator(parts.filter((name, i) => i % 2 === 1 && isVariable(name)))
  const path = parts.map((part, i) => {
    if (i % 2 === 0) return literal(part, at)
    if (/^[;./#]/.test(part) && !declared.has(part)) {
      throw unsupported(
        "path",
        at,
        `{${part}} is written as in RFC 6570, not as in OpenAPI: the style of a parameter says it`
      )
    }
    if (/^\w/.test(parts[i + 1] ?? "")) {
      throw unsupported("path", at, `nothing divides the variable ${part} from the text after it`)
    }
    if (!variables.has(part)) {
      variables.add(part)
      if (!isVariable(part)) {
        const name = Names.camel(part) || "value"
        renamed.set(part, names.take(inputs.has(name) || !isVariable(name) ? `${name}Param` : name))
      }
    }
    return `${literal(declared.get(part)?.prefix ?? "", at)}:${renamed.get(part) ?? part}`
  })
  return { path: path.join("") + (fixed && `?${literal(fixed, at)}`), renamed, variables: [...variables], query, wild }
}

const isVariable = (name: string) =>
  /^[A-Za-z_]\w*$/.test(name) && name.length <= 100 && !inputs.has(name) && !Object.hasOwn(Object.prototype, name)

/** A fixed part of a path or its query, in which a colon is doubled, and what URLs escape is escaped. */
const literal = (part: string, at: string): string => {
  if (!part.isWellFormed()) {
    throw unsupported("path", at, "a path cannot have half a surrogate pair")
  }
  return part.replace(/[^\w\-.~!$&'()*+,;=:@/%]/gu, (character) => encodeURIComponent(character)).replaceAll(":", "::")
}
