import { inside, object, pointer } from "../read/Json.ts"
import type { Context } from "./Context.ts"
import * as Media from "./Media.ts"
import * as Responses from "./Responses.ts"
import * as Shape from "./Shape.ts"

/** A refusal that an operation declares. */
export interface Failure {
  readonly status: string
  readonly shape: Shape.Shape | undefined
  /** The media type of the text that its body can be instead. */
  readonly text?: string
  readonly pointer: string
}

export const all = (context: Context): ReadonlyArray<Failure> => {
  const { document, id, method, node, responses: reader, warn } = context
  const responses = inside(context, "responses")
  const successes = Responses.successes(document, object(node, "responses"))
  return Object.keys(object(node, "responses")).flatMap((status): ReadonlyArray<Failure> => {
    const isDefault = status.toUpperCase() === "DEFAULT"
    if (status.startsWith("2") || status.startsWith("x-") || (successes.includes(status) && !isDefault)) return []
    if (!/^(?:[45](?:\d\d|XX)|default)$/i.test(status)) {
      const message = `${status} is neither a success nor a refusal: an unexpected status`
      warn("status", pointer(responses.pointer, status), message)
      return []
    }
    const response = document.child(responses, status)
    const all = Media.all(document, response)
    const [media] = all
    const normal = isDefault ? "default" : status.toUpperCase()
    if (media?.kind !== "json" || method === "head" || successes.includes(status))
      return [{ status: normal, shape: undefined, pointer: response.pointer }]
    // whichever of them arrives is read
    const bodies = Media.distinct(all).filter(({ kind }) => kind === "json")
    const shape = Shape.union(
      bodies.map(({ schema }) => reader.read(schema, `${id} ${status}`)),
      bodies.length > 1 ? { isAny: true } : {}
    )
    const isAny = shape._tag === "Empty" || (shape._tag === "Record" && shape.value._tag === "Json")
    // frameworks offer JSON as plain text; pages of HTML are those of gateways
    const text = all.find((one) => one.kind === "text" && one.isString && one.type !== "text/html")?.type
    const body = { shape: isAny ? Shape.json : shape, ...(text !== undefined && { text }) }
    return [{ status: normal, ...body, pointer: media.schema.pointer }]
  })
}
