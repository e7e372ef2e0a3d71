import { Console, Effect, Option, Schema } from "effect"
import { Body, Operation, RequestHeaders } from "@cloud-management/client"
import { Refusals } from "@cloud-management/core"
import * as Connection from "../connection/Connection.ts"
import * as Foreign from "../output/foreign.ts"
import * as Format from "../output/Format.ts"
import * as Content from "./content.ts"

/** 404: the service knows nothing at this path. */
class NotFound extends Refusals.make("NotFound", 404) {}
/** 409: something stands in the way. */
class Conflict extends Refusals.make("Conflict", 409) {}

/** Sends one request and prints the response. */
export const run = Effect.fnUntraced(function* (request: {
  readonly method: Operation.Method
  readonly path: `/${string}`
  readonly query: Readonly<Record<string, ReadonlyArray<string>>>
  readonly payload: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly include: boolean
}) {
  const { headers, include, method, path, payload, query } = request
  const operation: Operation.Any = {
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
  }
  const connection = yield* Connection.connect
  const exchange = yield* RequestHeaders.within(
    Connection.exchange(connection, operation, { query, ...(payload !== undefined && { payload }) }),
    headers
  )
  const text = String(exchange.value)
  const isJson = (yield* Format.Format) === "json"
  const body = Option.match(Content.json(text), {
    onSome: () => Foreign.respaced(text, isJson ? undefined : 2),
    // one JSON document, whatever the service sends
    onNone: () =>
      isJson ? (text === "" ? "null" : Foreign.toJson(text)) : text.split("\n").map(Foreign.clean).join("\n")
  })
  if (!include) return yield* body === "" ? Effect.void : Console.log(body)
  const head = Object.entries(exchange.headers).map(([name, value]) => Foreign.clean(`${name}: ${value}`))
  yield* Console.log(
    isJson
      ? `{"status":${exchange.status},"headers":${Foreign.toJson(exchange.headers)},"body":${body}}`
      : [`HTTP ${exchange.status}`, ...head, "", body].join("\n")
  )
})
