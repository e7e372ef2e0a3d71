import type * as Client from "@cloud-management/client/Client"
import type * as Operation from "@cloud-management/client/Operation"
import * as Pagination from "@cloud-management/client/Pagination"
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { isObject, property } from "../Json.ts"
import * as Digits from "./Digits.ts"
import type { Input } from "./Input.ts"
import type { Reply } from "./Reply.ts"
import type { Parameter } from "./Target.ts"

/** A list of several pages. */
export interface Pages {
  /** What the request of a page has. */
  readonly input: (input: Input, page: number) => Input
  /** The answer with a page. */
  readonly reply: (reply: Reply, page: number) => Reply
  readonly collect: (client: Client.Calls, input: object) => Effect.Effect<ReadonlyArray<unknown>, unknown>
  readonly problem: (items: ReadonlyArray<unknown>) => string | undefined
}

/** So many pages have items. */
const count = 3

/** The query of links. */
const linked: Parameter = {
  name: "verify-page",
  where: "query",
  isRequired: true,
  schema: { node: {}, pointer: "#" },
  style: "form",
  explode: true,
  isJson: false
}

const replaced = (value: unknown, [name, ...rest]: ReadonlyArray<string>, by: unknown): unknown =>
  name === undefined ? by : { ...(isObject(value) && value), [name]: replaced(property(value, name), rest, by) }

const at = (value: unknown, path: string): unknown => path.split(".").reduce(property, value)

const isPaged = (operation: Operation.Any): operation is Operation.Paged => operation.pagination !== undefined

function inputOf(input: object): Operation.Input<Operation.Paged>
// it is made from the document, which the compiler does not follow
function inputOf(input: object): object {
  return input
}

/** Pages of the list that an operation reads. */
export const make = (operation: Operation.Any): Pages | undefined => {
  if (!isPaged(operation)) return undefined
  const { pagination } = operation
  let sent = 0
  let isMissing = false
  const begins = new Set<unknown>()
  return {
    input: (input, page) => {
      if (page === 0) return input
      // a link's query is whole
      const others = input.parameters.filter(({ parameter: { where } }) => where !== "query")
      if (pagination._tag === "Link") return { ...input, parameters: [...others, { parameter: linked, value: page }] }
      const parameters = input.parameters.map(({ parameter, value }) => {
        if (parameter.name !== pagination.query) return { parameter, value }
        return { parameter, value: pagination._tag === "Cursor" ? `cursor ${page}` : Number(value) + sent }
      })
      return { ...input, parameters }
    },
    reply: (reply, page) => {
      const isLast = page >= count - 1
      const items = at(reply.value, pagination.items)
      isMissing ||= !Array.isArray(items)
      const own = Array.isArray(items) && !(pagination._tag === "Offset" && page >= count) ? items : []
      sent += own.length
      begins.add(page)
      const body = replaced(reply.value, pagination.items.split("."), own)
      const value =
        pagination._tag === "Cursor"
          ? replaced(body, pagination.next.split("."), isLast ? "" : `cursor ${page + 1}`)
          : body
      const link = `</next?${linked.name}=${page + 1}>; rel="next"`
      const isLinked = pagination._tag === "Link" && !isLast
      return { ...reply, value, body: Digits.stringify(value), ...(isLinked && { link }) }
    },
    collect: (client, input) => Stream.runCollect(Pagination.items(client, operation, inputOf(input))),
    problem: (items) => {
      if (isMissing) return `the response has no items at ${pagination.items}`
      if (begins.size < count) return `${begins.size} pages are read in place of ${count}`
      return items.length === sent ? undefined : `${items.length} items are read in place of ${sent}`
    }
  }
}
