import { Console, Effect, Option, Schema } from "effect"
import { Body, Operation, Pagination, RequestHeaders } from "@cloud-management/client"
import { Refusals } from "@cloud-management/core"
import * as Connection from "../connection/Connection.ts"
import * as Failure from "../output/Failure.ts"
import * as Foreign from "../output/foreign.ts"
import * as Format from "../output/Format.ts"
import * as Content from "./content.ts"

class NotFound extends Refusals.make("NotFound", 404) {}
class Conflict extends Refusals.make("Conflict", 409) {}

/** Lists as one, in which numbers stay as they are; a list of what is none. */
const together = (pages: ReadonlyArray<string>): string => {
  const isList = pages.every((page) => page.trimStart().startsWith("["))
  const parts = isList ? pages.map((page) => page.trim().slice(1, -1)).filter((part) => part.trim() !== "") : pages
  return `[${parts.join(",")}]`
}

export const run = Effect.fnUntraced(function* (request: {
  readonly method: Operation.Method
  readonly path: `/${string}`
  readonly query: Readonly<Record<string, ReadonlyArray<string>>>
  readonly payload: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly include: boolean
  readonly paginate: boolean
}) {
  const { headers, include, method, paginate, payload } = request
  const operationAt = (path: string): Operation.Any => ({
    group: "request",
    name: method.toLowerCase(),
    method,
    // no variables
    path: `/${path.slice(1).replaceAll(":", "::")}`,
    summary: "A request of the user's own",
    query: Operation.query(Schema.Record(Schema.String, Schema.Array(Schema.String))),
    ...(payload !== undefined && { payload: Body.text("application/json") }),
    success: Body.text("application/json"),
    errors: [...Refusals.commonRefusals, NotFound, Conflict],
    annotations: { scope: "key", stability: "stable" }
  })
  const connection = yield* Connection.connect
  const send = ({ path, query }: Pick<typeof request, "path" | "query">) => {
    const input = { query, ...(payload !== undefined && { payload }) }
    return RequestHeaders.within(Connection.exchange(connection, operationAt(path), input), headers)
  }
  let exchange = yield* send(request)
  const pages = [String(exchange.value)]
  const root = new URL(connection.baseUrl.endsWith("/") ? connection.baseUrl : `${connection.baseUrl}/`)
  const urls = new Set<string>()
  let url = new URL(`.${request.path}`, root)
  while (paginate) {
    const link = Pagination.nextLink(exchange.headers["link"] ?? "")
    if (link === undefined) break
    url = new URL(link, url)
    if (urls.has(url.href)) return yield* Failure.usage(`the service links to the page ${link} twice`)
    urls.add(url.href)
    if (url.origin !== root.origin || !url.pathname.startsWith(root.pathname))
      return yield* Failure.usage(`the next page is at another address: ${url.origin}${url.pathname}`)
    const [path, query] = Content.parts(`/${url.pathname.slice(root.pathname.length)}${url.search}`, {})
    exchange = yield* send({ path, query })
    pages.push(String(exchange.value))
  }
  const text = pages.length === 1 ? String(pages[0]) : together(pages)
  const isJson = (yield* Format.Format) === "json"
  const body = Option.match(Content.json(text), {
    onSome: () => Foreign.respaced(text, isJson ? undefined : 2),
    // one JSON document, whatever the service sends
    onNone: () =>
      isJson ? (text === "" ? "null" : Foreign.toJson(text)) : text.split("\n").map(Foreign.clean).join("\n")
  })
  if (!include) return yield* body === "" ? Effect.void : Console.log(body)
  const head = Object.entries(exchange.headers).map((header) => Foreign.clean(header.join(": ")))
  yield* Console.log(
    isJson
      ? `{"status":${exchange.status},"headers":${Foreign.toJson(exchange.headers)},"body":${body}}`
      : [`HTTP ${exchange.status}`, ...head, "", body].join("\n")
  )
})
