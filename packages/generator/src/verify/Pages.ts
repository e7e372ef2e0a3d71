import { type Client, type Operation, Pagination } from "@cloud-management/client"
import * as Stream from "effect/Stream"
import { isObject, property } from "../read/Json.ts"
import type * as Api from "../served/Api.ts"
import * as Digits from "../served/Digits.ts"
import type * as Media from "../served/Media.ts"
import type { Reply } from "../served/Reply.ts"
import type { Received } from "../served/Request.ts"
import type { Schemas } from "../served/Schemas.ts"
import type { Sample } from "./Sample.ts"

/** The pages of a list. */
export interface Kind {
  /** How the last page says that it is the last. */
  readonly last: "" | null | undefined
  /** The page that has no items. */
  readonly empty?: number
  /** Whether the next page is named by an absolute URL. */
  readonly isUrl?: boolean
}

/** So many pages have items. */
const count = 3

/** The query of links. */
const linked: Api.Parameter = {
  name: "verify-page",
  where: "query",
  isRequired: true,
  schema: { node: {}, pointer: "" },
  style: "form",
  explode: true,
  isJson: false,
  examples: []
}

/** `-1` is the last item of a list. */
const inside = (value: unknown, name: string): unknown =>
  name === "-1" && Array.isArray(value) ? value.at(-1) : property(value, name)

/** The first name of a path, and the rest; the last one can have dots. */
const cut = (path: string, has: (name: string) => boolean): readonly [name: string, rest: string] => {
  const dot = has(path) ? -1 : path.indexOf(".")
  return dot < 0 ? [path, ""] : [path.slice(0, dot), path.slice(dot + 1)]
}

const replaced = (value: unknown, path: string, by: unknown): unknown => {
  if (path === "") return by
  const [name, rest] = cut(path, (name) => isObject(value) && name in value)
  const part = replaced(inside(value, name), rest, by)
  if (name === "-1" && Array.isArray(value)) return value.length === 0 ? value : value.with(-1, part)
  return { ...(isObject(value) && value), [name]: part }
}

const at = (value: unknown, path: string): unknown => {
  if (path === "") return value
  const [name, rest] = cut(path, (name) => isObject(value) && name in value)
  return at(inside(value, name), rest)
}

const isPaged = (operation: Operation.Any): operation is Operation.Paged => operation.pagination !== undefined

function inputOf(input: object): Operation.Input<Operation.Paged>
// it is made from the document, which the compiler does not follow
function inputOf(input: object): object {
  return input
}

/** The input of the first page: a list is read from its begin. */
export const first = ({ pagination }: Operation.Any, input: Sample): Sample =>
  pagination?._tag !== "Offset" && pagination?._tag !== "PageNumber"
    ? input
    : {
        ...input,
        parameters: input.parameters.filter(
          ({ parameter: { isRequired, name, where } }) => isRequired || where !== "query" || name !== pagination.query
        )
      }

/** Whether a field of a response can be null, be left out, and be a text. */
const canBe = (schemas: Schemas, content: Media.Content | undefined, path: string) => {
  let parts = content === undefined ? [] : [content.schema]
  let isRequired = true
  for (let rest = path; rest !== "";) {
    const { properties, required } = schemas.whole(parts)
    const [key, others] = cut(rest, (name) => properties.has(name))
    rest = others
    isRequired = required.has(key)
    parts = [...(properties.get(key) ?? [])]
  }
  const { types } = schemas.whole(parts)
  return {
    isNull: !isRequired || schemas.takesNull(parts),
    isAbsent: !isRequired,
    isText: types?.has("string") === true
  }
}

/** The kinds of pages that an operation can have. */
export const kinds = (
  schemas: Schemas,
  content: Media.Content | undefined,
  { pagination }: Operation.Any
): ReadonlyArray<readonly [note: string, kind: Kind]> => {
  if (pagination === undefined) return []
  // a page without items has no last one
  if (pagination._tag !== "Link" && (pagination._tag !== "Cursor" || pagination.more !== undefined))
    return [["", { last: "" }]]
  const { isAbsent, isNull, isText } =
    pagination.next === undefined
      ? { isAbsent: false, isNull: false, isText: true }
      : canBe(schemas, content, pagination.next)
  const all: ReadonlyArray<readonly [note: string, kind: Kind, can: boolean]> = [
    ["", { last: "" }, true],
    ["an empty page", { last: "", empty: 1 }, true],
    ["a URL", { last: "", isUrl: true }, isText],
    ["null at the end", { last: null }, isNull],
    ["nothing at the end", { last: undefined }, isAbsent]
  ]
  return all.flatMap(([note, kind, can]) => (can ? [[note, kind]] : []))
}

