import type { Document } from "../read/Document.ts"
import { decode, isObject, type JsonObject, keysOf, object, pointer, property, text } from "../read/Json.ts"
import type { Context } from "./Context.ts"

/** A scheme of a document; `undefined` if it is declared nowhere. */
const schemeOf = (document: Document, name: string): unknown => {
  const node = property(object(object(document.root, "components"), "securitySchemes"), name)
  return document.follow({ node, pointer: "#" }).node
}

/** The name of a scheme of a document, which 3.2 also lets an operation name by its URI. */
const nameOf = ({ root }: Document, given: string): string => {
  const [uri = "", fragment = ""] = given.split("#")
  const [components, kind, name = given] = keysOf(fragment, decode)
  const isHere = components === "components" && kind === "securitySchemes" && ["", text(root, "$self")].includes(uri)
  return isHere ? name : given
}

/** The credentials of an operation as it names them: alternatives, each a list of schemes. */
const declared = (document: Document, operation: JsonObject): ReadonlyArray<ReadonlyArray<string>> | undefined => {
  const given = operation["security"] ?? document.root["security"]
  if (!Array.isArray(given)) return undefined
  return given.filter(isObject).map((one) => Object.keys(one).map((name) => nameOf(document, name)))
}

/** The credentials that are sent with an operation: alternatives, each a list of schemes; `undefined`: the document does not say. */
export const of = ({ document, node, pointer: at, warn }: Context) => {
  const given = declared(document, node)
  if (given === undefined) return undefined
  const alternatives = given.map((names) =>
    names.filter((name) => {
      const scheme = schemeOf(document, name)
      if (scheme === undefined) warn("security", pointer(at, "security"), `${name} is declared nowhere: it is not sent`)
      // client certificates belong to the connection
      return scheme !== undefined && text(scheme, "type") !== "mutualTLS"
    })
  )
  // none at all is what is left when the client has no credentials for the others
  const some = alternatives.filter((names) => names.length > 0)
  return some.length > 0 && some.length < alternatives.length ? [...some, []] : some
}

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
