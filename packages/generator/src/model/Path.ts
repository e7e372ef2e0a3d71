import { unsupported } from "../read/Unsupported.ts"
import * as Names from "./Names.ts"
import type { Declared } from "./Parameter.ts"
import type * as Template from "./Template.ts"

/** Names that a call's input uses for its other parts. */
const inputs = new Set(["query", "headers", "payload"])

const longest = 2_000

/** The path in the client's syntax. */
export const of = (
  { fixed, path: template }: Template.Template,
  at: string,
  declared: ReadonlyMap<string, Declared>
) => {
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
  return { path: path.join("") + (fixed && `?${literal(fixed, at)}`), renamed, variables: [...variables] }
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
