import * as Predicate from "effect/Predicate"
import type { Document } from "../read/Document.ts"
import { inside, isObject, type JsonObject, list, object, type Place, text } from "../read/Json.ts"
import { Unsupported } from "../read/Unsupported.ts"
import * as Responses from "./Responses.ts"

/** An operation where the document has it. */
export interface Endpoint extends Place {
  readonly node: JsonObject
  readonly id: string
  /** Method and path: what an operation is known by, whatever its ID. */
  readonly key: string
  /** In the case of the document. */
  readonly method: string
  readonly template: string
  readonly tags: ReadonlyArray<string>
  /** Its `operationId` in the document. */
  readonly named: string | undefined
  /** The path that it is in. */
  readonly item: Place
}

/** Chooses operations by ID, tags and path. */
export type IsIncluded = (id: string, tags: ReadonlyArray<string>, path: string) => boolean

const otherMethods = ["trace", "query"]

/** The operations of a document that are chosen, in its order; a path that cannot be followed is left out as a whole. */
export function* all(
  document: Document,
  isIncluded: IsIncluded,
  omit: (id: string, why: Unsupported) => void
): Generator<Endpoint> {
  const ids = new Set<string>()
  const root: Place = { node: document.root, pointer: "#" }
  for (const template of Object.keys(object(document.root, "paths"))) {
    if (template.startsWith("x-")) continue
    try {
      const item = document.follow(inside(root, "paths", template))
      const extra = Object.keys(object(item.node, "additionalOperations"))
      for (const method of [...Responses.methods, ...otherMethods, ...extra]) {
        const keys = extra.includes(method) ? ["additionalOperations", method] : [method]
        // documents of several files refer to operations, too
        const { node, pointer } = document.follow(inside(item, ...keys))
        if (!isObject(node)) continue
        const key = `${method.toUpperCase()} ${template}`
        const named = text(node, "operationId")
        const id = named !== undefined && named !== "" && !ids.has(named) ? named : key
        const tags = list(node, "tags").filter(Predicate.isString)
        if (!isIncluded(id, tags, template)) continue
        ids.add(id)
        yield { node, pointer, id, key, method, template, tags, named, item }
      }
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error
      omit(template, error)
    }
  }
}

/** The parameters of an operation; its own take the place of those of its path. */
export const parameters = (document: Document, endpoint: Endpoint) => {
  const found = new Map<string, Place & { readonly node: JsonObject }>()
  for (const source of [endpoint.item, endpoint]) {
    for (const i of list(source.node, "parameters").keys()) {
      const { node, pointer } = document.follow(inside(source, "parameters", i))
      if (isObject(node)) found.set(`${String(node["in"])} ${String(node["name"])}`, { node, pointer })
    }
  }
  return [...found.values()]
}

const headers = new Set(
  "accept accept-encoding authorization connection content-length content-type expect host keep-alive transfer-encoding upgrade".split(
    " "
  )
)

/** Whether HTTP or the client sets a header. */
export const isOwn = (where: string, name: string): boolean => where === "header" && headers.has(name.toLowerCase())
