import type { Document } from "./Document.ts"
import { isObject, type JsonObject, object, text } from "./Json.ts"

/** The place and name of a parameter; those of headers have no case. */
export const keyOf = (where: string, name: string): string =>
  `${where} ${where === "header" ? name.toLowerCase() : name}`

/** The parameters that are credentials of an operation, by place and name. */
export const parameters = (document: Document, operation: JsonObject): ReadonlySet<string> => {
  const given = operation["security"] ?? document.root["security"]
  const schemes = object(object(document.root, "components"), "securitySchemes")
  const names = Array.isArray(given) ? given.filter(isObject).flatMap(Object.keys) : []
  return new Set(
    names.map((name) => {
      const { value } = document.follow(schemes[name], "#")
      return keyOf(text(value, "in") ?? "", text(value, "name") ?? "")
    })
  )
}