/** Pages of the list that an operation reads. */
export const make = (target: Api.Operation, operation: Operation.Any, kind: Kind) => {
  if (!isPaged(operation)) return undefined
  const { pagination } = operation
  const { headers = [] } = target.responses.find(({ status }) => status.startsWith("2")) ?? {}
  const isUndeclared =
    pagination._tag === "Link" && pagination.next === undefined && !target.isPaged && !headers.includes("link")
  let sent = 0
  let isMissing = false
  let isNumber = false
  const isCounted = pagination._tag === "Offset" || pagination._tag === "PageNumber"
  /** Where the next page begins, by a cursor. */
  const cursorOf = (page: number) => (isNumber ? page + 1000 : `cursor ${page}`)
  const begins = new Set<unknown>()
  return {
    /** The input of the request of a page. */
    input: (input: Sample, page: number): Sample => {
      if (page === 0) return input
      // a link's query is whole
      const others = input.parameters.filter(({ parameter: { where } }) => where !== "query")
      if (pagination._tag === "Link" || kind.isUrl === true)
        return { ...input, parameters: [...others, { parameter: linked, value: page }] }
      const isOwn = ({ name, where }: Api.Parameter) => where === "query" && name === pagination.query
      const own = input.parameters.find(({ parameter }) => isOwn(parameter))?.value
      const begin = pagination._tag === "PageNumber" ? (pagination.first ?? 1) : 0
      const steps = pagination._tag === "PageNumber" ? page : sent
      const value = isCounted ? Number(own ?? begin) + steps : cursorOf(page)
      return {
        ...input,
        parameters: [
          ...input.parameters.filter(({ parameter }) => !isOwn(parameter)),
          ...target.parameters.filter(isOwn).map((parameter) => ({ parameter, value }))
        ]
      }
    },
    /** The response with a page. */
    reply: (reply: Reply, page: number, { headers: { host = "" }, path }: Received): Reply => {
      const isLast = page >= count - 1
      const items = at(reply.value, pagination.items)
      isMissing ||= !Array.isArray(items)
      const isEnd = isCounted && page >= count
      const own = Array.isArray(items) && !isEnd && page !== kind.empty ? items : []
      sent += own.length
      begins.add(page)
      const body = replaced(reply.value, pagination.items, own)
      const [, fixed] = operation.path.split("?")
      const base = kind.isUrl === true ? `http://${host}${path}` : ""
      const target = `${base}?${fixed === undefined ? "" : `${fixed}&`}${linked.name}=${page + 1}`
      isNumber ||= pagination._tag === "Cursor" && typeof at(reply.value, pagination.next) === "number"
      const next = pagination._tag === "Link" || kind.isUrl === true ? target : cursorOf(page + 1)
      const last = isNumber && kind.last === "" ? 0 : kind.last
      const more = pagination._tag === "Link" ? undefined : pagination.more
      const isMore = typeof at(reply.value, more ?? "") === "boolean" ? !isLast : isLast ? 0 : 1_000_000
      const said = more === undefined ? body : replaced(body, more, isMore)
      const place = isCounted ? undefined : pagination.next
      const value = place === undefined ? said : replaced(said, place, isLast && more === undefined ? last : next)
      const link = `<${target}>; rel="next"`
      const isLinked = pagination._tag === "Link" && pagination.next === undefined && !isLast
      const headers = { ...reply.headers, ...(isLinked && { link }) }
      return { ...reply, headers, value, body: Digits.stringify(value) }
    },
    collect: (client: Client.Calls, input: object) =>
      Stream.runCollect(Pagination.items(client, operation, inputOf(input))),
    problem: (items: ReadonlyArray<unknown>) => {
      if (isUndeclared) return "the response declares no header Link"
      if (isMissing) return `the response has no items at ${pagination.items}`
      if (begins.size < count) return `${begins.size} pages are read in place of ${count}`
      return items.length === sent ? undefined : `${items.length} items are read in place of ${sent}`
    }
  }
}
