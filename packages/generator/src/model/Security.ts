import type { Document } from "../read/Document.ts"
import { isObject, type JsonObject, object, property, text } from "../read/Json.ts"

/** A scheme of a document; `undefined` if it is declared nowhere. */
const schemeOf = (document: Document, name: string): unknown => {
  const node = property(object(object(document.root, "components"), "securitySchemes"), name)
  return document.follow({ node, pointer: "#" }).node
}

/** The credentials of an operation as it names them: alternatives, each a list of schemes. */
const declared = (document: Document, operation: JsonObject): ReadonlyArray<ReadonlyArray<string>> | undefined => {
  const given = operation["security"] ?? document.root["security"]
  return Array.isArray(given) ? given.filter(isObject).map(Object.keys) : undefined
}

/**
 * The credentials that are sent with an operation; `undefined`: the document does not say. Client certificates belong to
 * the connection.
 */
export const alternatives = (
  document: Document,
  operation: JsonObject,
  onMissing: (name: string) => void = () => {}
): ReadonlyArray<ReadonlyArray<string>> | undefined =>
  declared(document, operation)?.map((names) =>
    names.filter((name) => {
      const scheme = schemeOf(document, name)
      if (scheme === undefined) onMissing(name)
      return scheme !== undefined && text(scheme, "type") !== "mutualTLS"
    })
  )

/** The place and name of a parameter; those of headers have no case. */
export const keyOf = (where: string, name: string): string =>
  `${where} ${where === "header" ? name.toLowerCase() : name}`

/** The parameters that are credentials of an operation, by place and name. */
export const parameters = (document: Document, operation: JsonObject): ReadonlySet<string> =>
  new Set(
    declared(document, operation)
      ?.flat()
      .map((name) => {
        const scheme = schemeOf(document, name)
        return keyOf(text(scheme, "in") ?? "", text(scheme, "name") ?? "")
      })
  )
