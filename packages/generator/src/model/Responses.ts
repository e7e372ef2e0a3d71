import { memoize } from "effect/Function"
import type { Document } from "../read/Document.ts"
import { isObject, type JsonObject, object, property, text } from "../read/Json.ts"
import { attempt, Unsupported } from "../read/Unsupported.ts"

/** The methods that an operation can have. */
export const methods = ["get", "put", "post", "delete", "options", "head", "patch"]
const isRedirect = (status: string) => /^30[12378]$/.test(status)
const isSuccess = (status: string) => /^2(?:\d\d|XX)$/i.test(status)

/** A value of any operation; one whose reference leads nowhere is unsupported where its operation is read. */
const follow = (document: Document, node: unknown): unknown => {
  const found = attempt(() => document.follow({ node, pointer: "#" }))
  return found instanceof Unsupported ? undefined : found.node
}

/** The references of a response, and of the schemas of its contents. */
const references = (document: Document, response: unknown): ReadonlyArray<string> => {
  const contents = Object.values(object(follow(document, response), "content"))
  return [response, ...contents.map((media) => property(media, "schema"))].flatMap((node) => text(node, "$ref") ?? [])
}

/** The references of all refusals of a document: those of 4xx and 5xx, and those that are `default` beside a success. */
const ofRefusals = memoize((document: Document): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const entry of Object.values(object(document.root, "paths"))) {
    const item = follow(document, entry)
    for (const method of methods) {
      const responses = Object.entries(object(follow(document, property(item, method)), "responses"))
      const hasSuccess = responses.some(([status]) => isSuccess(status))
      for (const [status, response] of responses)
        if (/^[45]/.test(status) || (hasSuccess && status === "default"))
          for (const reference of references(document, response)) found.add(reference)
    }
  }
  return found
})

/**
 * The keys of the responses that are successes. Without one of 200 to 299 it is the redirects, or `default`, unless its schema
 * is one of refusals elsewhere; else `2XX`, of which nothing is declared. A `default` with content comes before redirects.
 */
export const successes = (document: Document, responses: JsonObject): ReadonlyArray<string> => {
  const keys = Object.keys(responses)
  const declared = keys.filter(isSuccess)
  if (declared.length > 0) return declared
  const { default: rest } = responses
  const { node: value } = document.follow({ node: rest, pointer: "#" })
  const isRefusal = references(document, rest).some((one) => ofRefusals(document).has(one))
  const others = isObject(value) && !isRefusal ? ["default"] : ["2XX"]
  const redirects = keys.filter(isRedirect)
  const isFirst = Object.keys(object(value, "content")).length > 0 && !isRefusal
  return isFirst || redirects.length === 0 ? others : redirects
}
